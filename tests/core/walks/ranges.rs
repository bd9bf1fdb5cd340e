//! Walks over index ranges, against the indices of all elements.

use layout::{Linearization, PaddedRows, Tiled, Transposed, prelude::*};
use support::gapped::Gapped;

/// A walk over `ranges` visits the indices that a test of all indices finds, as often.
fn check<Lin>(linearization: Lin)
where
    Lin: Linearization<[usize; 3]>,
{
    let extents = DynExtents::<3>::from_array([4, 5, 6]).expect("small extents");
    let mapping = Mapped::<usize, _, Gapped<8>, Lin>::with(extents, Gapped, linearization);
    let mut view = View::from_fn(mapping.expect("a small mapping"), |[i, j, k]| 100 * i + 10 * j + k).expect("small");
    let name = format!("{linearization:?}");
    for (a, b, c) in
        [(0..4, 0..5, 0..6), (1..3, 1..4, 1..5), (3..4, 0..1, 2..6), (2..2, 0..5, 0..6), (0..4, 4..5, 6..6)]
    {
        let inside = |[i, j, k]: [usize; 3]| a.contains(&i) && b.contains(&j) && c.contains(&k);
        let mut seen = vec![];
        view.for_each_in((a.clone(), b.clone(), c.clone()), |index, slot| {
            assert_eq!(slot.get(), 100 * index[0] + 10 * index[1] + index[2], "{name} {index:?}");
            seen.push(index);
        });
        let mut all = vec![];
        view.for_each_indexed(|index, _| all.extend(inside(index).then_some(index)));
        assert_eq!(seen, all, "{name} {a:?} {b:?} {c:?}: the same indices in the same order");

        let before = view.to_vec();
        view.for_each_in_mut((a.clone(), b.clone(), c.clone()), |_, mut slot| slot += 1000);
        view.for_each_indexed_mut(|index, mut slot| {
            if inside(index) {
                slot -= 1000;
            }
        });
        assert_eq!(view.to_vec(), before, "{name}: these were written, and once each");
    }
}

#[test]
fn the_indices_within_are_walked_in_the_order_of_all() {
    check(RowMajor);
    check(ColMajor);
    check(PaddedRows::<8>);
    check(Tiled::<2, 2, 2>);
    check(Morton);
    check(Transposed(RowMajor));
}

#[test]
fn slices_and_zips_have_index_ranges() {
    let from = alloc_from_fn::<usize, SoA, _>([6, 7], |[i, j]| 10 * i + j).unwrap();
    let mut to = alloc::<usize, AoS, _>([4, 7]).unwrap();
    let part = from.slice((step(.., -1), ..));
    let part = part.slice((1..5, ..));
    let mut seen = vec![];
    part.for_each_in((2.., 5..), |index, slot| seen.push((index, slot.get())));
    seen.sort_unstable();
    assert_eq!(seen, [([2, 5], 25), ([2, 6], 26), ([3, 5], 15), ([3, 6], 16)]);

    zip((&part, &mut to)).for_each_in((0, ..=1), |[i, j], (from, mut to)| to.set(from.get() + 100 * i + j));
    assert_eq!(to.to_vec()[..3], [40, 42, 0]);
}

#[test]
fn ranges_of_static_extents_and_of_one_dimension() {
    let mut line = alloc::<u8, Gapped<4>, _>(11).unwrap();
    line.for_each_in_mut((3..9,), |[i], mut slot| slot.set(u8::try_from(i).unwrap()));
    assert_eq!(line.to_vec(), [0, 0, 0, 3, 4, 5, 6, 7, 8, 0, 0]);
    let mut grid = alloc::<u8, SoA, _>(extents!(3, 4)).unwrap();
    grid.for_each_in_mut((1.., 1..3), |_, mut slot| slot += 1);
    assert_eq!(grid.to_vec(), [0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0]);
}

#[test]
#[should_panic(expected = "range 1..5 is not within dimension 1 of extent 4")]
fn a_range_beyond_the_extents_is_refused() {
    let grid = alloc::<u8, SoA, _>([3, 4]).unwrap();
    grid.for_each_in((0..2, 1..5), |_, _| unreachable!("no element is walked"));
}
