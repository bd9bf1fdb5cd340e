//! How far apart the elements of a box lie in memory, and which dimensions come first there.

use crate::geometry::{Point, Rect};

/// Where in memory each element of a box of a root lies, as a number of elements from the first one.
#[derive(Clone, Copy)]
pub(super) struct Strides {
    /// How far a step along each dimension of the root moves.
    along: Point,
    /// How far the first element is from where index zero of the root would be.
    origin: i64,
}

impl Strides {
    /// For the elements in a box without steps, with the dimensions in this order, the fastest first. Gives the number of
    /// elements as well.
    pub(super) fn of(whole: &Rect, fastest_first: &[usize]) -> (Self, usize) {
        let extents = whole.extents();
        let mut along = Point::splat(extents.len(), 0);
        let mut volume = 1_i64;
        for &dim in fastest_first {
            along[dim] = volume;
            volume = volume.saturating_mul(extents[dim]);
        }
        let origin = whole.lo().iter().zip(&*along).map(|(at, stride)| at.saturating_mul(*stride)).sum();
        (Self { along, origin }, usize::try_from(volume).unwrap_or(usize::MAX))
    }

    /// For no elements.
    pub(super) fn none(rank: usize) -> Self {
        Self { along: Point::splat(rank, 0), origin: 0 }
    }

    /// How far a step of the root moves.
    pub(super) fn of_step(&self, step: &Point) -> i64 {
        step.iter().zip(&*self.along).map(|(a, b)| a * b).sum()
    }

    /// Where an element of the box lies.
    pub(super) fn at(&self, index: &Point) -> i64 {
        self.of_step(index) - self.origin
    }

    /// The dimensions of the root, the fastest first.
    pub(super) fn fastest_first(&self) -> Vec<usize> {
        let mut dims: Vec<usize> = (0..self.along.len()).collect();
        dims.sort_by_key(|dim| self.along[*dim]);
        dims
    }

    /// Whether the elements of a part follow one another without gaps, with the dimensions in this order, the fastest first.
    pub(super) fn are_packed(&self, part: &Rect, fastest_first: &[usize]) -> bool {
        let (extents, steps) = (part.extents(), part.steps());
        let mut packed = 1;
        fastest_first.iter().filter(|dim| extents[**dim] > 1).all(|&dim| {
            let follows = self.along[dim] * steps[dim] == packed;
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
        let (strides, volume) = Strides::of(&whole, &[2, 0, 1]);
        assert_eq!((volume, strides.fastest_first()), (60, vec![2, 0, 1]));
        assert_eq!((strides.at(&[2, 0, 1].into()), strides.at(&[5, 2, 5].into())), (0, 59));
        let packed =
            |lo: [i64; 3], hi: [i64; 3], order: &[usize]| strides.are_packed(&Rect::new(lo.into(), hi.into()), order);
        assert!(strides.are_packed(&whole, &[2, 0, 1]) && !strides.are_packed(&whole, &[0, 2, 1]));
        // A slab of the slowest dimension, of which one index is any order's.
        assert!(packed([2, 1, 1], [6, 2, 6], &[2, 0, 1]) && packed([2, 1, 1], [6, 2, 6], &[1, 2, 0]));
        assert!(!packed([2, 0, 1], [5, 2, 6], &[2, 0, 1]) && !packed([2, 0, 1], [6, 2, 5], &[2, 0, 1]));
        assert!(packed([3, 1, 1], [4, 2, 6], &[0, 1, 2]) && !packed([2, 1, 3], [6, 2, 4], &[0, 1, 2]));
        let stepped = Rect::new([2, 0, 1].into(), [3, 1, 6].into()).step(2, 2);
        assert!(!strides.are_packed(&stepped, &[2, 0, 1]));
    }
}
