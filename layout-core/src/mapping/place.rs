//! Places: the positions of leaves as constants, and the sum that gives a leaf's address.

use super::table::{computes, place_of};
use super::{Codec, RecordLayout};
use crate::blob::Address;
use crate::error::ValueError;
use crate::leaf::Leaf;
use crate::path::Path;
use crate::record::Record;
use crate::sealed::Sealed;

/// A place in memory: a blob and a byte offset in it.
///
/// # Examples
///
/// ```
/// use layout::{AoS, Mapped, Mapping, Place, extents};
///
/// let mapping = Mapped::<[u16; 3], _, AoS>::new(extents!(dyn 5))?;
/// assert_eq!(mapping.place_of([2], 1), Place { blob: 0, offset: 2 * 6 + 2 });
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the blob.
    pub blob: usize,
    /// The offset in bytes from the start of the blob.
    pub offset: usize,
}

/// The place of a leaf in every element, as constants.
///
/// Positions are divided into blocks of [`RUN`](RecordLayout::RUN) lanes. In its blob, the leaf of the element in lane `l`
/// of block `b` has the byte offset
///
/// ```text
/// base + start + b * block + l * stride
/// ```
///
/// where `base` is the result of [`RecordLayout::base`], the only part that is not a constant.
///
/// # Examples
///
/// ```
/// use layout::{AoSoA, RecordLayout};
///
/// // Blocks of eight values of the first leaf and eight of the second.
/// const PLACES: &[layout::author::LeafPlace] = <AoSoA<8> as RecordLayout<[f32; 2]>>::PLACES;
/// assert_eq!((PLACES[1].start, PLACES[1].stride, PLACES[1].block), (32, 4, 64));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafPlace {
    /// The number of the blob.
    pub blob: usize,
    /// The offset in bytes in block 0, lane 0.
    pub start: usize,
    /// The distance in bytes between neighboring lanes.
    pub stride: usize,
    /// The distance in bytes between neighboring blocks; 0 in a layout without blocks.
    pub block: usize,
    /// The number of the layout's blocks that form one block of this leaf: 1, unless the layout joins parts with blocks
    /// of different lengths. `block` is then the distance between the leaf's own blocks.
    pub group: usize,
}

impl LeafPlace {
    /// The place of a leaf that has none: a computed leaf, or a leaf that is not in the list.
    pub const NOWHERE: Self = Self { blob: 0, start: 0, stride: 0, block: 0, group: 1 };

    /// The place of a leaf at offset `start` in each element, with elements `stride` bytes apart.
    #[must_use]
    pub const fn even(blob: usize, start: usize, stride: usize) -> Self {
        Self { blob, start, stride, block: 0, group: 1 }
    }

    /// The place of leaf number `leaf` in a list that may have no such leaf.
    ///
    /// Defined for every number, since the compiler also evaluates constants of code that never runs.
    #[must_use]
    pub const fn of(places: &[Self], leaf: usize) -> Self {
        if leaf < places.len() { places[leaf] } else { Self::NOWHERE }
    }

    /// The byte offset of the leaf in the element at flat position `flat`, without `base`, in a layout with blocks of `run`
    /// lanes.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::author::LeafPlace;
    /// use layout::{AoSoA, RecordLayout};
    ///
    /// type Blocks = AoSoA<8>;
    /// const SECOND: LeafPlace = <Blocks as RecordLayout<[f32; 2]>>::PLACES[1];
    /// // Element 11 is lane 3 of block 1; a block is 64 bytes, its second half the second leaf.
    /// const OFFSET: usize = SECOND.offset(11, <Blocks as RecordLayout<[f32; 2]>>::RUN);
    /// assert_eq!(OFFSET, 64 + 32 + 3 * 4);
    /// ```
    #[must_use]
    pub const fn offset(self, flat: usize, run: usize) -> usize {
        // Without blocks, `run` is `usize::MAX`, and there is one block.
        let (block, lane) = if run == usize::MAX { (0, flat) } else { (flat / run, flat % run) };
        self.start + self.of_block(block, run) + lane * self.stride
    }

    /// Returns `true` if neighbors are `stride` bytes apart everywhere, also from block to block, in a layout with blocks of `run` lanes.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::RecordLayout;
    /// use layout::{AoSoA, SoA};
    ///
    /// type Blocks = AoSoA<8>;
    /// assert!(<SoA as RecordLayout<[f32; 2]>>::PLACES[1].is_even(usize::MAX));
    /// assert!(!<Blocks as RecordLayout<[f32; 2]>>::PLACES[1].is_even(8));
    /// ```
    #[must_use]
    pub const fn is_even(self, run: usize) -> bool {
        run == usize::MAX || self.block == run.saturating_mul(self.group).saturating_mul(self.stride)
    }

    /// The same place in blocks of `run` lanes, for a layout with blocks of `own` lanes that is a part of a layout with
    /// blocks of `run` lanes. `own` must be a multiple of `run`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::author::LeafPlace;
    ///
    /// // A column of `f32` beside blocks of eight: eight lanes further lies 32 bytes further.
    /// let column = LeafPlace::even(0, 0, 4).in_blocks(usize::MAX, 8);
    /// assert_eq!((column.block, column.group), (32, 1));
    /// ```
    #[must_use]
    pub const fn in_blocks(self, own: usize, run: usize) -> Self {
        if own == run {
            return self;
        }
        if own == usize::MAX {
            return Self { block: run.saturating_mul(self.stride), ..self };
        }
        // If the blocks lie as far apart as their lanes suggest, the place is a column, whether it is divided or not.
        if self.is_even(own) {
            return Self { block: run.saturating_mul(self.stride), group: 1, ..self };
        }
        Self { group: self.group * (own / run), ..self }
    }

    /// The distance in bytes from lane 0 of block 0 to lane 0 of a block, in blocks of `run` lanes.
    #[inline(always)]
    pub(super) const fn of_block(self, block: usize, run: usize) -> usize {
        if self.group == 1 {
            return block.wrapping_mul(self.block);
        }
        let lanes = (block % self.group).wrapping_mul(run).wrapping_mul(self.stride);
        (block / self.group).wrapping_mul(self.block).wrapping_add(lanes)
    }
}

/// The position of an element: its number, a `usize`, in layouts without blocks; [`BlockLane`] in layouts with blocks, of which records of one
/// leaf may need none: then the block is 0, and the lane is the number.
pub trait Position: Copy + Send + Sync + 'static + Sealed {
    /// The kind of position in a layout of two parts, one with this kind and one with the kind `P`.
    type With<P: Position>: Position;

    /// `true` for [`BlockLane`]: the last block is stored whole, so blobs can be longer than their elements.
    const HAS_BLOCKS: bool;

    /// The position in lane `lane` of block `block`; without blocks, the block is always 0.
    fn new(block: usize, lane: usize) -> Self;

    /// The block.
    fn block(self) -> usize;

    /// The lane.
    fn lane(self) -> usize;

    /// The position of element number `flat` in blocks of `run` lanes.
    #[inline(always)]
    #[must_use]
    fn of(flat: usize, run: usize) -> Self {
        if run == usize::MAX { Self::new(0, flat) } else { Self::new(flat / run, flat % run) }
    }

    /// The position `steps` lanes further in the same block.
    #[inline(always)]
    #[must_use]
    fn within(self, steps: usize) -> Self {
        Self::new(self.block(), self.lane().wrapping_add(steps))
    }

    /// This position in blocks of `run` lanes, as a position in blocks of `other` lanes, a multiple of `run`.
    #[inline(always)]
    #[must_use]
    fn in_part<P: Position>(self, run: usize, other: usize) -> P {
        if run == other {
            P::new(self.block(), self.lane())
        } else if other == usize::MAX {
            P::new(0, self.block().wrapping_mul(run).wrapping_add(self.lane()))
        } else {
            let group = other / run;
            P::new(self.block() / group, (self.block() % group).wrapping_mul(run).wrapping_add(self.lane()))
        }
    }
}

/// The position of an element in a layout with blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLane {
    /// The number of the block.
    pub block: usize,
    /// The number of the lane in the block.
    pub lane: usize,
}

impl Position for usize {
    type With<P: Position> = P;
    const HAS_BLOCKS: bool = false;

    #[inline(always)]
    fn of(flat: usize, _: usize) -> Self {
        flat
    }

    #[inline(always)]
    fn new(_: usize, lane: usize) -> Self {
        lane
    }

    #[inline(always)]
    fn block(self) -> usize {
        0
    }

    #[inline(always)]
    fn lane(self) -> usize {
        self
    }
}

impl Position for BlockLane {
    type With<P: Position> = Self;
    const HAS_BLOCKS: bool = true;

    #[inline(always)]
    fn new(block: usize, lane: usize) -> Self {
        Self { block, lane }
    }

    #[inline(always)]
    fn block(self) -> usize {
        self.block
    }

    #[inline(always)]
    fn lane(self) -> usize {
        self.lane
    }
}

/// One element of a view of `R` in the layout `L`: the address of its blobs, and its position.
///
/// Anyone can make one from numbers. Its functions trust those numbers, so they are `unsafe`.
pub struct Element<R: Record, L: RecordLayout<R>, A> {
    /// The address of the blobs.
    pub address: A,
    /// The layout's frame: the numbers that places depend on beside the position.
    pub frame: L::Frame,
    /// The position of the element.
    pub position: L::Position,
}

copied!([R: Record, L: RecordLayout<R>, A: Copy] Element<R, L, A>);

impl<R: Record, L: RecordLayout<R>, A: Address> Element<R, L, A> {
    /// Makes the element in these blobs.
    #[inline(always)]
    pub const fn new(address: A, frame: L::Frame, position: L::Position) -> Self {
        Self { address, frame, position }
    }

    /// The same element in the layout `K` of records `S`, which this layout stores in place of its own.
    #[inline(always)]
    #[must_use]
    pub fn inside<S, K>(self) -> Element<S, K, A>
    where
        S: Record,
        K: RecordLayout<S, Frame = L::Frame, Position = L::Position>,
    {
        Element::new(self.address, self.frame, self.position)
    }

    /// The element `steps` positions further in the same run.
    #[inline(always)]
    #[must_use]
    pub fn within(self, steps: usize) -> Self {
        Self { position: self.position.within(steps), ..self }
    }

    /// The pointer to leaf `P`.
    ///
    /// The compiler must see that neighbors are equally spaced. If they lie as far apart as values or records do, the pointer is a step
    /// over values or records, so the compiler counts lanes and not bytes. Otherwise it is a sum that the compiler knows not to overflow.
    ///
    /// # Safety
    ///
    /// Frame and position are of an element of a mapping with this layout that the blobs at the address were checked for;
    /// the blobs are borrowed. The leaf is physical.
    #[inline(always)]
    #[must_use]
    pub unsafe fn place<P: Path<Root = R>>(self) -> *mut P::Type {
        let place = const { LeafPlace::of(L::PLACES, P::LEAF) };
        let blob_start = if const { L::BLOBS == 1 } { 0 } else { L::blob_start(self.frame, place.blob) };
        // SAFETY: `RecordLayout` promises a blob of the mapping, which starts there.
        let blob = unsafe { self.address.blob(place.blob, blob_start) };
        let (mut start, mut lane) = (L::base(self.frame, P::LEAF).wrapping_add(place.start), self.position.lane());
        if const { L::RUN != usize::MAX && LeafPlace::of(L::PLACES, P::LEAF).is_even(L::RUN) } {
            // The compiler sees that block and lane are the number of the element again.
            lane = lane.wrapping_add(self.position.block().wrapping_mul(L::RUN));
        } else if const { L::RUN != usize::MAX } {
            start = start.wrapping_add(place.of_block(self.position.block(), L::RUN));
        }
        // SAFETY: `RecordLayout` promises that block and leaf lie in the blob.
        let start = unsafe { blob.add(start) };
        if place.stride == size_of::<P::Type>() {
            // SAFETY: it is the place of the leaf, which lies in the blob.
            unsafe { start.cast::<P::Type>().add(lane) }
        } else if place.stride == size_of::<R>() {
            // SAFETY: as above.
            unsafe { start.cast::<R>().add(lane) }.cast()
        } else {
            // SAFETY: `RecordLayout` promises that the product does not overflow.
            let lanes = unsafe { lane.unchecked_mul(place.stride) };
            // SAFETY: as above.
            unsafe { start.add(lanes) }.cast()
        }
    }

    /// The pointer to leaf number `leaf`.
    ///
    /// # Safety
    ///
    /// As [`place`](Self::place), and the record has that leaf.
    #[inline(always)]
    #[must_use]
    pub unsafe fn place_of(self, leaf: usize) -> *mut u8 {
        let Place { blob, offset } = place_of::<R, L>(self.frame, self.position, leaf);
        // SAFETY: `RecordLayout` promises a blob of the mapping, which starts there.
        let blob = unsafe { self.address.blob(blob, L::blob_start(self.frame, blob)) };
        // SAFETY: `RecordLayout` promises an offset in the blob.
        unsafe { blob.add(offset) }
    }

    /// Reads leaf number `leaf`, physical or computed.
    ///
    /// # Safety
    ///
    /// As [`place_of`](Self::place_of), and the leaf is of type `T`.
    #[inline(always)]
    #[must_use]
    pub unsafe fn read<T: Leaf>(self, leaf: usize) -> T {
        if computes::<R, L>(leaf) {
            // SAFETY: the conditions are the caller's.
            return unsafe { L::Codec::read(self, leaf) };
        }
        // SAFETY: the conditions are the caller's.
        let place = unsafe { self.place_of(leaf) }.cast::<T>();
        // SAFETY: the bytes of the leaf are a value of its type. Their place need not be aligned, even if this layout is: it may be a part of
        // one that is not, whose blobs start anywhere.
        unsafe { place.read_unaligned() }
    }

    /// Writes leaf number `leaf`, physical or computed.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), and nothing else reaches the leaf, nor any leaf at all if
    /// [`Sharing`](RecordLayout::Sharing) is [`Joined`](super::Joined).
    #[inline(always)]
    #[track_caller]
    pub unsafe fn write<T: Leaf>(self, leaf: usize, value: T) {
        if computes::<R, L>(leaf) {
            // SAFETY: the conditions are the caller's.
            return unsafe { L::Codec::write(self, leaf, value) };
        }
        // SAFETY: the conditions are the caller's.
        let place = unsafe { self.place_of(leaf) }.cast::<T>();
        // SAFETY: it is the place of the leaf, aligned or not as in `read`, and nothing else reaches it.
        unsafe { place.write_unaligned(value) };
    }

    /// Reads leaf number `leaf` of `W` neighbors, starting at this element.
    ///
    /// # Safety
    ///
    /// As [`read`](Self::read), for each of them. They lie in one run, and the first at a multiple of `W` in it if runs
    /// end.
    #[inline(always)]
    #[must_use]
    pub unsafe fn read_lanes<T: Leaf, const W: usize>(self, leaf: usize) -> [T; W] {
        if computes::<R, L>(leaf) {
            // SAFETY: the conditions are the caller's.
            return unsafe { L::Codec::read_lanes(self, leaf) };
        }
        // SAFETY: the conditions are the caller's, for each of them.
        core::array::from_fn(|i| unsafe { self.within(i).read(leaf) })
    }

    /// Writes leaf number `leaf` of `W` neighbors, starting at this element.
    ///
    /// # Safety
    ///
    /// As [`write`](Self::write), for each of them; and as [`read_lanes`](Self::read_lanes).
    #[inline(always)]
    #[track_caller]
    pub unsafe fn write_lanes<T: Leaf, const W: usize>(self, leaf: usize, values: [T; W]) {
        if computes::<R, L>(leaf) {
            // SAFETY: the conditions are the caller's.
            return unsafe { L::Codec::write_lanes(self, leaf, values) };
        }
        for (i, value) in values.into_iter().enumerate() {
            // SAFETY: the conditions are the caller's, for each of them.
            unsafe { self.within(i).write(leaf, value) };
        }
    }

    /// Returns `true` if the bytes that leaf number `leaf` is read from give a value of its type.
    ///
    /// # Safety
    ///
    /// As [`place_of`](Self::place_of), but that the bytes need not have been checked.
    #[must_use]
    pub unsafe fn is_valid(self, leaf: usize) -> bool {
        // SAFETY: the conditions are the caller's.
        unsafe { L::Codec::is_valid(self, leaf) }
    }
}

/// Returns an error if the layout `L` cannot store the value in leaf number `leaf`; see [`Codec::check_value`].
///
/// # Errors
///
/// Returns an error in the cases that the layout documents.
pub fn check_value<R: Record, L: RecordLayout<R>, T: Leaf>(
    frame: L::Frame,
    leaf: usize,
    value: T,
) -> Result<(), ValueError> {
    L::Codec::check_value(frame, leaf, value)
}
