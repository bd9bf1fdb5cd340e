//! Operations on whole stores.

mod asked;
mod checks;
mod files;
mod fill;
mod indirect;
mod scattered;
mod tree;

pub(crate) use files::npy_header;
pub use indirect::IndexOf;
