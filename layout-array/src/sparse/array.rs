//! Sparse arrays, and their elements one by one.

use core::fmt;
use std::sync::Arc;

use layout_core::{Record, RecordLayout, check_records};
use layout_domain::{Domain, DomainMap, Index, SparseDomain};
use layout_mappings::SoA;
use layout_store::{Dim, Or, Runtime, Store};

use super::indices::Indices;
use crate::positions::SharedMap;
use crate::values::check_on_all;
use crate::{Array, ArrayError, agree};

/// An array of records `R` at some of the indices of a domain of `N` dimensions, its *parent*. All other indices read as one value. Each
/// element lies on the owner of its index in the distribution of the parent.
///
/// A locale has memory for its own elements and their sorted indices; of other locales it knows only the number of elements. The rows of
/// the parent take no memory, and neither do the blocks of the distribution if it is a
/// [partition](layout_domain::DomainMap::is_partition), as blocks, cycles and stencils are. So only the owner of an index knows whether the
/// index has an element, and calls that depend on this wait for the answer of the owner. `get`, `put` and `contains` take the same index on
/// all locales. Calls that take a list take another list on each locale and send each entry to its owner, in one message for each pair of
/// locales; an entry may be in the list of one locale or of several.
///
/// | To | Methods |
/// |---|---|
/// | create | [`new`](Self::new), [`from_entries`](Self::from_entries), [`like`](Self::like), [`sample`](Self::sample) |
/// | ask | [`parent`](Self::parent), [`map`](Self::map), [`owner`](Self::owner), [`local`](Self::local), [`len`](Self::len), [`contains`](Self::contains) |
/// | reach elements | [`get`](Self::get), [`put`](Self::put), [`put_all`](Self::put_all) |
/// | loop | [`read`](Self::read), [`write`](Self::write), [`update`](Self::update), and [`SparseLoop`](crate::SparseLoop) |
/// | change | [`insert`](Self::insert), [`remove`](Self::remove), [`resize`](Self::resize), [`redistribute`](Self::redistribute) |
/// | multiply | [`multiply`](Self::multiply), [`multiply_by`](Self::multiply_by), [`multiply_onto`](Self::multiply_onto), [`multiply_onto_by`](Self::multiply_onto_by) |
/// | wait for elements | [`to_vec`](Self::to_vec), [`gather`](Self::gather) |
///
/// # Examples
///
/// ```
/// use layout::array::{ArrayError, SparseArray};
/// use layout::domain::{Block, Domain, Targets};
/// use layout::store::Runtime;
///
/// let entries = Runtime::builder().locales(2).threads(1).simulate(|rt| {
///     let matrix = Domain::new([1..=1_000_000, 1..=1_000_000]);
///     let blocks = Block::over(&matrix, Targets::all(2)?)?;
///     // Each locale knows two entries, of which one is another locale's as well: such values are added.
///     let own = [([500_000, 7], 1.0), ([3 + 900_000 * rt.locale() as i64, 5], 2.0)];
///     let mut a: SparseArray<f64, 2> = SparseArray::from_entries(rt, &matrix, blocks, 0.0, own, |a, b| a + b)?;
///     a.put([3, 5], 7.0)?;
///     assert!(matches!(a.put([3, 6], 1.0), Err(ArrayError::Absent { .. })));
///     a.insert([[3, 6]])?;
///     assert_eq!((a.len(), a.get([3, 5])?, a.get([3, 6])?, a.get([9, 9])?), (4, 7.0, 0.0, 0.0));
///     a.to_vec()
/// })?;
/// let expected = [([3, 5], 7.0), ([3, 6], 0.0), ([500_000, 7], 2.0), ([900_003, 5], 2.0)];
/// for entries in entries {
///     assert_eq!(entries?, expected);
/// }
/// # Ok::<(), ArrayError>(())
/// ```
pub struct SparseArray<R, const N: usize, L = SoA, I: Index = i64> {
    pub(super) indices: Arc<Indices<N, I>>,
    /// The value of absent indices, and the first value of new elements.
    pub(super) absent: R,
    pub(super) elements: Array<R, 1, L>,
}

impl<R: Clone, const N: usize, L, I: Index> Clone for SparseArray<R, N, L, I>
where
    Array<R, 1, L>: Clone,
{
    fn clone(&self) -> Self {
        let Self { indices, absent, elements } = self;
        Self { indices: indices.clone(), absent: absent.clone(), elements: elements.clone() }
    }
}

impl<R, const N: usize, L, I: Index> fmt::Debug for SparseArray<R, N, L, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparseArray").field("indices", &self.indices).finish_non_exhaustive()
    }
}

impl<R, const N: usize, L, I: Index> SparseArray<R, N, L, I> {
    /// The domain that contains the indices of the array.
    #[must_use]
    pub fn parent(&self) -> &Domain<N, I> {
        self.indices.parent()
    }

    /// The distribution of the parent.
    #[must_use]
    pub fn map(&self) -> &Arc<dyn DomainMap<N, I> + Send + Sync> {
        &self.indices.map
    }

    /// The locale on which the element at an index lies, or would lie if the index had one.
    #[must_use]
    pub fn owner(&self, index: [I; N]) -> Option<usize> {
        self.map().owner(index, 0)
    }

    /// The indices of the elements of this locale, in the order of the parent.
    #[must_use]
    pub fn local(&self) -> &SparseDomain<N, I> {
        &self.indices.own
    }

    /// The number of elements of all locales.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns `true` if no locale has an element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The store of the elements: those of the first locale first, and the elements of each locale in the order of the parent.
    #[must_use]
    pub fn store(&self) -> &Store<R, Dim<1>, L> {
        self.elements.store()
    }

    /// The runtime.
    pub(super) fn runtime(&self) -> Runtime {
        self.elements.runtime()
    }
}

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> SparseArray<R, N, L, I> {
    /// Creates an array with an element at each index of a list, which is the same on all locales. All elements are `absent`, the value of
    /// all other indices. Nothing is sent.
    ///
    /// # Errors
    ///
    /// The errors of [`Array::new`], and [`ArrayError::SharedBytes`] on several locales if [elements share bytes](Store::shares_bytes).
    pub fn new(
        rt: &Runtime,
        indices: &SparseDomain<N, I>,
        map: impl DomainMap<N, I> + Send + Sync + 'static,
        absent: R,
    ) -> Result<Self, ArrayError> {
        let indices = Indices::of_list(rt, indices, Arc::new(map))?.into();
        Self::filled(rt, indices, absent)
    }

    /// Creates an array of entries; each locale passes some of them. If an index is given several times, `combine` makes one value of all,
    /// in the order of locales.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new). If any locale passes an index that is not in the parent, all locales get an error.
    pub fn from_entries(
        rt: &Runtime,
        parent: &Domain<N, I>,
        map: impl DomainMap<N, I> + Send + Sync + 'static,
        absent: R,
        entries: impl IntoIterator<Item = ([I; N], R)>,
        combine: impl Fn(R, R) -> R,
    ) -> Result<Self, ArrayError> {
        let map: SharedMap<N, I> = Arc::new(map);
        crate::positions::check(rt, parent, &map)?;
        let come = Indices::to_owners(rt, (parent, &map), entries)?;
        let mut own = SparseDomain::new(parent);
        own.insert(come.iter().map(|(index, _)| *index))?;
        let mut values: Vec<Option<R>> = vec![None; own.len()];
        for (index, value) in come {
            let Some(at) = own.order(index) else { continue };
            values[at] = Some(values[at].map_or(value, |before| combine(before, value)));
        }
        let indices = Arc::new(Indices::of_parts(rt, own, map)?);
        Self::from_fn(rt, indices, absent, move |at| values[at].unwrap_or(absent))
    }

    /// Creates an array that shares the indices of this one, so that both can be zipped. All elements are `absent`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is not enough memory, or zero is not a valid value of a leaf, and [`ArrayError::SharedBytes`] as
    /// [`new`](Self::new) does.
    pub fn like<S: Record, K: RecordLayout<S> + Default>(
        &self,
        absent: S,
    ) -> Result<SparseArray<S, N, K, I>, ArrayError> {
        SparseArray::filled(&self.runtime(), self.indices.clone(), absent)
    }

    fn filled(rt: &Runtime, indices: Arc<Indices<N, I>>, absent: R) -> Result<Self, ArrayError> {
        Self::from_fn(rt, indices, absent, move |_| absent)
    }

    /// Creates an array; `f` computes the elements of this locale from their numbers.
    pub(super) fn from_fn(
        rt: &Runtime,
        indices: Arc<Indices<N, I>>,
        absent: R,
        f: impl Fn(usize) -> R + Send + Sync + 'static,
    ) -> Result<Self, ArrayError> {
        let array = Self::unwritten(rt, indices, absent)?;
        array.write().named("start").for_each(move |chunk, (mut view,)| {
            for (k, at) in chunk.places().enumerate() {
                view.set(k, f(at));
            }
        })?;
        Ok(array)
    }

    /// Creates an array whose elements are unwritten.
    pub(super) fn unwritten(rt: &Runtime, indices: Arc<Indices<N, I>>, absent: R) -> Result<Self, ArrayError> {
        let count = indices.len();
        let store = if count == 0 { rt.create_from(0, &[])? } else { rt.create(count)? };
        ArrayError::check_apart_bytes(&store, "sparse arrays")?;
        let (domain, tiles) = (Domain::from(0..i64::try_from(count).unwrap_or(i64::MAX)), indices.tiling.clone());
        let elements = Array { domain, map: Arc::new(indices.parts.clone()), store, tiles, part: false };
        Ok(Self { indices, absent, elements })
    }

    /// Returns an error if the parent does not have an index.
    fn check(&self, index: [I; N]) -> Result<(), ArrayError> {
        if self.parent().contains(index) {
            return Ok(());
        }
        Err(ArrayError::Index { index: index.map(Index::wide).to_vec(), domain: self.parent().to_string() })
    }

    pub(super) fn no_element(&self, index: Vec<i128>) -> ArrayError {
        ArrayError::Absent { index, count: self.len() }
    }

    /// Returns `true` if there is an element at an index. The owner of the index tells all locales.
    ///
    /// # Errors
    ///
    /// Returns an error if the parent does not have the index.
    pub fn contains(&self, index: [I; N]) -> Result<bool, ArrayError> {
        self.check(index)?;
        Ok(agree::combined(&self.runtime(), self.local().contains(index), Or)?)
    }

    /// Waits for the element at an index and returns it on every locale; returns the value of absent indices if there is no element. The
    /// owner tells whether there is one, and sends its value, each in a message for each doubling of the number of locales.
    ///
    /// # Errors
    ///
    /// Returns an error if the parent does not have the index, or a task failed that was to write the element.
    pub fn get(&self, index: [I; N]) -> Result<R, ArrayError> {
        self.check(index)?;
        let at = self.local().order(index).and_then(|at| i64::try_from(self.indices.range.start + at).ok());
        // This waits for the one element, so failures of other elements of its owner are none of it.
        agree::first(&self.runtime(), at)?.map_or(Ok(self.absent), |at| self.elements.get([at]))
    }

    /// Writes the element at an index, on its owner; waits for the owner to confirm that there is an element.
    ///
    /// # Errors
    ///
    /// [`ArrayError::Absent`], on every locale, if there is no element at the index. Returns an error, too, if the parent does not have the
    /// index, or the layout refuses the value. Then nothing is written.
    pub fn put(&self, index: [I; N], value: R) -> Result<(), ArrayError> {
        if !self.contains(index)? {
            return Err(self.no_element(index.map(Index::wide).to_vec()));
        }
        check_records::<R, L>(&[value])?;
        let at = self.local().order(index);
        self.set(at.into_iter().map(|at| (at, value)).collect())
    }

    /// Writes elements, on their owners; each locale passes its own list. Of several values for one index, the value of the last locale
    /// wins, and of several values of one locale the last one.
    ///
    /// # Errors
    ///
    /// Returns, on every locale, [`ArrayError::Absent`] if there is no element at one of the indices, and [`DomainError::NotInParent`] if
    /// the parent does not have one of the indices; an error, too, if the layout refuses a value. Then nothing is written.
    ///
    /// [`DomainError::NotInParent`]: layout_domain::DomainError::NotInParent
    pub fn put_all(&self, entries: impl IntoIterator<Item = ([I; N], R)>) -> Result<(), ArrayError> {
        let rt = self.runtime();
        let come = Indices::to_owners(&rt, (self.parent(), self.map()), entries)?;
        let places = come.iter().map(|(index, value)| Some((self.local().order(*index)?, *value)));
        let places: Option<Vec<_>> = places.collect();
        let absent = || come.iter().map(|(index, _)| *index).find(|index| !self.local().contains(*index));
        let absent = if places.is_some() { None } else { absent().map(|index| index.map(Index::wide).to_vec()) };
        if let Some(index) = agree::first(&rt, absent)? {
            return Err(self.no_element(index));
        }
        check_on_all::<R, L>(&rt, come.iter().map(|(_, value)| *value))?;
        self.set(places.unwrap_or_default())
    }

    /// Sets elements of this locale, by number.
    fn set(&self, mut values: Vec<(usize, R)>) -> Result<(), ArrayError> {
        // The sort is stable: of equal numbers, the last value comes last.
        values.sort_by_key(|(at, _)| *at);
        self.update().named("put").for_each(move |chunk, (mut view,)| {
            let places = chunk.places();
            let own = values.partition_point(|(at, _)| *at < places.start);
            for (at, value) in values[own..].iter().take_while(|(at, _)| *at < places.end) {
                view.set(at - places.start, *value);
            }
        })?;
        Ok(())
    }

    /// Sets all elements to a value; returns at once.
    ///
    /// # Errors
    ///
    /// Returns an error if it is called from inside a task.
    pub fn fill(&self, value: R) -> Result<(), ArrayError> {
        self.elements.fill(value)
    }

    /// Waits for the elements and returns all of them with their indices, in the order of the parent, on every locale.
    ///
    /// # Errors
    ///
    /// Returns an error if a task failed that was to write some of the elements.
    pub fn to_vec(&self) -> Result<Vec<([I; N], R)>, ArrayError> {
        self.entries(|_| true)
    }

    /// Waits for the elements and returns all of them with their indices, in the order of the parent, on one locale; `None` on all others.
    ///
    /// # Errors
    ///
    /// The errors of [`to_vec`](Self::to_vec). If there is no such locale, no locale gets the elements.
    #[expect(clippy::type_complexity, reason = "a list of pairs, on one locale")]
    pub fn gather(&self, locale: usize) -> Result<Option<Vec<([I; N], R)>>, ArrayError> {
        let entries = self.entries(|to| to == locale)?;
        Ok((self.runtime().locale() == locale).then_some(entries))
    }

    /// All elements with their indices on some of the locales.
    fn entries(&self, wanted: impl Fn(usize) -> bool) -> Result<Vec<([I; N], R)>, ArrayError> {
        let (rt, parent) = (self.runtime(), self.parent());
        let values = self.own_values()?;
        let places = self.local().iter().map(|index| super::indices::position(parent, index));
        let own: Vec<_> = places.zip(values).collect();
        let lists = (0..rt.locales()).map(|to| if wanted(to) { own.clone() } else { Vec::new() });
        let mut all: Vec<_> = rt.exchange(lists.collect())?.into_iter().flatten().collect();
        all.sort_unstable_by_key(|(place, _)| *place);
        let index = |place: [i64; N]| crate::positions::index_at(parent, &place);
        Ok(all.into_iter().filter_map(|(place, value)| Some((index(place)?, value))).collect())
    }

    /// Waits for the elements of this locale and returns their values, in order. If a task failed that was to write elements of any locale,
    /// all locales return its error.
    pub(super) fn own_values(&self) -> Result<Vec<R>, ArrayError> {
        let own = self.elements.read_local(|parts| parts.iter().flat_map(|(_, view)| view.to_vec()).collect());
        agree::outcome(&self.runtime(), own)
    }
}
