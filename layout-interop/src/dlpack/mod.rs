//! Leaves of views as tensors of [DLPack](https://dmlc.github.io/dlpack/latest/), and back, without a copy.
//!
//! DLPack is the C interface by which NumPy, PyTorch, JAX and other libraries hand arrays to one another: an address, a shape, strides and
//! a function that frees the memory. This module has version 1, whose tensors say whether they may be written.
//!
//! | From | To | Function | Tensor |
//! |---|---|---|---|
//! | a leaf of a view that owns its memory | tensor that owns the view | [`into_tensor`] | may be written |
//! | a leaf of a view in an `Arc` | tensor that holds the `Arc` | [`share_tensor`] | read-only |
//! | tensor in main memory | view that owns the tensor | [`view_of_tensor`] | |
//! | tensor that may be written | mutable view that owns the tensor | [`view_mut_of_tensor`] | |
//!
//! The elements of the leaf must be equally far apart along each dimension, by a multiple of their size: those of `SoA`, of `AoSoA` for records of
//! one leaf, of `AoS` where the size of the record is such a multiple, and of all slices and orders with constant strides, negative ones too. Other views are copied
//! first, to a view of one leaf.
//!
//! ```
//! use layout::interop::dlpack::{DlpackError, DlpackTensor, into_tensor, view_of_tensor};
//! use layout::prelude::*;
//!
//! #[derive(Clone, Copy, Record)]
//! struct Pixel { red: f32, green: f32 }
//!
//! let image = alloc_from_fn::<Pixel, AoS, _>([3, 4], |[i, j]| Pixel { red: i as f32, green: j as f32 })?;
//! let green = into_tensor(image, Pixel::PATHS.green)?;
//! assert_eq!((green.shape(), green.strides()), (&[3, 4][..], Some(&[8, 2][..])));
//!
//! // The pointer of a capsule `dltensor_versioned` of Python; another library would take it.
//! let pointer = green.into_raw();
//! // SAFETY: the tensor was made above, and has no other owner.
//! let green = unsafe { DlpackTensor::from_raw(pointer)? };
//! assert_eq!(view_of_tensor::<f32, 2>(green)?.get([2, 3]), 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Leaves
//!
//! Integers of 8 to 64 bits, `f16`, `bf16`, `f32`, `f64` and `bool` have a type in DLPack. A view of a `bool` tensor is refused if a byte is
//! neither 0 nor 1.

mod abi;
mod error;
mod export;
mod import;
mod tensor;

pub use error::DlpackError;
pub use export::{into_tensor, share_tensor};
pub use import::{TensorBytes, TensorBytesMut, view_mut_of_tensor, view_of_tensor};
pub use tensor::DlpackTensor;
