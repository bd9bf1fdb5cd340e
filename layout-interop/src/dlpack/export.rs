//! Leaves of views as tensors.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::NonNull;
use std::sync::Arc;

use layout_core::{Bytes, Leaf, LeafTable, Mapping, Owned, Path, Region, Select, View};

use super::abi::{CPU, DataType, Device, Managed, READ_ONLY, TensorFields, VERSION};
use super::error::DlpackError;
use super::tensor::DlpackTensor;
use crate::named::Named;

/// A tensor, with the numbers and the view that it points to.
struct Owner<V> {
    managed: Managed,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    view: V,
}

/// The tensor of a leaf of a view, which owns the view: its memory is freed with the tensor.
///
/// `path` names the leaf: `Particle::PATHS.mass`, or `layout::paths::<f32>()` if the record is that leaf. A vector is a view by
/// [`RecordVec::into_view`](layout_core::RecordVec::into_view).
///
/// # Errors
///
/// Returns an error if DLPack has no type for the leaf, or if its elements are not aligned or not equally far apart along each dimension,
/// by a multiple of their size. The view is dropped then.
///
/// # Complexity
///
/// Constant; no element is copied.
///
/// # Examples
///
/// See the [module](super).
pub fn into_tensor<M, S>(view: Owned<M>, _: S) -> Result<DlpackTensor, DlpackError>
where
    M: Mapping + 'static,
    S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
{
    tensor::<_, _, S::Path>(view, Owned::mapping, 0, |view| view.as_mut_ptr(Named(PhantomData::<S::Path>)).cast())
}

/// The read-only tensor of a leaf of a view that others read, too. Tensors of several leaves share one view.
///
/// The view is one of bytes: a view of a slice of structs may have padding without a value, and a tensor is all bytes from its first to
/// its last element.
///
/// # Errors
///
/// Returns an error in the cases of [`into_tensor`].
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use layout::interop::dlpack::{DlpackError, share_tensor};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u16, charge: f32 }
///
/// let hits = Arc::new(alloc::<Hit, SoA, _>(100)?);
/// let channels = share_tensor(hits.clone(), Hit::PATHS.channel)?;
/// let charges = share_tensor(hits.clone(), Hit::PATHS.charge)?;
/// drop(channels);
/// assert_eq!((Arc::strong_count(&hits), charges.strides()), (2, Some(&[1][..])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn share_tensor<M, B, S>(view: Arc<View<M, Region<B>>>, _: S) -> Result<DlpackTensor, DlpackError>
where
    M: Mapping + 'static,
    B: Bytes + Send + Sync + 'static,
    S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
{
    let first = |view: &mut Arc<View<M, Region<B>>>| view.as_ptr(Named(PhantomData::<S::Path>)).cast_mut().cast();
    tensor::<_, _, S::Path>(view, |view| view.mapping(), READ_ONLY, first)
}

/// The tensor of a leaf, whose first element `first` gives.
fn tensor<V, M, P>(
    view: V,
    mapping: impl Fn(&V) -> M,
    flags: u64,
    first: impl Fn(&mut V) -> *mut c_void,
) -> Result<DlpackTensor, DlpackError>
where
    M: Mapping,
    P: Path<Root = M::Record, Type: Leaf>,
{
    let mapping = mapping(&view);
    let leaf = LeafTable::of::<P::Type>().leaf(0);
    let data_type = DataType::of::<P::Type>().ok_or(DlpackError::Leaf { leaf: leaf.type_name() })?;
    let size = i64::try_from(leaf.size()).unwrap_or(i64::MAX);
    let extents = layout_core::Extents::array(&mapping.extents());
    let bytes = mapping.byte_strides(Named(PhantomData::<P>)).ok_or(DlpackError::NotStrided)?;
    let shape: Option<Box<[i64]>> = extents.as_ref().iter().map(|extent| i64::try_from(*extent).ok()).collect();
    // Along a dimension of one index no step is taken.
    let stride = |(bytes, extent): (&isize, &usize)| match i64::try_from(*bytes) {
        Ok(bytes) if bytes % size == 0 => Some(bytes / size),
        _ if *extent <= 1 => Some(1),
        _ => None,
    };
    let strides: Option<Box<[i64]>> = bytes.as_ref().iter().zip(extents.as_ref()).map(stride).collect();
    let (Some(shape), Some(strides)) = (shape, strides) else { return Err(DlpackError::NotStrided) };

    let device = Device { kind: CPU, number: 0 };
    let rank = i32::try_from(shape.len()).unwrap_or(i32::MAX);
    let null = core::ptr::null_mut();
    let tensor = TensorFields {
        data: null,
        device,
        rank,
        data_type,
        shape: core::ptr::null_mut(),
        strides: core::ptr::null_mut(),
        byte_offset: 0,
    };
    let managed = Managed { version: VERSION, context: null, deleter: Some(delete::<V>), flags, tensor };
    let mut owner = Box::new(Owner { managed, shape, strides, view });
    if !extents.as_ref().contains(&0) {
        let data = first(&mut owner.view);
        if !data.addr().is_multiple_of(leaf.align()) {
            return Err(DlpackError::Unaligned { needed: leaf.align() });
        }
        owner.managed.tensor.data = data;
    }
    owner.managed.tensor.shape = owner.shape.as_mut_ptr();
    owner.managed.tensor.strides = owner.strides.as_mut_ptr();
    let owner = Box::into_raw(owner);
    // SAFETY: the box was made above.
    let managed = unsafe { &raw mut (*owner).managed };
    // SAFETY: as above; nothing else refers to it.
    unsafe { (*managed).context = owner.cast() };
    // SAFETY: a part of a box has an address.
    Ok(DlpackTensor::new(unsafe { NonNull::new_unchecked(managed) }))
}

/// Frees a tensor, and the view that it owns.
///
/// # Safety
///
/// The tensor is one of [`tensor`], for a view of type `V`; nobody uses it any more.
unsafe extern "C" fn delete<V>(managed: *mut Managed) {
    // SAFETY: the tensor is valid until here.
    let owner = unsafe { (*managed).context }.cast::<Owner<V>>();
    // SAFETY: the context is the box that `tensor` made, of which the caller gives up the only owner.
    drop(unsafe { Box::from_raw(owner) });
}
