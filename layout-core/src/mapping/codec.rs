//! Codecs: they make the values of computed leaves from bytes.

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

/// The codec by which the layout `L` of records `R` reads and writes leaves that have no bytes of their own.
///
/// A leaf is either *physical* or *computed*. The bytes of a physical leaf lie at its place. For a computed leaf, the codec makes the value
/// from other bytes, or from none, so there is no place to refer to. [`COMPUTED`](Self::COMPUTED) lists the computed leaves. A layout of
/// physical leaves needs only `type Codec = Physical`; other layouts usually are their own codec.
///
/// A codec knows leaves by their number. The number is a constant wherever a field is named, so a table of all leaves
/// costs nothing after inlining: mark `read` and `write` as `#[inline(always)]`.
///
/// # Safety
///
/// Implementors must ensure, for every element and every leaf of `R`:
/// * [`read`](Self::read), [`write`](Self::write) and their forms for lanes use no bytes but those that hold bits of the leaf
///   itself, as [`bits_of`](Self::bits_of) says, and if [`Sharing`](RecordLayout::Sharing) is [`Joined`], bytes of the
///   blobs that have no bits but those of computed leaves;
/// * a write changes no bits but the leaf's, of which no other leaf has one, nor a byte if `Sharing` is [`Apart`];
/// * they give values of the leaf's type for all bytes that [`is_valid`](Self::is_valid) accepts or a write left; if all bytes are values
///   of the leaf's type ([`ANY_BITS`](Leaf::ANY_BITS)), for all bytes, since then nobody asks `is_valid`.
///
/// Callers may rely on all of that.
///
/// # Examples
///
/// The guide of the facade shows an implementation, in the chapter "Writing a layout".
pub unsafe trait Codec<R: Record, L: RecordLayout<R>>: 'static {
    /// The set of computed leaves.
    const COMPUTED: &'static LeafSet = &LeafSet::EMPTY;
    /// `true` if the bits of each value are stored unchanged, in whatever place, or if nothing is stored. A codec that
    /// converts values, such as `f64` to `f32`, or that refuses some, says `false`. `Byteswap` accepts only layouts that say `true`: reversed
    /// bytes are not a number that can be converted. `Bytesplit` does for leaves with invalid bit patterns.
    const KEEPS_BITS: bool = Self::COMPUTED.is_empty();
    /// The leaves that refuse values: [`write`](Self::write) panics with each value for which [`check_value`](Self::check_value)
    /// returns an error. Functions that read files and other data from outside check the values of these leaves before they write,
    /// and return the error.
    const REFUSES: &'static LeafSet = &LeafSet::EMPTY;

    /// Reads leaf number `leaf`, a computed leaf.
    ///
    /// # Safety
    ///
    /// The element is one of a mapping with this layout that the blobs at its address were checked for; the blobs are
    /// borrowed. The record has that leaf, of type `T`.
    unsafe fn read<T: Leaf, A: Address>(element: Element<R, L, A>, leaf: usize) -> T;

    /// Writes leaf number `leaf`, a computed leaf.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), and nothing else reaches the leaf, nor any leaf at all if
    /// [`Sharing`](RecordLayout::Sharing) is [`Joined`].
    #[track_caller]
    unsafe fn write<T: Leaf, A: Address>(element: Element<R, L, A>, leaf: usize, value: T);

    /// Reads leaf number `leaf`, a computed leaf, of `W` neighbors that start at an element. Codecs override it if they
    /// can read several values at once faster than one after another.
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

    /// Writes leaf number `leaf`, a computed leaf, of `W` neighbors that start at an element.
    ///
    /// # Safety
    ///
    /// As [`write`](Self::write), for each of them; and as [`read_lanes`](Self::read_lanes).
    #[inline(always)]
    #[track_caller]
    unsafe fn write_lanes<T: Leaf, A: Address, const W: usize>(element: Element<R, L, A>, leaf: usize, values: [T; W]) {
        for (i, value) in values.into_iter().enumerate() {
            // SAFETY: the conditions are the caller's; the element is in the run.
            unsafe { Self::write(element.within(i), leaf, value) };
        }
    }

    /// Returns `true` if the bytes that leaf number `leaf` is read from give a value of its type. Constructors of views
    /// ask this for bytes from outside before they read anything, unless all bytes are values of the leaf's type. If all bytes of
    /// the blobs are zero, the answer is the same for each element.
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

    /// Calls `each` with the ranges of bits that hold the value of leaf number `leaf`: one range for a physical leaf,
    /// several or none for some computed leaves.
    fn bits_of(frame: L::Frame, position: L::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let Place { blob, offset } = place_of::<R, L>(frame, position, leaf);
        each(BitRange { blob, start: offset.saturating_mul(8), bits: 8 * LeafTable::of::<R>().leaf(leaf).size() });
    }

    /// Returns an error if leaf number `leaf`, an integer of type `T`, cannot store `value` without loss. A codec that converts values
    /// asks this of the converted value.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases that the codec documents. The caller fills in the name of the leaf.
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

/// A range of bits in a blob.
///
/// # Examples
///
/// ```
/// use layout::author::BitRange;
///
/// let third_byte = BitRange { blob: 0, start: 16, bits: 8 };
/// assert_eq!(third_byte.bytes(), 2..3);
/// assert_eq!(BitRange { blob: 0, start: 15, bits: 2 }.bytes(), 1..3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitRange {
    /// The number of the blob.
    pub blob: usize,
    /// The first bit, counted from the start of the blob, the lowest bit of each byte first. From byte 2^61 on, where a `usize` of 64 bits
    /// does not count the bits, the largest `usize`.
    pub start: usize,
    /// The number of bits.
    pub bits: usize,
}

impl BitRange {
    /// The bytes of the blob that hold these bits.
    #[must_use]
    pub const fn bytes(self) -> core::ops::Range<usize> {
        self.start / 8..self.start.saturating_add(self.bits).div_ceil(8)
    }
}

/// The marker for whether leaves of a layout may share bytes. [`Apart`] and [`Joined`] implement it.
pub trait Sharing: Copy + fmt::Debug + Default + Sealed + 'static {
    /// The marker of two layouts together that divide the leaves of one record between them: [`Joined`] if either is.
    type And<S: Sharing>: Sharing;
    /// `true` if leaves may share bytes.
    const JOINED: bool;
}

/// The marker for layouts in which no two leaves have bits in one byte: different threads may write different leaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Apart(());

/// The marker for layouts in which two leaves may have bits in one byte. A write to one leaf writes the whole byte, so
/// no two threads may write at once.
///
/// Slots of such a layout stay on their thread, and the view cannot be split for writing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Joined(PhantomData<dyn LeavesThatShareBytes>);

/// The name that the compiler's message shows when a slot of such a layout is sent to another thread.
trait LeavesThatShareBytes: UnwindSafe + RefUnwindSafe + Unpin {}

impl Sharing for Apart {
    type And<S: Sharing> = S;
    const JOINED: bool = false;
}

impl Sharing for Joined {
    type And<S: Sharing> = Self;
    const JOINED: bool = true;
}
