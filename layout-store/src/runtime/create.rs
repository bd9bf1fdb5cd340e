//! New stores.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::Runtime;
use crate::error::StoreError;
use crate::geometry::{DimOrdering, IntoShape, Point, Transform};
use crate::locale::{Operation, Root};
use crate::memory::StoreTarget;
use crate::partition::{Cut, Distribution, Tiling};
use crate::store::Store;
use crate::task::{Elements, Launcher, Unbound, agree};

impl Runtime {
    /// Creates a store of these extents, the last dimension fastest in memory. Its elements are unwritten: reading them is an error.
    ///
    /// # Errors
    ///
    /// Returns an error if extents are negative or too large, there is not enough memory, or zero is not a valid value of a leaf. With
    /// several locales, all return an error if one has no memory for a [whole](crate::Builder::whole_below) store. The memory for parts of
    /// a larger store is taken by the tasks that write them, which fail if there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{AoS, SoA};
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid = rt.create::<[f32; 3], AoS, _>([30, 40])?;
    /// let line: Store<f64, _> = rt.create(1000)?; // SoA, unless said otherwise
    /// assert_eq!((grid.volume(), line.volume()), (1200, 1000));
    /// assert!(line.to_vec().unwrap_err().to_string().contains("nobody wrote yet"));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn create<R, L, X>(&self, extents: X) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        self.create_in(extents, &DimOrdering::C, &StoreTarget::Main)
    }

    /// Creates a store with another order of dimensions in memory.
    ///
    /// # Errors
    ///
    /// The errors of [`create`](Self::create). Returns an error, too, if the order does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{DimOrdering, Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let columns: Store<f64, _> = rt.create_ordered([30, 40], &DimOrdering::Fortran)?;
    /// columns.fill(1.0)?;
    /// assert_eq!(columns.read(|view| view.mapping().place_of([3, 0], 0).offset)?, 24);
    /// # use layout::Mapping;
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn create_ordered<R, L, X>(
        &self,
        extents: X,
        ordering: &DimOrdering,
    ) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        self.create_in(extents, ordering, &StoreTarget::Main)
    }

    /// Creates a store that is cut into the tiles of a distribution, until a task writes it by other tiles.
    ///
    /// # Errors
    ///
    /// The errors of [`create`](Self::create). Returns an error, too, if the distribution does not fit the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Distribution, Runtime, Store};
    ///
    /// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
    /// let rows: Store<f64, _> = rt.create_distributed([8, 8], &Distribution::Colors([4, 1].into()))?;
    /// rows.fill(0.0)?;
    /// assert_eq!(rows.key_partition().map(|tiles| tiles.color_shape()), Some([4, 1].into()));
    /// let chosen: Store<f64, _> = rt.create([8, 8])?;
    /// chosen.fill(0.0)?;
    /// assert_eq!(chosen.key_partition().map(|tiles| tiles.color_shape()), Some([2, 2].into()));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn create_distributed<R, L, X>(
        &self,
        extents: X,
        distribution: &Distribution,
    ) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let extents = extents.into_shape()?;
        let tiling = self.tiling(extents, distribution)?;
        Store::new_in(&self.launcher, extents, tiling.as_deref())
    }

    /// The tiles into which [`create_distributed`](Self::create_distributed) cuts a store of these extents; `None` if the first launch
    /// chooses, and for a store without elements.
    ///
    /// # Errors
    ///
    /// Returns an error if the distribution does not fit the extents.
    pub fn tiling(&self, extents: Point, distribution: &Distribution) -> Result<Option<Arc<Tiling>>, StoreError> {
        let tiling = distribution.tiling(extents, self.cut(extents))?;
        Ok(tiling.filter(|_| !extents.contains(&0)).map(Arc::new))
    }

    /// Checks that a distribution fits a store of these extents, as [`tiling`](Self::tiling) does. It takes no memory for the parts of a
    /// distribution that is a [partition](layout_domain::DomainMap::is_partition), however many there are.
    ///
    /// # Errors
    ///
    /// The errors of [`tiling`](Self::tiling).
    pub fn check_distribution(&self, extents: Point, distribution: &Distribution) -> Result<(), StoreError> {
        Ok(distribution.check(extents, self.cut(extents))?)
    }

    /// The way to cut a store of these extents.
    fn cut(&self, extents: Point) -> Cut {
        let Launcher { pieces, min_chunk, locale, .. } = &*self.launcher;
        let small = extents.product().is_some_and(|volume| volume < *min_chunk);
        Cut { locales: locale.count, pieces: if small { 1 } else { *pieces }, least: *min_chunk }
    }

    /// Creates a store with its dimensions in this order in the memory `target`.
    ///
    /// # Errors
    ///
    /// The errors of [`create_ordered`](Self::create_ordered). Returns an error, too, if a file cannot be created.
    pub fn create_in<R, L, X>(
        &self,
        extents: X,
        ordering: &DimOrdering,
        target: &StoreTarget,
    ) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let extents = extents.into_shape()?;
        let transform = Transform::shared(extents)?;
        let locale = &self.launcher.locale;
        let root = locale.create(&|store| Operation::new::<R>(store, extents, None))?;
        let root = Root::new::<R, L>(locale, extents, (ordering, target), root, &|memory, here| {
            agree(&self.launcher, memory, here)
        })?;
        Ok(Store::of(Elements::of(root, transform), self.launcher.clone()))
    }

    /// Creates a store; `f` computes the element from its index.
    ///
    /// With several locales, each calls `f` for the elements that it keeps: its own part of the store, or all elements of a small store. So
    /// `f` must return the same value for an index on every locale: compute random values from the index, and not by a generator whose
    /// state goes on from call to call.
    ///
    /// # Errors
    ///
    /// The errors of [`create`](Self::create).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<i64, _> = rt.create_from_fn([2, 3], |at| 10 * at[0] + at[1])?;
    /// assert_eq!(grid.to_vec()?, [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    ///
    /// Random values that do not depend on locales and pieces: a counter-based generator, such as ChaCha, can be set to any position of its
    /// sequence. In a task, each element takes the same number of words, and each row starts at the words of its first element.
    ///
    /// ```
    /// use layout::store::{Runtime, Store, write};
    /// use rand::rngs::ChaCha8Rng;
    /// use rand::{RngExt, SeedableRng};
    ///
    /// let mut noises = Vec::new();
    /// for (locales, pieces) in [(1, 1), (3, 6)] {
    ///     let ran = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1).simulate(|rt| {
    ///         let noise: Store<f64, _> = rt.create([60, 80])?;
    ///         rt.task("noise").args((write(&noise),)).launch(|task, (mut tile,)| {
    ///             let ([row, column], [rows, columns]) = (task.origin(0), tile.extents());
    ///             let mut random = ChaCha8Rng::seed_from_u64(7);
    ///             for i in 0..rows {
    ///                 // An `f64` takes two words.
    ///                 random.set_word_pos(2 * ((row + i) * 80 + column) as u128);
    ///                 (0..columns).for_each(|j| tile.set([i, j], random.random()));
    ///             }
    ///         })?;
    ///         noise.to_vec()
    ///     })?;
    ///     noises.extend(ran.into_iter().collect::<Result<Vec<_>, _>>()?);
    /// }
    /// assert!(noises.iter().all(|noise| *noise == noises[0]) && noises[0][0] != noises[0][1]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn create_from_fn<R, L, X>(
        &self,
        extents: X,
        f: impl Fn(Point) -> R + Sync,
    ) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let store = self.create(extents)?;
        store.elements.write_new(&self.launcher, |rect| rect.points().map(&f))?;
        Ok(store)
    }

    /// Creates a store with these elements, the last dimension fastest.
    ///
    /// # Errors
    ///
    /// The errors of [`create`](Self::create). Returns an error, too, if the number of records differs from the number of elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i32, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(store.get([1, 0])?, 3);
    /// let scalar: Store<i32, _> = rt.create_from([], &[7])?;
    /// assert_eq!(scalar.get([])?, 7);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn create_from<R, L, X>(&self, extents: X, records: &[R]) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let store = self.create(extents)?;
        let needed = usize::try_from(store.volume()).unwrap_or(usize::MAX);
        if records.len() != needed {
            return Err(StoreError::Records { given: records.len(), needed, extents: store.extents() });
        }
        store.elements.write_records(&self.launcher, records)?;
        Ok(store)
    }

    /// An unbound store: it has no extents until one task emits to it.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Unbound};
    ///
    /// let rt = Runtime::new()?;
    /// let list: Unbound<f64> = rt.unbound(); // of one dimension and in `SoA`, unless said otherwise
    /// assert!(list.is_unbound());
    /// let error = list.store().unwrap_err().to_string();
    /// assert!(error.ends_with("before a task has emitted to it"), "{error}");
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn unbound<R, D, L>(&self) -> Unbound<R, D, L> {
        Unbound::new(&self.launcher)
    }
}
