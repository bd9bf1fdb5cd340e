//! Strides: which are unique, and the nest of loops over them.

use layout::author::Last;
use layout::index::{IndexArray, Rank};
use layout::{Dim, Linearization, Strided};

/// Returns `true` if no two indices share a position, by trying all.
fn all_differ<const N: usize>(extents: [usize; N], strides: [isize; N]) -> bool {
    let mut positions = std::collections::HashSet::new();
    let volume = extents.iter().product();
    (0..volume).all(|mut number: usize| {
        let index = extents.map(|extent| (number % extent, number /= extent).0);
        positions.insert(index.iter().zip(strides).map(|(index, stride)| index.cast_signed() * stride).sum::<isize>())
    })
}

fn check<const N: usize>(extents: [usize; N], strides: [isize; N])
where
    Dim<N>: Rank<Array = [usize; N]>,
    [usize; N]: IndexArray<Strides = [isize; N]>,
{
    let strided = Strided::<Dim<N>>::new(1 << 40, strides).fit(extents).unwrap();
    assert_eq!(strided.is_unique(extents), all_differ(extents, strides), "{extents:?} {strides:?}");
}

/// A pseudo-random number below `end`.
fn random(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    usize::try_from(*state >> 33).unwrap() % end
}

/// Rows along a dimension of extent one have one element each, so such a dimension is never innermost, whatever its stride.
#[test]
fn dimensions_of_one_index_are_outermost() {
    let nest = |strides, extents| Strided::<Dim<3>>::new(0, strides).fit(extents).unwrap().nest(extents);
    assert_eq!(nest([0, 5, 1], [1, 4, 5]), [0, 1, 2]);
    assert_eq!(nest([7, 3, 1], [4, 5, 1]), [2, 0, 1]);
    assert_eq!(nest([0, 1, 0], [4, 5, 6]), [1, 0, 2]);
    assert_eq!(nest([1, 0, 9], [6, 4, 2]), [2, 0, 1]);
    let unit = Strided::<Dim<3>, Last>::new(0, [9, 5, 1]).fit([4, 4, 1]).unwrap();
    assert_eq!(unit.nest([4, 4, 1]), [0, 1, 2]);
}

#[test]
fn strides_are_unique_where_no_two_indices_share_a_position() {
    check([3, 2], [2, 3]);
    for extents in [[1, 1], [1, 5], [2, 2], [2, 3], [3, 2], [4, 3], [5, 4], [2, 9]] {
        for a in -12..=12 {
            (-12..=12).for_each(|b| check(extents, [a, b]));
        }
    }
    for extents in [[2, 2, 2], [3, 2, 4], [1, 3, 3], [4, 4, 2]] {
        for number in 0..19 * 19 * 19 {
            check(extents, [number % 19, number / 19 % 19 - 4, number / 361 - 2]);
        }
    }
    let mut state = 1;
    for _ in 0..2000 {
        let extents = core::array::from_fn::<_, 4, _>(|_| 1 + random(&mut state, 5));
        check(extents, extents.map(|_| random(&mut state, 90).cast_signed() - 20));
        let extents = core::array::from_fn::<_, 5, _>(|_| 1 + random(&mut state, 3));
        check(extents, extents.map(|_| random(&mut state, 200).cast_signed()));
    }
}

#[test]
fn large_strides_are_decided_at_once() {
    let unique = |extents, strides| Strided::<Dim<3>>::new(0, strides).fit(extents).unwrap().is_unique(extents);
    assert!(unique([1000, 1000, 1000], [999_983, 1_000_003, 1_000_000_007]));
    assert!(!unique([1 << 20, 1 << 20, 1 << 20], [1, 2, 3]));
    // 1000003 * 999983 is reached along both of the first two dimensions.
    assert!(unique([999_983, 1_000_003, 1], [1_000_003, 999_983, 1]));
    assert!(!unique([999_984, 1_000_004, 1], [1_000_003, 999_983, 1]));
    assert!(unique([1 << 30, 1 << 30, 2], [1, 1 << 30, 1 << 60]));
}
