//! Walks: iterators from both ends, index ranges, and walks from several threads against those from one.

mod iterators;
#[cfg(feature = "rayon")]
mod parallel;
mod ranges;
