//! Owned heap memory.
//!
//! `Heap` asks the allocator only for the alignment that it gives anyway, and for enough extra bytes that one of the
//! first addresses has the wanted alignment. Common allocators handle a larger alignment badly: for a large piece of
//! memory they write the zeros themselves, and they copy on a resize. At the usual alignment, pages become zero when they are first
//! touched, and a resize moves them by changing page tables.

use alloc::alloc::{alloc, alloc_zeroed, dealloc, handle_alloc_error, realloc};
use core::alloc::Layout;
use core::num::NonZero;
use core::ptr::NonNull;

use super::bytes::{Bytes, BytesMut};
use crate::error::ViewError;
use crate::mapping::REGION_ALIGN;

/// The alignment that allocators give by default.
const USUAL_ALIGN: usize = 2 * size_of::<usize>();
/// Up to this many bytes of zero will be written soon,
const SOON: usize = 1 << 16;
/// and are made in pieces of this size. From about 2 KiB on, processors write zeros past the first-level cache; pushes
/// of 28 bytes each into memory that is in no cache then take 1.6 times as long.
const PIECE: usize = 1 << 10;

/// Owned heap memory, aligned to 64 bytes or more.
///
/// # Examples
///
/// ```
/// use layout::blob::{Bytes, Heap};
///
/// let heap = Heap::zeroed(100, 64)?;
/// assert_eq!((heap.len(), heap.as_ptr().addr() % 64), (100, 0));
/// # Ok::<(), layout::ViewError>(())
/// ```
pub struct Heap {
    /// The first byte.
    pointer: NonNull<u8>,
    /// The number of initialized bytes.
    len: usize,
    /// The number of bytes that the memory has room for.
    capacity: usize,
    /// The distance of the first byte from the allocator's address.
    skipped: usize,
    align: usize,
}

impl Heap {
    /// Allocates `size` bytes of zero, aligned to `align` and to 64.
    ///
    /// # Errors
    ///
    /// Returns an error if the allocator has not enough memory, or if the alignment is not a power of two.
    pub fn zeroed(size: usize, align: usize) -> Result<Self, ViewError> {
        // `align` is looked at before it is raised.
        block(0, align)?;
        let align = align.max(REGION_ALIGN);
        let block = block(size, align)?;
        if size == 0 {
            return Ok(Self::nowhere(align));
        }
        // SAFETY: the block has a size other than zero.
        let pointer = unsafe { alloc_zeroed(block) };
        let start = NonNull::new(pointer).ok_or(ViewError::OutOfMemory { bytes: size })?;
        Ok(Self::at(start, size, size, align))
    }

    /// A heap without memory.
    fn nowhere(align: usize) -> Self {
        let address = NonZero::new(align.max(1 << 12)).unwrap_or(NonZero::<usize>::MIN);
        Self { pointer: NonNull::without_provenance(address), len: 0, capacity: 0, skipped: 0, align }
    }

    /// The heap of a block that starts at `start` and has memory for `capacity` bytes.
    fn at(start: NonNull<u8>, len: usize, capacity: usize, align: usize) -> Self {
        let skipped = start.align_offset(align);
        // SAFETY: the block has that many bytes before the first one.
        let pointer = unsafe { start.add(skipped) };
        Self { pointer, len, capacity, skipped, align }
    }

    /// The address of the allocator's block, if there is one, and the layout that it was requested with.
    fn block(&self) -> Option<(NonNull<u8>, Layout)> {
        let block = block(self.capacity, self.align).ok().filter(|_| self.capacity > 0)?;
        // SAFETY: the block starts that many bytes before the first one.
        Some((unsafe { self.pointer.sub(self.skipped) }, block))
    }

    /// Changes the capacity to `capacity` bytes. The first bytes stay; bytes that no longer have room are dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the allocator has not enough memory. The heap is then unchanged.
    pub(crate) fn set_capacity(&mut self, capacity: usize) -> Result<(), ViewError> {
        let out_of_memory = ViewError::OutOfMemory { bytes: capacity };
        let new = block(capacity, self.align)?;
        if capacity == self.capacity {
            return Ok(());
        }
        let len = self.len.min(capacity);
        if capacity == 0 {
            *self = Self::nowhere(self.align);
            return Ok(());
        }
        let Some((start, old)) = self.block() else {
            // SAFETY: the block has a size other than zero.
            let start = unsafe { alloc(new) };
            *self = Self::at(NonNull::new(start).ok_or(out_of_memory)?, 0, capacity, self.align);
            return Ok(());
        };
        // SAFETY: the block was allocated so, and the new size is neither zero nor too large.
        let start = NonNull::new(unsafe { realloc(start.as_ptr(), old, new.size()) }).ok_or(out_of_memory)?;
        // SAFETY: both blocks are larger than that.
        let before = unsafe { start.add(self.skipped) };
        let moved = Self::at(start, len, capacity, self.align);
        if moved.skipped != self.skipped {
            // SAFETY: both are in the block, with as many bytes after them; they may overlap.
            unsafe { before.copy_to(moved.pointer, len) };
        }
        // The old block must not be freed: the allocator already took it.
        core::mem::forget(core::mem::replace(self, moved));
        Ok(())
    }

    /// The number of bytes that there is memory for.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Adds bytes at the end.
    ///
    /// # Panics
    ///
    /// Panics if the bytes exceed the capacity.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        assert!(
            bytes.len() <= self.capacity - self.len,
            "{} bytes in memory for {}",
            bytes.len(),
            self.capacity - self.len
        );
        // SAFETY: there is memory for as many.
        let rest = unsafe { self.pointer.add(self.len) };
        // SAFETY: they are within the memory, which is borrowed mutably and nobody else's.
        unsafe { rest.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        self.len += bytes.len();
    }

    /// Writes zeros to `size` bytes from byte `start` on.
    ///
    /// # Panics
    ///
    /// Panics if the heap has no such bytes.
    pub(crate) fn zero(&mut self, start: usize, size: usize) {
        assert!(start <= self.len && size <= self.len - start, "{size} bytes from {start} on in {}", self.len);
        // SAFETY: there are as many bytes.
        let first = unsafe { self.pointer.add(start) };
        // SAFETY: they are within the memory, which is borrowed mutably.
        unsafe { first.write_bytes(0, size) };
    }

    /// Changes the length to `len` bytes. The first bytes stay, and new bytes are zero.
    ///
    /// # Panics
    ///
    /// Panics if the bytes exceed the capacity.
    pub(crate) fn set_len(&mut self, len: usize) {
        assert!(len <= self.capacity, "{len} bytes in memory for {}", self.capacity);
        while self.len < len {
            let more = len - self.len;
            let piece = if more > SOON { more } else { more.min(PIECE) };
            // SAFETY: there is memory for as many.
            let rest = unsafe { self.pointer.add(self.len) };
            // SAFETY: they are within the memory, which is borrowed mutably.
            unsafe { rest.write_bytes(0, piece) };
            self.len += piece;
        }
        self.len = len;
    }
}

/// Memory that views can be allocated in: [`Heap`], huge pages, or memory of your own.
///
/// [`Alloc::alloc_in`](crate::Alloc::alloc_in) and [`View::zeroed_in`](crate::View::zeroed_in) allocate it.
///
/// # Examples
///
/// ```
/// use core::sync::atomic::{AtomicUsize, Ordering};
///
/// use layout::prelude::*;
/// use layout::blob::{Allocate, Bytes, BytesMut, Heap};
///
/// static BYTES: AtomicUsize = AtomicUsize::new(0);
///
/// /// Memory of the heap, whose bytes are counted.
/// struct Counted(Heap);
///
/// // SAFETY: `Heap` keeps the promises, and nobody else reaches it.
/// unsafe impl Bytes for Counted {
///     const MUTABLE: bool = true;
///     fn as_ptr(&self) -> *const u8 {
///         self.0.as_ptr()
///     }
///     fn len(&self) -> usize {
///         self.0.len()
///     }
/// }
///
/// // SAFETY: as above.
/// unsafe impl BytesMut for Counted {
///     fn as_mut_ptr(&mut self) -> *mut u8 {
///         self.0.as_mut_ptr()
///     }
/// }
///
/// impl Allocate for Counted {
///     fn zeroed(size: usize, align: usize) -> Result<Self, ViewError> {
///         BYTES.fetch_add(size, Ordering::Relaxed);
///         Heap::zeroed(size, align).map(Self)
///     }
/// }
///
/// let mut view = u16::alloc_in::<SoA, Counted>(100)?;
/// view.set(5, 7);
/// assert_eq!(BYTES.load(Ordering::Relaxed), 200);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "no view can be allocated in `{Self}`",
    note = "use `Heap`, `HugePages` (feature `mmap`) of `layout::blob`, or implement `Allocate` for memory of your own",
    note = "a view of memory that exists is made by `View::from_bytes`"
)]
pub trait Allocate: BytesMut + Sized {
    /// Allocates `size` bytes of zero, aligned to `align`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is not enough memory, or if the alignment is not a power of two.
    fn zeroed(size: usize, align: usize) -> Result<Self, ViewError>;
}

impl Allocate for Heap {
    fn zeroed(size: usize, align: usize) -> Result<Self, ViewError> {
        Self::zeroed(size, align)
    }
}

/// The layout to request from the allocator: it has room for `capacity` bytes whose first byte has the alignment `align`.
fn block(capacity: usize, align: usize) -> Result<Layout, ViewError> {
    if !align.is_power_of_two() {
        return Err(ViewError::Alignment { align });
    }
    let size = capacity.checked_add(align.saturating_sub(USUAL_ALIGN));
    let block = size.and_then(|size| Layout::from_size_align(size, align.min(USUAL_ALIGN)).ok());
    block.ok_or(ViewError::OutOfMemory { bytes: capacity })
}

impl Clone for Heap {
    fn clone(&self) -> Self {
        let mut copy = Self::nowhere(self.align);
        if copy.set_capacity(self.len).is_err() {
            handle_alloc_error(Layout::from_size_align(self.len, 1).unwrap_or(Layout::new::<u8>()));
        }
        // SAFETY: both have memory for `len` bytes, in two allocations.
        unsafe { self.pointer.copy_to_nonoverlapping(copy.pointer, self.len) };
        copy.len = self.len;
        copy
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if let Some((start, block)) = self.block() {
            // SAFETY: the block was allocated so, and is not used after this.
            unsafe { dealloc(start.as_ptr(), block) };
        }
    }
}

// SAFETY: the memory is owned: whoever has the value or a borrow of it has the memory.
unsafe impl Send for Heap {}

// SAFETY: as for `Send`; a shared borrow only reads.
unsafe impl Sync for Heap {}

// SAFETY: the allocation has `len` initialized bytes, and neither moves nor changes by itself.
unsafe impl Bytes for Heap {
    const MUTABLE: bool = true;
    const OWNED: bool = true;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn as_ptr(&self) -> *const u8 {
        self.pointer.as_ptr()
    }

    fn len(&self) -> usize {
        self.len
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn kept_align(&self) -> usize {
        self.align
    }
}

// SAFETY: the allocation is owned, so that a mutable borrow of the value excludes all others.
unsafe impl BytesMut for Heap {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.pointer.as_ptr()
    }
}

/// Owned heap memory that is never written again.
///
/// [`View::freeze`](crate::View::freeze) and [`View::constant`](crate::View::constant) make it.
#[derive(Clone)]
pub struct Frozen(pub(crate) Heap);

// SAFETY: as for `Heap`; there is no way to write.
unsafe impl Bytes for Frozen {
    const MUTABLE: bool = false;
    const OWNED: bool = true;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn kept_align(&self) -> usize {
        self.0.kept_align()
    }
}
