//! Files of elements: headers of `.npy` files, and the places of boxes of elements in a file. Types and literals of headers are those of
//! `layout-interop`.
//!
//! Elements follow one another, the last dimension fastest, each as its leaves without padding. A file of raw bytes has nothing else. A
//! `.npy` file has a header before the elements, and may have another order of dimensions and leaves.

mod blocks;
mod error;
mod header;

pub(crate) use blocks::{Extents, blocks, runs, widened};
pub use error::FileError;
pub(crate) use header::Header;
pub(crate) use layout_interop::npy_format::{Dtype, Moved};
