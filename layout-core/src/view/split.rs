//! Disjoint mutable views of one view, split by field or by range.

use super::slice::{BlockOf, block};
use super::{ArrayOf, SharingOf, View, ViewMut};
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
    type Views<'v, M: Mapping<Record = R>, A: Address>;
    /// Does not compile if two fields share a leaf.
    #[doc(hidden)]
    const DISJOINT: ();

    /// Makes the views.
    ///
    /// # Safety
    ///
    /// The blobs at `address` fit the mapping and are borrowed mutably for `'v`, the mapping is unique.
    #[doc(hidden)]
    unsafe fn views<'v, M: Mapping<Record = R>, A: Address>(mapping: M, address: A) -> Self::Views<'v, M, A>;
}

/// Panics if two fields share a leaf. Each field is given by its first leaf and the first leaf after it.
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
            type Views<'v, M: Mapping<Record = R>, A: Address> =
                ($(View<M::Below<$s::Path>, Exclusive<'v, A>>,)+);

            const DISJOINT: () = assert_disjoint(&[$(leaves::<$s::Path>()),+]);

            #[inline(always)]
            unsafe fn views<'v, M: Mapping<Record = R>, A: Address>(mapping: M, address: A) -> Self::Views<'v, M, A> {
                let () = Self::DISJOINT;
                ($({
                    // SAFETY: the caller borrows all leaves mutably for `'v`; no two of these views have one.
                    let blobs = unsafe { Exclusive::new(address.part(<<$s as Select>::Path as Path>::LEAF)) };
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
    /// Mutable views of several fields at once; fields that overlap do not compile.
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
    #[inline(always)]
    pub fn split<S: SplitPaths<M::Record>>(&mut self, _: S) -> S::Views<'_, M, B::Address>
    where
        B: BlobsMut,
    {
        const { assert_apart::<M>() };
        let () = S::DISJOINT;
        // SAFETY: the view's blobs fit its mapping, which is unique, and are borrowed mutably.
        unsafe { S::views(self.mapping, self.blobs.address_mut()) }
    }

    /// Splits the view in two: elements whose index in `dimension` is below `middle`, and all other elements.
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
    #[inline(always)]
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
        let extents = self.extents();
        let extent = extents.as_ref().get(dimension).copied().unwrap_or(0);
        if dimension >= ArrayOf::<M>::RANK || middle > extent {
            return Err(SliceError::Range { dimension, start: 0, end: middle, extent });
        }
        let (mut low, mut high, mut start) = (extents, extents, ArrayOf::<M>::ZERO);
        low.as_mut()[dimension] = middle;
        high.as_mut()[dimension] = extent - middle;
        start.as_mut()[dimension] = middle;
        let address = self.blobs.address_mut();
        let part = |start, shape| {
            // SAFETY: the blobs are borrowed mutably for the lifetime of the result; the two blocks share no
            // element, and elements of a unique mapping share no byte.
            let blobs = unsafe { Exclusive::new(address) };
            // SAFETY: `middle` is no more than the extent, so that both blocks lie within the extents.
            let mapping = unsafe { block(&self.mapping, start, shape) };
            // SAFETY: the elements are some of those of this view, at the same places.
            unsafe { View::trusted(mapping, blobs) }
        };
        Ok((part(ArrayOf::<M>::ZERO, low), part(start, high)))
    }
}
