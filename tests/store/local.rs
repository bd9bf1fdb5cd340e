//! The part of a store that lies on a locale, shown to the program; the whole on one locale.

use std::collections::BTreeMap;

use layout::SoA;
use layout::bits::{BitPackedIntSoA, Bits};
use layout_store::{
    Dim, DimOrdering, Distribution, DynRank, Mapper, Point, Rect, Runtime, Store, StoreError, TaskBodyError, update,
    value, write,
};
use support::locales::on_locales;

const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];

fn number(at: Point) -> i64 {
    at.iter().fold(7, |number, at| number * 100 + at)
}

fn all(store: &Store<i64, DynRank>) -> Vec<i64> {
    store.to_vec().unwrap()
}

/// The boxes of this locale, of which each view has been compared with what the store is to have.
fn boxes(store: &Store<i64, DynRank>, expected: &[i64]) -> Vec<Rect> {
    let whole = Rect::of(store.extents());
    let all: Vec<(Point, i64)> = whole.points().zip(expected.iter().copied()).collect();
    let shown = store.read_local(|boxes| boxes.iter().map(|(rect, view)| (*rect, view.to_vec())).collect::<Vec<_>>());
    let shown = shown.unwrap();
    for (rect, values) in &shown {
        let inside = all.iter().filter(|(at, _)| rect.contains(at));
        assert!(!rect.is_empty() && inside.map(|(_, value)| value).eq(values), "{rect} of {whole}");
    }
    shown.into_iter().map(|(rect, _)| rect).collect()
}

/// Asserts that the boxes of all locales are all of a store, each element once.
fn assert_cover(boxes: &[Vec<Rect>], extents: Point) {
    let mut points: Vec<Point> = boxes.iter().flatten().flat_map(|rect| rect.points()).collect();
    points.sort_unstable();
    assert!(points.into_iter().eq(Rect::of(extents).points()), "{boxes:?} of {extents}");
}

/// Each part, as it was written by a launch, by other tiles, by the program, and not at all since it was made.
#[test]
fn parts_are_all_of_the_store() {
    for locales in LOCALES {
        for extents in [&[40_i64][..], &[12, 9], &[3, 100], &[5, 6, 7], &[1, 1], &[0, 4]] {
            for (pieces, whole_below) in [(locales, 0), (3 * locales + 1, 0), (locales, 1 << 20)] {
                let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1);
                let input: Point = extents.iter().copied().collect();
                let seen = on_locales(builder.whole_below(whole_below), input, |rt, extents| {
                    let store: Store<i64, DynRank> = rt.create_from_fn(extents, number).unwrap();
                    let new = all(&store);
                    let made = boxes(&store, &new);
                    store.fill(5).unwrap();
                    let filled = boxes(&store, &vec![5; new.len()]);
                    store.update(|mut view| view.fill(6)).unwrap();
                    let updated = boxes(&store, &vec![6; new.len()]);
                    // By tiles that lie across the others.
                    let axes: Vec<usize> = (0..store.rank()).rev().collect();
                    let turned = store.transpose(axes).unwrap();
                    let task = rt.task("turned").args((update(&turned),));
                    task.launch(|_, (mut tile,)| tile.update(|value| value + 1)).unwrap();
                    let across = boxes(&store, &vec![7; new.len()]);
                    let of_turned = boxes(&turned, &vec![7; new.len()]);
                    (made, filled, updated, across, (of_turned, turned.extents(), store.extents()))
                });
                let seen = seen.unwrap();
                let (turned, extents) = (seen[0].4.1, seen[0].4.2);
                let column = |of: &dyn Fn(usize) -> Vec<Rect>| (0..locales).map(of).collect::<Vec<_>>();
                assert_cover(&column(&|at| seen[at].0.clone()), extents);
                assert_cover(&column(&|at| seen[at].1.clone()), extents);
                assert_cover(&column(&|at| seen[at].2.clone()), extents);
                assert_cover(&column(&|at| seen[at].3.clone()), extents);
                assert_cover(&column(&|at| seen[at].4.0.clone()), turned);
                if locales == 1 && extents.product() > Some(0) {
                    assert_eq!(seen[0].0, [Rect::of(extents)]);
                }
            }
        }
    }
}

/// If each locale writes its part, nothing is sent, neither for that nor for tasks that come after it.
#[test]
fn parts_stay_where_they_are_written() {
    for locales in LOCALES {
        for distribution in [None, Some([1, 12]), Some([6, 1]), Some([3, 4])] {
            let builder = Runtime::builder().locales(locales).threads(2).pieces(12).min_chunk(1).whole_below(0);
            let parts = on_locales(builder, distribution, |rt, distribution| {
                let colors = |colors: [i64; 2]| Distribution::Colors(colors.into());
                let distribution = distribution.map_or(Distribution::Chosen, colors);
                let store = rt.create_distributed::<i64, SoA, _>([24, 24], &distribution).unwrap();
                store.fill(0).unwrap();
                for round in 0..5 {
                    store
                        .update_local(|boxes| {
                            for (rect, mut view) in boxes {
                                rect.points().zip(Rect::of(rect.extents()).points()).for_each(|(at, local)| {
                                    let local = [0, 1].map(|dim| usize::try_from(local[dim]).unwrap());
                                    view.set(local, view.get(local) + number(at));
                                });
                            }
                        })
                        .unwrap();
                    let task = rt.task("again").args((update(&store),));
                    task.launch(move |_, (mut tile,)| tile.update(|value| value + round)).unwrap();
                }
                let sum =
                    store.read_local(|boxes| boxes.iter().map(|(_, view)| view.values().sum::<i64>()).sum::<i64>());
                rt.fence().unwrap();
                let bytes = rt.traffic().bytes;
                let expected: Vec<i64> = Rect::of([24, 24].into()).points().map(|at| 5 * number(at) + 10).collect();
                assert_eq!(store.to_vec().unwrap(), expected);
                let count = store.read_local(|boxes| boxes.len()).unwrap();
                (bytes, count, sum.unwrap(), expected.iter().sum::<i64>())
            });
            let parts = parts.unwrap();
            assert!(parts.iter().all(|(bytes, ..)| *bytes == 0), "{locales} {distribution:?}");
            // Blocks of a grid lie side by side, so that a locale has one box of them, or three where they are in two rows.
            assert!(parts.iter().all(|(_, count, ..)| (1..=3).contains(count)), "{parts:?}");
            assert_eq!(parts.iter().map(|(_, _, sum, _)| sum).sum::<i64>(), parts[0].3);
        }
    }
}

/// The work of program and tasks in turn, on parts, on views of parts, and on the whole.
#[test]
fn parts_and_tasks_take_turns() {
    for locales in LOCALES {
        for whole_below in [0, 1 << 20] {
            let builder =
                Runtime::builder().locales(locales).threads(2).pieces(7).min_chunk(1).whole_below(whole_below);
            let results = on_locales(builder, (), |rt, ()| {
                let store: Store<i64, _> = rt.create_from_fn([30, 8], number).unwrap();
                let mut expected = store.to_vec().unwrap();
                let at = |row: usize, column: usize| row * 8 + column;
                for round in 0..6 {
                    // Every other row from the last one on, and then half of the columns.
                    let rows = store.step(0, -2).unwrap();
                    rows.update_local(|boxes| {
                        boxes.into_iter().for_each(|(_, mut view)| view.update(|value| value * 3))
                    })
                    .unwrap();
                    let right = store.slice(1, 4, None).unwrap();
                    let task = rt.task("right").args((update(&right),));
                    task.launch(move |_, (mut tile,)| tile.update(|value| value + round)).unwrap();
                    store
                        .project(1, 2)
                        .unwrap()
                        .update_local(|boxes| {
                            for (rect, mut view) in boxes {
                                rect.points().enumerate().for_each(|(local, at)| view.set(local, at[0]));
                            }
                        })
                        .unwrap();
                    for row in 0..30 {
                        for column in 0..8 {
                            let value = &mut expected[at(row, column)];
                            *value *= if row % 2 == 1 { 3 } else { 1 };
                            *value += if column >= 4 { round } else { 0 };
                            *value = if column == 2 { i64::try_from(row).unwrap() } else { *value };
                        }
                    }
                    assert_eq!(store.to_vec().unwrap(), expected, "round {round}");
                    let to = usize::try_from(round).unwrap() % rt.locales();
                    let gathered = right.gather(to).unwrap();
                    assert_eq!(gathered.is_some(), to == rt.locale());
                    let half = expected.chunks(8).flat_map(|row| &row[4..]);
                    assert!(gathered.is_none_or(|all| all.iter().eq(half)));
                }
            });
            assert_eq!(results.unwrap().len(), locales);
        }
    }
}

/// One locale is sent what it lacks, and the others nothing.
#[test]
fn a_gather_sends_to_one_locale() {
    for locales in LOCALES {
        for whole_below in [0, 1 << 20] {
            let builder =
                Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(whole_below);
            let sent = on_locales(builder, (), |rt, ()| {
                let store: Store<i64, _> = rt.create(120).unwrap();
                rt.task("numbers")
                    .args((write(&store),))
                    .launch(|task, (mut tile,)| {
                        let [start] = task.origin(0);
                        (0..tile.len()).for_each(|i| tile.set(i, i64::try_from(start + i).unwrap()));
                    })
                    .unwrap();
                let last = rt.locales() - 1;
                let all = store.gather(last).unwrap();
                assert_eq!(all, (rt.locale() == last).then(|| (0..120).collect::<Vec<i64>>()));
                rt.fence().unwrap();
                let traffic = rt.traffic();
                // It may be written at once, and gathered again.
                store.fill(3).unwrap();
                assert!(store.gather(0).unwrap().is_none_or(|all| all == [3; 120]));
                (traffic.messages, traffic.bytes)
            });
            let sent = sent.unwrap();
            let each = u64::try_from(120 / locales * 8).unwrap();
            let expected = (0..locales).map(|locale| if locale + 1 < locales { (1, each) } else { (0, 0) });
            assert!(sent.iter().copied().eq(expected), "{sent:?}");
        }
    }
}

#[test]
fn elements_that_share_bytes_are_one_part() {
    let builder = Runtime::builder().locales(3).threads(1).pieces(6).min_chunk(1).whole_below(0);
    let counts = on_locales(builder, (), |rt, ()| {
        let numbers = rt.create_from_fn::<i64, BitPackedIntSoA<Bits<5>>, _>(100, |at| at[0] % 3).unwrap();
        let shown = numbers.read_local(|boxes| boxes.iter().map(|(rect, _)| *rect).collect::<Vec<_>>()).unwrap();
        numbers
            .update_local(|boxes| {
                boxes.into_iter().for_each(|(_, mut view)| (0..view.len()).for_each(|i| view.set(i, view.get(i) + 4)));
            })
            .unwrap();
        let expected: Vec<i64> = (0..100).map(|i| i % 3 + 4).collect();
        assert_eq!(numbers.to_vec().unwrap(), expected);
        shown
    });
    assert_eq!(counts.unwrap().concat(), [Rect::of([100].into())]);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    for locales in LOCALES {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(6).min_chunk(1).whole_below(0);
        let told = on_locales(builder.shown_limit(60 * 8), (), |rt, ()| {
            let store: Store<i64, _> = rt.create(60).unwrap();
            let unwritten = store.read_local(|_| panic!("nobody wrote")).unwrap_err();
            assert_eq!(
                unwritten.to_string(),
                "`read_local` reads [0]..[60], which nobody wrote yet: write or fill the store first"
            );
            store.slice(0, 0, 59).unwrap().fill(1).unwrap();
            assert!(matches!(store.update_local(|_| ()), Err(StoreError::Uninitialized { argument: None, .. })));
            assert!(matches!(store.gather(0), Err(StoreError::Uninitialized { .. })));
            store.fill(2).unwrap();
            // As many bytes as are allowed.
            assert_eq!(store.to_vec().unwrap(), [2; 60]);
            let promoted = store.promote(0, 4).unwrap();
            assert!(matches!(promoted.update_local(|_| ()), Err(StoreError::Promoted { dim: 0, .. })));
            let volume = promoted.read_local(|boxes| boxes.iter().map(|(rect, _)| rect.volume()).sum::<i64>()).unwrap();
            let none = store.slice(0, 3, 3).unwrap();
            assert_eq!(none.read_local(|boxes| boxes.len()).unwrap(), 0);
            assert_eq!(none.gather(0).unwrap(), (rt.locale() == 0).then(Vec::new));
            let here = store.read_local(|_| store.update_local(|_| ()).is_err()).unwrap();

            let large: Store<i64, _> = rt.create_from_fn(61, |at| at[0]).unwrap();
            let calls = [large.to_vec().err(), large.read(|_| ()).err(), large.update(|_| ()).err()];
            let refused = |error: &Option<StoreError>| {
                matches!(error, Some(StoreError::ShownWhole { needed: 488, limit: 480, .. }))
            };
            assert!(calls.iter().all(|error| refused(error) == (rt.locales() > 1)), "{calls:?}");
            // Parts of it, and all on one locale.
            assert_eq!(large.slice(0, 1, None).unwrap().to_vec().unwrap().len(), 60);
            assert_eq!(large.get(60).unwrap(), 60);
            assert_eq!(large.gather(0).unwrap().map(|all| all.len()), (rt.locale() == 0).then_some(61));
            assert!(large.read_local(|_| ()).is_ok());
            let nowhere = large.gather(rt.locales());
            assert!(matches!(nowhere, Err(StoreError::NoLocale { given, locales }) if given == locales));
            (volume, here)
        });
        let told = told.unwrap();
        assert_eq!(told.iter().map(|(volume, _)| volume).sum::<i64>(), 4 * 60);
        assert!(told.iter().all(|(_, refused)| *refused));
    }
}

/// Who has the part is told what went wrong with it, a fence tells all, and what failed is healthy once it is written again.
#[test]
fn a_part_fails_with_its_task() {
    for locales in LOCALES {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(6).min_chunk(1).whole_below(0);
        let failed = on_locales(builder, (), |rt, ()| {
            let store: Store<i64, _> = rt.create(60).unwrap();
            rt.task("half")
                .args((write(&store),))
                .launch(|task, (mut tile,)| {
                    tile.fill(1);
                    if task.point()[0] == 5 { Err(TaskBodyError::new("no more")) } else { Ok(()) }
                })
                .unwrap();
            let error = store.update_local(|boxes| boxes.len()).err();
            let last = rt.locale() == rt.locales() - 1;
            assert!(if last { matches!(error, Some(StoreError::Failed(_))) } else { error.is_none() }, "{error:?}");
            let gathered = store.gather(0);
            assert_eq!(gathered.is_err(), rt.locale() == 0);
            assert!(rt.fence().unwrap_err().to_string().contains("no more"));
            store.fill(4).unwrap();
            assert!(
                store.read_local(|boxes| boxes.iter().all(|(_, view)| view.values().all(|value| value == 4))).unwrap()
            );
            rt.fence().unwrap();
        });
        assert_eq!(failed.unwrap().len(), locales);
    }
}

#[test]
fn memory_that_was_given_is_shown_in_parts() {
    let builder = Runtime::builder().locales(2).threads(1).pieces(4).min_chunk(1);
    let parts = on_locales(builder, (), |rt, ()| {
        let table: Vec<u8> = (0..64).collect();
        let attached = rt.attach_read_only::<u8, SoA, _, _>(64, &DimOrdering::C, table).unwrap();
        let store = attached.store();
        let part =
            store.read_local(|boxes| boxes.iter().map(|(rect, view)| (*rect, view.to_vec())).collect::<Vec<_>>());
        assert!(matches!(store.update_local(|_| ()), Err(StoreError::ReadOnly { argument: None, .. })));
        attached.detach().unwrap();
        assert!(matches!(store.read_local(|_| ()), Err(StoreError::Detached { argument: None, .. })));
        part.unwrap()
    });
    let half =
        |from: u8| (Rect::new([i64::from(from)].into(), [i64::from(from) + 32].into()), (from..from + 32).collect());
    assert_eq!(parts.unwrap(), [[half(0)], [half(32)]]);
}

/// Values of points stay on the locale where the points run, wherever that is, and tasks there get them.
#[test]
fn values_stay_where_they_are_made() {
    for locales in LOCALES {
        for mapper in 0..3 {
            let builder = Runtime::builder().locales(locales).threads(2).pieces(7).min_chunk(1).whole_below(0);
            let values = on_locales(builder, mapper, |rt, mapper| {
                let mapper = match mapper {
                    0 => Mapper::neighbors(),
                    1 => Mapper::round_robin(),
                    _ => Mapper::new(|_, _, locales| locales - 1),
                };
                let values = rt.task("values").over([7]).unwrap().mapped(&mapper);
                let values = values.map_local(|task, ()| Ok(vec![task.point()[0]; 3])).unwrap();
                let told = rt
                    .task("take")
                    .args((value(&values),))
                    .over([rt.locales()])
                    .unwrap()
                    .mapped(&Mapper::round_robin());
                // Each point gets the values of its locale.
                let told = told.map_local(|_, (values,)| Ok(values.clone())).unwrap().get().unwrap();
                let own = values.get().unwrap();
                assert_eq!(told, [(Point::from([i64::try_from(rt.locale()).unwrap()]), own.clone())]);
                rt.fence().unwrap();
                assert_eq!(rt.traffic().messages, 0);
                let failed = rt.task("fails").over([7]).unwrap().mapped(&mapper).map_local(|task, ()| {
                    if task.point() == [6].into() { Err(TaskBodyError::new("the last one")) } else { Ok(()) }
                });
                let is_here = own.iter().any(|(point, _)| *point == [6].into());
                assert_eq!(failed.unwrap().get().is_err(), is_here);
                assert!(rt.fence().unwrap_err().to_string().contains("the last one"));
                own
            });
            let mut values = values.unwrap();
            if mapper == 2 {
                assert!(values[..locales - 1].iter().all(Vec::is_empty));
            }
            let mut all: Vec<_> = values.drain(..).flatten().collect();
            all.sort_unstable();
            assert!(all.into_iter().eq((0..7).map(|at| ([at].into(), vec![at; 3]))), "{locales} {mapper}");
        }
    }
}

/// Locales whose part is in use, and those whose part is empty or another one, refuse the same updates.
#[test]
fn an_update_within_parts_is_refused_on_all_locales() {
    let builder = Runtime::builder().locales(3).threads(1).pieces(3).min_chunk(1).whole_below(0);
    let told = on_locales(builder, (), |rt, ()| {
        let few: Store<i64, _> = rt.create_from_fn(2, |at| at[0])?;
        let line: Store<i64, _> = rt.create_from_fn(9, |at| at[0])?;
        let half = line.slice(0, 0, 2)?;
        let refused = |told: Result<(), StoreError>| matches!(told, Err(StoreError::WaitsForItself));
        let told = vec![
            refused(few.read_local(|_| few.update(|mut all| all.fill(7)))?),
            refused(
                few.read_local(|_| few.update_local(|parts| parts.into_iter().for_each(|(_, mut part)| part.fill(7))))?,
            ),
            refused(line.read_local(|_| half.update(|mut all| all.fill(7)))?),
            refused(line.read_local(|_| few.update(|mut all| all.fill(7)))?),
            refused(few.update_local(|_| few.read_local(|_| ()))?),
            refused(few.update_local(|_| few.read(|_| ()))?),
            refused(few.update_local(|_| few.gather(0).map(drop))?),
            refused(few.read_local(|_| few.read_local(|_| ()))?),
            refused(few.read(|_| few.update_local(|_| ()))?),
            refused(few.update(|_| few.read_local(|_| ()))?),
            refused(few.update(|_| few.gather(2).map(drop))?),
            refused(few.read(|_| few.read_local(|_| ()))?),
            refused(few.read(|_| few.gather(2).map(drop))?),
        ];
        rt.fence()?;
        few.update(|mut all| all.set(0, 5))?;
        Ok::<_, StoreError>((told, few.to_vec()?, line.to_vec()?))
    });
    for told in told.unwrap() {
        assert_eq!(
            told.unwrap(),
            (
                vec![true, true, true, false, true, true, true, false, true, true, true, false, true],
                vec![5, 7],
                (0..9).collect()
            )
        );
    }
}

support::with_processes!();

/// Listed tiles lie where the list says, and are not cut again; a launch over them sends nothing.
#[test]
fn listed_tiles_lie_where_they_are_listed() {
    let tile = |lo: [i64; 2], hi: [i64; 2]| Rect::new(lo.into(), hi.into());
    // A wide row, two pieces of uneven widths, and one tile without indices.
    let tiles = [tile([0, 0], [1, 9]), tile([1, 0], [5, 2]), tile([2, 3], [2, 9]), tile([1, 2], [5, 9])];
    for locales in [1, 2, 3, 6] {
        let listed: Vec<(Rect, usize)> = tiles.iter().enumerate().map(|(at, tile)| (*tile, 2 * at % locales)).collect();
        let builder = Runtime::builder().locales(locales).threads(1).pieces(2 * locales).min_chunk(1).whole_below(0);
        let told = on_locales(builder, listed.clone(), |rt, listed| {
            let text = |error: StoreError| error.to_string();
            let grid: Store<i64, Dim<2>> = rt.create_distributed([5, 9], &Distribution::tiles(listed)).map_err(text)?;
            let number = rt.task("number").args((write(&grid),)).launch(|task, (mut tile,)| {
                let mut points = task.rect(0).points();
                tile.update(|_| points.next().map_or(0, |at| 10 * at[0] + at[1]));
            });
            let sent = number.map_err(text)?.exchanged();
            let own = grid.read_local(|parts| {
                let numbered = parts.iter().flat_map(|(rect, part)| rect.points().zip(part.to_vec()));
                numbered.collect::<BTreeMap<_, _>>()
            });
            Ok::<_, String>((sent, own.map_err(text)?.into_iter().collect::<Vec<_>>()))
        });
        for (locale, told) in told.unwrap().into_iter().enumerate() {
            let own = listed.iter().filter(|(_, to)| *to == locale).flat_map(|(tile, _)| tile.points());
            let own: BTreeMap<Point, i64> = own.map(|at| (at, 10 * at[0] + at[1])).collect();
            assert_eq!(told, Ok((0, own.into_iter().collect())), "locale {locale} of {locales}");
        }
    }
}

#[test]
fn wrong_lists_of_tiles_are_refused() {
    let rt = Runtime::builder().threads(1).build().unwrap();
    let told = |tiles: &[(i64, i64)], locale: usize| {
        let tiles = tiles.iter().map(|(lo, hi)| (Rect::new([*lo].into(), [*hi].into()), locale));
        rt.create_distributed::<i64, layout::SoA, _>(8, &Distribution::tiles(tiles))
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(told(&[(0, 3), (3, 8)], 0), None);
    let overlaps = "its tiles overlap, or leave out indices of extents [8]";
    for wrong in [&[(0, 3), (2, 8)][..], &[(0, 3), (4, 8)], &[(0, 8), (0, 8)], &[(5, 5)], &[]] {
        assert!(told(wrong, 0).is_some_and(|text| text.contains(overlaps)), "{wrong:?}: {:?}", told(wrong, 0));
    }
    let beyond = "tile [3]..[9] reaches beyond extents [8]";
    assert!(told(&[(0, 3), (3, 9)], 0).is_some_and(|text| text.contains(beyond)), "{:?}", told(&[(0, 3), (3, 9)], 0));
    assert!(told(&[(0, 8)], 1).is_some_and(|text| text.contains("locale 1")), "{:?}", told(&[(0, 8)], 1));
    let square = Distribution::tiles([(Rect::of([8, 1].into()), 0)]);
    let error = rt.create_distributed::<i64, layout::SoA, _>(8, &square).unwrap_err().to_string();
    assert!(error.contains("2"), "{error}");
}
