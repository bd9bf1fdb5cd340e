//! Global arrays: elements that lie where a distribution says, against lists of them.

mod expressions;
mod halo;
mod maps;
mod scan;
