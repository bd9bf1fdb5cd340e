//! The record layout of bit-packed values.

use core::array;

use layout_core::{
    Address, Along, BitRange, Joined, LayoutError, Leaf, LeafSet, LeafTable, Path, Place, Record, RecordLayout,
    ValueError,
};

use super::place::{BLOCK, BlockLane, Packed, Spot};
use super::sealed::Form;
use super::value::{self, assert_fit, decode, encode};
use super::{BitOrder, BitPacked, dense, window};

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
        assert_fit::<R, T, V, 1>(frame.form, leaf, &[value]);
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
        if const { Self::WHOLE.is_some() && A::SEPARATE } || !W.is_multiple_of(8) || bits > dense::MOST {
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
        assert_fit::<R, P::Type, V, W>(form, P::LEAF, &values);
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
        if !A::SEPARATE || !W.is_multiple_of(8) || bits > dense::MOST {
            let (spot, stride) = (Self::spot::<R>(frame, position, P::LEAF), Self::stride::<R>(form));
            // SAFETY: the condition is the caller's.
            let block = unsafe { Self::block(address, frame, spot) };
            let values = values.map(|value| encode(form, value));
            for (lane, value) in values.into_iter().enumerate() {
                // SAFETY: the lane lies in the block, which nothing else reaches; blocks are whole words.
                unsafe { Self::write_bits(block, spot.bit + lane * stride, form, value) };
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

    fn check_value<T: Leaf>(frame: Packed<V>, leaf: usize, value: T) -> Result<(), ValueError> {
        value::check::<R, T, V>(frame.form, leaf, value)
    }
}
