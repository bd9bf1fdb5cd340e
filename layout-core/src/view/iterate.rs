//! Iteration over all elements of a view.

use core::iter::FusedIterator;

use super::access::At;
use super::walk::{self, Bind, Elements, Opened, Rows, Walk};
use super::{ArrayOf, Slots, SlotsAt, SlotsMut, View};
use crate::blob::{Address, Blobs, BlobsMut};
use crate::extents::IndexArray;
use crate::mapping::Mapping;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// This view, to be walked in the order of its mapping.
    #[inline(always)]
    pub(super) fn open(&self) -> (Opened<&'_ (), M, B::Address>, Rows<ArrayOf<M>>) {
        let rows = Rows::of(&self.mapping, false);
        let elements = Elements::own(self.mapping, rows.nest());
        // SAFETY: a view's blobs fit its mapping, and are borrowed for the lifetime of the result.
        (unsafe { Opened::new(elements, self.blobs.address()) }, rows)
    }

    /// Calls `f` with the slots of every element, in the order in which the mapping walks memory.
    ///
    /// This is the loop that a specialist writes by hand for the layout: blocks of an AoSoA are walked as
    /// blocks, without a division for each element.
    #[inline(always)]
    pub fn for_each<'v>(&'v self, mut f: impl FnMut(Slots<'v, M, B>)) {
        let (walk, rows) = self.open();
        // SAFETY: the walk gives positions of elements.
        walk::each(&walk, rows, |position| f(unsafe { walk.bind(position) }));
    }

    /// Calls `f` with the index and the slots of every element, in the order of the mapping.
    #[inline(always)]
    pub fn for_each_indexed<'v>(&'v self, mut f: impl FnMut(ArrayOf<M>, Slots<'v, M, B>)) {
        let (walk, _) = self.open();
        // SAFETY: the walk gives positions of elements.
        walk::each_index(&self.mapping, |index, position| f(index, unsafe { walk.bind(position) }));
    }

    /// Iterates over the slots of all elements, in the order of the mapping.
    ///
    /// [`for_each`](Self::for_each) is faster for layouts in blocks.
    pub fn iter(&self) -> Iter<'_, M, B::Address> {
        let (walk, rows) = self.open();
        Iter(Cursor::new(walk, rows, self.len()))
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// This view, to be walked in the order of its mapping and written.
    #[inline(always)]
    pub(super) fn open_mut(&mut self) -> (Opened<&'_ mut (), M, B::Address>, Rows<ArrayOf<M>>) {
        let rows = Rows::of(&self.mapping, false);
        let elements = Elements::own(self.mapping, rows.nest());
        // SAFETY: a view's blobs fit its mapping, and are borrowed mutably for the lifetime of the result.
        (unsafe { Opened::new(elements, self.blobs.address_mut()) }, rows)
    }

    /// Calls `f` with the slots of every element, in the order in which the mapping walks memory; see
    /// [`for_each`](Self::for_each).
    #[inline(always)]
    pub fn for_each_mut<'v>(&'v mut self, mut f: impl FnMut(SlotsMut<'v, M, B>)) {
        let (walk, rows) = self.open_mut();
        // SAFETY: the walk gives the position of each element once, and the mapping is unique.
        walk::each(&walk, rows, |position| f(unsafe { walk.bind(position) }));
    }

    /// Calls `f` with the index and the slots of every element, in the order of the mapping.
    #[inline(always)]
    pub fn for_each_indexed_mut<'v>(&'v mut self, mut f: impl FnMut(ArrayOf<M>, SlotsMut<'v, M, B>)) {
        let mapping = self.mapping;
        let (walk, _) = self.open_mut();
        // SAFETY: as in `for_each_mut`.
        walk::each_index(&mapping, |index, position| f(index, unsafe { walk.bind(position) }));
    }

    /// Iterates over the slots of all elements, in the order of the mapping.
    pub fn iter_mut(&mut self) -> IterMut<'_, M, B::Address> {
        let len = self.len();
        let (walk, rows) = self.open_mut();
        IterMut(Cursor::new(walk, rows, len))
    }
}

/// Where an iterator stands.
struct Cursor<S: Walk> {
    walk: S,
    rows: Rows<S::Index>,
    row: S::Row,
    /// The next element of the row, and the row's length.
    next: usize,
    len: usize,
    left: usize,
}

impl<S: Walk> Cursor<S> {
    fn new(walk: S, rows: Rows<S::Index>, left: usize) -> Self {
        let row = walk.row(S::Index::ZERO);
        Self { walk, rows, row, next: 0, len: 0, left }
    }

    #[inline]
    fn next(&mut self) -> Option<S::Position> {
        if self.next == self.len {
            let (index, len) = self.rows.next()?;
            (self.row, self.next, self.len) = (self.walk.row(index), 0, len);
        }
        let position = self.walk.position(self.row, self.next);
        self.next += 1;
        self.left -= 1;
        Some(position)
    }
}

/// An iterator over the slots of all elements of a view; see [`View::iter`].
pub struct Iter<'v, M: Mapping, A: Address>(Cursor<Opened<&'v (), M, A>>);

/// An iterator over the slots of all elements of a view; see [`View::iter_mut`].
pub struct IterMut<'v, M: Mapping, A: Address>(Cursor<Opened<&'v mut (), M, A>>);

impl<'v, M: Mapping, A: Address> Iterator for Iter<'v, M, A> {
    type Item = SlotsAt<M, At<&'v (), M, A>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let position = self.0.next()?;
        // SAFETY: the cursor gives positions of elements.
        Some(unsafe { self.0.walk.bind(position) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left, Some(self.0.left))
    }
}

impl<'v, M: Mapping, A: Address> Iterator for IterMut<'v, M, A> {
    type Item = SlotsAt<M, At<&'v mut (), M, A>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let position = self.0.next()?;
        // SAFETY: the cursor gives the position of each element once, and the mapping is unique.
        Some(unsafe { self.0.walk.bind(position) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left, Some(self.0.left))
    }
}

impl<M: Mapping, A: Address> ExactSizeIterator for Iter<'_, M, A> {}
impl<M: Mapping, A: Address> ExactSizeIterator for IterMut<'_, M, A> {}
impl<M: Mapping, A: Address> FusedIterator for Iter<'_, M, A> {}
impl<M: Mapping, A: Address> FusedIterator for IterMut<'_, M, A> {}

impl<'v, M: Mapping, B: Blobs> IntoIterator for &'v View<M, B> {
    type Item = Slots<'v, M, B>;
    type IntoIter = Iter<'v, M, B::Address>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'v, M: Mapping, B: BlobsMut> IntoIterator for &'v mut View<M, B> {
    type Item = SlotsMut<'v, M, B>;
    type IntoIter = IterMut<'v, M, B::Address>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
