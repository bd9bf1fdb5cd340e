//! The elements of a view in pieces, in the order of a file.

use layout_core::IndexArray;

/// The bytes of the elements that a writer copies at once. So many stay in the cache of a processor.
pub(super) const PIECE: usize = 256 << 10;

/// The extents of pieces of at most `most` elements. The elements of a piece follow one another in the file, if pieces come in its order.
pub(super) fn piece<A: IndexArray>(extents: A, fortran: bool, most: usize) -> A {
    // The fastest dimensions are whole, one is cut, and the others have one index at a time.
    let (mut side, mut room) = (A::ZERO, most.max(1));
    for at in 0..A::RANK {
        let dimension = if fortran { at } else { A::RANK - 1 - at };
        let extent = extents.as_ref()[dimension];
        side.as_mut()[dimension] = extent.min(room);
        room = if extent <= room { room / extent.max(1) } else { 1 };
    }
    side
}

#[cfg(test)]
mod tests {
    use layout_core::each_block;

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
                each_block(&extents, &piece(extents, fortran, most), fortran, |start, shape| {
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
        assert_eq!(piece([], false, 5), []);
    }
}
