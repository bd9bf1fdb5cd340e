//! Addresses: where the places of leaves are found from.

use crate::mapping::{Along, RecordLayout};
use crate::path::Path;
use crate::record::Record;

/// The base address of a view, from which the places of leaves are found.
///
/// # Safety
///
/// Implementors must ensure that both functions give the place of the leaf in the blobs that `self` was
/// made from, if the frame, position and leaf are ones of a mapping that those blobs were checked for.
pub unsafe trait Address: Copy + Send + Sync + 'static {
    /// Whether [`note`](Self::note) counts anything. Leaves then give no references and no slices, which it would not
    /// see.
    const NOTES: bool = false;

    /// The address of leaf `P`.
    ///
    /// # Safety
    ///
    /// The frame and the position are of a mapping that the blobs were checked for, and the blobs are borrowed.
    unsafe fn leaf<R: Record, L: RecordLayout<R>, P: Path<Root = R>>(
        self,
        frame: L::Frame,
        position: L::Position,
    ) -> *mut u8;

    /// The address of leaf number `leaf`.
    ///
    /// # Safety
    ///
    /// As [`leaf`](Self::leaf), and the record has that leaf.
    unsafe fn leaf_of<R: Record, L: RecordLayout<R>>(
        self,
        frame: L::Frame,
        position: L::Position,
        leaf: usize,
    ) -> *mut u8;

    /// The start of blob number `blob`, which lies at `start` in one allocation for all blobs.
    ///
    /// # Safety
    ///
    /// The layout that the blobs were checked for has that blob, there.
    unsafe fn blob(self, blob: usize, start: usize) -> *mut u8;

    /// The address of the blobs from number `blobs` on, of which the first lies at `start` in one allocation.
    ///
    /// # Safety
    ///
    /// As [`blob`](Self::blob), or there are no more blobs.
    unsafe fn skip(self, blobs: usize, start: usize) -> Self;

    /// The address that lies `bytes` further, of a layout with one blob; `None` if that is not to be had, or if
    /// [`note`](Self::note) counts by position.
    ///
    /// # Safety
    ///
    /// The blob is that large.
    #[inline(always)]
    unsafe fn further(self, bytes: usize) -> Option<Self> {
        let _ = bytes;
        None
    }

    /// Takes note of the use of a leaf.
    ///
    /// # Safety
    ///
    /// As [`leaf_of`](Self::leaf_of).
    #[inline(always)]
    unsafe fn note<R: Record, L: RecordLayout<R>>(
        self,
        used: Use,
        frame: L::Frame,
        position: L::Position,
        leaf: usize,
    ) {
        let _ = (used, frame, position, leaf);
    }
}

/// How a leaf is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Its value is read.
    Read,
    /// Its value is written.
    Write,
}

/// The start of the one allocation that all blobs lie in.
#[derive(Clone, Copy, Debug)]
pub struct RegionAddress(pub(super) *mut u8);

impl RegionAddress {
    /// The address of an allocation that starts at `base`: for a layout that keeps all blobs of another one in a blob
    /// of its own.
    #[inline(always)]
    #[must_use]
    pub const fn new(base: *mut u8) -> Self {
        Self(base)
    }
}

/// The start of a table with the address of each blob.
#[derive(Clone, Copy, Debug)]
pub struct TableAddress(pub(super) *const *mut u8);

// SAFETY: an address is a number until it is used, which is `unsafe` and asks that the blobs be borrowed.
unsafe impl Send for RegionAddress {}
// SAFETY: as above.
unsafe impl Sync for RegionAddress {}
// SAFETY: as above.
unsafe impl Send for TableAddress {}
// SAFETY: as above.
unsafe impl Sync for TableAddress {}

/// The address at an offset from `base`, computed so that the compiler sees neighbours equally spaced.
///
/// As a step over values or records where neighbours lie that far apart, since it then counts lanes, and not bytes;
/// else as a sum that it knows not to overflow.
///
/// # Safety
///
/// The offset lies within the memory that starts at `base`, and the sum that [`Along`] says does not overflow.
#[inline(always)]
unsafe fn offset<T, R>(base: *mut u8, along: Along) -> *mut u8 {
    if along.stride == size_of::<T>() {
        // SAFETY: the start is no larger than the offset, which lies within the memory.
        let start = unsafe { base.add(along.start) };
        // SAFETY: it is the offset, which lies within the memory.
        unsafe { start.cast::<T>().add(along.lane) }.cast()
    } else if along.stride == size_of::<R>() {
        // SAFETY: the start is no larger than the offset, which lies within the memory.
        let start = unsafe { base.add(along.start) };
        // SAFETY: it is the offset, which lies within the memory.
        unsafe { start.cast::<R>().add(along.lane) }.cast()
    } else {
        // SAFETY: the sum does not overflow.
        let lanes = unsafe { along.lane.unchecked_mul(along.stride) };
        // SAFETY: as above.
        let offset = unsafe { along.start.unchecked_add(lanes) };
        // SAFETY: it is the offset, which lies within the memory.
        unsafe { base.add(offset) }
    }
}

// SAFETY: `in_region` is the offset in the one allocation that starts here.
unsafe impl Address for RegionAddress {
    #[inline(always)]
    unsafe fn leaf<R: Record, L: RecordLayout<R>, P: Path<Root = R>>(
        self,
        frame: L::Frame,
        position: L::Position,
    ) -> *mut u8 {
        // SAFETY: the region was checked to have the size that the layout asks for, which fits `isize`, and
        // `RecordLayout` promises an offset below it, by a sum without overflow.
        unsafe { offset::<P::Type, R>(self.0, L::in_region::<P>(frame, position)) }
    }

    #[inline(always)]
    unsafe fn leaf_of<R: Record, L: RecordLayout<R>>(
        self,
        frame: L::Frame,
        position: L::Position,
        leaf: usize,
    ) -> *mut u8 {
        // SAFETY: as in `leaf`.
        unsafe { self.0.add(L::in_region_of(frame, position, leaf)) }
    }

    #[inline(always)]
    unsafe fn blob(self, _: usize, start: usize) -> *mut u8 {
        // SAFETY: the region has the blob there, as the caller promises.
        unsafe { self.0.add(start) }
    }

    #[inline(always)]
    unsafe fn skip(self, _: usize, start: usize) -> Self {
        // SAFETY: as in `blob`, or it is the end of the region.
        Self(unsafe { self.0.add(start) })
    }

    #[inline(always)]
    unsafe fn further(self, bytes: usize) -> Option<Self> {
        // SAFETY: the region is that large, as the caller promises.
        Some(Self(unsafe { self.0.add(bytes) }))
    }
}

// SAFETY: `place` is the offset in the blob whose address the table has.
unsafe impl Address for TableAddress {
    #[inline(always)]
    unsafe fn leaf<R: Record, L: RecordLayout<R>, P: Path<Root = R>>(
        self,
        frame: L::Frame,
        position: L::Position,
    ) -> *mut u8 {
        let (blob, along) = L::place::<P>(frame, position);
        // SAFETY: the number of blobs was checked, and `RecordLayout` promises a blob below it.
        let entry = unsafe { self.0.add(blob) };
        // SAFETY: the table is borrowed with the blobs.
        let blob = unsafe { *entry };
        // SAFETY: the blob's size was checked, and `RecordLayout` promises an offset below it, by a sum without
        // overflow.
        unsafe { offset::<P::Type, R>(blob, along) }
    }

    #[inline(always)]
    unsafe fn leaf_of<R: Record, L: RecordLayout<R>>(
        self,
        frame: L::Frame,
        position: L::Position,
        leaf: usize,
    ) -> *mut u8 {
        let place = L::place_of(frame, position, leaf);
        // SAFETY: as in `leaf`.
        let entry = unsafe { self.0.add(place.blob) };
        // SAFETY: as in `leaf`.
        let blob = unsafe { *entry };
        // SAFETY: as in `leaf`.
        unsafe { blob.add(place.offset) }
    }

    #[inline(always)]
    unsafe fn blob(self, blob: usize, _: usize) -> *mut u8 {
        // SAFETY: the table has that blob, as the caller promises.
        let entry = unsafe { self.0.add(blob) };
        // SAFETY: the table is borrowed with the blobs.
        unsafe { *entry }
    }

    #[inline(always)]
    unsafe fn skip(self, blobs: usize, _: usize) -> Self {
        // SAFETY: the table has that entry, or ends there.
        Self(unsafe { self.0.add(blobs) })
    }
}

/// The functions of an [`Address`] that stands for another one, in its field `address`.
#[cfg(feature = "alloc")]
macro_rules! of_the_address_inside {
    () => {
        #[inline(always)]
        unsafe fn leaf<R: Record, L: RecordLayout<R>, P: crate::path::Path<Root = R>>(
            self,
            frame: L::Frame,
            position: L::Position,
        ) -> *mut u8 {
            // SAFETY: the conditions are the caller's.
            unsafe { self.address.leaf::<R, L, P>(frame, position) }
        }

        #[inline(always)]
        unsafe fn leaf_of<R: Record, L: RecordLayout<R>>(
            self,
            frame: L::Frame,
            position: L::Position,
            leaf: usize,
        ) -> *mut u8 {
            // SAFETY: the conditions are the caller's.
            unsafe { self.address.leaf_of::<R, L>(frame, position, leaf) }
        }

        #[inline(always)]
        unsafe fn blob(self, blob: usize, start: usize) -> *mut u8 {
            // SAFETY: the conditions are the caller's.
            unsafe { self.address.blob(blob, start) }
        }

        #[inline(always)]
        unsafe fn skip(self, blobs: usize, start: usize) -> Self {
            // SAFETY: the conditions are the caller's.
            Self { address: unsafe { self.address.skip(blobs, start) }, ..self }
        }
    };
}
#[cfg(feature = "alloc")]
pub(super) use of_the_address_inside;
