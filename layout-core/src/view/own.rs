//! Views that own their memory, and views of slices of records.

#[cfg(feature = "alloc")]
use alloc::vec;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
#[cfg(feature = "alloc")]
use core::convert::Infallible;
#[cfg(feature = "alloc")]
use core::ops::Range;

use super::View;
use crate::blob::{Inline, Records, RecordsMut, Region};
#[cfg(feature = "alloc")]
use crate::error::ExtentsError;
use crate::error::ViewError;
use crate::leaf_table::LeafTable;
use crate::mapping::{Mapping, RecordLayout, in_region_of, is_physical};
use crate::record::Record;

#[cfg(feature = "alloc")]
use super::blocks::{across_both, each_block};
#[cfg(feature = "alloc")]
use super::rows::Rows;
#[cfg(feature = "alloc")]
use super::{ArrayOf, walk};
#[cfg(feature = "alloc")]
use crate::blob::{Allocate, Blobs, Bytes, Frozen, Heap, NewBlobs};
#[cfg(feature = "alloc")]
use crate::extents::{DynExtents, IndexArray, IntoExtents, Keep};
#[cfg(feature = "alloc")]
use crate::linearization::{Linearization, RowMajor};
#[cfg(feature = "alloc")]
use crate::mapping::{LeafPlace, Mapped, allocation_align, is_zeroable, leaf_place};

/// A view that owns heap memory.
///
/// [`alloc`](crate::alloc()), [`alloc_from_fn`](crate::alloc_from_fn), [`View::zeroed`], [`View::from_fn`] and
/// [`View::map`] make such views. All blobs lie in one allocation.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// type Grid = Owned<Mapped<f32, DynExtents<2>, SoA, ColMajor>>;
///
/// let grid: Grid = View::zeroed(Mapped::new(extents!(dyn 3, dyn 4))?)?;
/// assert_eq!(grid.extents(), [3, 4]);
/// # Ok::<(), ViewError>(())
/// ```
#[cfg(feature = "alloc")]
pub type Owned<M> = View<M, Region<Heap>>;

/// A view that owns memory of the type `A`, such as `HugePages`. [`Alloc::alloc_in`](crate::Alloc::alloc_in) and
/// [`View::zeroed_in`] make such views.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::blob::{Heap, OwnedIn};
///
/// struct Grid<A>(OwnedIn<Mapped<f32, DynExtents<2>, SoA>, A>);
///
/// let grid = Grid::<Heap>(f32::alloc_in::<SoA, Heap>([3, 4])?);
/// assert_eq!(grid.0.extents(), [3, 4]);
/// # Ok::<(), ViewError>(())
/// ```
#[cfg(feature = "alloc")]
pub type OwnedIn<M, A> = View<M, Region<A>>;

/// A view of zeros, or of a value if zero is no value of a leaf: for code that then sets all elements.
///
/// # Errors
///
/// Returns an error in the cases of [`View::from_fn`], and that of the value.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub fn zeroed_or<M: Mapping, E: From<ViewError>>(
    mapping: M,
    value: impl FnOnce() -> Result<M::Record, E>,
) -> Result<Owned<M>, E> {
    match View::zeroed(mapping) {
        Err(ViewError::InvalidValue { .. }) => {
            let value = value()?;
            Ok(View::from_fn(mapping, |_| value)?)
        }
        view => Ok(view?),
    }
}

/// A view for copies of elements of `source`: of zeros, or of the first of these elements if zero is no value of a leaf.
///
/// # Errors
///
/// Returns an error in the cases of [`View::from_fn`].
///
/// # Panics
///
/// Panics if zero is no value of a leaf, and `source` has no elements, but the view has some.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub fn zeroed_for<M, N, B>(mapping: M, source: &View<N, B>) -> Result<Owned<M>, ViewError>
where
    M: Mapping,
    N: Mapping<Record = M::Record>,
    B: Blobs,
{
    zeroed_or(mapping, || Ok(M::Record::load(&source.iter().next().expect("a view of elements has a first one"))))
}

#[cfg(feature = "alloc")]
impl<M: Mapping> Owned<M> {
    /// Allocates a view aligned to 64 bytes, with all bytes zero.
    ///
    /// # Errors
    ///
    /// Returns an error if zero is not a value of a leaf's type (`NonZero`), if the mapping is not unique, or if there
    /// is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mapping = Mapped::<f32, _, SoA, ColMajor>::new(extents!(dyn 3, 4))?;
    /// assert_eq!(View::zeroed(mapping)?.get([2, 3]), 0.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn zeroed(mapping: M) -> Result<Self, ViewError> {
        Self::zeroed_in::<Heap>(mapping)
    }

    /// Allocates a view in memory of the type `A`, such as `HugePages`, with all bytes zero.
    ///
    /// # Errors
    ///
    /// The same as [`zeroed`](Self::zeroed).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    /// use layout::blob::Heap;
    ///
    /// let mapping = Mapped::<f32, _, SoA, ColMajor>::new(extents!(dyn 3, 4))?;
    /// assert_eq!(View::zeroed_in::<Heap>(mapping)?.get([2, 3]), 0.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn zeroed_in<A: Allocate>(mapping: M) -> Result<OwnedIn<M, A>, ViewError> {
        let view = OwnedIn::<M, A>::allocate(mapping)?;
        if const { !is_zeroable::<M::Record, M::Layout>() } && !view.is_empty() {
            view.validate()?;
        }
        Ok(view)
    }

    /// Allocates a view and fills it: the element at each index is the result of `f` for that index.
    ///
    /// # Errors
    ///
    /// Returns an error if the mapping is not unique, or if there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mapping = Mapped::<usize, _, SoA, ColMajor>::new(extents!(dyn 3, 4))?;
    /// assert_eq!(View::from_fn(mapping, |[i, j]| 10 * i + j)?.get([2, 3]), 23);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn from_fn(mapping: M, f: impl FnMut(ArrayOf<M>) -> M::Record) -> Result<Self, ViewError> {
        Self::from_fn_in::<Heap>(mapping, f)
    }

    /// Allocates a view in memory of the type `A`, such as `HugePages`, and fills it: the element at each index is the result
    /// of `f` for that index.
    ///
    /// # Errors
    ///
    /// The same as [`from_fn`](Self::from_fn).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    /// use layout::blob::Heap;
    ///
    /// let mapping = Mapped::<usize, _, SoA, ColMajor>::new(extents!(dyn 3, 4))?;
    /// assert_eq!(View::from_fn_in::<Heap>(mapping, |[i, j]| 10 * i + j)?.get([2, 3]), 23);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn from_fn_in<A: Allocate>(
        mapping: M,
        mut f: impl FnMut(ArrayOf<M>) -> M::Record,
    ) -> Result<OwnedIn<M, A>, ViewError> {
        let mut view = OwnedIn::<M, A>::allocate(mapping)?;
        // Not yet values of their types: every element is written before the view is given to anybody. If `f`
        // panics, the view is dropped unread.
        walk::each_index(&mapping, |index, position| view.store(position, f(index)));
        Ok(view)
    }

    /// Makes this view read-only for the rest of its life.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let table = alloc_from_fn::<usize, SoA, _>(100, |[i]| i * i)?.freeze();
    /// assert_eq!(table.get(9), 81);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn freeze(self) -> View<M, Region<Frozen>> {
        let Region(heap) = self.blobs;
        // SAFETY: the blobs are the same, and cannot be written.
        unsafe { View::trusted(self.mapping, Region(Frozen(heap))) }
    }
}

#[cfg(feature = "alloc")]
impl<M: Mapping, A: Allocate> OwnedIn<M, A> {
    /// Allocates zero bytes for the mapping; zero need not be a value of the leaves' types.
    fn allocate(mapping: M) -> Result<Self, ViewError> {
        if !mapping.is_unique() {
            return Err(ViewError::NotUnique);
        }
        Self::allocate_shared(mapping)
    }

    /// The same as [`allocate`](Self::allocate), but elements may share bytes. The caller writes one element after
    /// another, and then freezes the view.
    fn allocate_shared(mapping: M) -> Result<Self, ViewError> {
        let size = mapping.layout().region_size(mapping.span());
        let blobs = Region(A::zeroed(size, const { allocation_align::<M::Record, M::Layout>() })?);
        blobs.check::<M::Record, M::Layout>(mapping.layout(), mapping.span())?;
        // SAFETY: the blobs were checked; the callers see to the values, and let nobody write if the mapping is not
        // unique.
        Ok(unsafe { View::trusted(mapping, blobs) })
    }
}

#[cfg(feature = "alloc")]
impl<R: Record, L: RecordLayout<R>> Owned<Mapped<R, DynExtents<1>, L>> {
    /// The mapping of `count` elements in the layout of this view.
    ///
    /// # Errors
    ///
    /// Returns an error if `count` elements are too large.
    pub(crate) fn mapping_of(&self, count: usize) -> Result<Mapped<R, DynExtents<1>, L>, ExtentsError> {
        Mapped::with(count.into_extents()?, self.mapping.layout(), RowMajor)
    }

    /// Resizes the view to `count` elements, with memory for `capacity` elements: existing elements stay, and new elements are zero.
    /// Returns `false`, and does nothing, if the places of elements depend on their number, or if zeros may be no value of a leaf.
    ///
    /// # Errors
    ///
    /// Returns an error if `count` elements are too large, if several elements share bytes, or if there is not enough memory. The view is
    /// then unchanged.
    ///
    /// # Complexity
    ///
    /// Linear in the number of new elements, and constant otherwise, unless the capacity changes. Unused memory costs
    /// no time.
    pub(crate) fn resize(&mut self, count: usize, capacity: usize) -> Result<bool, ViewError> {
        // With a frame of size zero, places do not depend on the number of positions.
        if const { size_of::<L::Frame>() != 0 } || const { !is_zeroable::<R, L>() } {
            return Ok(false);
        }
        let (mapping, whole) = (self.mapping_of(count)?, self.mapping_of(capacity.max(count))?);
        if !whole.is_unique() {
            return Err(ViewError::NotUnique);
        }
        let Region(heap) = &mut self.blobs;
        // A layout may ask for more memory for fewer elements.
        heap.set_capacity(whole.region_size().max(mapping.region_size()))?;
        let (before, bytes) = (self.mapping.span(), heap.len());
        heap.set_len(mapping.region_size());
        if const { !LeafTable::of::<R>().any_bits() } {
            // New bytes are zero. Old ones that belonged to no element may have come from the padding of another view.
            clear(mapping, before..count, heap, bytes);
        }
        // The memory has the size and the alignment that the mapping asks for, and all elements are values of the leaves' types.
        (self.slots, self.mapping) = (Keep::keep(mapping.span()), mapping);
        Ok(true)
    }
}

/// Writes zeros to the leaves of new elements that start in the first `bytes` bytes of a heap. The layout has a frame of size zero, and
/// computes no leaf.
#[cfg(feature = "alloc")]
fn clear<R, L>(mapping: Mapped<R, DynExtents<1>, L>, new: Range<usize>, heap: &mut Heap, bytes: usize)
where
    R: Record,
    L: RecordLayout<R>,
{
    let (table, frame) = (LeafTable::of::<R>(), mapping.frame());
    let run = if L::RUN == usize::MAX { 1 } else { L::RUN };
    for flat in new {
        let (mut before, mut first) = (false, true);
        for leaf in 0..table.count() {
            let start = in_region_of::<R, L>(frame, Mapped::<R, DynExtents<1>, L>::position(flat), leaf);
            if start < bytes {
                heap.zero(start, table.leaf(leaf).size());
                before = true;
            }
            first &= flat.is_multiple_of(run.saturating_mul(leaf_place::<R, L>(leaf).group));
        }
        // Later blocks lie behind this one.
        if first && !before {
            return;
        }
    }
}

/// Returns `true` if all positions of the layout have the same places, as in `One`.
#[cfg(feature = "alloc")]
const fn is_shared<R: Record, L: RecordLayout<R>>() -> bool {
    let mut leaf = 0;
    while leaf < LeafTable::of::<R>().count() {
        let place = LeafPlace::of(L::PLACES, leaf);
        if place.stride > 0 || place.block > 0 {
            return false;
        }
        leaf += 1;
    }
    is_physical::<R, L>()
}

#[cfg(feature = "alloc")]
impl<M: Mapping> View<M, Region<Frozen>> {
    /// Allocates a read-only view in which every element is `value`. Elements may share bytes, as they do in the layout
    /// `One`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is not enough memory.
    ///
    /// # Complexity
    ///
    /// Linear in the number of elements, and constant in the layout `One` and in a `Split` of such layouts.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    /// use layout::One;
    ///
    /// let gravity = View::constant(Mapped::<[f32; 3], _, One>::new(extents!(dyn 1000))?, [0.0, 0.0, -9.81])?;
    /// assert_eq!(gravity.load(500)[2], -9.81);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn constant(mapping: M, value: M::Record) -> Result<Self, ViewError> {
        let mut view = Owned::<M>::allocate_shared(mapping)?;
        if !const { is_shared::<M::Record, M::Layout>() } {
            walk::each_index(&mapping, |_, position| view.store_shared(position, value));
        } else if !view.is_empty() {
            let first = mapping.linearization().position(view.extents(), ArrayOf::<M>::ZERO);
            view.store_shared(M::position(first), value);
        }
        Ok(view.freeze())
    }
}

#[cfg(feature = "alloc")]
impl<M: Mapping, B: Blobs> View<M, B> {
    /// Copies all elements into a `Vec`, last dimension fastest.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<usize, SoA, _>([2, 2], |[i, j]| 10 * i + j)?;
    /// assert_eq!(view.to_vec(), [0, 1, 10, 11]);
    /// assert_eq!(view.transposed().to_vec(), [0, 10, 1, 11]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn to_vec(&self) -> Vec<M::Record> {
        let extents = self.extents();
        if self.is_empty() {
            return Vec::new();
        }
        let mut records = vec![self.record(ArrayOf::<M>::ZERO); self.len()];
        let nest = self.mapping.linearization().nest(extents);
        let side = across_both(ArrayOf::<M>::ASCENDING, nest).unwrap_or(extents);
        let Ok(()) = each_block(&extents, &side, false, |start, shape| {
            let mut rows = Rows::part(start, shape, ArrayOf::<M>::ASCENDING);
            let inner = rows.inner();
            while let Some((index, len)) = rows.next() {
                let row = RowMajor.position(extents, index);
                for (k, record) in records[row..row + len].iter_mut().enumerate() {
                    *record = self.record(index.moved(inner, k));
                }
            }
            Ok::<(), Infallible>(())
        });
        records
    }
}

impl<M: Mapping, const BYTES: usize> View<M, Region<Inline<BYTES>>> {
    /// Makes a view that stores its bytes, all zero, inside the view itself.
    ///
    /// With static extents the view is a plain value and needs no heap. `BYTES` must be at least the layout's
    /// `region_bytes`, for example `AoS::region_bytes::<R>(64)` for 64 elements.
    ///
    /// # Errors
    ///
    /// Returns an error if `BYTES` is too small, if zero is not a value of a leaf's type, or if the mapping is not unique.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// type Tile = Mapped<[f32; 3], extents!(type 4, 4), AoS>;
    /// type Memory = Region<Inline<{ AoS::<Aligned>::region_bytes::<[f32; 3]>(16) }>>;
    ///
    /// let mut tile = View::<Tile, Memory>::inline(Tile::new(extents!(4, 4))?)?;
    /// tile.set([3, 3], [1.0, 2.0, 3.0]);
    /// assert_eq!(size_of_val(&tile), 192); // the bytes, and nothing else
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn inline(mapping: M) -> Result<Self, ViewError> {
        Self::checked(mapping, Region(Inline::zeroed()))
    }
}

/// Fails to compile for layouts that can never be the layout of a slice of records.
#[track_caller]
const fn assert_records<M: Mapping>() {
    let table = LeafTable::of::<M::Record>();
    assert!(M::Layout::BLOBS == 1 || table.count() == 0, "records in a slice are one blob");
    assert!(
        table.is_struct() && is_physical::<M::Record, M::Layout>(),
        "records in a slice have their leaves as they are"
    );
}

/// Returns an error unless `M` places every leaf of every element where a slice of so many records has it.
fn check_records<M: Mapping>(mapping: &M, records: usize) -> Result<(), ViewError> {
    let slots = mapping.span();
    if slots > records {
        return Err(ViewError::RecordCount { given: records, needed: slots });
    }
    let (table, frame) = (LeafTable::of::<M::Record>(), mapping.frame());
    if M::Layout::ALIGNED && align_of::<M::Record>() < M::Layout::ALIGN {
        return Err(ViewError::BlobAlignment { blob: 0, needed: M::Layout::ALIGN });
    }
    // If neighbors always lie equally far apart, the first two elements determine the places of all.
    for flat in 0..slots.min(if M::Layout::RUN == usize::MAX { 2 } else { usize::MAX }) {
        for leaf in 0..table.count() {
            let native = flat * size_of::<M::Record>() + table.native_offset(leaf);
            if in_region_of::<M::Record, M::Layout>(frame, M::position(flat), leaf) != native {
                return Err(ViewError::RecordLayout { leaf: M::Record::TREE.leaf_name(leaf) });
            }
        }
    }
    if !mapping.is_unique() {
        return Err(ViewError::NotUnique);
    }
    Ok(())
}

impl<'a, M: Mapping> View<M, Records<'a, M::Record>> {
    /// Makes a read-only view of a slice of records, without copying.
    ///
    /// The layout must place leaves where the compiler places them. `AoS<Aligned, Native>` always does; plain `AoS`
    /// does for a `repr(C)` record that contains no struct with padding at its end.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too few records, or if the layout differs from that of the struct.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let particles = vec![Particle::default(); 10];
    /// let mapping = Mapped::<Particle, _, AoS<Aligned, Native>>::new(extents!(dyn 10))?;
    /// assert_eq!(View::from_records(mapping, &particles)?.load(9).mass, 0.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn from_records(mapping: M, records: &'a [M::Record]) -> Result<Self, ViewError> {
        const { assert_records::<M>() };
        check_records(&mapping, records.len())?;
        // SAFETY: every place of a leaf is one of a leaf of the same type in one of the records, which are
        // values and borrowed for `'a`.
        Ok(unsafe { View::trusted(mapping, Records(records)) })
    }
}

impl<'a, M: Mapping> View<M, RecordsMut<'a, M::Record>> {
    /// Makes a mutable view of a slice of records, without copying; see [`from_records`](View::from_records).
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`from_records`](View::from_records).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let mut particles = vec![Particle::default(); 10];
    /// let mapping = Mapped::<Particle, _, AoS<Aligned, Native>>::new(extents!(dyn 10))?;
    /// View::from_records_mut(mapping, &mut particles)?.at_mut(9).mass.set(2.0);
    /// assert_eq!(particles[9].mass, 2.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn from_records_mut(mapping: M, records: &'a mut [M::Record]) -> Result<Self, ViewError> {
        const { assert_records::<M>() };
        check_records(&mapping, records.len())?;
        // SAFETY: as in `from_records`, borrowed mutably; the mapping is unique, as was checked.
        Ok(unsafe { View::trusted(mapping, RecordsMut(records)) })
    }
}
