//! What a launch sends: elements that a point needs and its locale lacks, and contributions of points.

use core::any::Any;
use core::ops::Range;
use std::sync::Arc;

use super::claim::{Claim, enlist};
use super::history::Order;
use super::net::{Net, Parcel, Tag};
use super::versions::Owned;
use super::{Locale, Root};
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, Node, Row, TaskBodyError, TaskError, Tiles, caught};

/// The locale of point `number` of a launch of `points`: neighbours go together.
pub(crate) fn place(number: usize, points: usize, locales: usize) -> usize {
    if points < locales { number } else { number * locales / points }
}

/// The numbers of the points of a launch of `points` that are at `locale`: those of which [`place`] says so.
pub(crate) fn points_at(locale: usize, points: usize, locales: usize) -> Range<usize> {
    if points < locales {
        return locale.min(points)..(locale + 1).min(points);
    }
    (locale * points).div_ceil(locales)..((locale + 1) * points).div_ceil(locales)
}

/// Sends elements.
struct Pack {
    root: Arc<Root>,
    rects: Box<[Rect]>,
    route: Route,
}

/// Receives elements.
struct Unpack {
    root: Arc<Root>,
    rects: Box<[Rect]>,
    route: Route,
}

/// The way of a message.
struct Route {
    net: Arc<Net>,
    from: usize,
    to: usize,
    tag: Tag,
    /// The hash of the operation.
    hash: u64,
}

impl Route {
    fn send(&self, content: Result<(Box<dyn Any + Send>, usize), Cause>) -> Result<(), Cause> {
        let (data, bytes) = content?;
        self.net.post(self.from, self.to, self.tag, self.hash, Parcel::Data(data, bytes));
        Ok(())
    }

    fn fail(&self, fault: &TaskError) {
        self.net.post(self.from, self.to, self.tag, self.hash, Parcel::Fault(fault.clone()));
    }

    fn receive(&self) -> Result<Box<dyn Any + Send>, Cause> {
        match self.net.take(self.to, self.tag, self.hash) {
            Some(Parcel::Data(data, _)) => Ok(data),
            Some(Parcel::Fault(fault)) => Err(Cause::Before(fault)),
            None => Err(Cause::Error(TaskBodyError::new(
                "no message came from this operation on another locale: its program did another one, or ended",
            ))),
        }
    }
}

impl Body for Pack {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| self.route.send((self.root.mover.pack)(&self.root, &self.rects)))
    }

    fn failed(&self, _: usize, fault: &TaskError) {
        self.route.fail(fault);
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("send".to_owned(), Point::EMPTY)
    }
}

impl Body for Unpack {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| (self.root.mover.unpack)(&self.root, &self.rects, self.route.receive()?))
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("receive".to_owned(), Point::EMPTY)
    }
}

/// Puts into the graph what locales must send each other so that each point has what it reads, and takes note of who has
/// what then. Gives the bytes that are sent by all locales together.
///
/// `number` is the first number for messages and nodes that this operation has not used; the nodes, which the caller starts,
/// are put into `nodes`.
pub(crate) fn transfers(
    locale: &Arc<Locale>,
    order: Order,
    claims: &[Claim],
    place: &dyn Fn(usize) -> usize,
    (number, nodes): (&mut usize, &mut Vec<Arc<Node>>),
) -> u64 {
    let Some(net) = &locale.net else { return 0 };
    let mut bytes = 0;
    for claim in claims.iter().filter(|claim| claim.read) {
        let mut versions = claim.root.versions.lock();
        let fetched: Vec<(usize, Vec<Owned>)> = match &claim.runs {
            None => {
                let rects = claim.tiles.rects.iter().enumerate();
                rects.map(|(point, rect)| (place(point), versions.fetch(rect, place(point)))).collect()
            }
            Some(runs) => {
                let of = |to| runs.of.iter().enumerate().filter(move |(point, _)| place(*point) == to);
                let of = |to| of(to).map(|(_, runs)| runs.clone()).collect();
                (0..locale.count).map(|to| (to, versions.fetch_runs(of(to), &runs.transform, to))).collect()
            }
        };
        for (to, fetched) in fetched {
            for (rects, from) in fetched {
                let root = claim.root.clone();
                let tag = (order.number, *number);
                *number += 1;
                let elements: i64 = rects.iter().map(Rect::volume).sum();
                bytes += u64::try_from(elements).unwrap_or(0) * root.element as u64;
                let send = from == locale.number;
                if !send && to != locale.number {
                    continue;
                }
                let claim = Claim::new(&root, Tiles::scattered(&rects), (send, !send));
                let nodes_of_boxes = rects.len();
                let route = Route { net: net.clone(), from, to, tag, hash: order.hash };
                let body: Arc<dyn Body> =
                    if send { Arc::new(Pack { root, rects, route }) } else { Arc::new(Unpack { root, rects, route }) };
                let node = Node::new(tag.0, tag.1, body);
                if !send {
                    net.expect(to, tag, &locale.engine, &node);
                }
                locale.engine.count(1);
                enlist(&[claim], &vec![node.clone(); nodes_of_boxes].into());
                nodes.push(node);
            }
        }
    }
    bytes
}

/// What points contribute, one by one.
pub(crate) trait Parts: Send + Sync {
    /// The contribution of a point, to be sent, and its size; to several locales, if it is not taken.
    fn give(&self, number: usize, take: bool) -> (Box<dyn Any + Send>, usize);

    /// Keeps the contribution of a point that ran elsewhere.
    fn put(&self, number: usize, contribution: Box<dyn Any + Send>);
}

struct Ship {
    parts: Arc<dyn Parts>,
    number: usize,
    take: bool,
    route: Route,
}

struct Deposit {
    parts: Arc<dyn Parts>,
    number: usize,
    route: Route,
}

impl Body for Ship {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| self.route.send(Ok(self.parts.give(self.number, self.take))))
    }

    fn failed(&self, _: usize, fault: &TaskError) {
        self.route.fail(fault);
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("send a contribution".to_owned(), Point::EMPTY)
    }
}

impl Body for Deposit {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| {
            self.parts.put(self.number, self.route.receive()?);
            Ok(())
        })
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("receive a contribution".to_owned(), Point::EMPTY)
    }
}

/// Puts into the graph what brings the contributions of all points to one locale, or to all, and gives the nodes after which
/// they are here. `points_here` are the points that run here.
pub(crate) fn deliver(
    locale: &Arc<Locale>,
    order: Order,
    parts: &Arc<dyn Parts>,
    everywhere: bool,
    (points, points_here): (usize, &[Arc<Node>]),
    (number, nodes): (&mut usize, &mut Vec<Arc<Node>>),
) -> Vec<Arc<Node>> {
    let mut here: Vec<Arc<Node>> = points_here.to_vec();
    let Some(net) = &locale.net else { return here };
    let first = *number;
    *number += points * locale.count;
    let me = locale.number;
    for number in 0..points {
        let from = place(number, points, locale.count);
        let targets = if everywhere { 0..locale.count } else { 0..1 };
        for to in targets.filter(|to| *to != from) {
            let tag = (order.number, first + number * locale.count + to);
            let route = Route { net: net.clone(), from, to, tag, hash: order.hash };
            let parts = parts.clone();
            if from == me {
                let node = Node::new(tag.0, tag.1, Arc::new(Ship { parts, number, take: !everywhere, route }));
                if let Some(point) = points_here.iter().find(|point| point.order.1 == number) {
                    node.after(point, Edge::Data);
                }
                // What is sent must be there until then.
                if everywhere {
                    here.push(node.clone());
                }
                locale.engine.count(1);
                nodes.push(node);
            } else if to == me {
                let node = Node::new(tag.0, tag.1, Arc::new(Deposit { parts, number, route }));
                net.expect(to, tag, &locale.engine, &node);
                locale.engine.count(1);
                here.push(node.clone());
                nodes.push(node);
            }
        }
    }
    here
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_at_a_locale_are_those_that_are_placed_there() {
        for (points, locales) in (0..30).flat_map(|points| (1..9).map(move |locales| (points, locales))) {
            for locale in 0..locales {
                let placed = (0..points).filter(|number| place(*number, points, locales) == locale);
                assert!(points_at(locale, points, locales).eq(placed), "{points} points on {locales} locales");
            }
        }
    }
}
