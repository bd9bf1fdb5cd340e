//! Operations of arrays without messages, and refusals in a scope that allows none.

use layout_array::{Array, ArrayError, HaloArray, Replicas, SparseArray};
use layout_domain::{Block, BlockCyclic, Cyclic, Domain, Replicated, SparseDomain, Stencil, Targets};
use layout_store::{Runtime, StoreError, Sum, TaskBodyError, Traffic};

use crate::{LOCALES, builder, on};

/// An operation that a scope refuses, and its error: the name, and `a` or `b` if the error names that array.
type Refused = (fn(&Runtime, &Array<i64, 1>, &Array<i64, 1>) -> Result<(), ArrayError>, &'static str, &'static str);

/// `a` lies in blocks, and `b` in turn.
const REFUSED: [Refused; 9] = [
    (|_, a, _| a.get([7]).map(drop), "`get`", "a"),
    (|_, _, b| b.to_vec().map(drop), "`to_vec`", "b"),
    (|_, a, _| a.gather(0).map(drop), "`gather`", "a"),
    (|_, a, b| a.assign(b), "task `assign`", "b"),
    (|_, a, b| b.clone().swap(&mut a.clone()), "task `assign`", "b"),
    (|_, _, b| b.clone().redistribute(Block::over(b.domain(), Targets::of([0])?)?), "task `assign`", "b"),
    (
        |_, a, b| {
            a.update().zip(b.read()).named("add").for_each(|_, (mut a, _)| a.fill(0))?;
            Ok(())
        },
        "task `add`",
        "b",
    ),
    // Both are written, and neither is.
    (
        |_, a, b| {
            let both = a.write().zip(b.write());
            both.for_each(|_, (mut a, mut b)| (a.fill(0), b.fill(0)).1)?;
            Ok(())
        },
        "task `assign`",
        "b",
    ),
    (|_, a, _| a.read().named("sum").reduce(Sum, |_, (a,)| Ok(a.values().sum::<i64>())).map(drop), "task `sum`", "a"),
];

#[test]
fn what_needs_another_locale_is_refused_and_nothing_is_written() {
    for locales in LOCALES {
        let told = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(1..=40);
            let targets = || Targets::all(locales);
            let a: Array<i64, 1> = Array::from_fn(rt, &line, Block::over(&line, targets()?)?, |[i]| i)?;
            let b: Array<i64, 1> = Array::from_fn(rt, &line, Cyclic::new([0], targets()?), |[i]| -i)?;
            rt.fence()?;
            let before = rt.traffic();
            let mut told = Vec::new();
            for (call, operation, named) in REFUSED {
                let refused = rt.local(|| call(rt, &a, &b));
                told.push(match refused {
                    Err(ArrayError::Store(StoreError::NotLocal { operation: found, store, .. })) => {
                        let expected = if named == "a" { a.store().number() } else { b.store().number() };
                        (found == operation && store == Some(expected), format!("{found} {store:?}"))
                    }
                    other => (locales == 1, format!("{other:?}")),
                });
            }
            assert_eq!(rt.traffic(), before);
            if locales > 1 {
                assert_eq!(a.to_vec()?, (1..=40).collect::<Vec<_>>());
                assert_eq!(b.to_vec()?, (1..=40).map(|i: i64| -i).collect::<Vec<_>>());
            }
            Ok(told)
        });
        for told in told {
            let wrong: Vec<_> = told.iter().zip(REFUSED).filter(|((right, _), _)| !right).collect();
            let wrong: Vec<_> = wrong.iter().map(|((_, told), (_, operation, _))| (operation, told)).collect();
            assert!(wrong.is_empty(), "{locales} locales: {wrong:?}");
        }
    }
}

/// A sparse array finds out whether all locales have its elements, which a scope refuses on all of them.
#[test]
fn a_sparse_array_is_not_resized_in_a_scope() {
    for locales in LOCALES {
        let told = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(0..8);
            let (mut few, mut more) = (SparseDomain::new(&line), SparseDomain::new(&line));
            few.insert([[0], [7]])?;
            more.insert([[0], [3], [7]])?;
            let mut a: SparseArray<i64, 1> =
                SparseArray::new(rt, &few, Block::over(&line, Targets::all(locales)?)?, 5)?;
            a.update().for_each(|chunk, _| match chunk.order([0]) {
                Some(_) => Err(TaskBodyError::new("no")),
                None => Ok(()),
            })?;
            // Every locale goes on, whatever it is told.
            let refused = rt.local(|| a.resize(&more)).is_err();
            let fenced = rt.fence().map_err(|error| error.to_string());
            Ok((refused, a.len(), fenced))
        });
        for (refused, len, fenced) in told {
            assert!(refused && len == 2, "{locales} locales: {len}");
            assert!(fenced.as_ref().is_err_and(|error| error.ends_with(": no")), "{locales} locales: {fenced:?}");
        }
    }
}

/// Operations of several launches, some of which send nothing: none of them is done if a later one is refused.
#[test]
fn operations_of_several_launches_are_refused_as_a_whole() {
    for locales in LOCALES {
        let told = on(builder(locales), locales, |rt, locales| {
            let last = || Targets::of([locales - 1]);
            let part = 4;
            let all = part * locales as i64;
            let line = Domain::from(0..all);
            let blocks = Block::over(&line, Targets::all(locales)?)?;
            let start: Vec<i64> = (0..all).collect();
            let array = || Array::<i64, 1>::from_values(rt, &line, blocks.clone(), &start);
            let on_last = || Array::<i64, 1>::from_fn(rt, &line, Cyclic::new([0], last()?), |[i]| -i);
            let (lone, mut known) = (on_last()?, on_last()?);
            let [a, mut b] = [array()?, array()?];
            let counts: Array<u64, 1> = Array::filled(rt, &line, blocks.clone(), 8)?;
            // Every locale has the elements of `known` that belong to its part of `b`.
            b.read().zip(known.read()).for_each(|_, _| ())?;

            let matrix = Domain::new([0..all, 0..all]);
            let rows = Block::over(&matrix, Targets::grid([locales, 1], (0..locales).collect::<Vec<_>>())?)?;
            let dense: Array<i64, 2> = Array::filled(rt, &matrix, rows.clone(), 1)?;
            let diagonal = b.local(rt.locale()).into_iter().flatten().map(|[i]| ([i, i], 1));
            let sparse: SparseArray<i64, 2> = SparseArray::from_entries(rt, &matrix, rows, 0, diagonal, |a, _| a)?;
            // The first panel of the product is on the first locale, if there are two.
            let (long, high) = (Domain::new([0..=0, 0..=599]), Domain::new([0..=599, 0..=0]));
            let grid = |shape| Targets::grid(shape, (0..locales).collect::<Vec<_>>());
            let first = || Targets::<2>::grid([1, 1], [0]);
            let row: Array<i64, 2> = Array::filled(rt, &long, Block::over(&long, first()?)?, 2)?;
            let column: Array<i64, 2> = Array::filled(rt, &high, Block::over(&high, grid([locales, 1])?)?, 3)?;
            let product: Array<i64, 2> =
                Array::filled(rt, &Domain::new([0..=0, 0..=0]), Cyclic::new([0, 0], first()?), 7)?;

            let replicas: Replicas<i64, 1> = Replicas::filled(rt, &line, Replicated::new(Targets::all(locales)?), 5)?;
            let around = Stencil::new(Block::over(&matrix, grid([1, locales])?)?, [1, 1]).periodic();
            let halo: HaloArray<i64, 2> = HaloArray::filled(rt, &matrix, around, 0)?;
            halo.fill(9)?;
            let before = halo.expanded().to_vec()?;
            let one_replica = replicas.replica(0).expect("a target").to_vec()?;
            rt.fence()?;
            let sent = rt.traffic();
            let results = rt.local(|| {
                [
                    ("bincount", counts.bincount_from(&b, move |i| (i + part) % all)),
                    ("matvec", a.matvec_from(&dense, &lone)),
                    ("multiply", sparse.multiply(&lone, &a)),
                    ("matmul", product.matmul_from(&row, &column)),
                    ("rotate", a.rotate_from(&lone, [all - part])),
                    ("shift", a.shift_from(&lone, [1], 0)),
                    ("swap", b.swap(&mut known)),
                    ("replicas", replicas.assign(&lone)),
                    ("halo", halo.update_halo()),
                ]
            });
            rt.fence()?;
            let not_local =
                |result: &Result<(), ArrayError>| matches!(result, Err(ArrayError::Store(StoreError::NotLocal { .. })));
            let wrong = results.iter().filter(|(_, result)| not_local(result) != (locales > 1));
            let wrong: Vec<String> = wrong.map(|(what, result)| format!("{what}: {result:?}")).collect();
            if locales > 1 {
                assert_eq!(rt.traffic(), sent);
                for array in [&a, &b] {
                    assert_eq!(array.to_vec()?, start);
                }
                assert_eq!(known.to_vec()?, lone.to_vec()?);
                assert_eq!(counts.to_vec()?, vec![8; start.len()]);
                assert_eq!(product.get([0, 0])?, 7);
                for locale in 0..locales {
                    assert_eq!(replicas.replica(locale).expect("a target").to_vec()?, one_replica);
                }
                assert_eq!(halo.expanded().to_vec()?, before);
            }
            // A source that is itself a replica is refused, and no replica is assigned.
            let aliased = replicas.assign(replicas.replica(locales - 1).expect("a target"));
            assert!(matches!(aliased, Err(ArrayError::Store(StoreError::Aliased { .. }))), "{aliased:?}");
            Ok(wrong)
        });
        for wrong in told {
            assert!(wrong.is_empty(), "{locales} locales: {wrong:?}");
        }
    }
}

/// Descriptors, loops over arrays that lie alike, and assignments between them: no message and no byte.
#[test]
fn descriptors_local_loops_and_aligned_assignments_send_nothing() {
    for locales in LOCALES {
        // Processes would agree on the pieces, by a message.
        let sums = on(builder(locales).pieces(locales), locales, |rt, locales| {
            let before = rt.traffic();
            let sum = rt.local(|| -> Result<i64, ArrayError> {
                assert_eq!(rt.is_local(), locales > 1);
                let targets = || Targets::all(locales);
                let grid = Domain::new([0..=11, 1..=10]);
                let blocks = Block::over(&grid, targets()?)?;
                let in_turn = BlockCyclic::new([0, 1], [2, 3], targets()?)?;
                let mut sum = 0;
                for turn in [false, true] {
                    let new = || -> Result<Array<i64, 2>, ArrayError> {
                        if turn {
                            Array::new(rt, &grid, in_turn.clone())
                        } else {
                            Array::new(rt, &grid, blocks.clone())
                        }
                    };
                    let (mut a, b) = (new()?, new()?);
                    a.fill_from_fn(|[i, j]| 10 * i + j)?;
                    b.assign(&a)?;
                    let inner = grid.interior([-2, 3])?;
                    b.slice(&inner)?.fill(1)?;
                    b.slice(&inner)?.assign(&a.slice(&inner)?)?;
                    a.update().zip(b.read()).for_each(|_, (mut a, b)| {
                        layout_core::zip((&mut a, &b)).for_each(|(mut a, b)| a += b.get());
                    })?;
                    a.put([0, 1], 100)?;
                    a.at_owner([11, 10], |value| value + 1)?;
                    a.resize(&Domain::new([0..=9, 1..=10]))?;
                    sum += a.read_local(|parts| parts.iter().flat_map(|(_, view)| view.to_vec()).sum::<i64>())?;
                }
                let halo: HaloArray<i64, 2> = HaloArray::filled(rt, &grid, Stencil::new(blocks, [1, 1]), 0)?;
                halo.put([3, 3], 1)?;
                Ok(sum)
            })?;
            rt.fence()?;
            assert_eq!(rt.traffic(), before);
            assert_eq!(before, Traffic::default());
            Ok(sum)
        });
        // Twice each element, in both arrays, but for the one that was put.
        let all: i64 = (0..=9).flat_map(|i| (1..=10).map(move |j| 2 * (10 * i + j))).sum();
        assert_eq!(sums.iter().sum::<i64>(), 2 * (all - 2 + 100), "{locales} locales: {sums:?}");
    }
}
