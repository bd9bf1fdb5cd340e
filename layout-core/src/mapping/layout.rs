//! Record layouts: from a flat position and a leaf to bytes.

use core::fmt;

use crate::path::Path;
use crate::record::Record;
use crate::tree::LeafTable;

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
/// # Safety
///
/// Implementors must ensure, for every number of slots whose sizes fit `isize`, every flat position below
/// it, and every leaf of `R`:
/// * the place lies, with all bytes of the leaf, within [`blob_size`](Self::blob_size), and the place in
///   the region within [`region_size`](Self::region_size), which is no less than the size of blob 0 where
///   there is one blob;
/// * with one blob, both places are the same offset;
/// * if [`ALIGNED`](Self::ALIGNED), each place is aligned for its leaf, if blobs (and the region, to
///   [`region_align`]) are;
/// * no two leaves, of one or of two positions, share a byte;
/// * both forms agree with their `_of` forms;
/// * an offset is the sum that [`Along`] says, without overflow; within a run, that is between two multiples
///   of `RUN`, neighbours have the same blob, start and stride and neighbouring lanes, and
///   `within(position(k), i)` is `position(k + i)`.
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
    note = "use `AoS`, `SoA` or `AoSoA<L>`"
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
    /// Whether every leaf lies at a multiple of its alignment.
    const ALIGNED: bool;

    /// The frame for `slots` positions.
    fn frame(self, slots: usize) -> Self::Frame;

    /// The size of a blob in bytes, if it fits `usize`.
    fn blob_size(self, slots: usize, blob: usize) -> Option<usize>;

    /// The size in bytes of one allocation for all blobs, if it fits `usize`.
    fn region_size(self, slots: usize) -> Option<usize>;

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

/// The alignment in bytes of one allocation for all leaves of `R`: 64, or more if a leaf needs it.
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
