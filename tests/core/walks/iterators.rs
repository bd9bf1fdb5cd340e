//! Iterators with two ends, against a range of numbers.

use layout::{
    AoS, AoSoA, ColMajor, Dim, Linearization, Mapped, RecordLayout, RowMajor, SoA, Strided, Tiled, View, extents,
};
use support::random::Random;

/// Takes elements from both ends, skips some, and uses up the rest: as a `Vec` of the numbers of the elements does.
fn ends<Lin: Linearization<[usize; 3]>, L: RecordLayout<u32> + Default>(
    extents: [usize; 3],
    linearization: Lin,
    random: &mut Random,
) {
    let [i, j, k] = extents;
    let mapping = Mapped::<u32, _, L, _>::with(extents!(dyn i, dyn j, dyn k), L::default(), linearization).unwrap();
    let mut number = 0;
    let mut view = View::from_fn(mapping, |_| 0).unwrap();
    view.for_each_mut(|mut slot| {
        slot.set(number);
        number += 1;
    });
    for _ in 0..4 {
        let (mut left, mut model) = (view.iter(), 0..number);
        for _ in 0..random.below(2 * view.len() + 3) {
            let (found, expected) = match random.below(8) {
                0 => {
                    let n = random.below(k + 2);
                    (left.nth(n), model.nth(n))
                }
                1..4 => (left.next_back(), model.next_back()),
                _ => (left.next(), model.next()),
            };
            assert_eq!(found.map(|slot| slot.get()), expected);
            assert_eq!(left.len(), model.len());
        }
        let mut rest = Vec::new();
        left.for_each(|slot| rest.push(slot.get()));
        assert!(rest.into_iter().eq(model), "the rest of {extents:?}");
    }
    let (mut written, half) = (view.iter_mut(), number as usize / 2);
    let front: Vec<&mut u32> = written.by_ref().take(half).map(|slot| slot.into_mut()).collect();
    let back: Vec<&mut u32> = written.rev().map(|slot| slot.into_mut()).collect();
    assert_eq!(front.len() + back.len(), number as usize);
    assert!(front.iter().zip(0..).all(|(value, n)| **value == n));
    assert!(back.iter().zip((0..number).rev()).all(|(value, n)| **value == n));
}

#[test]
fn iterators_have_two_ends() {
    fn check<L: RecordLayout<u32> + Default>(random: &mut Random) {
        for _ in 0..if cfg!(miri) { 2 } else { 40 } {
            let extents = [0; 3].map(|_| random.below(7));
            ends::<_, L>(extents, RowMajor, random);
            ends::<_, L>(extents, ColMajor, random);
            ends::<_, L>(extents, Tiled::<2, 3, 2>, random);
            ends::<_, L>([4, 6, 6], Tiled::<2, 3, 2>, random);
            let [_, j, k] = extents.map(|extent| extent.max(1).cast_signed());
            ends::<_, L>(extents, Strided::<Dim<3>>::new(0, [1, 7 * k, 7]), random);
            ends::<_, L>(extents, Strided::<Dim<3>>::new(0, [j * (k + 1), k + 1, 1]), random);
        }
    }
    let mut random = Random(2);
    check::<AoS>(&mut random);
    check::<SoA>(&mut random);
    check::<AoSoA<4>>(&mut random);
    check::<AoSoA<5>>(&mut random);
}
