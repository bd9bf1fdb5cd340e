//! Views as bytes and addresses, for code that does not know about layouts.

use core::ptr;

use super::View;
use super::column::contiguous_from;
use crate::blob::{Address, Blobs, BlobsMut, Bytes, BytesMut, Region};
use crate::extents::{Extents, IndexArray};
use crate::leaf::Leaf;
use crate::leaf_table::LeafTable;
use crate::linearization::Linearization;
use crate::mapping::{Element, Mapping, RecordLayout, computes, leaf_place};
use crate::path::{Path, Select, assert_exists};

impl<M: Mapping, B: Bytes> View<M, Region<B>> {
    /// The bytes of blob number `blob`.
    ///
    /// # Panics
    ///
    /// Panics if the layout has no such blob.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<[u8; 2], SoA, _>(3, |[i]| [i as u8, 7])?;
    /// assert_eq!(view.blob_bytes(0), [0, 1, 2]);
    /// assert_eq!(view.blob_bytes(1), [7, 7, 7]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn blob_bytes(&self, blob: usize) -> &[u8] {
        let Some((start, size)) = self.blob_place(blob) else { return &[] };
        let bytes = self.blobs.0.as_ptr();
        // SAFETY: the region was checked to hold the blob.
        let first = unsafe { bytes.add(start) };
        // SAFETY: `Bytes` promises initialized bytes that do not change while they are borrowed.
        unsafe { core::slice::from_raw_parts(first, size) }
    }

    /// The bytes of blob number `blob`, mutably. Does not compile for a record with leaves such as `bool`, for which
    /// some bytes are not a value.
    ///
    /// To change the bytes of such a record, take the view apart with `view.into_blobs().into_inner()`, and make a new
    /// view with [`from_bytes`](View::from_bytes), which checks the bytes.
    ///
    /// # Panics
    ///
    /// Panics if the layout has no such blob.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<[u16; 2], SoA, _>(3)?;
    /// view.blob_bytes_mut(1)[2..4].copy_from_slice(&500_u16.to_ne_bytes());
    /// assert_eq!(view.load(1), [0, 500]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn blob_bytes_mut(&mut self, blob: usize) -> &mut [u8]
    where
        B: BytesMut,
    {
        const {
            assert!(
                LeafTable::of::<M::Record>().any_bits(),
                "some bytes are no value of a leaf of this record, such as `bool`: take the view apart by `into_blobs`, and \
                 make it anew by `from_bytes`, which checks them"
            );
        }
        let Some((start, size)) = self.blob_place(blob) else { return &mut [] };
        let bytes = self.blobs.0.as_mut_ptr();
        // SAFETY: the region was checked to hold the blob.
        let first = unsafe { bytes.add(start) };
        // SAFETY: `BytesMut` promises initialized bytes that nothing else reaches; whatever is written, each leaf has a value.
        unsafe { core::slice::from_raw_parts_mut(first, size) }
    }

    /// The offset and the size of a blob, or `None` if it has no bytes.
    #[track_caller]
    fn blob_place(&self, blob: usize) -> Option<(usize, usize)> {
        let blobs = M::Layout::BLOBS;
        assert!(blob < blobs, "blob {blob} is out of range: the layout has {blobs}");
        let size = self.mapping.blob_size(blob);
        (size > 0).then(|| (M::Layout::blob_start(self.mapping.frame(), blob), size))
    }
}

/// Fails to compile for leaves that have no address.
#[track_caller]
const fn assert_address<M: Mapping, A: Address, P: Path>() {
    assert_exists::<P>();
    assert!(
        !computes::<M::Record, M::Layout>(P::LEAF),
        "this layout computes the leaf: it has no bytes to point to; use `get` and `set`"
    );
    assert!(!A::NOTES, "the uses of this view are observed: its leaves give no addresses; use `get` and `set`");
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// The bytes of leaf number `leaf` of all elements, in the order of the mapping. Returns `None` if the values are not
    /// contiguous; in a packed layout they need not be aligned.
    ///
    /// Code that treats all leaves alike reads columns by number, and is compiled once for a record. If the leaf is known by
    /// path, [`column`](Self::column) gives its values.
    ///
    /// # Panics
    ///
    /// Panics if the record has no such leaf.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let soa = alloc_from_fn::<[u8; 2], SoA, _>(3, |[i]| [i as u8, 7])?;
    /// assert_eq!(soa.column_bytes(0), Some(&[0, 1, 2][..]));
    /// assert_eq!(soa.slice((1..,)).column_bytes(0), Some(&[1, 2][..]));
    /// let aos = alloc::<[u8; 2], AoS, _>(3)?;
    /// assert_eq!(aos.column_bytes(0), None);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn column_bytes(&self, leaf: usize) -> Option<&[u8]> {
        let leaves = LeafTable::of::<M::Record>();
        assert!(leaf < leaves.count(), "leaf {leaf} is out of range: the record has {}", leaves.count());
        // A slice cannot show computed leaves, and an observer cannot see the uses of a slice.
        if computes::<M::Record, M::Layout>(leaf) || <B::Address as Address>::NOTES {
            return None;
        }
        let size = leaves.leaf(leaf).size();
        if self.is_empty() || size == 0 {
            return Some(&[]);
        }
        let place = leaf_place::<M::Record, M::Layout>(leaf);
        // The blocks of a record of one leaf follow one another without a gap.
        let apart = place.stride != size || self.mapping.span() > M::Layout::RUN && !place.is_even(M::Layout::RUN);
        if apart && self.len() > 1 {
            return None;
        }
        let position = M::position(contiguous_from(&self.mapping)?);
        let element = Element::<_, M::Layout, _>::new(self.blobs.address(), self.mapping.frame(), position);
        // SAFETY: the blobs fit the mapping, whose frame this is, the position is of the first element, and the leaf is physical.
        let first = unsafe { element.place_of(leaf) };
        // SAFETY: the values lie one after another from there on, in one run or without gaps, and are initialized as all leaves are;
        // the blobs are borrowed.
        Some(unsafe { core::slice::from_raw_parts(first, self.len() * size) })
    }

    /// The address of a leaf of the element at index zero; does not compile for a computed leaf.
    ///
    /// To get the address of another element, add its multiples of [`byte_strides`](Mapping::byte_strides), if the leaf has such strides.
    /// The address is aligned unless the layout is packed. For a view without elements it is dangling.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Record)]
    /// struct Hit { channel: u16, charge: f32 }
    ///
    /// let hits = alloc_from_fn::<Hit, AoS, _>(3, |[i]| Hit { channel: 1, charge: i as f32 })?;
    /// let first: *const f32 = hits.as_ptr(Hit::PATHS.charge);
    /// let [stride] = hits.mapping().byte_strides(Hit::PATHS.charge).expect("elements are equally far apart");
    /// // SAFETY: there are three elements, which nothing writes.
    /// assert_eq!(unsafe { first.byte_offset(2 * stride).read() }, 2.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn as_ptr<S>(&self, path: S) -> *const <S::Path as Path>::Type
    where
        S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
    {
        const { assert_address::<M, B::Address, S::Path>() };
        first(&self.mapping, self.blobs.address(), path).cast_const()
    }

    /// The address of a leaf of the element at index zero, for writing; see [`as_ptr`](Self::as_ptr).
    ///
    /// The caller must write only values of the leaf's type.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u32, SoA, _>([2, 3])?;
    /// let [row, column] = view.mapping().byte_strides(layout::paths::<u32>()).expect("rows of columns");
    /// assert_eq!((row, column), (12, 4));
    /// let first: *mut u32 = view.as_mut_ptr(layout::paths::<u32>());
    /// // SAFETY: it is the address of the element at [1, 2].
    /// unsafe { first.byte_offset(row + 2 * column).write(7) };
    /// assert_eq!(view.get([1, 2]), 7);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn as_mut_ptr<S>(&mut self, path: S) -> *mut <S::Path as Path>::Type
    where
        B: BlobsMut,
        S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
    {
        const { assert_address::<M, B::Address, S::Path>() };
        first(&self.mapping, self.blobs.address_mut(), path)
    }
}

/// The address of a leaf of the element at index zero. The leaf must be physical, and the blobs must fit the mapping and be borrowed.
fn first<M: Mapping, A: Address, S>(mapping: &M, address: A, _: S) -> *mut <S::Path as Path>::Type
where
    S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
{
    let extents = mapping.extents().array();
    // A leaf of size zero lies anywhere, so its place need not be aligned.
    if !extents.encloses(IndexArray::ZERO) || size_of::<<S::Path as Path>::Type>() == 0 {
        return ptr::dangling_mut();
    }
    let position = M::position(mapping.linearization().position(extents, IndexArray::ZERO));
    // SAFETY: the callers pass the address of blobs that fit the mapping; the index zero is within its extents.
    unsafe { Element::<_, M::Layout, _>::new(address, mapping.frame(), position).place::<S::Path>() }
}
