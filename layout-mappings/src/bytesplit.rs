//! Bytesplit: every byte of a leaf is a leaf of its own.

use core::fmt;

use layout_core::{
    Address, BitRange, Codec, Element, Invariant, Leaf, LeafEntry, LeafNode, LeafPlace, LeafSet, LeafTable, MAX_LEAVES,
    Record, RecordLayout, Stored, StoredLeaves, ValueError, check_value, leaf_bytes, leaf_from_bytes, placement_of,
    sized,
};

/// The layout `L` for the single bytes of the leaves.
///
/// In `Bytesplit<SoA>`, all first bytes of a leaf lie together, then all second bytes, and so on: high bytes that are
/// nearly always zero compress well.
///
/// If not every bit pattern is a value of each leaf, as of `bool`, `char` and `NonZero`, `L` must store bytes unchanged. Of the
/// bit-packed layouts, those of [`Bits<8>`](crate::Bits) and [`KeepSign`](crate::KeepSign) do. With fewer bits and
/// [`Refuse`](crate::Refuse), each byte is refused on its own: a `set` that panics has written the bytes before it.
///
/// # Examples
///
/// ```
/// use layout::composed::Bytesplit;
/// use layout::prelude::*;
///
/// let mapping = Mapped::<u16, _, Bytesplit<SoASingle<Packed>>>::new(extents!(dyn 3))?;
/// let view = View::from_bytes(mapping, &[1, 2, 3, 0, 0, 1][..])?;
/// # #[cfg(target_endian = "little")]
/// assert_eq!(view.to_vec(), [1, 2, 0x103]);
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Bytesplit<L>(L);

impl<L> Bytesplit<L> {
    /// Makes the layout `inner` for the single bytes.
    pub const fn new(inner: L) -> Self {
        Self(inner)
    }
}

/// The bytes of the leaves of `R`, as leaves.
pub struct SplitBytes<R>(Invariant<R>);

impl<R: Record> SplitBytes<R> {
    /// The number of bytes of all leaves.
    const BYTES: usize = LeafTable::of::<R>().packed();

    /// The number of bytes, limited to the most leaves of a record; `check` refuses more.
    const COUNT: usize = if Self::BYTES < MAX_LEAVES { Self::BYTES } else { MAX_LEAVES };

    /// Fails to compile for records and leaves that are too large, and for leaves whose bytes are no value unless they are kept.
    ///
    /// The check is once for the record, and not where leaves are read: a layout around this one has code for leaves of others.
    #[track_caller]
    const fn assert_bytes(keeps_bits: bool) {
        assert!(Self::BYTES <= MAX_LEAVES, "`Bytesplit` takes records of at most 4096 bytes");
        let (all, mut leaf) = (LeafTable::of::<R>(), 0);
        while leaf < all.count() {
            assert!(all.leaf(leaf).size() <= MOST, "`Bytesplit` takes leaves of at most 64 bytes");
            assert!(
                keeps_bits || all.leaf(leaf).any_bits(),
                "`Bytesplit` around a layout that converts bytes takes leaves of which every bit pattern is a value, such as numbers"
            );
            leaf += 1;
        }
    }

    /// Lists the bytes, at most `N`.
    const fn table<const N: usize>() -> LeafTable<[LeafEntry; N]> {
        let (all, mut table, mut leaf) = (LeafTable::of::<R>(), LeafTable::<[LeafEntry; N]>::EMPTY, 0);
        while leaf < all.count() {
            let mut byte = all.packed_size(leaf);
            while byte < all.packed_size(leaf + 1) && byte < Self::COUNT {
                table.append(LeafNode::of::<u8>(), all.origin(leaf));
                byte += 1;
            }
            leaf += 1;
        }
        table
    }

    /// The number of the first byte of each leaf.
    const FIRSTS: &'static [u16] = sized!(LeafTable::of::<R>().count(), N => Self::firsts::<N>());

    /// Finds the first byte of each of at most `N` leaves.
    const fn firsts<const N: usize>() -> [u16; N] {
        let (all, mut numbers, mut leaf) = (LeafTable::of::<R>(), [u16::MAX; N], 0);
        while leaf < all.count() {
            // A leaf of size zero at the end gets the number 0, which is never used.
            let first = if all.packed_size(leaf) < all.packed() { all.packed_size(leaf) } else { 0 };
            #[expect(clippy::cast_possible_truncation, reason = "it is below 4096")]
            {
                numbers[leaf] = first as u16;
            }
            leaf += 1;
        }
        numbers
    }
}

impl<R: Record> StoredLeaves for SplitBytes<R> {
    type Of = R;
    const TABLE: &'static LeafTable = sized!(Self::COUNT, N => Self::table::<N>());
}

/// The number of the first byte of leaf `leaf`.
#[inline(always)]
const fn first<R: Record>(leaf: usize) -> usize {
    SplitBytes::<R>::FIRSTS[leaf] as usize
}

/// The most bytes of a leaf.
const MOST: usize = 64;

/// The record of the bytes.
type Bytes<R> = Stored<SplitBytes<R>>;

// SAFETY: the inner layout promises the same for each byte. All leaves are computed.
unsafe impl<R: Record, L: RecordLayout<Bytes<R>>> RecordLayout<R> for Bytesplit<L> {
    placement_of!(L; Bytes<R>; this => this.0; CHECKED: SplitBytes::<R>::assert_bytes(<L::Codec as Codec<Bytes<R>, L>>::KEEPS_BITS));
    type Codec = Self;
    const PLACES: &'static [LeafPlace] = &[];
}

// SAFETY: the inner layout promises the same for each byte, and each is one of one leaf. Bytes from outside make a value,
// as `is_valid` checks, or were written as one.
unsafe impl<R: Record, L: RecordLayout<Bytes<R>>> Codec<R, Self> for Bytesplit<L> {
    const COMPUTED: &'static LeafSet = &LeafSet::all::<R>();
    const KEEPS_BITS: bool = <L::Codec as Codec<Bytes<R>, L>>::KEEPS_BITS;
    const REFUSES: &'static LeafSet = &{
        let (mut set, mut leaf) = (LeafSet::EMPTY, 0);
        while leaf < LeafTable::of::<R>().count() {
            let bytes = LeafTable::of::<R>().leaf(leaf).size();
            if !<L::Codec as Codec<Bytes<R>, L>>::REFUSES.part(first::<R>(leaf), bytes).is_empty() {
                set = set.with(leaf, 1);
            }
            leaf += 1;
        }
        set
    };

    // SAFETY (of what follows): the conditions are the caller's; the bytes are the leaf's.

    #[inline(always)]
    unsafe fn read<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize) -> T {
        let mut bytes = [0; MOST];
        let bytes = &mut bytes[..size_of::<T>()];
        for (i, byte) in bytes.iter_mut().enumerate() {
            // SAFETY: as said above.
            *byte = unsafe { element.inside::<Bytes<R>, L>().read(first::<R>(leaf) + i) };
        }
        match leaf_from_bytes(bytes) {
            Some(value) => value,
            // Bytes were checked, or were written as a value, unless they lie in no memory.
            None => {
                panic!("zero is no value of `{}`: its bytes cannot be read from `Null`", core::any::type_name::<T>())
            }
        }
    }

    #[inline(always)]
    unsafe fn write<T: Leaf, A: Address>(element: Element<R, Self, A>, leaf: usize, value: T) {
        for (i, byte) in leaf_bytes(&value).iter().enumerate() {
            // SAFETY: as said above.
            unsafe { element.inside::<Bytes<R>, L>().write(first::<R>(leaf) + i, *byte) };
        }
    }

    unsafe fn is_valid<A: Address>(element: Element<R, Self, A>, leaf: usize) -> bool {
        let (node, mut bytes) = (LeafTable::of::<R>().leaf(leaf), [0; MOST]);
        for (i, byte) in bytes.iter_mut().enumerate().take(node.size()) {
            // SAFETY: as said above; any byte is a value.
            *byte = unsafe { element.inside::<Bytes<R>, L>().read(first::<R>(leaf) + i) };
        }
        node.accepts(&bytes)
    }

    fn bits_of(frame: L::Frame, position: L::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        for byte in 0..LeafTable::of::<R>().leaf(leaf).size() {
            L::Codec::bits_of(frame, position, first::<R>(leaf) + byte, each);
        }
    }

    fn check_value<T: Leaf>(frame: L::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        let mut bytes = leaf_bytes(&value).iter().enumerate();
        bytes.try_for_each(|(i, byte)| check_value::<Bytes<R>, L, u8>(frame, first::<R>(leaf) + i, *byte))
    }
}

impl<L: fmt::Debug> fmt::Debug for Bytesplit<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytesplit<{:?}>", self.0)
    }
}
