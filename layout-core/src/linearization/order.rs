//! Orders of dimensions, each encoded as one number, so they can be part of a type: four bits for each dimension.

/// Encodes an order.
///
/// # Panics
///
/// Panics unless each dimension below `N` is listed once.
pub(super) const fn encode<const N: usize>(order: [usize; N]) -> u64 {
    assert!(N <= 8, "views have at most 8 dimensions");
    let mut seen = 0u64;
    let mut code = 0;
    let mut k = 0;
    while k < N {
        assert!(order[k] < N && seen & (1 << order[k]) == 0, "an order lists each dimension once");
        seen |= 1 << order[k];
        code |= (order[k] as u64) << (4 * k);
        k += 1;
    }
    code
}

/// The dimension that an order lists at place `k`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "four bits are kept")]
pub(super) const fn dimension(code: u64, k: usize) -> usize {
    (code >> (4 * k)) as usize & 15
}

/// Returns `true` if the order lists each of `rank` dimensions once, and nothing else.
pub(super) const fn lists_all(code: u64, rank: usize) -> bool {
    let mut seen = 0u64;
    let mut k = 0;
    while k < rank {
        seen |= 1 << dimension(code, k);
        k += 1;
    }
    seen == (1 << rank) - 1 && code >> (4 * rank) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVERSED: [usize; 8] = [7, 6, 5, 4, 3, 2, 1, 0];

    #[test]
    fn codes_list_their_dimensions() {
        assert_eq!([0, 1, 2].map(|k| dimension(encode([2, 0, 1]), k)), [2, 0, 1]);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|k| dimension(encode(REVERSED), k)), REVERSED);
    }

    #[test]
    fn codes_are_of_one_rank() {
        assert!(lists_all(encode([]), 0) && lists_all(encode([0]), 1));
        for (code, rank) in [(encode([1, 0]), 2), (encode([0, 1, 2]), 3), (encode([2, 0, 1]), 3), (encode(REVERSED), 8)]
        {
            (0..=8).for_each(|other| assert_eq!(lists_all(code, other), other == rank, "{code:x} of rank {other}"));
        }
        // A dimension listed twice, a dimension that is too large, and one dimension too many.
        for (code, rank) in [(0x11, 2), (0x00, 2), (0x20, 2), (0x210, 2), (0x8_0123_4567, 8)] {
            assert!(!lists_all(code, rank), "{code:x} of rank {rank}");
        }
    }

    #[test]
    #[should_panic(expected = "an order lists each dimension once")]
    fn a_dimension_is_not_listed_twice() {
        encode([1, 0, 1]);
    }

    #[test]
    #[should_panic(expected = "an order lists each dimension once")]
    fn the_first_dimension_is_not_listed_twice() {
        encode([0, 1, 0]);
    }

    #[test]
    #[should_panic(expected = "an order lists each dimension once")]
    fn no_dimension_is_above_the_rank() {
        encode([0, 2]);
    }
}
