//! A gather of elements of other locales: each locale is asked for the elements that it has, and sends only those.
//!
//! ```text
//! ask      each point reads its tile of the indices, and sends them to the points whose tiles of the source have the elements
//! answer   these points read their tiles of the source, and send the elements back, in the order of the indices
//! gather   each point reads its indices again, and takes for each the next element from the tile that it is in
//! ```

use std::sync::Arc;

use layout_core::{IndexArray, Record, RecordLayout};

use super::indirect::{IndexOf, locate};
use crate::error::StoreError;
use crate::geometry::{Point, Rect, StoreRank, Transform};
use crate::graph::TaskBodyError;
use crate::locale::{Locale, Root, size_of_packed};
use crate::memory::{Tile, row_major, try_row_major};
use crate::partition::{Mapper, Placement, Tiling, colors_for};
use crate::store::Store;
use crate::task::{Elements, Inbox, Launcher, Manual, Outbox, Routed, Source, TaskBuilder, read};

/// A store cut into these tiles, or one tile of everything.
pub(super) struct By<'s, R, D, L>(pub(super) &'s Store<R, D, L>, pub(super) &'s Option<Arc<Tiling>>);

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Source for By<'_, R, D, L> {
    type Record = R;
    type Rank = D;
    type Layout = L;

    fn source(&self) -> (Elements<R, D, L>, Option<Manual>) {
        let manual = self.1.clone().map(|tiling| Manual { tiling, projection: None });
        (self.0.elements.clone(), manual)
    }
}

/// The root of a store, and its transform.
type Shown<'s> = (&'s Root, &'s Arc<Transform>);

impl<R, D, L> Store<R, D, L> {
    pub(super) fn shown(&self) -> Shown<'_> {
        (&self.elements.root, &self.elements.transform)
    }
}

/// A store of more tiles than this gets other tiles, since each point has a list for each tile.
const MOST_TILES: i64 = 1024;

/// The tiles for stores of the same extents: those by which one of them was last written, the first if possible, or else new ones; `None`
/// for one point.
///
/// With `rows`, tiles follow one another row by row: only the first dimension is cut.
pub(super) fn tiles_of(launcher: &Launcher, stores: &[Shown<'_>], rows: bool) -> Option<Arc<Tiling>> {
    let extents = stores[0].1.extents();
    if stores.iter().any(|(root, _)| root.storage.is_joined()) {
        return None;
    }
    let is_cut =
        |dim| (dim == 0 || !rows) && stores.iter().all(|(_, view)| !view.is_inner(dim) && !view.is_imaginary(dim));
    let cut: Vec<bool> = (0..extents.len()).map(is_cut).collect();
    let is_usable = |key: &Arc<Tiling>| {
        let counts = key.colors();
        key.covers(extents)
            && counts.product().is_some_and(|tiles| tiles <= MOST_TILES)
            && counts.iter().zip(&cut).all(|(count, cut)| *count == 1 || *cut)
    };
    let key = stores.iter().find_map(|(root, view)| root.key_of(view).filter(is_usable));
    let new = || {
        let small = extents.product().is_some_and(|volume| volume < launcher.min_chunk);
        let pieces = if small { 1 } else { launcher.pieces };
        colors_for(extents, &cut, pieces).map(|colors| Tiling::covering(extents, colors).into())
    };
    key.or_else(new)
}

/// The locales of the points of a launch over some tiles: those of the first store that has these tiles, if there is one.
pub(super) fn placement(locale: &Locale, stores: &[Shown<'_>], tiles: Option<&Arc<Tiling>>) -> Placement {
    let domain = tiles.map_or(Rect::of([1].into()), |tiles| Rect::of(tiles.colors()));
    let points = usize::try_from(domain.volume()).unwrap_or(usize::MAX);
    if locale.net.is_none() {
        return Placement::first(points);
    }
    let kept = |(root, view): &Shown<'_>| root.placement_of(view, tiles?).filter(|kept| kept.count() == points);
    let new = || Mapper::default().place(&domain, locale.count).unwrap_or_else(|_| Placement::first(points));
    stores.iter().find_map(kept).unwrap_or_else(new)
}

/// A launch of arguments that `By` cuts into these tiles.
pub(super) fn over<'r, A>(task: TaskBuilder<'r, A>, tiles: &Option<Arc<Tiling>>) -> TaskBuilder<'r, A>
where
    A: crate::task::Arguments,
{
    if tiles.is_none() { task.single() } else { task }
}

/// The extents of a store, with the rank of its views.
fn shown_extents<A: IndexArray>(extents: Point) -> A {
    let mut shown = A::ZERO;
    let first = A::RANK - extents.len();
    shown.as_mut()[..first].fill(1);
    let sides = extents.iter().map(|extent| usize::try_from(*extent).unwrap_or(0));
    shown.as_mut()[first..].iter_mut().zip(sides).for_each(|(shown, side)| *shown = side);
    shown
}

/// The places of the elements of a store: the tile, and the number in the store.
pub(super) struct Places<A> {
    extents: A,
    rank: usize,
    tiles: Option<Arc<Tiling>>,
}

impl<A: IndexArray> Places<A> {
    pub(super) fn of(extents: Point, tiles: Option<Arc<Tiling>>) -> Self {
        Self { extents: shown_extents(extents), rank: extents.len(), tiles }
    }

    /// The tile of an index, and the number of the index row by row.
    pub(super) fn find(&self, index: Point) -> Result<(usize, u64), TaskBodyError> {
        let at = locate(index, self.extents)?;
        let at = &at.as_ref()[A::RANK - self.rank..];
        let sides = &self.extents.as_ref()[A::RANK - self.rank..];
        let number = at.iter().zip(sides).fold(0, |number, (at, side)| number * *side as u64 + *at as u64);
        let tile = self.tiles.as_ref().and_then(|tiles| tiles.number_of(at)).unwrap_or(0);
        Ok((tile, number))
    }

    /// The index with a number, in the view of a tile.
    pub(super) fn within(&self, mut number: u64, tile: &Rect) -> A {
        let mut at = A::ZERO;
        for dim in (0..self.rank).rev() {
            let (view_dim, lo) = (A::RANK - self.rank + dim, tile.lo()[dim]);
            let side = self.extents.as_ref()[view_dim] as u64;
            // The numbers are those of elements, whose indices fit.
            let of_dim = usize::try_from(number % side).unwrap_or(0);
            at.as_mut()[view_dim] = of_dim - usize::try_from(lo).unwrap_or(0);
            number /= side;
        }
        at
    }
}

/// The elements that were asked for, and the tiles of the indices that asked.
pub(super) struct Asked<R, A> {
    pub(super) answers: Arc<Routed<R>>,
    /// The tiles of the indices.
    pub(super) tiles: Option<Arc<Tiling>>,
    pub(super) places: Places<A>,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Asks other locales for the elements of `source` at some indices, if this sends less than sending all of `source` to each locale that
    /// lacks some of it.
    pub(super) fn ask<E, K, I, M>(
        &self,
        source: &Store<R, E, K>,
        indices: &Store<I, D, M>,
    ) -> Result<Option<Asked<R, E::Array>>, StoreError>
    where
        E: StoreRank,
        K: RecordLayout<R> + Default,
        I: IndexOf<E>,
        M: RecordLayout<I> + Default,
    {
        let locale = &self.launcher.locale;
        let asking = tiles_of(&self.launcher, &[self.shown(), indices.shown()], false);
        let at = if asking.is_none() { 0..1 } else { 0..locale.count };
        let needed = usize::try_from(indices.volume())
            .unwrap_or(usize::MAX)
            .saturating_mul(size_of_packed::<R>() + size_of::<u64>());
        if locale.net.is_none() || !source.elements.root.lack_more(needed, &source.footprint(), at) {
            return Ok(None);
        }
        let answering = tiles_of(&self.launcher, &[source.shown()], false);
        let (questions, answers) = (
            Routed::to(locale, placement(locale, &[source.shown()], answering.as_ref())),
            Routed::to(locale, placement(locale, &[self.shown(), indices.shown()], asking.as_ref())),
        );
        let places = || Places::<E::Array>::of(source.extents(), answering.clone());
        let of = places();
        let ask = self.task("gather: ask").args((read(&By(indices, &asking)), Outbox(questions.clone())));
        over(ask, &asking).launch(move |_, (indices, to)| {
            row_major(indices.extents(), |at| {
                // The task that takes the elements reports an invalid index.
                if let Ok((tile, number)) = of.find(indices.load(at).index()) {
                    to[tile].push(number);
                }
            });
        })?;
        let of = places();
        let answer = self.task("gather: answer");
        let answer = answer.args((read(&By(source, &answering)), Inbox(questions), Outbox(answers.clone())));
        over(answer, &answering).launch(move |task, (source, questions, to)| {
            let tile = task.rect(0);
            for (list, to) in questions.iter().zip(to) {
                to.extend(list.iter().map(|number| source.load(of.within(*number, &tile))));
            }
        })?;
        Ok(Some(Asked { answers, tiles: asking, places: places() }))
    }
}

/// Calls `f` for each index of a tile with the element that was asked for.
pub(super) fn take<R, E, I, D, M>(
    places: &Places<E::Array>,
    indices: &Tile<'_, I, D, M>,
    answers: Vec<Vec<R>>,
    mut f: impl FnMut(D::Array, R),
) -> Result<(), TaskBodyError>
where
    E: StoreRank,
    I: IndexOf<E>,
    D: StoreRank,
    M: RecordLayout<I> + Default,
{
    let mut answers: Vec<_> = answers.into_iter().map(Vec::into_iter).collect();
    try_row_major(indices.extents(), |at| {
        let (tile, _) = places.find(indices.load(at).index())?;
        let none = || TaskBodyError::new("an element that was asked for did not come: an error of the runtime itself");
        f(at, answers.get_mut(tile).and_then(Iterator::next).ok_or_else(none)?);
        Ok(())
    })
}
