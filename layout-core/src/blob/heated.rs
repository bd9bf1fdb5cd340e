//! Blobs whose uses are counted, block of bytes by block.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::{Address, Blobs, BlobsMut, Use};
use crate::mapping::{BitRange, Codec, Element, Mapping, RecordLayout};
use crate::record::Record;

/// Blobs whose uses are counted, block of bytes by block; made by [`View::heat_map`](crate::View::heat_map).
///
/// Counts are atomic: parallel loops are counted right.
#[derive(Debug)]
pub struct Heated<B> {
    pub(crate) blobs: B,
    // Boxed: the address of blobs stays when they move.
    heat: Box<Heat>,
}

/// How often each block of bytes of a view was used.
///
/// # Examples
///
/// ```
/// use core::num::NonZero;
/// use layout::prelude::*;
///
/// let view = alloc::<u32, AoS<Packed>, _>(4)?.heat_map(const { NonZero::new(8).unwrap() });
/// let _ = view.get(1) + view.get(2) + view.get(2);
/// assert_eq!(view.heat().counts(0), [1, 2]); // bytes 0 to 7 and 8 to 15
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Debug)]
pub struct Heat {
    block: NonZeroUsize,
    blobs: Box<[Box<[AtomicUsize]>]>,
}

impl Heat {
    /// The number of blobs.
    #[must_use]
    pub fn blobs(&self) -> usize {
        self.blobs.len()
    }

    /// The size of a block in bytes.
    #[must_use]
    pub fn block(&self) -> usize {
        self.block.get()
    }

    /// How often each block of a blob was read or written: a use counts once in every block that holds a bit of the
    /// leaf.
    ///
    /// # Panics
    ///
    /// Panics if there is no such blob.
    #[must_use]
    pub fn counts(&self, blob: usize) -> Vec<usize> {
        self.blobs[blob].iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

/// The address of [`Heated`] blobs.
#[derive(Clone, Copy, Debug)]
pub struct HeatedAddress<A> {
    address: A,
    heat: *const Heat,
}

// SAFETY: an address is numbers until it is used; counts are atomic.
unsafe impl<A: Address> Send for HeatedAddress<A> {}
// SAFETY: as above.
unsafe impl<A: Address> Sync for HeatedAddress<A> {}

impl<B: Blobs> Heated<B> {
    /// The blobs of a mapping, unused so far.
    pub(crate) fn new<M: Mapping>(blobs: B, mapping: &M, block: NonZeroUsize) -> Self {
        let blocks = |blob| mapping.blob_size(blob).div_ceil(block.get());
        let counts = |blob| (0..blocks(blob)).map(|_| AtomicUsize::new(0)).collect();
        Self { blobs, heat: Box::new(Heat { block, blobs: (0..M::Layout::BLOBS).map(counts).collect() }) }
    }

    pub(crate) fn heat(&self) -> &Heat {
        &self.heat
    }
}

// SAFETY: the address is that of the blobs inside; the counts lie in an allocation of their own, which lives and stays as
// long as `self`.
unsafe impl<B: Blobs> Blobs for Heated<B> {
    type Address = HeatedAddress<B::Address>;
    const MUTABLE: bool = B::MUTABLE;

    #[inline(always)]
    fn address(&self) -> Self::Address {
        HeatedAddress { address: self.blobs.address(), heat: &raw const *self.heat }
    }
}

// SAFETY: as for `Blobs`; the blobs inside are borrowed mutably.
unsafe impl<B: BlobsMut> BlobsMut for Heated<B> {
    #[inline(always)]
    fn address_mut(&mut self) -> Self::Address {
        HeatedAddress { address: self.blobs.address_mut(), heat: &raw const *self.heat }
    }
}

// SAFETY: places are those of the address inside.
unsafe impl<A: Address> Address for HeatedAddress<A> {
    const NOTES: bool = true;
    super::address::of_the_address_inside!();

    #[inline(always)]
    fn part(self, leaf: usize) -> Self {
        Self { address: self.address.part(leaf), ..self }
    }

    unsafe fn note<R: Record, L: RecordLayout<R>>(self, used: Use, element: Element<R, L, Self>, leaf: usize) {
        // SAFETY: the counts are borrowed with the blobs.
        let heat = unsafe { &*self.heat };
        let blocks = |bits: BitRange| {
            let bytes = bits.bytes();
            bytes.start / heat.block..bytes.end.div_ceil(heat.block.get())
        };
        let (mut number, Element { frame, position, .. }) = (0, element);
        L::Codec::bits_of(frame, position, leaf, &mut |bits| {
            for block in blocks(bits) {
                // A leaf of several ranges is counted once in a block that holds several of them.
                let (mut counted, mut before) = (false, 0);
                if number > 0 {
                    L::Codec::bits_of(frame, position, leaf, &mut |earlier| {
                        counted |= before < number && earlier.blob == bits.blob && blocks(earlier).contains(&block);
                        before += 1;
                    });
                }
                if !counted {
                    heat.blobs[bits.blob][block].fetch_add(1, Ordering::Relaxed);
                }
            }
            number += 1;
        });
        // SAFETY: the conditions are the caller's.
        unsafe { self.address.note::<R, L>(used, Element::new(self.address, frame, position), leaf) };
    }
}
