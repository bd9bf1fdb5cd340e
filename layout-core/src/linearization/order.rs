//! Orders of dimensions as one number, so that they can be a part of a type: four bits for each dimension.

/// The number for an order.
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

/// Whether the order lists each of `rank` dimensions once, and nothing else.
pub(super) const fn lists_all(code: u64, rank: usize) -> bool {
    let mut seen = 0u64;
    let mut k = 0;
    while k < rank {
        seen |= 1 << dimension(code, k);
        k += 1;
    }
    seen == (1 << rank) - 1 && (rank == 8 || code >> (4 * rank) == 0)
}
