//! Files of elements: what the header of a `.npy` file says, and where boxes of elements lie in a file.
//!
//! Elements lie one after another, the last dimension fastest, each as its leaves without padding: a file of raw bytes is that and
//! nothing else, a `.npy` file has a header before it, and may have the dimensions and the leaves in another order.

mod blocks;
mod dtype;
mod error;
mod header;
mod literal;

pub(crate) use blocks::{Extents, blocks, runs, widened};
pub(crate) use dtype::{Dtype, Moved};
pub use error::FileError;
pub(crate) use header::Header;
