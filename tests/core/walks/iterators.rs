//! Iterators with two ends, against a range of numbers.

use core::fmt::Debug;

use layout::{
    AoS, AoSoA, ColMajor, Dim, Linearization, Mapped, RecordLayout, RowMajor, SoA, Strided, Tiled, View, extents, zip,
};
use support::random::Random;

/// Takes items from both ends, skips some, and uses up the rest, as the model does. The values are of items, since an adaptor
/// would skip by itself.
fn same<S, T: PartialEq + Debug>(
    mut left: impl DoubleEndedIterator<Item = S> + ExactSizeIterator,
    value: impl Fn(S) -> T,
    mut model: impl DoubleEndedIterator<Item = T> + ExactSizeIterator,
    row: usize,
    random: &mut Random,
) {
    for _ in 0..random.below(2 * model.len() + 3) {
        let (found, expected) = match random.below(8) {
            0 => {
                // To a row near by, or past several.
                let far = [1, 4][random.below(2)];
                let n = random.below(far * row + 2);
                (left.nth(n).map(&value), model.nth(n))
            }
            1..4 => (left.next_back().map(&value), model.next_back()),
            _ => (left.next().map(&value), model.next()),
        };
        assert_eq!(found, expected);
        assert_eq!(left.len(), model.len());
    }
    let mut rest = Vec::new();
    left.for_each(|item| rest.push(value(item)));
    assert!(rest.into_iter().eq(model), "the rest");
}

/// Iterators over a view, against a range of the numbers of its elements and against the walk with indices.
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
        same(view.iter(), |slot| slot.get(), 0..number, k, random);
        let mut indexed = Vec::new();
        view.for_each_indexed(|index, slot| indexed.push((index, slot.get())));
        same(view.iter_indexed(), |(index, slot)| (index, slot.get()), indexed.into_iter(), k, random);
    }
    let blocks = Mapped::<u32, _, AoSoA<3>>::new(extents!(dyn i, dyn j, dyn k)).unwrap();
    let mut other = View::from_fn(blocks, |[a, b, c]| u32::try_from((a * j + b) * k + c).unwrap()).unwrap();
    let mut pairs = Vec::new();
    zip((&view, &other)).for_each_indexed(|index, (a, b)| pairs.push((index, (a.get(), b.get()))));
    for _ in 0..4 {
        let values = pairs.iter().map(|(_, pair)| *pair);
        same(zip((&view, &other)).iter(), |(a, b)| (a.get(), b.get()), values, k, random);
        let values = pairs.iter().copied();
        same(zip((&view, &other)).iter_indexed(), |(index, (a, b))| (index, (a.get(), b.get())), values, k, random);
    }
    for (a, mut b) in zip((&view, &mut other)) {
        b.set(a.get());
    }
    assert!(zip((&mut other, &view)).iter().all(|(a, b)| a.get() == b.get()));
    // All at once: no two are one element.
    let references: Vec<([usize; 3], &mut u32)> =
        view.iter_indexed_mut().map(|(index, slot)| (index, slot.into_mut())).collect();
    let numbers: Vec<u32> = references.iter().map(|(_, value)| **value).collect();
    references.into_iter().for_each(|([i, j, k], value)| *value = u32::try_from(100 * i + 10 * j + k).unwrap());
    view.for_each_indexed(|[i, j, k], slot| assert_eq!(slot.get() as usize, 100 * i + 10 * j + k));
    view.iter_indexed_mut().zip(&numbers).for_each(|((_, mut slot), number)| slot.set(*number));
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
