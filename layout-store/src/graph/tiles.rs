//! Boxes of elements, one for each point of a launch.

use core::hash::{Hash, Hasher};
use core::slice;
use std::sync::{Arc, OnceLock};

use super::written::Written;
use crate::geometry::{BoxList, Grid, Point, Rect};
use crate::sync::Mutex;

/// The elements of a store that the points of a launch use. It is shared by all its users, since it may be large.
pub(crate) struct Tiles {
    form: Form,
    /// The smallest box around all boxes.
    pub(super) hull: Rect,
    /// `true` if the sum of their volumes is that of the hull: disjoint boxes then are the whole hull.
    pub(super) full: bool,
    /// `true` if most elements are in many boxes.
    deep: bool,
    /// `true` if they may overlap even if they are written, since all belong to one point.
    pub(super) scattered: bool,
    /// The last result of [`only`](Self::only), and its numbers.
    some: Mutex<Option<Box<Part>>>,
}

enum Form {
    /// The hull.
    One,
    List(Arc<BoxList>),
    /// Boxes by arithmetic, in a few words, for users that ask for a few of many.
    Grid(Box<Arithmetic>),
    /// The numbers of some points, their boxes, and the number of all points. The boxes of the other points are not known here, and count
    /// as empty. The last field is the list of all.
    Some(Box<[usize]>, Box<BoxList>, usize, OnceLock<Arc<BoxList>>),
}

/// A grid; the first boxes of it that were asked for; and the list, for users that go through all.
struct Arithmetic {
    grid: Grid,
    first: First,
    list: OnceLock<Arc<BoxList>>,
}

/// The boxes of a grid that were asked for first, with their numbers. A locale asks for the box with the lowest number and for those of its
/// points again and again, at each launch; arithmetic takes a sixth of the time of a small launch.
#[derive(Default)]
struct First([OnceLock<(usize, Rect)>; 2]);

impl First {
    fn rect(&self, grid: &Grid, number: usize) -> Rect {
        let known = |one: &OnceLock<(usize, Rect)>| {
            let (of, rect) = one.get_or_init(|| (number, grid.rect(number)));
            (*of == number).then_some(*rect)
        };
        self.0.iter().find_map(known).unwrap_or_else(|| grid.rect(number))
    }
}

/// Some of the boxes, and their numbers.
type Part = (Box<[usize]>, Arc<Tiles>);

/// Boxes overlap many others if their volumes together are that of the box around them so many times.
const DEEP: i64 = 16;

impl Tiles {
    /// Boxes with their hull, and the sum of their volumes.
    fn new(form: Form, hull: Rect, volume: i64) -> Self {
        let (full, deep) = (volume == hull.volume(), volume / DEEP > hull.volume());
        Self { form, hull, full, deep, scattered: false, some: Mutex::default() }
    }

    pub(crate) fn one(rect: Rect) -> Self {
        Self { form: Form::One, hull: rect, full: true, deep: false, scattered: false, some: Mutex::default() }
    }

    /// Boxes that belong to one point; they may overlap.
    pub(crate) fn scattered(rects: &[Rect]) -> Self {
        let several = rects.len() > 1;
        Self { full: !several, scattered: several, ..rects.iter().copied().collect() }
    }

    /// The boxes of some of `count` points, by their numbers in ascending order; all have this rank.
    pub(crate) fn some(boxes: impl IntoIterator<Item = (usize, Rect)>, count: usize, rank: usize) -> Self {
        let (numbers, rects): (Vec<usize>, Vec<Rect>) = boxes.into_iter().unzip();
        let list = BoxList::new(rects, rank);
        let hull = *list.hull();
        Self { full: false, ..Self::new(Form::Some(numbers.into(), list.into(), count, OnceLock::new()), hull, 0) }
    }

    /// The elements of all boxes, which may overlap, as the tiles of one point: one box, if they are all of the box around them.
    pub(crate) fn joined(&self) -> Self {
        let (hull, mut written) = (self.hull, Written::new(self.hull.hi()));
        if self.iter().any(|rect| rect == hull) {
            return Self::one(hull);
        }
        self.iter().for_each(|rect| written.note(&rect));
        if written.gap(&hull).is_none() { Self::one(hull) } else { Self::scattered(self.rects()) }
    }

    /// Applies `f` to each box.
    pub(crate) fn map(&self, f: impl Fn(&Rect) -> Rect) -> Self {
        if let Form::Some(numbers, list, count, _) = &self.form {
            return Self::some(numbers.iter().copied().zip(list.rects().iter().map(&f)), *count, f(&self.hull).rank());
        }
        if self.len() == 1 { Self::one(f(&self.rect(0))) } else { self.iter().map(|rect| f(&rect)).collect() }
    }

    /// The parts of these disjoint boxes in `rect`.
    pub(crate) fn within(&self, rect: &Rect) -> Self {
        let cut: Self = self.iter().map(|tile| tile.intersection(rect)).collect();
        // The hull of single elements need not have the steps of the box. Boxes with steps need not have all of a box without.
        if self.full && self.hull.covers(rect) { Self { hull: *rect, full: true, ..cut } } else { cut }
    }

    /// The number of boxes.
    pub(crate) fn len(&self) -> usize {
        match &self.form {
            Form::One => 1,
            Form::List(list) => list.rects().len(),
            Form::Grid(all) => all.grid.count(),
            Form::Some(.., count, _) => *count,
        }
    }

    /// The box with a number.
    #[inline]
    pub(crate) fn rect(&self, number: usize) -> Rect {
        match &self.form {
            Form::One => {
                assert!(number == 0, "there is one box, and none with number {number}");
                self.hull
            }
            Form::List(list) => list.rects()[number],
            Form::Grid(all) => all.first.rect(&all.grid, number),
            Form::Some(numbers, list, ..) => match numbers.binary_search(&number) {
                Ok(at) => list.rects()[at],
                Err(_) => Rect::of(Point::splat(self.hull.rank(), 0)),
            },
        }
    }

    /// All boxes, one after another.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Rect> + '_ {
        (0..self.len()).map(|number| self.rect(number))
    }

    /// All boxes, in a list that is made once.
    #[inline]
    pub(crate) fn rects(&self) -> &[Rect] {
        self.list().map_or(slice::from_ref(&self.hull), |list| list.rects())
    }

    /// The list of all boxes, which is made once; `None` if there is one box, the hull.
    #[inline]
    pub(crate) fn list(&self) -> Option<&Arc<BoxList>> {
        let all = || BoxList::new(self.iter().collect(), self.hull.rank()).into();
        match &self.form {
            Form::One => None,
            Form::List(list) => Some(list),
            Form::Grid(one) => Some(one.list.get_or_init(all)),
            Form::Some(.., list) => Some(list.get_or_init(all)),
        }
    }

    /// The grid, if the boxes are given by arithmetic.
    pub(crate) fn grid(&self) -> Option<&Grid> {
        match &self.form {
            Form::One | Form::List(_) | Form::Some(..) => None,
            Form::Grid(all) => Some(&all.grid),
        }
    }

    /// The boxes with these numbers. The same numbers return the same list, so that results that are kept for it are found.
    pub(crate) fn only(self: &Arc<Self>, numbers: impl ExactSizeIterator<Item = usize> + Clone) -> Arc<Self> {
        if numbers.len() == self.len() && numbers.clone().eq(0..self.len()) {
            return self.clone();
        }
        let mut some = self.some.lock();
        if let Some((known, tiles)) = some.as_deref()
            && numbers.clone().eq(known.iter().copied())
        {
            return tiles.clone();
        }
        let tiles: Arc<Self> = Arc::new(numbers.clone().map(|number| self.rect(number)).collect());
        *some = Some(Box::new((numbers.collect(), tiles.clone())));
        tiles
    }

    /// The smallest box around all boxes.
    pub(crate) fn hull(&self) -> &Rect {
        &self.hull
    }

    /// Returns `true` if the boxes are disjoint and together are `rect`.
    pub(crate) fn are_all_of(&self, rect: &Rect) -> bool {
        self.full && !self.scattered && self.hull == *rect
    }

    /// Calls `f` for each box that overlaps `rect`, with its number, in any order.
    pub(crate) fn for_each_overlapping(&self, rect: &Rect, mut f: impl FnMut(usize, &Rect)) {
        match &self.form {
            Form::One if self.hull.overlaps(rect) => f(0, &self.hull),
            Form::One => {}
            Form::List(list) => list.for_each_overlapping(rect, f),
            Form::Grid(all) => all.grid.for_each_overlapping(rect, f),
            Form::Some(numbers, list, ..) => list.for_each_overlapping(rect, |at, other| f(numbers[at], other)),
        }
    }

    /// Returns `true` if some box overlaps `rect`.
    pub(super) fn overlaps(&self, rect: &Rect) -> bool {
        self.list().map_or_else(|| self.hull.overlaps(rect), |list| list.overlaps(rect))
    }

    /// Returns `true` if a box overlaps many others: then it is better to search only the boxes that a user asks for.
    pub(crate) fn are_deep(&self) -> bool {
        self.deep
    }

    /// The lowest number above `above` of a box that overlaps `rect`.
    fn first_overlapping(&self, rect: &Rect, above: Option<usize>) -> Option<usize> {
        let mut first = None;
        self.for_each_overlapping(rect, |number, _| {
            if above.is_none_or(|above| number > above) && first.is_none_or(|first| number < first) {
                first = Some(number);
            }
        });
        first
    }

    /// A point of each whose boxes overlap, and the common elements.
    pub(crate) fn overlap(&self, other: &Self) -> Option<(usize, usize, Rect)> {
        if !self.hull.overlaps(&other.hull) {
            return None;
        }
        self.iter().enumerate().find_map(|(i, rect)| {
            let j = other.first_overlapping(&rect, None)?;
            Some((i, j, rect.intersection(&other.rect(j))))
        })
    }

    /// Two points whose boxes overlap, and the common elements.
    pub(crate) fn own_overlap(&self) -> Option<(usize, usize, Rect)> {
        if self.len() == 1 || self.grid().is_some_and(Grid::is_disjoint) {
            return None;
        }
        self.iter().enumerate().find_map(|(i, rect)| {
            let j = self.first_overlapping(&rect, Some(i))?;
            Some((i, j, rect.intersection(&self.rect(j))))
        })
    }
}

impl FromIterator<Rect> for Tiles {
    /// # Panics
    ///
    /// Panics if there is no box.
    fn from_iter<T: IntoIterator<Item = Rect>>(rects: T) -> Self {
        let mut rects = rects.into_iter();
        let first = rects.next().unwrap_or_else(|| panic!("a launch has a point"));
        let Some(second) = rects.next() else { return Self::one(first) };
        let list = BoxList::new([first, second].into_iter().chain(rects).collect(), first.rank());
        let volume = list.rects().iter().fold(0_i64, |sum, rect| sum.saturating_add(rect.volume()));
        let hull = *list.hull();
        Self::new(Form::List(list.into()), hull, volume)
    }
}

impl From<Grid> for Tiles {
    fn from(grid: Grid) -> Self {
        let (hull, volume) = (grid.hull(), grid.volume());
        Self::new(
            Form::Grid(Box::new(Arithmetic { grid, first: First::default(), list: OnceLock::new() })),
            hull,
            volume,
        )
    }
}

/// Hashes the boxes; equal boxes in a list and in a grid have different hashes.
impl Hash for Tiles {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.form {
            Form::One | Form::List(_) => self.rects().hash(state),
            Form::Grid(all) => all.grid.hash(state),
            Form::Some(numbers, list, ..) => (numbers, list.rects()).hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIDE: i64 = 9;
    /// About this number of boxes.
    const FEW: usize = 16;

    /// Boxes, some of them empty or strided, fewer and more than are searched one by one.
    fn rects() -> impl Strategy<Value = Vec<Rect>> {
        let side = || (0..=SIDE, 0..=SIDE, 1..4_i64);
        let rect = [side(), side()].prop_map(|sides| {
            let corner = |f: fn(i64, i64) -> i64| -> Point { sides.iter().map(|(a, b, _)| f(*a, *b)).collect() };
            let rect = Rect::new(corner(i64::min), corner(i64::max));
            rect.step(0, sides[0].2).step(1, sides[1].2)
        });
        prop_oneof![1..4_usize, FEW - 1..FEW + 2, 1..3 * FEW]
            .prop_flat_map(move |count| prop::collection::vec(rect.clone(), count))
    }

    proptest! {
        #[test]
        fn boxes_that_overlap_are_found_as_in_a_list((some, others) in (rects(), rects())) {
            let tiles: Tiles = some.iter().copied().collect();
            for rect in &others {
                let mut found = Vec::new();
                tiles.for_each_overlapping(rect, |number, other| found.push((number, *other)));
                found.sort_unstable_by_key(|(number, _)| *number);
                let expected: Vec<_> = some.iter().copied().enumerate().filter(|(_, other)| other.overlaps(rect)).collect();
                prop_assert_eq!(&found, &expected);
                prop_assert_eq!(tiles.overlaps(rect), !expected.is_empty());
            }
            let (list, other) = (BoxList::new(some.clone(), 2), BoxList::new(others.clone(), 2));
            prop_assert_eq!(list.meets(&other), some.iter().any(|a| others.iter().any(|b| a.overlaps(b))));
            let pairs = |b: &[Rect]| {
                let all = some.iter().enumerate().flat_map(|(i, a)| b.iter().enumerate().map(move |(j, b)| (i, j, *a, *b)));
                all.filter(|(_, _, a, b)| a.overlaps(b)).map(|(i, j, a, b)| (i, j, a.intersection(&b))).collect::<Vec<_>>()
            };
            prop_assert_eq!(tiles.overlap(&others.iter().copied().collect()), pairs(&others).first().copied());
            prop_assert_eq!(tiles.own_overlap(), pairs(&some).into_iter().find(|(i, j, _)| i < j));
        }

        #[test]
        fn what_is_said_of_all_boxes_is_right(rects in rects()) {
            let tiles: Tiles = rects.iter().copied().collect();
            prop_assert!(rects.iter().all(|rect| tiles.hull.covers(rect)));
            let volume: i64 = rects.iter().map(Rect::volume).sum();
            prop_assert_eq!((tiles.full, tiles.scattered), (volume == tiles.hull.volume(), false));
            let one = Tiles::one(rects[0]);
            prop_assert_eq!((one.hull, one.full, one.scattered, one.len()), (rects[0], true, false, 1));
            // Several boxes of one point may overlap, so they need not be the whole hull, even with as many elements as the hull.
            let scattered = Tiles::scattered(&rects);
            prop_assert_eq!((scattered.full, scattered.scattered), (rects.len() == 1, rects.len() > 1));
            prop_assert_eq!((scattered.rects(), scattered.hull), (tiles.rects(), tiles.hull));
            let all = tiles.hull.points().all(|at| rects.iter().any(|rect| rect.contains(&at)));
            let joined = tiles.joined();
            prop_assert_eq!((joined.hull, joined.full, joined.len() == 1), (tiles.hull, all, all || rects.len() == 1));
        }
    }

    /// Every second element, in two boxes; single elements may have a hull with those between.
    #[test]
    fn parts_of_boxes_with_steps_are_all_of_boxes_with_these_steps_only() {
        let line = |lo: i64, hi: i64| Rect::new([lo].into(), [hi].into());
        let every_second = |lo, hi| line(lo, hi).step(0, 2);
        let tiles: Tiles = [every_second(0, 30), every_second(30, 60)].into_iter().collect();
        assert!(tiles.are_all_of(&every_second(0, 60)));
        let few = tiles.within(&line(0, 3));
        assert!(few.rects().iter().map(Rect::volume).eq([2, 0]) && !few.are_all_of(&line(0, 3)));
        assert!(tiles.within(&every_second(20, 40)).are_all_of(&every_second(20, 40)));
        let all: Tiles = [line(0, 30), line(30, 60)].into_iter().collect();
        assert!(all.within(&every_second(20, 40)).are_all_of(&every_second(20, 40)));
    }

    #[test]
    fn the_same_tiles_are_the_same_list() {
        let tiles: Arc<Tiles> = Arc::new((0..5).map(|at| Rect::new([at].into(), [at + 1].into())).collect());
        assert!(Arc::ptr_eq(&tiles, &tiles.only(0..5)));
        let some = tiles.only([1, 3].into_iter());
        assert_eq!(*some.rects(), [tiles.rect(1), tiles.rect(3)]);
        assert!(Arc::ptr_eq(&some, &tiles.only([1, 3].into_iter())));
        let others = tiles.only(1..4);
        assert_eq!(*others.rects(), tiles.rects()[1..4]);
        assert!(Arc::ptr_eq(&others, &tiles.only(1..4)));
        assert_eq!(tiles.only([1, 3].into_iter()).rects(), some.rects());
        assert_eq!(*tiles.only([0, 1, 2, 4, 4].into_iter()).rects(), [0, 1, 2, 4, 4].map(|at| tiles.rect(at)));
        // Locales tell each other a hash of the tiles of a launch.
        let hash = |tiles: &Tiles| crate::locale::fingerprint(tiles);
        assert_eq!(hash(&some), hash(&tiles.rects().iter().copied().skip(1).step_by(2).collect()));
        assert_ne!(hash(&some), hash(&others));
    }
}
