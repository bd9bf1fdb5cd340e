//! Associative arrays: elements at keys of any type with a hash.
//!
//! ```text
//! owner        by a function of the key that is the same in all processes
//! local        each locale has a table of its keys, and the values of the keys in one record layout, in the order of the table
//! in bulk      each locale sends each other one a message with the keys for it, and for questions gets one back
//! ```

use core::fmt::{self, Debug};
use core::hash::Hash;
use std::sync::Arc;

use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};
use layout_core::{
    Portable, Record, RecordLayout, RecordSlice, RecordSliceMut, RecordVec, ViewError, alloc, check_records,
};
use layout_domain::{DomainError, Hashed};
use layout_mappings::SoA;
use layout_store::{PartitionError, Reduction, Runtime, StoreError, Sum};

use crate::values::view_of;
use crate::{ArrayError, agree};

/// Values of records `V` at keys of any type that has a hash: strings, records, tuples.
///
/// A [`Hashed`] distribution gives each key to a locale. A locale has memory for its own keys and values and for the entries that it just
/// received; this memory belongs to the program and is not a store of the runtime. `get` and `contains` take the same key on all locales.
/// Calls that take a list take another list on each locale, and send each entry to its owner, in one message for each pair of locales. All
/// locales make every call, and wait, except for the calls on the pairs of this locale.
///
/// | To | Methods |
/// |---|---|
/// | ask | [`len`](Self::len), [`is_empty`](Self::is_empty), [`contains`](Self::contains), [`owner`](Self::owner) |
/// | reach elements | [`get`](Self::get), [`get_all`](Self::get_all), [`extend`](Self::extend), [`update`](Self::update), [`remove`](Self::remove) |
/// | use those of this locale | [`local`](Self::local), [`keys`](Self::keys), [`values`](Self::values), [`values_mut`](Self::values_mut) |
/// | combine | [`reduce`](Self::reduce), [`to_sorted_vec`](Self::to_sorted_vec) |
///
/// # Examples
///
/// The words of a text, counted:
///
/// ```
/// use layout::array::{ArrayError, HashedArray};
/// use layout::domain::{Hashed, Targets};
/// use layout::store::{Max, Runtime};
///
/// let verse = ["the rain in spain", "stays in the plain", "in the main"];
/// let counted = Runtime::builder().locales(3).threads(1).simulate(|rt| {
///     let mut counts: HashedArray<String, u64> = HashedArray::new(rt, Hashed::new(Targets::all(3)?))?;
///     // Each locale has a line.
///     let words = verse[rt.locale()].split(' ').map(|word| (word.to_owned(), 1));
///     counts.update(words, |a, b| a + b)?;
///     assert_eq!((counts.get(&"in".to_owned())?, counts.get(&"snow".to_owned())?), (Some(3), None));
///     assert_eq!(counts.reduce(Max, |_, count| count)?, 3);
///     counts.to_sorted_vec()
/// })?;
/// for counts in counted {
///     let expected = [("in", 3), ("main", 1), ("plain", 1), ("rain", 1), ("spain", 1), ("stays", 1), ("the", 3)];
///     assert_eq!(counts?, expected.map(|(word, count)| (word.to_owned(), count)));
/// }
/// # Ok::<(), ArrayError>(())
/// ```
pub struct HashedArray<K, V: Record, L: RecordLayout<V> = SoA> {
    runtime: Runtime,
    map: Arc<Owner<K>>,
    /// The locales of the distribution.
    locales: usize,
    keys: IndexSet<K>,
    /// The values of the keys, in the order of the keys.
    values: RecordVec<V, L>,
}

/// The locale of a key.
type Owner<K> = dyn Fn(&K) -> Result<usize, DomainError> + Send + Sync;

impl<K: Debug, V: Record, L: RecordLayout<V>> Debug for HashedArray<K, V, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HashedArray").field("keys", &self.keys).finish_non_exhaustive()
    }
}

impl<K, V, L> HashedArray<K, V, L>
where
    K: Hash + Eq + Debug + Portable + Send + Sync + 'static,
    V: Record,
    L: RecordLayout<V> + Default,
{
    /// Creates an array without keys. Nothing is sent.
    ///
    /// # Errors
    ///
    /// Returns an error if the distribution names a locale that does not exist, or if the layout cannot store the record.
    pub fn new<M>(rt: &Runtime, map: Hashed<K, M>) -> Result<Self, ArrayError>
    where
        M: Fn(&K, usize) -> usize + Send + Sync + 'static,
    {
        if let Some(&locale) = map.locales().iter().find(|locale| **locale >= rt.locales()) {
            return Err(StoreError::from(PartitionError::Target { locale, locales: rt.locales() }).into());
        }
        let (runtime, locales) = (rt.handle(), map.locales().len());
        let values = RecordVec::from_view(alloc(0)?);
        let keys = IndexSet::new();
        Ok(Self { runtime, locales, map: Arc::new(move |key| map.owner(key)), keys, values })
    }

    /// The locale on which the value of a key lies, or would lie if the array had the key. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`DomainError::Mapper`] if the function of the distribution returns a number beyond its locales.
    pub fn owner(&self, key: &K) -> Result<usize, ArrayError> {
        Ok((self.map)(key)?)
    }

    /// The number of keys of all locales.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot go on, for example if a locale was lost.
    pub fn len(&self) -> Result<usize, ArrayError> {
        Ok(agree::combined(&self.runtime, self.keys.len(), Sum)?)
    }

    /// Returns `true` if no locale has a key.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot go on, for example if a locale was lost.
    pub fn is_empty(&self) -> Result<bool, ArrayError> {
        Ok(self.len()? == 0)
    }

    /// The value of a key, which its owner sends to all locales; `None` if the array does not have the key.
    ///
    /// # Errors
    ///
    /// The errors of [`owner`](Self::owner).
    pub fn get(&self, key: &K) -> Result<Option<V>, ArrayError> {
        self.owner(key)?;
        Ok(agree::first(&self.runtime, self.local_get(key))?)
    }

    /// Returns `true` if the array has a key. The owner of the key tells all locales.
    ///
    /// # Errors
    ///
    /// The errors of [`owner`](Self::owner).
    pub fn contains(&self, key: &K) -> Result<bool, ArrayError> {
        self.owner(key)?;
        Ok(agree::first(&self.runtime, self.keys.contains(key).then_some(()))?.is_some())
    }

    /// The values of a list of keys, in order; each locale passes its own list. There is one message with keys for each pair of locales,
    /// and one with values.
    ///
    /// # Errors
    ///
    /// The errors of [`update`](Self::update).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::HashedArray;
    /// use layout::domain::{Hashed, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let mut squares: HashedArray<(u8, i64), i64> = HashedArray::new(&rt, Hashed::new(Targets::all(1)?))?;
    /// squares.extend((0..9).map(|x| ((1, x), x * x)))?;
    /// assert_eq!(squares.get_all([(1, 7), (2, 7), (1, 3)])?, [Some(49), None, Some(9)]);
    /// assert_eq!(squares.remove([(1, 7), (2, 7)])?, 1);
    /// assert_eq!((squares.len()?, squares.contains(&(1, 7))?), (8, false));
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn get_all(&self, keys: impl IntoIterator<Item = K>) -> Result<Vec<Option<V>>, ArrayError> {
        let (lists, owners) = self.for_owners(keys, |key| key)?;
        let asked = self.runtime.exchange(lists)?;
        let answers = asked.into_iter().map(|keys| keys.iter().map(|key| self.local_get(key)).collect());
        let mut answers: Vec<_> = self.runtime.exchange(answers.collect())?.into_iter().map(Vec::into_iter).collect();
        // Each locale answers in the order in which it was asked.
        Ok(owners.into_iter().map(|owner| answers.get_mut(owner).and_then(Iterator::next).flatten()).collect())
    }

    /// Adds pairs of a key and a value; each locale passes its own pairs. A key that the array already has gets the new value. Of several
    /// values for one key, the value of the last locale wins, and of several values of one locale the last one.
    ///
    /// # Errors
    ///
    /// The errors of [`update`](Self::update).
    pub fn extend(&mut self, pairs: impl IntoIterator<Item = (K, V)>) -> Result<(), ArrayError> {
        self.update(pairs, |_, new| new)
    }

    /// Adds pairs of a key and a value; each locale passes its own pairs. If the array already has the key, or several pairs have the same
    /// key, `combine` makes one value of the earlier value and the new one. It must be associative: a locale combines its own values of a
    /// key in order and sends the result; the owner combines these results in the order of locales.
    ///
    /// # Errors
    ///
    /// The errors of [`owner`](Self::owner), and [`ArrayError::Unstored`] if the layout refuses a new value or there is not enough memory. If
    /// any locale passes a key that gives an error, or cannot store a value, all locales get the error of the first of these locales, and
    /// nothing is changed.
    pub fn update(
        &mut self,
        pairs: impl IntoIterator<Item = (K, V)>,
        combine: impl Fn(V, V) -> V,
    ) -> Result<(), ArrayError> {
        let mut own: IndexMap<K, V> = IndexMap::new();
        for (key, value) in pairs {
            own.entry(key).and_modify(|before| *before = combine(*before, value)).or_insert(value);
        }
        let (lists, _) = self.for_owners(own, |(key, _)| key)?;
        // For each key its place in the table, if it has one, and beside it the new value.
        let (mut places, mut values) = (IndexMap::new(), Vec::new());
        for (key, value) in self.runtime.exchange(lists)?.into_iter().flatten() {
            match places.entry(key) {
                Entry::Occupied(entry) => {
                    let before = &mut values[entry.index()];
                    *before = combine(*before, value);
                }
                Entry::Vacant(entry) => {
                    let place = self.keys.get_index_of(entry.key());
                    values.push(place.map_or(value, |place| combine(self.values.load(place), value)));
                    entry.insert(place);
                }
            }
        }
        self.store(places, &values)
    }

    /// Stores new values of keys of this locale if all locales can store theirs. A key without a place in the table gets one.
    fn store(&mut self, places: IndexMap<K, Option<usize>>, values: &[V]) -> Result<(), ArrayError> {
        let added: Vec<V> =
            places.values().zip(values).filter(|(place, _)| place.is_none()).map(|(_, value)| *value).collect();
        let refused = |error| match error {
            ViewError::Value { index, error } => {
                let key = places.get_index(index.as_ref()[0].cast_unsigned()).map(|(key, _)| key);
                format!("the value of key {:?}: {error}", key.unwrap_or_else(|| unreachable!("each value has a key")))
            }
            error => error.to_string(),
        };
        let mut add = || {
            check_records::<V, L>(values).map_err(refused)?;
            self.keys.try_reserve(added.len()).map_err(|error| error.to_string())?;
            view_of(&added)
                .and_then(|added| self.values.try_extend_from_view(&added))
                .map_err(|error| error.to_string())
        };
        let why = add().err().map(|why| (self.runtime.locale(), why));
        let told = agree::first(&self.runtime, why);
        // The new values only made room. Each follows its key, because the hash of any key may panic.
        self.values.truncate(self.keys.len());
        if let Some((locale, why)) = told? {
            return Err(ArrayError::Unstored { locale, why });
        }
        for ((key, place), value) in places.into_iter().zip(values) {
            match place {
                Some(place) => self.values.set(place, *value),
                None => {
                    self.keys.insert(key);
                    self.values.push(*value);
                }
            }
        }
        Ok(())
    }

    /// Removes keys; each locale passes its own list. Returns the number of removed keys. The order of the remaining keys changes.
    ///
    /// # Errors
    ///
    /// The errors of [`update`](Self::update).
    pub fn remove(&mut self, keys: impl IntoIterator<Item = K>) -> Result<usize, ArrayError> {
        let (lists, _) = self.for_owners(keys, |key| key)?;
        let before = self.keys.len();
        for key in self.runtime.exchange(lists)?.into_iter().flatten() {
            // The last pair takes the place of the removed one, in both lists.
            if let Some((at, _)) = self.keys.swap_remove_full(&key) {
                self.values.swap_remove(at);
            }
        }
        Ok(agree::combined(&self.runtime, before - self.keys.len(), Sum)?)
    }

    /// The keys of this locale. Value `k` of [`values`](Self::values) belongs to key `k`.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &K> {
        self.keys.iter()
    }

    /// The pairs of this locale. Nothing is sent.
    pub fn local(&self) -> impl ExactSizeIterator<Item = (&K, V)> {
        self.keys.iter().zip(self.values.values())
    }

    /// A view of the values of this locale for kernels, in the layout of the array and in the order of [`keys`](Self::keys).
    #[must_use]
    pub fn values(&self) -> RecordSlice<'_, V, L> {
        self.values.as_view()
    }

    /// A view of the values of this locale, to be read and written.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::HashedArray;
    /// use layout::domain::{Hashed, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let mut lengths: HashedArray<String, f64> = HashedArray::new(&rt, Hashed::new(Targets::all(1)?))?;
    /// lengths.extend([("inch".to_owned(), 2.54), ("foot".to_owned(), 30.48)])?;
    /// lengths.values_mut().update(|centimeters| centimeters / 100.0);
    /// assert_eq!(lengths.get(&"foot".to_owned())?, Some(0.3048));
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn values_mut(&mut self) -> RecordSliceMut<'_, V, L> {
        self.values.as_view_mut()
    }

    /// Calls `f` for all pairs of all locales and combines the results, on every locale. The results of a locale are combined in the order
    /// of its keys, and the results of locales in the order of locales. Each locale sends one value for each doubling of the number of
    /// locales.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot go on, for example if a locale was lost.
    pub fn reduce<T, O>(&self, op: O, f: impl Fn(&K, V) -> T) -> Result<T, ArrayError>
    where
        T: Portable + Clone + Send + Sync + 'static,
        O: Reduction<T>,
    {
        let here = self.local().fold(op.identity(), |before, (key, value)| op.combine(before, f(key, value)));
        Ok(agree::combined(&self.runtime, here, op)?)
    }

    /// All pairs, sorted by key, on every locale.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot go on, for example if a locale was lost.
    pub fn to_sorted_vec(&self) -> Result<Vec<(K, V)>, ArrayError>
    where
        K: Ord + Clone,
    {
        let own: Vec<(K, V)> = self.local().map(|(key, value)| (key.clone(), value)).collect();
        let mut all: Vec<(K, V)> =
            self.runtime.exchange(vec![own; self.runtime.locales()])?.into_iter().flatten().collect();
        all.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(all)
    }

    /// The value of a key, on its owner.
    fn local_get(&self, key: &K) -> Option<V> {
        Some(self.values.load(self.keys.get_index_of(key)?))
    }

    /// Sorts values into one list for each locale, by the owners of their keys; returns the lists and the owner of each value. If one
    /// locale gets an error, all locales get it.
    fn for_owners<T>(
        &self,
        values: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> &K,
    ) -> Result<(Vec<Vec<T>>, Vec<usize>), ArrayError> {
        let mut lists: Vec<Vec<T>> = (0..self.runtime.locales()).map(|_| Vec::new()).collect();
        let (mut owners, mut wrong) = (Vec::new(), None);
        for value in values {
            match (self.map)(key(&value)) {
                Ok(owner) => {
                    lists[owner].push(value);
                    owners.push(owner);
                }
                Err(DomainError::Mapper { key, given, .. }) if wrong.is_none() => wrong = Some((key, given)),
                Err(_) => {}
            }
        }
        match agree::first(&self.runtime, wrong)? {
            Some((key, given)) => Err(DomainError::Mapper { key, given, count: self.locales }.into()),
            None => Ok((lists, owners)),
        }
    }
}
