//! Stores of `layout-dsl`: arrays of records that may be larger than one memory, seen through transforms, cut into
//! partitions, and computed on by tasks.
//!
//! ```text
//! point, rect          where: indices, and boxes of them
//! transform            a view of a store: promote, broadcast, project, slice, transpose, delinearize
//! ordering             which dimension lies fastest in memory, seen through a transform
//! partition            tiles; constraints between the tiles of several stores, and their solution
//! ```

mod error;
mod ordering;
mod partition;
mod point;
mod rect;
mod transform;

pub use error::{OrderingError, PartitionError, TransformError};
pub use ordering::DimOrdering;
pub use partition::{Access, Argument, Constraint, ImageHint, Partition, Plan, Single, Tiling, colors_for, solve};
pub use point::{MAX_RANK, Point};
pub use rect::Rect;
pub use transform::{Bound, Step, Transform};
