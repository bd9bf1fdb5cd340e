//! Mappings: where each leaf of each element lies.
//!
//! ```text
//! index --linearization--> flat position --record layout--> (blob, byte offset)
//! ```

mod below;
mod codec;
mod layout;
mod place;
mod table;

use core::fmt;
use core::marker::PhantomData;

pub use below::Below;
pub use codec::{Apart, BitRange, Codec, Joined, Physical, Sharing};
pub(crate) use layout::allocation_align;
pub use layout::{REGION_ALIGN, RecordLayout, region_align};
pub use place::{BlockLane, Element, LeafPlace, Place, Position, check_value};
#[cfg(feature = "alloc")]
pub(crate) use table::is_zeroable;
pub(crate) use table::{computes, in_region_of, is_physical, leaf_place, place_of, step};

use crate::error::{ExtentsError, List};
pub(crate) use crate::extents::Viewed;
use crate::extents::{Dim, Extents, IndexArray, IndexType, Shape};
use crate::invariant::Invariant;
use crate::leaf::Leaf;
use crate::leaf_table::LeafTable;
use crate::linearization::{self, Linearization, RowMajor};
use crate::path::{Path, Select, assert_exists};
use crate::record::Record;

/// The mapping of a view: it says where each leaf of each element lies. [`Mapped`] implements it.
///
/// Kernels that should work in every layout are generic over this trait.
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
pub trait Mapping: Viewed + Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The record of an element.
    type Record: Record;
    /// The extents.
    type Extents: Extents;
    /// The record layout.
    type Layout: RecordLayout<Self::Record>;
    /// The linearization.
    type Linearization: Linearization<<Self::Extents as Extents>::Array>;
    /// The mapping of a slice: the same record and layout with other extents and another linearization.
    type Relinearized<E: Extents, Lin: Linearization<E::Array>>: Mapping<Record = Self::Record, Extents = E, Layout = Self::Layout, Linearization = Lin>;
    /// The mapping of a sub-view by field: the part of the record at `P`.
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

    /// The mapping of a part of this mapping's elements, without a check.
    ///
    /// # Safety
    ///
    /// The linearization fits the extents, with the [`span`](Self::span) of this mapping as its span: each position of
    /// the part is one of this mapping.
    #[doc(hidden)]
    unsafe fn relinearized<E: Extents, Lin: Linearization<E::Array>>(
        &self,
        extents: E,
        linearization: Lin,
    ) -> Self::Relinearized<E, Lin>;

    /// The mapping of the part of the record at `P`. A path to an element that an array does not have is a compile error.
    #[doc(hidden)]
    fn below<P: Path<Root = Self::Record>>(&self) -> Self::Below<P>;

    /// The number of positions: the span of the linearization.
    #[inline(always)]
    fn span(&self) -> usize {
        // The span exists: the constructor of `Mapped` checked it.
        self.linearization().span(self.extents().array()).unwrap_or(0)
    }

    /// The frame of the record layout.
    #[inline(always)]
    fn frame(&self) -> <Self::Layout as RecordLayout<Self::Record>>::Frame {
        self.layout().frame(self.span())
    }

    /// The position of the element at `index`, or `None` if the index is not within the extents.
    #[doc(hidden)]
    fn locate(
        &self,
        index: <Self::Extents as Extents>::Array,
    ) -> Option<<Self::Layout as RecordLayout<Self::Record>>::Position>;

    /// The position, in the layout's form, of the element at flat position `flat`.
    #[doc(hidden)]
    #[inline(always)]
    fn position(flat: usize) -> <Self::Layout as RecordLayout<Self::Record>>::Position {
        Position::of(flat, Self::Layout::RUN)
    }

    /// `true` if [`is_unique`](Self::is_unique) is true for all extents.
    const IS_ALWAYS_UNIQUE: bool =
        matches!(<Self::Linearization as Linearization<_>>::UNIQUE, Some(true)) && Self::Layout::UNIQUE;
    /// `true` if [`is_exhaustive`](Self::is_exhaustive) is true for all extents.
    const IS_ALWAYS_EXHAUSTIVE: bool = <Self::Linearization as Linearization<_>>::EXHAUSTIVE;
    /// `true` if [`is_strided`](Self::is_strided) is true for all extents.
    const IS_ALWAYS_STRIDED: bool = <Self::Linearization as Linearization<_>>::STRIDED;

    /// Returns `true` if no two elements share a bit. Neighbors in a bit-packed layout share bytes, and no bits.
    fn is_unique(&self) -> bool {
        let several = self.extents().volume().is_none_or(|volume| volume > 1);
        self.linearization().is_unique(self.extents().array()) && (Self::Layout::UNIQUE || !several)
    }

    /// Returns `true` if there is no gap between elements: each position from the lowest to the highest one has an
    /// element. In a slice, positions before its first element and after its last one are no gaps.
    ///
    /// A linearization without constant strides, such as `Tiled`, is exhaustive if all positions of the mapping have
    /// elements. Bytes between the leaves of an element, or between blobs, do not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// type Grid<Lin> = Mapped<f32, extents!(type dyn, dyn), SoA, Lin>;
    /// assert!(Grid::<RowMajor>::IS_ALWAYS_EXHAUSTIVE);
    /// assert!(!Grid::<PaddedRows<16>>::new(extents!(dyn 3, dyn 100))?.is_exhaustive());
    /// assert!(Grid::<PaddedRows<16>>::new(extents!(dyn 3, dyn 96))?.is_exhaustive());
    /// assert!(Grid::<Tiled<2, 4>>::new(extents!(dyn 4, dyn 8))?.is_exhaustive());
    /// assert!(!Grid::<Tiled<2, 4>>::new(extents!(dyn 4, dyn 6))?.is_exhaustive());
    /// # Ok::<(), layout::error::ExtentsError>(())
    /// ```
    fn is_exhaustive(&self) -> bool {
        let extents = self.extents().array();
        if Self::IS_ALWAYS_EXHAUSTIVE || extents.product() == Some(0) {
            return true;
        }
        if Self::IS_ALWAYS_STRIDED {
            let strides = linearization::strides_of(&self.linearization(), extents);
            return linearization::is_exhaustive(extents.as_ref(), strides.as_ref());
        }
        // If no two elements have one position, as many positions as elements leave none over.
        self.linearization().is_unique(extents) && extents.product() == Some(self.span())
    }

    /// Returns `true` if positions depend on the index by constant strides; [`stride`](Self::stride) then returns them.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert!(Mapped::<f32, _, AoSoA<8>, ColMajor>::new(extents!(dyn 4, dyn 6))?.is_strided());
    /// assert!(!Mapped::<f32, _, SoA, Morton>::new(extents!(dyn 4, dyn 6))?.is_strided());
    /// # Ok::<(), layout::error::ExtentsError>(())
    /// ```
    fn is_strided(&self) -> bool {
        Self::IS_ALWAYS_STRIDED
    }

    /// The distance between neighbors along a dimension, in positions (elements, not bytes). Returns `None` if there is no
    /// such number, as in `Tiled` and `Morton` order.
    ///
    /// [`byte_strides`](Self::byte_strides) returns distances of one leaf in bytes, which depend on the record layout too.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = Mapped::<[f32; 3], _, AoS, ColMajor>::new(extents!(dyn 4, dyn 6))?;
    /// assert_eq!((grid.stride(0), grid.stride(1)), (Some(1), Some(4)));
    /// assert_eq!(Mapped::<f32, _, SoA, Morton>::new(extents!(dyn 4, dyn 6))?.stride(0), None);
    /// # Ok::<(), layout::error::ExtentsError>(())
    /// ```
    #[track_caller]
    fn stride(&self, dimension: usize) -> Option<isize> {
        let rank = <Self::Extents as Extents>::RANK;
        assert!(dimension < rank, "dimension {dimension} is out of range for a view of rank {rank}");
        Self::IS_ALWAYS_STRIDED.then(|| self.linearization().stride(self.extents().array(), dimension))
    }

    /// The place of leaf `leaf` of the element at `index`, for separate blobs.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents, if the record has no such leaf, or if the layout computes the
    /// leaf; [`bits_of`](Self::bits_of) gives the bits of a computed leaf.
    ///
    /// # Examples
    ///
    /// See [`Mapped`](crate::Mapped).
    fn place_of(&self, index: <Self::Extents as Extents>::Array, leaf: usize) -> Place {
        let position = self.checked_position(index, leaf);
        assert!(!computes::<Self::Record, Self::Layout>(leaf), "leaf {leaf} is computed and has no place");
        place_of::<Self::Record, Self::Layout>(self.frame(), position, leaf)
    }

    /// Calls `each` with the ranges of bits that hold leaf `leaf` of the element at `index`, for separate blobs: one
    /// range for a physical leaf, several or none for some computed leaves.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents, or if the record has no such leaf.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::author::BitRange;
    /// use layout::{AoS, Mapped, Mapping, extents};
    ///
    /// let mapping = Mapped::<[u16; 3], _, AoS>::new(extents!(dyn 5))?;
    /// mapping.bits_of([2], 1, &mut |bits| assert_eq!(bits, BitRange { blob: 0, start: 14 * 8, bits: 16 }));
    /// # Ok::<(), layout::error::ExtentsError>(())
    /// ```
    fn bits_of(&self, index: <Self::Extents as Extents>::Array, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        let position = self.checked_position(index, leaf);
        <Self::Layout as RecordLayout<Self::Record>>::Codec::bits_of(self.frame(), position, leaf, each);
    }

    /// The position of the element at `index`. Panics if the index or the leaf is out of range.
    #[doc(hidden)]
    fn checked_position(
        &self,
        index: <Self::Extents as Extents>::Array,
        leaf: usize,
    ) -> <Self::Layout as RecordLayout<Self::Record>>::Position {
        let extents = self.extents().array();
        assert!(
            extents.encloses(index),
            "index {} is out of range for a view with extents {}",
            List::of(index.as_ref()),
            List::of(extents.as_ref())
        );
        assert!(leaf < <Self::Record as Record>::TREE.leaves(), "leaf {leaf} is out of range");
        Self::position(self.linearization().position(extents, index))
    }

    /// The size in bytes of blob number `blob`, for separate blobs.
    ///
    /// # Panics
    ///
    /// May panic if there is no such blob.
    fn blob_size(&self, blob: usize) -> usize {
        self.layout().blob_size(self.span(), blob)
    }

    /// The size in bytes of one piece of memory for all blobs, as [`View::from_bytes`](crate::View::from_bytes) needs it.
    ///
    /// For a layout of one blob, this is the blob's size. Several blobs lie one after another, and there may be padding between them.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let one = Mapped::<f32, _, SoA>::new(extents!(dyn 5))?;
    /// assert_eq!((one.blob_size(0), one.region_size()), (20, 20));
    /// let two = Mapped::<[f32; 2], _, SoA>::new(extents!(dyn 5))?;
    /// assert_eq!((two.blob_size(0), two.blob_size(1)), (20, 20));
    /// assert!(two.region_size() >= 40);
    /// # Ok::<(), layout::error::ExtentsError>(())
    /// ```
    fn region_size(&self) -> usize {
        self.layout().region_size(self.span())
    }

    /// The distance in bytes between leaves of neighbors along each dimension, like NumPy's `strides`. Returns `None` if that distance is
    /// not one number for each dimension: for computed leaves, several blocks of an `AoSoA` of two leaves or more, and `Tiled` or `Morton` order.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Record)]
    /// struct Hit { channel: u16, charge: f32 }
    ///
    /// assert_eq!(Mapped::<Hit, _, AoS>::new(extents!(dyn 4, dyn 6))?.byte_strides(Hit::PATHS.charge), Some([48, 8]));
    /// assert_eq!(Mapped::<Hit, _, SoA>::new(extents!(dyn 4, dyn 6))?.byte_strides(Hit::PATHS.charge), Some([24, 4]));
    /// assert_eq!(Mapped::<Hit, _, SoA, ColMajor>::new(extents!(dyn 4, dyn 6))?.byte_strides(Hit::PATHS.charge), Some([4, 16]));
    /// assert_eq!(Mapped::<Hit, _, AoSoA<8>>::new(extents!(dyn 4, dyn 6))?.byte_strides(Hit::PATHS.charge), None);
    /// # Ok::<(), layout::error::ExtentsError>(())
    /// ```
    fn byte_strides<S>(&self, _: S) -> Option<<<Self::Extents as Extents>::Array as IndexArray>::Strides>
    where
        S: Select<Path: Path<Root = Self::Record, Type: Leaf>>,
    {
        const { assert_exists::<S::Path>() };
        let (extents, slots) = (self.extents().array(), self.span());
        let place = const { LeafPlace::of(Self::Layout::PLACES, <S::Path as Path>::LEAF) };
        if computes::<Self::Record, Self::Layout>(<S::Path as Path>::LEAF)
            || !<Self::Linearization as Linearization<_>>::STRIDED
            || slots > Self::Layout::RUN && !place.is_even(Self::Layout::RUN)
        {
            return None;
        }
        let apart = place.stride.cast_signed();
        let mut strides = linearization::strides_of(&self.linearization(), extents);
        for stride in strides.as_mut() {
            // Along a dimension of extent 1 there is no neighbor, and any stride is right.
            *stride = stride.checked_mul(apart).unwrap_or(0);
        }
        Some(strides)
    }
}

/// A mapping of records `R`: the record layout `L` over the linearization `Lin` over the extents `E`.
///
/// It is zero-sized if the extents are static and the layout and the linearization have no state.
///
/// Extents, linearizations and places ([`LeafPlace`]) can be constants. A mapping is made at run time: its checks call
/// functions of traits, which stable Rust does not evaluate at compile time. A `static` holds one in a `LazyLock`.
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
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
pub struct Mapped<R, E, L, Lin = RowMajor> {
    extents: E,
    layout: L,
    linearization: Lin,
    /// A mapping was checked for exactly these types.
    checked: Invariant<(R, E, L, Lin)>,
}

impl<R, E, L, Lin> Mapped<R, E, L, Lin>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R>,
    Lin: Linearization<E::Array>,
{
    /// Fails to compile if these types do not go together.
    ///
    /// Each public function that makes mappings evaluates this constant itself, since the compiler names the line that
    /// calls the first function that does.
    #[doc(hidden)]
    pub const CHECKED: () = {
        assert!(LeafTable::of::<R>().is_struct(), "views are of records, not of what a layout stores for them");
        let () = L::CHECKED;
        assert!(
            L::RUN > 0 && (L::RUN == usize::MAX || size_of::<L::Position>() == size_of::<BlockLane>()),
            "a layout whose `RUN` ends needs the `Position` `BlockLane`, and runs of one position or more"
        );
        assert!(Lin::RUN > 0, "the `RUN` of a linearization is zero; runs have one position or more");
        Lin::CHECKED
    };

    /// Makes a mapping of these parts.
    ///
    /// # Errors
    ///
    /// Returns an error if a blob would have more bytes than the index type or `isize` can count, if the linearization
    /// does not fit the extents, or if the layout's numbers do not fit the record.
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
    /// # Ok::<(), layout::error::ExtentsError>(())
    /// ```
    pub fn with(extents: E, layout: L, linearization: Lin) -> Result<Self, ExtentsError> {
        let () = Self::CHECKED;
        layout.check()?;
        let array = extents.array();
        let linearization = linearization.fit(array)?;
        let most = E::Index::MAX.min(isize::MAX.cast_unsigned());
        let too_large = || ExtentsError::TooLarge { extents: List::of(array.as_ref()), most };
        // Positions are counted in `isize` even if there are no bytes.
        let countable = |count: &usize| *count <= isize::MAX.cast_unsigned();
        extents.volume().filter(countable).ok_or_else(too_large)?;
        let slots = linearization.span(array).filter(countable).ok_or_else(too_large)?;
        // This check comes before any size is computed.
        let [each, beside] = L::MOST;
        let bytes = each.checked_mul(slots).and_then(|bytes| bytes.checked_add(beside));
        let largest = isize::MAX.cast_unsigned() - const { allocation_align::<R, L>() };
        if slots > 0 && bytes.is_none_or(|bytes| bytes > largest)
            || (0..L::BLOBS).any(|blob| layout.blob_size(slots, blob) > most)
        {
            return Err(too_large());
        }
        Ok(Self { extents, layout, linearization, checked: PhantomData })
    }

    /// Makes a mapping with the default values of the layout and the linearization.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`with`](Self::with).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::error::ExtentsError;
    /// use layout::{AoS, Mapped, extents};
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
        let () = Self::CHECKED;
        Self::with(extents, L::default(), Lin::default())
    }
}

impl<R, E: Extents, L, Lin> Viewed for Mapped<R, E, L, Lin> {
    type Kept = <E::Shape as Shape<E::Index>>::Keep;
}

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

    #[inline(always)]
    fn locate(&self, index: E::Array) -> Option<L::Position> {
        let extents = self.extents.array();
        if !extents.encloses(index) {
            return None;
        }
        // SAFETY: a mapping exists for extents that its linearization fits; the index is below them.
        let position = unsafe { self.linearization.position_unchecked(extents, index) };
        Some(L::Position::of(position, L::RUN))
    }

    unsafe fn relinearized<F: Extents, K: Linearization<F::Array>>(
        &self,
        extents: F,
        linearization: K,
    ) -> Mapped<R, F, L, K> {
        Mapped { extents, layout: self.layout, linearization, checked: PhantomData }
    }

    #[inline(always)]
    fn below<P: Path<Root = R>>(&self) -> Self::Below<P> {
        const { assert_exists::<P>() };
        let (extents, linearization) = (self.extents, self.linearization);
        Mapped { extents, layout: Below::new(self.layout), linearization, checked: PhantomData }
    }
}

copied!([R, E: Copy, L: Copy, Lin: Copy] Mapped<R, E, L, Lin>);

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

/// A [`Mapping`] of records `R` over `N` dimensions, indexed by `[usize; N]`. It is the bound for kernels that index.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// fn trace(view: &View<impl MappingOf<f32, 2>, impl Blobs>) -> f32 {
///     let [height, width] = view.extents();
///     (0..height.min(width)).map(|i| view.get([i, i])).sum()
/// }
///
/// let identity = alloc_from_fn::<f32, SoA, _>([4, 4], |[i, j]| f32::from(i == j))?;
/// assert_eq!(trace(&identity), 4.0);
/// assert_eq!(trace(&identity.slice((1.., ..)).transposed()), 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With `N` as a parameter, one kernel serves views of any number of dimensions:
///
/// ```
/// use layout::prelude::*;
///
/// /// The largest difference between neighbors along any dimension.
/// fn steepest<const N: usize>(view: &View<impl MappingOf<f32, N>, impl Blobs>) -> f32 {
///     let mut most = 0.0_f32;
///     view.for_each_indexed(|index, value| {
///         for dimension in 0..N {
///             let mut next = index;
///             next[dimension] += 1;
///             if next[dimension] < view.extents()[dimension] {
///                 most = most.max((view.get(next) - value.get()).abs());
///             }
///         }
///     });
///     most
/// }
///
/// let line = alloc_from_fn::<f32, SoA, _>(4, |[i]| (i * i) as f32)?;
/// let plane = alloc_from_fn::<f32, AoSoA<8>, _>([3, 4], |[i, j]| (10 * i + j) as f32)?;
/// assert_eq!((steepest(&line), steepest(&plane)), (5.0, 10.0));
/// # Ok::<(), ViewError>(())
/// ```
pub trait MappingOf<R: Record, const N: usize>:
    Mapping<Record = R, Extents: Extents<Index = usize, Rank = Dim<N>, Array = [usize; N]>>
{
}

impl<R, const N: usize, M> MappingOf<R, N> for M
where
    R: Record,
    M: Mapping<Record = R, Extents: Extents<Index = usize, Rank = Dim<N>, Array = [usize; N]>>,
{
}
