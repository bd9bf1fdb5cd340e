//! Bytes at an address: borrowed slices, owned memory, and memory inside the view itself.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, sync::Arc, vec::Vec};

#[cfg(feature = "alloc")]
use crate::error::ViewError;

/// Bytes at an address that stays the same while they are borrowed.
///
/// # Safety
///
/// Implementors must ensure that [`as_ptr`](Self::as_ptr) points to [`len`](Self::len) initialized bytes,
/// which do not change while `self` is borrowed, and that neither answer changes while `self` is neither
/// moved nor borrowed mutably; that moving `self` keeps the address a multiple of every power of two up to
/// [`STABLE_ALIGN`](Self::STABLE_ALIGN) that it was a multiple of; and that [`MUTABLE`](Self::MUTABLE) is
/// true if the type is [`BytesMut`].
///
/// # Examples
///
/// ```
/// use layout_core::Bytes;
///
/// assert_eq!(Bytes::len(&vec![1_u8, 2, 3]), 3);
/// assert!(<Vec<u8> as Bytes>::MUTABLE && !<&[u8] as Bytes>::MUTABLE);
/// ```
pub unsafe trait Bytes {
    /// Whether the bytes may be written.
    const MUTABLE: bool;
    /// The largest alignment that survives moving `self`: all of them, if the bytes lie elsewhere.
    const STABLE_ALIGN: usize = usize::MAX;
    /// Whether the memory was made for a view, so that bytes in no leaf of it mean nothing to anybody.
    const OWNED: bool = false;

    /// The address of the first byte.
    fn as_ptr(&self) -> *const u8;

    /// The number of bytes.
    fn len(&self) -> usize;

    /// Whether there are no bytes.
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

/// Bytes inside the view itself, aligned to 64: storage for a view of static extents without a heap.
///
/// # Examples
///
/// ```
/// use layout_core::{Bytes, Inline};
///
/// let bytes = Inline::<128>::zeroed();
/// assert_eq!(bytes.len(), 128);
/// assert_eq!(align_of_val(&bytes), 64);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Inline<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Inline<BYTES> {
    /// Bytes of zero.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(layout_core::Bytes::is_empty(&layout_core::Inline::<0>::zeroed()));
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

/// Owned heap memory, aligned to 64 bytes or more.
///
/// # Examples
///
/// ```
/// use layout_core::{Bytes, Heap};
///
/// let heap = Heap::zeroed(100, 64)?;
/// assert_eq!((heap.len(), heap.as_ptr().addr() % 64), (100, 0));
/// # Ok::<(), layout_core::ViewError>(())
/// ```
#[cfg(feature = "alloc")]
pub struct Heap {
    pointer: core::ptr::NonNull<u8>,
    layout: core::alloc::Layout,
}

#[cfg(feature = "alloc")]
impl Heap {
    /// `size` bytes of zero, aligned to `align`.
    ///
    /// # Errors
    ///
    /// If the allocator has no such memory.
    pub fn zeroed(size: usize, align: usize) -> Result<Self, ViewError> {
        let out_of_memory = ViewError::OutOfMemory { bytes: size };
        let layout = core::alloc::Layout::from_size_align(size, align).map_err(|_| out_of_memory)?;
        if size == 0 {
            return Ok(Self {
                pointer: core::ptr::NonNull::without_provenance(const { core::num::NonZero::new(1 << 12).unwrap() }),
                layout,
            });
        }
        // SAFETY: the layout has a size other than zero.
        let pointer = unsafe { alloc::alloc::alloc_zeroed(layout) };
        Ok(Self { pointer: core::ptr::NonNull::new(pointer).ok_or(out_of_memory)?, layout })
    }

    /// Memory of `size` bytes, aligned to `align`: the first `count` of this one, and zero.
    ///
    /// # Panics
    ///
    /// Panics if this memory, or the new one, has fewer than `count` bytes.
    ///
    /// # Errors
    ///
    /// If the allocator has no such memory.
    pub(crate) fn extended(&self, count: usize, size: usize, align: usize) -> Result<Self, ViewError> {
        assert!(count <= self.layout.size() && count <= size, "{count} bytes of {} for {size}", self.layout.size());
        if size == 0 {
            return Self::zeroed(size, align);
        }
        let out_of_memory = ViewError::OutOfMemory { bytes: size };
        let layout = core::alloc::Layout::from_size_align(size, align).map_err(|_| out_of_memory)?;
        // SAFETY: the layout has a size other than zero.
        let pointer = core::ptr::NonNull::new(unsafe { alloc::alloc::alloc(layout) }).ok_or(out_of_memory)?;
        // SAFETY: both have as many bytes, in two allocations.
        unsafe { self.pointer.copy_to_nonoverlapping(pointer, count) };
        // SAFETY: as above.
        let rest = unsafe { pointer.add(count) };
        // SAFETY: they are the other bytes of the new allocation.
        unsafe { rest.write_bytes(0, size - count) };
        Ok(Self { pointer, layout })
    }
}

#[cfg(feature = "alloc")]
impl Clone for Heap {
    fn clone(&self) -> Self {
        if self.layout.size() == 0 {
            return Self { pointer: self.pointer, layout: self.layout };
        }
        // SAFETY: the layout has a size other than zero.
        let pointer = unsafe { alloc::alloc::alloc(self.layout) };
        let Some(pointer) = core::ptr::NonNull::new(pointer) else { alloc::alloc::handle_alloc_error(self.layout) };
        // SAFETY: both point to `size` bytes, of two allocations; those of the copy are all written.
        unsafe { self.pointer.copy_to_nonoverlapping(pointer, self.layout.size()) };
        Self { pointer, layout: self.layout }
    }
}

#[cfg(feature = "alloc")]
impl Drop for Heap {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: the pointer was allocated with this layout, and is not used after this.
            unsafe { alloc::alloc::dealloc(self.pointer.as_ptr(), self.layout) };
        }
    }
}

// SAFETY: the memory is owned: whoever has the value or a borrow of it has the memory.
#[cfg(feature = "alloc")]
unsafe impl Send for Heap {}

// SAFETY: as for `Send`; a shared borrow only reads.
#[cfg(feature = "alloc")]
unsafe impl Sync for Heap {}

// SAFETY: the allocation has `size` bytes, zero at first, and neither moves nor changes by itself.
#[cfg(feature = "alloc")]
unsafe impl Bytes for Heap {
    const MUTABLE: bool = true;
    const OWNED: bool = true;

    #[inline(always)]
    fn as_ptr(&self) -> *const u8 {
        self.pointer.as_ptr()
    }

    fn len(&self) -> usize {
        self.layout.size()
    }
}

// SAFETY: the allocation is owned, so that a mutable borrow of the value excludes all others.
#[cfg(feature = "alloc")]
unsafe impl BytesMut for Heap {
    #[inline(always)]
    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.pointer.as_ptr()
    }
}

/// Owned heap memory that is written no more.
///
/// Made by [`View::freeze`](crate::View::freeze) and [`View::constant`](crate::View::constant).
#[cfg(feature = "alloc")]
pub struct Frozen(pub(crate) Heap);

#[cfg(feature = "alloc")]
impl Clone for Frozen {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

// SAFETY: as for `Heap`; there is no way to write.
#[cfg(feature = "alloc")]
unsafe impl Bytes for Frozen {
    const MUTABLE: bool = false;
    const OWNED: bool = true;

    #[inline(always)]
    fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
