//! Global arrays
mod array;
mod elements;
mod error;
mod loops;
mod positions;

pub use array::Array;
pub use error::ArrayError;
pub use loops::{Append, Chunk, Loop};
