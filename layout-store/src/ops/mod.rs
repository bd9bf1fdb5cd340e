//! Operations on whole stores.

mod checks;
mod fill;
mod indirect;
mod tree;

pub use indirect::IndexOf;
