//! The guide: one chapter a module, in the order in which they are best read.
//!
//! Every example is compiled and run by `cargo test --doc`.

#[doc = include_str!("guide/getting_started.md")]
pub mod getting_started {}

#[doc = include_str!("guide/records_and_leaves.md")]
pub mod records_and_leaves {}

#[doc = include_str!("guide/layouts.md")]
pub mod layouts {}

#[doc = include_str!("guide/composed_layouts.md")]
pub mod composed_layouts {}

#[doc = include_str!("guide/bit_packing.md")]
pub mod bit_packing {}

#[doc = include_str!("guide/linearizations_and_extents.md")]
pub mod linearizations_and_extents {}

#[doc = include_str!("guide/views_and_slices.md")]
pub mod views_and_slices {}

#[doc = include_str!("guide/traversal_and_lanes.md")]
pub mod traversal_and_lanes {}

#[doc = include_str!("guide/splitting_and_parallel.md")]
pub mod splitting_and_parallel {}

#[doc = include_str!("guide/containers.md")]
pub mod containers {}

#[cfg(feature = "inspect")]
#[doc = include_str!("guide/seeing_layouts.md")]
pub mod seeing_layouts {}

#[cfg(feature = "store")]
#[doc = include_str!("guide/stores.md")]
pub mod stores {}

#[doc = include_str!("guide/bytes_from_outside.md")]
pub mod bytes_from_outside {}

#[doc = include_str!("guide/shipping_binaries.md")]
pub mod shipping_binaries {}

#[doc = include_str!("guide/writing_a_layout.md")]
pub mod writing_a_layout {}

#[cfg(feature = "check")]
#[doc = include_str!("guide/checking_a_layout.md")]
pub mod checking_a_layout {}

#[doc = include_str!("guide/llama.md")]
pub mod llama {}
