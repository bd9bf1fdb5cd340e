//! Blocks of equal extents, one after another, that cover a box of indices.

use crate::extents::IndexArray;

/// Calls `f` with the start and the extents of each block of the extents `side` in a box, the last dimension fastest, or the first one
/// if `first_fastest`. The last blocks may be smaller. There is one block without dimensions, and none without elements.
///
/// Indices are arrays, or vectors where the rank is known at run time only.
///
/// # Errors
///
/// Returns the first error of `f`.
///
/// # Panics
///
/// Panics if there are elements, and `side` has not as many dimensions as the box or has an extent of zero.
#[doc(hidden)]
pub fn each_block<I: AsRef<[usize]> + AsMut<[usize]> + Clone, E>(
    extents: &I,
    side: &I,
    first_fastest: bool,
    mut f: impl FnMut(I, I) -> Result<(), E>,
) -> Result<(), E> {
    let (extents, side) = (extents.as_ref(), side);
    if extents.contains(&0) {
        return Ok(());
    }
    assert!(
        side.as_ref().len() == extents.len() && !side.as_ref().contains(&0),
        "a block of {:?} for a box",
        side.as_ref()
    );
    let (rank, mut start) = (extents.len(), side.clone());
    start.as_mut().fill(0);
    loop {
        let mut shape = side.clone();
        for (dimension, len) in shape.as_mut().iter_mut().enumerate() {
            *len = (*len).min(extents[dimension] - start.as_ref()[dimension]);
        }
        f(start.clone(), shape)?;
        // The next start, as a counter counts.
        let mut dimensions = (0..rank).map(|at| if first_fastest { at } else { rank - 1 - at });
        let next = dimensions.find(|&dimension| {
            let (at, side) = (&mut start.as_mut()[dimension], side.as_ref()[dimension]);
            let is_last = extents[dimension] - *at <= side;
            *at = if is_last { 0 } else { *at + side };
            !is_last
        });
        if next.is_none() {
            return Ok(());
        }
    }
}

/// The side of the blocks to visit, if neighbors lie along two dimensions in memories with these nests of dimensions: whole cache lines are
/// then used on both sides. `None` if they lie along one dimension.
pub(super) fn across_both<A: IndexArray>(one: A, other: A) -> Option<A> {
    /// The number of elements along both dimensions.
    const SIDE: usize = 256;
    let (one, other) = (*one.as_ref().last()?, *other.as_ref().last()?);
    let mut side = A::ASCENDING;
    side.as_mut().fill(1);
    (side.as_mut()[one], side.as_mut()[other]) = (SIDE, SIDE);
    (one != other).then_some(side)
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn blocks_are_a_partition() {
        let mut seen = [0; 35];
        each_block(&[5, 7], &[2, 3], false, |start, shape| {
            for (i, j) in (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j))) {
                seen[7 * (start[0] + i) + start[1] + j] += 1;
            }
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(seen, [1; 35]);
        let count = |extents: Vec<usize>, side: Vec<usize>| {
            let mut count = 0;
            each_block(&extents, &side, true, |_, _| {
                count += 1;
                Ok::<(), ()>(())
            })
            .unwrap();
            count
        };
        assert_eq!((count(vec![], vec![]), count(vec![3, 0], vec![1, 1]), count(vec![4], vec![9])), (1, 0, 1));
    }

    #[test]
    fn the_order_is_that_of_the_fastest_dimension() {
        let starts = |first_fastest| {
            let mut starts = Vec::new();
            each_block(&[2, 3], &[1, 2], first_fastest, |start, _| {
                starts.push(start);
                Ok::<(), ()>(())
            })
            .unwrap();
            starts
        };
        assert_eq!(starts(false), [[0, 0], [0, 2], [1, 0], [1, 2]]);
        assert_eq!(starts(true), [[0, 0], [1, 0], [0, 2], [1, 2]]);
        let failed = each_block(&[4], &[1], false, |[start], _| if start == 2 { Err(start) } else { Ok(()) });
        assert_eq!(failed, Err(2));
    }
}
