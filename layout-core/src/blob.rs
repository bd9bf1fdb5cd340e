//! Blobs: the bytes that a view lies in, owned or borrowed.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::marker::PhantomData;

use crate::error::ViewError;
use crate::mapping::{Along, RecordLayout};
use crate::path::Path;
use crate::record::Record;
use crate::tree::LeafTable;

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
}

#[cfg(feature = "alloc")]
impl Clone for Heap {
    fn clone(&self) -> Self {
        let Ok(copy) = Self::zeroed(self.layout.size(), self.layout.align()) else {
            alloc::alloc::handle_alloc_error(self.layout)
        };
        // SAFETY: both point to `size` bytes, of two allocations.
        unsafe { self.pointer.copy_to_nonoverlapping(copy.pointer, self.layout.size()) };
        copy
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

/// The base address of a view, from which the places of leaves are found.
///
/// # Safety
///
/// Implementors must ensure that both functions give the place of the leaf in the blobs that `self` was
/// made from, if the frame, position and leaf are ones of a mapping that those blobs were checked for.
pub unsafe trait Address: Copy + Send + Sync + 'static {
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
}

/// The start of the one allocation that all blobs lie in.
#[derive(Clone, Copy, Debug)]
pub struct RegionAddress(*mut u8);

/// The start of a table with the address of each blob.
#[derive(Clone, Copy, Debug)]
pub struct TableAddress(*const *mut u8);

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
}

/// The blobs of a view.
///
/// # Safety
///
/// Implementors must ensure that [`address`](Self::address) gives, while `self` is borrowed, the blobs that
/// were checked, and that [`MUTABLE`](Self::MUTABLE) is true if the type is [`BlobsMut`].
///
/// # Examples
///
/// ```
/// use layout_core::{Blobs, Region};
///
/// assert!(<Region<Vec<u8>> as Blobs>::MUTABLE);
/// assert!(!<Region<&[u8]> as Blobs>::MUTABLE);
/// ```
pub unsafe trait Blobs {
    /// The kind of address.
    type Address: Address;
    /// Whether the blobs may be written.
    const MUTABLE: bool;

    /// The address.
    fn address(&self) -> Self::Address;
}

/// [`Blobs`] that may be written.
///
/// # Safety
///
/// Implementors must ensure that the address gives the same blobs as [`Blobs::address`], and that nothing
/// else reaches the leaves of the view while `self` is borrowed mutably.
#[diagnostic::on_unimplemented(
    message = "the blobs `{Self}` of this view cannot be written",
    note = "make the view of owned memory, `&mut [u8]` or `&mut [T]`, or take it by `&mut`"
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
    /// Checks the blobs.
    ///
    /// # Errors
    ///
    /// Where there are too few, or one is too small or not aligned.
    fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError>;
}

/// Blobs whose clones fit whatever mapping they fit.
///
/// # Safety
///
/// Implementors must ensure that a clone has the same bytes, and keeps number, sizes and alignments: where memory is
/// copied, the copy is aligned as the original is.
pub unsafe trait CloneBlobs: Blobs + Clone {}

// SAFETY: a clone of `Heap` has its size and alignment.
#[cfg(feature = "alloc")]
unsafe impl CloneBlobs for Region<Heap> {}
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

/// One piece of memory with all blobs of a mapping, one after another.
///
/// A mapping of several blobs has them in the order of their numbers; where each starts is the layout's affair.
#[derive(Clone, Debug)]
pub struct Region<B>(pub(crate) B);

// SAFETY: `Bytes` promises an address that stays while borrowed.
unsafe impl<B: Bytes> Blobs for Region<B> {
    type Address = RegionAddress;
    const MUTABLE: bool = B::MUTABLE;

    #[inline(always)]
    fn address(&self) -> RegionAddress {
        RegionAddress(self.0.as_ptr().cast_mut())
    }
}

// SAFETY: `BytesMut` promises exclusive access.
unsafe impl<B: BytesMut> BlobsMut for Region<B> {
    #[inline(always)]
    fn address_mut(&mut self) -> RegionAddress {
        RegionAddress(self.0.as_mut_ptr())
    }
}

/// Checks size and alignment of one blob, whose address keeps alignments up to `stable` when moved.
fn check_blob<R: Record, L: RecordLayout<R>>(
    blob: usize,
    address: *const u8,
    stable: usize,
    given: usize,
    needed: Option<usize>,
) -> Result<(), ViewError> {
    let needed = needed.unwrap_or(usize::MAX);
    if given < needed {
        return Err(ViewError::BlobSize { blob, given, needed });
    }
    let align = LeafTable::of::<R>().max_align();
    if L::ALIGNED && needed > 0 && (align > stable || !address.addr().is_multiple_of(align)) {
        return Err(ViewError::BlobAlignment { blob, needed: align });
    }
    Ok(())
}

// SAFETY: `Bytes` promises that address and length stay, as far as the alignment that is checked.
unsafe impl<B: Bytes> NewBlobs for Region<B> {
    fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError> {
        check_blob::<R, L>(0, self.0.as_ptr(), B::STABLE_ALIGN, self.0.len(), layout.region_size(slots))
    }
}

/// Borrowed blobs, each in a slice of its own.
///
/// Made by [`View::from_blobs`](crate::View::from_blobs).
#[derive(Debug)]
pub struct Separate<'a, const N: usize> {
    table: [*mut u8; N],
    sizes: [usize; N],
    blobs: PhantomData<[&'a [u8]; N]>,
}

/// Mutably borrowed blobs, each in a slice of its own.
///
/// Made by [`View::from_blobs_mut`](crate::View::from_blobs_mut).
#[derive(Debug)]
pub struct SeparateMut<'a, const N: usize> {
    shared: Separate<'a, N>,
    blobs: PhantomData<[&'a mut [u8]; N]>,
}

impl<'a, const N: usize> From<[&'a [u8]; N]> for Separate<'a, N> {
    fn from(blobs: [&'a [u8]; N]) -> Self {
        let table = blobs.map(|blob| blob.as_ptr().cast_mut());
        Self { table, sizes: blobs.map(<[u8]>::len), blobs: PhantomData }
    }
}

impl<'a, const N: usize> From<[&'a mut [u8]; N]> for SeparateMut<'a, N> {
    fn from(mut blobs: [&'a mut [u8]; N]) -> Self {
        let sizes = blobs.each_ref().map(|blob| blob.len());
        let table = blobs.each_mut().map(|blob| blob.as_mut_ptr());
        Self { shared: Separate { table, sizes, blobs: PhantomData }, blobs: PhantomData }
    }
}

// SAFETY: it stands for shared slices of bytes, which may be sent and shared.
unsafe impl<const N: usize> Send for Separate<'_, N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Sync for Separate<'_, N> {}
// SAFETY: it stands for mutable slices of bytes, which may be sent and shared.
unsafe impl<const N: usize> Send for SeparateMut<'_, N> {}
// SAFETY: as above; a shared borrow only reads.
unsafe impl<const N: usize> Sync for SeparateMut<'_, N> {}

// SAFETY: the slices are borrowed for `'a`, so that their addresses stay; the table lies in `self`, which is
// borrowed while the address is used.
unsafe impl<const N: usize> Blobs for Separate<'_, N> {
    type Address = TableAddress;
    const MUTABLE: bool = false;

    #[inline(always)]
    fn address(&self) -> TableAddress {
        TableAddress(self.table.as_ptr())
    }
}

// SAFETY: as for `Separate`.
unsafe impl<const N: usize> Blobs for SeparateMut<'_, N> {
    type Address = TableAddress;
    const MUTABLE: bool = true;

    #[inline(always)]
    fn address(&self) -> TableAddress {
        self.shared.address()
    }
}

// SAFETY: the slices are borrowed mutably for `'a`, and nothing but `self` reaches them.
unsafe impl<const N: usize> BlobsMut for SeparateMut<'_, N> {
    #[inline(always)]
    fn address_mut(&mut self) -> TableAddress {
        self.shared.address()
    }
}

// SAFETY: number, sizes and addresses are those of the borrowed slices, which stay.
unsafe impl<const N: usize> NewBlobs for Separate<'_, N> {
    fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError> {
        if N != L::BLOBS {
            return Err(ViewError::BlobCount { given: N, needed: L::BLOBS });
        }
        for (blob, (address, size)) in self.table.iter().zip(self.sizes).enumerate() {
            check_blob::<R, L>(blob, *address, usize::MAX, size, layout.blob_size(slots, blob))?;
        }
        Ok(())
    }
}

// SAFETY: as for `Separate`.
unsafe impl<const N: usize> NewBlobs for SeparateMut<'_, N> {
    fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError> {
        self.shared.check(layout, slots)
    }
}

/// Borrowed records, as they lie in a slice.
///
/// Made by [`View::from_records`](crate::View::from_records).
#[derive(Clone, Copy, Debug)]
pub struct Records<'a, R>(pub(crate) &'a [R]);

/// Mutably borrowed records, as they lie in a slice.
///
/// Made by [`View::from_records_mut`](crate::View::from_records_mut).
#[derive(Debug)]
pub struct RecordsMut<'a, R>(pub(crate) &'a mut [R]);

// SAFETY: the slice is borrowed for `'a`, so that its address stays.
unsafe impl<R: Record> Blobs for Records<'_, R> {
    type Address = RegionAddress;
    const MUTABLE: bool = false;

    #[inline(always)]
    fn address(&self) -> RegionAddress {
        RegionAddress(self.0.as_ptr().cast_mut().cast())
    }
}

// SAFETY: as for `Records`.
unsafe impl<R: Record> Blobs for RecordsMut<'_, R> {
    type Address = RegionAddress;
    const MUTABLE: bool = true;

    #[inline(always)]
    fn address(&self) -> RegionAddress {
        RegionAddress(self.0.as_ptr().cast_mut().cast())
    }
}

// SAFETY: the slice is borrowed mutably for `'a`, and nothing but `self` reaches it.
unsafe impl<R: Record> BlobsMut for RecordsMut<'_, R> {
    #[inline(always)]
    fn address_mut(&mut self) -> RegionAddress {
        RegionAddress(self.0.as_mut_ptr().cast())
    }
}

/// The blobs of another view, borrowed to read.
///
/// Made by [`View::as_ref`](crate::View::as_ref), [`field`](crate::View::field), [`slice`](crate::View::slice)
/// and the like.
#[derive(Debug)]
pub struct Shared<'v, A> {
    address: A,
    blobs: PhantomData<&'v ()>,
}

/// The blobs of another view, or a part of its elements or leaves, borrowed to write.
///
/// Made by [`View::as_mut`](crate::View::as_mut), [`field_mut`](crate::View::field_mut),
/// [`split`](crate::View::split) and the like.
#[derive(Debug)]
pub struct Exclusive<'v, A> {
    address: A,
    blobs: PhantomData<&'v mut ()>,
}

impl<A: Address> Shared<'_, A> {
    /// # Safety
    ///
    /// The blobs at `address` are borrowed for the lifetime of the result.
    #[inline(always)]
    pub(crate) unsafe fn new(address: A) -> Self {
        Self { address, blobs: PhantomData }
    }
}

impl<A: Address> Exclusive<'_, A> {
    /// # Safety
    ///
    /// The leaves that the result is used for are borrowed mutably for its lifetime, and nothing else
    /// reaches them.
    #[inline(always)]
    pub(crate) unsafe fn new(address: A) -> Self {
        Self { address, blobs: PhantomData }
    }
}

impl<A: Copy> Clone for Shared<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Copy> Copy for Shared<'_, A> {}

// SAFETY: the constructor asks that the blobs be borrowed, so that their address stays.
unsafe impl<A: Address> Blobs for Shared<'_, A> {
    type Address = A;
    const MUTABLE: bool = false;

    #[inline(always)]
    fn address(&self) -> A {
        self.address
    }
}

// SAFETY: as for `Shared`.
unsafe impl<A: Address> Blobs for Exclusive<'_, A> {
    type Address = A;
    const MUTABLE: bool = true;

    #[inline(always)]
    fn address(&self) -> A {
        self.address
    }
}

// SAFETY: the constructor asks that nothing else reach the leaves.
unsafe impl<A: Address> BlobsMut for Exclusive<'_, A> {
    #[inline(always)]
    fn address_mut(&mut self) -> A {
        self.address
    }
}
