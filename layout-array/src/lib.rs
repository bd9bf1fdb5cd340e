//! Global arrays
mod agree;
mod array;
mod elements;
mod error;
mod halo;
mod hashed;
mod loops;
mod positions;
mod sparse;

pub use array::Array;
pub use error::ArrayError;
pub use halo::HaloArray;
pub use hashed::HashedArray;
pub use loops::{Append, Chunk, Loop};
pub use sparse::{SparseArray, SparseChunk, SparseLoop};
