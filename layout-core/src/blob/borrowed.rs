//! Borrowed blobs: slices of bytes, slices of records, and the blobs of other views.

use core::marker::PhantomData;

use super::{Address, Blobs, BlobsMut, NewBlobs, RegionAddress, TableAddress, check_blob};
use crate::error::ViewError;
use crate::mapping::RecordLayout;
use crate::record::Record;

/// Borrowed blobs, each in a slice of its own.
///
/// [`View::from_blobs`](crate::View::from_blobs) makes them.
#[derive(Debug)]
pub struct Separate<'a, const N: usize> {
    table: [*mut u8; N],
    sizes: [usize; N],
    blobs: PhantomData<[&'a [u8]; N]>,
}

/// Mutably borrowed blobs, each in a slice of its own.
///
/// [`View::from_blobs_mut`](crate::View::from_blobs_mut) makes them.
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

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> TableAddress {
        TableAddress(self.table.as_ptr())
    }
}

// SAFETY: as for `Separate`.
unsafe impl<const N: usize> Blobs for SeparateMut<'_, N> {
    type Address = TableAddress;
    const MUTABLE: bool = true;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> TableAddress {
        self.shared.address()
    }
}

// SAFETY: the slices are borrowed mutably for `'a`, and nothing but `self` reaches them.
unsafe impl<const N: usize> BlobsMut for SeparateMut<'_, N> {
    #[cfg_attr(not(unoptimized), inline(always))]
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
            check_blob::<R, L>(blob, *address, (usize::MAX, usize::MAX), size, layout.blob_size(slots, blob))?;
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

/// A borrowed slice of records, as the blob of a view.
///
/// [`View::from_records`](crate::View::from_records) makes them.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a, R>(pub(crate) &'a [R]);

/// A mutably borrowed slice of records, as the blob of a view.
///
/// [`View::from_records_mut`](crate::View::from_records_mut) makes them.
#[derive(Debug)]
pub struct RecordsMut<'a, R>(pub(crate) &'a mut [R]);

// SAFETY: the slice is borrowed for `'a`, so that its address stays.
unsafe impl<R: Record> Blobs for Records<'_, R> {
    type Address = RegionAddress;
    const MUTABLE: bool = false;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> RegionAddress {
        RegionAddress(self.0.as_ptr().cast_mut().cast())
    }
}

// SAFETY: as for `Records`.
unsafe impl<R: Record> Blobs for RecordsMut<'_, R> {
    type Address = RegionAddress;
    const MUTABLE: bool = true;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> RegionAddress {
        RegionAddress(self.0.as_ptr().cast_mut().cast())
    }
}

// SAFETY: the slice is borrowed mutably for `'a`, and nothing but `self` reaches it.
unsafe impl<R: Record> BlobsMut for RecordsMut<'_, R> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn address_mut(&mut self) -> RegionAddress {
        RegionAddress(self.0.as_mut_ptr().cast())
    }
}

/// The blobs of another view, borrowed for reading.
///
/// [`View::as_ref`](crate::View::as_ref), [`field`](crate::View::field), [`slice`](crate::View::slice) and similar
/// methods make them.
#[derive(Debug)]
pub struct Shared<'v, A> {
    address: A,
    blobs: PhantomData<&'v ()>,
}

/// The blobs of another view, or some of its elements or leaves, borrowed for writing.
///
/// [`View::as_mut`](crate::View::as_mut), [`field_mut`](crate::View::field_mut), [`split`](crate::View::split) and
/// similar methods make them.
#[derive(Debug)]
pub struct Exclusive<'v, A> {
    address: A,
    blobs: PhantomData<&'v mut ()>,
}

impl<A: Address> Shared<'_, A> {
    /// # Safety
    ///
    /// The blobs at `address` are borrowed for the lifetime of the result.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) unsafe fn new(address: A) -> Self {
        Self { address, blobs: PhantomData }
    }
}

impl<A: Address> Exclusive<'_, A> {
    /// # Safety
    ///
    /// The leaves that the result is used for are borrowed mutably for its lifetime, and nothing else
    /// reaches them.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) unsafe fn new(address: A) -> Self {
        Self { address, blobs: PhantomData }
    }
}

copied!([A: Copy] Shared<'_, A>);

// SAFETY: the constructor asks that the blobs be borrowed, so that their address stays.
unsafe impl<A: Address> Blobs for Shared<'_, A> {
    type Address = A;
    const MUTABLE: bool = false;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> A {
        self.address
    }
}

// SAFETY: as for `Shared`.
unsafe impl<A: Address> Blobs for Exclusive<'_, A> {
    type Address = A;
    const MUTABLE: bool = true;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> A {
        self.address
    }
}

// SAFETY: the constructor asks that nothing else reach the leaves.
unsafe impl<A: Address> BlobsMut for Exclusive<'_, A> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn address_mut(&mut self) -> A {
        self.address
    }
}
