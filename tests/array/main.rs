//! Global arrays: elements that lie where a distribution says, against lists of them.

mod halo;
mod hashed;
mod sparse;
