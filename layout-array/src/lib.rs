//! Global arrays
mod array;
mod elements;
mod error;
mod halo;
mod loops;
mod positions;
mod replicas;
mod text;

pub use array::Array;
pub use error::ArrayError;
pub use halo::HaloArray;
pub use loops::{Append, Chunk, Loop};
pub use replicas::Replicas;
