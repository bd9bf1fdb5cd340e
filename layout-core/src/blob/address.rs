//! Addresses: the base addresses from which the places of leaves are computed.

use crate::mapping::{Element, RecordLayout};
use crate::record::Record;

/// The base address of a view, from which the places of leaves are computed.
///
/// # Safety
///
/// Implementors must ensure that [`blob`](Self::blob) and [`skip`](Self::skip) give the blobs that `self` was made from, if
/// they are ones of a mapping that those blobs were checked for, also as a value of a supertype.
pub unsafe trait Address: Copy + Send + Sync + 'static {
    /// `true` if [`note`](Self::note) reports uses to an observer. Leaves then give no references and no slices, whose
    /// uses the observer would not see.
    const NOTES: bool = false;

    /// The start of blob number `blob`; its offset is `start` in one allocation for all blobs.
    ///
    /// # Safety
    ///
    /// The layout that the blobs were checked for has that blob, there.
    unsafe fn blob(self, blob: usize, start: usize) -> *mut u8;

    /// The address of the blobs from number `blobs` on; the offset of the first of them is `start` in one allocation.
    ///
    /// # Safety
    ///
    /// As [`blob`](Self::blob), or there are no more blobs.
    unsafe fn skip(self, blobs: usize, start: usize) -> Self;

    /// The address `bytes` further, in a layout of one blob. Returns `None` if there is no such address, or if
    /// [`note`](Self::note) counts by position.
    ///
    /// # Safety
    ///
    /// The blob is that large.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn further(self, bytes: usize) -> Option<Self> {
        let _ = bytes;
        None
    }

    /// The address for a view of a part of the record, whose first leaf is leaf number `leaf` of this address's record.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn part(self, leaf: usize) -> Self {
        let _ = leaf;
        self
    }

    /// Reports the use of leaf number `leaf` of an element in the blobs of this address.
    ///
    /// # Safety
    ///
    /// The frame and the position are of a mapping that the blobs were checked for, and the blobs are borrowed; the record
    /// has that leaf.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn note<R: Record, L: RecordLayout<R>>(self, used: Use, element: Element<R, L, Self>, leaf: usize) {
        let _ = (used, element, leaf);
    }
}

/// The use of a leaf: a read or a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The value is read.
    Read,
    /// The value is written.
    Write,
}

/// The start of one allocation that holds all blobs.
#[derive(Clone, Copy, Debug)]
pub struct RegionAddress(pub(super) *mut u8);

impl RegionAddress {
    /// The address of an allocation that starts at `base`, for a layout that keeps all blobs of another layout inside
    /// one blob of its own.
    #[cfg_attr(not(unoptimized), inline(always))]
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

// SAFETY: the one allocation starts here, and blobs where the layout says.
unsafe impl Address for RegionAddress {
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn blob(self, _: usize, start: usize) -> *mut u8 {
        // SAFETY: the region has the blob there, as the caller promises.
        unsafe { self.0.add(start) }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn skip(self, _: usize, start: usize) -> Self {
        // SAFETY: as in `blob`, or it is the end of the region.
        Self(unsafe { self.0.add(start) })
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn further(self, bytes: usize) -> Option<Self> {
        // SAFETY: the region is that large, as the caller promises.
        Some(Self(unsafe { self.0.add(bytes) }))
    }
}

// SAFETY: the table has the address of each blob.
unsafe impl Address for TableAddress {
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn blob(self, blob: usize, _: usize) -> *mut u8 {
        // SAFETY: the table has that blob, as the caller promises.
        let entry = unsafe { self.0.add(blob) };
        // SAFETY: the table is borrowed with the blobs.
        unsafe { *entry }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn skip(self, blobs: usize, _: usize) -> Self {
        // SAFETY: the table has that entry, or ends there.
        Self(unsafe { self.0.add(blobs) })
    }
}
