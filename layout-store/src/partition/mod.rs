//! Partitions: a store cut into parts, one for each colour.

mod constraint;
mod shape;
mod solver;
mod tiling;

pub use constraint::{Constraint, ImageHint};
pub use shape::colors_for;
pub use solver::{Access, Argument, Partition, Plan, Single, solve};
pub use tiling::Tiling;
pub(crate) use tiling::clip;
