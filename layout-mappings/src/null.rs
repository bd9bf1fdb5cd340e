//! Null: leaves that take no memory.

use layout_core::{
    Address, Apart, BitRange, Codec, Element, Leaf, LeafPlace, LeafSet, LeafTable, Record, RecordLayout,
};

/// A layout without memory: writes are dropped, and every leaf reads as zero.
///
/// As a part of a [`Split`](crate::Split), it omits fields that a program does not need; kernels stay unchanged.
///
/// # Panics
///
/// Reading a leaf for which zero is not a value (`NonZero`) panics. Copies read all leaves of a record, and so does a `RecordVec` that
/// grows. Leaves of more than 4096 bytes do not compile.
///
/// # Examples
///
/// ```
/// use layout::composed::Split;
/// use layout::prelude::*;
/// use layout::{Null, path};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Hit { energy: f32, debug: [u64; 4] }
///
/// // Without the debugging data.
/// let mut hits = alloc::<Hit, Split<path!(Hit, debug), Null, SoA>, _>(1000)?;
/// assert_eq!(hits.mapping().blob_size(0), 4000);
/// hits.set(7, Hit { energy: 2.0, debug: [1; 4] });
/// assert_eq!(hits.load(7), Hit { energy: 2.0, debug: [0; 4] });
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Null;

/// The bytes of the largest leaf.
static ZEROS: [u8; 4096] = [0; 4096];

/// The value whose bytes are all zero.
#[inline(always)]
fn zero<T: Leaf>() -> T {
    match ZEROS.get(..size_of::<T>()).and_then(layout_core::leaf_from_bytes) {
        Some(value) => value,
        None => panic!("zero is no value of `{}`: its leaves cannot be read from `Null`", core::any::type_name::<T>()),
    }
}

// SAFETY: there are no blobs and no bytes. All leaves are computed.
unsafe impl<R: Record> RecordLayout<R> for Null {
    type Frame = ();
    type Position = usize;
    type Codec = Self;
    type Sharing = Apart;
    const BLOBS: usize = 0;
    const PLACES: &'static [LeafPlace] = &[];
    const ALIGNED: bool = true;
    const ALIGN: usize = 1;
    const MOST: [usize; 2] = [0; 2];

    const CHECKED: () = {
        let (table, mut leaf) = (LeafTable::of::<R>(), 0);
        while leaf < table.count() {
            assert!(table.leaf(leaf).size() <= ZEROS.len(), "`Null` takes leaves of at most 4096 bytes");
            leaf += 1;
        }
    };

    #[inline(always)]
    fn frame(self, _: usize) {}

    fn blob_size(self, _: usize, _: usize) -> usize {
        0
    }

    #[inline(always)]
    fn region_size(self, _: usize) -> usize {
        0
    }
}

// SAFETY: no bytes are used, and zero is a value where it is read.
unsafe impl<R: Record> Codec<R, Self> for Null {
    const COMPUTED: &'static LeafSet = &LeafSet::all::<R>();
    const KEEPS_BITS: bool = true;

    #[inline(always)]
    unsafe fn read<T: Leaf, A: Address>(_: Element<R, Self, A>, _: usize) -> T {
        zero()
    }

    #[inline(always)]
    unsafe fn write<T: Leaf, A: Address>(_: Element<R, Self, A>, _: usize, _: T) {}

    unsafe fn is_valid<A: Address>(_: Element<R, Self, A>, leaf: usize) -> bool {
        LeafTable::of::<R>().leaf(leaf).accepts(&ZEROS)
    }

    fn bits_of((): (), _: usize, _: usize, _: &mut dyn FnMut(BitRange)) {}
}
