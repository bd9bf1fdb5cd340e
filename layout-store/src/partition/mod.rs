//! Partitions: a store cut into parts, one for each color.

mod constraint;
mod distribution;
mod error;
mod map;
mod mapper;
mod owned;
mod placement;
mod shape;
mod solution;
mod solver;
mod tiling;

pub use constraint::{Constraint, ImageHint};
pub use distribution::{Distribution, OwnerMap};
pub use error::PartitionError;
pub use map::{OwnMap, PerDimension, TileMap};
pub use mapper::Mapper;
pub(crate) use mapper::NoLocale;
pub(crate) use owned::Cut;
pub(crate) use placement::Placement;
pub use shape::colors_for;
pub use solution::{Fewer, Partition, Single, Solution};
pub(crate) use solver::check_single;
pub use solver::{Access, Argument, solve};
pub use tiling::Tiling;
pub(crate) use tiling::clip;
