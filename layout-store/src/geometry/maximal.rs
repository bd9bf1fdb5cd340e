//! A few boxes that cover many.

use super::Rect;

/// The largest number of boxes; if there are more, one box around all is used.
pub(crate) const MOST_BOXES: usize = 64;

/// Boxes that cover some boxes. Neighbors are joined: two boxes become the box around them if it has no more elements than both together.
/// One empty box stays if all are empty.
pub(crate) fn maximal(rects: impl Iterator<Item = Rect>) -> Vec<Rect> {
    let mut joined: Vec<Rect> = Vec::new();
    // Boxes come row by row, so rows become boxes, and these become larger boxes.
    for rect in rects {
        joined.push(rect);
        while let [.., first, second] = joined[..] {
            let Some(both) = join(&first, &second) else { break };
            joined.truncate(joined.len() - 2);
            joined.push(both);
        }
    }
    if joined.len() > MOST_BOXES {
        return joined.into_iter().reduce(|a, b| a.hull(&b)).into_iter().collect();
    }
    while let Some((i, j, both)) = pair(&joined) {
        joined.swap_remove(j);
        joined[i] = both;
    }
    joined
}

/// Two boxes that can be joined, and the joined box.
fn pair(rects: &[Rect]) -> Option<(usize, usize, Rect)> {
    let pairs = (0..rects.len()).flat_map(|i| (i + 1..rects.len()).map(move |j| (i, j)));
    pairs.into_iter().find_map(|(i, j)| Some((i, j, join(&rects[i], &rects[j])?)))
}

fn join(a: &Rect, b: &Rect) -> Option<Rect> {
    let hull = a.hull(b);
    (hull.volume() <= a.volume().saturating_add(b.volume())).then_some(hull)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_of_tiles_is_one_box() {
        let tile = |at: crate::geometry::Point| {
            Rect::new(at.iter().map(|at| at * 10).collect(), at.iter().map(|at| at * 10 + 10).collect())
        };
        let tiles: Vec<Rect> = Rect::of([3, 4, 5].into()).points().map(tile).collect();
        assert_eq!(maximal(tiles.iter().copied()), [Rect::of([30, 40, 50].into())]);
        // In any order, and with margins that overlap.
        assert_eq!(maximal(tiles.iter().rev().copied()), [Rect::of([30, 40, 50].into())]);
        let wide = tiles.iter().map(|tile| {
            let end = tile.hi().iter().zip([30, 40, 50]).map(|(at, end)| (at + 2).min(end)).collect();
            Rect::new(tile.lo(), end)
        });
        assert_eq!(maximal(wide), [Rect::of([30, 40, 50].into())]);
        // The last row is not full.
        let odd = maximal(tiles[..17].iter().copied());
        assert!(odd.len() <= 3 && tiles[..17].iter().all(|tile| odd.iter().any(|rect| rect.covers(tile))));
        assert_eq!(odd.iter().map(Rect::volume).sum::<i64>(), 17_000);
    }

    #[test]
    fn many_boxes_apart_are_one_and_none_stays_none() {
        let apart = |count: i64| (0..count).map(|at| Rect::new([3 * at].into(), [3 * at + 1].into()));
        assert_eq!(maximal(apart(64)).len(), 64);
        assert_eq!(maximal(apart(65)), [Rect::of([193].into())]);
        let none = Rect::of([0].into());
        assert_eq!(maximal([none, none].into_iter()), [none]);
        assert_eq!(maximal([none, Rect::of([2].into()), none].into_iter()), [Rect::of([2].into())]);
        assert!(maximal(core::iter::empty()).is_empty());
    }
}
