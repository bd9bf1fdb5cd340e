//! Byteswap: every leaf in the other order of bytes.

use core::fmt;

use layout_core::{
    Address, Along, BitRange, LayoutError, Leaf, LeafSet, LeafTable, Path, Place, Record, RecordLayout, ValueError,
    leaf_bytes, leaf_from_bytes,
};

/// The layout `L` with the bytes of every leaf in reverse: for big-endian data on a little-endian machine, and the other
/// way round.
///
/// Leaves of several bytes must be types of which every bit pattern is a value: `char` and `NonZero` are not. `L` must
/// store bytes as they are: a layout that converts values, such as [`ChangeType`](crate::ChangeType), goes around `Byteswap`
/// and not into it. The other order does not compile.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::{Byteswap, ChangeType};
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
    /// The layout `inner` with bytes in reverse.
    pub const fn new(inner: L) -> Self {
        Self(inner)
    }
}

/// Leaves have at most this many bytes.
const MOST: usize = 64;

/// The value with its bytes in reverse.
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

/// Refuses a layout that converts values, which reversed bytes are not; and leaves whose reversed bytes may be no value, or
/// are too many.
///
/// Once for the record, and not where leaves are read: a layout around this one has code for leaves of others.
const fn assert_bytes<R: Record, L: RecordLayout<R>>() {
    assert!(
        L::KEEPS_BITS,
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

// SAFETY: the inner layout promises the same. Reversed bytes are a value, since all are, as `check` asserts.
unsafe impl<R: Record, L: RecordLayout<R>> RecordLayout<R> for Byteswap<L> {
    type Frame = L::Frame;
    type Position = L::Position;
    const BLOBS: usize = L::BLOBS;
    const RUN: usize = L::RUN;
    const ALIGNED: bool = L::ALIGNED;
    const ALIGN: usize = L::ALIGN;
    const UNIQUE: bool = L::UNIQUE;
    // A single byte is its own reverse.
    const COMPUTED: &'static LeafSet = &{
        let (mut set, mut leaf) = (LeafSet::EMPTY, 0);
        while leaf < LeafTable::of::<R>().count() {
            if LeafTable::of::<R>().leaf(leaf).size() > 1 || L::COMPUTED.contains(leaf) {
                set = set.with(leaf, 1);
            }
            leaf += 1;
        }
        set
    };
    const KEEPS_BITS: bool = L::KEEPS_BITS;
    type Sharing = L::Sharing;

    fn check(self) -> Result<(), LayoutError> {
        const { assert_bytes::<R, L>() };
        self.0.check()
    }

    #[inline(always)]
    fn frame(self, slots: usize) -> L::Frame {
        self.0.frame(slots)
    }

    fn blob_size(self, slots: usize, blob: usize) -> Option<usize> {
        self.0.blob_size(slots, blob)
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        self.0.region_size(slots)
    }

    #[inline(always)]
    fn region_end(self, slots: usize) -> usize {
        self.0.region_end(slots)
    }

    #[inline(always)]
    fn blob_start(frame: L::Frame, blob: usize) -> usize {
        L::blob_start(frame, blob)
    }

    #[inline(always)]
    fn position(flat: usize) -> L::Position {
        L::position(flat)
    }

    #[inline(always)]
    fn within(position: L::Position, steps: usize) -> L::Position {
        L::within(position, steps)
    }

    #[inline(always)]
    fn place<P: Path<Root = R>>(frame: L::Frame, position: L::Position) -> (usize, Along) {
        L::place::<P>(frame, position)
    }

    fn place_of(frame: L::Frame, position: L::Position, leaf: usize) -> Place {
        L::place_of(frame, position, leaf)
    }

    #[inline(always)]
    fn in_region<P: Path<Root = R>>(frame: L::Frame, position: L::Position) -> Along {
        L::in_region::<P>(frame, position)
    }

    fn in_region_of(frame: L::Frame, position: L::Position, leaf: usize) -> usize {
        L::in_region_of(frame, position, leaf)
    }

    // SAFETY (of what follows): the conditions are the caller's.

    #[inline(always)]
    unsafe fn read<P: Path<Root = R, Type: Leaf>, A: Address>(
        address: A,
        frame: L::Frame,
        position: L::Position,
    ) -> P::Type {
        // SAFETY: as said above.
        swapped(unsafe { L::read::<P, A>(address, frame, position) })
    }

    #[inline(always)]
    unsafe fn write<P: Path<Root = R, Type: Leaf>, A: Address>(
        address: A,
        frame: L::Frame,
        position: L::Position,
        value: P::Type,
    ) {
        // SAFETY: as said above.
        unsafe { L::write::<P, A>(address, frame, position, swapped(value)) };
    }

    #[inline(always)]
    unsafe fn read_of<T: Leaf, A: Address>(address: A, frame: L::Frame, position: L::Position, leaf: usize) -> T {
        // SAFETY: as said above.
        swapped(unsafe { L::read_of(address, frame, position, leaf) })
    }

    #[inline(always)]
    unsafe fn write_of<T: Leaf, A: Address>(address: A, frame: L::Frame, position: L::Position, leaf: usize, value: T) {
        // SAFETY: as said above.
        unsafe { L::write_of(address, frame, position, leaf, swapped(value)) };
    }

    #[inline(always)]
    unsafe fn read_lanes<P: Path<Root = R, Type: Leaf>, A: Address, const W: usize>(
        address: A,
        frame: L::Frame,
        position: L::Position,
    ) -> [P::Type; W] {
        // SAFETY: as said above.
        unsafe { L::read_lanes::<P, A, W>(address, frame, position) }.map(swapped)
    }

    #[inline(always)]
    unsafe fn write_lanes<P: Path<Root = R, Type: Leaf>, A: Address, const W: usize>(
        address: A,
        frame: L::Frame,
        position: L::Position,
        values: [P::Type; W],
    ) {
        // SAFETY: as said above.
        unsafe { L::write_lanes::<P, A, W>(address, frame, position, values.map(swapped)) };
    }

    unsafe fn is_valid_of<A: Address>(address: A, frame: L::Frame, position: L::Position, leaf: usize) -> bool {
        // SAFETY: as said above.
        unsafe { L::is_valid_of(address, frame, position, leaf) }
    }

    fn bits_of(frame: L::Frame, position: L::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        L::bits_of(frame, position, leaf, each);
    }

    fn check_value<T: Leaf>(frame: L::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        L::check_value(frame, leaf, swapped(value))
    }
}

impl<L: fmt::Debug> fmt::Debug for Byteswap<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Byteswap<{:?}>", self.0)
    }
}
