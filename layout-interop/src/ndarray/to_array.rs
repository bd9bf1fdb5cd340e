//! Views as arrays.

use core::marker::PhantomData;

use layout_core::{Address, Blobs, Exclusive, Extents, Mapping, Record, Region, RegionAddress, Shared, Structs, View};
use ndarray::{Array, ArrayView, ArrayViewMut, Dimension};

use super::error::NdarrayError;
use super::leaf_array::{ArrayIndex, LeafArray, lens};
use super::strides::{Strides, dimension};
use super::{ArrayDim, IntoNdarray, ToNdarray};
use crate::named::Named;

impl<'v, M, A> IntoNdarray for View<M, Shared<'v, A>>
where
    M: Mapping<Record: LeafArray, Extents: Extents<Array: ArrayIndex>>,
    A: Address,
{
    type Array = ArrayView<'v, <M::Record as LeafArray>::Leaf, ArrayDim<M>>;

    fn into_ndarray(self) -> Result<Self::Array, NdarrayError> {
        let strides = Strides::<ArrayDim<M>>::of::<M, A>(&self.mapping())?;
        let first = self.as_ptr(Named(PhantomData::<<M::Record as LeafArray>::First>));
        strides.check_alignment(first)?;
        // SAFETY: the element that many elements below the first one is an element of the view.
        let lowest = unsafe { first.sub(strides.below_first()) };
        // SAFETY: the pointer is aligned. Strides and extents are those of the view: `byte_strides` and the equal distances of array
        // elements say that each index has its element there, in one piece of memory, which is borrowed and not written for `'v`.
        // Elements are values of their type. No stride is negative. `Strides::of` checked the product of the lengths; distances in bytes
        // fit, since the elements are in memory.
        let mut array = unsafe { ArrayView::from_shape_ptr(strides.lowest(), lowest) };
        strides.inverted().for_each(|axis| array.invert_axis(axis));
        Ok(array)
    }
}

impl<'v, M, A> IntoNdarray for View<M, Exclusive<'v, A>>
where
    M: Mapping<Record: LeafArray, Extents: Extents<Array: ArrayIndex>>,
    A: Address,
{
    type Array = ArrayViewMut<'v, <M::Record as LeafArray>::Leaf, ArrayDim<M>>;

    fn into_ndarray(mut self) -> Result<Self::Array, NdarrayError> {
        let strides = Strides::<ArrayDim<M>>::of::<M, A>(&self.mapping())?;
        strides.check_nested()?;
        let first = self.as_mut_ptr(Named(PhantomData::<<M::Record as LeafArray>::First>));
        strides.check_alignment(first)?;
        // SAFETY: the element that many elements below the first one is an element of the view.
        let lowest = unsafe { first.sub(strides.below_first()) };
        // SAFETY: as in the impl above. The elements are borrowed mutably for `'v`, by a view that is used up here; no two indices share an
        // element, as `check_nested` says. Whatever is written is a value of the leaf's type.
        let mut array = unsafe { ArrayViewMut::from_shape_ptr(strides.lowest(), lowest) };
        strides.inverted().for_each(|axis| array.invert_axis(axis));
        Ok(array)
    }
}

/// The array takes the `Vec`. Elements of the `Vec` before the first element of the view are removed, which moves the elements after
/// them. A view of a whole array has no such elements.
impl<M> IntoNdarray for View<M, Region<Structs<Vec<<M::Record as LeafArray>::Leaf>>>>
where
    M: Mapping<Record: LeafArray, Extents: Extents<Array: ArrayIndex>>,
{
    type Array = Array<<M::Record as LeafArray>::Leaf, ArrayDim<M>>;

    fn into_ndarray(self) -> Result<Self::Array, NdarrayError> {
        let strides = Strides::<ArrayDim<M>>::of::<M, RegionAddress>(&self.mapping())?;
        strides.check_nested()?;
        let first = self.as_ptr(Named(PhantomData::<<M::Record as LeafArray>::First>));
        strides.check_alignment(first)?;
        let mut leaves = self.into_blobs().into_inner().into_inner();
        let before = if strides.strides.is_some() {
            // Aligned addresses in one piece of memory.
            (first.addr() - leaves.as_ptr().addr()) / size_of::<<M::Record as LeafArray>::Leaf>()
                - strides.below_first()
        } else {
            // An array without elements, or of elements without bytes.
            leaves.truncate(strides.shape.size());
            0
        };
        leaves.drain(..before);
        let array = Array::from_shape_vec(strides.lowest(), leaves);
        let mut array = array.map_err(|_| NdarrayError::TooLarge)?;
        strides.inverted().for_each(|axis| array.invert_axis(axis));
        Ok(array)
    }
}

impl<M, B> ToNdarray for View<M, B>
where
    M: Mapping<Record: LeafArray, Extents: Extents<Array: ArrayIndex>>,
    B: Blobs,
{
    type Array = Array<<M::Record as LeafArray>::Leaf, ArrayDim<M>>;

    fn to_ndarray(&self) -> Self::Array {
        let extents = self.extents();
        let shape: Vec<usize> = extents.as_ref().iter().copied().chain(lens(M::Record::TREE)).collect();
        let leaves = M::Record::leaves(self.to_vec());
        let array = Array::from_shape_vec(dimension::<ArrayDim<M>>(&shape), leaves);
        array.unwrap_or_else(|error| panic!("ndarray refuses the extents {shape:?}: {error}"))
    }
}
