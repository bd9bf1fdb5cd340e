//! Replicas: a copy on each target locale, and nothing between them but what the program copies.

use layout_array::{Array, ArrayError, Replicas};
use layout_domain::{Block, Cyclic, Domain, Replicated, Targets};

use crate::{LOCALES, builder, on};

/// Each locale changes its own; every locale sees each; others stay as they were.
#[test]
fn each_locale_has_its_own() {
    for locales in LOCALES {
        let seen = on(builder(locales), locales, |rt, locales| {
            // From the last locale down, and not the first of several.
            let targets: Vec<usize> = (locales.min(2) - 1..locales).rev().collect();
            let grid = Domain::<2, i32>::new([2..=7, 1..=9]).by([-2, 3])?;
            let replicas: Replicas<i64, 2, layout::AoS, i32> =
                Replicas::filled(rt, &grid, Replicated::new(Targets::of(targets.clone())?), 0)?;
            assert_eq!(replicas.locales().collect::<Vec<_>>(), targets);
            rt.fence()?;
            let before = rt.traffic();
            replicas.update(|locale, part, mut view| {
                for (order, [i, j]) in part.iter().enumerate() {
                    let columns = view.extents()[1];
                    view.set([order / columns, order % columns], number(locale, [i, j]));
                }
            })?;
            rt.fence()?;
            assert_eq!(rt.traffic().bytes, before.bytes, "local loops send nothing");
            let memory = rt.memory();
            let own = if targets.contains(&rt.locale()) { grid.len() * 8 } else { 0 };
            let kept: usize = memory.stores.iter().map(|store| store.home + store.margin + store.cache).sum();
            assert_eq!(kept, own, "locale {} of {locales}", rt.locale());
            for locale in 0..locales {
                let replica = replicas.replica(locale);
                assert_eq!(replica.is_some(), targets.contains(&locale));
                let Some(replica) = replica else { continue };
                let expected: Vec<i64> = grid.iter().map(|index| number(locale, index)).collect();
                assert_eq!(replica.to_vec()?, expected);
                assert_eq!((replica.owner([6, 4]), replica.local(locale)), (Some(locale), vec![grid]));
            }
            let mine = replicas.read_local(|parts| {
                parts.iter().flat_map(|(part, view)| part.iter().zip(view.to_vec())).collect::<Vec<_>>()
            })?;
            let expected = grid.iter().map(|index| (index, number(rt.locale(), index)));
            let here = targets.contains(&rt.locale());
            assert_eq!(mine, expected.filter(|_| here).collect::<Vec<_>>());
            // One locale alone, by way of its replica, and by the memory of this locale.
            let last = replicas.replica(targets[0]).expect("a target");
            last.put([3, 4], -1)?;
            replicas.update_local(|mut parts| {
                for (_, view) in &mut parts {
                    view.set([0, 0], -2);
                }
            })?;
            let elements = targets.iter().map(|locale| {
                let replica = replicas.replica(*locale).expect("a target");
                Ok::<_, ArrayError>(vec![replica.get([3, 4])?, replica.get([7, 1])?])
            });
            elements.collect::<Result<Vec<_>, ArrayError>>()
        });
        for seen in seen {
            for (at, locale) in (locales.min(2) - 1..locales).rev().enumerate() {
                let first = if at == 0 { -1 } else { number(locale, [3, 4]) };
                assert_eq!(seen[at], [first, -2], "{locale} of {locales}");
            }
        }
    }
}

fn number(locale: usize, [i, j]: [i32; 2]) -> i64 {
    1000 * i64::try_from(locale).expect("few") + i64::from(100 * i + j)
}

/// An array is copied to all replicas, and each locale is sent only what it does not own.
#[test]
fn replicas_are_assigned_from_arrays() {
    for locales in LOCALES {
        on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(0..=29);
            let values: Vec<u32> = (0..30).collect();
            let a: Array<u32, 1> = Array::from_values(rt, &line, Cyclic::new([0], Targets::all(locales)?), &values)?;
            let replicas: Replicas<u32, 1> = Replicas::new(rt, &line, Replicated::new(Targets::all(locales)?))?;
            rt.fence()?;
            let before = rt.traffic().bytes;
            replicas.assign(&a)?;
            rt.fence()?;
            // What it owns goes to each other locale.
            let own: usize = a.local(rt.locale()).iter().map(Domain::len).sum();
            let sent = rt.traffic().bytes - before;
            assert_eq!(sent, u64::try_from(own * 4 * (locales - 1)).expect("few"));
            replicas.read_local(|parts| {
                let values: Vec<u32> = parts.iter().flat_map(|(_, view)| view.to_vec()).collect();
                assert_eq!(values, (0..30).collect::<Vec<_>>());
            })?;
            let long: Array<u32, 1> = Array::filled(rt, &Domain::from(0..=30), a.map().clone(), 0)?;
            assert!(matches!(replicas.assign(&long), Err(ArrayError::Domain(_))));
            Ok(())
        });
    }
}

/// Empty replicas, and a locale that there is not.
#[test]
fn replicas_at_their_limits() {
    for locales in LOCALES {
        on(builder(locales), locales, |rt, locales| {
            let none: Replicas<f64, 2> =
                Replicas::filled(rt, &Domain::new([0..0, 0..4]), Replicated::new(Targets::all(locales)?), 1.0)?;
            none.update(|_, _, _| ())?;
            assert!(none.replica(0).expect("a target").to_vec()?.is_empty());
            assert_eq!(none.read_local(|parts| parts.len())?, 0);
            let beyond: Result<Replicas<f64, 1>, _> =
                Replicas::new(rt, &Domain::from(0..=1), Replicated::new(Targets::of([locales])?));
            let error = beyond.expect_err("no such locale").to_string();
            assert!(error.contains(&locales.to_string()), "{error}");
            Ok(())
        });
    }
}

/// All elements of a table in each chunk; it is sent once, and again when it was written.
#[test]
fn tables_are_broadcast() {
    for locales in LOCALES {
        on(builder(locales), locales, |rt, locales| {
            let (grid, keys) = (Domain::new([0..=5, 0..=4]), Domain::from(1..=12));
            let map = Block::over(&grid, Targets::all(locales)?)?;
            let a: Array<u64, 2> = Array::from_fn(rt, &grid, map, |[i, j]| (5 * i + j) as u64)?;
            let table: Array<u64, 1> =
                Array::from_fn(rt, &keys, Cyclic::new([0], Targets::all(locales)?), |[i]| i as u64)?;
            let add = || {
                a.update().broadcast(&table).for_each(|_, (mut a, table)| {
                    let sum: u64 = table.values().sum();
                    assert_eq!(table.len(), 12, "{:?}", table.extents());
                    a.update(|value| value + sum)
                })
            };
            rt.fence()?;
            let start = rt.traffic().bytes;
            add()?;
            rt.fence()?;
            let own: usize = table.local(rt.locale()).iter().map(Domain::len).sum();
            let chunks = (0..locales).filter(|locale| *locale != rt.locale() && !a.local(*locale).is_empty()).count();
            assert_eq!(rt.traffic().bytes - start, u64::try_from(own * 8 * chunks).expect("few"));
            add()?;
            rt.fence()?;
            assert_eq!(rt.traffic().bytes - start, u64::try_from(own * 8 * chunks).expect("few"), "sent once");
            table.put([1], 11)?;
            add()?;
            let expected: Vec<u64> = (0..30).map(|value| value + 78 + 78 + 88).collect();
            assert_eq!(a.to_vec()?, expected);
            Ok(())
        });
    }
}

/// Replicas that together have more rows than an `i64` counts are refused, on all locales.
#[test]
fn too_many_rows_are_refused() {
    let told = on(builder(2), (), |rt, ()| {
        let most = Domain::from(0..i64::MAX / 2 + 2);
        let replicas = Replicas::<u8, 1>::new(rt, &most, Replicated::new(Targets::all(2)?));
        Ok(replicas.err().map(|error| (matches!(error, ArrayError::Domain(_)), error.to_string())))
    });
    let text =
        "the last row of all replicas of {0..=4611686018427387904} is 9223372036854775809, which a `i64` does not hold";
    assert_eq!(told, vec![Some((true, text.to_owned())); 2]);
}
