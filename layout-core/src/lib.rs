//! The core of `layout-dsl`.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
extern crate core;

#[macro_use]
mod copied;

mod array;
mod bind;
mod blob;
#[cfg(feature = "check")]
mod check;
#[cfg(feature = "alloc")]
mod choice;
mod columns;
mod constant;
#[cfg(feature = "alloc")]
mod container;
mod error;
mod extents;
mod invariant;
mod lanes;
mod leaf;
mod leaf_set;
mod leaf_table;
mod linearization;
mod mapping;
mod path;
mod plain;
mod portable;
mod record;
mod sealed;
mod selection;
mod sized;
mod slot;
mod spread;
mod stored;
mod tree;
mod view;
mod visit;

pub use array::ArraySlots;
#[cfg(feature = "mmap")]
pub use blob::HugePages;
pub use blob::{
    Address, Blobs, BlobsMut, Bytes, BytesMut, CloneBlobs, Exclusive, Inline, NewBlobs, Noted, Observed,
    ObservedAddress, Observer, Records, RecordsMut, Region, RegionAddress, Separate, SeparateMut, Shared, TableAddress,
    Use,
};
#[cfg(feature = "alloc")]
pub use blob::{Allocate, Frozen, Heap, Heat, LeafUses, SeparateList, Sequence, Structs, Trace, Uses};
#[cfg(feature = "check")]
pub use check::{Check, check};
#[cfg(feature = "alloc")]
pub use choice::{LayoutList, LayoutTask, UnknownLayout};
#[cfg(feature = "alloc")]
pub use columns::Vecs;
pub use columns::{ColumnKind, Columns, Slices, SlicesMut};
#[doc(hidden)]
pub use columns::{GiveColumn, TakeColumn};
pub use constant::{Constant, LanesTask, LeastLanes, MostLanes, with_lanes};
#[cfg(feature = "alloc")]
pub use container::{Drain, IntoValues, Jagged, Lists, RecordSlice, RecordSliceMut, RecordVec, Values};
pub use error::{
    ColumnsError, ExtentsError, IndexError, JaggedError, LayoutError, List, SliceError, ValueError, ViewError, ZipError,
};
pub use extents::{
    ArrayExtents, Dim, Dyn, DynExtents, Extent, Extents, IndexArray, IndexType, IntoExtents, IntoIndex, Rank, Shape,
    Static, dyn_extents,
};
#[doc(hidden)]
pub use invariant::Invariant;
pub use lanes::{Float, Integer, Lanes, Mask, Number, VECTOR_BYTES, least_lanes, most_lanes};
pub use leaf::{CheckedData, Leaf, LeafKind, leaf_bytes, leaf_from_bytes};
pub use leaf_set::LeafSet;
pub use leaf_table::{LeafEntry, LeafTable};
#[doc(hidden)]
pub use linearization::Within;
pub use linearization::{
    ColMajor, First, Last, Linearization, Morton, Nowhere, Ordered, PaddedRows, Permuted, RowMajor, Side, Strided,
    StridedLinearization, Tiled, Transposed, UnitStride, dimensions, fastest_first,
};
pub use mapping::{
    Apart, Below, BitRange, BlockLane, Codec, Element, Joined, LeafPlace, Mapped, Mapping, MappingOf, Physical, Place,
    Position, REGION_ALIGN, RecordLayout, Sharing, check_value, region_align,
};
pub use path::{Child, Naming, Path, Root, Select, paths};
#[doc(hidden)]
pub use plain::assert_same_size;
pub use plain::{PlainData, PodLeaf, PodSlot};
pub use portable::{Portable, PortableError};
#[doc(hidden)]
pub use portable::{read_record, write_record};
pub use record::{Access, AccessMut, Borrowed, Field, Record, Scalar};
pub use selection::{Selection, element_node, element_number, field_node, field_number};
#[doc(hidden)]
pub use sized::size_class;
pub use slot::Slot;
pub use stored::{Stored, StoredLeaves};
pub use tree::{FieldNode, LeafName, LeafNode, MAX_LEAVES, Node};
#[cfg(feature = "rayon")]
pub use view::SendSlots;
pub use view::{
    AllFields, At, AtomicAt, AtomicLeaf, AtomicNumber, AtomicSlots, Atomics, BlockOf, BorrowedBlobs, Count,
    FieldChoice, Iter, IterMut, IterOf, LanesAt, Lasting, Part, Partial, PermutedOf, SharedFields, SliceArg, SliceArgs,
    SlicedBy, Slots, SlotsAt, SlotsMut, SourceFields, SplitPaths, StaticRange, Stepped, TargetFields, TransposedOf,
    View, ViewMut, ViewRef, Whole, Zip, Zipped, static_range, step, try_zip, zip,
};
#[cfg(feature = "alloc")]
pub use view::{Alloc, Owned, OwnedIn, alloc, alloc_from_fn};
#[doc(hidden)]
pub use view::{
    PartOf, WithinOf, block_of, block_of_mut, copy_to_block, copy_values, each_block, is_packable, pack, part_of,
    part_of_mut, unpack,
};
#[doc(hidden)]
pub use view::{check_records, check_refused, check_values, refuses};
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use view::{zeroed_for, zeroed_or};
#[doc(hidden)]
pub use visit::{LeafVisitor, visit_leaves};

/// Items that the output of macros uses: `core` may be another crate there. Not for direct use.
#[doc(hidden)]
pub mod __private {
    pub use core::option::Option;
    pub use core::primitive::{bool, str, usize};
    pub use core::result::Result;
    pub use core::{concat, panic, stringify, unreachable};
}
