//! Views and containers of `layout-dsl` as arrays, record batches and files of other libraries, and back. Each module needs the feature
//! of its name.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "dlpack")]
pub mod dlpack;
#[doc(hidden)]
pub mod integers;
#[cfg(any(feature = "dlpack", feature = "ndarray"))]
mod named;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "npy")]
pub mod npy;
#[cfg(feature = "npy-format")]
#[doc(hidden)]
pub mod npy_format;
