//! Layouts that break one promise each. The checker names the leaf and the element.

use layout::author::{Apart, BitRange, Codec, Element, LeafPlace, Physical, check, leaf_bytes, leaf_from_bytes, sized};
use layout::blob::Address;
use layout::record::{LeafSet, LeafTable};
use layout::{Leaf, Record, RecordLayout};
use support::panics::panic_of;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    kind: u8,
    charge: u32,
    channel: u16,
}

/// Mistakes in the places of leaves.
const OVERLAP: u8 = 1;
const STRIDE: u8 = 2;
const SMALL: u8 = 3;
const MISALIGNED: u8 = 4;
const NO_BLOB: u8 = 5;
const MOST: u8 = 6;

/// Structs of 12 bytes, but for what is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Misplaced<const WHAT: u8>;

const fn places<const N: usize>(what: u8) -> [LeafPlace; N] {
    let (mut places, mut leaf) = ([LeafPlace::NOWHERE; N], 0);
    while leaf < N && leaf < 3 {
        places[leaf] = LeafPlace::even(0, 4 * leaf, if what == STRIDE { 8 } else { 12 });
        leaf += 1;
    }
    match what {
        OVERLAP => places[2].start = 6,
        MISALIGNED => places[1].start = 3,
        NO_BLOB => places[2].blob = 1,
        _ => {}
    }
    places
}

// SAFETY: none: what is written here is wrong, and found before memory is touched.
unsafe impl<const WHAT: u8, R: Record> RecordLayout<R> for Misplaced<WHAT> {
    type Frame = ();
    type Position = usize;
    type Codec = Physical;
    type Sharing = Apart;
    const BLOBS: usize = 1;
    const PLACES: &'static [LeafPlace] = sized!(LeafTable::of::<R>().count(), N => places::<N>(WHAT));
    const ALIGNED: bool = true;
    const MOST: [usize; 2] = [if WHAT == MOST { 11 } else { 12 }, 0];

    fn frame(self, _: usize) {}

    fn blob_size(self, slots: usize, _: usize) -> usize {
        if WHAT == SMALL { (slots * 12).saturating_sub(4) } else { slots * 12 }
    }
}

/// Mistakes in reads and writes of leaves.
const DROPS: u8 = 1;
const SPILLS: u8 = 2;
const CLOBBERS: u8 = 3;
const SHARED: u8 = 4;
const LANES: u8 = 5;
const LANES_WRITTEN: u8 = 6;

/// Seven bytes for each element, in an eighth that no leaf has; written byte by byte, but for what is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Miscoded<const WHAT: u8>;

/// The start of leaf `leaf` in the bytes of an element.
fn start<R: Record>(leaf: usize) -> usize {
    LeafTable::of::<R>().packed_size(leaf)
}

// SAFETY: the bytes of an element are eight. What is wrong with the codec stays within them.
unsafe impl<const WHAT: u8, R: Record> RecordLayout<R> for Miscoded<WHAT> {
    type Frame = ();
    type Position = usize;
    type Codec = Self;
    type Sharing = Apart;
    const BLOBS: usize = 1;
    const PLACES: &'static [LeafPlace] = &[];
    const ALIGNED: bool = false;
    const MOST: [usize; 2] = [8, 0];

    fn frame(self, _: usize) {}

    fn blob_size(self, slots: usize, _: usize) -> usize {
        slots * 8
    }
}

/// The bytes of an element.
///
/// # Safety
///
/// The element is one of a mapping whose blob is borrowed; mutably, if the bytes are written.
unsafe fn bytes<const WHAT: u8, R: Record, A: Address>(element: Element<R, Miscoded<WHAT>, A>) -> &'static mut [u8; 8] {
    // SAFETY: there is one blob, at 0.
    let blob = unsafe { element.address.blob(0, 0) };
    // SAFETY: the blob has eight bytes for each element.
    let bytes = unsafe { blob.add(8 * element.position) }.cast::<[u8; 8]>();
    // SAFETY: the caller vouches for the borrow, which ends before the next one.
    unsafe { &mut *bytes }
}

// SAFETY: none for what is promised of values; no byte but those of the element is touched, and leaves are integers.
unsafe impl<const WHAT: u8, R: Record> Codec<R, Self> for Miscoded<WHAT> {
    const COMPUTED: &'static LeafSet = &LeafSet::all::<R>();

    unsafe fn read<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize) -> T {
        // SAFETY: the conditions are the caller's.
        let bytes = unsafe { bytes(element) };
        leaf_from_bytes(&bytes[start::<R>(leaf)..][..size_of::<T>()]).expect("integers")
    }

    unsafe fn write<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize, value: T) {
        // SAFETY: the conditions are the caller's.
        let bytes = unsafe { bytes(element) };
        let (start, end) = (start::<R>(leaf), start::<R>(leaf) + size_of::<T>());
        bytes[start..end].copy_from_slice(leaf_bytes(&value));
        match WHAT {
            DROPS => bytes[end - 1] &= 0x7f,
            SPILLS => bytes[7] ^= 1,
            CLOBBERS if leaf == 1 => bytes[0] = 0,
            _ => {}
        }
    }

    unsafe fn read_lanes<T: Leaf, A: Address, const W: usize>(element: Element<R, Self, A>, leaf: usize) -> [T; W] {
        // SAFETY: the conditions are the caller's.
        let mut lanes = core::array::from_fn(|i| unsafe { Self::read(element.within(i), leaf) });
        if WHAT == LANES && leaf == 2 {
            lanes.swap(1, 2);
        }
        lanes
    }

    unsafe fn write_lanes<T: Leaf, A: Address, const W: usize>(
        element: Element<R, Self, A>,
        leaf: usize,
        values: [T; W],
    ) {
        let count = if WHAT == LANES_WRITTEN { W - 1 } else { W };
        for (i, value) in values.into_iter().enumerate().take(count) {
            // SAFETY: the conditions are the caller's.
            unsafe { Self::write(element.within(i), leaf, value) };
        }
    }

    unsafe fn is_valid<A: Address>(_: Element<R, Self, A>, _: usize) -> bool {
        true
    }

    fn bits_of((): (), position: usize, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let (first, size) = (8 * position + start::<R>(leaf), LeafTable::of::<R>().leaf(leaf).size());
        let start = if WHAT == SHARED && leaf == 1 { 8 * first - 1 } else { 8 * first };
        each(BitRange { blob: 0, start, bits: 8 * size });
    }
}

#[track_caller]
fn refused<L: RecordLayout<Hit> + Default>(expected: &str) {
    let message = panic_of(check::<Hit, L>);
    assert!(
        message.starts_with("layout `check::wrong::") && message.contains("` of `check::wrong::Hit`: "),
        "{message}"
    );
    assert!(message.contains(expected), "{message}");
}

#[test]
fn places_that_are_wrong() {
    check::<Hit, Misplaced<0>>();
    refused::<Misplaced<OVERLAP>>("leaf `channel` of element [0] lies where leaf `charge` of element [0] does: byte 6");
    refused::<Misplaced<STRIDE>>("leaf `kind` of element [1] lies where leaf `channel` of element [0] does: byte 8");
    refused::<Misplaced<SMALL>>("leaf `channel` of element [0] ends after blob 0, which has 8 bytes");
    refused::<Misplaced<MISALIGNED>>(
        "leaf `charge` of element [0] lies at 3, and in one piece at 3: no multiples of 4",
    );
    refused::<Misplaced<NO_BLOB>>("leaf `channel` of element [0] lies in blob 1 of 1");
    refused::<Misplaced<MOST>>("1 elements take 12 bytes, and `MOST` allows fewer");
}

#[test]
fn values_that_are_wrong() {
    check::<Hit, Miscoded<0>>();
    refused::<Miscoded<DROPS>>("is read as the bytes");
    refused::<Miscoded<SPILLS>>("bits of byte 7 of the memory for all blobs were changed, which no leaf has");
    refused::<Miscoded<CLOBBERS>>("leaf `kind` of element [0] is read as the bytes [0], and should be");
    refused::<Miscoded<SHARED>>("leaf `charge` of element [0] lies where leaf `kind` of element [0] does: byte 0");
    refused::<Miscoded<LANES>>("leaf `channel` of element [1] is read as another value in lanes");
    refused::<Miscoded<LANES_WRITTEN>>("leaf `kind` of element [3] has another value than was written in lanes");
}
