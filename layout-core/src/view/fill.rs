//! Views of one dimension, filled with structs; vectors use these functions to grow.

#[cfg(feature = "alloc")]
use super::Owned;
use super::View;
use super::elements::Elements;
use super::opened::{Bind, Walk};
use super::walk;
use super::zip::Zip;
use crate::blob::{Address, BlobsMut};
use crate::extents::Extents;
use crate::leaf_table::LeafTable;
use crate::mapping::{Mapping, RecordLayout, in_region_of, is_physical, step};
use crate::record::Record;
#[cfg(feature = "alloc")]
use crate::{
    blob::Region,
    error::ViewError,
    extents::{DynExtents, Keep},
    mapping::Mapped,
};

impl<M: Mapping<Extents: Extents<Array = [usize; 1]>>, B: BlobsMut> View<M, B> {
    /// `true` if elements may lie in memory as in a slice of their structs: with the same number of bytes, and without padding.
    const GAPLESS: bool = {
        let table = LeafTable::of::<M::Record>();
        let size = size_of::<M::Record>();
        let dense = table.is_struct() && table.packed() == size && size > 0;
        let step = matches!(step::<M::Record, M::Layout>(), Some(step) if step == size);
        dense
            && step
            && M::Layout::BLOBS == 1
            && is_physical::<M::Record, M::Layout>()
            && Elements::<M>::EXHAUSTIVE
            && !B::Address::NOTES
    };

    /// Returns `true` if every leaf has the offset that it has in the struct, and elements have the size of the struct.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn is_native(&self) -> bool {
        let (table, frame) = (LeafTable::of::<M::Record>(), self.mapping.frame());
        (0..table.count())
            .all(|leaf| in_region_of::<M::Record, M::Layout>(frame, M::position(0), leaf) == table.native_offset(leaf))
    }

    /// The address of element number `number`, in a view whose elements are structs in memory.
    ///
    /// # Safety
    ///
    /// The view is `GAPLESS` and `is_native`, and has such an element, or one before.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn record_at(&mut self, number: usize) -> *mut M::Record {
        let frame = self.mapping.frame();
        // SAFETY: there is one blob.
        let blob = unsafe { self.blobs.address_mut().blob(0, M::Layout::blob_start(frame, 0)) };
        // SAFETY: elements without a gap are those of the blob, one after another.
        unsafe { blob.add(number * size_of::<M::Record>()) }.cast()
    }

    /// Writes a record to element number `number`. Returns `false` if there is no such element.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) fn try_store(&mut self, number: usize, record: M::Record) -> bool {
        if const { !Self::GAPLESS } {
            return self.try_store_leaves(number, &record);
        }
        if !self.is_native() {
            return self.try_store_cold(number, &record);
        }
        let [extent] = self.extents();
        let within = number < extent;
        if within {
            // SAFETY: the conditions were checked.
            let at = unsafe { self.record_at(number) };
            // SAFETY: the element is a struct in memory, which has no padding, and is borrowed mutably.
            unsafe { at.write_unaligned(record) };
        }
        within
    }

    /// Never inlined: otherwise the compiler would split the struct into its leaves in a place where it is copied as a whole.
    #[cold]
    #[inline(never)]
    fn try_store_cold(&mut self, number: usize, record: &M::Record) -> bool {
        self.try_store_leaves(number, record)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn try_store_leaves(&mut self, number: usize, record: &M::Record) -> bool {
        let slots = self.find_mut([number]);
        slots.map(|mut slots| record.store(&mut slots)).is_some()
    }

    /// Writes the records of a slice to the elements from number `first` on.
    ///
    /// # Panics
    ///
    /// Panics if there are not enough elements.
    #[inline]
    pub(crate) fn store_from(&mut self, first: usize, records: &[M::Record]) {
        let (count, [extent]) = (records.len(), self.extents());
        assert!(first <= extent && count <= extent - first, "{count} records from {first} on in {extent} elements");
        if count == 0 {
            return;
        }
        if const { Self::GAPLESS } && self.is_native() {
            // SAFETY: the conditions were checked, and the element is below the extent.
            let start = unsafe { self.record_at(first) };
            // SAFETY: the element is a struct in memory, byte for byte, which has no padding; there are as many elements, and
            // they are borrowed mutably.
            return unsafe {
                start.cast::<u8>().copy_from_nonoverlapping(records.as_ptr().cast(), size_of_val(records))
            };
        }
        let Zip { walk, .. } = self.open_mut(true);
        let (walk, row) = walk.rebased(walk.row([first]));
        walk::walk_row::<1, 0, _>(&walk, row, 0, count, |k, position| {
            // SAFETY: the walk gives the position of each element once, and the mapping is unique.
            let mut slots = unsafe { walk.bind(position) };
            // SAFETY: the walk counts elements from zero.
            unsafe { records.get_unchecked(k) }.store(&mut slots);
        });
    }
}

#[cfg(feature = "alloc")]
impl<R: Record, L: RecordLayout<R>> Owned<Mapped<R, DynExtents<1>, L>> {
    /// Appends the records of a slice after the first `count` elements, which must exist; the memory must have room.
    /// Works only if it is a copy of bytes behind the last element: returns `false` otherwise. No zeros are written first.
    ///
    /// # Errors
    ///
    /// Returns an error if so many elements are too large. The view is then unchanged.
    pub(crate) fn append(&mut self, count: usize, records: &[R]) -> Result<bool, ViewError> {
        if const { !Self::GAPLESS || size_of::<L::Frame>() != 0 } || !self.is_native() {
            return Ok(false);
        }
        // If the room has elements for all records, they are stored there. An append would cut the room to the records, and the next `push`
        // would allocate it again.
        let [extent] = self.extents();
        if count + records.len() <= extent {
            return Ok(false);
        }
        let mapping = self.mapping_of(count + records.len())?;
        if mapping.region_size() != mapping.span() * size_of::<R>() {
            return Ok(false);
        }
        // SAFETY: records without a gap have no padding.
        let bytes = unsafe { core::slice::from_raw_parts(records.as_ptr().cast::<u8>(), size_of_val(records)) };
        let Region(heap) = &mut self.blobs;
        // If zero is no value, a vector without records has no memory yet, whatever it reserved.
        if mapping.region_size() > heap.capacity() {
            return Ok(false);
        }
        heap.set_len(count * size_of::<R>());
        heap.append(bytes);
        // The memory has the size and the alignment that the mapping asks for, and its bytes are those of records.
        (self.slots, self.mapping) = (Keep::keep(mapping.span()), mapping);
        Ok(true)
    }
}
