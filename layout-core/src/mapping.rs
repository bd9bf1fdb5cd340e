//! The mapping contract: where each leaf of each element lies.
//!
//! ```text
//! index --linearization--> flat position --record layout--> (blob, byte offset)
//! ```

use core::fmt;
use core::marker::PhantomData;

use crate::error::{ExtentsError, List};
use crate::extents::{Extents, IndexType};
use crate::linearization::{Linearization, RowMajor};
use crate::path::{Join, Path};
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
///   `within(position(k), i)` is `position(k + i)`;
/// * the stride of a leaf is the same in all runs;
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

/// Everything that says where the elements of a view lie. Implemented by [`Mapped`].
///
/// Kernels that are to work in every layout are generic over it.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// fn total<M: Mapping<Record = f32>, B: Blobs>(view: &View<M, B>) -> f32 {
///     let mut sum = 0.0;
///     view.for_each(|slot| sum += slot.get());
///     sum
/// }
///
/// assert_eq!(total(&alloc_from_fn::<f32, AoS, _>(10, |_| 1.0)?), 10.0);
/// assert_eq!(total(&alloc_from_fn::<f32, AoSoA<4>, _>([2, 5], |_| 1.0)?), 10.0);
/// # Ok::<(), ViewError>(())
/// ```
pub trait Mapping: sealed::Sealed + Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The record of an element.
    type Record: Record;
    /// The extents.
    type Extents: Extents;
    /// The record layout.
    type Layout: RecordLayout<Self::Record>;
    /// The linearization.
    type Linearization: Linearization<<Self::Extents as Extents>::Array>;
    /// The same record and layout under other extents and another linearization: what slices become.
    type Relinearized<E: Extents, Lin: Linearization<E::Array>>: Mapping<Record = Self::Record, Extents = E, Layout = Self::Layout, Linearization = Lin>;
    /// The part of the record at `P`: what record sub-views become.
    type Below<P: Path<Root = Self::Record>>: Mapping<
            Record = P::Type,
            Extents = Self::Extents,
            Layout = Below<Self::Layout, P>,
            Linearization = Self::Linearization,
        >;

    /// The extents.
    fn extents(&self) -> Self::Extents;

    /// The record layout.
    fn layout(&self) -> Self::Layout;

    /// The linearization.
    fn linearization(&self) -> Self::Linearization;

    /// The mapping of a part of this one's elements; positions must stay below [`slots`](Self::slots).
    #[doc(hidden)]
    fn relinearized<E: Extents, Lin: Linearization<E::Array>>(
        &self,
        extents: E,
        linearization: Lin,
    ) -> Self::Relinearized<E, Lin>;

    /// The mapping of the part of the record at `P`.
    #[doc(hidden)]
    fn below<P: Path<Root = Self::Record>>(&self) -> Self::Below<P>;

    /// The number of positions that the record layout provides.
    #[inline(always)]
    fn slots(&self) -> usize {
        // `Mapped` was made for a span that exists.
        self.linearization().span(self.extents().array()).unwrap_or(0)
    }

    /// The frame of the record layout.
    #[inline(always)]
    fn frame(&self) -> <Self::Layout as RecordLayout<Self::Record>>::Frame {
        self.layout().frame(self.slots())
    }

    /// Whether no two elements share a byte.
    fn is_unique(&self) -> bool {
        self.linearization().is_unique(self.extents().array())
    }

    /// Where leaf `leaf` of the element at `index` lies, in separate blobs.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents, or the record has no such leaf.
    ///
    /// # Examples
    ///
    /// See [`Mapped`](crate::Mapped).
    fn place_of(&self, index: <Self::Extents as Extents>::Array, leaf: usize) -> Place {
        use crate::extents::IndexArray;
        let extents = self.extents().array();
        assert!(
            extents.contains(index),
            "index {} is out of range for a view with extents {}",
            List::of(index.as_ref()),
            List::of(extents.as_ref())
        );
        assert!(leaf < <Self::Record as Record>::TREE.leaves(), "leaf {leaf} is out of range");
        let position = Self::Layout::position(self.linearization().position(extents, index));
        Self::Layout::place_of(self.frame(), position, leaf)
    }

    /// The size of each blob in bytes.
    fn blob_size(&self, blob: usize) -> usize {
        self.layout().blob_size(self.slots(), blob).unwrap_or(0)
    }
}

/// A mapping: the record layout `L` over the linearization `Lin` over the extents `E`, for the record `R`.
///
/// With static extents and a layout and linearization without state it is a zero-sized type.
///
/// # Examples
///
/// ```
/// use layout::{ColMajor, Mapped, Mapping, Place, SoA, extents};
///
/// let mapping = Mapped::<[u16; 3], _, SoA, ColMajor>::new(extents!(dyn 4, 5))?;
/// // The linearization says position 1 + 2 * 4 for index [1, 2], the layout blob 2 for leaf 2.
/// assert_eq!(mapping.place_of([1, 2], 2), Place { blob: 2, offset: 9 * 2 });
/// assert_eq!(mapping.blob_size(2), 40);
/// assert_eq!(size_of_val(&mapping), size_of::<usize>()); // the one dynamic extent
/// # Ok::<(), layout::ExtentsError>(())
/// ```
pub struct Mapped<R, E, L, Lin = RowMajor> {
    extents: E,
    layout: L,
    linearization: Lin,
    record: PhantomData<fn() -> R>,
}

impl<R, E, L, Lin> Mapped<R, E, L, Lin>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R>,
    Lin: Linearization<E::Array>,
{
    /// The mapping with these parts.
    ///
    /// # Errors
    ///
    /// Where a blob would have more bytes than the index type or `isize` can count, or the linearization
    /// does not fit the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{Dim, Mapped, Mapping, SoA, Strided, extents};
    ///
    /// let every_other = Strided::<Dim<1>>::new(0, [2]);
    /// let mapping = Mapped::<u8, _, SoA, _>::with(extents!(dyn 4), SoA::default(), every_other)?;
    /// assert_eq!(mapping.place_of([3], 0).offset, 6);
    /// assert_eq!(mapping.blob_size(0), 7);
    /// # Ok::<(), layout::ExtentsError>(())
    /// ```
    pub fn with(extents: E, layout: L, linearization: Lin) -> Result<Self, ExtentsError> {
        let array = extents.array();
        let linearization = linearization.fit(array)?;
        let most = E::Index::MAX.min(isize::MAX.cast_unsigned());
        let too_large = ExtentsError::TooLarge { extents: List::of(array.as_ref()), most };
        extents.volume().ok_or(too_large)?;
        let slots = linearization.span(array).ok_or(too_large)?;
        for blob in 0..L::BLOBS {
            layout.blob_size(slots, blob).filter(|size| *size <= most).ok_or(too_large)?;
        }
        let most = isize::MAX.cast_unsigned() - region_align::<R>();
        layout.region_size(slots).filter(|size| *size <= most).ok_or(too_large)?;
        Ok(Self { extents, layout, linearization, record: PhantomData })
    }

    /// The mapping with the default layout and linearization of these types.
    ///
    /// # Errors
    ///
    /// As [`with`](Self::with).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{AoS, ExtentsError, Mapped, extents};
    ///
    /// assert!(Mapped::<f64, _, AoS>::new(extents!(dyn 100)).is_ok());
    /// let error = Mapped::<f64, _, AoS>::new(extents!(u8: dyn 100)).err();
    /// assert!(matches!(error, Some(ExtentsError::TooLarge { most: 255, .. })));
    /// ```
    pub fn new(extents: E) -> Result<Self, ExtentsError>
    where
        L: Default,
        Lin: Default,
    {
        Self::with(extents, L::default(), Lin::default())
    }
}

impl<R, E, L, Lin> sealed::Sealed for Mapped<R, E, L, Lin> {}

impl<R, E, L, Lin> Mapping for Mapped<R, E, L, Lin>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R>,
    Lin: Linearization<E::Array>,
{
    type Record = R;
    type Extents = E;
    type Layout = L;
    type Linearization = Lin;
    type Relinearized<F: Extents, K: Linearization<F::Array>> = Mapped<R, F, L, K>;
    type Below<P: Path<Root = R>> = Mapped<P::Type, E, Below<L, P>, Lin>;

    #[inline(always)]
    fn extents(&self) -> E {
        self.extents
    }

    #[inline(always)]
    fn layout(&self) -> L {
        self.layout
    }

    #[inline(always)]
    fn linearization(&self) -> Lin {
        self.linearization
    }

    fn relinearized<F: Extents, K: Linearization<F::Array>>(&self, extents: F, linearization: K) -> Mapped<R, F, L, K> {
        Mapped { extents, layout: self.layout, linearization, record: PhantomData }
    }

    fn below<P: Path<Root = R>>(&self) -> Self::Below<P> {
        let layout = Below { layout: self.layout, path: PhantomData };
        Mapped { extents: self.extents, layout, linearization: self.linearization, record: PhantomData }
    }
}

impl<R, E: Copy, L: Copy, Lin: Copy> Clone for Mapped<R, E, L, Lin> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, E: Copy, L: Copy, Lin: Copy> Copy for Mapped<R, E, L, Lin> {}

impl<R, E: PartialEq, L: PartialEq, Lin: PartialEq> PartialEq for Mapped<R, E, L, Lin> {
    fn eq(&self, other: &Self) -> bool {
        self.extents == other.extents && self.layout == other.layout && self.linearization == other.linearization
    }
}

impl<R, E: fmt::Debug, L: fmt::Debug, Lin: fmt::Debug> fmt::Debug for Mapped<R, E, L, Lin> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped")
            .field("extents", &self.extents)
            .field("layout", &self.layout)
            .field("linearization", &self.linearization)
            .finish()
    }
}

/// The layout of the part of a record at `P`, under the layout `L` of the whole record.
pub struct Below<L, P> {
    layout: L,
    path: PhantomData<P>,
}

// SAFETY: every leaf of the part is a leaf of the whole, found by the path from the whole: all conditions
// are those of `L`, for some of its leaves.
#[diagnostic::do_not_recommend]
unsafe impl<P: Path, L: RecordLayout<P::Root>> RecordLayout<P::Type> for Below<L, P> {
    type Frame = L::Frame;
    type Position = L::Position;
    const BLOBS: usize = L::BLOBS;
    const RUN: usize = L::RUN;
    const ALIGNED: bool = L::ALIGNED;

    #[inline(always)]
    fn frame(self, slots: usize) -> L::Frame {
        self.layout.frame(slots)
    }

    fn blob_size(self, slots: usize, blob: usize) -> Option<usize> {
        self.layout.blob_size(slots, blob)
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        self.layout.region_size(slots)
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
    fn place<Q: Path<Root = P::Type>>(frame: L::Frame, position: L::Position) -> (usize, Along) {
        L::place::<Join<P, Q>>(frame, position)
    }

    #[inline(always)]
    fn place_of(frame: L::Frame, position: L::Position, leaf: usize) -> Place {
        L::place_of(frame, position, P::LEAF + leaf)
    }

    #[inline(always)]
    fn in_region<Q: Path<Root = P::Type>>(frame: L::Frame, position: L::Position) -> Along {
        L::in_region::<Join<P, Q>>(frame, position)
    }

    #[inline(always)]
    fn in_region_of(frame: L::Frame, position: L::Position, leaf: usize) -> usize {
        L::in_region_of(frame, position, P::LEAF + leaf)
    }
}

impl<L: Copy, P> Clone for Below<L, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Copy, P> Copy for Below<L, P> {}

impl<L: PartialEq, P> PartialEq for Below<L, P> {
    fn eq(&self, other: &Self) -> bool {
        self.layout == other.layout
    }
}

impl<L: fmt::Debug, P> fmt::Debug for Below<L, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Below").field(&self.layout).finish()
    }
}

mod sealed {
    #[expect(unnameable_types, reason = "seals `Mapping`, whose answers are relied on")]
    pub trait Sealed {}
}
