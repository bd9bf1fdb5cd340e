//! Geometry: points, rectangles, runs, ranks, transforms and dimension orderings. This module does not know stores.

mod boxes;
mod error;
mod grid;
mod list;
mod marks;
mod maximal;
mod ordering;
mod point;
mod progression;
mod rank;
mod rect;
mod runs;
mod transform;

pub(crate) use boxes::{Boxes, push_one};
pub use error::{OrderingError, StoreIndexError, TransformError};
pub(crate) use error::{count, dimensions};
pub(crate) use grid::{Grid, Side, Sides};
pub(crate) use list::BoxList;
pub(crate) use marks::Marks;
pub(crate) use maximal::{MOST_BOXES, maximal};
pub use ordering::DimOrdering;
pub use point::{MAX_RANK, Point};
pub(crate) use progression::Progression;
pub(crate) use rank::point_of;
pub(crate) use rank::sealed::Sealed;
pub use rank::{Coordinate, Coordinates, Delinearizable, DynRank, IntoShape, Projectable, Promotable, StoreRank};
pub use rect::Rect;
pub(crate) use runs::{RunList, Runs, for_each_batch, runs_in};
pub use transform::{Bound, Step, Transform};
