//! The contracts that authors of record layouts, codecs and linearizations implement, and functions for them.
//!
//! The guide's chapters "Writing a layout" and "Writing a linearization" use these names; their traits,
//! [`RecordLayout`](crate::RecordLayout) and [`Linearization`](crate::Linearization), are at the root. Authors also read the
//! tree of a record, in [`record`](crate::record).
//!
//! * Places: [`LeafPlace`], [`Position`], [`BlockLane`], [`REGION_ALIGN`] and [`region_align`]; [`sized!`] and [`placement_of!`] write
//!   constants.
//! * Codecs: [`Codec`], [`Element`], [`BitRange`], [`leaf_bytes`] and [`leaf_from_bytes`]; [`check_value`] asks an inner layout
//!   whether it can store a value. [`Physical`] is the codec of layouts that compute nothing.
//! * Layouts inside a layout: [`Stored`] and [`StoredLeaves`], the record that they store; [`Below`], the layout of a part.
//! * Markers: [`Apart`] and [`Joined`] for the [`Sharing`] of bytes; [`First`], [`Last`] and [`Nowhere`] for the [`Side`] with stride one.
//! * Tests: `check` and `Check` (feature `check`) test whether a layout keeps its promises.
//!
//! # Examples
//!
//! ```
//! use layout::author::LeafPlace;
//! use layout::{AoS, RecordLayout, SoA};
//!
//! // A kernel multiplies the position by these strides.
//! let strides = |places: &[LeafPlace]| [places[0].stride, places[1].stride];
//! assert_eq!(strides(<AoS as RecordLayout<[f32; 2]>>::PLACES), [8, 8]);
//! assert_eq!(strides(<SoA as RecordLayout<[f32; 2]>>::PLACES), [4, 4]);
//! ```

#[doc(inline)]
pub use layout_core::{
    Apart, Below, BitRange, BlockLane, Codec, Element, First, Joined, Last, LeafPlace, Nowhere, Physical, Position,
    REGION_ALIGN, Sharing, Side, Stored, StoredLeaves, check_value, leaf_bytes, leaf_from_bytes, placement_of,
    region_align, sized,
};
#[cfg(feature = "check")]
#[doc(inline)]
pub use layout_core::{Check, check};
