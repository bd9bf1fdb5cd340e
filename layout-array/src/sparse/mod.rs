//! Sparse arrays: elements at some of the indices of a domain.
//!
//! ```text
//! indices      the indices of the elements of a locale, sorted, and on no other locale; of the others, only their number
//! elements     one after another, of the first locale first: an array of one dimension, in parts of unequal lengths
//! tiles        whole rows, so that the threads of a locale share its part, and the sum of a row is one task's
//! ```

mod array;
mod change;
mod indices;
mod loops;
mod product;

pub use array::SparseArray;
pub use loops::{SparseChunk, SparseLoop};
