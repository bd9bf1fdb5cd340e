//! Walks: closures and iterators over all elements, of one view and of zipped ones, and over index ranges.

mod elements;
mod iterators;
mod ranges;
mod zips;
