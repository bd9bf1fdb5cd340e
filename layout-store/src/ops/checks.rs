//! Checks of copies before their launch.

use crate::error::StoreError;
use crate::geometry::Point;
use crate::store::Store;

/// Returns an error if two stores that a copy walks together have different extents.
pub(crate) fn check_extents(what: &'static str, first: Point, second: Point) -> Result<(), StoreError> {
    if first == second { Ok(()) } else { Err(StoreError::Extents { what, extents: Box::new([first, second]) }) }
}

/// Returns an error if two stores of a copy have elements in common.
pub(crate) fn check_disjoint<R, S, D, E, K, L>(to: &Store<R, D, K>, from: &Store<S, E, L>) -> Result<(), StoreError> {
    if to.volume() > 0 && from.volume() > 0 && to.overlaps(from) { Err(StoreError::Onto) } else { Ok(()) }
}
