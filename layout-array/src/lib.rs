//! Global arrays
mod array;
mod count;
mod elements;
mod error;
mod expressions;
mod halo;
mod loops;
mod ordered;
mod positions;
mod rearrange;
mod scan;

pub use array::Array;
pub use error::ArrayError;
pub use halo::HaloArray;
pub use loops::{Append, Chunk, Loop};
pub use scan::Scan;
