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
mod product;
mod rearrange;
mod replicas;
mod scan;
mod sort;
mod text;

pub use array::Array;
pub use error::ArrayError;
pub use halo::HaloArray;
pub use loops::{Append, Chunk, Loop};
pub use product::MatrixElement;
pub use replicas::Replicas;
pub use scan::Scan;
pub use sort::SortReport;
