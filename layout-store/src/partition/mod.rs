//! Partitions: a store cut into parts, one for each colour.

mod constraint;
mod distribution;
mod error;
mod plan;
mod shape;
mod solver;
mod tiling;

pub use constraint::{Constraint, ImageHint};
pub use distribution::Distribution;
pub use error::PartitionError;
pub use plan::{Fewer, Partition, Plan, Single};
pub use shape::colors_for;
pub use solver::{Access, Argument, solve};
pub use tiling::Tiling;
pub(crate) use tiling::clip;
