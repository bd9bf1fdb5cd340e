//! The memory of stores: its place, the holds on boxes of it, and its limit. All unsafe code of the crate is in this module.

mod backing;
mod budget;
mod error;
mod file_bytes;
mod form;
mod region;
mod strides;
mod walk;

pub use backing::StoreTarget;
pub(crate) use backing::{FEW_BYTES, Lent, Memory, Take, lend};
pub(crate) use budget::{Budget, Charge};
pub use error::MemoryError;
pub use file_bytes::FileBytes;
pub(crate) use form::Form;
pub(crate) use region::{Boxed, Hold, Region, Room};
pub use region::{Tile, TileMapping, TileMut};
pub(crate) use walk::{row_major, set_row_major, try_row_major};
