//! Strides: the distances in memory between the elements of a box, and the order of its dimensions.

use crate::geometry::{Point, Rect};

/// The position in memory of each element of a box of a root, as a number of elements from the first one. There are no gaps, whatever the
/// steps of the box are: along each dimension, `root = first + step * place`.
#[derive(Clone, Copy)]
pub(super) struct Strides {
    whole: Rect,
    /// The distance from one index of the box to the next, along each dimension.
    along: Point,
    /// The distance of the first element from the position that index zero of the root would have.
    origin: i64,
}

impl Strides {
    /// The strides of the elements in a box, with the dimensions in this order, the fastest first; and the number of elements.
    pub(super) fn of(whole: Rect, fastest_first: &[usize]) -> (Self, usize) {
        let extents = whole.extents();
        let mut along = Point::splat(extents.len(), 0);
        let mut volume = 1_i64;
        for &dim in fastest_first {
            along[dim] = volume;
            volume = volume.saturating_mul(extents[dim]);
        }
        let (lo, every) = (whole.lo(), whole.steps());
        let origin = |dim: usize| lo[dim].div_euclid(every[dim]).saturating_mul(along[dim]);
        let strides = Self { whole, along, origin: (0..along.len()).map(origin).sum() };
        (strides, usize::try_from(volume).unwrap_or(usize::MAX))
    }

    /// The strides of a box without memory.
    pub(super) fn none(whole: Rect) -> Self {
        Self { whole, along: Point::splat(whole.rank(), 0), origin: 0 }
    }

    /// The box.
    pub(super) fn whole(&self) -> &Rect {
        &self.whole
    }

    /// The distance for a step of the root that leads from one element of the box to another one.
    pub(super) fn of_step(&self, step: &Point) -> i64 {
        let along = step.iter().zip(&*self.along);
        if self.whole.is_plain() {
            return along.map(|(step, stride)| step * stride).sum();
        }
        // Rounded down, so that an index of the box becomes its place there, plus a number that is the same for all indices.
        let every = self.whole.steps();
        along.zip(&*every).map(|((step, stride), every)| step.div_euclid(*every) * stride).sum()
    }

    /// The position of an element of the box.
    pub(super) fn at(&self, index: &Point) -> i64 {
        self.of_step(index) - self.origin
    }

    /// The dimensions of the root, the fastest first.
    pub(super) fn fastest_first(&self) -> Vec<usize> {
        let mut dims: Vec<usize> = (0..self.along.len()).collect();
        dims.sort_by_key(|dim| self.along[*dim]);
        dims
    }

    /// Returns `true` if the elements of a part are without gaps, with the dimensions in this order, the fastest first.
    pub(super) fn are_packed(&self, part: &Rect, fastest_first: &[usize]) -> bool {
        let (extents, steps, every) = (part.extents(), part.steps(), self.whole.steps());
        let mut packed = 1;
        fastest_first.iter().filter(|dim| extents[**dim] > 1).all(|&dim| {
            let follows = self.along[dim] * (steps[dim] / every[dim]) == packed;
            packed *= extents[dim];
            follows
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_packed_where_nothing_lies_between() {
        let whole = Rect::new([2, 0, 1].into(), [6, 3, 6].into());
        let (strides, volume) = Strides::of(whole, &[2, 0, 1]);
        assert_eq!((volume, strides.fastest_first()), (60, vec![2, 0, 1]));
        assert_eq!((strides.at(&[2, 0, 1].into()), strides.at(&[5, 2, 5].into())), (0, 59));
        let packed =
            |lo: [i64; 3], hi: [i64; 3], order: &[usize]| strides.are_packed(&Rect::new(lo.into(), hi.into()), order);
        assert!(strides.are_packed(&whole, &[2, 0, 1]) && !strides.are_packed(&whole, &[0, 2, 1]));
        // A slab of the slowest dimension; a single index fits any order.
        assert!(packed([2, 1, 1], [6, 2, 6], &[2, 0, 1]) && packed([2, 1, 1], [6, 2, 6], &[1, 2, 0]));
        assert!(!packed([2, 0, 1], [5, 2, 6], &[2, 0, 1]) && !packed([2, 0, 1], [6, 2, 5], &[2, 0, 1]));
        assert!(packed([3, 1, 1], [4, 2, 6], &[0, 1, 2]) && !packed([2, 1, 3], [6, 2, 4], &[0, 1, 2]));
        let stepped = Rect::new([2, 0, 1].into(), [3, 1, 6].into()).step(2, 2);
        assert!(!strides.are_packed(&stepped, &[2, 0, 1]));
    }
    /// The elements of any strided box have their own positions, from zero on, and parts of it without gaps are packed.
    #[test]
    fn strided_boxes_are_dense() {
        let sides = [(3, 9, 2), (-4, 4, 3), (5, 6, 4), (0, 3, 1)];
        for (first, second) in sides.into_iter().flat_map(|first| sides.map(|second| (first, second))) {
            let plain = Rect::new([first.0, second.0].into(), [first.1, second.1].into());
            let whole = plain.step(0, first.2).step(1, second.2);
            for order in [[0, 1], [1, 0]] {
                let (strides, volume) = Strides::of(whole, &order);
                let mut places: Vec<i64> = whole.points().map(|at| strides.at(&at)).collect();
                assert!(strides.are_packed(&whole, &order), "{whole}");
                let sparse = whole.step(order[0], 2);
                assert_eq!(strides.are_packed(&sparse, &order), sparse.extents()[order[0]] == 1, "{sparse} of {whole}");
                if order == [1, 0] {
                    assert!(places.is_sorted());
                }
                places.sort_unstable();
                assert!(places.iter().copied().eq(0..i64::try_from(volume).unwrap()), "{whole}: {places:?}");
            }
        }
    }
}
