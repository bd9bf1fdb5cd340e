//! Walks: closures and iterators over all elements, of one view and of zipped ones, with lanes, over index ranges, and from
//! several threads against those from one.

mod elements;
mod interleaved;
mod iterators;
mod lanes_along;
mod lanes_masked;
#[cfg(feature = "rayon")]
mod parallel;
mod ranges;
mod two_runs;
mod zips;
