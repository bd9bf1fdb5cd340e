//! Blobs: the bytes of a view, owned or borrowed.

mod address;
mod borrowed;
mod bytes;
#[cfg(feature = "alloc")]
mod heap;
#[cfg(feature = "alloc")]
mod heat;
#[cfg(feature = "mmap")]
mod huge;
#[cfg(feature = "alloc")]
mod list;
mod observed;
#[cfg(feature = "alloc")]
mod structs;
#[cfg(feature = "alloc")]
mod trace;

#[cfg(feature = "alloc")]
use alloc::sync::Arc;

pub use address::{Address, RegionAddress, TableAddress, Use};
pub use borrowed::{Exclusive, Records, RecordsMut, Separate, SeparateMut, Shared};
pub use bytes::{Bytes, BytesMut, Inline};
#[cfg(feature = "alloc")]
pub use heap::{Allocate, Frozen, Heap};
#[cfg(feature = "alloc")]
pub use heat::Heat;
#[cfg(feature = "mmap")]
pub use huge::HugePages;
#[cfg(feature = "alloc")]
pub use list::SeparateList;
pub use observed::{Noted, Observed, ObservedAddress, Observer};
#[cfg(feature = "alloc")]
pub use structs::{Sequence, Structs};
#[cfg(feature = "alloc")]
pub use trace::{LeafUses, Trace, Uses};

use crate::error::ViewError;
use crate::mapping::RecordLayout;
use crate::record::Record;

/// The blobs of a view.
///
/// # Safety
///
/// Implementors must ensure that [`address`](Self::address) gives, while `self` is borrowed, the blobs that
/// were checked, that [`MUTABLE`](Self::MUTABLE) is true if the type is [`BlobsMut`], what
/// [`HAS_FREE_GAPS`](Self::HAS_FREE_GAPS) says if it is true, and that a value gives the same answers as one of a supertype.
///
/// # Examples
///
/// ```
/// use layout::{Blobs, Region};
///
/// assert!(<Region<Vec<u8>> as Blobs>::MUTABLE);
/// assert!(!<Region<&[u8]> as Blobs>::MUTABLE);
/// ```
pub unsafe trait Blobs {
    /// The kind of address.
    type Address: Address;
    /// `true` if the blobs may be written.
    const MUTABLE: bool;
    /// `true` if the bytes outside leaves are initialized and nobody uses them, so a copy of all elements may copy them
    /// too. The address is then that of one piece of memory, at the start of the blobs. Memory that a view allocated is
    /// of this kind.
    const HAS_FREE_GAPS: bool = false;

    /// The address.
    fn address(&self) -> Self::Address;
}

/// [`Blobs`] that may be written.
///
/// # Safety
///
/// Implementors must ensure that the address gives the same blobs as [`Blobs::address`], and that nothing
/// else reaches the leaves of the view while `self` is borrowed mutably.
// Most methods have this bound themselves, not on their impl block: only then does the compiler show the message.
#[diagnostic::on_unimplemented(
    message = "this view is to be read: its blobs `{Self}` cannot be written",
    note = "make the view of owned memory, `&mut [u8]` or `&mut [T]`, or take it by `&mut`; \
            a part of a view is written by `slice_mut`, not by `slice`; generic code needs `B: BlobsMut`",
    note = "in a task, the view of a store that is an argument by `write` or `update` can be written, by `read` it cannot"
)]
pub unsafe trait BlobsMut: Blobs {
    /// The address.
    fn address_mut(&mut self) -> Self::Address;
}

/// Blobs that come from outside and can be checked against a layout.
///
/// # Safety
///
/// Implementors must ensure that blobs which pass have the number, sizes and alignments that the layout
/// asks for, now and whenever they are borrowed later.
pub unsafe trait NewBlobs: Blobs {
    /// Checks the blobs against a layout with `slots` positions.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too few blobs, or if a blob is too small or not aligned.
    fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError>;
}

/// Blobs whose clones fit every mapping that the original fits.
///
/// # Safety
///
/// Implementors must ensure that a clone has the same bytes, and keeps number, sizes and alignments: where memory is
/// copied, the copy is aligned as the original is.
pub unsafe trait CloneBlobs: Blobs + Clone {}

// SAFETY: a clone of `Heap` has its size and alignment.
#[cfg(feature = "alloc")]
unsafe impl CloneBlobs for Region<Heap> {}
// SAFETY: as above.
#[cfg(feature = "alloc")]
unsafe impl CloneBlobs for Region<Frozen> {}
// SAFETY: as above.
#[cfg(feature = "mmap")]
unsafe impl CloneBlobs for Region<HugePages> {}
// SAFETY: size and alignment are those of the type, and the check is on no larger alignment.
unsafe impl<const BYTES: usize> CloneBlobs for Region<Inline<BYTES>> {}
// SAFETY: a clone is the same bytes.
unsafe impl CloneBlobs for Region<&[u8]> {}
// SAFETY: a clone is the same bytes.
#[cfg(feature = "alloc")]
unsafe impl CloneBlobs for Region<Arc<[u8]>> {}
// SAFETY: a clone is the same records.
unsafe impl<R: Record> CloneBlobs for Records<'_, R> {}
// SAFETY: a clone is the same blobs.
unsafe impl<A: Address> CloneBlobs for Shared<'_, A> {}

impl Copy for Region<&[u8]> {}

/// One piece of memory that holds all blobs of a mapping, one after another.
///
/// Several blobs lie in the order of their numbers; the layout determines the start of each.
#[derive(Clone, Debug)]
pub struct Region<B>(pub(crate) B);

impl<B> Region<B> {
    /// Returns the memory itself, which was given to [`View::from_bytes`](crate::View::from_bytes).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = View::from_bytes(Mapped::<u8, _, AoS>::new(extents!(dyn 3))?, vec![1, 2, 3])?;
    /// view.set(1, 7);
    /// let bytes: Vec<u8> = view.into_blobs().into_inner();
    /// assert_eq!(bytes, [1, 7, 3]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn into_inner(self) -> B {
        self.0
    }
}

// SAFETY: `Bytes` promises an address that stays while borrowed.
unsafe impl<B: Bytes> Blobs for Region<B> {
    type Address = RegionAddress;
    const MUTABLE: bool = B::MUTABLE;
    const HAS_FREE_GAPS: bool = B::OWNED;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> RegionAddress {
        RegionAddress(self.0.as_ptr().cast_mut())
    }
}

// SAFETY: `BytesMut` promises exclusive access.
unsafe impl<B: BytesMut> BlobsMut for Region<B> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn address_mut(&mut self) -> RegionAddress {
        RegionAddress(self.0.as_mut_ptr())
    }
}

/// Checks the size and the alignment of one blob. `stable` is the largest alignment that the address keeps when the blob moves, and `kept`
/// the largest one that its clones have, too.
fn check_blob<R: Record, L: RecordLayout<R>>(
    blob: usize,
    address: *const u8,
    (stable, kept): (usize, usize),
    given: usize,
    needed: usize,
) -> Result<(), ViewError> {
    let align = if L::ALIGNED { L::ALIGN } else { 1 };
    check_blob_at(blob, address, align, given, needed)?;
    // Memory that lies elsewhere may grow, also if it has no byte.
    if needed > 0 && align > stable.min(kept) || stable == usize::MAX && align > kept {
        return Err(ViewError::BlobAlignment { blob, needed: align });
    }
    Ok(())
}

/// Checks the size of one blob, and that its address is a multiple of `align`.
fn check_blob_at(blob: usize, address: *const u8, align: usize, given: usize, needed: usize) -> Result<(), ViewError> {
    if given < needed {
        return Err(ViewError::BlobSize { blob, given, needed });
    }
    if needed > 0 && !address.addr().is_multiple_of(align) {
        return Err(ViewError::BlobAlignment { blob, needed: align });
    }
    Ok(())
}

// SAFETY: `Bytes` promises that address and length stay, as far as the alignment that is checked.
unsafe impl<B: Bytes> NewBlobs for Region<B> {
    fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError> {
        let (given, needed) = (self.0.len(), layout.region_size(slots));
        if L::BLOBS > 1 && given < needed {
            return Err(ViewError::RegionSize { blobs: L::BLOBS, given, needed });
        }
        check_blob::<R, L>(0, self.0.as_ptr(), (B::STABLE_ALIGN, self.0.kept_align()), given, needed)
    }
}
