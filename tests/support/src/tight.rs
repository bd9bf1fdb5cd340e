//! A layout of a user's own in which leaves share bytes: each lies in a few bits.

use layout::author::{BitRange, Codec, Element, Joined, LeafPlace, leaf_bytes, leaf_from_bytes};
use layout::blob::Address;
use layout::record::{LeafSet, LeafTable};
use layout::{Leaf, Record, RecordLayout};

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

// SAFETY: bits follow one another, below `slots * leaves * B`, and the blob has as many, in whole bytes. All leaves are
// computed.
unsafe impl<R: Record, const B: usize, const COMBED: bool> RecordLayout<R> for Tight<B, COMBED> {
    type Frame = ();
    type Position = usize;
    type Codec = Self;
    type Sharing = Joined;
    const BLOBS: usize = 1;
    const PLACES: &'static [LeafPlace] = &[];
    const ALIGNED: bool = true;
    const MOST: [usize; 2] = [(LeafTable::of::<R>().count() * B).div_ceil(8), 0];

    fn frame(self, _: usize) {}

    fn blob_size(self, slots: usize, _: usize) -> usize {
        (slots * LeafTable::of::<R>().count() * B).div_ceil(8)
    }
}

// SAFETY: reads and writes use the bytes that hold a leaf's bits and no others; integers have no invalid values.
unsafe impl<R: Record, const B: usize, const COMBED: bool> Codec<R, Self> for Tight<B, COMBED> {
    const COMPUTED: &'static LeafSet = &LeafSet::all::<R>();

    // SAFETY (of what follows): the conditions are the caller's.

    unsafe fn read<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize) -> T {
        let Element { address, position, .. } = element;
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

    unsafe fn write<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize, value: T) {
        let Element { address, position, .. } = element;
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

    unsafe fn is_valid<A: Address>(_: Element<R, Self, A>, _: usize) -> bool {
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
