//! Walks: iterators from both ends, and walks from several threads against those from one.

mod iterators;
#[cfg(feature = "rayon")]
mod parallel;
