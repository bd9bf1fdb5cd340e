//! The memory of stores: where it is, who holds which box of it, and how much there may be. All unsafe code of the crate is
//! here.

mod backing;
mod budget;
mod error;
mod file_bytes;
mod form;
mod region;
mod strides;
mod walk;

pub use backing::StoreTarget;
pub(crate) use backing::{Lent, Memory, Take, lend};
pub(crate) use budget::{Budget, Charge};
pub use error::MemoryError;
pub use file_bytes::FileBytes;
pub(crate) use form::Form;
pub(crate) use region::{Hold, Region};
pub use region::{Tile, TileMapping, TileMut};
pub(crate) use walk::{row_major, set_row_major, try_row_major};
