//! Shape and strides of the elements of a view, as `ndarray` has them.

use core::any::TypeId;
use core::marker::PhantomData;

use layout_core::{Address, Codec, Extents, IndexArray, LeafPlace, Mapping, Path, Record, RecordLayout, RegionAddress};
use ndarray::{Axis, Dimension, ShapeBuilder, StrideShape};

use super::error::NdarrayError;
use super::leaf_array::{ArrayIndex, LeafArray, lens};
use crate::named::Named;

/// Shape and strides of the elements of a view, in elements; the first element lies where [`View::as_ptr`] says.
pub(super) struct Strides<D> {
    pub(super) shape: D,
    /// `None` for an array without elements, or of elements without bytes: any strides are right.
    pub(super) strides: Option<Vec<isize>>,
}

impl<D: Dimension> Strides<D> {
    /// The strides of a view whose blobs lie at an address of type `A`.
    pub(super) fn of<M, A>(mapping: &M) -> Result<Self, NdarrayError>
    where
        M: Mapping<Record: LeafArray<Dim<<<M::Extents as Extents>::Array as ArrayIndex>::Dim> = D>>,
        M::Extents: Extents<Array: ArrayIndex>,
        A: Address,
    {
        const {
            assert!(
                <M::Layout as RecordLayout<M::Record>>::Codec::COMPUTED.is_empty(),
                "this layout computes leaves, which are no values in memory: copy them by `to_ndarray`"
            );
            assert!(<<M::Record as LeafArray>::First as Path>::LEAF == 0, "the first leaf of a record is leaf 0");
        }
        let extents = mapping.extents().array();
        let lens: Vec<usize> = lens(M::Record::TREE).collect();
        let shape: Vec<usize> = extents.as_ref().iter().chain(&lens).copied().collect();
        let size = size_of::<<M::Record as LeafArray>::Leaf>();
        // ndarray multiplies the other extents of an empty array, too.
        let product = shape
            .iter()
            .filter(|len| **len > 0)
            .try_fold(1_isize, |product, len| product.checked_mul(isize::try_from(*len).ok()?));
        product.ok_or(NdarrayError::TooLarge)?;
        let bytes = if shape.contains(&0) || size == 0 {
            None
        } else {
            let outer = mapping.byte_strides(Named(PhantomData::<<M::Record as LeafArray>::First>));
            let outer = outer.ok_or(NdarrayError::NotStrided)?;
            let inner = array_strides::<M, A>(mapping, &lens)?;
            Some(outer.as_ref().iter().copied().chain(inner).collect::<Vec<_>>())
        };
        let in_elements = |(axis, stride): (usize, isize)| {
            let step = size.cast_signed();
            match shape[axis] {
                // There is no neighbor.
                1 => Ok(0),
                _ if stride % step != 0 => Err(NdarrayError::Stride { axis, stride, size }),
                _ => Ok(stride / step),
            }
        };
        let strides = bytes.map(|bytes| bytes.into_iter().enumerate().map(in_elements).collect()).transpose()?;
        Ok(Self { shape: dimension(&shape), strides })
    }

    /// Returns an error if `first` is not aligned.
    pub(super) fn check_alignment<T>(&self, first: *const T) -> Result<(), NdarrayError> {
        if self.strides.is_some() && !first.is_aligned() {
            return Err(NdarrayError::Unaligned { needed: align_of::<T>() });
        }
        Ok(())
    }

    /// Returns an error if ndarray refuses the strides for an array that can be written: each stride must be larger than
    /// everything that the smaller strides reach.
    pub(super) fn check_nested(&self) -> Result<(), NdarrayError> {
        let Some(strides) = &self.strides else { return Ok(()) };
        let mut axes: Vec<_> = strides.iter().map(|stride| stride.unsigned_abs()).zip(self.shape.slice()).collect();
        axes.sort_unstable();
        let mut reach = 0;
        for (stride, len) in axes.into_iter().filter(|(_, len)| **len > 1) {
            if stride <= reach {
                return Err(NdarrayError::Interleaved);
            }
            reach += (len - 1) * stride;
        }
        Ok(())
    }

    /// The distance from the first element down to the one at the lowest address, in elements.
    pub(super) fn below_first(&self) -> usize {
        let Some(strides) = &self.strides else { return 0 };
        let axes = strides.iter().zip(self.shape.slice());
        axes.filter(|(stride, _)| **stride < 0).map(|(stride, len)| stride.unsigned_abs() * (len - 1)).sum()
    }

    /// The shape for an array whose pointer is the lowest address, with strides that are not negative, which is what the
    /// constructors of ndarray ask for.
    pub(super) fn lowest(&self) -> StrideShape<D> {
        match &self.strides {
            None => self.shape.clone().into(),
            Some(strides) => {
                let strides: Vec<usize> = strides.iter().map(|stride| stride.unsigned_abs()).collect();
                self.shape.clone().strides(dimension(&strides))
            }
        }
    }

    /// The axes with negative strides, which are to be inverted.
    pub(super) fn inverted(&self) -> impl Iterator<Item = Axis> {
        let strides = self.strides.as_deref().unwrap_or_default();
        strides.iter().enumerate().filter(|(_, stride)| **stride < 0).map(|(axis, _)| Axis(axis))
    }
}

/// A dimension of ndarray with these lengths; there are as many as its type says.
pub(super) fn dimension<D: Dimension>(lens: &[usize]) -> D {
    let mut dimension = D::zeros(lens.len());
    dimension.slice_mut().copy_from_slice(lens);
    dimension
}

/// The distances in bytes between the elements of the arrays that the record of `M` is. The view has elements.
fn array_strides<M: Mapping, A: Address>(mapping: &M, lens: &[usize]) -> Result<Vec<isize>, NdarrayError> {
    let count = M::Record::TREE.leaves();
    let place = |leaf| mapping.place_of(IndexArray::ZERO, leaf);
    let places = <M::Layout as RecordLayout<M::Record>>::PLACES;
    let (run, stride) = (<M::Layout as RecordLayout<M::Record>>::RUN, LeafPlace::of(places, 0).stride);
    // One stride along a dimension of the view serves all leaves, and all leaves lie in one piece of memory.
    let is_alike = |place: LeafPlace| place.stride == stride && (mapping.span() <= run || place.is_even(run));
    let alike = count == lens.iter().product() && (1..count).all(|leaf| is_alike(LeafPlace::of(places, leaf)));
    let is_one_piece =
        TypeId::of::<A>() == TypeId::of::<RegionAddress>() || (1..count).all(|leaf| place(leaf).blob == place(0).blob);
    if !(alike && is_one_piece) {
        return Err(NdarrayError::ArraysApart);
    }
    let offset = |leaf| {
        let place = place(leaf);
        let start = <M::Layout as RecordLayout<M::Record>>::blob_start(mapping.frame(), place.blob);
        (start + place.offset).cast_signed()
    };
    // The number of leaves from an element to its neighbor, along each axis.
    let mut steps = vec![1; lens.len()];
    for axis in (1..lens.len()).rev() {
        steps[axis - 1] = steps[axis] * lens[axis];
    }
    let first = offset(0);
    let strides: Vec<_> =
        steps.iter().zip(lens).map(|(step, len)| if *len > 1 { offset(*step) - first } else { 0 }).collect();
    let expected = |leaf: usize| -> isize {
        let axes = steps.iter().zip(lens).zip(&strides);
        axes.map(|((step, len), stride)| (leaf / step % len).cast_signed() * stride).sum()
    };
    if (0..count).any(|leaf| offset(leaf) - first != expected(leaf)) {
        return Err(NdarrayError::ArraysApart);
    }
    Ok(strides)
}
