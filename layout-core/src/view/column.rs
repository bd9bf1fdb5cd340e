//! The values of a leaf, or of all leaves, as slices, if they are contiguous; those of a leaf as an iterator in every layout.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::View;
use super::elements::{is_flat, opaque};
#[cfg(feature = "alloc")]
use super::walk;
#[cfg(feature = "alloc")]
use crate::blob::SeparateList;
use crate::blob::{Address, Blobs, BlobsMut, Exclusive, Shared};
#[cfg(feature = "alloc")]
use crate::columns::Vecs;
#[cfg(feature = "alloc")]
use crate::columns::column_bytes;
use crate::columns::{Columns, Slices, SlicesMut, TakeColumn};
#[cfg(feature = "alloc")]
use crate::error::{ColumnsError, ViewError};
#[cfg(feature = "alloc")]
use crate::extents::DynExtents;
use crate::extents::{Extents, IndexArray};
use crate::leaf::Leaf;
use crate::leaf_table::LeafTable;
use crate::linearization::Linearization;
use crate::mapping::{Element, Mapping, RecordLayout, computes, leaf_place};
#[cfg(feature = "alloc")]
use crate::mapping::{LeafPlace, Mapped, Position, is_physical};
use crate::path::{Path, Select};
use crate::record::Record;
use crate::tree::LeafNode;

#[cfg(feature = "alloc")]
impl<'a, R: Columns, L: RecordLayout<R> + Default> View<Mapped<R, DynExtents<1>, L>, SeparateList<&'a [u8]>> {
    /// Fails to compile unless each blob of the layout is the column of one leaf, in their order.
    const IS_COLUMNS: () = {
        let (table, mut leaf) = (LeafTable::of::<R>(), 0);
        let mut is_columns =
            is_physical::<R, L>() && L::BLOBS == table.count() && !<L::Position as Position>::HAS_BLOCKS;
        while is_columns && leaf < table.count() {
            let place = LeafPlace::of(L::PLACES, leaf);
            is_columns = place.blob == leaf && place.start == 0 && place.stride == table.leaf(leaf).size();
            leaf += 1;
        }
        assert!(
            is_columns,
            "`View::from_columns` is for layouts with a column in each blob: use `SoA`, or `RecordVec::from_columns`"
        );
    };

    /// Makes a read-only view of the slices in a struct of columns, without a copy of their values.
    ///
    /// The layout has a blob for each leaf, which is its column, as `SoA` has; others do not compile. A [`RecordVec`](crate::RecordVec::from_columns) of any layout copies them.
    ///
    /// # Errors
    ///
    /// Returns an error if the columns have different lengths.
    ///
    /// # Complexity
    ///
    /// Linear in the number of leaves; for leaves with bytes that are not values, such as `bool`, also in the number of elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    /// use layout::DynExtents;
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// #[record(columns)]
    /// struct Point { x: f32, y: f64 }
    ///
    /// let (x, y) = (vec![1.0, 3.0], vec![2.0, 4.0]);
    /// let points = View::<Mapped<Point, DynExtents<1>, SoA>, _>::from_columns(PointColumns { x: &x, y: &y })?;
    /// assert_eq!(points.load(1), Point { x: 3.0, y: 4.0 });
    /// assert_eq!(points.column(Point::PATHS.x).map(<[f32]>::as_ptr), Some(x.as_ptr()));
    /// # Ok::<(), layout::error::ColumnsError>(())
    /// ```
    pub fn from_columns(columns: R::Columns<'a, Slices>) -> Result<Self, ColumnsError> {
        let () = Self::IS_COLUMNS;
        let (columns, len) = column_bytes::<R>(columns)?;
        let mapping = DynExtents::<1>::from_array([len]).and_then(Mapped::new).map_err(ViewError::from);
        let view = mapping.and_then(|mapping| Self::from_blob_list(mapping, columns));
        Ok(view.unwrap_or_else(|error| panic!("columns of one length are blobs: {error}")))
    }
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// The values of a leaf as a slice, in the order of the mapping. Returns `None` if they are not contiguous and
    /// aligned.
    ///
    /// For a leaf that is not contiguous, use [`values`](Self::values) of its [`field`](Self::field).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let soa = alloc::<Particle, SoA, _>(5)?;
    /// assert_eq!(soa.column(Particle::PATHS.mass), Some(&[0.0; 5][..]));
    /// let aos = alloc::<Particle, AoS, _>(5)?;
    /// assert_eq!(aos.column(Particle::PATHS.mass), None);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn column<S>(&self, path: S) -> Option<&[<S::Path as Path>::Type]>
    where
        S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
    {
        self.field(path).into_slice()
    }

    /// The values of a leaf as a mutable slice; see [`column`](Self::column).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let mut particles = alloc::<Particle, SoA, _>(5)?;
    /// if let Some(masses) = particles.column_mut(Particle::PATHS.mass) {
    ///     masses[4] = 2.0;
    /// }
    /// assert_eq!(particles.load(4).mass, 2.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn column_mut<S>(&mut self, path: S) -> Option<&mut [<S::Path as Path>::Type]>
    where
        B: BlobsMut,
        S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
    {
        self.field_mut(path).into_mut_slice()
    }

    /// The values of a leaf as a slice that starts at a multiple of `A` bytes, which the compiler then knows. Returns `None`
    /// if they are not contiguous, or do not start there. This is `assume_aligned` of C++, checked once.
    ///
    /// Views that own their memory start every column of `SoA` at a multiple of 64. On x86-64 without AVX, a loop over such
    /// slices has fewer instructions, since operands in memory must be aligned there: `b[i] += 2.0 * a[i]` has eight for eight
    /// values, and ten otherwise. With AVX, operands may lie anywhere, and nothing changes.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let particles = alloc::<Particle, SoA, _>(100)?;
    /// let masses = particles.aligned_column::<64, _>(Particle::PATHS.mass).expect("a column of owned memory");
    /// assert!(masses.as_ptr().addr().is_multiple_of(64));
    /// assert!(particles.slice((1..,)).aligned_column::<64, _>(Particle::PATHS.mass).is_none());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn aligned_column<const A: usize, S>(&self, path: S) -> Option<&[<S::Path as Path>::Type]>
    where
        S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
    {
        let column = self.column(path)?;
        let start = aligned::<A, _>(column.as_ptr().cast_mut(), column.len())?;
        // SAFETY: it is the same slice, or an empty one.
        Some(unsafe { core::slice::from_raw_parts(start, column.len()) })
    }

    /// The values of a leaf as a mutable slice that starts at a multiple of `A` bytes; see
    /// [`aligned_column`](Self::aligned_column).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<f32, SoA, _>(100)?;
    /// for value in view.aligned_column_mut::<64, _>(layout::paths::<f32>()).expect("a column of owned memory") {
    ///     *value += 1.0;
    /// }
    /// assert_eq!(view.get(99), 1.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn aligned_column_mut<const A: usize, S>(&mut self, path: S) -> Option<&mut [<S::Path as Path>::Type]>
    where
        B: BlobsMut,
        S: Select<Path: Path<Root = M::Record, Type: Leaf>>,
    {
        let column = self.column_mut(path)?;
        let (start, len) = (column.as_mut_ptr(), column.len());
        let start = aligned::<A, _>(start, len)?;
        // SAFETY: it is the same slice, which is used no more, or an empty one.
        Some(unsafe { core::slice::from_raw_parts_mut(start, len) })
    }

    /// The values of all leaves as a struct of slices, in the order of the mapping. Returns `None` if the values of one
    /// leaf are not contiguous and aligned.
    ///
    /// The struct is `ParticleColumns` for a record `Particle`; `#[record(columns)]` beside the derive defines it.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// #[record(columns)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let soa = alloc_from_fn::<Particle, SoA, _>(3, |[i]| Particle { mass: i as f32, ..Default::default() })?;
    /// let ParticleColumns { pos: [x, y], mass } = soa.columns().expect("SoA has columns");
    /// assert_eq!((x, y, mass), (&[0.0; 3][..], &[0.0; 3][..], &[0.0, 1.0, 2.0][..]));
    /// assert!(alloc::<Particle, AoS, _>(3)?.columns().is_none());
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn columns<R: Columns>(&self) -> Option<R::Columns<'_, Slices>>
    where
        M: Mapping<Record = R>,
    {
        self.columns_to(self.len())
    }

    /// The values of all leaves as a struct of mutable slices; see [`columns`](Self::columns).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// #[record(columns)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let mut particles = alloc::<Particle, SoA, _>(3)?;
    /// if let Some(ParticleColumns { pos, mass }) = particles.columns_mut() {
    ///     mass.fill(2.0);
    ///     pos[1].copy_from_slice(mass);
    /// }
    /// assert_eq!(particles.load(2), Particle { pos: [0.0, 2.0], mass: 2.0 });
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn columns_mut<R: Columns>(&mut self) -> Option<R::Columns<'_, SlicesMut>>
    where
        B: BlobsMut,
        M: Mapping<Record = R>,
    {
        self.columns_mut_to(self.len())
    }

    /// The first `len` values of all leaves.
    pub(crate) fn columns_to(&self, len: usize) -> Option<<M::Record as Columns>::Columns<'_, Slices>>
    where
        M::Record: Columns,
    {
        M::Record::take(&mut Leaves::<_, _, &()>::new(self.mapping, self.blobs.address(), len))
    }

    /// The first `len` values of all leaves, mutably.
    pub(crate) fn columns_mut_to(&mut self, len: usize) -> Option<<M::Record as Columns>::Columns<'_, SlicesMut>>
    where
        B: BlobsMut,
        M::Record: Columns,
    {
        M::Record::take(&mut Leaves::<_, _, &mut ()>::new(self.mapping, self.blobs.address_mut(), len))
    }

    /// Copies the values of all leaves into vectors, last dimension fastest.
    #[cfg(feature = "alloc")]
    pub(crate) fn to_columns(&self) -> <M::Record as Columns>::Columns<'static, Vecs>
    where
        M::Record: Columns,
    {
        struct Copied<'v, M: Mapping, B>(&'v View<M, B>, usize);
        impl<M: Mapping, B: Blobs> TakeColumn<'static, Vecs> for Copied<'_, M, B> {
            fn take<T: Leaf>(&mut self) -> Option<Vec<T>> {
                let Self(view, leaf) = self;
                assert_leaf::<M::Record, T>(*leaf);
                let (address, frame) = (view.blobs.address(), view.mapping.frame());
                let mut values = Vec::with_capacity(view.len());
                walk::each_index(&view.mapping, |_, position| {
                    // SAFETY: the blobs fit the mapping, whose frame and position these are, and the leaf is of this type.
                    values.push(unsafe { Element::<_, M::Layout, _>::new(address, frame, position).read(*leaf) });
                });
                *leaf += 1;
                Some(values)
            }
        }
        M::Record::take(&mut Copied(self, 0)).unwrap_or_else(|| unreachable!("all leaves have values"))
    }
}

/// The leaves of a view that is borrowed as `R`, from number `leaf` on, by the address of its blobs: no reference to the view
/// is used beside mutable slices of its memory, which may lie in the view itself.
struct Leaves<M, A, R> {
    mapping: M,
    address: A,
    leaf: usize,
    /// The most values of a column.
    len: usize,
    blobs: PhantomData<R>,
}

impl<M: Mapping, A: Address, R> Leaves<M, A, R> {
    fn new(mapping: M, address: A, len: usize) -> Self {
        Self { mapping, address, leaf: 0, len, blobs: PhantomData }
    }

    /// The address of the first value of the next leaf and the number of values, or `None` if they are not contiguous and
    /// aligned.
    ///
    /// # Panics
    ///
    /// Panics if the leaf is not of type `T`.
    ///
    /// # Safety
    ///
    /// The address is of blobs of a view with this mapping, which are borrowed.
    unsafe fn contiguous<T: Leaf>(&mut self) -> Option<(*mut T, usize)> {
        let Self { mapping, address, leaf, len, .. } = *self;
        assert_leaf::<M::Record, T>(leaf);
        // A slice cannot show computed leaves, and an observer cannot see the uses of a slice.
        if const { A::NOTES } || computes::<M::Record, M::Layout>(leaf) {
            return None;
        }
        let place = leaf_place::<M::Record, M::Layout>(leaf);
        // The blocks of a record of one leaf follow one another without a gap, and so do all values.
        if !M::Layout::ALIGNED || place.stride != size_of::<T>() || !place.is_even(M::Layout::RUN) {
            return None;
        }
        self.leaf += 1;
        // The product fits `usize` or is zero: the constructor of the mapping checked it.
        let len = len.min(mapping.extents().volume().unwrap_or(0));
        if len == 0 || size_of::<T>() == 0 {
            // Leaves of size zero lie anywhere, so their place need not be aligned.
            return Some((core::ptr::dangling_mut(), len));
        }
        let position = M::position(contiguous_from(&mapping)?);
        // SAFETY: the blobs fit the mapping, whose frame this is, the position is of the first element, and the record has
        // that leaf, which is not computed.
        let first = unsafe { Element::<_, M::Layout, _>::new(address, mapping.frame(), position).place_of(leaf) };
        Some((first.cast(), len))
    }
}

impl<'v, M: Mapping, A: Address> TakeColumn<'v, Slices> for Leaves<M, A, &'v ()> {
    fn take<T: Leaf>(&mut self) -> Option<&'v [T]> {
        // SAFETY: `columns_to` and `into_slice` have the address of a view with this mapping, which is borrowed for `'v`.
        let (first, len) = unsafe { self.contiguous() }?;
        // SAFETY: as many values lie from `first` on, aligned; the view is borrowed for `'v`.
        Some(unsafe { core::slice::from_raw_parts(first, len) })
    }
}

impl<'v, M: Mapping, A: Address> TakeColumn<'v, SlicesMut> for Leaves<M, A, &'v mut ()> {
    fn take<T: Leaf>(&mut self) -> Option<&'v mut [T]> {
        // SAFETY: `columns_mut_to` and `into_mut_slice` have the address of a view with this mapping, which is borrowed for `'v`.
        let (first, len) = unsafe { self.contiguous() }?;
        // SAFETY: as many values lie from `first` on, aligned; the view is borrowed mutably for `'v`. Each leaf is taken
        // once, and no two leaves of a unique mapping share a byte if both are physical, as all leaves here are.
        Some(unsafe { core::slice::from_raw_parts_mut(first, len) })
    }
}

/// Panics if leaf number `leaf` of `R` is not of type `T`, so that an impl of [`Columns`] need not be trusted.
#[inline]
fn assert_leaf<R: Record, T: Leaf>(leaf: usize) {
    let node = LeafTable::of::<R>().leaf(leaf);
    assert!(node.is_same_type(&LeafNode::of::<T>()), "columns are taken in the order of the record's leaves");
}

/// The start of a slice if it is a multiple of `A`, which the compiler then knows. An empty slice starts at any such address.
#[cfg_attr(not(unoptimized), inline(always))]
fn aligned<const A: usize, T>(start: *mut T, len: usize) -> Option<*mut T> {
    const { assert!(A.is_power_of_two(), "an alignment is a power of two") };
    // Of a number whose origin is hidden: else the compiler drops what is stated below, which this question implies, and then
    // uses neither for loads and stores.
    if len > 0 && !opaque(start.addr()).is_multiple_of(A) {
        return None;
    }
    let start = if len == 0 { core::ptr::without_provenance_mut(A.max(align_of::<T>())) } else { start };
    // SAFETY: it was asked, or the address was chosen so; `opaque` gives what it is given.
    unsafe { core::hint::assert_unchecked(start.addr().is_multiple_of(A)) };
    Some(start)
}

/// The first flat position, or `None` if the elements do not have consecutive positions.
pub(super) fn contiguous_from<M: Mapping>(mapping: &M) -> Option<usize> {
    let extents = mapping.extents().array();
    let linearization = mapping.linearization();
    if !<M::Linearization as Linearization<_>>::STRIDED {
        return is_flat(mapping).then_some(0);
    }
    let mut expected = 1;
    for &dimension in linearization.nest(extents).as_ref().iter().rev() {
        let extent = extents.as_ref()[dimension];
        if extent > 1 && linearization.stride(extents, dimension) != expected {
            return None;
        }
        expected *= extent.cast_signed();
    }
    Some(linearization.position(extents, IndexArray::ZERO))
}

impl<M: Mapping<Record: Leaf>, B: Blobs> View<M, B> {
    /// Iterates over the values of all elements, in the order of the mapping.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let particles = alloc_from_fn::<Particle, AoS, _>(4, |[i]| Particle { mass: i as f32, ..Default::default() })?;
    /// assert_eq!(particles.field(Particle::PATHS.mass).values().sum::<f32>(), 6.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn values(&self) -> impl ExactSizeIterator<Item = M::Record> {
        self.iter().map(|slot| M::Record::load(&slot))
    }
}

impl<'v, M: Mapping<Record: Leaf>, A: Address> View<M, Shared<'v, A>> {
    /// The values as a slice, in the order of the mapping. Returns `None` if they are not contiguous and aligned.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<u32, SoA, _>([2, 3], |[i, j]| (3 * i + j) as u32)?;
    /// assert_eq!(view.as_ref().into_slice(), Some(&[0, 1, 2, 3, 4, 5][..]));
    /// assert_eq!(view.slice((1, ..)).into_slice(), Some(&[3, 4, 5][..]));
    /// assert_eq!(view.slice((.., 1)).into_slice(), None);
    ///
    /// // Blocks of single numbers follow one another without a gap.
    /// let blocks = alloc_from_fn::<u32, AoSoA<4>, _>([2, 3], |[i, j]| (3 * i + j) as u32)?;
    /// assert_eq!(blocks.slice((1, ..)).into_slice(), Some(&[3, 4, 5][..]));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn into_slice(self) -> Option<&'v [M::Record]> {
        Leaves::<_, _, &'v ()>::new(self.mapping, self.blobs.address(), self.len()).take()
    }
}

impl<'v, M: Mapping<Record: Leaf>, A: Address> View<M, Exclusive<'v, A>> {
    /// The values as a mutable slice, in the order of the mapping. Returns `None` if they are not contiguous and
    /// aligned.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u32, SoA, _>([2, 3])?;
    /// if let Some(row) = view.slice_mut((1, ..)).into_mut_slice() {
    ///     row.copy_from_slice(&[4, 5, 6]);
    /// }
    /// assert_eq!(view.to_vec(), [0, 0, 0, 4, 5, 6]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn into_mut_slice(mut self) -> Option<&'v mut [M::Record]> {
        let len = self.len();
        // The view, the only way to the values, is used up.
        Leaves::<_, _, &'v mut ()>::new(self.mapping, self.blobs.address_mut(), len).take()
    }
}
