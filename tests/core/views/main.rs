//! Views: every way to reach an element and memory, the same for every layout.
//!
//! `inline` uses neither heap nor standard library; the other parts own memory.

#[cfg(feature = "alloc")]
mod access;
#[cfg(feature = "alloc")]
mod bulk;
mod extents;
#[cfg(all(feature = "alloc", feature = "half"))]
mod half;
mod inline;
mod large;
#[cfg(feature = "alloc")]
mod mdspan;
#[cfg(feature = "alloc")]
mod memory;
mod operators;
#[cfg(feature = "alloc")]
mod records;
#[cfg(feature = "alloc")]
mod streaming;
mod strides;
mod traits;
