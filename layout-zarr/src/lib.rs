//! Checkpoints of the stores of `layout-dsl`.

mod agreement;
mod arrays;
mod checkpoint;
mod chunks;
mod error;
mod folder;
mod leaf;
mod manifest;
mod restored;
mod saved;

pub use checkpoint::Checkpoint;
pub use error::CheckpointError;
pub use restored::Restored;
