//! Arrays of a loop that show the same elements, one of which is written.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};
use layout_store::{Constraint, Point, Rect, Store, StoreError, StoreRank, Tiling, Transform};

/// The elements of an array in a loop.
pub(crate) struct Used {
    store: u64,
    shown: Transform,
    write: bool,
    /// `true` if the loop writes other memory instead, and copies it: then the store cannot see that the array overlaps another one.
    pub(crate) aside: bool,
    /// `true` if the array belongs to another runtime than the array that leads.
    pub(crate) foreign: bool,
}

impl Used {
    pub(crate) fn of<R: Record, L: RecordLayout<R> + Default, D: StoreRank>(
        store: &Store<R, D, L>,
        write: bool,
    ) -> Self {
        Self { store: store.number(), shown: store.transform().clone(), write, aside: false, foreign: false }
    }

    /// The elements of the root of the store; none if the array is empty.
    fn elements(&self) -> Rect {
        self.shown.root_rect(&Rect::of(self.shown.extents()))
    }
}

/// The error of a loop that uses elements of an array which it writes aside, as a launch returns it if the loop writes them where they lie.
pub(crate) fn aliased(
    name: &str,
    used: &[Used],
    tiles: &Option<Arc<Tiling>>,
    constraints: &[Constraint],
) -> Option<StoreError> {
    let pairs = (0..used.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
    let mut pairs = pairs.filter(|(one, other)| {
        let [one, other] = [&used[*one], &used[*other]];
        let aside = one.aside || other.aside;
        let (one_elements, other_elements) = (one.elements(), other.elements());
        // Arrays of another runtime, which the launch refuses, may have equal numbers.
        aside
            && one.store == other.store
            && one_elements.rank() == other_elements.rank()
            && one_elements.overlaps(&other_elements)
    });
    let (one, other) = pairs.next()?;
    let (written, other) = if used[other].write { (other, one) } else { (one, other) };
    // The elements of an array at a point of the launch.
    let tiling = tiles.as_ref()?;
    let tile = |number: usize, color: &Point| {
        let (all, lead) = (used[number].shown.extents(), used[0].shown.extents());
        let tile = tiling.tile_of(color, lead).ok()?;
        let tile = match constraints.get(number)? {
            Constraint::Broadcast { .. } => Rect::of(all),
            Constraint::Follow { map, .. } => map.apply(&tile, all).ok()?.intersection(&Rect::of(all)),
            _ => tile,
        };
        Some(used[number].shown.root_rect(&tile))
    };
    let colors = || Rect::of(tiling.colors()).points();
    let common = |at: Point| {
        let rect = tile(written, &at)?;
        let tiles = colors().filter_map(|there| Some((there, tile(other, &there)?)));
        let mut tiles = tiles.filter(|(_, elements)| elements.overlaps(&rect));
        tiles.next().map(|(there, elements)| ([at, there], rect.intersection(&elements)))
    };
    let (colors, rect) = colors().find_map(common)?;
    let (task, colors, rect) = (name.to_owned(), Box::new(colors), rect.into());
    Some(StoreError::Aliased { task, written, other, colors, rect })
}
