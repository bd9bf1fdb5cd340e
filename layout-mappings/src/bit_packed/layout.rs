//! The record layout of bit-packed values: from a position and a leaf to the bits of a blob.

use core::array;
use core::ops::RangeInclusive;

use layout_core::{
    Address, Along, BitRange, Joined, LayoutError, Leaf, LeafSet, LeafTable, Path, Place, Record, RecordLayout,
    ValueError,
};

use super::sealed::Form;
use super::window::SLACK;
use super::word::{Word, of_leaf};
use super::{BitOrder, BitPacked, dense, window};
use crate::padding::checked_round_up;

/// How many elements are a block: whatever the number of bits, it is a whole number of words of 64 bits.
const BLOCK: usize = 64;

/// What finding a value needs to know.
#[doc(hidden)]
#[expect(unnameable_types, reason = "frames are passed on and never named")]
#[derive(Clone, Copy, Debug)]
pub struct Packed<V> {
    form: V,
    /// The distance in bytes between blobs in one allocation.
    apart: usize,
}

/// A position: the number of its block, and the lane in it.
#[doc(hidden)]
#[expect(unnameable_types, reason = "positions are passed on and never named")]
#[derive(Clone, Copy, Debug)]
pub struct BlockLane {
    block: usize,
    lane: usize,
}

/// The place of a value: `bit` bits after the start of a block, which lies `block` bytes after that of the blob.
#[derive(Clone, Copy)]
struct Spot {
    blob: usize,
    block: usize,
    bit: usize,
}

impl<V: Form, A: BitOrder> BitPacked<V, A> {
    /// The bytes of a value, if those are whole and a power of two by type: it is then read and written by itself.
    const WHOLE: Option<usize> = match V::KNOWN {
        Some(8) => Some(1),
        Some(16) => Some(2),
        Some(32) => Some(4),
        Some(64) => Some(8),
        _ => None,
    };

    /// The distance in bits between neighbouring elements in a blob.
    #[inline(always)]
    fn stride<R: Record>(form: V) -> usize {
        let values = if A::SEPARATE { 1 } else { const { LeafTable::of::<R>().count() } };
        values * form.bits() as usize
    }

    #[inline(always)]
    fn spot<R: Record>(frame: Packed<V>, position: BlockLane, leaf: usize) -> Spot {
        let stride = Self::stride::<R>(frame.form);
        let before = if A::SEPARATE { 0 } else { leaf * frame.form.bits() as usize };
        Spot {
            blob: if A::SEPARATE { leaf } else { 0 },
            block: position.block.wrapping_mul(stride * (BLOCK / 8)),
            bit: position.lane.wrapping_mul(stride).wrapping_add(before),
        }
    }

    /// The start of the block that a value lies in.
    ///
    /// # Safety
    ///
    /// The spot is one of a mapping that the blobs at `address` were checked for, and they are borrowed.
    #[inline(always)]
    unsafe fn block<X: Address>(address: X, frame: Packed<V>, spot: Spot) -> *mut u8 {
        // SAFETY: there is that blob, and `blob_start` gives where it starts.
        let blob = unsafe { address.blob(spot.blob, frame.apart.wrapping_mul(spot.blob)) };
        // SAFETY: the value lies in the blob, and the block starts before it.
        unsafe { blob.add(spot.block) }
    }

    /// The value that lies `bit` bits after a block starts, in the upper bits of a word.
    ///
    /// # Safety
    ///
    /// As [`window::read`].
    #[inline(always)]
    unsafe fn read_bits(block: *const u8, bit: usize, form: V) -> u64 {
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

    /// Writes the value that lies `bit` bits after a block starts.
    ///
    /// # Safety
    ///
    /// As [`window::write`].
    #[inline(always)]
    unsafe fn write_bits(block: *mut u8, bit: usize, form: V, value: u64) {
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

    /// The size of a blob, if it fits.
    fn size<R: Record>(self, slots: usize) -> Option<usize> {
        let bits = slots.checked_mul(Self::stride::<R>(self.form))?;
        bits.div_ceil(8).checked_add(SLACK)
    }

    /// The distance between blobs in one allocation: an odd number of cache lines, as in `SoA`.
    fn apart<R: Record>(self, slots: usize) -> Option<usize> {
        Some(checked_round_up(self.size::<R>(slots)?, 64)? | 64)
    }
}

/// The value whose bits are the upper ones of a word.
#[inline(always)]
fn decode<T: Leaf, V: Form, X: Word>(form: V, top: X) -> T {
    let top = top.wide() << (64 - X::BITS);
    // More bits than the type has were refused.
    if const { size_of::<T>() <= 4 } { form.read::<T, u32>(u32::top(top)) } else { form.read::<T, u64>(top) }
}

/// The bits of a value, as the lower ones of a word that has as many.
#[inline(always)]
fn encode<T: Leaf, V: Form, X: Word>(form: V, value: T) -> X {
    X::low(if const { size_of::<T>() <= 4 } {
        form.write::<T, u32>(value).wide()
    } else {
        form.write::<T, u64>(value).wide()
    })
}

/// Panics if one of these values is to be refused.
#[inline(always)]
fn check_values<R: Record, T: Leaf, V: Form, const W: usize>(form: V, leaf: usize, values: &[T; W]) {
    let refused = |value: &T| {
        if const { size_of::<T>() <= 4 } { form.refused::<T, u32>(*value) } else { form.refused::<T, u64>(*value) }
    };
    // All are looked at, so that lanes are looked at together.
    if values.iter().fold(false, |any, value| any | refused(value)) {
        let value = values.iter().copied().find(refused).unwrap_or(values[0]);
        refuse::<R, T, V>(form, leaf, value);
    }
}

/// Panics over a value that does not fit.
#[cold]
#[inline(never)]
fn refuse<R: Record, T: Leaf, V: Form>(form: V, leaf: usize, value: T) -> ! {
    let range = form.range(T::KIND, size_of::<T>()).unwrap_or(0..=0);
    let wide = of_leaf::<u64, T>(value);
    let value = if T::KIND.is_signed() { wide.cast_signed().into() } else { wide.into() };
    let leaf = R::TREE.leaf_name(leaf);
    panic!("{}", ValueError { leaf, value, least: *range.start(), most: *range.end() })
}

// SAFETY: value `i` of `bits` bits lies at `i * bits` of its blob (`i` counts the leaves of all elements where there is
// one blob), so that no two share a bit and the last ends with the `ceil(n * bits / 8)` bytes that the size counts, with
// slack. Blobs in a region lie their size, rounded up, apart. Reads and writes stay in the blob, and writes keep
// all bits but those of the leaf, as `window` and `dense` say. All bits are values of integers and floats;
// those of a `bool` are 0 or 1 as written, and `is_valid_of` asks for that. Blocks are runs, and a step in one is a lane.
unsafe impl<R: Record, V: Form, A: BitOrder> RecordLayout<R> for BitPacked<V, A> {
    type Frame = Packed<V>;
    type Position = BlockLane;
    const BLOBS: usize = if A::SEPARATE { LeafTable::of::<R>().count() } else { 1 };
    const RUN: usize = BLOCK;
    const ALIGNED: bool = false;
    const COMPUTED: &'static LeafSet = &LeafSet::all::<R>();
    type Sharing = Joined;

    fn check(self) -> Result<(), LayoutError> {
        let table = LeafTable::of::<R>();
        (0..table.count()).try_for_each(|leaf| {
            let node = table.leaf(leaf);
            self.form.check(R::TREE.leaf_name(leaf), node.kind(), node.size())
        })
    }

    #[inline(always)]
    fn frame(self, slots: usize) -> Packed<V> {
        // With one blob there is no distance; and with several, it was found to fit.
        Packed { form: self.form, apart: if A::SEPARATE { self.apart::<R>(slots).unwrap_or(0) } else { 0 } }
    }

    fn blob_size(self, slots: usize, _: usize) -> Option<usize> {
        self.size::<R>(slots)
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        if A::SEPARATE {
            let before = LeafTable::of::<R>().count().saturating_sub(1);
            self.apart::<R>(slots)?.checked_mul(before)?.checked_add(self.size::<R>(slots)?)
        } else {
            self.size::<R>(slots)
        }
    }

    #[inline(always)]
    fn blob_start(frame: Packed<V>, blob: usize) -> usize {
        frame.apart.wrapping_mul(blob)
    }

    #[inline(always)]
    fn position(flat: usize) -> BlockLane {
        BlockLane { block: flat / BLOCK, lane: flat % BLOCK }
    }

    #[inline(always)]
    fn within(position: BlockLane, steps: usize) -> BlockLane {
        BlockLane { lane: position.lane.wrapping_add(steps), ..position }
    }

    // All leaves are computed: places are those of the first byte with bits of the value.

    #[inline(always)]
    fn place<P: Path<Root = R>>(frame: Packed<V>, position: BlockLane) -> (usize, Along) {
        let spot = Self::spot::<R>(frame, position, P::LEAF);
        (spot.blob, Along { start: spot.block.wrapping_add(spot.bit / 8), lane: 0, stride: 0 })
    }

    #[inline(always)]
    fn place_of(frame: Packed<V>, position: BlockLane, leaf: usize) -> Place {
        let spot = Self::spot::<R>(frame, position, leaf);
        Place { blob: spot.blob, offset: spot.block.wrapping_add(spot.bit / 8) }
    }

    #[inline(always)]
    fn in_region<P: Path<Root = R>>(frame: Packed<V>, position: BlockLane) -> Along {
        let offset = <Self as RecordLayout<R>>::in_region_of(frame, position, P::LEAF);
        Along { start: offset, lane: 0, stride: 0 }
    }

    #[inline(always)]
    fn in_region_of(frame: Packed<V>, position: BlockLane, leaf: usize) -> usize {
        let Place { blob, offset } = <Self as RecordLayout<R>>::place_of(frame, position, leaf);
        frame.apart.wrapping_mul(blob).wrapping_add(offset)
    }

    #[inline(always)]
    unsafe fn read<P: Path<Root = R, Type: Leaf>, X: Address>(
        address: X,
        frame: Packed<V>,
        position: BlockLane,
    ) -> P::Type {
        // SAFETY: the conditions are the caller's.
        unsafe { <Self as RecordLayout<R>>::read_of(address, frame, position, P::LEAF) }
    }

    #[inline(always)]
    unsafe fn write<P: Path<Root = R, Type: Leaf>, X: Address>(
        address: X,
        frame: Packed<V>,
        position: BlockLane,
        value: P::Type,
    ) {
        // SAFETY: the conditions are the caller's.
        unsafe { <Self as RecordLayout<R>>::write_of(address, frame, position, P::LEAF, value) };
    }

    #[inline(always)]
    unsafe fn read_of<T: Leaf, X: Address>(address: X, frame: Packed<V>, position: BlockLane, leaf: usize) -> T {
        let spot = Self::spot::<R>(frame, position, leaf);
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: the value lies there in the blob; blocks are whole words.
        decode(frame.form, unsafe { Self::read_bits(block, spot.bit, frame.form) })
    }

    #[inline(always)]
    unsafe fn write_of<T: Leaf, X: Address>(address: X, frame: Packed<V>, position: BlockLane, leaf: usize, value: T) {
        check_values::<R, T, V, 1>(frame.form, leaf, &[value]);
        let spot = Self::spot::<R>(frame, position, leaf);
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: as in `read_of`; nothing else reaches the blob, since leaves are `Joined`.
        unsafe { Self::write_bits(block, spot.bit, frame.form, encode(frame.form, value)) };
    }

    #[inline(always)]
    unsafe fn read_lanes<P: Path<Root = R, Type: Leaf>, X: Address, const W: usize>(
        address: X,
        frame: Packed<V>,
        position: BlockLane,
    ) -> [P::Type; W] {
        let (form, bits) = (frame.form, frame.form.bits());
        if const { Self::WHOLE.is_some() } || !W.is_multiple_of(8) || bits > dense::MOST {
            // SAFETY: the conditions are the caller's; the positions are in the run.
            return array::from_fn(|i| unsafe {
                let position = <Self as RecordLayout<R>>::within(position, i);
                <Self as RecordLayout<R>>::read::<P, X>(address, frame, position)
            });
        }
        let stride = Self::stride::<R>(form);
        // The first lane is a multiple of eight: it starts with a whole byte.
        let spot = Self::spot::<R>(frame, position, 0);
        let spot = Spot { blob: if A::SEPARATE { P::LEAF } else { 0 }, ..spot };
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: the first lane starts there.
        let from = unsafe { block.add(spot.bit / 8) };
        if !A::SEPARATE {
            // SAFETY: the lanes lie in the blob, `stride` bits apart.
            let tops = unsafe { dense::read_spaced::<W>(from, P::LEAF * bits as usize, stride, bits) };
            tops.map(|top| decode(form, top))
        } else if bits <= dense::MOST32 {
            let mut tops = [0; W];
            for (i, tops) in tops.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                // SAFETY: these eight lanes start there.
                let from = unsafe { from.add(i * bits as usize) };
                // SAFETY: they lie in the blob.
                *tops = unsafe { dense::read32(from, bits) };
            }
            tops.map(|top: u32| decode(form, top))
        } else {
            let mut tops = [0; W];
            for (i, tops) in tops.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                // SAFETY: as above.
                let from = unsafe { from.add(i * bits as usize) };
                // SAFETY: as above.
                *tops = unsafe { dense::read64(from, bits) };
            }
            tops.map(|top: u64| decode(form, top))
        }
    }

    #[inline(always)]
    unsafe fn write_lanes<P: Path<Root = R, Type: Leaf>, X: Address, const W: usize>(
        address: X,
        frame: Packed<V>,
        position: BlockLane,
        values: [P::Type; W],
    ) {
        let (form, bits) = (frame.form, frame.form.bits());
        check_values::<R, P::Type, V, W>(form, P::LEAF, &values);
        if let (Some(bytes), true) = const { (Self::WHOLE, A::SEPARATE) } {
            let spot = Self::spot::<R>(frame, position, P::LEAF);
            // SAFETY: the condition is the caller's.
            let block = unsafe { Self::block(address, frame, spot) };
            // SAFETY: the first lane starts there.
            let to = unsafe { block.add(spot.bit / 8) };
            let values = values.map(|value| encode(form, value));
            // SAFETY: the lanes lie side by side in the blob, which nothing else reaches.
            return unsafe { window::write_wholes::<W>(to, values, bytes) };
        }
        if const { Self::WHOLE.is_some() } || !A::SEPARATE || !W.is_multiple_of(8) || bits > dense::MOST {
            for (i, value) in values.into_iter().enumerate() {
                let position = <Self as RecordLayout<R>>::within(position, i);
                // SAFETY: the conditions are the caller's; the position is in the run.
                unsafe { <Self as RecordLayout<R>>::write::<P, X>(address, frame, position, value) };
            }
            return;
        }
        let spot = Self::spot::<R>(frame, position, P::LEAF);
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: the first lane, a multiple of eight, starts there.
        let to = unsafe { block.add(spot.bit / 8) };
        if bits <= dense::MOST32_WRITTEN {
            // SAFETY: the lanes are whole bytes of the blob, which nothing else reaches.
            unsafe { dense::write32(to, bits, values.map(|value| encode(form, value))) };
        } else {
            // SAFETY: as above.
            unsafe { dense::write64(to, bits, values.map(|value| encode(form, value))) };
        }
    }

    unsafe fn is_valid_of<X: Address>(address: X, frame: Packed<V>, position: BlockLane, leaf: usize) -> bool {
        let spot = Self::spot::<R>(frame, position, leaf);
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: as in `read_of`.
        let top = unsafe { Self::read_bits(block, spot.bit, frame.form) };
        frame.form.is_valid(LeafTable::of::<R>().leaf(leaf).kind(), top >> (64 - frame.form.bits()))
    }

    fn bits_of(frame: Packed<V>, position: BlockLane, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let spot = Self::spot::<R>(frame, position, leaf);
        each(BitRange { blob: spot.blob, start: 8 * spot.block + spot.bit, bits: frame.form.bits() as usize });
    }

    fn range_of(frame: Packed<V>, leaf: usize) -> Option<RangeInclusive<i128>> {
        let leaf = LeafTable::of::<R>().leaf(leaf);
        frame.form.range(leaf.kind(), leaf.size())
    }
}
