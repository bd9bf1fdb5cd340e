//! Parts of borrowed views that live as long as the memory, and not only as long as the view that they are made from.
//!
//! A method that borrows a view, such as `slice`, cannot return more than that borrow: owned views lend their own memory. The methods
//! here take a borrowed view by value. They are the methods of `&'a [T]`, which is `Copy`, and of `&'a mut [T]`, which is used up.

use core::iter::FusedIterator;

use super::access::{At, Kind};
use super::cursor::{Cursor, IterOf};
use super::elements::Elements;
use super::index::out_of_range_of;
use super::opened::Opened;
use super::rows::Rows;
use super::slice::{block, permuted, refused, sliced, transposed};
use super::split::{assert_apart, extent_along, middle_of, starts};
use super::zip::Zip;
use super::{
    ArrayOf, BlockOf, IndexOf, PermutedOf, RankOf, SliceArgs, SlicedBy, SlotsAt, SplitPaths, TransposedOf, View,
};
use crate::blob::{Address, Blobs, BlobsMut, Exclusive, Records, RecordsMut, Region, RegionAddress, Shared};
use crate::error::SliceError;
use crate::extents::IntoIndex;
use crate::linearization::StridedLinearization;
use crate::mapping::Mapping;
use crate::path::{Path, Select, assert_exists};
use crate::record::Record;

/// Blobs that a view borrows, and does not own: parts of such a view live as long as the blobs.
///
/// The blobs of `as_ref`, `as_mut`, `field`, `slice` and similar methods are borrowed, as are `Region<&[u8]>`,
/// `Region<&mut [u8]>`, [`Records`] and [`RecordsMut`].
///
/// # Safety
///
/// Implementors must ensure that the blobs at the address stay borrowed as `Kind` says (`&'a ()` or `&'a mut ()`), also
/// after `self` is gone.
///
/// # Examples
///
/// ```
/// use layout::blob::BorrowedBlobs;
/// use layout::prelude::*;
///
/// /// The elements before the middle, and the elements after it.
/// fn halves<M, B>(view: View<M, B>) -> [Vec<M::Record>; 2]
/// where
///     M: Mapping<Record = u8, Extents = DynExtents<1>, Linearization = RowMajor>,
///     B: BorrowedBlobs,
/// {
///     let middle = view.len() / 2;
///     let (before, after) = view.into_split_at(0, middle).expect("the middle is within the view");
///     [before.to_vec(), after.to_vec()]
/// }
/// let view = View::from_bytes(Mapped::<u8, _, AoS>::new(extents!(dyn 5))?, &[1, 2, 3, 4, 5][..])?;
/// assert_eq!(halves(view), [vec![1, 2], vec![3, 4, 5]]);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a view with the blobs `{Self}` owns its memory: its parts cannot outlive it",
    note = "borrow the view first, by `as_ref` or `as_mut`"
)]
pub unsafe trait BorrowedBlobs: Blobs {
    /// `&'a ()` or `&'a mut ()`.
    type Kind: Kind;

    /// The address.
    fn into_address(self) -> Self::Address;
}

// SAFETY: the constructor asks that the blobs be borrowed for `'a`.
unsafe impl<'a, A: Address> BorrowedBlobs for Shared<'a, A> {
    type Kind = &'a ();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn into_address(self) -> A {
        self.address()
    }
}

// SAFETY: the constructor asks that the leaves be borrowed mutably for `'a`; `self` is used up.
unsafe impl<'a, A: Address> BorrowedBlobs for Exclusive<'a, A> {
    type Kind = &'a mut ();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn into_address(mut self) -> A {
        self.address_mut()
    }
}

// SAFETY: the slice is borrowed for `'a`.
unsafe impl<'a> BorrowedBlobs for Region<&'a [u8]> {
    type Kind = &'a ();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn into_address(self) -> RegionAddress {
        RegionAddress::new(self.0.as_ptr().cast_mut())
    }
}

// SAFETY: the slice is borrowed mutably for `'a`; `self` is used up.
unsafe impl<'a> BorrowedBlobs for Region<&'a mut [u8]> {
    type Kind = &'a mut ();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn into_address(self) -> RegionAddress {
        RegionAddress::new(self.0.as_mut_ptr())
    }
}

// SAFETY: the slice is borrowed for `'a`.
unsafe impl<'a, R: Record> BorrowedBlobs for Records<'a, R> {
    type Kind = &'a ();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn into_address(self) -> RegionAddress {
        self.address()
    }
}

// SAFETY: the slice is borrowed mutably for `'a`; `self` is used up.
unsafe impl<'a, R: Record> BorrowedBlobs for RecordsMut<'a, R> {
    type Kind = &'a mut ();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn into_address(mut self) -> RegionAddress {
        self.address_mut()
    }
}

/// A part of a view with borrowed blobs `B`, by the mapping `N`: it lives as long as the memory.
///
/// # Examples
///
/// ```
/// use layout::blob::BorrowedBlobs;
/// use layout::part::{BlockOf, Lasting};
/// use layout::prelude::*;
///
/// fn last<M: Mapping<Linearization = RowMajor, Extents = DynExtents<1>>, B: BorrowedBlobs>(
///     view: View<M, B>,
/// ) -> Lasting<BlockOf<M>, B> {
///     let len = view.len();
///     view.into_chunks(0, 1).nth(len - 1).expect("one element")
/// }
/// let view = alloc_from_fn::<usize, SoA, _>(4, |[i]| i)?;
/// assert_eq!(last(view.as_ref()).get(0), 3);
/// # Ok::<(), ViewError>(())
/// ```
pub type Lasting<N, B> = View<N, <<B as BorrowedBlobs>::Kind as Kind>::Blobs<<B as Blobs>::Address>>;

/// The slots of an element of a view with borrowed blobs `B`.
type LastingSlots<M, B> = SlotsAt<M, At<<B as BorrowedBlobs>::Kind, M, <B as Blobs>::Address>>;
/// The views of the fields `S` of a view with borrowed blobs `B`.
type LastingFields<S, M, B> = <S as SplitPaths<<M as Mapping>::Record>>::Views<
    M,
    <<B as BorrowedBlobs>::Kind as Kind>::Blobs<<B as Blobs>::Address>,
>;

/// Methods of borrowed views that use the view up: what they return lives as long as the memory.
///
/// A view that reads is `Copy`, and is still there afterwards. To keep a view that writes, call the method on
/// [`as_mut`](Self::as_mut), or use the method that borrows ([`slice_mut`](Self::slice_mut) and so on).
impl<M: Mapping, B: Blobs> View<M, B> {
    /// The view of some of the elements and leaves, by a mapping that places them where this view does.
    ///
    /// # Safety
    ///
    /// The mapping reaches only leaves of this view, from leaf number `leaf` on, at the same places, and is unique if this view's is.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn into_mapped<N: Mapping>(self, mapping: N, leaf: usize) -> Lasting<N, B>
    where
        B: BorrowedBlobs,
    {
        // SAFETY: the blobs stay borrowed as `Kind` says, and this view, the only way to leaves that it writes, is used up.
        let blobs = unsafe { B::Kind::blobs(self.blobs.into_address().part(leaf)) };
        // SAFETY: the caller vouches for the mapping.
        unsafe { View::trusted(mapping, blobs) }
    }

    /// The view of one leaf or branch of every element; see [`field`](Self::field).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{RecordSlice, prelude::*};
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// fn masses<'a>(particles: RecordSlice<'a, Particle, SoA>) -> &'a [f32] {
    ///     particles.into_field(Particle::PATHS.mass).into_slice().expect("SoA has columns")
    /// }
    /// let vec: RecordVec<Particle, SoA> = (0..3).map(|i| Particle { mass: i as f32, ..Default::default() }).collect();
    /// assert_eq!(masses(vec.as_view()), [0.0, 1.0, 2.0]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn into_field<S>(self, _: S) -> Lasting<M::Below<S::Path>, B>
    where
        B: BorrowedBlobs,
        S: Select<Path: Path<Root = M::Record>>,
    {
        const { assert_exists::<S::Path>() };
        let mapping = self.mapping.below::<S::Path>();
        // SAFETY: the leaves are some of those of the whole record, at the same places.
        unsafe { self.into_mapped(mapping, S::Path::LEAF) }
    }

    /// The view of a part of the elements; see [`slice`](Self::slice).
    ///
    /// # Panics
    ///
    /// Panics if a range or index is not within the extents, or if a step is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{RecordSlice, prelude::*};
    ///
    /// fn without_the_first<'a>(values: RecordSlice<'a, u8, SoA>) -> &'a [u8] {
    ///     values.into_sliced((1..,)).into_slice().expect("SoA is contiguous")
    /// }
    /// let vec: RecordVec<u8, SoA> = [1, 2, 3].into_iter().collect();
    /// assert_eq!(without_the_first(vec.as_view()), [2, 3]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    #[must_use]
    pub fn into_sliced<T: SliceArgs<RankOf<M>>>(self, args: T) -> Lasting<SlicedBy<M, T>, B>
    where
        B: BorrowedBlobs,
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        match self.try_into_sliced(args) {
            Ok(slice) => slice,
            Err(error) => refused(&error),
        }
    }

    /// The view of a part of the elements; see [`slice`](Self::slice).
    ///
    /// # Errors
    ///
    /// Returns an error if a range or index is not within the extents, or if a step is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc::<u8, SoA, _>([4, 6])?;
    /// assert!(grid.as_ref().try_into_sliced((1..5, ..)).is_err());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn try_into_sliced<T: SliceArgs<RankOf<M>>>(self, args: T) -> Result<Lasting<SlicedBy<M, T>, B>, SliceError>
    where
        B: BorrowedBlobs,
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        let mapping = sliced(&self.mapping, args)?;
        // SAFETY: all elements of the slice are elements of this view, at the same places, each at one index.
        Ok(unsafe { self.into_mapped(mapping, 0) })
    }

    /// The view in which dimension `k` is dimension `order[k]` of this view; see [`permuted`](Self::permuted).
    ///
    /// # Errors
    ///
    /// Returns an error if `order` does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<usize, SoA, _>([2, 3], |[i, j]| 10 * i + j)?;
    /// assert_eq!(grid.as_ref().into_permuted([1, 0]).unwrap().get([2, 1]), 12);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn into_permuted(self, order: ArrayOf<M>) -> Result<Lasting<PermutedOf<M>, B>, SliceError>
    where
        B: BorrowedBlobs,
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        let mapping = permuted(&self.mapping, order)?;
        // SAFETY: the elements are those of this view, at the same places.
        Ok(unsafe { self.into_mapped(mapping, 0) })
    }

    /// The view with the dimensions in reverse order; see [`transposed`](Self::transposed).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<usize, SoA, _>([2, 3], |[i, j]| 10 * i + j)?;
    /// assert_eq!(grid.as_ref().into_transposed().get([2, 1]), 12);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn into_transposed(self) -> Lasting<TransposedOf<M>, B>
    where
        B: BorrowedBlobs,
    {
        let mapping = transposed(&self.mapping);
        // SAFETY: the elements are those of this view, at the same places.
        unsafe { self.into_mapped(mapping, 0) }
    }

    /// Views of several fields; see [`split`](Self::split). Fields that overlap do not compile, nor do mutable views in layouts
    /// whose leaves share bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{RecordSliceMut, prelude::*};
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: f32, mass: f32 }
    ///
    /// fn columns<'a>(particles: RecordSliceMut<'a, Particle, SoA>) -> Option<(&'a mut [f32], &'a mut [f32])> {
    ///     let (pos, mass) = particles.into_split((Particle::PATHS.pos, Particle::PATHS.mass));
    ///     Some((pos.into_mut_slice()?, mass.into_mut_slice()?))
    /// }
    /// let mut vec: RecordVec<Particle, SoA> = vec![Particle::default(); 2].into();
    /// if let Some((pos, mass)) = columns(vec.as_view_mut()) {
    ///     (pos[1], mass[0]) = (1.0, 2.0);
    /// }
    /// assert_eq!(vec.to_vec(), [Particle { pos: 0.0, mass: 2.0 }, Particle { pos: 1.0, mass: 0.0 }]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn into_split<S: SplitPaths<M::Record>>(self, _: S) -> LastingFields<S, M, B>
    where
        B: BorrowedBlobs,
    {
        const { assert_apart_for::<B::Kind, M>() };
        let () = S::DISJOINT;
        // SAFETY: the view's blobs fit its mapping, which is unique if it is written, and stay borrowed as `Kind` says; this view is
        // used up.
        unsafe { S::views::<M, B::Kind, B::Address>(self.mapping, self.blobs.into_address()) }
    }

    /// Splits the view in two: elements whose index in `dimension` is below `middle`, and all other elements; see
    /// [`split_at`](Self::split_at). Does not compile for mutable views in layouts whose leaves share bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, or if `middle` exceeds its extent.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let values = alloc_from_fn::<usize, SoA, _>(5, |[i]| i)?;
    /// let (before, after) = values.as_ref().into_split_at(0, 2).unwrap();
    /// assert_eq!((before.to_vec(), after.to_vec()), (vec![0, 1], vec![2, 3, 4]));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "two views of one type")]
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn into_split_at(
        self,
        dimension: usize,
        middle: usize,
    ) -> Result<(Lasting<BlockOf<M>, B>, Lasting<BlockOf<M>, B>), SliceError>
    where
        B: BorrowedBlobs,
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        const { assert_apart_for::<B::Kind, M>() };
        let extent = middle_of(self.extents(), dimension, middle)?;
        let (mapping, address) = (self.mapping, self.blobs.into_address());
        // SAFETY: the blobs stay borrowed as `Kind` says, and this view is used up; the two blocks share no element.
        let part = |from, len| unsafe { lasting_block::<M, B>(&mapping, address, dimension, from, len) };
        Ok((part(0, middle), part(middle, extent - middle)))
    }

    /// Blocks of `len` indices along `dimension`, one after another; the last block may have fewer. See [`chunks`](Self::chunks) and
    /// [`chunks_mut`](Self::chunks_mut). Does not compile for mutable views in layouts whose leaves share bytes.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension, or if `len` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let values = alloc_from_fn::<usize, SoA, _>(5, |[i]| i)?;
    /// let last = values.as_ref().into_chunks(0, 2).next_back().expect("three chunks");
    /// assert_eq!(last.to_vec(), [4]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn into_chunks(
        self,
        dimension: usize,
        len: usize,
    ) -> impl ExactSizeIterator<Item = Lasting<BlockOf<M>, B>> + DoubleEndedIterator
    where
        B: BorrowedBlobs,
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        const { assert_apart_for::<B::Kind, M>() };
        let extent = extent_along(self.extents(), dimension);
        let (mapping, address) = (self.mapping, self.blobs.into_address());
        starts(extent, len, len).map(move |from| {
            // SAFETY: the blobs stay borrowed as `Kind` says, and the view is used up; each block is made once, and no two share an
            // element.
            unsafe { lasting_block::<M, B>(&mapping, address, dimension, from, len.min(extent - from)) }
        })
    }

    /// The slots of the element at `index`; see [`at`](Self::at).
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{RecordSliceMut, prelude::*};
    ///
    /// fn first<'a>(values: RecordSliceMut<'a, u8, SoA>) -> &'a mut u8 {
    ///     values.into_at(0).into_mut()
    /// }
    /// let mut vec: RecordVec<u8, SoA> = vec![1, 2].into();
    /// *first(vec.as_view_mut()) = 7;
    /// assert_eq!(vec.to_vec(), [7, 2]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn into_at<I>(self, index: I) -> LastingSlots<M, B>
    where
        B: BorrowedBlobs,
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        let (extents, frame) = (self.extents(), self.mapping.frame());
        let Some(position) = self.mapping.locate(index) else { out_of_range_of::<IndexOf<M>, _>(index, extents) };
        // SAFETY: it is the position of an element; the blobs fit the mapping and stay borrowed as `Kind` says, and this view is used
        // up.
        M::Record::bind(unsafe { At::new(self.blobs.into_address(), frame, position) })
    }

    /// Iterates over the indices and the slots of all elements; see [`iter_indexed`](Self::iter_indexed).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<usize, SoA, _>([2, 3], |[i, j]| 10 * i + j)?;
    /// assert!(view.as_ref().into_iter_indexed().all(|([i, j], slot)| slot.get() == 10 * i + j));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn into_iter_indexed(
        self,
    ) -> impl DoubleEndedIterator<Item = (ArrayOf<M>, LastingSlots<M, B>)> + ExactSizeIterator + FusedIterator
    where
        B: BorrowedBlobs,
    {
        Cursor::<_, true>::all(self.into_opened(true))
    }

    /// Opens this view for a traversal, and uses it up; see [`open`](Self::open).
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn into_opened(self, indexed: bool) -> Zip<Opened<B::Kind, M, B::Address>>
    where
        B: BorrowedBlobs,
    {
        let rows = Rows::of(&self.mapping, indexed);
        let elements = Elements::own(self.mapping, &rows);
        // SAFETY: a view's blobs fit its mapping, and stay borrowed as `Kind` says.
        Zip { walk: unsafe { Opened::new(elements, self.blobs.into_address()) }, rows, indexed: rows }
    }
}

impl<'a, M: Mapping, B: BorrowedBlobs<Kind = &'a ()>> View<M, B> {
    /// All blocks of exactly `len` neighboring indices along `dimension`; see [`windows`](Self::windows).
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension, or if `len` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let values = alloc_from_fn::<usize, SoA, _>(5, |[i]| i * i)?;
    /// let last = values.as_ref().into_windows(0, 2).next_back().expect("four windows");
    /// assert_eq!(last.to_vec(), [9, 16]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn into_windows(
        self,
        dimension: usize,
        len: usize,
    ) -> impl ExactSizeIterator<Item = Lasting<BlockOf<M>, B>> + DoubleEndedIterator
    where
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        let extent = extent_along(self.extents(), dimension);
        let count = if extent < len { 0 } else { extent - len + 1 };
        let (mapping, address) = (self.mapping, self.blobs.into_address());
        starts(count, 1, len).map(move |from| {
            // SAFETY: the blobs stay borrowed for `'a`, for reading.
            unsafe { lasting_block::<M, B>(&mapping, address, dimension, from, len) }
        })
    }
}

impl<M: Mapping, B: BorrowedBlobs> IntoIterator for View<M, B> {
    type Item = LastingSlots<M, B>;
    type IntoIter = IterOf<Opened<B::Kind, M, B::Address>>;

    /// Iterates over the slots of all elements, in the order of the mapping; see [`View::iter`]. The slots live as long as the memory.
    fn into_iter(self) -> Self::IntoIter {
        IterOf::new(Cursor::all(self.into_opened(false)))
    }
}

/// Fails to compile for a view that writes, in a layout in which two leaves may share a byte.
#[track_caller]
const fn assert_apart_for<K: Kind, M: Mapping>() {
    if K::WRITES {
        assert_apart::<M>();
    }
}

/// The view of the block of `len` indices from `from` on along a dimension.
///
/// # Safety
///
/// The blobs at `address` fit the mapping and stay borrowed as the `Kind` of `B` says; if that is mutably, the mapping is unique, no
/// other view has elements of the block, and no two leaves share a byte.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn lasting_block<M, B>(
    mapping: &M,
    address: B::Address,
    dimension: usize,
    from: usize,
    len: usize,
) -> Lasting<BlockOf<M>, B>
where
    M: Mapping<Linearization: StridedLinearization<ArrayOf<M>>>,
    B: BorrowedBlobs,
{
    // SAFETY: the caller promises that the blobs are borrowed so.
    let blobs = unsafe { B::Kind::blobs(address) };
    // SAFETY: the elements are some of those of the mapping, at the same places.
    unsafe { View::trusted(block(mapping, dimension, from, len), blobs) }
}
