//! The plainest memory there is: a cell of 16 bytes for each leaf number.

use core::cell::Cell;
use core::marker::PhantomData;

use layout::record::Root;
use layout::slot::{Access, AccessMut, Scalar};
use layout::{Leaf, Path, Record};

/// One element of any record with at most 64 leaves of at most 16 bytes.
pub struct Cells([Cell<Option<[u8; 16]>>; 64]);

/// An access to the element, from leaf number `first` on.
pub struct OneCell<'m, R> {
    cells: &'m Cells,
    first: usize,
    record: PhantomData<R>,
}

impl Cells {
    /// Cells that were never written; they read as zero bytes.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "cells are made in one way")]
    pub fn new() -> Self {
        Self([const { Cell::new(None) }; 64])
    }

    /// The slots of the element.
    pub fn slots<R: Record>(&self) -> R::Slots<OneCell<'_, R>, Root<R>> {
        R::bind(OneCell { cells: self, first: 0, record: PhantomData })
    }

    /// The number of cells that were written.
    pub fn written(&self) -> usize {
        self.0.iter().filter(|cell| cell.get().is_some()).count()
    }

    /// Reads leaf number `leaf`.
    pub fn read<T: Leaf>(&self, leaf: usize) -> T {
        let bytes = self.0[leaf].get().unwrap_or_default();
        bytemuck::checked::pod_read_unaligned(&bytes[..size_of::<T>()])
    }

    fn write<T: Leaf>(&self, leaf: usize, value: &T) {
        let mut bytes = [0; 16];
        bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(value));
        self.0[leaf].set(Some(bytes));
    }
}

impl<R> Clone for OneCell<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for OneCell<'_, R> {}

impl<R: Record> Access for OneCell<'_, R> {
    type Record = R;
    type Value<T: Leaf> = T;

    fn read<P: Path<Root = R, Type: Leaf>>(self) -> P::Type {
        self.cells.read(self.first + P::LEAF)
    }

    unsafe fn read_further<P: Path<Root = R, Type: Leaf>>(self, leaves: usize) -> P::Type {
        self.cells.read(self.first + P::LEAF + leaves)
    }
}

impl<R: Record> AccessMut for OneCell<'_, R> {
    fn write<P: Path<Root = R, Type: Leaf>>(self, value: P::Type) {
        self.cells.write(self.first + P::LEAF, &value);
    }

    unsafe fn write_further<P: Path<Root = R, Type: Leaf>>(self, leaves: usize, value: P::Type) {
        self.cells.write(self.first + P::LEAF + leaves, &value);
    }
}

impl<R: Record> Scalar for OneCell<'_, R> {
    fn value<T: Leaf>(value: T) -> T {
        value
    }

    fn wrap<T: Leaf>(value: T) -> T {
        value
    }
}
