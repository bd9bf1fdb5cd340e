//! Parts of views: the indices of a view whose elements are in a box of the root.

use super::Transform;
use crate::geometry::progression::Progression;
use crate::geometry::{Point, Rect};

impl Transform {
    /// Returns `true` if every box of the root is shown as a box of indices; `false` if a dimension was delinearized.
    pub(crate) fn shows_boxes(&self) -> bool {
        !(0..self.rank()).any(|dim| self.is_inner(dim))
    }

    /// The indices in a box whose elements are in a box of the root, for a view that [shows boxes](Self::shows_boxes).
    pub(crate) fn indices_in(&self, indices: &Rect, elements: &Rect) -> Rect {
        let common = self.root_rect(indices).intersection(elements);
        if self.steps.is_empty() {
            return common;
        }
        if common.is_empty() {
            return Rect::new(indices.lo(), indices.lo());
        }
        let side = |dim: usize| {
            let Some(along) = self.columns[dim].iter().position(|coefficient| *coefficient != 0) else {
                return indices.side(dim);
            };
            let (offset, coefficient) = (self.offset[along], self.columns[dim][along]);
            let shown = common.side(along);
            let [one, other] = [shown.first, shown.last].map(|at| (at - offset) / coefficient);
            let step = if one == other { 1 } else { shown.step / coefficient.abs() };
            Progression { first: one.min(other), last: one.max(other), step }
        };
        Rect::of_sides((0..self.rank()).map(side))
    }

    /// Parts of a box of indices that show each element only once: one for each index along the dimensions along which nothing changes, row
    /// by row.
    pub(crate) fn parts_of(&self, indices: &Rect) -> impl Iterator<Item = Rect> + use<'_> {
        let indices = *indices;
        let one = |at: i64| Progression { first: at, last: at, step: 1 };
        let sides = move |along: &dyn Fn(usize) -> Progression, others: &dyn Fn(usize) -> Progression| {
            Rect::of_sides((0..self.rank()).map(|dim| if self.is_imaginary(dim) { along(dim) } else { others(dim) }))
        };
        let firsts = (!indices.is_empty()).then(|| sides(&|dim| indices.side(dim), &|dim| one(indices.lo()[dim])));
        let part = move |at: Point| sides(&|dim| one(at[dim]), &|dim| indices.side(dim));
        firsts.into_iter().flat_map(|firsts| firsts.points()).map(part)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Bound;

    /// A view of a store of 6 by 4: a slice of it, with steps, possibly backwards, transposed, promoted or with a fixed index.
    fn view() -> impl Strategy<Value = Transform> {
        let turn = prop_oneof![Just(0_usize), Just(1), Just(2), Just(3), Just(4), Just(5),];
        prop::collection::vec((turn, 1..4_i64, any::<bool>()), 0..5).prop_map(|turns| {
            let root = Transform::identity([6, 4].into()).unwrap();
            turns.into_iter().fold(root, |view, (turn, by, back)| {
                let next = match turn {
                    0 => view.slice(0, Bound::At(by % 2), Bound::Open).ok().flatten(),
                    1 => view.step(0, if back { -by } else { by }).ok(),
                    2 => view.step(view.rank().saturating_sub(1), if back { -by } else { by }).ok(),
                    3 => view.transpose(&(0..view.rank()).rev().collect::<Vec<_>>()).ok(),
                    4 if view.rank() < 4 => view.promote(usize::from(back), by).ok(),
                    _ if view.rank() > 1 => view.project(0, 0).ok(),
                    _ => None,
                };
                next.filter(|next| next.rank() > 0 && next.volume() > 0).unwrap_or(view)
            })
        })
    }

    /// A box within extents, with steps if there are some.
    fn box_in(extents: Point, ends: &[[i64; 2]], steps: &[i64]) -> Rect {
        let ends = |dim: usize| [0, 1].map(|end| ends[dim][end] % (extents[dim] + 1));
        let corner = |end: fn(i64, i64) -> i64| -> Point {
            (0..extents.len()).map(ends).map(|[one, other]| end(one, other)).collect()
        };
        let rect = Rect::new(corner(i64::min), corner(i64::max));
        steps.iter().enumerate().fold(rect, |rect, (dim, step)| rect.step(dim, *step))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn indices_and_parts_are_those_of_each_element(
            view in view(),
            ends in prop::array::uniform4([0..7_i64, 0..7_i64]),
            every in prop::array::uniform4(1..4_i64),
            within in prop::array::uniform2([0..7_i64, 0..7_i64]),
            steps in prop::array::uniform2(1..3_i64),
        ) {
            let (indices, elements) = (
                box_in(view.extents(), &ends, &every[..view.rank()]),
                box_in(view.root_extents(), &within, &steps),
            );
            prop_assert!(view.shows_boxes());
            let reached: std::collections::HashSet<Point> = indices.points().map(|at| view.root_index(at)).collect();
            let around = view.root_rect(&indices);
            prop_assert_eq!(around.points().collect::<std::collections::HashSet<_>>(), reached, "{:?} {}", view, indices);
            let found = view.indices_in(&indices, &elements);
            let expected: Vec<Point> =
                indices.points().filter(|at| elements.contains(&view.root_index(*at))).collect();
            prop_assert_eq!(found.points().collect::<Vec<_>>(), expected, "{:?} {} {}", view, indices, elements);
            let parts: Vec<Rect> = view.parts_of(&indices).collect();
            let all: std::collections::HashSet<Point> = parts.iter().flat_map(Rect::points).collect();
            prop_assert_eq!(all, indices.points().collect());
            let mut of_element = std::collections::HashMap::<Point, Vec<Point>>::new();
            for part in &parts {
                let elements: std::collections::HashSet<Point> = part.points().map(|at| view.root_index(at)).collect();
                prop_assert_eq!(i64::try_from(elements.len()), Ok(part.volume()), "{:?} {}", view, part);
                part.points().for_each(|at| of_element.entry(view.root_index(at)).or_default().push(at));
            }
            // The indices of one element come in order.
            prop_assert!(of_element.values().all(|all| all.is_sorted()));
        }
    }
}
