//! A scatter from all tiles of the indices to all tiles of the target.
//!
//! ```text
//! scatter         each point reads its tile of indices and elements, and sends both to the points whose tiles have the targets
//! scatter: set    these points set the elements of their tiles: from the first sender first, so row by row of the indices
//! ```

use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::asked::{By, Places, over, placement, tiles_of};
use super::indirect::IndexOf;
use crate::error::StoreError;
use crate::geometry::StoreRank;
use crate::memory::try_row_major;
use crate::partition::Tiling;
use crate::store::Store;
use crate::task::{Inbox, Outbox, Routed, read, update};

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// The tiles of this store in which elements are set in parallel; `None` if there are none, or if elements of this store are indices.
    pub(super) fn scatters_to<I, E, M>(&self, indices: &Store<I, E, M>) -> Option<Arc<Tiling>> {
        let tiles = tiles_of(&self.launcher, &[self.shown()], false);
        tiles.filter(|_| !self.overlaps(indices))
    }

    /// Combines elements of these tiles with the elements of `source`.
    pub(super) fn scattered_to<E, K, I, M>(
        &self,
        tiles: Arc<Tiling>,
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
        let (from, tiles) = (tiles_of(&self.launcher, &[indices.shown(), source.shown()], true), Some(tiles));
        let locale = &self.launcher.locale;
        let routed = Routed::to(locale, placement(locale, &[self.shown()], tiles.as_ref()));
        let places = || Places::<D::Array>::of(self.extents(), tiles.clone());
        let of = places();
        let args = (read(&By(indices, &from)), read(&By(source, &from)), Outbox(routed.clone()));
        over(self.task("scatter").args(args), &from).launch(move |_, (indices, source, to)| {
            try_row_major(indices.extents(), |at| {
                let (tile, number) = of.find(indices.load(at).index())?;
                to[tile].push((number, source.load(at)));
                Ok(())
            })
        })?;
        let of = places();
        let task = self.task("scatter: set").args((update(&By(self, &tiles)), Inbox(routed)));
        task.launch(move |task, (mut target, lists)| {
            let tile = task.rect(0);
            for (number, value) in lists.into_iter().flatten() {
                let at = of.within(number, &tile);
                target.set(at, combine(target.load(at), value));
            }
        })?;
        Ok(())
    }
}
