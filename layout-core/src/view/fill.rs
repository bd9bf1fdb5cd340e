//! Views of one dimension, filled from slices: how vectors grow.

use super::View;
use super::opened::Bind;
use super::walk::{self, Walk};
use crate::blob::BlobsMut;
use crate::extents::Extents;
use crate::mapping::Mapping;
use crate::record::Record;

impl<M: Mapping<Extents: Extents<Array = [usize; 1]>>, B: BlobsMut> View<M, B> {
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
