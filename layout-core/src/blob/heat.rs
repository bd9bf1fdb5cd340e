//! Counts of uses for each block of bytes.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::{Noted, Observer};
use crate::mapping::{BitRange, Mapping, RecordLayout};

/// An observer that counts how often each block of bytes of a view is used; see [`View::heat_map`](crate::View::heat_map).
///
/// Counts are atomic, so parallel loops are counted correctly.
///
/// # Examples
///
/// ```
/// use core::num::NonZero;
/// use layout::prelude::*;
///
/// let view = alloc::<u32, AoS<Packed>, _>(4)?.heat_map(const { NonZero::new(8).unwrap() });
/// let _ = view.get(1) + view.get(2) + view.get(2);
/// assert_eq!(view.observer().counts(0), [1, 2]); // bytes 0 to 7 and 8 to 15
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Debug)]
pub struct Heat {
    block: NonZeroUsize,
    blobs: Box<[Box<[AtomicUsize]>]>,
}

impl Heat {
    /// Makes an observer for views with this mapping, with a count of zero for each block of `block` bytes.
    #[must_use]
    pub fn new<M: Mapping>(mapping: &M, block: NonZeroUsize) -> Self {
        let blocks = |blob| mapping.blob_size(blob).div_ceil(block.get());
        let counts = |blob| (0..blocks(blob)).map(|_| AtomicUsize::new(0)).collect();
        Self { block, blobs: (0..M::Layout::BLOBS).map(counts).collect() }
    }

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

    /// The number of uses of each block of a blob. A read or write of a leaf counts once in every block that holds a
    /// bit of the leaf.
    ///
    /// # Panics
    ///
    /// Panics if there is no such blob.
    #[must_use]
    pub fn counts(&self, blob: usize) -> Vec<usize> {
        self.blobs[blob].iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

impl Observer for Heat {
    fn note(&self, noted: Noted<'_>) {
        let blocks = |bits: BitRange| {
            let bytes = bits.bytes();
            // No bit lies in a block, wherever a leaf of size zero does.
            bytes.start / self.block..if bits.bits == 0 { 0 } else { bytes.end.div_ceil(self.block.get()) }
        };
        let mut number = 0;
        noted.bits(&mut |bits| {
            for block in blocks(bits) {
                // A leaf of several ranges counts once in a block that holds several of them.
                let (mut counted, mut before) = (false, 0);
                if number > 0 {
                    noted.bits(&mut |earlier| {
                        counted |= before < number && earlier.blob == bits.blob && blocks(earlier).contains(&block);
                        before += 1;
                    });
                }
                if !counted {
                    self.blobs[bits.blob][block].fetch_add(1, Ordering::Relaxed);
                }
            }
            number += 1;
        });
    }
}
