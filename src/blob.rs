//! Blobs: the memory of a view, owned or borrowed, and the addresses from which places are computed.
//!
//! [`Region`](crate::Region), one allocation, and [`Inline`](crate::Inline), bytes inside the view, are at the root.
//!
//! * Owned memory: `Heap`, `Frozen`, `HugePages`, and others that implement `Allocate`; `OwnedIn` is a view in such memory. `Structs` keeps
//!   the structs of a `Sequence`. Several pieces: [`Separate`], [`SeparateMut`], `SeparateList`.
//! * Borrowed memory: [`Records`] and [`RecordsMut`] are structs, [`Shared`] and [`Exclusive`] the blobs of another view.
//! * Bounds: [`Bytes`] and [`BytesMut`] for memory; [`NewBlobs`], [`CloneBlobs`] and [`BorrowedBlobs`] for blobs, beside
//!   [`Blobs`](crate::Blobs).
//! * Addresses: an [`Address`] is a [`RegionAddress`], a [`TableAddress`] or one of your own.
//!
//! # Examples
//!
//! ```
//! use layout::blob::Records;
//! use layout::{Aligned, AoS, Mapped, Native, View, extents};
//!
//! let points = [[1.0, 2.0], [3.0, 4.0]];
//! let mapping = Mapped::<[f32; 2], _, AoS<Aligned, Native>>::new(extents!(dyn 2))?;
//! let view: View<_, Records<'_, [f32; 2]>> = View::from_records(mapping, &points)?;
//! assert_eq!(view.load(1), [3.0, 4.0]);
//! # Ok::<(), layout::ViewError>(())
//! ```

#[cfg(feature = "mmap")]
#[doc(inline)]
pub use layout_core::HugePages;
#[doc(inline)]
pub use layout_core::{
    Address, BorrowedBlobs, Bytes, BytesMut, CloneBlobs, Exclusive, NewBlobs, Records, RecordsMut, RegionAddress,
    Separate, SeparateMut, Shared, TableAddress,
};
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::{Allocate, Frozen, Heap, OwnedIn, SeparateList, Sequence, Structs};
