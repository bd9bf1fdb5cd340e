//! Tensors as views.

use core::fmt;

use layout_core::{
    Bytes, BytesMut, Dim, DynExtents, Extents, IndexArray, Leaf, Mapped, Rank, Record, Region, Strided, View,
};
use layout_mappings::AoS;

use super::abi::{CPU, DataType};
use super::error::DlpackError;
use super::tensor::DlpackTensor;

/// The mapping of a tensor with elements `T` and `N` dimensions.
type TensorMapping<T, const N: usize> = Mapped<T, DynExtents<N>, AoS, Strided<Dim<N>>>;

/// The memory of a tensor, as the blob of a view. Dropping it frees the tensor.
///
/// # Examples
///
/// ```
/// use layout::interop::dlpack::{into_tensor, view_of_tensor};
/// use layout::prelude::*;
///
/// let view = view_of_tensor::<u8, 1>(into_tensor(alloc::<u8, SoA, _>(4)?, layout::paths::<u8>())?)?;
/// assert_eq!(format!("{:?}", view.into_blobs().into_inner()), "4 bytes of a tensor");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TensorBytes {
    /// The lowest element.
    start: *mut u8,
    len: usize,
    #[expect(dead_code, reason = "keeps the memory")]
    tensor: DlpackTensor,
}

impl fmt::Debug for TensorBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of a tensor", self.len)
    }
}

// SAFETY: the bytes from the lowest to the highest element of a valid tensor are initialized, lie outside this value, and nobody writes to
// them as long as the tensor is not freed, as `DlpackTensor::from_raw` asks; tensors of this crate own a view of which the same holds.
unsafe impl Bytes for TensorBytes {
    const MUTABLE: bool = false;

    fn as_ptr(&self) -> *const u8 {
        self.start
    }

    fn len(&self) -> usize {
        self.len
    }
}

/// The memory of a tensor that may be written, as the blob of a mutable view.
///
/// # Examples
///
/// See [`view_mut_of_tensor`].
#[derive(Debug)]
pub struct TensorBytesMut(TensorBytes);

// SAFETY: as for `TensorBytes`.
unsafe impl Bytes for TensorBytesMut {
    const MUTABLE: bool = true;

    fn as_ptr(&self) -> *const u8 {
        self.0.start
    }

    fn len(&self) -> usize {
        self.0.len
    }
}

// SAFETY: the bytes are those of `Bytes`. The tensor is not read-only, so nobody else reaches them, as `DlpackTensor::from_raw` asks.
unsafe impl BytesMut for TensorBytesMut {
    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.start
    }
}

/// The view of a tensor with elements `T` and `N` dimensions. The tensor is freed with the view.
///
/// # Errors
///
/// Returns an error if the tensor has other elements, another number of dimensions or an impossible shape, is not in main memory or not
/// aligned, or has bytes that are no value of `T`.
///
/// # Complexity
///
/// Constant if every bit pattern is a value of `T`; otherwise linear in the number of elements. No element is copied.
///
/// # Examples
///
/// See the [module](super).
#[expect(clippy::type_complexity, reason = "the names of the parts tell more than another name")]
pub fn view_of_tensor<T, const N: usize>(
    tensor: DlpackTensor,
) -> Result<View<Mapped<T, DynExtents<N>, AoS, Strided<Dim<N>>>, Region<TensorBytes>>, DlpackError>
where
    T: Leaf + Record,
    [usize; N]: IndexArray<Dim = Dim<N>, Strides = [isize; N]>,
    Dim<N>: Rank<Array = [usize; N]>,
{
    let (mapping, bytes) = parts::<T, N>(tensor)?;
    Ok(View::from_bytes(mapping, bytes)?)
}

/// The mutable view of a tensor; see [`view_of_tensor`].
///
/// # Errors
///
/// Returns an error in the cases of [`view_of_tensor`], if the tensor is read-only, or if two of its indices share an element.
///
/// # Examples
///
/// ```
/// use layout::interop::dlpack::{into_tensor, view_mut_of_tensor};
/// use layout::prelude::*;
///
/// let tensor = into_tensor(alloc::<u8, SoA, _>([2, 3])?, layout::paths::<u8>())?;
/// let mut view = view_mut_of_tensor::<u8, 2>(tensor)?;
/// view.set([1, 2], 7);
/// assert_eq!(view.to_vec(), [0, 0, 0, 0, 0, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(clippy::type_complexity, reason = "the names of the parts tell more than another name")]
pub fn view_mut_of_tensor<T, const N: usize>(
    tensor: DlpackTensor,
) -> Result<View<Mapped<T, DynExtents<N>, AoS, Strided<Dim<N>>>, Region<TensorBytesMut>>, DlpackError>
where
    T: Leaf + Record,
    [usize; N]: IndexArray<Dim = Dim<N>, Strides = [isize; N]>,
    Dim<N>: Rank<Array = [usize; N]>,
{
    if tensor.is_read_only() {
        return Err(DlpackError::ReadOnly);
    }
    let (mapping, bytes) = parts::<T, N>(tensor)?;
    Ok(View::from_bytes(mapping, TensorBytesMut(bytes))?)
}

/// The mapping and the memory of a tensor.
fn parts<T, const N: usize>(tensor: DlpackTensor) -> Result<(TensorMapping<T, N>, TensorBytes), DlpackError>
where
    T: Leaf + Record,
    [usize; N]: IndexArray<Dim = Dim<N>, Strides = [isize; N]>,
    Dim<N>: Rank<Array = [usize; N]>,
{
    let fields = &tensor.managed().tensor;
    if fields.device.kind != CPU {
        return Err(DlpackError::Device { kind: fields.device.kind });
    }
    let expected = DataType::of::<T>().ok_or(DlpackError::Leaf { leaf: core::any::type_name::<T>() })?;
    if fields.data_type != expected {
        return Err(DlpackError::DataType { found: fields.data_type.shown(), expected: expected.shown() });
    }
    let invalid = |why: &str| DlpackError::Invalid { why: why.to_owned() };
    let shape = tensor.shape();
    if shape.len() != N {
        return Err(DlpackError::TensorRank { shape: shape.to_vec(), rank: N });
    }
    let (mut extents, mut strides) = ([0; N], [0_isize; N]);
    for (extent, given) in extents.iter_mut().zip(shape) {
        *extent = usize::try_from(*given).map_err(|_| invalid("an extent is negative"))?;
    }
    let is_empty = extents[..].contains(&0);
    let mut next = 1_i64;
    for dimension in (0..N).rev() {
        let stride = tensor.strides().map_or(next, |strides| strides[dimension]);
        // No step is taken along a dimension of one index, and none at all without elements.
        if !is_empty && extents[dimension] > 1 {
            strides[dimension] = isize::try_from(stride).map_err(|_| invalid("a stride is too large"))?;
        }
        next = next.saturating_mul(shape[dimension]);
    }

    // The distances of the lowest and the highest element from the first one.
    let (mut below, mut above) = (0_usize, 0_usize);
    for (extent, stride) in extents.iter().zip(strides) {
        let reach = extent.saturating_sub(1).checked_mul(stride.unsigned_abs());
        let side = if stride < 0 { &mut below } else { &mut above };
        let sum = reach.and_then(|reach| side.checked_add(reach));
        *side = sum.ok_or_else(|| invalid("its strides reach beyond any memory"))?;
    }
    let size = size_of::<T>();
    let count = below.checked_add(above).and_then(|count| count.checked_add(usize::from(!is_empty)));
    let len = count.and_then(|count| count.checked_mul(size)).filter(|len| isize::try_from(*len).is_ok());
    let len = len.ok_or_else(|| invalid("its strides reach beyond any memory"))?;
    let start = if is_empty {
        core::ptr::without_provenance_mut(align_of::<T>())
    } else if fields.data.is_null() {
        return Err(invalid("it has elements and no address"));
    } else {
        let offset = usize::try_from(fields.byte_offset).map_err(|_| invalid("its offset is too large"))?;
        fields.data.cast::<u8>().wrapping_add(offset).wrapping_sub(below * size)
    };
    let extents = DynExtents::<N>::from_array(extents)?;
    let mapping = TensorMapping::<T, N>::with(extents, AoS::default(), Strided::new(below, strides))?;
    Ok((mapping, TensorBytes { start, len, tensor }))
}
