//! Views of a part of memory that someone else manages, such as a runtime for its tasks, and of blocks of any view.
//!
//! The memory belongs to a whole, whose mapping places the leaves; a part has its own extents, offset and strides. The
//! functions check the numbers; the caller is responsible for exclusive access to the memory.

use super::{ArrayOf, RankOf, View, ViewMut, ViewRef};
use crate::blob::{Blobs, BlobsMut, Exclusive, RegionAddress, Shared};
use crate::error::{ExtentsError, ViewError};
use crate::extents::{ArrayExtents, Extents, IndexArray, Rank};
use crate::linearization::{Last, Linearization, Nowhere, Strided, UnitStride, Within};
use crate::mapping::Mapping;

/// Extents of rank `D`, all dynamic.
type Dynamic<D> = ArrayExtents<usize, <D as Rank>::Dynamic<usize>>;
/// The mapping of a part of rank `D` of the whole that `M` maps.
#[doc(hidden)]
pub type PartOf<M, D, S = Nowhere> = <M as Mapping>::Relinearized<Dynamic<D>, Strided<D, S>>;

/// The mapping of the part; an error if not all its positions belong to the whole.
fn part<M: Mapping, D: Rank>(
    whole: &M,
    extents: D::Array,
    offset: usize,
    strides: <D::Array as IndexArray>::Strides,
) -> Result<PartOf<M, D>, ViewError> {
    // Without elements there is no first one.
    let offset = if extents.product() == Some(0) { 0 } else { offset };
    // The span grows if a position lies beyond those of the whole.
    let strided = Strided::<D>::within(offset, strides, whole.span()).fit(extents)?;
    let needed = strided.span(extents).unwrap_or(usize::MAX);
    if needed > whole.span() {
        return Err(ViewError::RecordCount { given: whole.span(), needed });
    }
    let extents = Dynamic::<D>::from_array(extents)?;
    // SAFETY: the linearization was fitted to the extents, and its span is that of the whole.
    Ok(unsafe { whole.relinearized(extents, strided) })
}

/// The read-only view of a part of the whole that lies at `address`.
///
/// # Errors
///
/// Returns an error if the part reaches beyond the whole.
///
/// # Safety
///
/// For the lifetime of the result, the memory at `address` fits the mapping of the whole, as
/// [`NewBlobs::check`](crate::NewBlobs) would say; all leaves of the part are values of their types, and nothing writes
/// to these leaves. Bytes between the leaves of the part may belong to others, who may write to them.
#[doc(hidden)]
pub unsafe fn part_of<'v, M: Mapping, D: Rank>(
    whole: &M,
    extents: D::Array,
    offset: usize,
    strides: <D::Array as IndexArray>::Strides,
    address: RegionAddress,
) -> Result<View<PartOf<M, D>, Shared<'v, RegionAddress>>, ViewError> {
    let mapping = part::<M, D>(whole, extents, offset, strides)?;
    // SAFETY: the caller promises that the memory stays for that long.
    let blobs = unsafe { Shared::new(address) };
    // SAFETY: all positions are ones of the whole, whose memory fits and holds values.
    Ok(unsafe { View::trusted(mapping, blobs) })
}

/// The mutable view of a part of the whole that lies at `address`.
///
/// # Errors
///
/// Returns an error if the part reaches beyond the whole, or if two of its indices share an element.
///
/// # Safety
///
/// As [`part_of`], and nothing else reaches the leaves of the part.
#[doc(hidden)]
pub unsafe fn part_of_mut<'v, M: Mapping, D: Rank>(
    whole: &M,
    extents: D::Array,
    offset: usize,
    strides: <D::Array as IndexArray>::Strides,
    address: RegionAddress,
) -> Result<View<PartOf<M, D>, Exclusive<'v, RegionAddress>>, ViewError> {
    let mapping = part::<M, D>(whole, extents, offset, strides)?;
    if !mapping.is_unique() {
        return Err(ViewError::NotUnique);
    }
    // SAFETY: the caller promises that nothing else reaches the leaves for that long.
    let blobs = unsafe { Exclusive::new(address) };
    // SAFETY: as in `part_of`; the mapping is unique.
    Ok(unsafe { View::trusted(mapping, blobs) })
}

/// The mapping of a block of the elements of `M`, in whatever order they are.
#[doc(hidden)]
pub type WithinOf<M> =
    <M as Mapping>::Relinearized<Dynamic<RankOf<M>>, Within<<M as Mapping>::Linearization, ArrayOf<M>>>;

/// The mapping of the block, if the block lies within the extents.
fn within<M: Mapping>(whole: &M, start: ArrayOf<M>, extents: ArrayOf<M>) -> Result<WithinOf<M>, ExtentsError> {
    let all = whole.extents().array();
    let linearization = Within::new(whole.linearization(), all, start).fit(extents)?;
    let extents = Dynamic::<RankOf<M>>::from_array(extents)?;
    // SAFETY: the block was compared with the extents of the whole, which the linearization of the whole fits; the span is that of the whole.
    Ok(unsafe { whole.relinearized(extents, linearization) })
}

/// The read-only view of the elements from `start` on, as many as `extents` has. Slices need constant strides; blocks do not.
///
/// # Errors
///
/// Returns an error if the block does not lie within the extents.
#[doc(hidden)]
pub fn block_of<M: Mapping, B: Blobs>(
    view: &View<M, B>,
    start: ArrayOf<M>,
    extents: ArrayOf<M>,
) -> Result<ViewRef<'_, WithinOf<M>, B>, ExtentsError> {
    let mapping = within(&view.mapping, start, extents)?;
    // SAFETY: all elements of the block are elements of the view, at the same places.
    Ok(unsafe { view.as_ref().into_mapped(mapping, 0) })
}

/// The mutable view of such a block.
///
/// # Errors
///
/// Returns an error if the block does not lie within the extents.
#[doc(hidden)]
pub fn block_of_mut<M: Mapping, B: BlobsMut>(
    view: &mut View<M, B>,
    start: ArrayOf<M>,
    extents: ArrayOf<M>,
) -> Result<ViewMut<'_, WithinOf<M>, B>, ExtentsError> {
    let mapping = within(&view.mapping, start, extents)?;
    // SAFETY: all elements of the block are elements of the view, at the same places, each at one index.
    Ok(unsafe { view.as_mut().into_mapped(mapping, 0) })
}

/// Copies all elements of `source` to a view, where the first one goes to the index `start`.
///
/// # Errors
///
/// Returns an error if they do not lie within the extents.
#[doc(hidden)]
pub fn copy_to_block<M, B, N, C>(
    view: &mut View<M, B>,
    start: ArrayOf<M>,
    source: &View<N, C>,
) -> Result<(), ExtentsError>
where
    M: Mapping,
    B: BlobsMut,
    N: Mapping<Record = M::Record, Extents: Extents<Array = ArrayOf<M>>>,
    C: Blobs,
{
    let mut block = block_of_mut(view, start, source.extents())?;
    block.copy_from(source).unwrap_or_else(|error| unreachable!("the extents are equal: {error}"));
    Ok(())
}

/// A view of all elements of a view with mapping `M`, with a stride of one in the last dimension by type.
type Dense<M, D, B> = View<<M as Mapping>::Relinearized<<M as Mapping>::Extents, UnitStride<D, Last>>, B>;

/// Conversion of a view with dynamic strides to one with a stride of one in the last dimension.
impl<M, D, B> View<M, B>
where
    D: Rank,
    M: Mapping<Extents: Extents<Rank = D, Array = D::Array>, Linearization = Strided<D>>,
    B: Blobs,
{
    /// Returns `true` if neighbors along the last dimension are neighbors in memory;
    /// [`into_unit_stride`](Self::into_unit_stride) then returns a view.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc::<f64, SoA, _>([4, 6])?;
    /// assert!(grid.permuted([0, 1]).unwrap().has_unit_stride());
    /// assert!(!grid.permuted([1, 0]).unwrap().has_unit_stride());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn has_unit_stride(&self) -> bool {
        let extents = self.mapping.extents().array();
        match extents.as_ref().last() {
            None | Some(0 | 1) => true,
            Some(_) => self.mapping.linearization().stride(extents, extents.as_ref().len() - 1) == 1,
        }
    }

    /// Converts this view to one with a stride of one by type in the last dimension, so that loops along it are
    /// vectorized. Returns `None` if the stride is not one.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<usize, SoA, _>([4, 6], |[i, j]| 10 * i + j)?;
    /// let same = grid.permuted([0, 1]).unwrap().into_unit_stride();
    /// assert_eq!(same.unwrap().get([3, 2]), 32);
    /// assert!(grid.permuted([1, 0]).unwrap().into_unit_stride().is_none());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn into_unit_stride(self) -> Option<Dense<M, D, B>> {
        if !self.has_unit_stride() {
            return None;
        }
        let linearization = self.mapping.linearization().unit();
        // SAFETY: every element has the position that it had: along a dimension of one index no step is taken.
        let mapping = unsafe { self.mapping.relinearized(self.mapping.extents(), linearization) };
        // SAFETY: every element lies where it did.
        Some(unsafe { View::trusted(mapping, self.blobs) })
    }
}
