//! Record layouts: from a flat position and a leaf to bytes.

use core::fmt;
use core::marker::PhantomData;
use core::panic::{RefUnwindSafe, UnwindSafe};

use crate::blob::Address;
use crate::error::{LayoutError, ValueError};
use crate::leaf::Leaf;
use crate::leaf_set::LeafSet;
use crate::leaf_table::LeafTable;
use crate::path::Path;
use crate::record::Record;

/// A place in memory: a blob and a byte offset in it.
///
/// # Examples
///
/// ```
/// use layout::{AoS, Mapped, Mapping, Place, extents};
///
/// let mapping = Mapped::<[u16; 3], _, AoS>::new(extents!(dyn 5))?;
/// assert_eq!(mapping.place_of([2], 1), Place { blob: 0, offset: 2 * 6 + 2 });
/// # Ok::<(), layout::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the blob.
    pub blob: usize,
    /// The offset in bytes from the start of the blob.
    pub offset: usize,
}

/// A byte offset as neighbours in a run have it in common: `start + lane * stride`.
///
/// The parts are kept apart so that the sum is done where it is known not to overflow: that is what lets the
/// compiler see a loop over lanes as one over equally spaced bytes.
///
/// # Examples
///
/// ```
/// use layout_core::Along;
///
/// assert_eq!(Along { start: 64, lane: 3, stride: 4 }.offset(), 76);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// The offset in bytes of lane 0.
    pub start: usize,
    /// The number of the lane.
    pub lane: usize,
    /// The distance in bytes between neighbouring lanes.
    pub stride: usize,
}

impl Along {
    /// The offset in bytes.
    #[inline(always)]
    #[must_use]
    pub const fn offset(self) -> usize {
        self.start.wrapping_add(self.lane.wrapping_mul(self.stride))
    }
}

/// Turns a flat position and a leaf into a place: AoS, SoA, AoSoA and so on.
///
/// A layout is asked for one thing in two forms. [`place`](Self::place) finds a leaf in separate blobs;
/// [`in_region`](Self::in_region) finds it where all blobs lie one after another in one allocation, which is
/// how views own memory: one base address, no table of blobs to load from. The `_of` forms take a leaf
/// that is known at run time only.
///
/// A **position** is where an element lies, as the layout wants it: flat, or divided into a block and a
/// lane. Traversal divides once for each run of [`RUN`](Self::RUN) positions and then steps
/// [`within`](Self::within) the run. A **frame** is what finding a leaf needs to know of the number of
/// positions.
///
/// # Computed leaves
///
/// A leaf is *physical*: its bytes lie at its place; or *computed*: [`read`](Self::read) makes its value of other
/// bytes, or of none, and there is no place to refer to. The leaves in [`COMPUTED`](Self::COMPUTED) are; it is never
/// asked for their places. Layouts of physical leaves leave the functions from `read` on as they are. A layout that has
/// computed leaves implements
/// * [`read`](Self::read) and [`write`](Self::write) for a leaf that is known by type, [`read_of`](Self::read_of) and
///   [`write_of`](Self::write_of) for one that is known by its number and the type of its value;
/// * [`is_valid_of`](Self::is_valid_of), which is asked of bytes from outside before anything is read, and
///   [`bits_of`](Self::bits_of), for who wants to see them;
/// * [`read_lanes`](Self::read_lanes) and [`write_lanes`](Self::write_lanes), where several values at once are quicker
///   to make than one after another;
/// * [`check_value`](Self::check_value), if not all values of a leaf's type can be stored;
/// * [`KEEPS_BITS`](Self::KEEPS_BITS), if it keeps the bits of every value: no is assumed.
///
/// All of them are also called for its physical leaves, and find those by [`Address::leaf`] or by the functions of an
/// inner layout. The record may be what another layout [stores](crate::Stored): leaves are then known by
/// [`LeafTable::of`], and there is no struct.
///
/// # Safety
///
/// Implementors must ensure, for every number of slots whose sizes fit `isize`, every flat position below
/// it, and every leaf of `R`:
/// * the place lies, with all bytes of the leaf, within [`blob_size`](Self::blob_size), and the place in
///   the region within [`region_size`](Self::region_size), which is no less than the size of blob 0 where
///   there is one blob;
/// * the place in the region is that in the blob, from [`blob_start`](Self::blob_start) on, without overlap;
/// * if [`ALIGNED`](Self::ALIGNED), each place is aligned for its leaf, and what computed leaves are made of for its
///   type, if blobs and the region are aligned to [`ALIGN`](Self::ALIGN);
/// * no two leaves of one position share a bit, nor, if [`UNIQUE`](Self::UNIQUE), of two; and no byte, if
///   [`Sharing`](Self::Sharing) is [`Apart`];
/// * both forms agree with their `_of` forms;
/// * [`read`](Self::read), [`write`](Self::write) and their other forms use no bytes but those that hold bits of the leaf
///   itself, as [`bits_of`](Self::bits_of) says, and if [`Sharing`](Self::Sharing) is [`Joined`], bytes of the blobs that
///   have no bits but those of computed leaves; a write changes no bits but the leaf's; and they give values of the
///   leaf's type for all bytes that [`is_valid_of`](Self::is_valid_of) accepts or a write left;
/// * an offset is the sum that [`Along`] says, without overflow; within a run, that is between two multiples
///   of `RUN`, neighbours have the same blob, start and stride and neighbouring lanes, and
///   `within(position(k), i)` is `position(k + i)`;
/// * the stride of a leaf is the same in all runs, which lie in one blob, equally far apart: the place at position
///   `k + RUN` is that at position `k` and a number of bytes that depends on the leaf only;
/// * if [`STEP`](Self::STEP) is a number, there is one blob and one run, all leaves are physical, and the place of each at
///   position `k` is that at position 0 and `k` times that number;
/// * layouts that are equal place equally.
///
/// Callers may rely on all of that.
///
/// # Examples
///
/// ```
/// use layout::{RecordLayout, SoA, AoSoA};
///
/// // What fast paths ask: how many blobs, and how far neighbours stay equally far apart.
/// assert_eq!(<SoA as RecordLayout<[f32; 3]>>::BLOBS, 3);
/// assert_eq!(<AoSoA<8> as RecordLayout<[f32; 3]>>::RUN, 8);
/// ```
///
/// An implementation is in the guide of the facade, in the chapter "Writing a layout".
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no record layout for `{R}`",
    note = "use `AoS`, `SoA` or `AoSoA<L>`, or a layout of them, such as `Split<S, A, B>` or `ChangeType<L, V, S>`"
)]
pub unsafe trait RecordLayout<R: Record>: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// What finding a leaf needs to know of the number of slots.
    type Frame: Copy + Send + Sync + 'static;
    /// Where an element lies.
    type Position: Copy + Send + Sync + 'static;
    /// The number of blobs.
    const BLOBS: usize;
    /// After how many positions the distance between neighbours changes; `usize::MAX` if it never does.
    const RUN: usize;
    /// The distance in bytes between neighbouring positions, if it is the same for all leaves of one blob: from the place
    /// of any element, others are then found as from the first one's.
    const STEP: Option<usize> = None;
    /// Whether every physical leaf lies at a multiple of its alignment.
    const ALIGNED: bool;
    /// The alignment in bytes that blobs and the region need if the layout is [`ALIGNED`](Self::ALIGNED): that of what
    /// is stored, which need not be what the record has.
    const ALIGN: usize = LeafTable::of::<R>().max_align();
    /// Whether no two positions share a byte of a leaf.
    const UNIQUE: bool = true;
    /// The number of the first of these leaves in the record of the view: other than 0 in the layout of a part of it.
    const FIRST_LEAF: usize = 0;
    /// The leaves that have no bytes of their own.
    const COMPUTED: &'static LeafSet = &LeafSet::EMPTY;
    /// Whether the layout stores the bits of each value as they are, wherever it puts them, or stores nothing. A layout that
    /// converts values, such as `f64` to `f32`, does not. `Byteswap` accepts only layouts that do: reversed bytes are not a
    /// number that can be converted.
    const KEEPS_BITS: bool = Self::COMPUTED.is_empty();
    /// Whether different leaves may lie in one byte: [`Apart`] if not, [`Joined`] if so.
    type Sharing: Sharing;

    /// Refuses a layout whose state is no good for `R`, such as a number of bits of zero.
    ///
    /// # Errors
    ///
    /// As the layout says.
    fn check(self) -> Result<(), LayoutError> {
        Ok(())
    }

    /// The frame for `slots` positions.
    fn frame(self, slots: usize) -> Self::Frame;

    /// The size of a blob in bytes, if it fits `usize`.
    fn blob_size(self, slots: usize, blob: usize) -> Option<usize>;

    /// The size in bytes of one allocation for all blobs, if it fits `usize`.
    fn region_size(self, slots: usize) -> Option<usize>;

    /// What [`region_size`](RecordLayout::region_size) says where that is a size; any number where it is none.
    ///
    /// A layout that puts another one behind this one asks at every access by index: override it with arithmetic
    /// that checks nothing.
    #[inline(always)]
    fn region_end(self, slots: usize) -> usize {
        self.region_size(slots).unwrap_or(0)
    }

    /// Where a blob starts in one allocation for all blobs; 0 where there is one.
    #[inline(always)]
    fn blob_start(frame: Self::Frame, blob: usize) -> usize {
        let _ = (frame, blob);
        0
    }

    /// The position of the element at flat position `flat`.
    fn position(flat: usize) -> Self::Position;

    /// The position `steps` further in the same run.
    fn within(position: Self::Position, steps: usize) -> Self::Position;

    /// The blob of leaf `P` and its offset there.
    fn place<P: Path<Root = R>>(frame: Self::Frame, position: Self::Position) -> (usize, Along);

    /// The place of leaf number `leaf`.
    fn place_of(frame: Self::Frame, position: Self::Position, leaf: usize) -> Place;

    /// The offset of leaf `P` in one allocation for all blobs.
    fn in_region<P: Path<Root = R>>(frame: Self::Frame, position: Self::Position) -> Along;

    /// The offset of leaf number `leaf` in one allocation for all blobs.
    fn in_region_of(frame: Self::Frame, position: Self::Position, leaf: usize) -> usize;

    /// Reads leaf `P`.
    ///
    /// # Safety
    ///
    /// Frame and position are of an element of a mapping with this layout that the blobs at `address` were checked for;
    /// the blobs are borrowed.
    #[inline(always)]
    unsafe fn read<P: Path<Root = R, Type: Leaf>, A: Address>(
        address: A,
        frame: Self::Frame,
        position: Self::Position,
    ) -> P::Type {
        // SAFETY: the conditions are the caller's.
        let pointer = unsafe { address.leaf::<R, Self, P>(frame, position) };
        // SAFETY: it is the place of the leaf.
        unsafe { read_place::<P::Type, R, Self>(pointer.cast()) }
    }

    /// Writes leaf `P`.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), and nothing else reaches the leaf, nor any leaf at all if [`Sharing`](Self::Sharing)
    /// is [`Joined`].
    #[inline(always)]
    unsafe fn write<P: Path<Root = R, Type: Leaf>, A: Address>(
        address: A,
        frame: Self::Frame,
        position: Self::Position,
        value: P::Type,
    ) {
        // SAFETY: the conditions are the caller's.
        let pointer = unsafe { address.leaf::<R, Self, P>(frame, position) };
        // SAFETY: it is the place of the leaf, which nothing else reaches.
        unsafe { write_place::<P::Type, R, Self>(pointer.cast(), value) };
    }

    /// Reads leaf number `leaf`.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), and the record has that leaf, of type `T`.
    #[inline(always)]
    unsafe fn read_of<T: Leaf, A: Address>(address: A, frame: Self::Frame, position: Self::Position, leaf: usize) -> T {
        // SAFETY: the conditions are the caller's.
        let pointer = unsafe { address.leaf_of::<R, Self>(frame, position, leaf) };
        // SAFETY: it is the place of the leaf.
        unsafe { read_place::<T, R, Self>(pointer.cast()) }
    }

    /// Writes leaf number `leaf`.
    ///
    /// # Safety
    ///
    /// As [`write`](Self::write), and the record has that leaf, of type `T`.
    #[inline(always)]
    unsafe fn write_of<T: Leaf, A: Address>(
        address: A,
        frame: Self::Frame,
        position: Self::Position,
        leaf: usize,
        value: T,
    ) {
        // SAFETY: the conditions are the caller's.
        let pointer = unsafe { address.leaf_of::<R, Self>(frame, position, leaf) };
        // SAFETY: it is the place of the leaf, which nothing else reaches.
        unsafe { write_place::<T, R, Self>(pointer.cast(), value) };
    }

    /// Reads leaf `P` of `W` neighbours, from a position on.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), for each of them. They lie in one run, and the first at a multiple of `W` in it if runs
    /// end.
    #[inline(always)]
    unsafe fn read_lanes<P: Path<Root = R, Type: Leaf>, A: Address, const W: usize>(
        address: A,
        frame: Self::Frame,
        position: Self::Position,
    ) -> [P::Type; W] {
        // SAFETY: the conditions are the caller's; the positions are in the run.
        core::array::from_fn(|i| unsafe { Self::read::<P, A>(address, frame, Self::within(position, i)) })
    }

    /// Writes leaf `P` of `W` neighbours, from a position on.
    ///
    /// # Safety
    ///
    /// As [`write`](Self::write), for each of them; and as [`read_lanes`](Self::read_lanes).
    #[inline(always)]
    unsafe fn write_lanes<P: Path<Root = R, Type: Leaf>, A: Address, const W: usize>(
        address: A,
        frame: Self::Frame,
        position: Self::Position,
        values: [P::Type; W],
    ) {
        for (i, value) in values.into_iter().enumerate() {
            // SAFETY: the conditions are the caller's; the position is in the run.
            unsafe { Self::write::<P, A>(address, frame, Self::within(position, i), value) };
        }
    }

    /// Whether the bytes from which leaf number `leaf` is read give a value of its type.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), but that the bytes need not have been checked; and the record has that leaf.
    unsafe fn is_valid_of<A: Address>(address: A, frame: Self::Frame, position: Self::Position, leaf: usize) -> bool {
        // SAFETY: the conditions are the caller's.
        let bytes = unsafe { address.leaf_of::<R, Self>(frame, position, leaf) };
        // SAFETY: the place has all bytes of the leaf, and blobs are initialized.
        unsafe { LeafTable::of::<R>().leaf(leaf).is_valid(bytes) }
    }

    /// Calls `each` with the bits in which the value of leaf number `leaf` lies: one range for a physical leaf, several
    /// or none for some computed ones. Blobs are numbered as in [`place`](Self::place).
    fn bits_of(frame: Self::Frame, position: Self::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let Place { blob, offset } = Self::place_of(frame, position, leaf);
        each(BitRange { blob, start: 8 * offset, bits: 8 * LeafTable::of::<R>().leaf(leaf).size() });
    }

    /// Refuses a value that leaf number `leaf`, an integer of type `T`, cannot be given without loss.
    ///
    /// # Errors
    ///
    /// As the layout says. The leaf is named by who asked.
    fn check_value<T: Leaf>(frame: Self::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        let _ = (frame, leaf, value);
        Ok(())
    }
}

/// The alignment in bytes of allocations: a cache line, and every vector of today's processors.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let view = alloc::<u8, SoA, _>(1)?;
/// assert!(core::ptr::from_ref(view.at(0).as_ref()).addr().is_multiple_of(layout::REGION_ALIGN));
/// # Ok::<(), ViewError>(())
/// ```
pub const REGION_ALIGN: usize = 64;

/// The alignment in bytes of one allocation for leaves of `R`: 64, or more if a leaf needs it.
///
/// # Examples
///
/// ```
/// assert_eq!(layout_core::region_align::<f64>(), 64);
/// ```
#[must_use]
pub const fn region_align<R: Record>() -> usize {
    let align = LeafTable::of::<R>().max_align();
    if align > REGION_ALIGN { align } else { REGION_ALIGN }
}

/// The alignment in bytes of one allocation for what the layout `L` stores for `R`.
pub(crate) const fn allocation_align<R: Record, L: RecordLayout<R>>() -> usize {
    if L::ALIGN > REGION_ALIGN { L::ALIGN } else { REGION_ALIGN }
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
pub trait Sharing: Copy + fmt::Debug + Default + sealed::Sealed + 'static {
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

mod sealed {
    #[expect(unnameable_types, reason = "seals `Sharing`: its implementors are listed here")]
    pub trait Sealed {}
    impl Sealed for super::Apart {}
    impl Sealed for super::Joined {}
}

/// Reads the leaf at a place of the layout `L`.
///
/// # Safety
///
/// The pointer is to the bytes of a leaf of type `T` in blobs that were checked for the layout, and borrowed.
#[inline(always)]
unsafe fn read_place<T: Leaf, R: Record, L: RecordLayout<R>>(pointer: *mut T) -> T {
    if L::ALIGNED && size_of::<T>() > 0 {
        // SAFETY: the leaf's bytes are initialized, were checked to be a value of its type or written as one,
        // and are aligned, since layout and blobs are, of which only those without bytes need not be.
        unsafe { pointer.read() }
    } else {
        // SAFETY: as above, at any alignment.
        unsafe { pointer.read_unaligned() }
    }
}

/// Writes the leaf at a place of the layout `L`.
///
/// # Safety
///
/// As [`read_place`], and nothing else reaches the leaf.
#[inline(always)]
unsafe fn write_place<T: Leaf, R: Record, L: RecordLayout<R>>(pointer: *mut T, value: T) {
    if L::ALIGNED && size_of::<T>() > 0 {
        // SAFETY: the pointer is to the leaf's bytes, which nothing else reaches, and aligned as in `read_place`.
        unsafe { pointer.write(value) };
    } else {
        // SAFETY: as above, at any alignment.
        unsafe { pointer.write_unaligned(value) };
    }
}
