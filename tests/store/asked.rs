//! Elements that points reach through images, which only the locale of a point knows: messages, and refusals.

use std::collections::BTreeSet;

use layout_store::{
    Dim, ImageHint, Mapper, PlannedLaunch, PlannedMessage, Planner, Point, Rect, Runtime, Store, StoreError,
    TaskBodyError, Traffic, align, bloat, broadcast, image, read, update, write,
};
use proptest::prelude::*;
use support::locales::on_locales;

type Grid = Store<i64, Dim<2>>;

/// A store that two tasks write, and pointers to it, whoever looks at what they point to.
#[derive(Clone, Debug)]
struct Case {
    locales: usize,
    pieces: usize,
    extents: [i64; 2],
    /// The rows that are written again.
    again: [i64; 2],
    /// Who writes first, who writes again, and who looks.
    mappers: [usize; 3],
    /// `true` if the dimensions of the store are reversed.
    transposed: bool,
    precise: bool,
    divided: bool,
    pointers: Vec<[i64; 2]>,
}

fn case() -> impl Strategy<Value = Case> {
    let sizes = (prop_oneof![1..=9_usize, Just(16)], 1..12_usize, [1..12_i64, 1..7_i64]);
    sizes.prop_flat_map(|(locales, pieces, extents)| {
        let pointer = [0..extents[0], 0..extents[1]];
        let rows = (0..extents[0], 1..=extents[0]).prop_map(move |(lo, count)| [lo, extents[0].min(lo + count)]);
        let flags = (any::<bool>(), any::<bool>(), any::<bool>());
        let rest = (rows, prop::array::uniform3(0..3_usize), flags, prop::collection::vec(pointer, 1..40));
        rest.prop_map(move |(again, mappers, (transposed, precise, divided), pointers)| {
            let pieces = pieces.max(2);
            Case { locales, pieces, extents, again, mappers, transposed, precise, divided, pointers }
        })
    })
}

fn mapper(number: usize) -> Mapper {
    match number {
        0 => Mapper::neighbors(),
        1 => Mapper::round_robin(),
        _ => Mapper::new(|at, _, locales| usize::try_from(at.iter().sum::<i64>() * 7).unwrap() % locales),
    }
}

/// Of each launch: the bytes that it sends, who wrote each element, the locale of each point and the boxes that it was told, and
/// what pointers show. Of a planner, the bytes.
type Looked = (u64, Vec<i64>, Vec<(usize, Vec<Rect>)>, Vec<i64>);

fn looks(rt: &Runtime, case: &Case, planned: bool) -> Result<[Looked; 4], StoreError> {
    let locale = i64::try_from(rt.locale()).unwrap();
    let [grid, who]: [Grid; 2] = [rt.create(case.extents)?, rt.create(case.extents)?];
    let set = |(grid, who, first): (&Grid, &Grid, i64), factor: i64, by: usize| {
        let task = rt.task("set").args((write(grid), write(who))).mapped(&mapper(by));
        task.constrain(|(grid, who)| align(grid, who)).launch(move |task, (mut grid, mut who)| {
            let [i, j] = task.origin::<2>(0);
            let value = move |at: [usize; 2]| factor * (100 * (first + (i + at[0]) as i64) + (j + at[1]) as i64);
            grid.for_each_indexed_mut(|at, mut element| element.set(value(at)));
            who.fill(locale);
        })
    };
    let write_all = |factor| -> Result<(), StoreError> {
        set((&grid, &who, 0), factor, case.mappers[0])?;
        let [lo, hi] = case.again;
        set((&grid.slice(0, lo, hi)?, &who.slice(0, lo, hi)?, lo), factor, case.mappers[1])?;
        Ok(())
    };
    let seen = if case.transposed { grid.transpose([1, 0])? } else { grid.clone() };
    let turned = |[i, j]: [i64; 2]| if case.transposed { [j, i] } else { [i, j] };
    let pointers: Vec<[i64; 2]> = case.pointers.iter().map(|at| turned(*at)).collect();
    let count = i64::try_from(pointers.len()).unwrap();
    let which: Store<[i64; 2], _> = rt.create_from(count, &pointers)?;
    which.assume(move |at| pointers[usize::try_from(at[0]).unwrap()]);
    let hint = if case.precise { ImageHint::Precise } else { ImageHint::MinMax };
    let transposed = case.transposed;
    let look = || -> Result<Looked, StoreError> {
        let picked: Store<i64, _> = rt.create(count)?;
        let wrote = if planned { Vec::new() } else { who.to_vec()? };
        let task = rt.task("look").args((read(&which), read(&seen), write(&picked))).mapped(&mapper(case.mappers[2]));
        let task = task.constrain(|(which, seen, picked)| [align(which, picked), image(which, seen, hint)]);
        let looked = task.map(move |task, (which, seen, mut picked)| {
            let [i, j] = task.origin::<2>(1);
            for k in 0..which.len() {
                let [row, column] = which.load(k).map(|at| usize::try_from(at).unwrap());
                picked.set(k, seen.get([row - i, column - j]));
            }
            let root = |rect: Rect| {
                let turn = |at: Point| if transposed { Point::from([at[1], at[0]]) } else { at };
                Rect::new(turn(rect.lo()), turn(rect.hi()))
            };
            Ok((usize::try_from(locale).unwrap(), task.indices(1).map(root).collect::<Vec<_>>()))
        })?;
        let exchanged = looked.launched().exchanged();
        Ok(if planned {
            (exchanged, wrote, Vec::new(), Vec::new())
        } else {
            (exchanged, wrote, looked.get()?, picked.to_vec()?)
        })
    };
    write_all(1)?;
    let first = [look()?, look()?];
    write_all(2)?;
    let [first, again] = first;
    Ok([first, again, look()?, look()?])
}

/// The launches of a locale, and the bytes of all that each of these exchanges.
type Plans = (Vec<PlannedLaunch>, [u64; 4]);

/// Planners predict which elements a locale receives, and from whom; these locales send them.
fn check_plans(
    plans: &[Plans],
    number: usize,
    lacking: &BTreeSet<(usize, usize)>,
    (wrote, columns): (&[i64], i64),
) -> Result<(), TestCaseError> {
    let mut came = BTreeSet::new();
    for (locale, (launches, exchanged)) in plans.iter().enumerate() {
        prop_assert_eq!(exchanged[number], 8 * lacking.len() as u64);
        for (other, (others, _)) in plans.iter().enumerate() {
            let of = |messages: &[PlannedMessage], peer: usize| -> Vec<PlannedMessage> {
                messages.iter().filter(|message| message.peer == peer).cloned().collect()
            };
            let told = |message: PlannedMessage| (message.store, message.boxes, message.bytes);
            let received: Vec<_> = of(&launches[number].receives, other).into_iter().map(told).collect();
            let sent: Vec<_> = of(&others[number].sends, locale).into_iter().map(told).collect();
            prop_assert_eq!(&received, &sent, "from {} to {}", other, locale);
            for at in received.iter().flat_map(|(_, boxes, _)| boxes.iter()).flat_map(|rect| rect.points()) {
                let element = usize::try_from(at[0] * columns + at[1]).unwrap();
                prop_assert_eq!(wrote[element], i64::try_from(other).unwrap());
                prop_assert!(came.insert((locale, element)), "{} comes twice", at);
            }
        }
    }
    prop_assert_eq!(&came, lacking);
    Ok(())
}

/// Each locale gets what its points reach and others wrote, once, until it is written again; and every look shows the newest values.
fn check_looks(case: &Case) -> Result<(), TestCaseError> {
    let builder = Runtime::builder().locales(case.locales).threads(1).pieces(case.pieces).min_chunk(1);
    let builder = if case.divided { builder.whole_below(0) } else { builder };
    let ran = on_locales(builder.clone(), case.clone(), |rt, case| looks(rt, &case, false)).unwrap();
    let columns = case.extents[1];
    let plan = |locale| {
        let planner = Planner::new(builder.clone(), locale).unwrap();
        let exchanged = looks(planner.runtime(), case, true).unwrap().map(|(exchanged, ..)| exchanged);
        let launches: Vec<_> = planner.launches().into_iter().filter(|launch| launch.task == "look").collect();
        (launches, exchanged)
    };
    let plans: Vec<_> = (0..case.locales).map(plan).collect();
    for looks in ran {
        for (number, (exchanged, wrote, points, picked)) in looks.unwrap().into_iter().enumerate() {
            let mut lacking = BTreeSet::new();
            for (locale, rects) in points {
                for at in rects.iter().flat_map(|rect| rect.points()) {
                    let element = usize::try_from(at[0] * columns + at[1]).unwrap();
                    if wrote[element] != i64::try_from(locale).unwrap() {
                        lacking.insert((locale, element));
                    }
                }
            }
            // What was looked at once is there.
            if number % 2 == 1 {
                lacking.clear();
            }
            prop_assert_eq!(exchanged, 8 * lacking.len() as u64, "look {}", number);
            check_plans(&plans, number, &lacking, (&wrote, columns))?;
            let factor = if number < 2 { 1 } else { 2 };
            let values: Vec<i64> = case.pointers.iter().map(|[i, j]| factor * (100 * i + j)).collect();
            prop_assert_eq!(picked, values);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn images_send_what_points_reach_and_nothing_else(case in case()) {
        check_looks(&case)?;
    }
}

/// Elements that several points of a locale reach come to the first of them.
#[test]
fn points_of_a_locale_reach_the_same() {
    let pointers = [[0, 0], [0, 0], [0, 1], [0, 4], [0, 0], [0, 0], [4, 0], [0, 1], [0, 0]].into();
    let (extents, again, mappers) = ([9, 6], [0, 7], [0, 0, 1]);
    let [transposed, precise, divided] = [false, false, true];
    check_looks(&Case { locales: 2, pieces: 8, extents, again, mappers, transposed, precise, divided, pointers })
        .unwrap();
}

/// All locales are told the same, and go on.
#[test]
fn what_one_locale_cannot_do_all_are_told() {
    for locales in 1..=7 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(6).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (), |rt, ()| -> Result<Vec<String>, StoreError> {
            let (grid, which): (Store<i64, _>, Store<i64, _>) = (rt.create(60)?, rt.create(60)?);
            let look = |hint: ImageHint| {
                let task = rt.task("look").args((read(&which), read(&grid)));
                let task = task.constrain(|(which, grid)| image(which, grid, hint));
                let sums = task.map(|task, (which, grid)| {
                    let [start] = task.origin::<1>(1);
                    let shown = |at: i64| grid.get(usize::try_from(at).unwrap() - start);
                    Ok(which.values().map(shown).sum::<i64>())
                })?;
                Ok::<i64, StoreError>(sums.get()?.into_iter().sum())
            };
            let point = |turn: fn(i64) -> i64| {
                rt.task("point").args((write(&which),)).launch(move |task, (mut which,)| {
                    let [start] = task.origin::<1>(0);
                    which.for_each_indexed_mut(|[at], mut value| value.set(turn((start + at) as i64)));
                })
            };
            let told = |what: Result<i64, StoreError>| what.unwrap_err().to_string();
            let mut answers = vec![told(look(ImageHint::MinMax))];
            point(|at| 59 - at)?;
            // The last ten were never written.
            grid.slice(0, 0, 50)?.fill(1)?;
            answers.push(told(look(ImageHint::MinMax)));
            answers.push(told(look(ImageHint::Precise)));
            grid.slice(0, 50, 60)?.fill(2)?;
            answers.push(look(ImageHint::MinMax)?.to_string());
            // Two tiles point to less at their ends than within.
            point(|at| if at % 20 == 15 { 0 } else { 30 + at % 2 })?;
            answers.push(told(look(ImageHint::FirstLastChecked)));
            answers.push(look(ImageHint::MinMax)?.to_string());
            // Two points of the task that is to write the pointers fail.
            let task = rt.task("doomed").args((update(&which),));
            task.launch(|task, (_,)| if task.point()[0] > 3 { Err(TaskBodyError::new("no luck")) } else { Ok(()) })?;
            answers.push(told(look(ImageHint::Precise)));
            answers.push(rt.fence().unwrap_err().to_string());
            point(|at| at)?;
            answers.push(look(ImageHint::Precise)?.to_string());
            rt.fence()?;
            Ok(answers)
        });
        for answers in told.unwrap() {
            let answers = answers.unwrap();
            let unwritten =
                "task `look` reads [50]..[60] of argument 1, which nobody wrote yet: write or fill the store first";
            let fault = "task `doomed` failed at point [4]: no luck";
            let expected = [
                "`image` reads [0]..[10], which nobody wrote yet: write or fill the store first",
                unwritten,
                unwritten,
                "70",
                "a value points to [0]..[1], beyond [30]..[32], the box around what the first and the last one point to: sort the \
                 values, or ask for `ImageHint::MinMax`",
                "60",
                fault,
                fault,
                "70",
            ];
            assert_eq!(answers, expected, "{locales} locales");
        }
    }
}

/// The box around a tile of such a view has other elements of the root, which may be unwritten.
#[test]
fn an_image_into_a_delinearized_view_needs_no_more_than_it_shows() {
    for locales in 1..=3 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (), |rt, ()| -> Result<[String; 2], StoreError> {
            let line: Store<i64, _> = rt.create(16)?;
            line.step(0, 4)?.fill(1)?;
            let view = line.delinearize(0, [4, 4])?;
            let corners: Store<[[i64; 2]; 2], _> = rt.create_from_fn(4, |_| [[0, 0], [4, 2]])?;
            let look = || -> Result<String, StoreError> {
                let task = rt.task("look").args((read(&corners), read(&view)));
                let task = task.constrain(|(corners, view)| image(corners, view, ImageHint::MinMax));
                Ok(format!("{:?}", task.map(|_, (_, view)| Ok(view.to_vec()))?.get()?))
            };
            let unwritten = look().unwrap_err().to_string();
            line.slice(0, 1, 16)?.step(0, 4)?.fill(2)?;
            Ok([unwritten, look()?])
        });
        for told in told.unwrap() {
            let [unwritten, shown] = told.unwrap();
            assert!(
                unwritten.starts_with("task `look` reads [1]..[14] by [4] of argument 1, which nobody wrote"),
                "{unwritten}"
            );
            assert_eq!(shown, format!("{:?}", [[1, 2, 1, 2, 1, 2, 1, 2]; 4]), "{locales} locales");
        }
    }
}

/// Neighbors look at each other's values: what a locale sends for that does not grow with their number, but where pointers are new:
/// then who is asked is told by a message for each doubling of the number of locales.
#[test]
fn an_image_costs_a_locale_what_its_peers_are() {
    const EACH: i64 = 50;
    const STEPS: i64 = 8;
    for bits in 2..7 {
        let locales = 1 << bits;
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let each = on_locales(builder, EACH << bits, |rt, count| -> Result<[Traffic; 2], StoreError> {
            let [values, which]: [Store<i64, _>; 2] = [rt.create(count)?, rt.create(count)?];
            let point = |by: i64| {
                rt.task("point").args((write(&which),)).launch(move |task, (mut which,)| {
                    let [start] = task.origin::<1>(0);
                    let other = |at: usize| ((start + at) as i64 + by).min(count - 1);
                    which.for_each_indexed_mut(|[at], mut value| value.set(other(at)));
                })
            };
            let steps = |news: bool| -> Result<Traffic, StoreError> {
                rt.fence()?;
                let before = rt.traffic();
                for step in 0..STEPS {
                    if news {
                        point(1 + step % 2)?;
                    }
                    values.fill(step)?;
                    let task = rt.task("look").args((read(&which), read(&values)));
                    let task = task.constrain(|(which, values)| image(which, values, ImageHint::MinMax));
                    task.launch(move |_, (_, values)| assert!(values.values().all(|value| value == step)))?;
                }
                rt.fence()?;
                let after = rt.traffic();
                Ok(Traffic { messages: after.messages - before.messages, bytes: after.bytes - before.bytes })
            };
            point(1)?;
            steps(false)?;
            Ok([steps(false)?, steps(true)?])
        });
        for (locale, sent) in each.unwrap().into_iter().enumerate() {
            let [known, new] = sent.unwrap();
            // Its first element goes to the one before it; or, in every second step, two of them.
            let (messages, steps) = (u64::from(locale > 0), STEPS.unsigned_abs());
            assert_eq!(
                known,
                Traffic { messages: messages * steps, bytes: 8 * messages * steps },
                "{locale} of {locales}"
            );
            assert_eq!(new.messages, (messages + bits) * steps, "{locale} of {locales}");
            assert!(new.bytes <= (12 + 600 * bits) * steps, "{} bytes: {locale} of {locales}", new.bytes);
        }
    }
}

/// The bytes of what a locale asks for: both corners of each box, and who asks whom.
#[test]
fn letters_have_the_bytes_of_their_boxes() {
    let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1);
    let each = on_locales(builder, (), |rt, ()| -> Result<Vec<u64>, StoreError> {
        let sent = |boxes: i64| {
            let grid: Store<i64, Dim<4>> = rt.create([9, 1, 1, 1])?;
            let set = |locale: usize, lo, hi| {
                let part = grid.slice(0, lo, hi)?;
                let task = rt.task("set").args((write(&part),)).constrain(|(part,)| broadcast(part));
                task.mapped(&Mapper::new(move |_, _, _| locale)).launch(|_, (mut part,)| part.fill(1))
            };
            set(0, 0, 8)?;
            set(1, 8, 9)?;
            // The second locale wrote what the other values point to.
            let which: Store<[i64; 4], _> =
                rt.create_from_fn(4, |k| [if k[0] < boxes { 2 * k[0] } else { 8 }, 0, 0, 0])?;
            rt.fence()?;
            let before = rt.traffic().bytes;
            let task = rt.task("look").args((read(&which), read(&grid))).mapped(&Mapper::new(|_, _, _| 1));
            task.constrain(|(which, grid)| image(which, grid, ImageHint::Precise)).launch(|_, _| {})?;
            rt.fence()?;
            Ok(rt.traffic().bytes - before)
        };
        (0..4).map(sent).collect()
    });
    let sent = each.unwrap().pop().unwrap().unwrap();
    let of_a_box = sent[2] - sent[1];
    assert_eq!(sent[3] - sent[2], of_a_box);
    assert!((2 * 4 * 8..=4 * 4 * 8).contains(&of_a_box), "{of_a_box} bytes");
    assert!(sent[1] >= sent[0] + of_a_box + 2 * 8, "{sent:?}");
}

/// Of thousands of elements, what lies between neighbors is sent, too, unless something there is newer.
#[test]
fn what_lies_between_scattered_elements_is_sent_where_nothing_is_newer() {
    const COUNT: i64 = 5000;
    let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1);
    let looked = on_locales(builder, (), |rt, ()| -> Result<Vec<(u64, i64)>, StoreError> {
        // Of two tiles the second locale looks at the first.
        let values: Store<i64, _> = rt.create(4 * COUNT)?;
        let even: Store<i64, _> = rt.create_from_fn(COUNT, |at| 2 * at[0])?;
        let set = |value: i64, part: &Store<i64, _>, mapper: Mapper| {
            let task = rt.task("set").args((write(part),)).mapped(&mapper);
            task.launch(move |_, (mut part,)| part.fill(value))
        };
        let look = || -> Result<(u64, i64), StoreError> {
            let task = rt.task("look").args((read(&even), read(&values))).mapped(&Mapper::new(|_, _, _| 1));
            let task = task.constrain(|(even, values)| image(even, values, ImageHint::Precise));
            let sums = task.map(|task, (even, values)| {
                let [start] = task.origin::<1>(1);
                Ok(even.values().map(|at| values.get(usize::try_from(at).unwrap() - start)).sum::<i64>())
            })?;
            Ok((sums.launched().exchanged(), sums.get()?.into_iter().sum()))
        };
        set(1, &values, Mapper::neighbors())?;
        set(7, &values.slice(0, 4 * COUNT - 1, 4 * COUNT)?, Mapper::new(|_, _, _| 0))?;
        let mut looked = vec![look()?];
        set(2, &values, Mapper::neighbors())?;
        set(3, &values.slice(0, 5, 6)?, Mapper::new(|_, _, _| 1))?;
        looked.push(look()?);
        looked.push((0, values.get([5])?));
        Ok(looked)
    });
    for looked in looked.unwrap() {
        // One box, half of which is asked for, or each by itself.
        assert_eq!(looked.unwrap(), [(8 * (2 * COUNT as u64 - 1), COUNT), (8 * 5000, 2 * COUNT), (0, 3)]);
    }
}

/// Several images of one store, known from earlier launches, are each asked for.
#[test]
fn what_one_image_has_is_not_taken_for_what_another_one_has() {
    const COUNT: i64 = 40;
    let builder = Runtime::builder().locales(2).threads(1).pieces(4).min_chunk(1).whole_below(0);
    let seen = on_locales(builder, (), |rt, ()| -> Result<Vec<i64>, StoreError> {
        let values: Store<i64, _> = rt.create(COUNT)?;
        let next: Store<i64, _> = rt.create_from_fn(COUNT, |at| (at[0] + 1) % COUNT)?;
        let opposite: Store<i64, _> = rt.create_from_fn(COUNT, |at| COUNT - 1 - at[0])?;
        let mut seen = Vec::new();
        for step in 0..6 {
            rt.task("set").args((write(&values),)).launch(move |_, (mut values,)| values.fill(step))?;
            for which in [&next, &opposite, &next] {
                let task = rt.task("look").args((read(which), read(&values)));
                let task = task.constrain(|(which, values)| image(which, values, ImageHint::Precise));
                let sums = task.map(|task, (which, values)| {
                    let [start] = task.origin::<1>(1);
                    Ok(which.values().map(|at| values.get(usize::try_from(at).unwrap() - start)).sum::<i64>())
                })?;
                seen.push(sums.get()?.into_iter().sum());
            }
        }
        Ok(seen)
    });
    for seen in seen.unwrap() {
        assert_eq!(seen.unwrap(), (0..18).map(|look| look / 3 * COUNT).collect::<Vec<_>>());
    }
}

/// Whoever waits within an access for what waits for its end is told so, and so are all; then they go on.
#[test]
fn an_image_within_an_access_is_refused_everywhere() {
    for (locales, pieces) in [(1, 2), (2, 1), (2, 2), (3, 2), (3, 6)] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1).whole_below(0);
        let sums = on_locales(builder, (), |rt, ()| -> Result<[i64; 2], StoreError> {
            let [values, which]: [Store<i64, _>; 2] = [rt.create_from_fn(12, |at| at[0])?, rt.create(12)?];
            which.copy_from(&values)?;
            let look = || {
                let task = rt.task("look").args((read(&which), read(&values)));
                let task = task.constrain(|(which, values)| image(which, values, ImageHint::Precise));
                Ok::<i64, StoreError>(task.map(|_, (_, values)| Ok(values.values().sum::<i64>()))?.get()?.iter().sum())
            };
            let within = which.update(|_| look())?;
            assert!(matches!(within, Err(StoreError::WaitsForItself)), "{within:?}");
            rt.fence()?;
            Ok([look()?, look()?])
        });
        for sums in sums.unwrap() {
            assert_eq!(sums.unwrap(), [66, 66], "{locales} locales, {pieces} pieces");
        }
    }
}

/// The locale of a point and the other locales forget at the same time which scattered elements came.
#[test]
fn scattered_elements_are_forgotten_alike_by_all() {
    for (locales, asked_first) in [(2, true), (3, true), (2, false), (3, false)] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let seen = on_locales(builder, (locales, asked_first), |rt, (locales, asked_first)| {
            let n = 50 * locales as i64;
            let [x, y]: [Store<i64, _>; 2] = [rt.create(n)?, rt.create(n)?];
            x.fill(1)?;
            y.fill(0)?;
            // Each point reaches an element of the next locale: locales ask each other for it.
            let look = |which: &Store<i64, Dim<1>>| {
                let task = rt.task("look").args((read(which), read(&x)));
                let task = task.constrain(|(which, x)| [image(which, x, ImageHint::Precise)]);
                task.map(|_, (_, x)| Ok(x.get(0)))?.get()
            };
            // `y` follows `x`, so all locales know all points.
            let look_known = |which: &Store<i64, Dim<1>>| {
                let task = rt.task("look").args((read(which), read(&x), read(&y)));
                let task = task.constrain(|(which, x, y)| [image(which, x, ImageHint::Precise), bloat(x, y, [0], [0])]);
                task.map(|_, (_, x, _)| Ok(x.get(0)))?.get()
            };
            let constant: Store<i64, _> = rt.create_from_fn(locales as i64, |at| (50 * at[0] + 55) % n)?;
            let first = || if asked_first { look(&constant) } else { look_known(&constant) };
            let mut seen = first()?;
            seen.extend(first()?);
            for step in 0..70 {
                let others: Store<i64, _> = rt.create_from_fn(2 * locales as i64, |at| {
                    (50 * (at[0] / 2) + 60 + at[0] % 2 * (1 + step % 30)) % n
                })?;
                seen.extend(if asked_first { look_known(&others)? } else { look(&others)? });
            }
            // The others no longer need memory for the elements that they got.
            x.slice(0, n - 5, n)?.fill(2)?;
            seen.extend(first()?);
            Ok::<Vec<i64>, StoreError>(seen)
        });
        for seen in seen.unwrap() {
            assert_eq!(seen.unwrap(), vec![1; 73 * locales], "{locales} locales, asked first: {asked_first}");
        }
    }
}
/// Locales agree on when to ask again, also those that have no points, and whatever the hint is.
#[test]
fn locales_without_points_ask_as_often_as_others() {
    for (locales, count, hint) in [(2, 1), (3, 1), (3, 2), (4, 3)]
        .into_iter()
        .flat_map(|(locales, count)| [ImageHint::MinMax, ImageHint::Precise].map(|hint| (locales, count, hint)))
    {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (count, hint), |rt, (count, hint)| {
            let x: Store<i64, _> = rt.create(30)?;
            x.fill(1)?;
            let which: Store<i64, _> = rt.create_from_fn(count, |at| 29 - at[0])?;
            for _ in 0..150 {
                let task = rt.task("look").args((read(&which), read(&x)));
                task.constrain(|(which, x)| [image(which, x, hint)]).launch(|_, _| ())?;
            }
            rt.fence()
        });
        assert!(told.unwrap().into_iter().all(|told| told.is_ok()), "{locales} locales, {count} points, {hint:?}");
    }
}
