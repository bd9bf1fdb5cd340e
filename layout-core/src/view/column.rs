//! Views of one leaf: the values as a slice, if they are contiguous, and as an iterator in every layout.

use super::View;
use super::elements::is_flat;
use crate::blob::{Address, Blobs, BlobsMut, Exclusive, Shared};
use crate::extents::{Extents, IndexArray};
use crate::leaf::Leaf;
use crate::linearization::Linearization;
use crate::mapping::{Element, LeafPlace, Mapping, RecordLayout, computes};
use crate::path::{Path, Root, Select};
use crate::record::Record;

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

    /// The address of the first value and the number of values, or `None` if they are not contiguous and aligned.
    fn contiguous(&self, address: B::Address) -> Option<(*mut M::Record, usize)> {
        // A slice cannot show computed leaves, and an observer cannot see the uses of a slice.
        if const { computes::<M::Record, M::Layout>(0) || <B::Address as Address>::NOTES } {
            return None;
        }
        let frame = self.mapping.frame();
        let stride = const { LeafPlace::of(M::Layout::PLACES, 0).stride };
        if !M::Layout::ALIGNED || M::Layout::RUN != usize::MAX || stride != size_of::<M::Record>() {
            return None;
        }
        if self.is_empty() || size_of::<M::Record>() == 0 {
            // Leaves of size zero lie anywhere, so their place need not be aligned.
            return Some((core::ptr::dangling_mut(), self.len()));
        }
        let position = M::position(contiguous_from(&self.mapping)?);
        // SAFETY: the blobs fit the mapping, whose frame this is, and the position is of the first element.
        let first = unsafe { Element::<_, M::Layout, _>::new(address, frame, position).place::<Root<M::Record>>() };
        Some((first, self.len()))
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
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn into_slice(self) -> Option<&'v [M::Record]> {
        let (first, len) = self.contiguous(self.blobs.address())?;
        // SAFETY: `len` values lie from `first` on, aligned; the blobs are borrowed for `'v`.
        Some(unsafe { core::slice::from_raw_parts(first, len) })
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
        let address = self.blobs.address_mut();
        let (first, len) = self.contiguous(address)?;
        // SAFETY: as in `into_slice`, borrowed mutably; the view, the only way to the values, is used up.
        Some(unsafe { core::slice::from_raw_parts_mut(first, len) })
    }
}
