//! Writes to all elements past the caches, by non-temporal stores.
//!
//! ```text
//! for row in the rows of the mapping:
//!     for piece of the row:                       up to a multiple of so many positions, so that pieces start at cache lines
//!         for element of the piece:
//!             scratch[element] = f(index)         plain stores into the first-level cache, in the layout of the view
//!         for leaf:
//!             stream the leaf of the piece        whole vectors, from the scratch memory to the view
//! fence
//! ```
//!
//! 1. A store past the caches pays only if it fills whole cache lines. A kernel that writes leaf by leaf has no whole lines in
//!    its hands, so it writes to memory of one piece, and its loop is vectorized as any other.
//! 2. Between such a store and the next access to the same memory there must be a fence. The view is borrowed mutably until
//!    the fence, `f` cannot reach its memory, and each element is written once; so there is no such access. With slots that
//!    store past the caches, `slot.set(1); slot.get()` would be one.
//! 3. The scratch memory has the layout of the view, so no layout is known by name: leaves that are contiguous in a run are
//!    contiguous in both, and records without padding are.

use core::mem::MaybeUninit;

use super::access::At;
use super::elements::Elements;
use super::non_temporal::{Fence, stream};
use super::opened::Walk;
use super::rows::{Rows, each_row};
use super::{ArrayOf, FrameOf, View};
use crate::blob::{Address, BlobsMut, RegionAddress};
use crate::extents::{DynExtents, IndexArray};
use crate::leaf_table::LeafTable;
use crate::mapping::{Element, Mapped, Mapping, Position, RecordLayout, is_physical, leaf_place, place_of};
use crate::path::Root;
use crate::record::Record;

/// The memory of one piece.
#[repr(C, align(64))]
struct Scratch([u8; BYTES]);

/// The size of the scratch memory. It fits the first-level cache beside what the kernel reads.
const BYTES: usize = 32 << 10;

/// The fewest elements of a piece: 64 elements of any size are whole cache lines.
const FEWEST: usize = 64;

/// The number of elements in a piece; 0 if the layout computes leaves, an observer must see each use, or records are large.
const fn piece<M: Mapping, A: Address>() -> usize {
    let [each, beside] = M::Layout::MOST;
    if !is_physical::<M::Record, M::Layout>() || A::NOTES || M::Layout::ALIGN > align_of::<Scratch>() {
        return 0;
    }
    let mut count = 512;
    while count >= FEWEST && each.saturating_mul(count).saturating_add(beside) > BYTES {
        count /= 2;
    }
    if count < FEWEST { 0 } else { count }
}

/// The mapping of the scratch memory.
type ScratchOf<M> = Mapped<<M as Mapping>::Record, DynExtents<1>, <M as Mapping>::Layout>;

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Writes the result of `f` for each index to the element at that index, by *non-temporal stores*: past the caches,
    /// without reading the memory first.
    ///
    /// This is faster than a loop of plain stores if the view is much larger than the last-level cache and is not read soon: 1.2
    /// to 1.8 times on a Xeon, for the kernels of the example `stream`. The plain stores read each cache line before they write
    /// to it. For arrays within the last-level cache, plain stores were 1.2 to 1.5 times as fast. Measure your own loop.
    ///
    /// On x86-64, leaves that are contiguous (`SoA`, `AoSoA`) and records without padding (`AoS`) are stored so, for every
    /// linearization with a stride of one. The same function writes plain stores on other targets, to leaves between padding,
    /// to linearizations without such a stride, to large records, to computed leaves, and to views with an observer. A record is large
    /// if 64 elements need more than 32 KiB: from about 500 bytes on in `AoS`, and in `SoA`, whose columns have padding, with
    /// more than 256 bytes of leaves of 8 bytes, 170 of 4, 102 of 2, or 56 if a leaf has one byte.
    ///
    /// The order is that of [`for_each_indexed`](Self::for_each_indexed). When the function returns, every thread that
    /// synchronizes with this one sees the values.
    ///
    /// # Panics
    ///
    /// Panics if `f` does; some of the results of `f` have then been written.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let (a, b) = (alloc_from_fn::<f64, SoA, _>(10_000, |[i]| i as f64)?, alloc_from_fn::<f64, SoA, _>(10_000, |_| 0.5)?);
    /// let mut c = alloc::<f64, SoA, _>(10_000)?;
    /// a.assert_extents(c.extents());
    /// b.assert_extents(c.extents());
    /// c.stream_from_fn(|[i]| a.get(i) + 2.0 * b.get(i));
    /// assert_eq!(c.get(9_999), 10_000.0);
    /// // A copy, into a part.
    /// c.slice_mut((..5_000,)).stream_from_fn(|[i]| a.get(i));
    /// assert_eq!((c.get(4_999), c.get(5_000)), (4_999.0, 5_001.0));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn stream_from_fn(&mut self, mut f: impl FnMut(ArrayOf<M>) -> M::Record) {
        // A constant in the condition itself: the other half is then not even compiled.
        if const { piece::<M, B::Address>() == 0 } {
            self.for_each_indexed_mut(|index, mut slots| f(index).store(&mut slots));
        } else {
            let needed = self.mapping.layout().region_size(Pieces::<M, B::Address>::LEN);
            assert!(needed <= BYTES, "a layout says that it needs less than {needed} bytes");
            let rows = Rows::of(&self.mapping, true);
            let elements = Elements::own(self.mapping, &rows);
            let mut memory = MaybeUninit::<Scratch>::uninit();
            let pieces = Pieces::<M, B::Address> {
                address: self.blobs.address_mut(),
                frame: self.mapping.frame(),
                scratch: RegionAddress::new(memory.as_mut_ptr().cast()),
                scratch_frame: self.mapping.layout().frame(Pieces::<M, B::Address>::LEN),
            };
            let in_order = Elements::<M>::STRIDED && elements.step == 1;
            let dense = pieces.dense();
            // Also if `f` panics.
            let _fence = Fence;
            let inner = rows.inner();
            each_row!(rows: ArrayOf<M>, |start, len| {
                let row = elements.row(start);
                let mut done = 0;
                while done < len {
                    let flat = elements.flat(row, done);
                    let (first, count) = Pieces::<M, B::Address>::part(in_order.then_some(flat), len - done);
                    for k in 0..count {
                        let index = start.moved(inner, done + k);
                        // SAFETY: it is the index of element `done + k` of a row.
                        unsafe { rows.assume(index) };
                        // SAFETY: `part` says that the scratch memory has that position.
                        unsafe { pieces.set(first + k, f(index)) };
                    }
                    if in_order {
                        // SAFETY: the piece of a row was written to the scratch memory, and has these positions in the view.
                        unsafe { pieces.stream(first, flat, count, dense) };
                    } else {
                        for k in 0..count {
                            // SAFETY: as above, for each element.
                            unsafe { pieces.copy(first + k, elements.flat(row, done + k)) };
                        }
                    }
                    done += count;
                }
            });
        }
    }
}

/// The memory of a view that is borrowed mutably, and the scratch memory of one piece, in the same layout.
struct Pieces<M: Mapping, A> {
    address: A,
    frame: FrameOf<M>,
    scratch: RegionAddress,
    scratch_frame: FrameOf<M>,
}

impl<M: Mapping, A: Address> Pieces<M, A> {
    /// The number of positions in the scratch memory.
    const LEN: usize = piece::<M, A>();
    const RUN: usize = M::Layout::RUN;

    /// The position in the scratch memory of the first element of a piece, and the number of elements, if `left` elements of
    /// a row are left and the first of them has the position `flat` in the view. In order, runs end at the same elements in both.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn part(flat: Option<usize>, left: usize) -> (usize, usize) {
        let Some(flat) = flat else {
            return (0, left.min(Self::LEN));
        };
        let first = if Self::RUN <= Self::LEN { flat % Self::RUN } else { 0 };
        let count = left.min(Self::LEN - first).min(Self::LEN - flat % Self::LEN);
        // Runs longer than the scratch memory end in the view only.
        let run = if Self::RUN == usize::MAX { usize::MAX } else { Self::RUN - flat % Self::RUN };
        (first, if Self::RUN <= Self::LEN { count } else { count.min(run) })
    }

    /// Writes the record at a position of the scratch memory.
    ///
    /// # Safety
    ///
    /// The scratch memory has that position.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn set(&self, position: usize, record: M::Record) {
        let position = Position::of(position, Self::RUN);
        // SAFETY: `piece` says that the scratch memory has room for so many positions of the layout, whose frame this is, and
        // is aligned. It is borrowed here only.
        let access = unsafe { At::<&mut (), ScratchOf<M>, _>::new(self.scratch, self.scratch_frame, position) };
        record.store(&mut M::Record::bind::<_, Root<M::Record>>(access));
    }

    /// The address of a leaf at a position of the scratch memory, and at a position of the view.
    ///
    /// # Safety
    ///
    /// There are such positions and such a leaf.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn places(&self, from: usize, to: usize, leaf: usize) -> (*const u8, *mut u8) {
        let from = Position::of(from, Self::RUN);
        // SAFETY: `set` has the reason; the layout computes no leaf.
        let from =
            unsafe { Element::<M::Record, M::Layout, _>::new(self.scratch, self.scratch_frame, from).place_of(leaf) };
        let to = Position::of(to, Self::RUN);
        // SAFETY: frame and address are those of a view that is borrowed, which has that position.
        let to = unsafe { Element::<M::Record, M::Layout, _>::new(self.address, self.frame, to).place_of(leaf) };
        (from, to)
    }

    /// The size of a leaf, and the distance between neighbors in a run.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn size_and_stride(leaf: usize) -> (usize, usize) {
        (LeafTable::of::<M::Record>().leaf(leaf).size(), leaf_place::<M::Record, M::Layout>(leaf).stride)
    }

    /// The number of the lowest leaf of those that are not contiguous, if neighbors lie without a byte between them that is
    /// of none of these leaves.
    #[inline]
    fn dense(&self) -> Option<usize> {
        let place = |frame, leaf| place_of::<M::Record, M::Layout>(frame, Position::of(0, Self::RUN), leaf);
        let apart = |leaf: &usize| {
            let (size, stride) = Self::size_and_stride(*leaf);
            size > 0 && size != stride
        };
        let leaves = || (0..LeafTable::of::<M::Record>().count()).filter(apart);
        let lowest = leaves().min_by_key(|leaf| place(self.frame, *leaf).offset)?;
        let (view, scratch) = (place(self.frame, lowest), place(self.scratch_frame, lowest));
        let (_, whole) = Self::size_and_stride(lowest);
        let mut bytes = 0;
        for leaf in leaves() {
            let ((size, stride), at) = (Self::size_and_stride(leaf), place(self.frame, leaf));
            let offset = at.offset - view.offset;
            let twin = place(self.scratch_frame, leaf);
            let [of_leaf, of_lowest] = [leaf, lowest].map(leaf_place::<M::Record, M::Layout>);
            // Blocks of leaves that are alike in the first one are alike in all.
            let alike = twin.blob == scratch.blob
                && twin.offset == scratch.offset + offset
                && (of_leaf.block, of_leaf.group) == (of_lowest.block, of_lowest.group);
            if at.blob != view.blob || !alike || stride != whole || offset + size > whole {
                return None;
            }
            bytes += size;
        }
        // Leaves share no byte, so those whose sizes fill a record leave none over.
        (bytes == whole).then_some(lowest)
    }

    /// Streams `count` neighbors to the view.
    ///
    /// # Safety
    ///
    /// All of them were written to the scratch memory from position `from` on, and have the positions from `to` on in the
    /// view, where nothing else reaches them; [`part`](Self::part) gave these numbers. `dense` is from the function of that name.
    #[inline]
    unsafe fn stream(&self, from: usize, to: usize, count: usize, dense: Option<usize>) {
        let mut done = 0;
        while done < count {
            let run = if Self::RUN == usize::MAX { usize::MAX } else { Self::RUN - (to + done) % Self::RUN };
            let len = run.min(count - done);
            for leaf in 0..LeafTable::of::<M::Record>().count() {
                let (size, stride) = Self::size_and_stride(leaf);
                // SAFETY: the caller vouches for the positions, and the record has that leaf.
                let (from, to) = unsafe { self.places(from + done, to + done, leaf) };
                if size == stride || size == 0 {
                    // SAFETY: so many leaves lie there, one after another in one run, in both.
                    unsafe { stream(from, to, len * size) };
                } else if dense == Some(leaf) {
                    // SAFETY: so many records of those leaves lie there, one after another, in both.
                    unsafe { stream(from, to, len * stride) };
                } else if dense.is_none() {
                    for k in 0..len {
                        let (from, to) = (from.wrapping_add(k * stride), to.wrapping_add(k * stride));
                        // SAFETY: it is the leaf of the `k`-th neighbor in one run, in both.
                        unsafe { to.copy_from_nonoverlapping(from, size) };
                    }
                }
            }
            done += len;
        }
    }

    /// Copies one element to the view.
    ///
    /// # Safety
    ///
    /// As [`stream`](Self::stream), for one element.
    #[inline]
    unsafe fn copy(&self, from: usize, to: usize) {
        for leaf in 0..LeafTable::of::<M::Record>().count() {
            let (size, _) = Self::size_and_stride(leaf);
            // SAFETY: the caller vouches for the positions, and the record has that leaf.
            let (from, to) = unsafe { self.places(from, to, leaf) };
            // SAFETY: it is the leaf, in both.
            unsafe { to.copy_from_nonoverlapping(from, size) };
        }
    }
}
