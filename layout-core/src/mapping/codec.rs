//! Codecs: how the values of computed leaves are made of bytes.

use core::fmt;
use core::marker::PhantomData;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::table::place_of;
use super::{Element, Place, RecordLayout};
use crate::blob::Address;
use crate::error::ValueError;
use crate::leaf::Leaf;
use crate::leaf_set::LeafSet;
use crate::leaf_table::LeafTable;
use crate::record::Record;
use crate::sealed::Sealed;

/// How the layout `L` of records `R` reads and writes leaves that have no bytes of their own.
///
/// A leaf is *physical*: its bytes lie at its place; or *computed*: the codec makes its value of other bytes, or of none,
/// and there is no place to refer to. The leaves in [`COMPUTED`](Self::COMPUTED) are. A layout of physical leaves says
/// `type Codec = Physical`, and is done. Other layouts usually are their own codec.
///
/// Leaves are known by their number. It is a constant wherever a field is named, so that a table of all leaves costs
/// nothing after inlining: mark `read` and `write` as `#[inline(always)]`.
///
/// # Safety
///
/// Implementors must ensure, for every element and every leaf of `R`:
/// * [`read`](Self::read), [`write`](Self::write) and their forms for lanes use no bytes but those that hold bits of the leaf
///   itself, as [`bits_of`](Self::bits_of) says, and if [`Sharing`](RecordLayout::Sharing) is [`Joined`], bytes of the
///   blobs that have no bits but those of computed leaves;
/// * a write changes no bits but the leaf's, of which no other leaf has one, nor a byte if `Sharing` is [`Apart`];
/// * they give values of the leaf's type for all bytes that [`is_valid`](Self::is_valid) accepts or a write left.
///
/// Callers may rely on all of that.
///
/// # Examples
///
/// An implementation is in the guide of the facade, in the chapter "Writing a layout".
pub unsafe trait Codec<R: Record, L: RecordLayout<R>>: 'static {
    /// The leaves that are computed.
    const COMPUTED: &'static LeafSet = &LeafSet::EMPTY;
    /// Whether the bits of each value are stored as they are, wherever they are put, or nothing is stored. A codec that
    /// converts values, such as `f64` to `f32`, says no. `Byteswap` accepts only layouts that say yes: reversed bytes are
    /// not a number that can be converted.
    const KEEPS_BITS: bool = Self::COMPUTED.is_empty();

    /// Reads leaf number `leaf`, which is computed.
    ///
    /// # Safety
    ///
    /// The element is one of a mapping with this layout that the blobs at its address were checked for; the blobs are
    /// borrowed. The record has that leaf, of type `T`.
    unsafe fn read<T: Leaf, A: Address>(element: Element<R, L, A>, leaf: usize) -> T;

    /// Writes leaf number `leaf`, which is computed.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), and nothing else reaches the leaf, nor any leaf at all if
    /// [`Sharing`](RecordLayout::Sharing) is [`Joined`].
    unsafe fn write<T: Leaf, A: Address>(element: Element<R, L, A>, leaf: usize, value: T);

    /// Reads leaf number `leaf`, which is computed, of `W` neighbours from an element on: for codecs that read several
    /// values at once faster than one after another.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), for each of them. They lie in one run, and the first at a multiple of `W` in it if runs
    /// end.
    #[inline(always)]
    unsafe fn read_lanes<T: Leaf, A: Address, const W: usize>(element: Element<R, L, A>, leaf: usize) -> [T; W] {
        // SAFETY: the conditions are the caller's; the elements are in the run.
        core::array::from_fn(|i| unsafe { Self::read(element.within(i), leaf) })
    }

    /// Writes leaf number `leaf`, which is computed, of `W` neighbours from an element on.
    ///
    /// # Safety
    ///
    /// As [`write`](Self::write), for each of them; and as [`read_lanes`](Self::read_lanes).
    #[inline(always)]
    unsafe fn write_lanes<T: Leaf, A: Address, const W: usize>(element: Element<R, L, A>, leaf: usize, values: [T; W]) {
        for (i, value) in values.into_iter().enumerate() {
            // SAFETY: the conditions are the caller's; the element is in the run.
            unsafe { Self::write(element.within(i), leaf, value) };
        }
    }

    /// Whether the bytes from which leaf number `leaf` is read give a value of its type; asked of bytes from outside
    /// before anything is read.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), but that the bytes need not have been checked, and the leaf may be physical.
    unsafe fn is_valid<A: Address>(element: Element<R, L, A>, leaf: usize) -> bool {
        // SAFETY: the conditions are the caller's.
        let bytes = unsafe { element.place_of(leaf) };
        // SAFETY: the place has all bytes of the leaf, and blobs are initialized.
        unsafe { LeafTable::of::<R>().leaf(leaf).is_valid(bytes) }
    }

    /// Calls `each` with the bits in which the value of leaf number `leaf` lies: one range for a physical leaf, several
    /// or none for some computed ones.
    fn bits_of(frame: L::Frame, position: L::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let Place { blob, offset } = place_of::<R, L>(frame, position, leaf);
        each(BitRange { blob, start: 8 * offset, bits: 8 * LeafTable::of::<R>().leaf(leaf).size() });
    }

    /// Refuses a value that leaf number `leaf`, an integer of type `T`, cannot be given without loss.
    ///
    /// # Errors
    ///
    /// As the codec says. The leaf is named by who asked.
    fn check_value<T: Leaf>(frame: L::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        let _ = (frame, leaf, value);
        Ok(())
    }
}

/// The [`Codec`] of layouts that compute no leaf.
#[derive(Clone, Copy, Debug)]
pub struct Physical(());

// SAFETY: no leaf is computed.
unsafe impl<R: Record, L: RecordLayout<R>> Codec<R, L> for Physical {
    #[inline(always)]
    unsafe fn read<T: Leaf, A: Address>(_: Element<R, L, A>, _: usize) -> T {
        unreachable!("no leaf is computed")
    }

    #[inline(always)]
    unsafe fn write<T: Leaf, A: Address>(_: Element<R, L, A>, _: usize, _: T) {
        unreachable!("no leaf is computed")
    }
}

/// Bits in a blob.
///
/// # Examples
///
/// ```
/// use layout_core::BitRange;
///
/// let third_byte = BitRange { blob: 0, start: 16, bits: 8 };
/// assert_eq!(third_byte.bytes(), 2..3);
/// assert_eq!(BitRange { blob: 0, start: 15, bits: 2 }.bytes(), 1..3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitRange {
    /// The number of the blob.
    pub blob: usize,
    /// The first bit, counted from the start of the blob, the lowest bit of each byte first.
    pub start: usize,
    /// The number of bits.
    pub bits: usize,
}

impl BitRange {
    /// The bytes of the blob that hold these bits.
    #[must_use]
    pub const fn bytes(self) -> core::ops::Range<usize> {
        self.start / 8..(self.start + self.bits).div_ceil(8)
    }
}

/// Whether leaves of a layout may share bytes: implemented by [`Apart`] and [`Joined`].
pub trait Sharing: Copy + fmt::Debug + Default + Sealed + 'static {
    /// What holds for two layouts that share the leaves of one record.
    type And<S: Sharing>: Sharing;
    /// Whether they do.
    const JOINED: bool;
}

/// No two leaves have bits in one byte: different leaves may be written by different threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Apart(());

/// Two leaves may have bits in one byte: writing one writes the byte, so that no two threads may write at once.
///
/// Slots of such a layout stay on their thread, and the view cannot be split for writing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Joined(PhantomData<dyn LeavesThatShareBytes>);

/// What the compiler says cannot be sent, where a slot of such a layout is.
trait LeavesThatShareBytes: UnwindSafe + RefUnwindSafe + Unpin {}

impl Sharing for Apart {
    type And<S: Sharing> = S;
    const JOINED: bool = false;
}

impl Sharing for Joined {
    type And<S: Sharing> = Self;
    const JOINED: bool = true;
}
