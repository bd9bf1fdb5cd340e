//! Views of one dimension, filled from slices: how vectors grow.

use super::View;
use super::opened::Bind;
use super::walk::{self, Elements, Walk};
use crate::blob::{Address, BlobsMut};
use crate::extents::Extents;
use crate::leaf_table::LeafTable;
use crate::mapping::{Mapping, RecordLayout, in_region_of, is_physical, step};
use crate::record::Record;

impl<M: Mapping<Extents: Extents<Array = [usize; 1]>>, B: BlobsMut> View<M, B> {
    /// Whether elements may lie in memory as a slice of their structs does: as many bytes, and none of padding.
    const GAPLESS: bool = {
        let table = LeafTable::of::<M::Record>();
        let size = size_of::<M::Record>();
        let dense = table.is_struct() && table.packed_size(table.count()) == size && size > 0;
        let step = matches!(step::<M::Record, M::Layout>(), Some(step) if step == size);
        dense
            && step
            && M::Layout::BLOBS == 1
            && is_physical::<M::Record, M::Layout>()
            && Elements::<M>::EXHAUSTIVE
            && !B::Address::NOTES
    };

    /// Whether leaves lie where they do in the struct, in elements that are as large.
    #[inline(always)]
    fn is_native(&self) -> bool {
        let (table, frame) = (LeafTable::of::<M::Record>(), self.mapping.frame());
        (0..table.count())
            .all(|leaf| in_region_of::<M::Record, M::Layout>(frame, M::position(0), leaf) == table.native_offset(leaf))
    }

    /// Writes the records of a slice to the elements from number `first` on.
    ///
    /// # Panics
    ///
    /// Panics if there are not so many elements.
    #[inline]
    pub(crate) fn store_from(&mut self, first: usize, records: &[M::Record]) {
        let (count, [extent]) = (records.len(), self.extents());
        assert!(first <= extent && count <= extent - first, "{count} records from {first} on in {extent} elements");
        if count == 0 {
            return;
        }
        if const { Self::GAPLESS } && self.is_native() {
            let frame = self.mapping.frame();
            // SAFETY: there is one blob.
            let blob = unsafe { self.blobs.address_mut().blob(0, M::Layout::blob_start(frame, 0)) };
            // SAFETY: elements without a gap are those of the blob, one after another, and this one is below the extent.
            let start = unsafe { blob.add(first * size_of::<M::Record>()) };
            // SAFETY: the element is a struct in memory, byte for byte, which has no padding; there are as many elements, and
            // they are borrowed mutably.
            return unsafe { start.copy_from_nonoverlapping(records.as_ptr().cast(), size_of_val(records)) };
        }
        let (walk, _) = self.open_mut(true);
        let (walk, row) = walk.rebased(walk.row([first]));
        walk::walk_row::<1, 0, _>(&walk, row, 0, count, |k, position| {
            // SAFETY: the walk gives the position of each element once, and the mapping is unique.
            let mut slots = unsafe { walk.bind(position) };
            // SAFETY: the walk counts elements from zero.
            unsafe { records.get_unchecked(k) }.store(&mut slots);
        });
    }
}
