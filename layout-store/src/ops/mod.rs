//! Operations on whole stores.

mod fill;
mod indirect;

pub use indirect::{IndexError, IndexOf};
