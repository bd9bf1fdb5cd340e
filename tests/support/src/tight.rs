//! A layout of a user's own in which leaves share bytes: each lies in a few bits.

use layout::{
    Address, Along, BitRange, Joined, Leaf, LeafSet, LeafTable, Path, Place, Record, RecordLayout, leaf_bytes,
    leaf_from_bytes,
};

/// The lowest `B` bits of each leaf, one after another; leaves are unsigned integers of up to 8 bytes.
///
/// If `COMBED`, it says where they lie bit by bit, every other one first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tight<const B: usize, const COMBED: bool = false>;

impl<const B: usize, const COMBED: bool> Tight<B, COMBED> {
    fn first_bit<R: Record>(position: usize, leaf: usize) -> usize {
        (position * LeafTable::of::<R>().count() + leaf) * B
    }
}

// SAFETY: bits follow one another, below `slots * leaves * B`, and the blob has as many, in whole bytes. Reads and writes
// use the bytes that hold a leaf's bits and no others. All leaves are computed; integers have no invalid values.
unsafe impl<R: Record, const B: usize, const COMBED: bool> RecordLayout<R> for Tight<B, COMBED> {
    type Frame = ();
    type Position = usize;
    const BLOBS: usize = 1;
    const RUN: usize = usize::MAX;
    const ALIGNED: bool = true;
    const COMPUTED: &'static LeafSet = &LeafSet::all::<R>();
    type Sharing = Joined;

    fn frame(self, _: usize) {}

    fn blob_size(self, slots: usize, _: usize) -> Option<usize> {
        Some(slots.checked_mul(LeafTable::of::<R>().count() * B)?.div_ceil(8))
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        RecordLayout::<R>::blob_size(self, slots, 0)
    }

    fn position(flat: usize) -> usize {
        flat
    }

    fn within(position: usize, steps: usize) -> usize {
        position + steps
    }

    // Never asked for: all leaves are computed.

    fn place<P: Path<Root = R>>((): (), _: usize) -> (usize, Along) {
        (0, Along { start: 0, lane: 0, stride: 0 })
    }

    fn place_of((): (), _: usize, _: usize) -> Place {
        Place { blob: 0, offset: 0 }
    }

    fn in_region<P: Path<Root = R>>((): (), _: usize) -> Along {
        Along { start: 0, lane: 0, stride: 0 }
    }

    fn in_region_of((): (), _: usize, _: usize) -> usize {
        0
    }

    // SAFETY (of what follows): the conditions are the caller's.

    unsafe fn read<P: Path<Root = R, Type: Leaf>, A: Address>(address: A, (): (), position: usize) -> P::Type {
        // SAFETY: as said above.
        unsafe { <Self as RecordLayout<R>>::read_of(address, (), position, P::LEAF) }
    }

    unsafe fn write<P: Path<Root = R, Type: Leaf>, A: Address>(address: A, (): (), position: usize, value: P::Type) {
        // SAFETY: as said above.
        unsafe { <Self as RecordLayout<R>>::write_of(address, (), position, P::LEAF, value) };
    }

    unsafe fn read_of<T: Leaf, A: Address>(address: A, (): (), position: usize, leaf: usize) -> T {
        // SAFETY: there is one blob, at 0.
        let blob = unsafe { address.blob(0, 0) };
        let first = Self::first_bit::<R>(position, leaf);
        let mut bytes = [0; 8];
        for bit in 0..B {
            // SAFETY: the bit is one of the leaf's, and the blob is borrowed.
            let byte = unsafe { blob.add((first + bit) / 8) };
            // SAFETY: as above.
            let byte = unsafe { *byte };
            bytes[bit / 8] |= (byte >> ((first + bit) % 8) & 1) << (bit % 8);
        }
        leaf_from_bytes(&bytes[..size_of::<T>()]).expect("any integer is a value")
    }

    unsafe fn write_of<T: Leaf, A: Address>(address: A, (): (), position: usize, leaf: usize, value: T) {
        // SAFETY: there is one blob, at 0.
        let blob = unsafe { address.blob(0, 0) };
        let first = Self::first_bit::<R>(position, leaf);
        for bit in 0..B {
            // SAFETY: the bit is one of the leaf's; nothing else reaches the byte.
            let byte = unsafe { blob.add((first + bit) / 8) };
            // SAFETY: as above.
            let byte = unsafe { &mut *byte };
            let mask = 1 << ((first + bit) % 8);
            let set = leaf_bytes(&value).get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
            *byte = if set { *byte | mask } else { *byte & !mask };
        }
    }

    unsafe fn is_valid_of<A: Address>(_: A, (): (), _: usize, _: usize) -> bool {
        true
    }

    fn bits_of((): (), position: usize, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let start = Self::first_bit::<R>(position, leaf);
        if COMBED {
            let bits = (0..B).step_by(2).chain((1..B).step_by(2));
            bits.for_each(|bit| each(BitRange { blob: 0, start: start + bit, bits: 1 }));
        } else {
            each(BitRange { blob: 0, start, bits: B });
        }
    }
}
