//! Reduction by a tree of tasks.

use std::sync::Arc;

use layout_core::{Dim, Record, RecordLayout};

use crate::error::StoreError;
use crate::graph::TaskBodyError;
use crate::partition::ImageHint;
use crate::store::Store;
use crate::task::{Unbound, emit, image, read};

impl<R: Record, L: RecordLayout<R> + Default> Store<R, Dim<1>, L> {
    /// Combines the tiles of this store, `radix` at a time, into new lists, then these lists, and so on, until one list is left. Waits for
    /// each level of the tree.
    ///
    /// # Errors
    ///
    /// Returns an error if the radix is below 2, elements are unwritten, or a task body failed.
    ///
    /// # Examples
    ///
    /// Sorting by merging:
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::builder().pieces(7).min_chunk(1).build()?;
    /// let numbers: Store<i64, _> = rt.create_from_fn(100, |at| at[0] * 37 % 101)?;
    /// let sorted = numbers.tree_reduce(2, |lists| {
    ///     let mut all = lists.concat();
    ///     all.sort();
    ///     Ok(all)
    /// })?;
    /// assert!(sorted.to_vec()?.is_sorted() && sorted.volume() == 100);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn tree_reduce<F>(&self, radix: usize, combine: F) -> Result<Self, StoreError>
    where
        F: Fn(&[Vec<R>]) -> Result<Vec<R>, TaskBodyError> + Send + Sync + 'static,
    {
        if radix < 2 {
            return Err(StoreError::Radix { given: radix });
        }
        let launcher = &self.launcher;
        let combine = Arc::new(combine);
        // The bounds of the lists in the store that has them all.
        let (extent, pieces) = (self.extents()[0], launcher.pieces.min(self.extents()[0]).max(1));
        let mut bounds: Vec<i64> = (0..=pieces).map(|piece| extent * piece / pieces).collect();
        let mut lists = self.clone();
        loop {
            let groups: Vec<[[i64; 1]; 2]> = (0..bounds.len() - 1)
                .step_by(radix)
                .map(|first| {
                    let end = (first + radix).min(bounds.len() - 1);
                    [[bounds[first]], [bounds[end]]]
                })
                .collect();
            let count = i64::try_from(groups.len()).unwrap_or(i64::MAX);
            let ranges: Store<[[i64; 1]; 2], Dim<1>> = Store::new_in(launcher, [count].into(), None)?;
            ranges.elements.write_records(launcher, &groups)?;

            let (next, sizes): (Unbound<R, Dim<1>, L>, Unbound<i64>) = (Unbound::new(launcher), Unbound::new(launcher));
            let (combine, starts) = (combine.clone(), bounds);
            self.task("tree")
                .args((read(&ranges), read(&lists), emit(&next), emit(&sizes)))
                .constrain(|(ranges, lists, ..)| [image(ranges, lists, ImageHint::MinMax)])
                .launch(move |task, (ranges, lists, mut next, mut sizes)| {
                    let ([first], offset) = (task.origin(0), task.rect(1).lo()[0]);
                    for group in first..first + ranges.len() {
                        let end = ((group + 1) * radix).min(starts.len() - 1);
                        let mut parts = Vec::new();
                        for bounds in starts[group * radix..=end].windows(2) {
                            let range = (usize::try_from(bounds[0] - offset)?, usize::try_from(bounds[1] - offset)?);
                            parts.push((range.0..range.1).map(|at| lists.load(at)).collect());
                        }
                        let list = combine(&parts)?;
                        sizes.push(i64::try_from(list.len())?);
                        next.extend(list);
                    }
                    Ok(())
                })?;
            lists = next.store()?;
            let mut end = 0;
            let ends = sizes.store()?.to_vec()?.into_iter().map(|size| {
                end += size;
                end
            });
            bounds = core::iter::once(0).chain(ends).collect();
            if bounds.len() == 2 {
                return Ok(lists);
            }
        }
    }
}
