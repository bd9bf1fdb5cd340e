//! The elements of a view in pieces, in the order of a file.

use layout_core::IndexArray;

/// The bytes of the elements that a writer copies at once. So many stay in the cache of a processor.
pub(super) const PIECE: usize = 256 << 10;

/// Calls `f` with the start and the extents of each piece of at most `most` elements. The elements of a piece follow one another in the
/// file, and pieces come in the order of the file.
pub(super) fn each_piece<A: IndexArray, E>(
    extents: A,
    fortran: bool,
    most: usize,
    mut f: impl FnMut(A, A) -> Result<(), E>,
) -> Result<(), E> {
    if extents.as_ref().contains(&0) {
        return Ok(());
    }
    let fastest_first = |at: usize| if fortran { at } else { A::RANK - 1 - at };
    // The fastest dimensions are whole, one is cut, and the others have one index at a time.
    let (mut side, mut room) = (A::ZERO, most.max(1));
    for dimension in (0..A::RANK).map(fastest_first) {
        let extent = extents.as_ref()[dimension];
        side.as_mut()[dimension] = extent.min(room);
        room = if extent <= room { room / extent } else { 1 };
    }
    let mut start = A::ZERO;
    loop {
        let mut shape = side;
        for (dimension, len) in shape.as_mut().iter_mut().enumerate() {
            *len = (*len).min(extents.as_ref()[dimension] - start.as_ref()[dimension]);
        }
        f(start, shape)?;
        // The next start, as a counter counts.
        let mut dimensions = (0..A::RANK).map(fastest_first);
        let next = dimensions.find(|&dimension| {
            let (at, side) = (&mut start.as_mut()[dimension], side.as_ref()[dimension]);
            let is_last = extents.as_ref()[dimension] - *at <= side;
            *at = if is_last { 0 } else { *at + side };
            !is_last
        });
        if next.is_none() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_one_another_in_both_orders() {
        for (extents, most) in [
            ([3, 4, 5], 1),
            ([3, 4, 5], 5),
            ([3, 4, 5], 7),
            ([3, 4, 5], 12),
            ([3, 4, 5], 1000),
            ([1, 9, 1], 4),
            ([2, 0, 3], 4),
        ] {
            for fortran in [false, true] {
                let position = |[i, j, k]: [usize; 3]| {
                    let [a, b, c] = extents;
                    if fortran { i + a * (j + b * k) } else { (i * b + j) * c + k }
                };
                let mut written = 0;
                each_piece(extents, fortran, most, |start, shape| {
                    let count: usize = shape.iter().product();
                    assert!(count <= most && position(start) == written);
                    let last = core::array::from_fn(|dimension| start[dimension] + shape[dimension] - 1);
                    written += count;
                    assert_eq!(position(last) + 1, written);
                    Ok::<(), ()>(())
                })
                .unwrap();
                assert_eq!(written, extents.iter().product());
            }
        }
        let mut calls = 0;
        each_piece([], false, 5, |_, _| {
            calls += 1;
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(calls, 1);
    }
}
