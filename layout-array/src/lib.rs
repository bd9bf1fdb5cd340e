//! Global arrays
mod array;
mod elements;
mod error;
mod halo;
mod loops;
mod positions;

pub use array::Array;
pub use error::ArrayError;
pub use halo::HaloArray;
pub use loops::{Append, Chunk, Loop};
