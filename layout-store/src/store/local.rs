//! The part of a store that lies on this locale, and the whole on one locale.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::{Store, StorePartition};
use crate::error::StoreError;
use crate::geometry::{Rect, StoreRank};
use crate::memory::{Tile, TileMut};
use crate::partition::Tiling;

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Waits for the elements of this locale's part and shows them to a closure: the boxes of indices, in order, each with a view of its
    /// elements, whose indices start at zero.
    ///
    /// A box has steps if the store was [distributed](crate::Distribution::map) cyclically. Its view shows only the indices of the box:
    /// [`Rect::extents`] gives their number, and [`Rect::points`] lists them in the order of the view.
    ///
    /// The part is what a task that only writes the store would write on this locale: the tiles of the last writer if those were tiles of
    /// this view, otherwise as many tiles as there are pieces. Adjacent tiles are one box. The parts of all locales together are the store,
    /// and have no element in common. A locale may have an empty part, and a single locale has all elements. Nothing is sent if these tiles
    /// wrote the elements. All locales make the call.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read). With several locales, the error of a task that was to write elements is returned on the locale
    /// that has them; [`fence`](crate::Runtime::fence) returns it on all locales. If one locale has no memory for elements that come to it,
    /// all locales get an error, and the store is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).min_chunk(1).whole_below(0);
    /// let sums = builder.simulate(|rt| {
    ///     let grid: Store<i64, _> = rt.create_from_fn([4, 6], |at| 10 * at[0] + at[1])?;
    ///     grid.read_local(|boxes| {
    ///         let rects: Vec<_> = boxes.iter().map(|(rect, _)| *rect).collect();
    ///         (rects, boxes.iter().map(|(_, view)| view.values().sum::<i64>()).sum::<i64>())
    ///     })
    /// })?;
    /// let sums = sums.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
    /// let columns = |from: i64, to: i64| layout::store::Rect::new([0, from].into(), [4, to].into());
    /// assert_eq!(sums, [(vec![columns(0, 3)], 192), (vec![columns(3, 6)], 228)]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn read_local<T>(&self, f: impl FnOnce(Vec<(Rect, Tile<'_, R, D, L>)>) -> T) -> Result<T, StoreError> {
        self.read_local_by(None, f)
    }

    /// Waits until no task uses the elements of this locale's part, and gives them to a closure to read and write, in the form of
    /// [`read_local`](Self::read_local); a box may have steps.
    ///
    /// The store counts as written by these tiles: the elements stay on this locale, and tasks without other constraints run there. All
    /// locales make the call.
    ///
    /// # Errors
    ///
    /// The errors of [`read_local`](Self::read_local). Returns an error, too, if several indices are one element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// let builder = Runtime::builder().locales(3).threads(1).min_chunk(1).whole_below(0);
    /// let all = builder.simulate(|rt| {
    ///     let line: Store<i64, _> = rt.create(6)?;
    ///     line.fill(1)?;
    ///     line.update_local(|boxes| {
    ///         for (rect, mut view) in boxes {
    ///             view.set(0, 100 + rect.lo()[0]); // the first element of the box
    ///         }
    ///     })?;
    ///     assert_eq!(rt.traffic().bytes, 0);
    ///     line.to_vec()
    /// })?;
    /// let expected = vec![100, 1, 102, 1, 104, 1];
    /// assert_eq!(all.into_iter().collect::<Result<Vec<_>, StoreError>>()?, [(); 3].map(|()| expected.clone()));
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn update_local<T>(&self, f: impl FnOnce(Vec<(Rect, TileMut<'_, R, D, L>)>) -> T) -> Result<T, StoreError> {
        self.update_local_by(None, f)
    }

    fn read_local_by<T>(
        &self,
        tiling: Option<&Arc<Tiling>>,
        f: impl FnOnce(Vec<(Rect, Tile<'_, R, D, L>)>) -> T,
    ) -> Result<T, StoreError> {
        self.elements.with_local(&self.launcher, ("read_local", false), tiling, |holds| {
            let transform = Some(&*self.elements.transform);
            let views = holds.iter().map(|(rect, hold)| Ok((*rect, hold.view::<R, D, L>(transform, rect)?)));
            Ok(f(views.collect::<Result<_, StoreError>>()?))
        })
    }

    fn update_local_by<T>(
        &self,
        tiling: Option<&Arc<Tiling>>,
        f: impl FnOnce(Vec<(Rect, TileMut<'_, R, D, L>)>) -> T,
    ) -> Result<T, StoreError> {
        self.elements.with_local(&self.launcher, ("update_local", true), tiling, |mut holds| {
            let transform = Some(&*self.elements.transform);
            let views = holds.iter_mut().map(|(rect, hold)| Ok((*rect, hold.view_mut::<R, D, L>(transform, rect)?)));
            Ok(f(views.collect::<Result<_, StoreError>>()?))
        })
    }

    /// Waits for the elements and returns all of them on one locale, the last dimension fastest; returns `None` on all others, which do not
    /// wait for the elements.
    ///
    /// All locales make the call. That locale needs memory for the elements during the call, and for the list; [`to_vec`](Self::to_vec)
    /// returns the list on every locale.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read). Returns an error, too, if there is no such locale. The error of a task that was to write
    /// elements is returned on the locale that gets them; [`fence`](crate::Runtime::fence) returns it on all locales.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// let lists = Runtime::builder().locales(2).threads(1).simulate(|rt| {
    ///     let squares: Store<i64, _> = rt.create_from_fn(4, |at| at[0] * at[0])?;
    ///     assert!(matches!(squares.gather(2), Err(StoreError::NoLocale { given: 2, locales: 2 })));
    ///     squares.gather(1)
    /// })?;
    /// let lists = lists.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
    /// assert_eq!(lists, [None, Some(vec![0, 1, 4, 9])]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn gather(&self, locale: usize) -> Result<Option<Vec<R>>, StoreError> {
        let (here, locales) = (self.launcher.locale.number, self.launcher.locale.count);
        if locale >= locales {
            return Err(StoreError::NoLocale { given: locale, locales });
        }
        let access = self.elements.access_on(&self.launcher, "gather", locale)?;
        if here != locale {
            return Ok(None);
        }
        let rect = Rect::of(self.extents());
        let hold = self.elements.hold(&rect, false, access.region()).map_err(|_| StoreError::Nested)?;
        let all = hold.view::<R, D, L>(Some(&self.elements.transform), &rect)?.to_vec();
        drop(hold);
        drop(access);
        Ok(Some(all))
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> StorePartition<R, D, L> {
    /// Does what [`Store::read_local`] does, for the tiles of this partition that lie on this locale: a distribution says which, otherwise
    /// neighbors are together. Elements that were written on other locales are sent.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::read_local`].
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).min_chunk(1).whole_below(0);
    /// let sums = builder.simulate(|rt| {
    ///     let grid: Store<i64, _> = rt.create_from_fn([4, 6], |at| 10 * at[0] + at[1])?;
    ///     let rows = grid.partition_by_tiling([2, 6])?;
    ///     rows.read_local(|tiles| tiles.iter().map(|(_, tile)| tile.values().sum::<i64>()).sum::<i64>())
    /// })?;
    /// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, StoreError>>()?, [90, 330]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn read_local<T>(&self, f: impl FnOnce(Vec<(Rect, Tile<'_, R, D, L>)>) -> T) -> Result<T, StoreError> {
        self.store.read_local_by(Some(&self.tiling), f)
    }

    /// Does what [`Store::update_local`] does, for the part of [`read_local`](Self::read_local).
    ///
    /// # Errors
    ///
    /// The errors of [`Store::update_local`].
    pub fn update_local<T>(&self, f: impl FnOnce(Vec<(Rect, TileMut<'_, R, D, L>)>) -> T) -> Result<T, StoreError> {
        self.store.update_local_by(Some(&self.tiling), f)
    }
}
