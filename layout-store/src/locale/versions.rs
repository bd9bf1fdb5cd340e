//! The newest versions of the elements of a root store, box by box: the locales that have them, if a [`Ledger`](super::Ledger) cannot tell
//! by arithmetic, and, on one locale, the instances, if [`Fresh`](super::fresh::Fresh) cannot.

use core::mem::take;
use std::collections::BTreeMap;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::geometry::{Boxes, Rect, RunList, Transform, for_each_batch};

/// Locales, or instances of one locale.
type Owners = SmallVec<[usize; 4]>;

/// Boxes of elements that were written together, so that they fail together, and a locale that has them.
pub(super) type Owned = (Box<[Rect]>, usize);

/// A disjoint cover of the written elements, with their owners.
#[derive(Default)]
pub(crate) struct Versions {
    parts: Boxes<Owners>,
    /// Scattered elements that locales have in addition: many boxes, which do not become parts one by one.
    scattered: Vec<Scattered>,
}

/// Scattered elements that were sent to a locale.
struct Scattered {
    /// The runs that were asked for, and their view; compared by identity.
    runs: Vec<Arc<RunList>>,
    transform: Arc<Transform>,
    /// The box around them in the root.
    hull: Rect,
    to: usize,
    /// The number of the read for which they were sent; on an instance, of the last read that used them.
    read: u64,
}

impl Scattered {
    /// Returns `true` if these are the runs and their view.
    fn is(&self, runs: &[Arc<RunList>], transform: &Arc<Transform>) -> bool {
        let alike = || self.runs.iter().zip(runs).all(|(known, runs)| Arc::ptr_eq(known, runs));
        self.runs.len() == runs.len() && alike() && Arc::ptr_eq(&self.transform, transform)
    }

    /// The elements in the root, as boxes. If there are too many boxes, neighbors are joined, with the elements between them.
    fn boxes(&self) -> Box<[Rect]> {
        let boxes: Vec<Rect> =
            self.runs.iter().flat_map(|runs| runs.iter()).map(|run| self.transform.root_rect(&run)).collect();
        let joined = boxes.len().div_ceil(MOST_BOXES).max(1);
        boxes.chunks(joined).filter_map(hull).collect()
    }
}

/// The largest number of boxes of one part in a message; of more, neighbors are joined, with the elements between them.
const MOST_BOXES: usize = 4096;
/// The largest number of lists of scattered elements that are kept, the newest ones; and the number of reads of scattered elements after
/// which a list is forgotten.
///
/// All locales number the reads of a root alike. An instance has lists that the locales have not, and the other way round. Both forget by
/// these numbers, and an instance begins anew with each read. So an instance has all elements that other locales no longer send.
const MOST_SCATTERED: usize = 64;

/// Returns `true` if elements that a read with number `read` got still count for the read with number `now`.
pub(super) fn still_counts(read: u64, now: u64) -> bool {
    now < read + MOST_SCATTERED as u64
}

impl Versions {
    /// Records that only these owners have the newest version of `rect`; the list may be empty.
    pub(crate) fn written(&mut self, rect: &Rect, owners: impl IntoIterator<Item = usize>) {
        if rect.is_empty() {
            return;
        }
        self.insert(rect, owners.into_iter().collect());
        self.scattered.retain(|scattered| !scattered.hull.overlaps(rect));
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.scattered.clear();
    }

    /// Records that `to` has the newest version of `rect`; nobody here had any of it.
    pub(super) fn arrived(&mut self, rect: &Rect, to: usize) {
        self.insert(rect, [to].into_iter().collect());
    }

    fn insert(&mut self, rect: &Rect, owners: Owners) {
        for number in self.parts.overlapping(rect) {
            self.take(number, rect);
        }
        if !owners.is_empty() {
            self.parts.insert(*rect, owners);
        }
    }

    /// Records that only the first owner of each part of `rect` has its newer version; returns the parts with these owners.
    pub(super) fn renewed(&mut self, rect: &Rect) -> Vec<(Rect, usize)> {
        let parts = self.parts.overlapping(rect).into_iter().map(|number| {
            let (part, owners) = self.parts.get(number);
            (part.intersection(rect), owners[0])
        });
        let parts: Vec<_> = parts.collect();
        parts.iter().for_each(|(part, first)| self.written(part, [*first]));
        parts
    }

    /// The first owner of `rect`, or of the first part of it that is known.
    pub(super) fn first_owner(&self, rect: &Rect) -> Option<usize> {
        Some(self.parts.get(*self.parts.overlapping(rect).first()?).1[0])
    }

    /// The elements of `rect` that `to` lacks, with their owners.
    pub(super) fn lacking(&self, rect: &Rect, to: usize) -> Vec<Owned> {
        let parts = self.parts.overlapping(rect).into_iter().map(|number| self.parts.get(number));
        let lacking = parts.filter(|(_, owners)| !owners.contains(&to));
        lacking.map(|(part, owners)| ([part.intersection(rect)].into(), owners[0])).collect()
    }

    /// The boxes of an owner that were written together, and its lists of scattered elements.
    pub(super) fn parts_of(&self, one: usize) -> Vec<Box<[Rect]>> {
        let parts = self.parts.iter().filter(|(_, _, owners)| owners.contains(&one));
        let parts = parts.map(|(_, rect, _)| [*rect].into());
        let lists = self.scattered.iter().filter(|scattered| scattered.to == one);
        let lists = lists.map(|scattered| self.beside_parts(one, &scattered.boxes()));
        parts.chain(lists).filter(|rects| !rects.is_empty()).collect()
    }

    /// The elements of some boxes that an owner has beside its parts: some of the scattered elements may be its own, which were not written
    /// together with those that were sent.
    fn beside_parts(&self, one: usize, boxes: &[Rect]) -> Box<[Rect]> {
        let mut beside = Vec::new();
        for rect in boxes {
            let mut rests = vec![*rect];
            self.parts.for_each_overlapping(rect, |_, part, owners| {
                if owners.contains(&one) {
                    rests = rests.iter().flat_map(|rest| rest.without(part)).collect();
                }
            });
            beside.extend(rests);
        }
        beside.into()
    }

    /// The owner to which these scattered elements were sent.
    pub(super) fn with_runs(&self, runs: &[Arc<RunList>], transform: &Arc<Transform>) -> Option<usize> {
        Some(self.scattered.iter().find(|scattered| scattered.is(runs, transform))?.to)
    }

    /// Returns `true` if an owner has scattered elements.
    pub(super) fn has_scattered(&self, one: usize) -> bool {
        self.scattered.iter().any(|scattered| scattered.to == one)
    }

    /// Returns `true` if an owner has any elements.
    pub(super) fn counts_on(&self, one: usize, within: &Rect) -> bool {
        let mut counts = self.has_scattered(one);
        if !counts {
            self.parts.for_each_overlapping(within, |_, _, owners| counts |= owners.contains(&one));
        }
        counts
    }

    /// The elements of `rect` that `to` lacks, with their owners; after this `to` has them.
    pub(crate) fn fetch(&mut self, rect: &Rect, to: usize) -> Vec<Owned> {
        let mut fetched = Vec::new();
        for number in self.parts.overlapping(rect) {
            let (part, owners) = self.parts.get(number);
            if owners.contains(&to) {
                continue;
            }
            let common = part.intersection(rect);
            fetched.push(([common].into(), owners[0]));
            if let Some(mut owners) = self.take(number, &common) {
                owners.push(to);
                self.parts.insert(common, owners);
            }
        }
        fetched
    }

    /// Records that an owner has everything that another one had, which has nothing any more.
    pub(super) fn pass_on(&mut self, from: usize, to: usize) {
        self.change_owners(|owners| pass(owners, from, to));
        self.scattered.iter_mut().filter(|scattered| scattered.to == from).for_each(|scattered| scattered.to = to);
    }

    /// Forgets the elements of an owner.
    pub(super) fn forget(&mut self, one: usize) {
        self.change_owners(|owners| owners.retain(|owner| *owner != one));
        self.scattered.retain(|scattered| scattered.to != one);
    }

    /// Forgets that others than the first owner of each part have it.
    pub(super) fn forget_fetched(&mut self) {
        self.change_owners(|owners| owners.truncate(1));
        self.scattered.clear();
    }

    /// Changes the owners of parts; parts without an owner are forgotten.
    fn change_owners(&mut self, change: impl Fn(&mut Owners)) {
        self.parts.values_mut().for_each(change);
        let alone = self.parts.iter().filter(|(_, _, owners)| owners.is_empty()).map(|(number, ..)| number);
        let alone: Vec<usize> = alone.collect();
        alone.into_iter().for_each(|number| drop(self.parts.remove(number)));
    }

    /// Removes from a part the elements that it has in common with `rect`, and returns its owners.
    fn take(&mut self, number: usize, rect: &Rect) -> Option<Owners> {
        let (part, owners) = self.parts.remove(number)?;
        for rest in part.without(rect) {
            self.parts.insert(rest, owners.clone());
        }
        Some(owners)
    }

    /// The elements of some runs, seen through a view, that `to` lacks, with their owners; after this `to` has them. In the root, the runs
    /// are in the box `hull`. This is the read of scattered elements with the number `now`.
    pub(crate) fn fetch_runs(
        &mut self,
        runs: Vec<Arc<RunList>>,
        view: (&Arc<Transform>, &Rect),
        (to, now): (usize, u64),
    ) -> Vec<Owned> {
        if self.known(&runs, view.0, (to, now)).is_some() {
            return Vec::new();
        }
        let fetched = self.lacking_runs(&runs, view.0, to);
        if self.scattered.len() == MOST_SCATTERED {
            self.scattered.remove(0);
        }
        self.push(runs, view, (to, now));
        fetched
    }

    /// The list of these runs that were sent to `to`, unless it is forgotten.
    fn known(
        &mut self,
        runs: &[Arc<RunList>],
        transform: &Arc<Transform>,
        (to, now): (usize, u64),
    ) -> Option<&mut Scattered> {
        self.scattered.retain(|known| still_counts(known.read, now));
        self.scattered.iter_mut().find(|known| known.to == to && known.is(runs, transform))
    }

    fn push(&mut self, runs: Vec<Arc<RunList>>, (transform, hull): (&Arc<Transform>, &Rect), (to, read): (usize, u64)) {
        if !hull.is_empty() {
            self.scattered.push(Scattered { runs, transform: transform.clone(), hull: *hull, to, read });
        }
    }

    /// The elements of some runs, seen through a view, that `to` lacks, with their owners.
    pub(super) fn lacking_runs(&self, runs: &[Arc<RunList>], transform: &Transform, to: usize) -> Vec<Owned> {
        // By the number of the part: elements that were written together are sent together.
        let mut lacking: BTreeMap<usize, Sent> = BTreeMap::new();
        for_each_batch(runs, 1, |run| {
            let rect = transform.root_rect(&run.hull());
            self.parts.for_each_overlapping(&rect, |number, part, owners| {
                if !owners.contains(&to) {
                    lacking.entry(number).or_insert_with(|| Sent::new(true)).push(part.intersection(&rect));
                }
            });
        });
        let of_part = |(number, sent): (usize, Sent)| {
            let (part, owners) = self.parts.get(number);
            (sent.boxes(part), owners[0])
        };
        lacking.into_iter().map(of_part).collect()
    }

    /// Records that `to` has some runs, seen through a view, after the read of scattered elements with the number `now`. This ends when
    /// the same elements are written that end it in [`fetch_runs`](Self::fetch_runs), and not before all locales forget it.
    pub(super) fn remember(
        &mut self,
        runs: Vec<Arc<RunList>>,
        view: (&Arc<Transform>, &Rect),
        (to, now): (usize, u64),
    ) {
        match self.known(&runs, view.0, (to, now)) {
            Some(known) => known.read = now,
            None => self.push(runs, view, (to, now)),
        }
    }
}

/// Puts an owner in the place of another one; each is there once.
fn pass(owners: &mut Owners, from: usize, to: usize) {
    owners.iter_mut().filter(|owner| **owner == from).for_each(|owner| *owner = to);
    let mut is_there = false;
    owners.retain(|owner| *owner != to || !core::mem::replace(&mut is_there, true));
}

/// Boxes of elements of a part that are sent together, in order. If there are too many, neighbors are joined, with the elements between them:
/// first as long as half of the elements of a joined box are asked for, and then by number.
pub(super) struct Sent {
    boxes: Vec<Rect>,
    may_join: bool,
    /// The elements in the last box that are asked for, once boxes are joined.
    asked: Option<i64>,
}

impl Sent {
    /// No boxes. If elements between them may not be sent, boxes are not joined.
    pub(super) fn new(may_join: bool) -> Self {
        Self { boxes: Vec::new(), may_join, asked: None }
    }

    pub(super) fn push(&mut self, rect: Rect) {
        if self.may_join && self.asked.is_none() && self.boxes.len() == MOST_BOXES {
            self.asked = Some(0);
            take(&mut self.boxes).iter().for_each(|rect| self.join(rect, rect.volume()));
        }
        match self.asked {
            Some(_) => self.join(&rect, rect.volume()),
            None => self.boxes.push(rect),
        }
    }

    /// Adds boxes with so many elements, within a box around all. They are computed if neighbors are not joined.
    pub(super) fn push_all(&mut self, around: &Rect, elements: i64, boxes: impl Iterator<Item = Rect>) {
        if self.asked.is_some() && around.volume() / 2 <= elements {
            self.join(around, elements);
        } else {
            boxes.for_each(|rect| self.push(rect));
        }
    }

    /// Joins a box, of which so many elements are asked for, to the last one; otherwise adds it.
    fn join(&mut self, rect: &Rect, elements: i64) {
        let with = self.asked.unwrap_or(0).saturating_add(elements);
        match self.boxes.last_mut().map(|last| (last.hull(rect), last)) {
            Some((hull, last)) if hull.volume() / 2 <= with => {
                *last = hull;
                self.asked = Some(with);
            }
            _ => {
                self.boxes.push(*rect);
                self.asked = Some(elements);
            }
        }
    }

    /// The boxes, which are in this part.
    pub(super) fn boxes(self, part: &Rect) -> Box<[Rect]> {
        if self.asked.is_none() {
            return self.boxes.into();
        }
        let joined = self.boxes.len().div_ceil(MOST_BOXES).max(1);
        // The box around some elements of a strided part may have others, so only elements of the part are taken.
        self.boxes.chunks(joined).filter_map(hull).map(|hull| hull.intersection(part)).collect()
    }
}

/// The smallest box around all of some boxes.
fn hull(rects: &[Rect]) -> Option<Rect> {
    rects.iter().copied().reduce(|a, b| a.hull(&b))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::geometry::{Point, runs_in};

    const SIDE: i64 = 6;
    const LOCALES: usize = 4;

    /// An act on versions.
    #[derive(Clone, Debug)]
    enum Act {
        /// Some locales write a box.
        Write(Rect, Vec<usize>),
        /// Everything is written by tiles of this number of indices along the first dimension, by one locale after another from this one
        /// on.
        WriteAll(i64, usize),
        /// A locale needs a box.
        Fetch(Rect, usize),
        /// A locale needs the indices in boxes for one point, and in others for another one, or the same as the last time.
        Runs([Vec<Rect>; 2], usize, bool),
        /// Everything that was sent is lost.
        Lose,
        /// Everything that one locale has is lost.
        LoseAll(usize),
        /// Everything that one locale has goes to another.
        PassOn(usize, usize),
    }

    fn rect(rank: usize) -> impl Strategy<Value = Rect> {
        prop::collection::vec((0..=SIDE, 0..=SIDE), rank).prop_map(|sides| {
            let lo: Point = sides.iter().map(|(a, b)| *a.min(b)).collect();
            Rect::new(lo, sides.iter().map(|(a, b)| *a.max(b)).collect())
        })
    }

    /// A box of `rect` with a step along each dimension.
    fn strided(rank: usize) -> impl Strategy<Value = Rect> {
        (rect(rank), prop::collection::vec(prop_oneof![Just(1), 1..4_i64], rank)).prop_map(|(rect, steps)| {
            steps.into_iter().enumerate().fold(rect, |rect, (dim, step)| rect.step(dim, step))
        })
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        (1..4_usize).prop_flat_map(|rank| {
            let owners = prop::sample::subsequence((0..LOCALES).collect::<Vec<_>>(), 1..=LOCALES).prop_shuffle();
            let runs = [(); 2].map(|()| prop::collection::vec(rect(rank), 0..3));
            let act = prop_oneof![
                (strided(rank), owners).prop_map(|(rect, owners)| Act::Write(rect, owners)),
                (1..=SIDE, 0..LOCALES).prop_map(|(side, first)| Act::WriteAll(side, first)),
                (strided(rank), 0..LOCALES).prop_map(|(rect, to)| Act::Fetch(rect, to)),
                (runs, 0..LOCALES, any::<bool>()).prop_map(|(runs, to, again)| Act::Runs(runs, to, again)),
                Just(Act::Lose),
                (0..LOCALES).prop_map(Act::LoseAll),
                (0..LOCALES, 1..LOCALES).prop_map(|(from, by)| Act::PassOn(from, (from + by) % LOCALES)),
            ];
            prop::collection::vec(act, 1..40)
        })
    }

    /// The locales that have each element that was written; the first one wrote it.
    type Elements = HashMap<Point, Vec<usize>>;

    /// Lists that were fetched, with the receiver, and whether nothing in their hull was written since.
    type Fetched = (Vec<Arc<RunList>>, usize, bool);

    fn boxes_of(lists: &[Arc<RunList>]) -> Vec<Rect> {
        lists.iter().flat_map(|list| list.iter()).collect()
    }

    /// A list of these runs.
    fn list_of(runs: impl IntoIterator<Item = [i64; 2]>) -> Arc<RunList> {
        RunList::of(1, runs.into_iter().map(|[from, to]| Rect::new([from].into(), [to].into()))).into()
    }

    /// The elements that are sent, each once, each by a locale that has it.
    fn sent(fetched: &[Owned], elements: &Elements) -> Result<Vec<Point>, TestCaseError> {
        let mut sent = Vec::new();
        for (rects, from) in fetched {
            for at in rects.iter().flat_map(|rect| rect.points()) {
                prop_assert!(elements.get(&at).is_some_and(|owners| owners.contains(from)), "{} has no {}", from, at);
                sent.push(at);
            }
        }
        sent.sort_unstable();
        Ok(sent)
    }

    /// The elements of boxes that a locale lacks.
    fn lacking(rects: &[Rect], to: usize, elements: &Elements) -> Vec<Point> {
        let all = rects.iter().flat_map(|rect| rect.points());
        let lacks = |at: &Point| elements.get(at).is_some_and(|owners| !owners.contains(&to));
        let mut lacking: Vec<Point> = all.filter(lacks).collect();
        lacking.sort_unstable();
        lacking.dedup();
        lacking
    }

    proptest! {
        /// Each element that a locale lacks is sent to it once, by one that has it, and no other element is sent.
        #[test]
        fn what_is_lacking_is_sent_once(acts in acts()) {
            let rank = acts.iter().find_map(|act| match act {
                Act::Write(rect, _) | Act::Fetch(rect, _) => Some(rect.rank()),
                Act::Runs(boxes, ..) => boxes.iter().flatten().next().map(Rect::rank),
                Act::WriteAll(..) | Act::Lose | Act::LoseAll(_) | Act::PassOn(..) => None,
            });
            let rank = rank.unwrap_or(1);
            let identity = Arc::new(Transform::identity(Point::splat(rank, SIDE)).unwrap());
            let (mut versions, mut elements) = (Versions::default(), Elements::new());
            let mut lists: Vec<Fetched> = Vec::new();
            for act in acts {
                match act {
                    Act::Write(rect, owners) => {
                        elements.extend(rect.points().map(|at| (at, owners.clone())));
                        for (list, _, known) in &mut lists {
                            *known &= !hull(&boxes_of(list)).is_some_and(|hull| hull.overlaps(&rect));
                        }
                        versions.written(&rect, owners);
                    }
                    Act::WriteAll(side, first) => {
                        let whole = Rect::of(Point::splat(rank, SIDE));
                        let tile = |at: i64| {
                            let lo = whole.lo().with(0, at * side);
                            Rect::new(lo, whole.hi().with(0, (at + 1) * side)).intersection(&whole)
                        };
                        // The last ones may be empty.
                        versions.clear();
                        for number in 0..SIDE {
                            let (tile, owner) = (tile(number), (first + usize::try_from(number).unwrap()) % LOCALES);
                            elements.extend(tile.points().map(|at| (at, vec![owner])));
                            versions.written(&tile, [owner]);
                        }
                        lists.iter_mut().for_each(|(_, _, known)| *known = false);
                    }
                    Act::Lose => {
                        versions.forget_fetched();
                        elements.values_mut().for_each(|owners| owners.truncate(1));
                        lists.iter_mut().for_each(|(_, _, known)| *known = false);
                    }
                    Act::LoseAll(one) => {
                        versions.forget(one);
                        elements.values_mut().for_each(|owners| owners.retain(|owner| *owner != one));
                        elements.retain(|_, owners| !owners.is_empty());
                        lists.iter_mut().for_each(|(_, to, known)| *known &= *to != one);
                    }
                    Act::PassOn(from, to) => {
                        versions.pass_on(from, to);
                        for owners in elements.values_mut() {
                            let passed = owners.iter().map(|owner| if *owner == from { to } else { *owner });
                            let mut each = Vec::new();
                            passed.for_each(|owner| if !each.contains(&owner) { each.push(owner) });
                            *owners = each;
                        }
                        lists.iter_mut().filter(|(_, to, _)| *to == from).for_each(|(_, owner, _)| *owner = to);
                        prop_assert!(versions.parts_of(from).is_empty());
                    }
                    Act::Fetch(rect, to) => {
                        let told: Vec<Point> = sent(&versions.lacking(&rect, to), &elements)?;
                        prop_assert_eq!(told, lacking(&[rect], to, &elements));
                        let found = sent(&versions.fetch(&rect, to), &elements)?;
                        prop_assert_eq!(found, lacking(&[rect], to, &elements));
                        for at in rect.points() {
                            elements.entry(at).and_modify(|owners| if !owners.contains(&to) { owners.push(to) });
                        }
                        prop_assert!(versions.fetch(&rect, to).is_empty());
                    }
                    Act::Runs(boxes, to, again) => {
                        let runs = |boxes: Vec<Rect>| {
                            runs_in(boxes.into_iter().filter(|rect| rect.rank() == rank), Point::splat(rank, SIDE)).unwrap()
                        };
                        let (list, to, known) = match lists.last() {
                            Some(last) if again => last.clone(),
                            _ => (boxes.map(runs).to_vec(), to, false),
                        };
                        let around = hull(&boxes_of(&list)).unwrap_or(Rect::of(Point::splat(rank, 0)));
                        // Few enough that none is forgotten.
                        let reads = lists.len() as u64;
                        let found =
                            sent(&versions.fetch_runs(list.clone(), (&identity, &around), (to, reads)), &elements)?;
                        // The map of versions does not know lists, so elements that are in two of them are sent twice.
                        let expected = if known { Vec::new() } else { lacking(&boxes_of(&list), to, &elements) };
                        prop_assert_eq!(found, expected);
                        let known = !around.is_empty();
                        lists.push((list, to, known));
                    }
                }
            }
        }
    }

    /// The boxes that are sent for every `step`-th one of many elements.
    fn sent_of_many(step: i64) -> Box<[Rect]> {
        let many = 3 * MOST_BOXES as i64;
        let identity = Arc::new(Transform::identity([step * many].into()).unwrap());
        let list = list_of((0..many).map(|at| [step * at, step * at + 1]));
        let all = Rect::of([step * many].into());
        let mut versions = Versions::default();
        versions.written(&all, [0]);
        let fetched = versions.fetch_runs(vec![list.clone()], (&identity, &all), (1, 0));
        let [(rects, 0)] = &fetched[..] else { panic!("one message from the one that has all") };
        assert!(list.iter().all(|run| rects.iter().any(|rect| rect.covers(&run))));
        rects.clone()
    }

    #[test]
    fn many_boxes_are_joined_to_few() {
        assert_eq!(sent_of_many(3).len(), MOST_BOXES);
        // Half of the elements are needed.
        assert_eq!(*sent_of_many(2), [Rect::of([6 * MOST_BOXES as i64 - 1].into())]);
    }

    /// A diagonal is not joined to a square.
    #[test]
    fn joined_boxes_have_few_elements_between() {
        let many = 2 * MOST_BOXES as i64;
        let rows: Vec<Rect> = (0..many).map(|at| Rect::new([at, at].into(), [at + 1, at + 8].into())).collect();
        let mut sent = Sent::new(true);
        rows.iter().for_each(|row| sent.push(*row));
        let sent = sent.boxes(&Rect::of([many, many + 8].into()));
        assert!(sent.len() <= MOST_BOXES && rows.iter().all(|row| sent.iter().any(|rect| rect.overlaps(row))));
        assert!(sent.iter().map(Rect::volume).sum::<i64>() <= 4 * 8 * many);
    }

    #[test]
    fn a_list_is_sent_to_each_locale_once() {
        let identity = Arc::new(Transform::identity([100].into()).unwrap());
        let mut versions = Versions::default();
        versions.written(&Rect::of([100].into()), [0]);
        let list = list_of([[0, 3]]);
        let mut is_sent =
            |to| !versions.fetch_runs(vec![list.clone()], (&identity, &Rect::of([3].into())), (to, 0)).is_empty();
        assert_eq!([1, 2, 1, 2].map(&mut is_sent), [true, true, false, false]);
    }

    #[test]
    fn old_lists_are_forgotten() {
        let identity = Arc::new(Transform::identity([100].into()).unwrap());
        let mut versions = Versions::default();
        versions.written(&Rect::of([100].into()), [0]);
        let lists: Vec<Arc<RunList>> = (0..=MOST_SCATTERED as i64).map(|at| list_of([[at, at + 1]])).collect();
        let all = Rect::of([100].into());
        let mut is_sent = |list: &Arc<RunList>, now: u64| {
            !versions.fetch_runs(vec![list.clone()], (&identity, &all), (1, now)).is_empty()
        };
        assert!(lists.iter().all(|list| is_sent(list, 0)));
        assert!(!is_sent(&lists[MOST_SCATTERED], 0) && !is_sent(&lists[1], 0));
        assert!(is_sent(&lists[0], 0));
    }

    /// An instance that uses a list keeps it, and has no more lists than there were reads; the locales forget it after some reads.
    #[test]
    fn locales_forget_lists_before_instances_do() {
        let identity = Arc::new(Transform::identity([100].into()).unwrap());
        let all = Rect::of([100].into());
        let [mut locales, mut instances] = [Versions::default(), Versions::default()];
        locales.written(&all, [0]);
        let list = |at: i64| vec![list_of([[at, at + 1]])];
        let used = list(99);
        for now in 0..1000 {
            let runs = if now % 50 == 0 { used.clone() } else { list(now % 90) };
            let is_used = now % 50 == 0;
            let is_sent = !locales.fetch_runs(runs.clone(), (&identity, &all), (1, now as u64)).is_empty();
            let is_known = instances.with_runs(&used, &identity).is_some();
            assert!(!is_used || is_sent || is_known, "read {now}");
            assert_eq!(is_used && is_sent, now % 100 == 0, "read {now}");
            instances.remember(runs, (&identity, &all), (7, now as u64));
            assert!(instances.scattered.len() <= MOST_SCATTERED);
        }
    }
}
