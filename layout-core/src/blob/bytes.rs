//! Sources of bytes: slices, and memory inside the view itself.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, sync::Arc, vec::Vec};

/// Bytes at an address that stays the same while they are borrowed.
///
/// # Safety
///
/// Implementors must ensure that [`as_ptr`](Self::as_ptr) points to [`len`](Self::len) initialized bytes,
/// which do not change while `self` is borrowed, and that neither answer changes while `self` is neither
/// moved nor borrowed mutably; that moving `self` keeps the address a multiple of every power of two up to
/// [`STABLE_ALIGN`](Self::STABLE_ALIGN) that it was a multiple of; that [`MUTABLE`](Self::MUTABLE) is
/// true if the type is [`BytesMut`]; and that a value gives the same answers as one of a supertype.
///
/// # Examples
///
/// ```
/// use layout::blob::Bytes;
///
/// assert_eq!(Bytes::len(&vec![1_u8, 2, 3]), 3);
/// assert!(<Vec<u8> as Bytes>::MUTABLE && !<&[u8] as Bytes>::MUTABLE);
/// ```
pub unsafe trait Bytes {
    /// `true` if the bytes may be written.
    const MUTABLE: bool;
    /// The largest alignment of the address that is kept when `self` moves: any alignment, if the bytes lie outside `self`.
    const STABLE_ALIGN: usize = usize::MAX;
    /// `true` if the memory was made for a view, so that nobody uses its bytes outside leaves.
    const OWNED: bool = false;

    /// The address of the first byte.
    fn as_ptr(&self) -> *const u8;

    /// The number of bytes.
    fn len(&self) -> usize;

    /// The largest alignment that clones of `self` have, too, and the memory to which `self` grows: that for which it was allocated, since an
    /// address may happen to be a multiple of more.
    #[doc(hidden)] // Of the memory that this crate clones or lengthens; clones of a `Vec<u8>` lie anywhere, and views of it have none.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn kept_align(&self) -> usize {
        Self::STABLE_ALIGN
    }

    /// Returns `true` if there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// [`Bytes`] that may be written.
///
/// # Safety
///
/// Implementors must ensure that [`as_mut_ptr`](Self::as_mut_ptr) gives the same bytes as
/// [`Bytes::as_ptr`], and that nothing else reaches them while `self` is borrowed mutably.
#[diagnostic::on_unimplemented(
    message = "the bytes `{Self}` of this view cannot be written",
    note = "make the view of bytes that can: owned memory, `&mut [u8]`, `Vec<u8>` or `Box<[u8]>`"
)]
pub unsafe trait BytesMut: Bytes {
    /// The address of the first byte.
    fn as_mut_ptr(&mut self) -> *mut u8;
}

macro_rules! bytes {
    ([$($generics:tt)*] $bytes:ty, $mutable:literal) => {
        // SAFETY: the type dereferences to a byte slice elsewhere, which is initialized and does not change or
        // move while the value is borrowed, nor when it is moved.
        unsafe impl<$($generics)*> Bytes for $bytes {
            const MUTABLE: bool = $mutable;

            fn as_ptr(&self) -> *const u8 {
                let slice: &[u8] = self;
                slice.as_ptr()
            }

            fn len(&self) -> usize {
                let slice: &[u8] = self;
                slice.len()
            }
        }
    };
    (mut [$($generics:tt)*] $bytes:ty) => {
        bytes!([$($generics)*] $bytes, true);

        // SAFETY: a mutable borrow of the value is one of the slice.
        unsafe impl<$($generics)*> BytesMut for $bytes {
            fn as_mut_ptr(&mut self) -> *mut u8 {
                let slice: &mut [u8] = self;
                slice.as_mut_ptr()
            }
        }
    };
}

bytes!(['a] &'a [u8], false);
bytes!(mut ['a] &'a mut [u8]);
#[cfg(feature = "alloc")]
bytes!(mut [] Vec<u8>);
#[cfg(feature = "alloc")]
bytes!(mut [] Box<[u8]>);
#[cfg(feature = "alloc")]
bytes!([] Arc<[u8]>, false);
// Who maps a file promises that nobody else changes it: the constructors of these types are unsafe for that reason.
#[cfg(feature = "mmap")]
bytes!([] memmap2::Mmap, false);
#[cfg(feature = "mmap")]
bytes!(mut [] memmap2::MmapMut);

/// Bytes inside the view itself, aligned to 64: storage without a heap for a view of static extents.
///
/// # Examples
///
/// ```
/// use layout::Inline;
/// use layout::blob::Bytes;
///
/// let bytes = Inline::<128>::zeroed();
/// assert_eq!(bytes.len(), 128);
/// assert_eq!(align_of_val(&bytes), 64);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Inline<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Inline<BYTES> {
    /// Makes bytes of zero.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(layout::blob::Bytes::is_empty(&layout::Inline::<0>::zeroed()));
    /// ```
    #[must_use]
    pub const fn zeroed() -> Self {
        Self([0; BYTES])
    }
}

// SAFETY: the bytes are the array's, and the type is aligned to 64 wherever it is moved.
unsafe impl<const BYTES: usize> Bytes for Inline<BYTES> {
    const MUTABLE: bool = true;
    const STABLE_ALIGN: usize = align_of::<Self>();
    const OWNED: bool = true;

    fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }

    fn len(&self) -> usize {
        BYTES
    }
}

// SAFETY: a mutable borrow of the value is one of the array.
unsafe impl<const BYTES: usize> BytesMut for Inline<BYTES> {
    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr()
    }
}
