//! Views of a single tile, in memory that has only the elements of the tile.

use super::Transform;
use crate::geometry::{Point, Rect};

impl Transform {
    /// The view of a tile of this view, with indices from zero, in a root that has only the elements of the tile, in the dimensions of this
    /// root.
    ///
    /// Gaps between the elements of a strided view are left out. A dimension of the root along which the tile only goes backwards is
    /// reversed. So all steps of the view go forward, except along a delinearized dimension of which a part is reversed.
    pub(crate) fn alone(&self, tile: &Rect) -> Self {
        let shown = self.root_rect(tile);
        let (lo, last, steps) = (shown.lo(), shown.hi(), shown.steps());
        let (sides, every) = (tile.extents(), tile.steps());
        let turned = |k: usize| {
            let mut moves = (0..self.rank()).filter(|dim| sides[*dim] > 1).map(|dim| self.columns[dim][k]);
            moves.clone().any(|step| step < 0) && moves.all(|step| step <= 0)
        };
        let signs: Point = (0..self.root.len()).map(|k| if turned(k) { -1 } else { 1 }).collect();
        let local = |(dim, step): (usize, &Point)| -> Point {
            (0..step.len()).map(|k| step[k] * every[dim] * signs[k] / steps[k]).collect()
        };
        let first = self.root_index(tile.lo());
        let offset = |k: usize| if signs[k] < 0 { last[k] - 1 - first[k] } else { first[k] - lo[k] } / steps[k];
        Self {
            root: shown.extents(),
            extents: sides,
            steps: self.steps.clone(),
            offset: (0..first.len()).map(offset).collect(),
            columns: self.columns.iter().enumerate().map(local).collect(),
            inner: self.inner.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Bound;

    /// All chains of three steps on a small root: each element of each tile has one place, and only those have one.
    #[test]
    fn tiles_alone_have_their_elements_and_no_others() {
        let steps: [fn(&Transform) -> Option<Transform>; 9] = [
            |view| view.transpose(&(0..view.rank()).rev().collect::<Vec<_>>()).ok(),
            |view| view.project(0, view.extents().first()? - 1).ok(),
            |view| view.promote(1, 2).ok(),
            |view| view.slice(0, Bound::At(1), Bound::Open).ok().flatten(),
            |view| view.step(0, 2).ok(),
            |view| view.step(0, -1).ok(),
            |view| view.step(view.rank().checked_sub(1)?, -2).ok(),
            |view| view.step(view.rank().checked_sub(1)?, -1).ok(),
            |view| {
                let extent = *view.extents().first()?;
                (extent % 2 == 0).then(|| view.delinearize(0, &[2, extent / 2]).ok())?
            },
        ];
        let root = Transform::identity([6, 4].into()).unwrap();
        let mut views = vec![root];
        let mut from = 0;
        for _ in 0..3 {
            let to = views.len();
            for at in from..to {
                let more: Vec<Transform> = steps.iter().filter_map(|step| step(&views[at])).collect();
                views.extend(more);
            }
            from = to;
        }
        let mut tiles = 0;
        for view in &views {
            let all = Rect::of(view.extents());
            let last = Rect::new(view.extents().iter().map(|extent| extent / 2).collect(), view.extents());
            // A part of an inner dimension is not a tile.
            let whole: Point =
                (0..view.rank()).map(|dim| if view.is_inner(dim) { 0 } else { last.lo()[dim] }).collect();
            // A dimension may be strided, unless several dimensions of the view are one dimension of the root.
            let apart = (0..view.rank()).any(|dim| view.is_inner(dim));
            let every = |rect: Rect| (0..rect.rank()).fold(rect, |rect, dim| rect.step(dim, if apart { 1 } else { 2 }));
            let part = Rect::new(whole, view.extents());
            for tile in [all, part, every(all), every(part)] {
                if tile.is_empty() {
                    continue;
                }
                let alone = view.alone(&tile);
                tiles += 1;
                assert_eq!(alone.root_extents(), view.root_rect(&tile).extents(), "{view:?} {tile}");
                let mut places = std::collections::HashMap::new();
                for (at, within) in tile.points().zip(Rect::of(tile.extents()).points()) {
                    let local = alone.root_index(within);
                    assert!(Rect::of(alone.root_extents()).contains(&local), "{view:?} {tile} {at}: {local}");
                    let element = view.root_index(at);
                    assert_eq!(*places.entry(local).or_insert(element), element, "{view:?} {tile} {at}");
                }
                let elements: std::collections::HashSet<_> = places.values().collect();
                assert_eq!(elements.len(), places.len(), "an element with two places: {view:?} {tile}");
                assert_eq!(i64::try_from(places.len()), Ok(alone.root_extents().product().unwrap()), "{view:?} {tile}");
            }
        }
        assert!(tiles > 500, "{tiles} tiles");
    }
}
