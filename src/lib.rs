//! [guide]: crate::guide
//! [layouts]: crate::guide::layouts
//! [linearizations]: crate::guide::linearizations_and_extents
//! [lanes]: crate::guide::traversal_and_lanes
//! [figures]: crate::guide::figures
//! [examples]: crate::guide::examples
//! [features]: crate::guide::features
//! [other]: crate::guide::other_libraries
//! [shipping]: crate::guide::shipping_binaries
//! [glossary]: crate::guide::glossary
//! [flow]: ../../../examples/lattice_boltzmann/flow.png
//! [tests]: ../../../tests/README.md
//! [architecture]: ../../../ARCHITECTURE.md
//! [safety]: ../../../SAFETY.md
//! [mit]: ../../../LICENSE-MIT
//! [apache]: ../../../LICENSE-APACHE
#![cfg_attr(
    all(feature = "arrow", feature = "dlpack", feature = "ndarray", feature = "npy"),
    doc = "[inout]: crate::guide::in_and_out"
)]
#![cfg_attr(feature = "inspect", doc = "[which]: crate::guide::which_layout")]
#![cfg_attr(feature = "domain", doc = "[domains]: crate::guide::domains")]
#![cfg_attr(feature = "store", doc = "[stores]: crate::guide::stores")]
#![cfg_attr(feature = "store", doc = "[many]: crate::guide::locales")]
#![cfg_attr(feature = "array", doc = "[arrays]: crate::guide::arrays")]
#![cfg_attr(feature = "std", doc = "")]
#![cfg_attr(feature = "std", doc = include_str!("../README.md"))]
#![cfg_attr(not(feature = "std"), doc = "\nChoose, by one type, where every field of every element lies in memory.")]
//!
//! # These pages
//!
//! * [`prelude`]: the names that most programs need, in one `use`.
//! * `guide`: the chapters, from a first view to a layout of your own, and a glossary. All code in them is tested.
//! * [`View`]: elements in memory. Nearly all operations on elements are its methods.
//! * [`Record`](macro@Record): the derive; [`Record`](trait@Record): the trait that it implements.
//! * [`AoS`], [`SoA`], [`AoSoA`]: the layouts. [`RowMajor`], [`ColMajor`], [`Ordered`], [`PaddedRows`], [`Tiled`],
//!   [`Morton`], [`Strided`], [`Permuted`]: the linearizations. [`Mapped`] joins both with extents.
//! * Further layouts: [`options`] of `AoS` and `SoA`, layouts [`composed`] of others, packed [`bits`], and the `choice` of a
//!   layout at run time.
//! * [`constant`]: lanes, alignments and bits that generic code computes from a record.
//! * Types for signatures and fields of structs: [`blob`], [`columns`], [`index`], [`iter`](mod@iter), [`part`], [`slot`], [`error`].
//! * [`record`](mod@record) and [`author`]: the tree of a record, and the contracts for layouts of your own.
//!   [`observe`]: the uses of each leaf, counted.
#![cfg_attr(not(feature = "std"), no_std)]
// Docs.rs documents with a nightly compiler, which names the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

// The first lines above define the targets of the README's links in these pages: of two definitions the first counts.

// The derive names this crate `::layout`, also inside this crate, in the doctests of this file.
extern crate self as layout;

// Rooms: each name that is not at the root is in one of them. `cargo xtask test facade` counts the names at the root.
pub mod author;
pub mod bits;
pub mod blob;
#[cfg(feature = "alloc")]
pub mod choice;
pub mod columns;
pub mod composed;
pub mod constant;
pub mod error;
pub mod index;
pub mod iter;
pub mod observe;
pub mod options;
pub mod part;
pub mod record;
pub mod slot;

#[cfg(feature = "std")]
pub mod guide;
#[cfg(feature = "alloc")]
mod named;
pub mod prelude;

// Records, and places in them.
#[doc(inline)]
pub use layout_core::{Leaf, Path, Record, path, paths};
/// The derive macro that makes a struct a record.
///
/// # Examples
///
/// ```
/// use layout::Record;
///
/// #[derive(Clone, Copy, Record)]
/// struct Vec3<T: Record> {
///     x: T,
///     y: T,
///     z: T,
/// }
///
/// #[derive(Clone, Copy, Record)]
/// struct Particle {
///     pos: Vec3<f64>,
///     tags: [u8; 2],
///     alive: bool,
/// }
///
/// let names: Vec<_> = (0..6).map(|leaf| Particle::TREE.leaf_name(leaf).to_string()).collect();
/// assert_eq!(names, ["pos.x", "pos.y", "pos.z", "tags[0]", "tags[1]", "alive"]);
/// ```
///
/// # Input
#[doc(inline)]
pub use layout_derive::Record;

// Extents, linearizations and layouts: the places of elements.
#[doc(inline)]
pub use layout_core::{
    ArrayExtents, ColMajor, Dim, Dyn, DynExtents, Extents, Linearization, Mapped, Mapping, MappingOf, Morton, Ordered,
    PaddedRows, Permuted, Place, RecordLayout, RowMajor, Static, Strided, StridedLinearization, Tiled, Transposed,
    UnitStride, dimensions, dyn_extents, extents, fastest_first,
};
#[doc(inline)]
pub use layout_mappings::{Aligned, AoS, AoSoA, Native, Null, One, Packed, SoA, SoASingle};

// Views.
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::{Alloc, Owned, alloc, alloc_from_fn};
#[doc(inline)]
pub use layout_core::{
    Blobs, BlobsMut, Inline, Region, Slots, SlotsMut, View, ViewError, ViewMut, ViewRef, static_range, step, try_zip,
    zip,
};

// Containers that grow.
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::{Jagged, RecordSlice, RecordSliceMut, RecordVec};

// Short names of both, with a default for the layout.
#[cfg(feature = "alloc")]
pub use named::{VecOf, ViewOf};

// Lanes.
#[doc(inline)]
pub use layout_core::{Float, Integer, Lanes, Mask, Number, VECTOR_BYTES, least_lanes, most_lanes};

/// Domains of indices, and distributions of them over locales; [the guide](crate::guide::domains) has a chapter.
#[cfg(feature = "domain")]
pub mod domain {
    #[doc(inline)]
    pub use layout_domain::*;
}

// The crates that follow are modules: for a crate that is re-exported by another name, the compiler's messages show a path that does not
// exist.

/// Pictures of layouts, and the advisor.
#[cfg(feature = "inspect")]
pub mod inspect {
    #[doc(inline)]
    pub use layout_inspect::*;
}

/// Stores, and tasks that compute on them; [the guide](crate::guide::stores) has three chapters.
#[cfg(feature = "store")]
pub mod store {
    #[doc(inline)]
    pub use layout_store::*;
}

/// Global arrays: stores over domains, with elements placed by a distribution; [the guide](crate::guide::arrays) has a chapter.
#[cfg(feature = "array")]
pub mod array {
    #[doc(inline)]
    pub use layout_array::*;
}

/// Views and containers as arrays of other libraries, and back.
#[cfg(any(feature = "arrow", feature = "dlpack", feature = "ndarray", feature = "npy"))]
pub mod interop {
    #[doc(inline)]
    pub use layout_interop::*;
}

/// Names of fields may be keywords of later editions, also of the derive's own.
///
/// ```edition2021
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// #[record(columns)]
/// struct Place { gen: u32, r#async: u16 }
///
/// assert_eq!(Place::TREE.leaf_name(0).to_string(), "gen");
/// let place = Place { gen: 1, r#async: 2 };
/// let mut places: RecordVec<Place, SoA> = [place; 2].into_iter().collect();
/// places.at_mut(1).gen.set(7);
/// let PlaceColumns { gen, r#async } = places.columns().unwrap();
/// assert_eq!((gen, r#async, places.load(1)), (&[1, 7][..], &[2, 2][..], Place { gen: 7, ..place }));
/// ```
#[cfg(all(doctest, feature = "alloc"))]
mod edition_2021 {}

/// Items that the output of the derive and of `path!` uses. Not for direct use.
#[doc(hidden)]
pub mod __private {
    pub use core::default::Default;
    pub use core::fmt;
    pub use core::iter::Extend;
    pub use core::option::Option;
    pub use core::result::Result;

    pub use layout_core::{
        Access, AccessMut, Child, ColumnKind, Columns, Field, GiveColumn, Leaf, Naming, Node, Path, PlainData, PodLeaf,
        Portable, PortableError, Record, Root, Scalar, Select, Slices, Slot, TakeColumn, assert_same_size,
        element_node, element_number, field_node, field_number, paths, read_record, write_record,
    };
}
