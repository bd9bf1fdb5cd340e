//! The record layout of bit-packed values.

use core::array;

use layout_core::{
    Address, BitRange, BlockLane, Codec, Element, Joined, LayoutError, Leaf, LeafKind, LeafPlace, LeafSet, LeafTable,
    Record, RecordLayout, ValueError,
};

use super::form::Form;
use super::place::{BLOCK, Packed, Spot};
use super::value::{self, assert_fit, decode, encode};
use super::{BitOrder, BitPacked, dense, window};

// SAFETY: value `i` of `bits` bits lies at `i * bits` of its blob (`i` counts the leaves of all elements where there is
// one blob), so that no two share a bit and the last ends with the `ceil(n * bits / 8)` bytes that the size counts, with
// slack. Blobs in a region lie their size, rounded up, apart. Blocks are runs. All leaves are computed.
unsafe impl<R: Record, V: Form, A: BitOrder> RecordLayout<R> for BitPacked<V, A> {
    type Frame = Packed<V>;
    type Position = BlockLane;
    type Codec = Self;
    type Sharing = Joined;
    const BLOBS: usize = if A::SEPARATE { LeafTable::of::<R>().count() } else { 1 };
    const RUN: usize = BLOCK;
    const PLACES: &'static [LeafPlace] = &[];
    const ALIGNED: bool = false;
    const MOST: [usize; 2] = Self::most::<R>();

    fn check(self) -> Result<(), LayoutError> {
        let table = LeafTable::of::<R>();
        (0..table.count()).try_for_each(|leaf| {
            let node = table.leaf(leaf);
            self.form.check(R::TREE.leaf_name(leaf), node.kind(), node.size())
        })
    }

    #[inline(always)]
    fn frame(self, slots: usize) -> Packed<V> {
        Packed { form: self.form, apart: self.apart::<R>(slots) }
    }

    #[inline(always)]
    fn blob_size(self, slots: usize, _: usize) -> usize {
        self.size::<R>(slots)
    }

    #[inline(always)]
    fn region_size(self, slots: usize) -> usize {
        let before = <Self as RecordLayout<R>>::BLOBS.saturating_sub(1);
        let last = if <Self as RecordLayout<R>>::BLOBS == 0 { 0 } else { self.size::<R>(slots) };
        self.apart::<R>(slots) * before + last
    }

    #[inline(always)]
    fn blob_start(frame: Packed<V>, blob: usize) -> usize {
        frame.apart.wrapping_mul(blob)
    }
}

// SAFETY: reads and writes stay in the blob, and writes keep all bits but those of the leaf, as `window` and `dense` say. All
// bits are values of integers and floats; those of a `bool` are 0 or 1 as written, and `is_valid` asks for that.
unsafe impl<R: Record, V: Form, A: BitOrder> Codec<R, Self> for BitPacked<V, A> {
    const COMPUTED: &'static LeafSet = &LeafSet::all::<R>();
    const KEEPS_BITS: bool = {
        let (table, mut leaf, mut keeps) = (LeafTable::of::<R>(), 0, V::KEEPS);
        while leaf < table.count() {
            keeps &= matches!(V::KNOWN, Some(bits) if bits as usize == 8 * table.leaf(leaf).size());
            leaf += 1;
        }
        keeps
    };
    const REFUSES: &'static LeafSet = &if V::REFUSES { LeafSet::all::<R>() } else { LeafSet::EMPTY };

    #[inline(always)]
    unsafe fn read<T: Leaf, X: Address>(element: Element<R, Self, X>, leaf: usize) -> T {
        let Element { address, frame, position } = element;
        let spot = Self::spot::<R>(frame, position, leaf);
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: the value lies there in the blob; blocks are whole words.
        decode(frame.form, unsafe { Self::read_bits(block, spot.bit, frame.form) })
    }

    #[inline(always)]
    unsafe fn write<T: Leaf, X: Address>(element: Element<R, Self, X>, leaf: usize, value: T) {
        let Element { address, frame, position } = element;
        assert_fit::<R, T, V, 1>(frame.form, leaf, &[value]);
        let spot = Self::spot::<R>(frame, position, leaf);
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: as in `read`; nothing else reaches the blob, since leaves are `Joined`.
        unsafe { Self::write_bits(block, spot.bit, frame.form, encode(frame.form, value)) };
    }

    #[inline(always)]
    unsafe fn read_lanes<T: Leaf, X: Address, const W: usize>(element: Element<R, Self, X>, leaf: usize) -> [T; W] {
        let Element { address, frame, position } = element;
        let (form, bits) = (frame.form, frame.form.bits());
        if const { Self::WHOLE.is_some() && A::SEPARATE } || !W.is_multiple_of(8) || bits > dense::MOST {
            // SAFETY: the conditions are the caller's; the positions are in the run.
            return array::from_fn(|i| unsafe { Self::read(element.within(i), leaf) });
        }
        let stride = Self::stride::<R>(form);
        // The first lane is a multiple of eight: it starts with a whole byte.
        let spot = Self::spot::<R>(frame, position, 0);
        let spot = Spot { blob: if A::SEPARATE { leaf } else { 0 }, ..spot };
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: the first lane starts there.
        let from = unsafe { block.add(spot.bit / 8) };
        if !A::SEPARATE {
            // SAFETY: the lanes lie in the blob, `stride` bits apart.
            let tops = unsafe { dense::read_spaced::<W>(from, leaf * bits as usize, stride, bits) };
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
    unsafe fn write_lanes<T: Leaf, X: Address, const W: usize>(
        element: Element<R, Self, X>,
        leaf: usize,
        values: [T; W],
    ) {
        let Element { address, frame, position } = element;
        let (form, bits) = (frame.form, frame.form.bits());
        assert_fit::<R, T, V, W>(form, leaf, &values);
        if let (Some(bytes), true) = const { (Self::WHOLE, A::SEPARATE) } {
            let spot = Self::spot::<R>(frame, position, leaf);
            // SAFETY: the condition is the caller's.
            let block = unsafe { Self::block(address, frame, spot) };
            // SAFETY: the first lane starts there.
            let to = unsafe { block.add(spot.bit / 8) };
            let values = values.map(|value| encode(form, value));
            // SAFETY: the lanes lie side by side in the blob, which nothing else reaches.
            return unsafe { window::write_wholes::<W>(to, values, bytes) };
        }
        if !A::SEPARATE || !W.is_multiple_of(8) || bits > dense::MOST {
            let (spot, stride) = (Self::spot::<R>(frame, position, leaf), Self::stride::<R>(form));
            // SAFETY: the condition is the caller's.
            let block = unsafe { Self::block(address, frame, spot) };
            let values = values.map(|value| encode(form, value));
            for (lane, value) in values.into_iter().enumerate() {
                // SAFETY: the lane lies in the block, which nothing else reaches; blocks are whole words.
                unsafe { Self::write_bits(block, spot.bit + lane * stride, form, value) };
            }
            return;
        }
        let spot = Self::spot::<R>(frame, position, leaf);
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

    unsafe fn is_valid<X: Address>(element: Element<R, Self, X>, leaf: usize) -> bool {
        let Element { address, frame, position } = element;
        let spot = Self::spot::<R>(frame, position, leaf);
        // SAFETY: the condition is the caller's.
        let block = unsafe { Self::block(address, frame, spot) };
        // SAFETY: as in `read`.
        let top = unsafe { Self::read_bits(block, spot.bit, frame.form) };
        LeafTable::of::<R>().leaf(leaf).kind() != LeafKind::Bool || top >> (64 - frame.form.bits()) <= 1
    }

    fn bits_of(frame: Packed<V>, position: BlockLane, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let spot = Self::spot::<R>(frame, position, leaf);
        let start = spot.block.saturating_mul(8).saturating_add(spot.bit);
        each(BitRange { blob: spot.blob, start, bits: frame.form.bits() as usize });
    }

    fn check_value<T: Leaf>(frame: Packed<V>, leaf: usize, value: T) -> Result<(), ValueError> {
        value::check::<R, T, V>(frame.form, leaf, value)
    }
}
