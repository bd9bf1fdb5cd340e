//! Files of elements: headers of `.npy` files, and the places of boxes of elements in a file.
//!
//! Elements follow one another, the last dimension fastest, each as its leaves without padding. A file of raw bytes has nothing else. A
//! `.npy` file has a header before the elements, and may have another order of dimensions and leaves.

mod blocks;
mod dtype;
mod error;
mod header;
mod literal;

pub(crate) use blocks::{Extents, blocks, runs, widened};
pub(crate) use dtype::{Dtype, Moved};
pub use error::FileError;
pub(crate) use header::Header;
