//! Layouts chosen at run time: a list of layouts by name, and tasks that run in each of them.
//!
//! # Examples
//!
//! ```
//! use layout::choice::{LayoutList, layouts};
//! use layout::{AoS, SoA};
//!
//! layouts! { struct Layouts of [f32; 3] = [AoS, SoA]; }
//! assert_eq!(Layouts::NAMES, ["AoS", "SoA"]);
//! ```

#[doc(inline)]
pub use layout_core::{LayoutList, LayoutTask, layouts};
