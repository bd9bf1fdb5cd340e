//! The places of values: from a position and a leaf to bits of a blob.

use layout_core::{Address, BlockLane, LeafTable, Record, RecordLayout};

use super::form::Form;
use super::window::{self, SLACK};
use super::{BitOrder, BitPacked};

/// The number of elements in a block. Whatever the number of bits, a block is a whole number of words of 64 bits.
pub(super) const BLOCK: usize = 64;

/// The frame: the numbers that the places of values depend on.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Packed<V> {
    pub(super) form: V,
    /// The distance in bytes between blobs in one allocation.
    pub(super) apart: usize,
}

/// The place of a value: `bit` bits after the start of a block, which starts `block` bytes after the blob.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) blob: usize,
    pub(super) block: usize,
    pub(super) bit: usize,
}

impl<V: Form, A: BitOrder> BitPacked<V, A> {
    /// The number of bytes of a value, if it is known by type to be whole bytes and a power of two; such a value is read and written alone.
    pub(super) const WHOLE: Option<usize> = match V::KNOWN {
        Some(8) => Some(1),
        Some(16) => Some(2),
        Some(32) => Some(4),
        Some(64) => Some(8),
        _ => None,
    };

    /// The distance in bits between neighboring elements in a blob.
    #[inline(always)]
    pub(super) fn stride<R: Record>(form: V) -> usize {
        let values = if A::SEPARATE { 1 } else { const { LeafTable::of::<R>().count() } };
        values * form.bits() as usize
    }

    #[inline(always)]
    pub(super) fn spot<R: Record>(frame: Packed<V>, position: BlockLane, leaf: usize) -> Spot {
        let stride = Self::stride::<R>(frame.form);
        let before = if A::SEPARATE { 0 } else { leaf * frame.form.bits() as usize };
        Spot {
            blob: if A::SEPARATE { leaf } else { 0 },
            block: position.block.wrapping_mul(stride * (BLOCK / 8)),
            bit: position.lane.wrapping_mul(stride).wrapping_add(before),
        }
    }

    /// The start of the block that contains a value.
    ///
    /// # Safety
    ///
    /// The spot is one of a mapping that the blobs at `address` were checked for, and they are borrowed.
    #[inline(always)]
    pub(super) unsafe fn block<X: Address>(address: X, frame: Packed<V>, spot: Spot) -> *mut u8 {
        // SAFETY: there is that blob, and `blob_start` gives where it starts.
        let blob = unsafe { address.blob(spot.blob, frame.apart.wrapping_mul(spot.blob)) };
        // SAFETY: the value lies in the blob, and the block starts before it.
        unsafe { blob.add(spot.block) }
    }

    /// Reads the value that starts `bit` bits after the start of a block, into the upper bits of a word.
    ///
    /// # Safety
    ///
    /// As [`window::read`].
    #[inline(always)]
    pub(super) unsafe fn read_bits(block: *const u8, bit: usize, form: V) -> u64 {
        if let Some(bytes) = const { Self::WHOLE } {
            // SAFETY: the value lies there.
            let from = unsafe { block.add(bit / 8) };
            // SAFETY: the condition is the caller's.
            unsafe { window::read_whole(from, bytes) }
        } else {
            // SAFETY: the condition is the caller's.
            unsafe { window::read(block, bit, form.bits()) }
        }
    }

    /// Writes the value that starts `bit` bits after the start of a block.
    ///
    /// # Safety
    ///
    /// As [`window::write`].
    #[inline(always)]
    pub(super) unsafe fn write_bits(block: *mut u8, bit: usize, form: V, value: u64) {
        if let Some(bytes) = const { Self::WHOLE } {
            // SAFETY: the value lies there.
            let to = unsafe { block.add(bit / 8) };
            // SAFETY: the condition is the caller's.
            unsafe { window::write_whole(to, value, bytes) };
        } else {
            // SAFETY: the condition is the caller's.
            unsafe { window::write(block, bit, form.bits(), value) };
        }
    }

    /// A limit for the bytes of one allocation. It allows one byte for each bit, since bits are counted too. Values
    /// have the number of bits that is known by type, or 64.
    pub(super) const fn most<R: Record>() -> [usize; 2] {
        let (bits, leaves) = (if let Some(bits) = V::KNOWN { bits as usize } else { 64 }, LeafTable::of::<R>().count());
        [bits.saturating_mul(leaves), <Self as RecordLayout<R>>::BLOBS * (64 + 64 + SLACK)]
    }

    /// The size of a blob.
    #[inline(always)]
    pub(super) fn size<R: Record>(self, slots: usize) -> usize {
        (slots * Self::stride::<R>(self.form)).div_ceil(8) + SLACK
    }

    /// The distance between blobs in one allocation: an odd number of cache lines. One blob, or none, has no distance.
    #[inline(always)]
    pub(super) fn apart<R: Record>(self, slots: usize) -> usize {
        if <Self as RecordLayout<R>>::BLOBS < 2 { 0 } else { self.size::<R>(slots).next_multiple_of(64) | 64 }
    }
}
