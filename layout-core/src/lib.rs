//! The core of `layout-dsl`.
#![cfg_attr(not(feature = "std"), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;
extern crate core;

mod array;
mod blob;
mod error;
mod extents;
mod lanes;
mod leaf;
mod linearization;
mod mapping;
mod path;
mod record;
mod slot;
mod tree;
mod view;

pub use array::ArraySlots;
#[cfg(feature = "alloc")]
pub use blob::Heap;
pub use blob::{
    Address, Blobs, BlobsMut, Bytes, BytesMut, CloneBlobs, Exclusive, Inline, NewBlobs, Records, RecordsMut, Region,
    RegionAddress, Separate, SeparateMut, Shared, TableAddress,
};
pub use error::{ExtentsError, IndexError, List, SliceError, ViewError, ZipError};
pub use extents::{
    ArrayExtents, Dim, Dyn, DynExtents, Extent, Extents, IndexArray, IndexType, IntoExtents, IntoIndex, Rank, Shape,
    Static,
};
pub use lanes::{Float, Integer, Lanes, Mask, Number};
pub use leaf::Leaf;
pub use linearization::{
    ColMajor, First, Last, Linearization, Nowhere, Ordered, RowMajor, Side, Strided, StridedLinearization, Transposed,
    UnitStride, fastest_first,
};
pub use mapping::{Along, Below, Mapped, Mapping, Place, REGION_ALIGN, RecordLayout, region_align};
pub use path::{Child, Join, Naming, Path, Root, Select, paths};
pub use record::{Access, AccessMut, Borrowed, Field, Record, Scalar, ScalarMut};
pub use slot::Slot;
pub use tree::{FieldNode, LeafName, LeafNode, LeafTable, MAX_LEAVES, Node};
pub use view::{
    AllFields, At, BlockOf, FieldChoice, Iter, IterMut, LanesAt, Part, PermutedOf, SharedFields, SliceArg, SliceArgs,
    SlicedBy, Slots, SlotsAt, SlotsMut, SourceFields, SplitPaths, Stepped, TargetFields, TransposedOf, View, ViewMut,
    ViewRef, Zip, Zipped, step, try_zip, zip,
};
#[cfg(feature = "alloc")]
pub use view::{Owned, alloc, alloc_from_fn};
