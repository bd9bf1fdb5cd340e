//! Numbers as types: lanes, alignments and bits that generic code computes from a record.
//!
//! Stable Rust cannot compute a const parameter from a type parameter; a [`Constant`] is a type instead.
//!
//! * Numbers: [`MostLanes`], [`LeastLanes`], and types of your own that implement [`Constant`].
//! * Layouts: [`AoSoABy`] is [`AoSoA`](crate::AoSoA), [`AlignBy`] is [`AlignTo`](crate::options::AlignTo), and [`BitsBy`] is
//!   [`Bits`](crate::bits::Bits), of such a number.
//! * Kernels: [`with_lanes`] runs a [`LanesTask`] with this number of lanes.
//!
//! # Examples
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use layout::constant::{AoSoABy, MostLanes};
//! use layout::{Alloc, Mapping, Record, ViewError, ViewOf, most_lanes};
//!
//! fn blocks<R: Record>(count: usize) -> Result<ViewOf<R, 1, AoSoABy<MostLanes<R>>>, ViewError> {
//!     R::alloc::<AoSoABy<MostLanes<R>>>(count)
//! }
//!
//! let lanes = most_lanes::<[f32; 2]>();
//! assert_eq!(blocks::<[f32; 2]>(1000)?.mapping().place_of([lanes], 0).offset, 8 * lanes);
//! # Ok::<(), ViewError>(())
//! ```

#[doc(inline)]
pub use layout_core::{Constant, LanesTask, LeastLanes, MostLanes, with_lanes};
#[doc(inline)]
pub use layout_mappings::{AlignBy, AoSoABy, BitsBy};
