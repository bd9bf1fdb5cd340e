//! Iterators over views and containers, and zips of views.
//!
//! * Views: [`Iter`] and [`IterMut`], which are names of [`IterOf`].
//! * Several views: [`Zip`], iterated over by [`IterOf`] and made from [`Zipped`], a tuple with a [`Part`] for each view.
//! * Containers: `Values`, `IntoValues` and `Drain` of a `RecordVec`, `Lists` of a `Jagged`.
//!
//! # Examples
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use layout::iter::Values;
//! use layout::{RecordVec, SoA};
//!
//! /// The values from the first positive one on.
//! struct FromPositive<'a>(std::iter::SkipWhile<Values<'a, f32, SoA>, fn(&f32) -> bool>);
//!
//! let samples: RecordVec<f32, SoA> = [-1.0, 2.0, -3.0].into();
//! let rest = FromPositive(samples.values().skip_while(|value| *value <= 0.0));
//! assert_eq!(rest.0.collect::<Vec<_>>(), [2.0, -3.0]);
//! ```

#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::{Drain, IntoValues, Lists, Values};
#[doc(inline)]
pub use layout_core::{Iter, IterMut, IterOf, Part, Zip, Zipped};
