//! Operations on whole stores.

mod asked;
mod checks;
mod fill;
mod indirect;
mod scattered;
mod tree;

pub use indirect::IndexOf;
