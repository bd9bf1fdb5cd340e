//! Operations on whole stores.

mod fill;
mod indirect;
mod tree;

pub use indirect::{IndexError, IndexOf};
