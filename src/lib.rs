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
#![cfg_attr(not(feature = "std"), no_std)]
// Docs.rs documents with a nightly compiler, which names the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

// The first lines above define the targets of the README's links in these pages: of two definitions the first counts.

// The derive names this crate `::layout`, also inside this crate, in the doctests of this file.
extern crate self as layout;

#[cfg(feature = "std")]
pub mod guide;
#[cfg(feature = "alloc")]
mod named;
pub mod prelude;

// Records, their trees, and places in them.
#[doc(inline)]
pub use layout_core::{
    Access, AccessMut, ArraySlots, Borrowed, CheckedData, Child, Field, FieldNode, Leaf, LeafEntry, LeafKind, LeafName,
    LeafNode, LeafSet, LeafTable, MAX_LEAVES, Naming, Node, Path, PlainData, PodLeaf, PodSlot, Portable, PortableError,
    Record, Root, Scalar, Select, Selection, Slot, Stored, StoredLeaves, leaf_bytes, leaf_from_bytes, path, paths,
    sized,
};
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

// Columns: leaves as a struct of slices.
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::Vecs;
#[doc(inline)]
pub use layout_core::{ColumnKind, Columns, Slices, SlicesMut};

// Extents, linearizations and layouts: the places of elements.
#[doc(inline)]
pub use layout_core::{
    Apart, ArrayExtents, Below, BitRange, BlockLane, Codec, ColMajor, Dim, Dyn, DynExtents, Element, Extent, Extents,
    First, IndexArray, IndexType, IntoExtents, IntoIndex, Joined, Last, LeafPlace, Linearization, Mapped, Mapping,
    MappingOf, Morton, Nowhere, Ordered, PaddedRows, Permuted, Physical, Place, Position, REGION_ALIGN, Rank,
    RecordLayout, RowMajor, Shape, Sharing, Side, Static, Strided, StridedLinearization, Tiled, Transposed, UnitStride,
    check_value, dimensions, dyn_extents, extents, fastest_first, placement_of, region_align,
};
#[doc(inline)]
pub use layout_mappings::{
    AlignTo, Aligned, AoS, AoSoA, AtPath, BlobPerLeaf, Bytesplit, Byteswap, Cast, CastTo, ChangeType,
    DecreasingAlignment, FieldOrder, FusedBlobs, InOrder, LeafAligned, MinPadding, Native, Null, OfType, One, OneBlob,
    Packed, Padding, Projected, Projection, Rules, SeparateBlobs, SoA, SoASingle, Split, SplitBlobs, SubArrays,
};
#[doc(inline)]
pub use layout_mappings::{
    BitOrder, BitPacked, BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, BitWidth, Bits,
    DropSign, DynBits, DynFloatBits, FloatBits, FloatWidth, Floats, Interleaved, Ints, KeepSign, Overflow, Refuse,
    Saturate, SignBit, Wrap,
};

// Layouts chosen at run time.
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::{LayoutList, LayoutTask, UnknownLayout, layouts};

// Numbers as types, for layouts and lanes in generic code.
#[doc(inline)]
pub use layout_core::{Constant, LanesTask, LeastLanes, MostLanes, with_lanes};
#[doc(inline)]
pub use layout_mappings::{AlignBy, AoSoABy, BitsBy};

// Views, and the bytes that hold their elements.
#[cfg(feature = "mmap")]
#[doc(inline)]
pub use layout_core::HugePages;
#[doc(inline)]
pub use layout_core::{
    Address, AllFields, At, AtomicAt, AtomicLeaf, AtomicNumber, AtomicSlots, Atomics, Blobs, BlobsMut, BlockOf,
    BorrowedBlobs, Bytes, BytesMut, CloneBlobs, Count, Exclusive, FieldChoice, Inline, Iter, IterMut, IterOf, LanesAt,
    Lasting, NewBlobs, Noted, Observed, ObservedAddress, Observer, Part, Partial, PermutedOf, Records, RecordsMut,
    Region, RegionAddress, Separate, SeparateMut, Shared, SharedFields, SliceArg, SliceArgs, SlicedBy, Slots, SlotsAt,
    SlotsMut, SourceFields, SplitPaths, StaticRange, Stepped, TableAddress, TargetFields, TransposedOf, Use, View,
    ViewMut, ViewRef, Whole, Zip, Zipped, static_range, step, try_zip, zip,
};
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::{
    Alloc, Allocate, Frozen, Heap, Heat, LeafUses, Owned, OwnedIn, SeparateList, Structs, Trace, Uses, alloc,
    alloc_from_fn,
};

#[cfg(feature = "rayon")]
#[doc(inline)]
pub use layout_core::SendSlots;

// Containers that grow.
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::{Drain, IntoValues, Jagged, Lists, RecordSlice, RecordSliceMut, RecordVec, Values};

// Short names of both, with a default for the layout.
#[cfg(feature = "alloc")]
pub use named::{VecOf, ViewOf};

// Lanes, and errors.
#[doc(inline)]
pub use layout_core::{
    ColumnsError, ExtentsError, Float, IndexError, Integer, JaggedError, Lanes, LayoutError, List, Mask, Number,
    SliceError, VECTOR_BYTES, ValueError, ViewError, ZipError, least_lanes, most_lanes,
};

/// Domains of indices, and distributions of them over locales; [the guide](crate::guide::domains) has a chapter.
#[cfg(feature = "domain")]
pub mod domain {
    #[doc(inline)]
    pub use layout_domain::*;
}

// A checker for layouts of your own.
#[cfg(feature = "check")]
#[doc(inline)]
pub use layout_core::{Check, check};

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

// Items that the macro `path!` uses.
#[doc(hidden)]
pub use layout_core::{element_number, field_node, field_number};

/// Items that the derive's output uses. Not for direct use.
#[doc(hidden)]
pub mod __private {
    pub use core::default::Default;
    pub use core::iter::Extend;
    pub use core::option::Option;
    pub use core::result::Result;

    pub use layout_core::{
        Access, AccessMut, Child, ColumnKind, Columns, Field, GiveColumn, Leaf, Naming, Node, Path, PlainData, PodLeaf,
        Portable, PortableError, Record, Root, Scalar, Select, Slices, Slot, TakeColumn, assert_same_size, paths,
        read_record, write_record,
    };
}
