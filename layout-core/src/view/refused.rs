//! Values that a layout refuses, found before any is written.

use core::cell::Cell;

use super::access::check_value;
use super::rows::indices;
use super::{ArrayOf, View};
use crate::blob::Blobs;
use crate::error::{List, ValueError, ViewError};
use crate::extents::{DynExtents, Extents};
use crate::leaf::Leaf;
use crate::leaf_set::LeafSet;
use crate::mapping::{Codec, Mapped, Mapping, RecordLayout};
use crate::record::Record;
use crate::visit::{LeafVisitor, visit_leaves};

/// The leaves of which views of a mapping refuse values.
const fn refusing<M: Mapping>() -> &'static LeafSet {
    <<M::Layout as RecordLayout<M::Record>>::Codec as Codec<M::Record, M::Layout>>::REFUSES
}

/// Returns `true` if a write to a view of such a mapping may be refused because of the value.
#[doc(hidden)]
#[must_use]
pub const fn refuses<M: Mapping>() -> bool {
    !refusing::<M>().is_empty()
}

/// Returns an error for the first element of `source` that a view of this mapping refuses, in row-major order. Reads nothing if such views
/// refuse nothing.
///
/// # Errors
///
/// Returns [`ViewError::Value`], with the index of the element in `source`.
#[doc(hidden)]
pub fn check_refused<M, N, B>(mapping: M, source: &View<N, B>) -> Result<(), ViewError>
where
    M: Mapping,
    N: Mapping<Record = M::Record>,
    B: Blobs,
{
    if const { refuses::<M>() } { check_values(mapping, refusing::<M>(), source) } else { Ok(()) }
}

/// Returns an error for the first element of `source`, in row-major order, with a value that does not fit one of these leaves of the mapping.
///
/// # Errors
///
/// As [`check_refused`].
#[doc(hidden)]
pub fn check_values<M, N, B>(mapping: M, leaves: &LeafSet, source: &View<N, B>) -> Result<(), ViewError>
where
    M: Mapping,
    N: Mapping<Record = M::Record>,
    B: Blobs,
{
    let records = indices::<ArrayOf<N>>(source.extents()).map(|index| (index, source.record(index)));
    check_leaves(mapping, leaves, records)
}

/// As [`check_refused`], for records in a slice, which a view over one dimension in this layout is to store.
///
/// # Errors
///
/// As [`check_refused`], and an error if there is no view of so many records.
#[doc(hidden)]
pub fn check_records<R: Record, L: RecordLayout<R> + Default>(records: &[R]) -> Result<(), ViewError> {
    if !const { refuses::<Mapped<R, DynExtents<1>, L>>() } {
        return Ok(());
    }
    let mapping = Mapped::<R, _, L>::new(DynExtents::<1>::from_array([records.len()])?)?;
    check_refused_records(mapping, records.iter().enumerate().map(|(index, record)| ([index], *record)))
}

/// As [`check_refused`], for records with their indices.
pub(crate) fn check_refused_records<M: Mapping, I: AsRef<[usize]>>(
    mapping: M,
    records: impl Iterator<Item = (I, M::Record)>,
) -> Result<(), ViewError> {
    if const { refuses::<M>() } { check_leaves(mapping, refusing::<M>(), records) } else { Ok(()) }
}

fn check_leaves<M: Mapping, I: AsRef<[usize]>>(
    mapping: M,
    leaves: &LeafSet,
    mut records: impl Iterator<Item = (I, M::Record)>,
) -> Result<(), ViewError> {
    let fit = Fit { mapping, leaves, error: Cell::new(None) };
    records.try_for_each(|(index, record)| {
        visit_leaves(record, &fit);
        let error = |error| ViewError::Value { index: List::of(index.as_ref()), error };
        fit.error.get().map(error).map_or(Ok(()), Err)
    })
}

/// The search for the first value that does not fit a leaf.
struct Fit<'s, M> {
    mapping: M,
    leaves: &'s LeafSet,
    error: Cell<Option<ValueError>>,
}

impl<M: Mapping> LeafVisitor for Fit<'_, M> {
    fn leaf<T: Leaf>(&self, leaf: usize, value: T) {
        if !self.leaves.contains(leaf) || self.error.get().is_some() {
            return;
        }
        self.error.set(check_value::<M, _>(self.mapping.frame(), leaf, value).err());
    }
}
