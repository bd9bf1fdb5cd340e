//! Tensors that the tests make themselves, with the structs of C.

use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use layout::interop::dlpack::{DlpackError, DlpackTensor};

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub(crate) struct Managed {
    pub(crate) version: [u32; 2],
    pub(crate) context: *mut c_void,
    pub(crate) deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    pub(crate) flags: u64,
    pub(crate) data: *mut c_void,
    pub(crate) device: [i32; 2],
    pub(crate) rank: i32,
    pub(crate) data_type: (u8, u8, u16),
    pub(crate) shape: *mut i64,
    pub(crate) strides: *mut i64,
    pub(crate) byte_offset: u64,
}

/// The owner of a tensor of the tests.
struct Owner {
    shape: Vec<i64>,
    strides: Option<Vec<i64>>,
    #[expect(dead_code, reason = "keeps the memory")]
    data: Vec<u8>,
    freed: Arc<AtomicUsize>,
}

unsafe extern "C" fn delete(tensor: *mut Managed) {
    // SAFETY: the tests make tensors by `tensor` only.
    let tensor = unsafe { Box::from_raw(tensor) };
    // SAFETY: as above.
    let owner = unsafe { Box::from_raw(tensor.context.cast::<Owner>()) };
    owner.freed.fetch_add(1, Ordering::Relaxed);
}

/// The number of tensors that were freed.
#[derive(Clone, Default)]
pub(crate) struct Freed(Arc<AtomicUsize>);

impl Freed {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// A tensor of 32-bit integers, changed by `change`.
pub(crate) fn tensor(
    freed: &Freed,
    numbers: &[i32],
    (shape, strides): (&[i64], Option<&[i64]>),
    change: impl FnOnce(&mut Managed),
) -> Result<DlpackTensor, DlpackError> {
    let mut data: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    // The elements of a `Vec` of bytes are not aligned by type; allocators align them.
    assert!(data.as_ptr().addr().is_multiple_of(4));
    let first = data.as_mut_ptr().cast();
    let mut owner =
        Box::new(Owner { shape: shape.to_vec(), strides: strides.map(<[i64]>::to_vec), data, freed: freed.0.clone() });
    let mut managed = Box::new(Managed {
        version: [1, 3],
        context: null_mut(),
        deleter: Some(delete),
        flags: 0,
        data: first,
        device: [1, 0],
        rank: i32::try_from(shape.len()).unwrap(),
        data_type: (0, 32, 1),
        shape: owner.shape.as_mut_ptr(),
        strides: owner.strides.as_mut().map_or(null_mut(), |strides| strides.as_mut_ptr()),
        byte_offset: 0,
    });
    managed.context = Box::into_raw(owner).cast();
    change(&mut managed);
    let raw = NonNull::new(Box::into_raw(managed)).unwrap();
    // SAFETY: the tensor is valid, or `from_raw` sees that it is not.
    unsafe { DlpackTensor::from_raw(raw.cast()) }
}
