//! An index of many boxes, which finds the boxes that overlap a given one.
//!
//! ```text
//! class    boxes of about the same extents, by the powers of two that they fit into: a box of [3, 100] is of class [4, 128]
//! cell     the cell of the first index of a box, in a grid of cells of the size of its class
//! find     for each class, the boxes in the cells that a box which overlaps may start in: about three for each dimension
//! ```
//!
//! 1. A box is in one cell, so it is inserted and removed in constant time.
//! 2. Extents of a class differ by less than a factor of two in each dimension, so boxes of one row or of one column are found without a
//!    look at any others. A tree of boxes (by the hulls of neighbors) looks at a dozen for each box that it finds, and has to be rebuilt or
//!    balanced as boxes come and go.
//! 3. Cells are named by a hash of their coordinates. Two cells with one name cost only a look: each box is asked for its cell.
//! 4. A few boxes are searched one by one.

use core::hash::{BuildHasherDefault, Hasher};
use core::ops::ControlFlow;
use std::collections::HashMap;

use smallvec::SmallVec;

use super::{MAX_RANK, Point, Rect};

/// Up to this number, boxes are searched one by one.
const FEW: usize = 16;

/// Boxes of one rank, each with a value. They may overlap. Each box has a number until it is removed.
pub(crate) struct Boxes<T> {
    slots: Vec<Option<(Rect, T)>>,
    free: Vec<usize>,
    /// `None` while there are few boxes.
    classes: Option<Box<Classes>>,
}

/// All boxes, by their classes.
#[derive(Default)]
struct Classes(Vec<Class>);

/// Boxes whose extents are rounded up to the same powers of two.
struct Class {
    shifts: [u8; MAX_RANK],
    /// The numbers of boxes, by the hashes of their cells.
    cells: HashMap<u64, SmallVec<[usize; 2]>, BuildHasherDefault<AsIs>>,
    count: usize,
}

/// A hasher that keeps its input: hashes of cells are spread already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The exponents of the powers of two into which a box fits, including the gaps between its indices if it is strided.
fn shifts_of(rect: &Rect) -> [u8; MAX_RANK] {
    let mut shifts = [0; MAX_RANK];
    for (shift, extent) in shifts.iter_mut().zip(&*rect.spans()) {
        let bits = i64::BITS - (extent - 1).leading_zeros();
        *shift = u8::try_from(bits).unwrap_or(0);
    }
    shifts
}

impl Class {
    fn cell(&self, index: &Point) -> [i64; MAX_RANK] {
        let mut cell = [0; MAX_RANK];
        for ((cell, at), shift) in cell.iter_mut().zip(&**index).zip(self.shifts) {
            *cell = at >> shift;
        }
        cell
    }

    /// The name of the cell of a box.
    fn name(&self, rect: &Rect) -> u64 {
        hash(&self.cell(&rect.lo()), rect.rank())
    }

    /// The first and the last cell in which a box of this class that overlaps `rect` may start.
    fn reach(&self, rect: &Rect) -> ([i64; MAX_RANK], [i64; MAX_RANK]) {
        let (mut first, mut last) = (rect.lo(), rect.hi());
        for ((first, last), shift) in first.iter_mut().zip(last.iter_mut()).zip(self.shifts) {
            let longest = if shift < 62 { (1 << shift) - 1 } else { i64::MAX };
            *first = first.saturating_sub(longest);
            *last -= 1;
        }
        (self.cell(&first), self.cell(&last))
    }
}

fn hash(cell: &[i64; MAX_RANK], rank: usize) -> u64 {
    let mix = |hash: u64, at: &i64| (hash ^ at.cast_unsigned()).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31);
    let mixed = cell[..rank].iter().fold(0x243F_6A88_85A3_08D3, mix);
    mixed ^ mixed >> 29
}

impl<T> Default for Boxes<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), classes: None }
    }
}

/// Adds an entry to a list that usually has one: the first one takes memory for one, rather than for four.
pub(crate) fn push_one<T>(list: &mut Vec<T>, entry: T) {
    if list.capacity() == 0 {
        list.reserve_exact(1);
    }
    list.push(entry);
}

impl<T> Boxes<T> {
    /// The number of boxes.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Returns `true` if there are no boxes.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of the only box, if it is the first one since the index was empty.
    pub(crate) fn only_mut(&mut self) -> Option<&mut T> {
        match &mut *self.slots {
            [Some((_, value))] => Some(value),
            _ => None,
        }
    }

    /// All values, if boxes are searched one by one; otherwise none.
    pub(crate) fn few_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let slots = if self.classes.is_none() { &mut *self.slots } else { &mut [] };
        slots.iter_mut().flatten().map(|(_, value)| value)
    }

    /// All values.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten().map(|(_, value)| value)
    }

    /// The value of a box that equals `rect`, if there is one for which `is` returns `true`.
    pub(crate) fn equal_mut(&mut self, rect: &Rect, mut is: impl FnMut(&T) -> bool) -> Option<&mut T> {
        let mut equal = |number: &usize| {
            let slot = &self.slots[*number];
            slot.as_ref().is_some_and(|(other, value)| other == rect && is(value))
        };
        let number = match &self.classes {
            None => (0..self.slots.len()).find(&mut equal),
            Some(classes) => classes.in_cell_of(rect).iter().copied().find(&mut equal),
        };
        self.slots[number?].as_mut().map(|(_, value)| value)
    }

    /// Inserts a nonempty box, and returns its number.
    pub(crate) fn insert(&mut self, rect: Rect, value: T) -> usize {
        debug_assert!(!rect.is_empty(), "a box without indices overlaps nothing");
        let number = self.free.pop().unwrap_or_else(|| {
            push_one(&mut self.slots, None);
            self.slots.len() - 1
        });
        self.slots[number] = Some((rect, value));
        if let Some(classes) = &mut self.classes {
            classes.file(&rect, number);
        } else if self.len() > FEW {
            let mut classes = Box::<Classes>::default();
            for (number, slot) in self.slots.iter().enumerate() {
                slot.iter().for_each(|(rect, _)| classes.file(rect, number));
            }
            self.classes = Some(classes);
        }
        number
    }

    /// Removes the box with this number, if there is one.
    pub(crate) fn remove(&mut self, number: usize) -> Option<(Rect, T)> {
        let (rect, value) = self.slots.get_mut(number)?.take()?;
        self.free.push(number);
        if self.free.len() == self.slots.len() {
            self.clear();
            return Some((rect, value));
        }
        self.classes.iter_mut().for_each(|classes| classes.unfile(&rect, number));
        Some((rect, value))
    }

    /// Removes all boxes. The memory for a few stays, so that replacing one box allocates nothing.
    pub(crate) fn clear(&mut self) {
        if self.slots.capacity() > FEW {
            *self = Self::default();
        }
        self.slots.clear();
        self.free.clear();
        self.classes = None;
    }

    /// The box with this number, which exists, and its value.
    ///
    /// # Panics
    ///
    /// Panics if there is no such box.
    pub(crate) fn get(&self, number: usize) -> (&Rect, &T) {
        self.slots[number].as_ref().map_or_else(|| panic!("there is no box {number}"), |(rect, value)| (rect, value))
    }

    /// All boxes, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Rect, &T)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(number, slot)| slot.as_ref().map(|(rect, value)| (number, rect, value)))
    }

    /// The numbers of the boxes that overlap `rect`, sorted.
    pub(crate) fn overlapping(&self, rect: &Rect) -> SmallVec<[usize; 8]> {
        let mut found = SmallVec::new();
        self.for_each_overlapping(rect, |number, _, _| found.push(number));
        found.sort_unstable();
        found
    }

    /// Calls `f` for each box that overlaps `rect`, in any order.
    pub(crate) fn for_each_overlapping<'b>(&'b self, rect: &Rect, mut f: impl FnMut(usize, &'b Rect, &'b T)) {
        let _ = self.try_for_each_overlapping(rect, |number, other, value| {
            f(number, other, value);
            ControlFlow::Continue(())
        });
    }

    /// Returns `true` if some box overlaps `rect`.
    pub(crate) fn any_overlapping(&self, rect: &Rect) -> bool {
        self.try_for_each_overlapping(rect, |_, _, _| ControlFlow::Break(())).is_break()
    }

    /// Calls `f` for each box that overlaps `rect`, in any order, until `f` breaks.
    #[inline]
    fn try_for_each_overlapping<'b>(
        &'b self,
        rect: &Rect,
        mut f: impl FnMut(usize, &'b Rect, &'b T) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if rect.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut look = |number: usize, in_cell: &dyn Fn(&Rect) -> bool| match &self.slots[number] {
            Some((other, value)) if in_cell(other) && rect.overlaps(other) => f(number, other, value),
            _ => ControlFlow::Continue(()),
        };
        let Some(classes) = &self.classes else {
            return (0..self.slots.len()).try_for_each(|number| look(number, &|_| true));
        };
        let rank = rect.rank();
        for class in &classes.0 {
            let (first, last) = class.reach(rect);
            let sides = first.iter().zip(&last).map(|(first, last)| last.saturating_sub(*first).saturating_add(1));
            let cells = sides.fold(1_i64, i64::saturating_mul);
            if usize::try_from(cells).unwrap_or(usize::MAX) > class.count {
                class.cells.values().flatten().try_for_each(|number| look(*number, &|_| true))?;
                continue;
            }
            let mut cell = first;
            'cells: loop {
                if let Some(numbers) = class.cells.get(&hash(&cell, rank)) {
                    numbers.iter().try_for_each(|number| look(*number, &|other| class.cell(&other.lo()) == cell))?;
                }
                for dim in (0..rank).rev() {
                    if cell[dim] < last[dim] {
                        cell[dim] += 1;
                        continue 'cells;
                    }
                    cell[dim] = first[dim];
                }
                break;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Classes {
    /// The number of the class of a box, if there is one.
    fn class_of(&self, rect: &Rect) -> Option<usize> {
        let shifts = shifts_of(rect);
        self.0.iter().position(|class| class.shifts == shifts)
    }

    /// The numbers of the boxes of the class and the cell of `rect`, and of cells with the same hash.
    fn in_cell_of(&self, rect: &Rect) -> &[usize] {
        let class = self.class_of(rect).map(|at| &self.0[at]);
        class.and_then(|class| class.cells.get(&class.name(rect))).map_or(&[], |numbers| numbers)
    }

    /// Inserts the number of a box into its cell.
    fn file(&mut self, rect: &Rect, number: usize) {
        let at = self.class_of(rect).unwrap_or_else(|| {
            self.0.push(Class { shifts: shifts_of(rect), cells: HashMap::default(), count: 0 });
            self.0.len() - 1
        });
        let class = &mut self.0[at];
        class.cells.entry(class.name(rect)).or_default().push(number);
        class.count += 1;
    }

    /// Removes the number of a box from its cell.
    fn unfile(&mut self, rect: &Rect, number: usize) {
        let Some(at) = self.class_of(rect) else { return };
        let class = &mut self.0[at];
        let hash = class.name(rect);
        if let Some(numbers) = class.cells.get_mut(&hash) {
            // The oldest boxes usually go first, and are at the front.
            if let Some(at) = numbers.iter().position(|other| *other == number) {
                numbers.remove(at);
            }
            if numbers.is_empty() {
                class.cells.remove(&hash);
            }
        }
        class.count -= 1;
        if class.count == 0 {
            self.0.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An act on boxes: one is inserted, an existing one is removed, or some are searched for.
    #[derive(Clone, Debug)]
    enum Act {
        Insert(Rect),
        Remove(usize),
        Find(Rect),
    }

    /// Boxes of up to `extent` indices in each dimension, some of them flat, some strided, between -20 and 40.
    fn rect(rank: usize) -> impl Strategy<Value = Rect> {
        let side =
            (-20..40_i64, prop_oneof![Just(1_i64), 1..5_i64, 1..60_i64], prop_oneof![2 => Just(1), 1 => 1..9_i64]);
        prop::collection::vec(side, rank).prop_map(|sides| {
            let lo: Point = sides.iter().map(|(lo, ..)| *lo).collect();
            let rect = Rect::new(lo, sides.iter().map(|(lo, extent, _)| lo + extent).collect());
            let steps = sides.iter().map(|(.., step)| *step).enumerate();
            steps.fold(rect, |rect, (dim, step)| rect.step(dim, step))
        })
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        (0..4_usize).prop_flat_map(|rank| {
            let act = prop_oneof![
                4 => rect(rank).prop_map(Act::Insert),
                2 => any::<usize>().prop_map(Act::Remove),
                3 => rect(rank).prop_map(Act::Find),
            ];
            prop::collection::vec(act, 0..200)
        })
    }

    proptest! {
        #[test]
        fn boxes_are_found_as_in_a_list(acts in acts()) {
            let (mut boxes, mut list) = (Boxes::default(), Vec::<(usize, Rect, usize)>::new());
            for (value, act) in acts.into_iter().enumerate() {
                match act {
                    Act::Insert(rect) => list.push((boxes.insert(rect, value), rect, value)),
                    Act::Remove(any) if !list.is_empty() => {
                        let (number, rect, value) = list.swap_remove(any % list.len());
                        prop_assert_eq!(boxes.remove(number), Some((rect, value)));
                        prop_assert_eq!(boxes.remove(number), None);
                    }
                    Act::Remove(_) => {}
                    Act::Find(rect) => {
                        let found = list.iter().filter(|(_, other, _)| other.overlaps(&rect));
                        let mut expected: Vec<usize> = found.map(|(number, ..)| *number).collect();
                        expected.sort_unstable();
                        prop_assert_eq!(&*boxes.overlapping(&rect), &*expected);
                        prop_assert_eq!(boxes.any_overlapping(&rect), !expected.is_empty());
                    }
                }
                prop_assert_eq!(boxes.len(), list.len());
                let all: Vec<usize> = boxes.iter().map(|(number, ..)| number).collect();
                prop_assert!(list.iter().all(|(number, rect, value)| boxes.get(*number) == (rect, value)));
                prop_assert_eq!(all.len(), list.len());
            }
        }
    }

    #[test]
    fn boxes_of_any_size_are_found() {
        let mut boxes = Boxes::default();
        let line = |lo, hi| Rect::new([lo].into(), [hi].into());
        let all = boxes.insert(line(0, i64::MAX), 0);
        let numbers: Vec<usize> = (0..100).map(|at| boxes.insert(line(at << 40, (at << 40) + 1), at)).collect();
        assert_eq!(*boxes.overlapping(&line(7 << 40, (8 << 40) + 1)), [all, numbers[7], numbers[8]]);
        assert_eq!(boxes.overlapping(&line(0, i64::MAX)).len(), 101);
        assert!(boxes.overlapping(&line(5, 5)).is_empty());
    }

    #[test]
    fn boxes_that_come_again_are_found_once() {
        let line = |lo, hi| Rect::new([lo].into(), [hi].into());
        let mut boxes = Boxes::default();
        for _ in 0..2 {
            let numbers: Vec<usize> = (0..40).map(|at| boxes.insert(line(at, at + 3), ())).collect();
            for (rect, count) in [(line(0, 100), 40), (line(10, 11), 3)] {
                assert_eq!(boxes.overlapping(&rect).len(), count, "{rect}");
            }
            assert!(numbers.iter().all(|number| boxes.remove(*number).is_some()));
        }
    }
}
