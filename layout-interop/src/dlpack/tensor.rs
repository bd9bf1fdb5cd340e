//! The owner of a tensor.

use core::ffi::c_void;
use core::fmt;
use core::ptr::NonNull;

use super::abi::{Managed, READ_ONLY, VERSION};
use super::error::DlpackError;

/// A tensor of DLPack, which is freed when this value is dropped.
///
/// # Examples
///
/// See the [module](super).
#[repr(transparent)]
pub struct DlpackTensor(NonNull<Managed>);

impl DlpackTensor {
    /// Takes the tensor at an address, a `DLManagedTensorVersioned` of C. A tensor of an unknown version is freed.
    ///
    /// # Errors
    ///
    /// Returns an error if the version is unknown, or if the tensor has a negative number of dimensions or no shape.
    ///
    /// # Safety
    ///
    /// The address is that of a valid tensor, which the caller owns and hands over: the deleter may be called once, from this thread or,
    /// if the caller moves the value to a thread by means of its own, from that thread.
    ///
    /// Until then, all bytes from the lowest element to the highest one are initialized and readable, and nobody writes to them. If the
    /// tensor is not read-only, nobody else reads them either while a view of [`view_mut_of_tensor`](super::view_mut_of_tensor) exists, and
    /// all of them may hold any values afterwards: a view writes its elements only, but its bytes can be reached, also those between
    /// elements. For one column of structs with leaves such as `bool` or pointers, hand over a tensor that is read-only.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::ffi::c_void;
    /// use core::ptr::NonNull;
    ///
    /// use layout::interop::dlpack::{DlpackTensor, into_tensor, view_of_tensor};
    /// use layout::prelude::*;
    ///
    /// /// The sum of a tensor of another language.
    /// ///
    /// /// # Safety
    /// ///
    /// /// The caller hands over a valid tensor, which nobody writes.
    /// unsafe extern "C" fn sum(tensor: *mut c_void) -> f64 {
    ///     let Some(tensor) = NonNull::new(tensor) else { return f64::NAN };
    ///     // SAFETY: the caller promises it.
    ///     let tensor = unsafe { DlpackTensor::from_raw(tensor) };
    ///     let view = tensor.and_then(view_of_tensor::<f64, 1>);
    ///     view.map_or(f64::NAN, |view| view.values().sum())
    /// }
    /// let tensor = into_tensor(alloc_from_fn::<f64, SoA, _>(4, |[i]| i as f64)?, layout::paths::<f64>())?;
    /// // SAFETY: the tensor is given away here.
    /// assert_eq!(unsafe { sum(tensor.into_raw().as_ptr()) }, 6.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn from_raw(tensor: NonNull<c_void>) -> Result<Self, DlpackError> {
        // From here on the tensor is freed, whatever is found.
        let owner = Self(tensor.cast());
        // SAFETY: the tensor is valid; each version starts with its number.
        let version = unsafe { tensor.cast::<super::abi::Version>().read() };
        if version.major != VERSION.major {
            return Err(DlpackError::Version { major: version.major, minor: version.minor });
        }
        let tensor = &owner.managed().tensor;
        if tensor.rank < 0 || tensor.rank > 0 && tensor.shape.is_null() {
            return Err(DlpackError::Invalid { why: format!("it has {} dimensions and no shape", tensor.rank) });
        }
        Ok(owner)
    }

    /// The owner of a tensor that this crate made.
    pub(super) fn new(tensor: NonNull<Managed>) -> Self {
        Self(tensor)
    }

    /// Gives the tensor away, as the address of a `DLManagedTensorVersioned`. The receiver calls the deleter.
    ///
    /// # Examples
    ///
    /// See the [module](super).
    #[must_use = "the tensor is never freed, unless somebody calls its deleter"]
    pub fn into_raw(self) -> NonNull<c_void> {
        core::mem::ManuallyDrop::new(self).0.cast()
    }

    /// The tensor, as C has it.
    pub(super) fn managed(&self) -> &Managed {
        // SAFETY: the tensor is valid until it is freed, which takes this value.
        unsafe { self.0.as_ref() }
    }

    /// The extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::interop::dlpack::into_tensor;
    /// use layout::prelude::*;
    ///
    /// let tensor = into_tensor(alloc::<f32, SoA, _>([3, 4])?, layout::paths::<f32>())?;
    /// assert_eq!(tensor.shape(), [3, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        self.numbers(self.managed().tensor.shape).unwrap_or(&[])
    }

    /// The distances of neighbors along each dimension, in elements; `None` for row-major order.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::interop::dlpack::into_tensor;
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Record)]
    /// struct Pixel { red: f32, green: f32 }
    ///
    /// // Records of two numbers lie in rows of four.
    /// let tensor = into_tensor(alloc::<Pixel, AoS, _>([3, 4])?, Pixel::PATHS.green)?;
    /// assert_eq!(tensor.strides(), Some(&[8, 2][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn strides(&self) -> Option<&[i64]> {
        self.numbers(self.managed().tensor.strides)
    }

    /// Returns `true` if the elements must not be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use layout::interop::dlpack::{into_tensor, share_tensor};
    /// use layout::prelude::*;
    ///
    /// let line = alloc::<u8, SoA, _>(4)?;
    /// let shared = Arc::new(line.clone());
    /// assert!(share_tensor(shared, layout::paths::<u8>())?.is_read_only());
    /// assert!(!into_tensor(line, layout::paths::<u8>())?.is_read_only());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.managed().flags & READ_ONLY != 0
    }

    /// As many numbers as there are dimensions.
    fn numbers(&self, first: *const i64) -> Option<&[i64]> {
        let rank = usize::try_from(self.managed().tensor.rank).ok()?;
        if first.is_null() {
            return None;
        }
        // SAFETY: a valid tensor has a number for each dimension there, until it is freed.
        Some(unsafe { core::slice::from_raw_parts(first, rank) })
    }
}

impl Drop for DlpackTensor {
    fn drop(&mut self) {
        // SAFETY: the deleter lies at the same place in each version.
        let deleter = unsafe { (*self.0.as_ptr()).deleter };
        if let Some(deleter) = deleter {
            // SAFETY: this value owns the tensor, and calls the deleter once.
            unsafe { deleter(self.0.as_ptr()) };
        }
    }
}

impl fmt::Debug for DlpackTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data_type = self.managed().tensor.data_type.shown();
        write!(f, "DlpackTensor of {data_type} with shape {:?} and strides {:?}", self.shape(), self.strides())
    }
}
