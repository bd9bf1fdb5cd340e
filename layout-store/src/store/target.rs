//! The elements of a store in memory that the program chooses.

use layout_core::{Record, RecordLayout, ZipError};

use super::Store;
use crate::error::StoreError;
use crate::geometry::{DimOrdering, Point, Rect, StoreRank, Transform};
use crate::memory::{Region, StoreTarget, Tile, TileMut};
use crate::task::agree;

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Tells the runtime that tasks will read this many indices below and above the tiles that they write, along each dimension. With
    /// several locales, the memory for the part of a locale then has room for these margins from the start. Without the hint, it gets the
    /// room when a task needs it, if that takes at most half of the present memory; otherwise margins get memory of their own. This is a
    /// hint, and works only on a store as it was created: on another view, or with another number of dimensions, it does nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError, bloat, read, write};
    ///
    /// let builder = Runtime::builder().locales(3).threads(1).min_chunk(1).whole_below(0);
    /// let bytes = builder.simulate(|rt| {
    ///     let (old, new): (Store<i64, _>, Store<i64, _>) = (rt.create(6)?, rt.create(6)?);
    ///     old.hint_margin([2].into(), [2].into());
    ///     old.fill(1)?;
    ///     rt.task("sums")
    ///         .args((read(&old), write(&new)))
    ///         .constrain(|(old, new)| [bloat(new, old, [2], [2])])
    ///         .launch(|_, (old, mut new)| new.fill(old.values().sum()))?;
    ///     rt.fence()?;
    ///     let memory = rt.memory().of(&old).expect("a store of it");
    ///     Ok(memory.home + memory.margin + memory.cache)
    /// })?;
    /// // Two elements, and two on each side, of 8 bytes.
    /// assert_eq!(bytes.into_iter().collect::<Result<Vec<_>, StoreError>>()?, [32, 48, 32]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn hint_margin(&self, low: Point, high: Point) {
        let fits =
            [low, high].iter().all(|widths| widths.len() == self.rank() && widths.iter().all(|width| *width >= 0));
        if !self.is_transformed() && fits {
            self.elements.root.storage.reserve(low, high);
        }
    }

    /// The memory that keeps the elements now; `None` if the memory is or was the program's.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreTarget};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from(3, &[1, 2, 3])?;
    /// assert_eq!(store.target(), Some(StoreTarget::Main));
    /// let folder = StoreTarget::File(std::env::temp_dir());
    /// store.offload_to(&folder)?;
    /// assert_eq!(store.slice(0, 1, None)?.target(), Some(folder)); // all views of a store have one memory
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn target(&self) -> Option<StoreTarget> {
        self.elements.root.storage.target()
    }

    /// Waits for the elements and shows them to a closure in memory at `target`: in the memory of the store, if it is there, or in a copy
    /// of the elements of this view, which lasts as long as the closure runs.
    ///
    /// The memory of the store does not move; [`offload_to`](Self::offload_to) moves it. With several locales, each locale has a copy of
    /// its own.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read). Returns an error, too, if there is no such memory (no folder, no space, or the limit of the
    /// runtime is reached), or if a copy is needed and zero is not a valid value of a leaf.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{DimOrdering, MemoryError, Runtime, Store, StoreError, StoreTarget};
    ///
    /// let rt = Runtime::new()?;
    /// let folder = StoreTarget::File(std::env::temp_dir());
    /// let store: Store<i64, _> = rt.create_in(1000, &DimOrdering::C, &folder)?;
    /// store.fill(3)?;
    /// let sum = store.read_in(&StoreTarget::Main, |view| view.values().sum::<i64>())?; // of a copy in main memory
    /// assert_eq!((sum, store.target()), (3000, Some(folder)));
    ///
    /// let nowhere = StoreTarget::File("/nowhere/at/all".into());
    /// let refused = store.read_in(&nowhere, |_| ()).unwrap_err();
    /// assert!(matches!(refused, StoreError::Memory(MemoryError::File { .. })));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn read_in<T>(&self, target: &StoreTarget, f: impl FnOnce(Tile<'_, R, D, L>) -> T) -> Result<T, StoreError> {
        let copy = self.copy_in(target)?;
        self.read_by("read_in", |view| {
            let Some((copy, transform, rect)) = copy else { return Ok(f(view)) };
            let mut hold = copy.hold(&rect, true).ok_or(StoreError::Nested)?;
            hold.view_mut::<R, D, L>(Some(&transform), &rect)?.copy_from(&view).unwrap_or_else(differ);
            Ok(f(hold.view::<R, D, L>(Some(&transform), &rect)?))
        })?
    }

    /// Waits until no task uses the elements, and gives them to a closure to read and write in memory at `target`: in the memory of the
    /// store, if it is there, or in a copy, which is copied back after the closure. If the closure panics, the store keeps the old
    /// elements.
    ///
    /// # Errors
    ///
    /// The errors of [`read_in`](Self::read_in). Returns an error, too, if several indices are one element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreTarget};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from_fn(4, |at| at[0])?;
    /// let folder = StoreTarget::File(std::env::temp_dir());
    /// store.step(0, 2)?.update_in(&folder, |mut view| view.fill(9))?;
    /// assert_eq!(store.to_vec()?, [9, 1, 9, 3]);
    /// assert_eq!(store.target(), Some(StoreTarget::Main));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn update_in<T>(
        &self,
        target: &StoreTarget,
        f: impl FnOnce(TileMut<'_, R, D, L>) -> T,
    ) -> Result<T, StoreError> {
        let copy = self.copy_in(target)?;
        self.update_by("update_in", |mut view| {
            let Some((copy, transform, rect)) = copy else { return Ok(f(view)) };
            let mut hold = copy.hold(&rect, true).ok_or(StoreError::Nested)?;
            hold.view_mut::<R, D, L>(Some(&transform), &rect)?.copy_from(&view).unwrap_or_else(differ);
            let result = f(hold.view_mut::<R, D, L>(Some(&transform), &rect)?);
            view.copy_from(&hold.view::<R, D, L>(Some(&transform), &rect)?).unwrap_or_else(differ);
            Ok(result)
        })?
    }

    /// New memory at `target` for the elements of this view, with the transform and the box of them; `None` if the store is there. All
    /// locales agree on it before they use elements, since a closure with elements does not run on all locales if some have none.
    fn copy_in(&self, target: &StoreTarget) -> Result<Option<(Region, Transform, Rect)>, StoreError> {
        let extents = self.extents();
        let fastest_first = DimOrdering::C.fastest_first(extents.len())?;
        let (rect, budget) = (Rect::of(extents), &self.launcher.locale.budget);
        let transform = Transform::identity(extents)?;
        let new = || Region::new::<R, L>(rect, &fastest_first, (target, budget)).map_err(StoreError::from);
        let copy = (self.target().as_ref() != Some(target)).then(new).transpose();
        let bytes = Region::size_of::<R, L>(rect, &fastest_first).unwrap_or(usize::MAX);
        agree(&self.launcher, (bytes, target), copy.as_ref().err().cloned())?;
        Ok(copy?.map(|copy| (copy, transform, rect)))
    }
}

/// A copy has the extents of the elements that it copies, so this cannot happen.
fn differ(error: ZipError) {
    unreachable!("{error}");
}
