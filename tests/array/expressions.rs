//! Whole-array expressions against loops over lists.

use layout::{AoS, Record};
use layout_array::{Array, ArrayError, SparseArray};
use layout_domain::{Block, Domain, DomainError, DomainMap, Index, Targets};
use layout_store::{Max, Reduction, Runtime, Sum, reduce_fields};

use crate::maps::{MAPS, builder, map};
use crate::{LOCALES, on};

/// Boxes of two dimensions: of some elements, of fewer than locales, of one, of none; with strides, and shifted.
fn boxes() -> Vec<Domain<2>> {
    let strided = Domain::new([0..=13, -5..=9]).by([3, -2]).expect("a stride");
    let plain = [Domain::new([1..=5, 1..=7]), Domain::new([-3..=-1, 20..=21]), Domain::new([4..=4, 2..=2])];
    plain.into_iter().chain([strided, Domain::new([0..4, 5..5]), Domain::new([0..=0, -4..=12])]).collect()
}

/// A number that tells an index, of either sign.
fn value([i, j]: [i64; 2]) -> i64 {
    (31 * i + 7 * j) % 19 - 6
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Reading {
    level: f64,
    station: u64,
}

reduce_fields!(Max for Reading { level, station });

fn reading(value: i64) -> Reading {
    Reading { level: value as f64 / 4.0, station: value.unsigned_abs() }
}

fn element_by_element(rt: &Runtime, (one, other): (usize, usize)) -> Result<(), ArrayError> {
    for domain in boxes() {
        let what = format!("{domain} on {} locales, maps {one} and {other}", rt.locales());
        let a: Array<i64, 2> = Array::from_fn(rt, &domain, map(one, rt.locales())?, value)?;
        // The same positions under other indices.
        let moved = domain.translate([5, -8])?;
        let b: Array<i64, 2, AoS> =
            Array::from_fn(rt, &moved, map(other, rt.locales())?, |[i, j]| 100 * value([i - 5, j + 8]))?;
        let values: Vec<i64> = domain.iter().map(value).collect();

        let readings: Array<Reading, 2, AoS> = Array::new(rt, &moved, map(other, rt.locales())?)?;
        readings.map_from(&a, reading)?;
        assert_eq!(readings.to_vec()?, values.iter().copied().map(reading).collect::<Vec<_>>(), "{what}");
        let sums: Array<f64, 2> = Array::new(rt, &domain, map(one, rt.locales())?)?;
        sums.zip_map_from(&readings, &b, |reading, b| reading.level + b as f64)?;
        let expected = values.iter().map(|value| *value as f64 * 100.25);
        assert_eq!(sums.to_vec()?, expected.collect::<Vec<_>>(), "{what}");

        let most = values.iter().copied().map(reading).fold(Max.identity(), |a, b| Max.combine(a, b));
        assert_eq!(readings.reduce(Max)?.get()?, most, "{what}");
        assert_eq!(a.sum()?.get()?, values.iter().sum::<i64>(), "{what}");
        assert_eq!(a.dot(&b)?.get()?, values.iter().map(|value| 100 * value * value).sum::<i64>(), "{what}");
        assert_eq!(a.transpose([1, 0])?.dot(&b.transpose([1, 0])?)?.get()?, a.dot(&b)?.get()?, "{what}");
    }
    Ok(())
}

#[test]
fn elements_are_mapped_and_reduced() {
    for locales in LOCALES {
        for one in 0..MAPS {
            on(builder(locales), (one, (one + locales) % MAPS), element_by_element);
        }
    }
}

/// Sums over vectors, with a rest; parts whose elements have gaps between them; orders of memory that differ.
#[test]
fn sums_have_every_element_once() -> Result<(), ArrayError> {
    let rt = Runtime::builder().threads(1).pieces(2).min_chunk(1).build()?;
    for side in [1, 15, 16, 17, 31, 64, 100] {
        let square = Domain::new([0..side, 0..side]);
        let blocks = || Block::over(&square, Targets::all(1)?);
        let a: Array<f64, 2> = Array::from_fn(&rt, &square, blocks()?, move |[i, j]| (i * side + j) as f64)?;
        let b: Array<f64, 2> = Array::from_fn(&rt, &square, blocks()?, |[i, j]| (i - 2 * j) as f64)?;
        let sum = |domain: &Domain<2>, f: &dyn Fn([i64; 2]) -> i64| domain.iter().map(f).sum::<i64>() as f64;
        let some = Domain::new([0..side, side / 3..side]);
        for domain in [square, some] {
            let (a, b) = (a.slice(&domain)?, b.slice(&domain)?);
            assert_eq!(a.sum()?.get()?, sum(&domain, &|[i, j]| i * side + j), "{domain}");
            assert_eq!(a.dot(&b)?.get()?, sum(&domain, &|[i, j]| (i * side + j) * (i - 2 * j)), "{domain}");
        }
        let turned = a.dot(&b.transpose([1, 0])?)?.get()?;
        assert_eq!(turned, sum(&square, &|[i, j]| (i * side + j) * (j - 2 * i)), "{side}");
    }
    Ok(())
}

fn moved(rt: &Runtime, (one, other): (usize, usize)) -> Result<(), ArrayError> {
    for domain in boxes() {
        let a: Array<i64, 2> = Array::from_fn(rt, &domain, map(one, rt.locales())?, value)?;
        let b: Array<i64, 2> = Array::new(rt, &domain.translate([2, 3])?, map(other, rt.locales())?)?;
        let [rows, columns] = domain.shape().map(Index::wide);
        for by in [[0, 0], [1, 0], [0, -2], [-1, 3], [100, 1], [i64::MIN, i64::MAX]] {
            let what = format!("{domain} on {} locales by {by:?}, maps {one} and {other}", rt.locales());
            let places = || (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j]));
            let at = |[i, j]: [i128; 2]| {
                let order = usize::try_from(i * columns + j).ok().filter(|_| i < rows && (0..columns).contains(&j));
                order.filter(|_| i >= 0).and_then(|order| domain.at(order)).map(value)
            };
            let from = |[i, j]: [i128; 2]| [i - i128::from(by[0]), j - i128::from(by[1])];
            b.shift_from(&a, by, -77)?;
            let expected: Vec<i64> = places().map(|place| at(from(place)).unwrap_or(-77)).collect();
            assert_eq!(b.to_vec()?, expected, "shifted {what}");
            b.rotate_from(&a, by)?;
            let around = |[i, j]: [i128; 2]| [i.rem_euclid(rows), j.rem_euclid(columns)];
            let expected: Vec<i64> = places().filter_map(|place| at(around(from(place)))).collect();
            assert_eq!(b.to_vec()?, expected, "rotated {what}");
        }
        let turned: Array<i64, 2> =
            Array::new(rt, &Domain::new([domain.dims()[1], domain.dims()[0]]), map(other, rt.locales())?)?;
        turned.assign(&a.transpose([1, 0])?)?;
        let expected: Vec<i64> = turned.domain().iter().map(|[i, j]| value([j, i])).collect();
        assert_eq!(turned.to_vec()?, expected, "{domain}");
        for locale in 0..rt.locales() {
            let parts = a.transpose([1, 0])?.local(locale);
            let own = |[j, i]: [i64; 2]| a.owner([i, j]) == Some(locale);
            assert!(parts.into_iter().flatten().all(own));
        }
    }
    Ok(())
}

#[test]
fn elements_are_moved() {
    for locales in LOCALES {
        for one in [locales % MAPS, (locales + 1) % MAPS] {
            on(builder(locales), (one, (one + locales) % MAPS), moved);
        }
    }
}

/// A shift sends what changes its locale, and a view of the transposed array sends nothing.
#[test]
fn a_shift_sends_the_border() {
    fn program(rt: &Runtime, (): ()) -> Result<(u64, u64), ArrayError> {
        let line = Domain::from(0..=99);
        let blocks = Block::over(&line, Targets::all(4)?)?;
        let a: Array<i64, 1> = Array::from_fn(rt, &line, blocks.clone(), |[i]| i)?;
        let b: Array<i64, 1> = Array::new(rt, &line, blocks)?;
        rt.fence()?;
        let before = rt.traffic();
        b.shift_from(&a, [3], 0)?;
        rt.fence()?;
        let after = rt.traffic();
        Ok((after.messages - before.messages, after.bytes - before.bytes))
    }
    assert_eq!(on(builder(4), (), program), [(1, 24), (1, 24), (1, 24), (0, 0)]);
}

#[test]
fn values_are_counted() {
    fn counted(rt: &Runtime, (one, other): (usize, usize)) -> Result<(), ArrayError> {
        for domain in boxes() {
            let a: Array<i64, 2> = Array::from_fn(rt, &domain, map(one, rt.locales())?, value)?;
            let bins = Domain::from(-24..=13).by([-1])?;
            let counts: Array<u64, 1> = Array::filled(rt, &bins, map(other, rt.locales())?, 9)?;
            counts.bincount_from(&a, |value| value)?;
            let count = |[bin]: [i64; 1]| domain.iter().filter(|at| value(*at) == bin).count() as u64;
            assert_eq!(counts.to_vec()?, bins.iter().map(count).collect::<Vec<_>>(), "{domain}");
        }
        let none = Domain::from(1..1);
        let (a, bins): (Array<i64, 1>, Array<u64, 1>) =
            (Array::new(rt, &none, map(one, rt.locales())?)?, Array::new(rt, &none, map(other, rt.locales())?)?);
        bins.bincount_from(&a, |value| value)
    }
    for locales in LOCALES {
        for one in 0..MAPS {
            on(builder(locales), (one, (one + locales) % MAPS), counted);
        }
    }
}

/// Counts of a slice with steps stay on the locales of their elements.
#[test]
fn counts_stay_on_their_owners() {
    fn counted(rt: &Runtime, locales: usize) -> Result<(), ArrayError> {
        let line = Domain::from(0..100 * locales as i64);
        let back = Block::over(&line, Targets::of((0..locales).rev().collect::<Vec<_>>())?)?;
        for by in [100_i64, 50, -100] {
            // The index with a count that is the next one in the direction of the first.
            let key = move |i: i64| if by > 0 { i - i % by } else { i - i % by - by - 1 };
            let a: Array<u64, 1> = Array::filled(rt, &line, back.clone(), 0)?;
            let some = a.slice(&line.by([by.into()])?)?;
            let values: Array<i64, 1> = Array::from_fn(rt, &line, back.clone(), move |[i]| key(i))?;
            some.bincount_from(&values, |value| value)?;
            rt.fence()?;
            // Nothing is sent for the elements of this locale.
            rt.local(|| some.update().for_each(|_, (mut some,)| some.update(|count| count + 1)))?;
            assert_eq!(some.to_vec()?, vec![by.unsigned_abs() + 1; some.domain().len()]);
        }
        Ok(())
    }
    for locales in LOCALES {
        on(builder(locales).pieces(locales), locales, counted);
    }
}

/// Contributions to a part of an array, and to an array that was written in parts or element by element, are added on the owners.
#[test]
fn contributions_stay_on_their_owners() {
    fn added(rt: &Runtime, locales: usize) -> Result<(), ArrayError> {
        let line = Domain::from(0..100 * locales as i64);
        let back = Block::over(&line, Targets::of((0..locales).rev().collect::<Vec<_>>())?)?;
        let values: Array<i64, 1> = Array::from_fn(rt, &line, back.clone(), |[i]| i / 2)?;
        let half = Domain::from(0..50 * locales as i64);
        let stays = |what: &str, counts: &Array<u64, 1>, expected: u64| {
            rt.fence()?;
            // Nothing is sent for the elements of this locale.
            let updated = rt.local(|| counts.update().for_each(|_, (mut counts,)| counts.update(|count| count + 1)));
            updated.unwrap_or_else(|error| panic!("{what}, on {locales} locales: {error}"));
            assert_eq!(counts.to_vec()?, vec![expected + 1; counts.domain().len()], "{what}, on {locales} locales");
            Ok::<_, ArrayError>(())
        };
        let counts: Array<u64, 1> = Array::new(rt, &line, back.clone())?;
        let part = counts.slice(&half)?;
        part.bincount_from(&values, |value| value)?;
        stays("a part", &part, 2)?;

        let square = Domain::new([line.dims()[0]; 2]);
        let rows = Block::over(&square, Targets::grid([locales, 1], (0..locales).collect::<Vec<_>>())?)?;
        let diagonal = line.iter().filter(|[i]| rows.owner([*i, 0], 0) == Some(rt.locale())).map(|[i]| ([i, i], 1));
        let diagonal: SparseArray<u64, 2> =
            SparseArray::from_entries(rt, &square, rows.clone(), 0, diagonal, |a, _| a)?;
        let x: Array<u64, 1> = Array::filled(rt, &line, Block::over(&line, Targets::all(locales)?)?, 3)?;
        let y: Array<u64, 1> = Array::new(rt, &line, back.clone())?;
        y.slice(&half)?.fill(1)?;
        y.slice(&Domain::from(50 * locales as i64..100 * locales as i64))?.fill(1)?;
        diagonal.multiply_onto(&x, &y)?;
        stays("an array of two parts", &y, 4)?;

        let y: Array<u64, 1> = Array::filled(rt, &line, back, 1)?;
        (0..40).try_for_each(|k| y.put([2 * k], 1))?;
        diagonal.multiply_onto(&x, &y)?;
        stays("an array with single elements", &y, 4)
    }
    for locales in LOCALES {
        on(builder(locales).pieces(locales), locales, added);
    }
}

#[test]
fn what_does_not_fit_is_refused() -> Result<(), ArrayError> {
    let rt = Runtime::new()?;
    let (line, short) = (Domain::from(1..=9), Domain::from(1..=8));
    let blocks = || Block::over(&line, Targets::all(1)?);
    let a: Array<i64, 1> = Array::filled(&rt, &line, blocks()?, 1)?;
    let b: Array<i64, 1> = Array::filled(&rt, &short, blocks()?, 2)?;
    let lengths = |result: Result<(), ArrayError>| {
        assert!(matches!(result, Err(ArrayError::Domain(DomainError::Lengths { .. }))), "{result:?}");
    };
    lengths(a.map_from(&b, |b| b));
    lengths(a.zip_map_from(&a, &b, |a, b| a + b));
    lengths(a.dot(&b).map(|_| ()));
    lengths(a.shift_from(&b, [1], 0));
    lengths(a.rotate_from(&b, [1]));
    let half = a.slice(&Domain::from(1..=4))?;
    let overlapping = half.shift_from(&a.slice(&Domain::from(3..=6))?, [1], 0);
    assert!(matches!(overlapping, Err(ArrayError::Overlap { .. })), "{overlapping:?}");
    assert!(a.map_from(&a, |a| a + 1).is_err());
    let square: Array<i64, 2> = Array::filled(&rt, &Domain::new([1..=2, 1..=2]), map(0, 1)?, 0)?;
    assert!(square.transpose([1, 1]).is_err() && square.transpose([0, 2]).is_err());
    assert_eq!((a.to_vec()?, b.to_vec()?), (vec![1; 9], vec![2; 8]));

    let counts: Array<u64, 1> = Array::filled(&rt, &Domain::from(1..=1), map(0, 1)?, 0)?;
    counts.bincount_from(&b, |value| value)?;
    let error = counts.to_vec().expect_err("a value without a bin").to_string();
    assert!(error.contains("a value has bin 2, which is not in {1..=1}"), "{error}");
    assert_eq!(Sum.combine(1, 2), 3);
    Ok(())
}
