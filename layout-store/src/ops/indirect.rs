//! Gather and scatter: copies through stores of indices.

use layout_core::{Dim, IndexArray, Record, RecordLayout};

use super::asked::{Asked, By, over, take};
use super::checks::{check_disjoint, check_extents};
use crate::error::StoreError;
use crate::geometry::{Coordinate, DynRank, Point, StoreIndexError, StoreRank};
use crate::graph::TaskBodyError;
use crate::memory::{TileMut, try_row_major};
use crate::store::Store;
use crate::task::{Inbox, Reduction, Write, align, broadcast, read, update};

/// Records that are an index of a store of rank `D`: `i64` in one dimension, `[i64; N]` in `N`; `usize` and `u32` can replace `i64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index of a store of rank `{D}`",
    note = "give a store of `i64` for one dimension, of `[i64; N]` for N dimensions"
)]
pub trait IndexOf<D>: Record {
    /// The index.
    fn index(&self) -> Point;
}

macro_rules! index_of {
    ($($integer:ty: $($n:literal),+;)+) => {$(
        impl IndexOf<Dim<1>> for $integer {
            fn index(&self) -> Point {
                [self.coordinate()].into()
            }
        }

        $(impl IndexOf<Dim<$n>> for [$integer; $n] {
            fn index(&self) -> Point {
                self.map(Coordinate::coordinate).into()
            }
        }

        impl IndexOf<DynRank> for [$integer; $n] {
            fn index(&self) -> Point {
                self.map(Coordinate::coordinate).into()
            }
        })+
    )+};
}

index_of! {
    i64: 1, 2, 3, 4, 5, 6;
    usize: 1, 2, 3, 4, 5, 6;
    u32: 1, 2, 3, 4, 5, 6;
}

/// An index of a store as an index of a view with these extents.
pub(super) fn locate<A: IndexArray>(index: Point, extents: A) -> Result<A, StoreIndexError> {
    let mut at = A::ZERO;
    // If the store has fewer dimensions than its view, the first ones have one index.
    let first = A::RANK.saturating_sub(index.len());
    let size = || extents.as_ref()[first..].iter().map(|extent| i64::try_from(*extent).unwrap_or(i64::MAX)).collect();
    for (dim, index_of_dim) in index.iter().enumerate() {
        at.as_mut()[first + dim] =
            usize::try_from(*index_of_dim).map_err(|_| StoreIndexError { index, extents: size() })?;
    }
    if extents.encloses(at) { Ok(at) } else { Err(StoreIndexError { index, extents: size() }) }
}

/// Returns the second of two values, which replaces the first.
fn replace<R>(_: R, new: R) -> R {
    new
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Sets each element to the element of `source` at the index that `indices` has for it; returns at once.
    ///
    /// With several locales, each asks the others for the elements that its indices name, as often as they name them, and gets only those.
    /// If that may take more bytes than sending all of `source` to all locales that lack some of it, they get all of it, and keep it until
    /// it is written again.
    ///
    /// # Errors
    ///
    /// Returns an error if the extents of `indices` differ from those of this store, or elements that are read are unwritten. The task
    /// fails if `source` does not have an index.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let source: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// let indices: Store<[i64; 2], _> = rt.create_from(3, &[[1, 1], [0, 0], [1, 1]])?;
    /// let target: Store<i64, _> = rt.create(3)?;
    /// target.gather_from(&source, &indices)?;
    /// assert_eq!(target.to_vec()?, [4, 1, 4]);
    ///
    /// let wrong: Store<[i64; 2], _> = rt.create_from(3, &[[1, 1], [0, 2], [1, 1]])?;
    /// target.gather_from(&source, &wrong)?;
    /// let error = rt.fence().unwrap_err().to_string();
    /// assert!(error.ends_with("index [0, 2] is out of range for a store of extents [2, 2]"), "{error}");
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn gather_from<E, K, I, M>(&self, source: &Store<R, E, K>, indices: &Store<I, D, M>) -> Result<(), StoreError>
    where
        E: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<E>,
        M: RecordLayout<I> + Default,
    {
        self.gathered::<E, K, I, M, false>("gather", source, indices, |target, at, value| target.set(at, value))
    }

    /// Combines each element with the element of `source` at the index that `indices` has for it; returns at once.
    ///
    /// # Errors
    ///
    /// The errors of [`gather_from`](Self::gather_from). Returns an error, too, if elements of this store are unwritten.
    pub fn gather_reduce_from<E, K, I, M, O>(
        &self,
        source: &Store<R, E, K>,
        indices: &Store<I, D, M>,
        op: O,
    ) -> Result<(), StoreError>
    where
        E: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<E>,
        M: RecordLayout<I> + Default,
        O: Reduction<R>,
    {
        self.gathered::<E, K, I, M, true>("gather by reduction", source, indices, move |target, at, value| {
            target.set(at, op.combine(target.load(at), value));
        })
    }

    fn gathered<E, K, I, M, const UPDATE: bool>(
        &self,
        task: &'static str,
        source: &Store<R, E, K>,
        indices: &Store<I, D, M>,
        put: impl Fn(&mut TileMut<'_, R, D, L>, D::Array, R) + Send + Sync + 'static,
    ) -> Result<(), StoreError>
    where
        E: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<E>,
        M: RecordLayout<I> + Default,
    {
        check_extents("indices and the target of a gather", indices.extents(), self.extents())?;
        check_disjoint(self, source)?;
        if let Some(Asked { answers, tiles, places }) = self.ask(source, indices)? {
            let args = (Write::<_, _, _, UPDATE>::of(&By(self, &tiles)), read(&By(indices, &tiles)), Inbox(answers));
            over(self.task(task).args(args), &tiles).launch(move |_, (mut target, indices, answers)| {
                take::<R, E, I, D, M>(&places, &indices, answers, |at, value| put(&mut target, at, value))
            })?;
            return Ok(());
        }
        self.task(task)
            .args((Write::<_, _, _, UPDATE>::of(self), read(source), read(indices)))
            .constrain(|(target, source, indices)| [align(target, indices), broadcast(source)])
            .launch(move |_, (mut target, source, indices)| {
                try_row_major::<_, TaskBodyError>(indices.extents(), |at| {
                    put(&mut target, at, source.load(locate(indices.load(at).index(), source.extents())?));
                    Ok(())
                })
            })?;
        Ok(())
    }

    /// Sets the element at each index in `indices` to the element of `source` in the same place; returns at once.
    ///
    /// Elements are set row by row of `indices`: if several have one index, the last one wins, on any number of threads and locales. Tiles
    /// of `indices` are read in parallel, and tiles of this store are set in parallel. With several locales, an element and its index are
    /// sent to the locale of the tile that has the index.
    ///
    /// # Errors
    ///
    /// Returns an error if the extents of `indices` and `source` differ, or elements of this store, `source` or `indices` are unwritten.
    /// The task fails if this store does not have an index, and then no element is set.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, Sum};
    ///
    /// let rt = Runtime::new()?;
    /// let target: Store<i64, _> = rt.create(4)?;
    /// let indices: Store<i64, _> = rt.create_from(3, &[2, 0, 2])?;
    /// let source: Store<i64, _> = rt.create_from(3, &[10, 20, 30])?;
    /// target.fill(1)?;
    /// target.scatter_from(&indices, &source)?;
    /// assert_eq!(target.to_vec()?, [20, 1, 30, 1]);
    /// target.scatter_reduce_from(&indices, &source, Sum)?;
    /// assert_eq!(target.to_vec()?, [40, 1, 70, 1]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn scatter_from<E, K, I, M>(&self, indices: &Store<I, E, M>, source: &Store<R, E, K>) -> Result<(), StoreError>
    where
        E: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<D>,
        M: RecordLayout<I> + Default,
    {
        self.scattered(indices, source, replace)
    }

    /// Combines the element at each index in `indices` with the element of `source` in the same place; returns at once.
    /// If several elements have the same index, they are combined one after another, and the layout stores each result: all have to fit.
    ///
    /// # Errors
    ///
    /// The errors of [`scatter_from`](Self::scatter_from).
    pub fn scatter_reduce_from<E, K, I, M, O>(
        &self,
        indices: &Store<I, E, M>,
        source: &Store<R, E, K>,
        op: O,
    ) -> Result<(), StoreError>
    where
        E: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<D>,
        M: RecordLayout<I> + Default,
        O: Reduction<R>,
    {
        self.scattered(indices, source, move |a, b| op.combine(a, b))
    }

    fn scattered<E, K, I, M>(
        &self,
        indices: &Store<I, E, M>,
        source: &Store<R, E, K>,
        combine: impl Fn(R, R) -> R + Send + Sync + 'static,
    ) -> Result<(), StoreError>
    where
        E: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<D>,
        M: RecordLayout<I> + Default,
    {
        check_extents("indices and the source of a scatter", indices.extents(), source.extents())?;
        check_disjoint(self, source)?;
        if let Some(tiles) = self.scatters_to(indices) {
            return self.scattered_to(tiles, indices, source, combine);
        }
        self.task("scatter").args((update(self), read(indices), read(source))).single().launch(
            move |_, (mut target, indices, source)| {
                // Nothing is set if an index is wrong.
                try_row_major::<_, TaskBodyError>(indices.extents(), |at| {
                    locate(indices.load(at).index(), target.extents())?;
                    Ok(())
                })?;
                try_row_major::<_, TaskBodyError>(indices.extents(), |at| {
                    set::<R, D, L>(&mut target, indices.load(at).index(), source.load(at), &combine)
                })
            },
        )?;
        Ok(())
    }

    /// Sets the element at each index in `to` to the element of `source` at the index that `from` has in the same place; returns at once.
    /// This is a [gather](Self::gather_from), and a [scatter](Self::scatter_from) of the gathered elements.
    ///
    /// # Errors
    ///
    /// The errors of [`scatter_from`](Self::scatter_from).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let target: Store<i64, _> = rt.create(3)?;
    /// target.fill(0)?;
    /// let source: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// let to: Store<i64, _> = rt.create_from(2, &[2, 0])?;
    /// let from: Store<[i64; 2], _> = rt.create_from(2, &[[1, 0], [0, 1]])?;
    /// target.scatter_gather_from(&to, &source, &from)?;
    /// assert_eq!(target.to_vec()?, [2, 0, 3]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn scatter_gather_from<E, F, K, I, J, M, N>(
        &self,
        to: &Store<I, F, M>,
        source: &Store<R, E, K>,
        from: &Store<J, F, N>,
    ) -> Result<(), StoreError>
    where
        E: StoreRank,
        F: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<D>,
        J: IndexOf<E>,
        M: RecordLayout<I> + Default,
        N: RecordLayout<J> + Default,
    {
        self.scatter_gathered(to, source, from, replace)
    }

    /// Combines the element at each index in `to` with the element of `source` at the index that `from` has in the same place; returns at
    /// once.
    ///
    /// # Errors
    ///
    /// The errors of [`scatter_from`](Self::scatter_from).
    pub fn scatter_gather_reduce_from<E, F, K, I, J, M, N, O>(
        &self,
        to: &Store<I, F, M>,
        source: &Store<R, E, K>,
        from: &Store<J, F, N>,
        op: O,
    ) -> Result<(), StoreError>
    where
        E: StoreRank,
        F: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<D>,
        J: IndexOf<E>,
        M: RecordLayout<I> + Default,
        N: RecordLayout<J> + Default,
        O: Reduction<R>,
    {
        self.scatter_gathered(to, source, from, move |a, b| op.combine(a, b))
    }

    fn scatter_gathered<E, F, K, I, J, M, N>(
        &self,
        to: &Store<I, F, M>,
        source: &Store<R, E, K>,
        from: &Store<J, F, N>,
        combine: impl Fn(R, R) -> R + Send + Sync + 'static,
    ) -> Result<(), StoreError>
    where
        E: StoreRank,
        F: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<D>,
        J: IndexOf<E>,
        M: RecordLayout<I> + Default,
        N: RecordLayout<J> + Default,
    {
        check_extents("indices into the target and into the source", to.extents(), from.extents())?;
        check_disjoint(self, source)?;
        if let Some(tiles) = self.scatters_to(to) {
            let between: Store<R, F, L> = Store::new_in(&self.launcher, to.extents(), None)?;
            between.gather_from(source, from)?;
            return self.scattered_to(tiles, to, &between, combine);
        }
        self.task("scatter and gather").args((update(self), read(to), read(source), read(from))).single().launch(
            move |_, (mut target, to, source, from)| {
                try_row_major::<_, TaskBodyError>(to.extents(), |at| {
                    locate(to.load(at).index(), target.extents())?;
                    locate(from.load(at).index(), source.extents())?;
                    Ok(())
                })?;
                try_row_major::<_, TaskBodyError>(to.extents(), |at| {
                    let value = source.load(locate(from.load(at).index(), source.extents())?);
                    set::<R, D, L>(&mut target, to.load(at).index(), value, &combine)
                })
            },
        )?;
        Ok(())
    }
}

fn set<R, D, L>(
    target: &mut TileMut<'_, R, D, L>,
    index: Point,
    value: R,
    combine: &impl Fn(R, R) -> R,
) -> Result<(), TaskBodyError>
where
    R: Record,
    D: StoreRank,
    L: RecordLayout<R>,
{
    let at = locate(index, target.extents())?;
    target.set(at, combine(target.load(at), value));
    Ok(())
}
