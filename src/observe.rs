//! Observers of views: traces that count the uses of each leaf, heat maps, and observers of your own.
//!
//! * `Trace` counts in `Uses`, with `LeafUses` for each leaf. `Heat` counts for blocks of bytes.
//! * An [`Observer`] is called with each use, [`Noted`], which is a read or a write ([`Use`]).
//! * [`Observed`] are the blobs of a view with an observer, and [`ObservedAddress`] is their address.
//!
//! # Examples
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use layout::observe::Uses;
//! use layout::{SoA, alloc};
//!
//! let mut view = alloc::<[f32; 2], SoA, _>(10)?.trace();
//! view.at_mut(3).at_mut(1).set(1.0);
//! let uses: Uses = view.observer().uses();
//! assert_eq!((uses.leaves()[0].writes, uses.leaves()[1].writes), (0, 1));
//! # Ok::<(), layout::ViewError>(())
//! ```

#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::{Heat, LeafUses, Trace, Uses};
#[doc(inline)]
pub use layout_core::{Noted, Observed, ObservedAddress, Observer, Use};
