//! Operations on whole views: fill, map, copy, compare and show.

use core::fmt;

use super::blocks::{across_both, each_block};
use super::rows::Rows;
use super::{ArrayOf, View, Zip, try_zip};
use crate::blob::{Blobs, BlobsMut};
use crate::extents::{Extents, IndexArray};
use crate::linearization::Linearization;
use crate::mapping::Mapping;
#[cfg(feature = "alloc")]
use crate::mapping::RecordLayout;
use crate::record::Record;

#[cfg(feature = "alloc")]
use super::Owned;
#[cfg(feature = "alloc")]
use crate::error::ViewError;
#[cfg(feature = "alloc")]
use crate::mapping::Mapped;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// The record at an index within the extents.
    pub(super) fn record(&self, index: ArrayOf<M>) -> M::Record {
        self.loaded(M::position(self.mapping.linearization().position(self.extents(), index)))
    }

    /// Makes a new view in the layout `L`, whose elements are the results of `f` for the elements of this view.
    ///
    /// The new view is in row-major order, and `f` gets the elements in that order. If neighbors in memory lie along another dimension of this
    /// view, [`copy_from`](Self::copy_from) to a view in row-major order and [`update`](Self::update) are faster.
    ///
    /// # Errors
    ///
    /// Returns an error if the new view would be too large, or if there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let celsius = alloc_from_fn::<f32, AoS, _>(3, |[i]| i as f32)?;
    /// let fahrenheit = celsius.map::<f64, SoA>(|degrees| f64::from(degrees) * 1.8 + 32.0)?;
    /// assert_eq!(fahrenheit.get(0), 32.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn map<R, L>(&self, mut f: impl FnMut(M::Record) -> R) -> Result<Owned<Mapped<R, M::Extents, L>>, ViewError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
    {
        let () = Mapped::<R, M::Extents, L>::CHECKED;
        let mapping = Mapped::new(self.mapping.extents())?;
        View::from_fn(mapping, |index| f(self.record(index)))
    }

    /// Writes `value` to every element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<[u8; 2], SoA, _>(3)?;
    /// view.fill([1, 2]);
    /// assert_eq!(view.to_vec(), [[1, 2]; 3]);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn fill(&mut self, value: M::Record)
    where
        B: BlobsMut,
    {
        self.for_each_mut(|mut slots| value.store(&mut slots));
    }

    /// Replaces every element by the result of `f` for that element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc_from_fn::<usize, AoSoA<2>, _>(3, |[i]| i)?;
    /// view.update(|value| value * value);
    /// assert_eq!(view.to_vec(), [0, 1, 4]);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn update(&mut self, mut f: impl FnMut(M::Record) -> M::Record)
    where
        B: BlobsMut,
    {
        self.for_each_mut(|mut slots| f(M::Record::load(&slots)).store(&mut slots));
    }
}

/// Views are equal if their extents and all elements are equal; their layouts may differ.
impl<M, N, B, C> PartialEq<View<N, C>> for View<M, B>
where
    M: Mapping<Record: PartialEq>,
    N: Mapping<Record = M::Record, Extents: Extents<Array = ArrayOf<M>>>,
    B: Blobs,
    C: Blobs,
{
    fn eq(&self, other: &View<N, C>) -> bool {
        let Ok(zip) = try_zip((self, other)) else { return false };
        let are_equal = |rows| {
            let mut elements = Zip { rows, indexed: rows, ..zip }.iter();
            elements.all(|(a, b)| M::Record::load(&a) == M::Record::load(&b))
        };
        let extents = self.extents();
        let nest = zip.indexed.nest;
        match across_both(nest, other.mapping.linearization().nest(extents)) {
            None => are_equal(zip.rows),
            Some(side) => {
                let compare = |start, shape| are_equal(Rows::part(start, shape, nest)).then_some(()).ok_or(());
                each_block(&extents, &side, false, compare).is_ok()
            }
        }
    }
}

impl<M: Mapping<Record: Eq>, B: Blobs> Eq for View<M, B> {}

impl<M: Mapping<Record: fmt::Debug>, B: Blobs> fmt::Debug for View<M, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The elements below an index, as nested lists.
        struct Nested<'v, M: Mapping, B>(&'v View<M, B>, ArrayOf<M>, usize);

        impl<M: Mapping<Record: fmt::Debug>, B: Blobs> fmt::Debug for Nested<'_, M, B> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Self(view, index, dimension) = self;
                let Some(extent) = view.extents().as_ref().get(*dimension).copied() else {
                    return view.record(*index).fmt(f);
                };
                let mut list = f.debug_list();
                let mut index = *index;
                for k in 0..extent {
                    index.as_mut()[*dimension] = k;
                    list.entry(&Self(view, index, dimension + 1));
                }
                list.finish()
            }
        }

        Nested(self, ArrayOf::<M>::ZERO, 0).fmt(f)
    }
}
