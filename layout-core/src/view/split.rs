//! Views of parts of one view: disjoint mutable ones, split by field or by range, and blocks along a dimension.

use core::iter::StepBy;
use core::ops::Range;

use super::access::Kind;
use super::lasting::lasting_block;
use super::slice::BlockOf;
use super::{ArrayOf, SharingOf, View, ViewMut, ViewRef};
use crate::blob::{Address, Blobs, BlobsMut, Exclusive};
use crate::error::SliceError;
use crate::extents::IndexArray;
use crate::linearization::StridedLinearization;
use crate::mapping::{Mapping, Sharing};
use crate::path::{Path, Select, assert_exists};
use crate::record::Record;

/// Path values of fields that do not overlap: a tuple of two to eight path values.
///
/// This is the argument of [`View::split`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not select fields of `{R}`",
    note = "give a tuple of two to eight path values of that record, such as `(Particle::PATHS.pos, Particle::PATHS.vel)`"
)]
pub trait SplitPaths<R: Record> {
    /// One view for each field.
    type Views<M: Mapping<Record = R>, B: Blobs>;
    /// Does not compile if two fields share a leaf.
    #[doc(hidden)]
    const DISJOINT: ();

    /// Makes the views.
    ///
    /// # Safety
    ///
    /// The blobs at `address` fit the mapping and are borrowed as `K` says; the mapping is unique if they are written.
    #[doc(hidden)]
    unsafe fn views<M: Mapping<Record = R>, K: Kind, A: Address>(mapping: M, address: A)
    -> Self::Views<M, K::Blobs<A>>;
}

/// Panics if two fields share a leaf. Each field is given by its first leaf and the first leaf after it.
#[track_caller]
const fn assert_disjoint(fields: &[(usize, usize)]) {
    let mut i = 0;
    while i < fields.len() {
        let mut j = 0;
        while j < i {
            assert!(
                fields[i].1 <= fields[j].0 || fields[j].1 <= fields[i].0,
                "the fields of a split overlap: each leaf can be in one of its views only"
            );
            j += 1;
        }
        i += 1;
    }
}

pub(super) const JOINED: &str =
    "leaves of this layout share bytes, as bit-packed ones do: it cannot be written in parts or from several threads";

/// Fails to compile for a layout in which two leaves may share a byte.
#[track_caller]
pub(super) const fn assert_apart<M: Mapping>() {
    assert!(!<SharingOf<M> as Sharing>::JOINED, "{}", JOINED);
}

const fn leaves<P: Path>() -> (usize, usize) {
    assert_exists::<P>();
    (P::LEAF, P::LEAF + <P::Type as Record>::TREE.leaves())
}

macro_rules! split_paths {
    ($(($($s:ident),+))+) => {$(
        impl<R: Record, $($s: Select<Path: Path<Root = R>>),+> SplitPaths<R> for ($($s,)+) {
            type Views<M: Mapping<Record = R>, B: Blobs> = ($(View<M::Below<$s::Path>, B>,)+);

            const DISJOINT: () = assert_disjoint(&[$(leaves::<$s::Path>()),+]);

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn views<M: Mapping<Record = R>, K: Kind, A: Address>(
                mapping: M,
                address: A,
            ) -> Self::Views<M, K::Blobs<A>> {
                let () = Self::DISJOINT;
                ($({
                    // SAFETY: the caller borrows all leaves as `K` says; no two of these views have one.
                    let blobs = unsafe { K::blobs(address.part(<<$s as Select>::Path as Path>::LEAF)) };
                    // SAFETY: the leaves are some of those of the whole record, at the same places.
                    unsafe { View::trusted(mapping.below::<$s::Path>(), blobs) }
                },)+)
            }
        }
    )+};
}

split_paths! {
    (S1, S2) (S1, S2, S3) (S1, S2, S3, S4) (S1, S2, S3, S4, S5) (S1, S2, S3, S4, S5, S6)
    (S1, S2, S3, S4, S5, S6, S7) (S1, S2, S3, S4, S5, S6, S7, S8)
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Mutable views of several fields at once. Fields that overlap do not compile, nor do layouts whose leaves share bytes, such as
    /// bit-packed layouts.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let mut particles = alloc::<Particle, AoS, _>(10)?;
    /// let (mut pos, mut mass) = particles.split((Particle::PATHS.pos, Particle::PATHS.mass));
    /// pos.fill([1.0, 2.0]);
    /// mass.fill(3.0);
    /// assert_eq!(particles.load(9), Particle { pos: [1.0, 2.0], mass: 3.0 });
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn split<S: SplitPaths<M::Record>>(&mut self, _: S) -> S::Views<M, Exclusive<'_, B::Address>>
    where
        B: BlobsMut,
    {
        const { assert_apart::<M>() };
        let () = S::DISJOINT;
        // SAFETY: the view's blobs fit its mapping, which is unique, and are borrowed mutably.
        unsafe { S::views::<M, &mut (), B::Address>(self.mapping, self.blobs.address_mut()) }
    }

    /// Splits the view in two: elements whose index in `dimension` is below `middle`, and all other elements. Does not compile for
    /// layouts whose leaves share bytes, such as bit-packed layouts.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, or if `middle` exceeds its extent.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut grid = alloc::<u8, SoA, _>([4, 6])?;
    /// let (mut top, mut bottom) = grid.split_at(0, 1).unwrap();
    /// top.fill(1);
    /// bottom.fill(2);
    /// assert_eq!((grid.get([0, 5]), grid.get([1, 0])), (1, 2));
    /// assert!(grid.split_at(0, 5).is_err());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[allow(clippy::type_complexity, reason = "two views of one type")]
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn split_at(
        &mut self,
        dimension: usize,
        middle: usize,
    ) -> Result<(ViewMut<'_, BlockOf<M>, B>, ViewMut<'_, BlockOf<M>, B>), SliceError>
    where
        B: BlobsMut,
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        const { assert_apart::<M>() };
        let extent = middle_of(self.extents(), dimension, middle)?;
        let address = self.blobs.address_mut();
        // SAFETY: the blobs are borrowed mutably for the lifetime of the result; the two blocks share no element.
        let part = |from, len| unsafe {
            lasting_block::<M, Exclusive<'_, B::Address>>(&self.mapping, address, dimension, from, len)
        };
        Ok((part(0, middle), part(middle, extent - middle)))
    }

    /// Splits the view into blocks of `len` indices along `dimension`; the last block may have fewer. Blocks are mutable and
    /// disjoint, so each can go to a thread of its own. Does not compile for layouts whose leaves share bytes, such as bit-packed
    /// layouts.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension, or if `len` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut grid = alloc::<usize, SoA, _>([5, 3])?;
    /// for (number, mut rows) in grid.chunks_mut(0, 2).enumerate() {
    ///     rows.fill(number);
    /// }
    /// assert_eq!(grid.slice((.., 0)).to_vec(), [0, 0, 1, 1, 2]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn chunks_mut(
        &mut self,
        dimension: usize,
        len: usize,
    ) -> impl ExactSizeIterator<Item = ViewMut<'_, BlockOf<M>, B>> + DoubleEndedIterator
    where
        B: BlobsMut,
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        const { assert_apart::<M>() };
        let (mapping, address) = (self.mapping, self.blobs.address_mut());
        let extent = extent_along(self.extents(), dimension);
        starts(extent, len, len).map(move |from| {
            let len = len.min(extent - from);
            // SAFETY: the blobs are borrowed mutably for the lifetime of the result; each block is made once, and no two share an element.
            unsafe { lasting_block::<M, Exclusive<'_, B::Address>>(&mapping, address, dimension, from, len) }
        })
    }

    /// Blocks of `len` indices along `dimension`, one after another; the last block may have fewer.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension, or if `len` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let values = alloc_from_fn::<usize, SoA, _>(5, |[i]| i)?;
    /// let sums: Vec<usize> = values.chunks(0, 2).map(|chunk| chunk.values().sum()).collect();
    /// assert_eq!(sums, [1, 5, 4]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn chunks(
        &self,
        dimension: usize,
        len: usize,
    ) -> impl ExactSizeIterator<Item = ViewRef<'_, BlockOf<M>, B>> + DoubleEndedIterator
    where
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        self.as_ref().into_chunks(dimension, len)
    }

    /// All blocks of exactly `len` neighboring indices along `dimension`. Each block starts one index after the block before.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension, or if `len` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let values = alloc_from_fn::<usize, SoA, _>(5, |[i]| i * i)?;
    /// let steps: Vec<usize> = values.windows(0, 2).map(|pair| pair.get(1) - pair.get(0)).collect();
    /// assert_eq!(steps, [1, 3, 5, 7]);
    /// assert_eq!(values.windows(0, 6).len(), 0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn windows(
        &self,
        dimension: usize,
        len: usize,
    ) -> impl ExactSizeIterator<Item = ViewRef<'_, BlockOf<M>, B>> + DoubleEndedIterator
    where
        M::Linearization: StridedLinearization<ArrayOf<M>>,
    {
        self.as_ref().into_windows(dimension, len)
    }
}

/// The extent of `dimension`, or an error if there is no such dimension.
#[cfg_attr(not(unoptimized), inline(always))]
fn extent_of<A: IndexArray>(extents: A, dimension: usize) -> Result<usize, SliceError> {
    extents.as_ref().get(dimension).copied().ok_or(SliceError::Dimension { dimension, rank: A::RANK })
}

/// The extent of `dimension`, or an error if there is no such dimension, or if `middle` exceeds the extent.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn middle_of<A: IndexArray>(extents: A, dimension: usize, middle: usize) -> Result<usize, SliceError> {
    let extent = extent_of(extents, dimension)?;
    if middle > extent {
        return Err(SliceError::Range { dimension, start: 0, end: middle, extent });
    }
    Ok(extent)
}

#[track_caller]
pub(super) fn extent_along<A: IndexArray>(extents: A, dimension: usize) -> usize {
    match extent_of(extents, dimension) {
        Ok(extent) => extent,
        Err(error) => panic!("{error}"),
    }
}

/// The starts of blocks of `len` indices, one every `step` indices.
#[track_caller]
pub(super) fn starts(count: usize, step: usize, len: usize) -> StepBy<Range<usize>> {
    assert!(len > 0, "a block of zero indices: give a length of at least 1");
    (0..count).step_by(step)
}
