//! Byteswap: every leaf with its bytes in reverse order.

use core::fmt;

use layout_core::{
    Address, BitRange, Codec, Element, Leaf, LeafPlace, LeafSet, LeafTable, Record, RecordLayout, leaf_bytes,
    leaf_from_bytes, placement_of,
};

/// The layout `L` with the bytes of every leaf in reverse order: for big-endian data on a little-endian machine, and
/// vice versa.
///
/// Every bit pattern must be a value of each leaf of several bytes: `char` and `NonZero` are not allowed. `L` must
/// store bytes unchanged. So a layout that converts values, such as [`ChangeType`](crate::ChangeType), goes around
/// `Byteswap`; a `Byteswap` around it does not compile.
///
/// # Examples
///
/// ```
/// use layout::composed::{Byteswap, ChangeType};
/// use layout::prelude::*;
///
/// let mapping = Mapped::<u32, _, Byteswap<AoS<Packed>>>::new(extents!(dyn 2))?;
/// let view = View::from_bytes(mapping, &[0, 0, 1, 2, 0xff, 0, 0, 0][..])?; // big-endian
/// # #[cfg(target_endian = "little")]
/// assert_eq!(view.to_vec(), [0x102, 0xff00_0000]);
///
/// // `f64` stored as big-endian `f32`.
/// let mapping = Mapped::<f64, _, ChangeType<Byteswap<AoS<Packed>>, f64, f32>>::new(extents!(dyn 1))?;
/// # #[cfg(target_endian = "little")]
/// assert_eq!(View::from_bytes(mapping, &[0x3f, 0x80, 0, 0][..])?.get(0), 1.0);
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Byteswap<L>(L);

impl<L> Byteswap<L> {
    /// Makes the layout `inner` with bytes in reverse order.
    pub const fn new(inner: L) -> Self {
        Self(inner)
    }
}

/// The most bytes of a leaf.
const MOST: usize = 64;

/// The value with its bytes in reverse order.
#[inline(always)]
fn swapped<T: Leaf>(value: T) -> T {
    if size_of::<T>() == 1 {
        return value;
    }
    let mut bytes = [0; MOST];
    let bytes = &mut bytes[..size_of::<T>()];
    bytes.copy_from_slice(leaf_bytes(&value));
    bytes.reverse();
    match leaf_from_bytes(bytes) {
        Some(value) => value,
        None => unreachable!("every bit pattern of the leaf is a value"),
    }
}

/// Fails to compile for a layout that converts values, since reversed bytes cannot be converted; and for leaves whose
/// reversed bytes may be no value, or are too many.
///
/// The check is once for the record, and not where leaves are read: a layout around this one has code for leaves of others.
#[track_caller]
const fn assert_bytes<R: Record, L: RecordLayout<R>>() {
    assert!(
        <L::Codec as Codec<R, L>>::KEEPS_BITS,
        "`Byteswap` is around a layout that converts values: write `ChangeType<Byteswap<SoA>, f64, f32>`, and not \
         `Byteswap<ChangeType<SoA, f64, f32>>`; likewise for `Projected` and the bit-packed layouts"
    );
    let (table, mut leaf) = (LeafTable::of::<R>(), 0);
    while leaf < table.count() {
        assert!(
            table.leaf(leaf).any_bits() || table.leaf(leaf).size() == 1,
            "`Byteswap` takes leaves of which every bit pattern is a value, such as numbers"
        );
        assert!(table.leaf(leaf).size() <= MOST, "`Byteswap` takes leaves of at most 64 bytes");
        leaf += 1;
    }
}

// SAFETY: the inner layout promises the same.
unsafe impl<R: Record, L: RecordLayout<R>> RecordLayout<R> for Byteswap<L> {
    placement_of!(L; R; this => this.0; CHECKED: assert_bytes::<R, L>());
    type Codec = Self;
    const PLACES: &'static [LeafPlace] = L::PLACES;

    #[inline(always)]
    fn base(frame: L::Frame, leaf: usize) -> usize {
        L::base(frame, leaf)
    }
}

// SAFETY: the inner layout promises the same. Reversed bytes are a value, since all are, as `check` asserts.
unsafe impl<R: Record, L: RecordLayout<R>> Codec<R, Self> for Byteswap<L> {
    // A single byte is its own reverse.
    const COMPUTED: &'static LeafSet = &{
        let (mut set, mut leaf) = (*<L::Codec as Codec<R, L>>::COMPUTED, 0);
        while leaf < LeafTable::of::<R>().count() {
            if LeafTable::of::<R>().leaf(leaf).size() > 1 {
                set = set.with(leaf, 1);
            }
            leaf += 1;
        }
        set
    };
    const KEEPS_BITS: bool = <L::Codec as Codec<R, L>>::KEEPS_BITS;

    // SAFETY (of what follows): the conditions are the caller's.

    #[inline(always)]
    unsafe fn read<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize) -> T {
        // SAFETY: as said above.
        swapped(unsafe { element.inside::<R, L>().read(leaf) })
    }

    #[inline(always)]
    unsafe fn write<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize, value: T) {
        // SAFETY: as said above.
        unsafe { element.inside::<R, L>().write(leaf, swapped(value)) };
    }

    #[inline(always)]
    unsafe fn read_lanes<T: Leaf, A: Address, const W: usize>(element: Element<R, Self, A>, leaf: usize) -> [T; W] {
        // SAFETY: as said above.
        unsafe { element.inside::<R, L>().read_lanes::<T, W>(leaf) }.map(swapped)
    }

    #[inline(always)]
    unsafe fn write_lanes<T: Leaf, A: Address, const W: usize>(
        element: Element<R, Self, A>,
        leaf: usize,
        values: [T; W],
    ) {
        // SAFETY: as said above.
        unsafe { element.inside::<R, L>().write_lanes(leaf, values.map(swapped)) };
    }

    unsafe fn is_valid<A: Address>(element: Element<R, Self, A>, leaf: usize) -> bool {
        // SAFETY: as said above.
        unsafe { element.inside::<R, L>().is_valid(leaf) }
    }

    fn bits_of(frame: L::Frame, position: L::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        L::Codec::bits_of(frame, position, leaf, each);
    }
}

impl<L: fmt::Debug> fmt::Debug for Byteswap<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Byteswap<{:?}>", self.0)
    }
}
