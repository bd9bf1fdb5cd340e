//! Arrays as views.

use layout_core::{
    Dim, DynExtents, Exclusive, Extents, IndexArray, Leaf, Mapped, Rank, Region, RegionAddress, Shared, Strided,
    Structs, View, ViewError, part_of, part_of_mut,
};
use layout_mappings::AoS;
use ndarray::{Array, ArrayView, ArrayViewMut, Dimension};

use super::{ArrayMapping, IntoView};

/// The offset of the first element from the one at the lowest address, and the number of elements from there to the highest address.
/// Zeros for an array without elements.
fn hull(shape: &[usize], strides: &[isize]) -> (usize, usize) {
    if shape.contains(&0) {
        return (0, 0);
    }
    let (mut below, mut above) = (0, 0);
    for (len, stride) in shape.iter().zip(strides) {
        let side = if *stride < 0 { &mut below } else { &mut above };
        // Elements lie in one piece of memory. Without bytes they may lie anywhere, and the mapping refuses what is too large.
        *side = stride.unsigned_abs().saturating_mul(len - 1).saturating_add(*side);
    }
    (below, below.saturating_add(above).saturating_add(1))
}

/// The extents of an array, the offset of its first element in its memory, and the mapping of that memory.
#[expect(clippy::type_complexity, reason = "three answers of one computation")]
fn memory<T: Leaf, const N: usize>(
    shape: &[usize],
    strides: &[isize],
) -> Result<([usize; N], usize, Mapped<T, DynExtents<1>, AoS>), ViewError> {
    let mut extents = [0; N];
    extents.copy_from_slice(shape);
    let (below, len) = hull(shape, strides);
    Ok((extents, below, Mapped::new(DynExtents::<1>::from_array([len])?)?))
}

/// The strides as an array; there are as many as dimensions.
fn strides_of<A: IndexArray>(strides: &[isize]) -> A::Strides {
    let mut array = A::NO_STRIDES;
    array.as_mut().copy_from_slice(strides);
    array
}

impl<'v, T: Leaf, const N: usize> IntoView for ArrayView<'v, T, ndarray::Dim<[usize; N]>>
where
    ndarray::Dim<[usize; N]>: Dimension,
    Dim<N>: Rank<Array = [usize; N]>,
    [usize; N]: IndexArray,
{
    type View = View<ArrayMapping<T, N>, Shared<'v, RegionAddress>>;

    fn into_view(self) -> Result<Self::View, ViewError> {
        let (extents, below, whole) = memory::<T, N>(self.shape(), self.strides())?;
        let lowest = self.as_ptr().wrapping_sub(below);
        let address = RegionAddress::new(lowest.cast_mut().cast());
        // SAFETY: the memory from the lowest element to the highest one belongs to one allocation, and the elements are aligned, as ndarray
        // promises. So the memory fits the mapping of the whole. The elements of the part are those of the array: initialized, and
        // not written for `'v`.
        unsafe { part_of::<_, Dim<N>>(&whole, extents, below, strides_of::<[usize; N]>(self.strides()), address) }
    }
}

impl<'v, T: Leaf, const N: usize> IntoView for ArrayViewMut<'v, T, ndarray::Dim<[usize; N]>>
where
    ndarray::Dim<[usize; N]>: Dimension,
    Dim<N>: Rank<Array = [usize; N]>,
    [usize; N]: IndexArray,
{
    type View = View<ArrayMapping<T, N>, Exclusive<'v, RegionAddress>>;

    fn into_view(mut self) -> Result<Self::View, ViewError> {
        let (extents, below, whole) = memory::<T, N>(self.shape(), self.strides())?;
        let address = RegionAddress::new(self.as_mut_ptr().wrapping_sub(below).cast());
        // SAFETY: as in the impl above. The elements are borrowed mutably for `'v`, by an array that is used up here.
        unsafe { part_of_mut::<_, Dim<N>>(&whole, extents, below, strides_of::<[usize; N]>(self.strides()), address) }
    }
}

impl<T: Leaf, const N: usize> IntoView for Array<T, ndarray::Dim<[usize; N]>>
where
    ndarray::Dim<[usize; N]>: Dimension,
    Dim<N>: Rank<Array = [usize; N]>,
    [usize; N]: IndexArray,
{
    type View = View<ArrayMapping<T, N>, Region<Structs<Vec<T>>>>;

    fn into_view(self) -> Result<Self::View, ViewError> {
        let mut extents = [0; N];
        extents.copy_from_slice(self.shape());
        let strides = strides_of::<[usize; N]>(self.strides());
        let (leaves, first) = self.into_raw_vec_and_offset();
        let strided = Strided::new(first.unwrap_or(0), strides);
        let mapping = Mapped::with(DynExtents::<N>::from_array(extents)?, AoS::default(), strided)?;
        View::from_bytes(mapping, Structs::new(leaves))
    }
}
