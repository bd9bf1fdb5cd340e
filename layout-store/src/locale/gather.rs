//! Gathers: values of points are combined along a tree, so no locale gets the values of all points one by one.
//!
//! ```text
//!            0                 the tree over the numbers of the points, here 8 of them: a number without its lowest bit is the
//!   +----+---+-------+         one above
//!   1    2           4
//!        3       +---+---+     a point's value is put together with those of the subtrees below it, the first one first: all
//!                5       6     that precedes it in the order of points, that follows, and nothing between
//!                        7
//! ```
//!
//! 1. The value of a subtree depends only on the number of points, and not on their locales.
//! 2. A locale combines its values of a subtree. It sends a message if the point above runs on another locale: if neighbors run together,
//!    one each way for each power of two below the number of points.
//! 3. The result goes from the locale of the first point to the others, along the same tree over the locales, counted from that locale.
//! 4. A few locales tell each other directly, in one step instead of two for each power of two, and each combines everything.

use core::ops::Range;
use std::borrow::Cow;
use std::sync::Arc;

use layout_core::{Portable, PortableError};

use super::Locale;
use super::contributions::Post;
use super::history::Order;
use super::tree::{above, below, subtree};
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, NewNodes, Node, Row, caught};
use crate::partition::Placement;

/// Values of points that are combined.
pub(crate) trait Gathered: Send + Sync {
    /// Returns `true` if values stay on the locales of their points, where each locale makes a result of its own values.
    fn stays(&self) -> bool;
    /// Combines the values of the points that ran here, of `count` points in all.
    fn fold(&self, count: usize);
    /// Writes the values of the points of this locale, and returns their bytes.
    fn own(&self, message: &mut Vec<u8>) -> usize;
    /// Takes the values of these points that are here, of `count` points in all, combines and writes them, and returns their bytes.
    fn take(&self, points: Range<usize>, count: usize, message: &mut Vec<u8>) -> usize;
    /// Keeps values of points that ran on other locales.
    fn put(&self, parts: &mut &[u8]) -> Result<(), Cause>;
    /// Makes the result of the values of all `count` points.
    fn finish(&self, count: usize);
    /// Writes the result, and returns the bytes of its values.
    fn result(&self, message: &mut Vec<u8>) -> usize;
    /// Keeps the result of another locale.
    fn told(&self, result: &mut &[u8]) -> Result<(), Cause>;
}

/// The combined values of neighboring points. The first of them has all points below it that are among them.
#[derive(Clone)]
pub(crate) struct Part<T> {
    pub(crate) first: usize,
    /// The number of points.
    pub(crate) len: usize,
    pub(crate) value: T,
}

impl<T> Part<T> {
    /// Writes the part; `write` writes its value.
    pub(crate) fn write(&self, write: fn(&T, &mut Vec<u8>), to: &mut Vec<u8>) {
        (self.first, self.len).write(to);
        write(&self.value, to);
    }

    /// Reads the bytes of [`write`](Self::write); `read` reads the value.
    pub(crate) fn read(
        read: fn(&mut &[u8]) -> Result<T, PortableError>,
        from: &mut &[u8],
    ) -> Result<Self, PortableError> {
        let (first, len) = Portable::read(from)?;
        Ok(Self { first, len, value: read(from)? })
    }

    /// The value of one point.
    pub(crate) fn one(point: usize, value: T) -> Self {
        Self { first: point, len: 1, value }
    }
}

/// Combines the values of some of `count` points, in order, as far as there are no gaps.
pub(crate) fn fold<T>(
    parts: impl IntoIterator<Item = Part<T>>,
    count: usize,
    combine: impl Fn(T, T) -> T,
) -> Vec<Part<T>> {
    let mut open: Vec<Part<T>> = Vec::new();
    for part in parts {
        open.push(part);
        while let [.., before, last] = &open[..]
            && above(last.first) == Some(before.first)
            && before.first + before.len == last.first
            && last.len == subtree(last.first, count).len()
            && let (Some(last), Some(before)) = (open.pop(), open.pop())
        {
            let (first, len) = (before.first, before.len + last.len);
            open.push(Part { first, len, value: combine(before.value, last.value) });
        }
    }
    open
}

/// The body of a node that works on the values of a locale.
struct Combine<F>(F);

impl<F: Fn() + Send + Sync> Body for Combine<F> {
    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| {
            (self.0)();
            Ok(())
        })
    }

    fn row(&self) -> Row {
        Row::Combine
    }

    fn label(&self, _: usize) -> (String, Point) {
        (COMBINE.to_owned(), Point::EMPTY)
    }
}

const COMBINE: &str = "combine values";
/// Up to this number, locales tell each other directly.
const DIRECT: usize = 4;

/// Adds nodes that bring together the values of all points and send the result to all locales, or that combine only the values of the
/// points here; returns the node after which the result is here. `points_here` are the points of this locale; the task has this name and
/// these points.
pub(crate) fn gather(
    locale: &Arc<Locale>,
    (order, name, domain): (Order, &Cow<'static, str>, &Rect),
    gathered: &Arc<dyn Gathered>,
    (placement, points_here): (&Placement, &[Arc<Node>]),
    (number, nodes): (&mut usize, &mut NewNodes),
) -> Arc<Node> {
    let (up, down) = (*number, *number + placement.count());
    let last = down + locale.count;
    *number = last + 1;
    let launch = Gathering { locale, order, name, domain, gathered, placement, points_here, up, down, last };
    match &locale.net {
        // A planner makes no nodes.
        _ if locale.planned.is_some() => launch.combine(|gathered, count| gathered.finish(count)),
        Some(net) if !gathered.stays() && locale.count <= DIRECT => launch.direct(&Post { locale, net, order }, nodes),
        Some(net) if !gathered.stays() => launch.along_trees(&Post { locale, net, order }, nodes),
        _ => {
            let finish = launch.finish();
            points_here.iter().for_each(|point| finish.after(point, Edge::Data));
            nodes.push(finish.clone());
            finish
        }
    }
}

/// A launch whose points return values.
struct Gathering<'a> {
    locale: &'a Arc<Locale>,
    order: Order,
    name: &'a Cow<'static, str>,
    domain: &'a Rect,
    gathered: &'a Arc<dyn Gathered>,
    placement: &'a Placement,
    points_here: &'a [Arc<Node>],
    /// The numbers of the first message up, of the first message with a result or from a locale to all others, and of the last node. No
    /// locale gets two messages with one number.
    up: usize,
    down: usize,
    last: usize,
}

impl Gathering<'_> {
    /// A node that works on the values of all points that are here.
    fn combine(&self, work: fn(&dyn Gathered, usize)) -> Arc<Node> {
        let (gathered, count) = (self.gathered.clone(), self.placement.count());
        self.locale.engine.nodes.alone(self.order.number, self.last, Combine(move || work(&*gathered, count)))
    }

    fn finish(&self) -> Arc<Node> {
        self.locale.engine.count(1);
        self.combine(|gathered, count| gathered.finish(count))
    }

    /// The task and its point with a number.
    fn point(&self, number: usize) -> (Cow<'static, str>, Point) {
        (self.name.clone(), self.domain.nth(number))
    }

    /// A node that keeps values of a locale, among them the value of this point.
    fn receive(&self, post: &Post<'_>, from: (usize, usize), point: usize) -> Arc<Node> {
        let gathered = self.gathered.clone();
        post.receive(from, self.point(point), move |parts: &mut &[u8]| gathered.put(parts))
    }

    /// Each locale sends all others the values of its points.
    fn direct(&self, post: &Post<'_>, nodes: &mut NewNodes) -> Arc<Node> {
        let me = self.locale.number;
        let (fold, finish) = (self.combine(|gathered, count| gathered.fold(count)), self.finish());
        self.locale.engine.count(1);
        self.points_here.iter().for_each(|point| fold.after(point, Edge::Data));
        finish.after(&fold, Edge::Data);
        for other in (0..self.locale.count).filter(|other| *other != me) {
            if !self.points_here.is_empty() {
                let gathered = self.gathered.clone();
                let give = move |message: &mut Vec<u8>| gathered.own(message);
                let node = post.send((other, self.down + me), ("send values", Row::Exchange), give);
                node.after(&fold, Edge::Data);
                // The values must exist until they are sent.
                finish.after(&node, Edge::Data);
                nodes.push(node);
            }
            if let Some(point) = self.placement.points_of(other).next() {
                let node = self.receive(post, (other, self.down + other), point);
                finish.after(&node, Edge::Data);
                nodes.push(node);
            }
        }
        nodes.extend([fold, finish.clone()]);
        finish
    }

    /// Values of points go up one tree, and the result goes down the other.
    fn along_trees(&self, post: &Post<'_>, nodes: &mut NewNodes) -> Arc<Node> {
        let (placement, count, me) = (self.placement, self.placement.count(), self.locale.number);
        let is_here = |point: &usize| placement.locale(*point) == me;
        // The first points of the parts that are combined here, with the nodes that do it.
        let mut tops: Vec<(usize, Arc<Node>)> = Vec::new();
        for point in self.points_here {
            let number = point.order.1;
            match above(number) {
                None => tops.push((number, self.finish())),
                Some(above) if !is_here(&above) => {
                    let gathered = self.gathered.clone();
                    let give = move |message: &mut Vec<u8>| gathered.take(subtree(number, count), count, message);
                    let to = (placement.locale(above), self.up + number);
                    tops.push((number, post.send(to, (COMBINE, Row::Combine), give)));
                }
                Some(_) => {}
            }
            let mut top = number;
            while let Some(above) = above(top).filter(is_here) {
                top = above;
            }
            let Ok(at) = tops.binary_search_by_key(&top, |(top, _)| *top) else {
                unreachable!("points come in the order of their numbers, and what is above is before what is below")
            };
            let top = &tops[at].1;
            top.after(point, Edge::Data);
            for below in below(number, count).filter(|below| !is_here(below)) {
                let node = self.receive(post, (placement.locale(below), self.up + below), below);
                top.after(&node, Edge::Data);
                nodes.push(node);
            }
        }
        nodes.extend(tops.iter().map(|(_, node)| node.clone()));

        let (root, locales) = (placement.locale(0), self.locale.count);
        let (place, at) = ((me + locales - root) % locales, |place: usize| (place + root) % locales);
        let done = match (above(place), tops.first()) {
            (Some(above), _) => {
                let gathered = self.gathered.clone();
                let node =
                    post.receive((at(above), self.down + me), self.point(0), move |result| gathered.told(result));
                nodes.push(node.clone());
                node
            }
            (None, Some((_, finish))) => finish.clone(),
            (None, None) => unreachable!("the first point runs on its locale"),
        };
        for below in below(place, locales) {
            let (gathered, to) = (self.gathered.clone(), at(below));
            let give = move |message: &mut Vec<u8>| gathered.result(message);
            let node = post.send((to, self.down + to), ("send a result", Row::Exchange), give);
            node.after(&done, Edge::Data);
            nodes.push(node);
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The combined values of points `from..to`: the first half has the largest power of two of points below their number.
    fn halves(from: usize, to: usize) -> String {
        if to - from == 1 {
            return from.to_string();
        }
        let middle = from + (to - from).next_power_of_two() / 2;
        format!("({}{})", halves(from, middle), halves(middle, to))
    }

    fn combine(a: String, b: String) -> String {
        format!("({a}{b})")
    }

    /// The only part, which has these points.
    fn only(parts: Vec<Part<String>>, points: Range<usize>) -> String {
        let [part] = &parts[..] else { panic!("{} parts", parts.len()) };
        assert_eq!(part.first..part.first + part.len, points);
        part.value.clone()
    }

    #[test]
    fn values_come_together_by_halves() {
        for count in 1..70 {
            let parts = (0..count).map(|number| Part::one(number, number.to_string()));
            assert_eq!(only(fold(parts, count, combine), 0..count), halves(0, count));
        }
        assert!(fold(Vec::new(), 0, combine).is_empty());
    }

    #[test]
    fn a_number_is_right_below_the_one_above_it() {
        for count in 1..70 {
            assert_eq!((above(0), subtree(0, count)), (None, 0..count));
            for number in 0..count {
                let expected = (1..count).filter(|other| above(*other) == Some(number));
                assert!(below(number, count).eq(expected), "{number} of {count}");
                let all = subtree(number, count);
                let is_below =
                    |other: &usize| core::iter::successors(Some(*other), |at| above(*at)).any(|at| at == number);
                assert!(all.eq((0..count).filter(is_below)), "{number} of {count}");
            }
        }
    }

    proptest! {
        /// Wherever points run, all values come together in the same way, and none is counted twice.
        #[test]
        fn it_does_not_matter_where_points_run(places in prop::collection::vec(0..5_usize, 1..70)) {
            let count = places.len();
            let one = |number: usize| Part::one(number, number.to_string());
            let mut parts: Vec<BTreeMap<usize, Part<String>>> = vec![BTreeMap::new(); 5];
            (0..count).for_each(|number| _ = parts[places[number]].insert(number, one(number)));
            // All locales tell each other their values.
            let folded = parts.iter().map(|parts| fold(parts.values().cloned(), count, combine));
            let all: BTreeMap<usize, Part<String>> = folded.flatten().map(|part| (part.first, part)).collect();
            prop_assert_eq!(only(fold(all.into_values(), count, combine), 0..count), halves(0, count));
            // Lower points are combined before higher ones.
            for number in (1..count).rev() {
                let (from, to) = (places[number], places[above(number).unwrap()]);
                if from != to {
                    let all = subtree(number, count);
                    let mut rest = parts[from].split_off(&number);
                    let mut others = rest.split_off(&all.end);
                    parts[from].append(&mut others);
                    let folded = fold(rest.into_values(), count, combine);
                    prop_assert_eq!(only(folded.clone(), all.clone()), halves(number, all.end));
                    parts[to].extend(folded.into_iter().map(|part| (part.first, part)));
                }
            }
            let root = core::mem::take(&mut parts[places[0]]);
            prop_assert!(parts.iter().all(BTreeMap::is_empty));
            prop_assert_eq!(only(fold(root.into_values(), count, combine), 0..count), halves(0, count));
        }
    }
}
