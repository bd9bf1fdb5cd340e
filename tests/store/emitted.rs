//! Unbound stores: what was emitted, by point and as a store, on several locales.

use core::time::Duration;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use layout_store::{
    Builder, Dim, Distribution, Mapper, Point, Runtime, Store, StoreError, Sum, TaskBodyError, Unbound, emit, emitted,
    read, send, update, value, write,
};
use support::locales::{on_locales, on_locales_here};

fn on(locales: usize) -> Builder {
    Runtime::builder().locales(locales).threads(2).pieces(4).min_chunk(1)
}

/// Told from one point to another. Who waits in vain says so after a while, instead of waiting for ever.
#[derive(Clone)]
struct Event(Arc<Mutex<Sender<()>>>, Arc<Mutex<Receiver<()>>>);

impl Event {
    fn new() -> Self {
        let (sender, receiver) = channel();
        Self(Arc::new(Mutex::new(sender)), Arc::new(Mutex::new(receiver)))
    }

    fn happens(&self) {
        self.0.lock().unwrap().send(()).unwrap();
    }

    fn wait(&self) -> Result<(), TaskBodyError> {
        let waited = self.1.lock().unwrap().recv_timeout(Duration::from_secs(15));
        waited.map_err(|_| TaskBodyError::new("waited in vain"))
    }
}

/// A point takes what the same point emitted while another one has not emitted yet; a store is there after both.
#[test]
fn who_takes_what_its_own_point_emitted_waits_for_no_other() {
    for locales in [1, 2] {
        let log: Arc<Mutex<Vec<&str>>> = Arc::default();
        let input = (Event::new(), log.clone());
        let volumes = on_locales_here(on(locales), input, |rt, (event, log)| {
            let numbers: Unbound<i64> = rt.unbound();
            let task = rt.task("emit").over([2]).unwrap().args((emit(&numbers),));
            let (second, noted) = (event.clone(), log.clone());
            task.launch(move |task, (mut numbers,)| {
                if task.point()[0] == 1 {
                    second.wait()?;
                    noted.lock().unwrap().push("the second point emits");
                }
                numbers.extend([7; 3]);
                Ok(())
            })
            .unwrap();
            let noted = log.clone();
            let task = rt.task("take").args((emitted(&numbers),));
            let taken = task.map(move |task, (numbers,)| {
                if task.point()[0] == 0 {
                    noted.lock().unwrap().push("the first point takes");
                    event.happens();
                }
                Ok(numbers.values().sum::<i64>())
            });
            let store = numbers.store().unwrap();
            log.lock().unwrap().push("all are there");
            assert_eq!(taken.unwrap().get().unwrap(), [21, 21]);
            store.volume()
        });
        assert_eq!(volumes.unwrap(), vec![6; locales]);
        let log = log.lock().unwrap();
        assert_eq!(log[..3], ["the first point takes", "the second point emits", "all are there"]);
    }
}

/// Elements are taken by point, doubled, emitted again, and at last made a store; the bytes that this locale has sent until
/// and with the store, and until all have seen it.
fn doubled(rt: &Runtime) -> (Vec<i64>, [u64; 3]) {
    let numbers: Store<i64, _> = rt.create_from_fn(40, |at| at[0]).unwrap();
    rt.fence().unwrap();
    let before = rt.traffic().bytes;
    let sent = || {
        rt.fence().unwrap();
        rt.traffic().bytes - before
    };
    let mut last: Unbound<i64> = rt.unbound();
    let task = rt.task("some").args((read(&numbers), emit(&last)));
    task.launch(|_, (numbers, mut to)| to.extend(numbers.values().filter(|number| number % 3 == 0))).unwrap();
    for _ in 0..3 {
        let next = rt.unbound();
        let task = rt.task("double").args((emitted(&last), emit(&next)));
        task.launch(|_, (last, mut next)| next.extend(last.values().map(|number| 2 * number))).unwrap();
        last = next;
    }
    let passed = sent();
    let store = last.store().unwrap();
    let bound = sent();
    (store.to_vec().unwrap(), [passed, bound, sent()])
}

#[test]
fn elements_stay_where_they_are_emitted() {
    let expected: Vec<i64> = (0..40).step_by(3).map(|number| 8 * number).collect();
    for locales in 1..=4 {
        for whole_below in [0, 64 << 10] {
            let found = on_locales(on(locales).whole_below(whole_below), (), |rt, ()| doubled(rt)).unwrap();
            for (values, [passed, bound, _]) in &found {
                assert_eq!((values, *passed), (&expected, 0));
                // How many there are, of each point.
                let points = [4, 2, 2, 1][locales - 1];
                // And whether a locale has no memory for its part: a byte in each message along a tree, and back.
                let agreed = 2 * u64::from(locales.next_power_of_two().ilog2());
                assert!(*bound <= 8 * points * (locales as u64 - 1) + agreed, "{bound} bytes on {locales} locales");
            }
            let all: u64 = found.iter().map(|(_, [_, _, all])| all).sum();
            let (told, agreed) = (8 * (locales as u64 - 1) * (4 + 14), 2 * locales.next_power_of_two().ilog2());
            assert!(
                (told..=told + locales as u64 * u64::from(agreed)).contains(&all),
                "{all} bytes on {locales} locales"
            );
        }
    }
}

#[test]
fn elements_are_taken_where_a_mapper_had_them_emitted() {
    let found = on_locales(on(2), (), |rt, ()| {
        let (first, second): (Unbound<i64>, Unbound<i64>) = (rt.unbound(), rt.unbound());
        for (mapper, numbers) in [(Mapper::round_robin(), &first), (Mapper::neighbors(), &second)] {
            let task = rt.task("emit").over([6]).unwrap().mapped(&mapper).args((emit(numbers),));
            task.launch(|task, (mut to,)| to.extend([task.point()[0]; 2])).unwrap();
        }
        let seen = [&first, &second].map(|numbers| {
            let seen = rt.task("seen").args((emitted(numbers),)).map(|_, (numbers,)| Ok(numbers.get(1)));
            seen.unwrap().get().unwrap()
        });
        let other = rt.task("t").args((emitted(&first),)).mapped(&Mapper::neighbors()).launch(|_, _| ());
        let both = rt.task("t").args((emitted(&first), emitted(&second))).launch(|_, _| ());
        for refused in [other, both] {
            assert!(matches!(refused, Err(StoreError::EmittedElsewhere { .. })), "{refused:?}");
        }
        (seen, [first, second].map(|numbers| numbers.store().unwrap().to_vec().unwrap()))
    });
    for (seen, stores) in found.unwrap() {
        assert_eq!(seen, [[0, 1, 2, 3, 4, 5]; 2]);
        assert_eq!(stores, [[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]; 2]);
    }
}

#[test]
fn boxes_are_taken_as_boxes() {
    let found = on_locales(on(2), (), |rt, ()| {
        let grid: Unbound<i64, Dim<2>> = rt.unbound();
        let task = rt.task("boxes").over([2, 2]).unwrap().args((emit(&grid),));
        task.launch(|task, (grid,)| {
            let [i, j] = [task.point()[0], task.point()[1]];
            let extents = [1 + i, 2 + j];
            grid.bind(extents, vec![10 * i + j; usize::try_from(extents[0] * extents[1]).unwrap()])
        })
        .unwrap();
        let task = rt.task("extents").args((emitted(&grid),));
        let seen = task.map(|task, (grid,)| Ok((task.rect(0).lo(), grid.extents(), grid.values().sum::<i64>())));
        (seen.unwrap().get().unwrap(), grid.store().unwrap().to_vec().unwrap())
    });
    for (seen, all) in found.unwrap() {
        let at = |i: i64, j: i64| Point::from([i, j]);
        let expected = [(at(0, 0), [1, 2], 0), (at(0, 1), [1, 3], 3), (at(1, 0), [2, 2], 40), (at(1, 1), [2, 3], 66)];
        assert_eq!(seen, expected);
        assert_eq!(all, [0, 0, 1, 1, 1, 10, 10, 11, 11, 11, 10, 10, 11, 11, 11]);
    }
}

#[test]
fn what_cannot_be_taken_by_point_is_refused() {
    for locales in [1, 2] {
        let found = on_locales(on(locales), (), |rt, ()| {
            let numbers: Unbound<i64> = rt.unbound();
            let before = rt.task("before").args((emitted(&numbers),)).launch(|_, _| ());
            assert!(matches!(before, Err(StoreError::Unbound)));
            let task = rt.task("emit").over([4]).unwrap().args((emit(&numbers),));
            task.launch(|task, (mut to,)| {
                if task.point()[0] == 2 {
                    return Err(TaskBodyError::new("no"));
                }
                to.push(task.point()[0]);
                Ok(())
            })
            .unwrap();
            // Other points than those that emitted.
            let two: Store<i64, _> = rt.create_distributed(8, &Distribution::Colors([2].into())).unwrap();
            let two = two.partition_by_tiling([4]).unwrap();
            for task in [
                rt.task("t").args((write(&two), emitted(&numbers))).launch(|_, _| ()),
                rt.task("t").over([2]).unwrap().args((write(&two), emitted(&numbers))).launch(|_, _| ()),
                rt.task("t").args((write(&two), emitted(&numbers))).single().launch(|_, _| ()),
            ] {
                assert!(matches!(task, Err(StoreError::Manual { .. })), "{task:?}");
            }
            // A point fails with the one that it follows, and with no other.
            let tiles: Store<i64, _> = rt.create(4).unwrap();
            tiles.fill(0).unwrap();
            let each = tiles.partition_by_tiling([1]).unwrap();
            let task = rt.task("take").args((emitted(&numbers), write(&each)));
            task.launch(|_, (numbers, mut to)| to.set(0, 10 * numbers.get(0))).unwrap();
            let third = tiles.get([3]).unwrap();
            let error = tiles.get([2]).unwrap_err().to_string();
            assert!(rt.fence().is_err());
            (third, error)
        });
        for (third, error) in found.unwrap() {
            assert_eq!(third, 30);
            assert!(error.contains("task `emit` failed at point [2]: no"), "{error}");
        }
    }
}

/// Numbers that wander between the points of a grid, by their own rule: what each point has at the end, the bytes that this
/// locale sent, and the store.
fn wandered(rt: &Runtime, mapper: &Mapper) -> (Vec<Vec<i64>>, u64, Vec<i64>) {
    let next_of = |number: i64, point: Point| [(point[0] + number) % 2, (point[1] + number / 2) % 3];
    let mut tiles: Unbound<i64> = rt.unbound();
    let task = rt.task("start").over([2, 3]).unwrap().mapped(mapper).args((send(&tiles),));
    task.launch(|task, (mut to,)| {
        let first = 30 * (3 * task.point()[0] + task.point()[1]);
        (first..first + 30).try_for_each(|number| to.push(task.point(), number))
    })
    .unwrap();
    rt.fence().unwrap();
    let before = rt.traffic().bytes;
    for _ in 0..4 {
        let next = rt.unbound();
        let task = rt.task("wander").args((emitted(&tiles), send(&next)));
        task.launch(move |task, (tile, mut to)| {
            tile.values().try_for_each(|number| to.push(next_of(number, task.point()), number))
        })
        .unwrap();
        tiles = next;
    }
    rt.fence().unwrap();
    let sent = rt.traffic().bytes - before;
    let lists = rt.task("lists").args((emitted(&tiles),)).map(|_, (tile,)| Ok(tile.to_vec())).unwrap();
    (lists.get().unwrap(), sent, tiles.store().unwrap().to_vec().unwrap())
}

#[test]
fn what_is_sent_is_the_same_on_any_number_of_locales() {
    let rt = Runtime::builder().threads(1).build().unwrap();
    let (lists, none, store) = wandered(&rt, &Mapper::neighbors());
    let numbers: Vec<i64> = (0..180).collect();
    let mut sorted = store.clone();
    sorted.sort_unstable();
    assert_eq!((none, &store, sorted), (0, &lists.concat(), numbers.clone()));
    // By hand: where each number is, and how often it came to the other half of the grid.
    let (mut crossed, mut at) = (0, vec![Vec::new(); 6]);
    for number in numbers {
        let first = number / 30;
        let mut point = [first / 3, first % 3];
        for _ in 0..4 {
            let next = [(point[0] + number) % 2, (point[1] + number / 2) % 3];
            crossed += u64::from(next[0] != point[0]);
            point = next;
        }
        at[usize::try_from(3 * point[0] + point[1]).unwrap()].push(number);
    }
    let in_order = |list: &Vec<i64>| {
        let mut list = list.clone();
        list.sort_unstable();
        list
    };
    assert_eq!(lists.iter().map(in_order).collect::<Vec<_>>(), at);
    for locales in [2, 3, 4] {
        for mapper in [Mapper::neighbors(), Mapper::round_robin()] {
            let found = on_locales(on(locales), mapper.clone(), |rt, mapper| wandered(rt, &mapper)).unwrap();
            let all: u64 = found.iter().map(|(_, sent, _)| sent).sum();
            assert!(found.iter().all(|found| (&found.0, &found.2) == (&lists, &store)), "{locales} locales");
            // Neighbors on two locales are the halves of the grid.
            if locales == 2 && format!("{mapper:?}") == format!("{:?}", Mapper::neighbors()) {
                assert_eq!(all, 8 * crossed);
            }
        }
    }
}

#[test]
fn elements_for_points_that_are_not_there_are_errors() {
    for locales in [1, 2] {
        let errors = on_locales(on(locales), (), |rt, ()| {
            let tiles: Unbound<i64> = rt.unbound();
            let task = rt.task("far").over([2, 3]).unwrap().args((send(&tiles),));
            task.launch(|task, (mut to,)| to.push([task.point()[0], 3], 1)).unwrap();
            let again = rt.task("again").over([2]).unwrap().args((send(&tiles),)).launch(|_, _| ());
            assert!(matches!(again, Err(StoreError::Bound)));
            let error = tiles.store().map(|_| ()).unwrap_err().to_string();
            assert!(rt.fence().is_err());
            error
        });
        for error in errors.unwrap() {
            let far =
                "task `far` failed at point [0, 0]: an element was sent to point [0, 3]; the points of the launch are";
            assert!(error.starts_with(far), "{error}");
        }
    }
}

/// A value is passed on before it is there: the launch of who takes it does not wait.
#[test]
fn values_are_passed_on_without_waiting() {
    for locales in [1, 2, 3] {
        let event = Event::new();
        let found = on_locales(on(locales), event, |rt, event| {
            let x: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
            let first = rt.locale() == 0;
            let waits = event.clone();
            let sum = rt.task("sum").args((read(&x),)).reduce(Sum, move |task, (x,)| {
                if task.point()[0] == 0 {
                    waits.wait()?;
                }
                Ok(x.values().sum::<i64>())
            });
            let sum = sum.unwrap();
            let task = rt.task("add").args((update(&x), value(&sum)));
            task.launch(|_, (mut x, sum)| x.update(|x| x + sum)).unwrap();
            let twice = rt.task("twice").args((value(&sum), value(&sum))).map(|_, (a, b)| Ok(a + b)).unwrap();
            if first {
                // All that takes the value was launched, and the value is not there.
                assert!(!sum.is_done() && !twice.is_done());
                event.happens();
            }
            let failing = rt.task("none").map(|_, ()| Err::<i64, _>(TaskBodyError::new("no"))).unwrap();
            let follows = rt.task("follows").args((value(&failing),)).map(|_, (value,)| Ok(value.len())).unwrap();
            let error = follows.get().unwrap_err().to_string();
            (x.to_vec().unwrap(), twice.get().unwrap(), error, rt.fence().is_err())
        });
        for found in found.unwrap() {
            let expected: Vec<i64> = (28..36).collect();
            assert_eq!(found, (expected, vec![56], "task `none` failed at point [0]: no".to_owned(), true));
        }
    }
}

/// Boxes of one locale that nothing joins, more than are looked at one by one.
#[test]
fn emitted_boxes_stay_apart_on_locales_that_take_turns() {
    const POINTS: i64 = 400;
    for locales in [1, 2, 3] {
        let found = on_locales(on(locales), (), |rt, ()| {
            let lists: Unbound<i64> = rt.unbound();
            let mapper = Mapper::round_robin();
            let task = rt.task("emit").over([POINTS]).unwrap().mapped(&mapper).args((emit(&lists),));
            task.launch(|task, (mut to,)| {
                let [point] = task.point()[..] else { panic!("one dimension") };
                to.extend((0..40).map(|k| 40 * point + k));
            })
            .unwrap();
            lists.store().unwrap().to_vec().unwrap()
        });
        let all: Vec<i64> = (0..40 * POINTS).collect();
        assert!(found.unwrap().iter().all(|found| *found == all), "{locales} locales");
    }
}

support::with_processes!();

/// The lists of each locale for each other one come there and nowhere else, by one message for each pair; lists that nobody gave are empty.
#[test]
fn lists_are_exchanged() {
    // For the other locale so many words; the last locale gives fewer lists than there are locales, the first one more.
    fn words(from: usize, to: usize, round: usize) -> Vec<String> {
        vec![format!("{round}: {from} to {to}"); (3 * from + 5 * to + round) % 4]
    }
    fn given(from: usize, locales: usize) -> usize {
        if from + 1 == locales { locales - 1 } else { locales + usize::from(from == 0) }
    }
    for locales in [1, 2, 3, 4, 6] {
        let told = on_locales(on(locales), (), |rt, ()| {
            let here = rt.locale();
            let mut wrong = Vec::new();
            for round in 0..3 {
                let before = rt.traffic().messages;
                let lists = (0..given(here, rt.locales())).map(|to| words(here, to, round)).collect();
                let come = rt.exchange(lists).map_err(|error| error.to_string())?;
                rt.fence().map_err(|error| error.to_string())?;
                let sent = rt.traffic().messages - before;
                let from = |from| if here < given(from, rt.locales()) { words(from, here, round) } else { Vec::new() };
                let expected: Vec<Vec<String>> = (0..rt.locales()).map(from).collect();
                if come != expected || sent != (rt.locales() - 1) as u64 {
                    wrong.push(format!("round {round}: {come:?}, {sent} messages"));
                }
            }
            Ok::<_, String>(wrong)
        });
        for told in told.unwrap() {
            assert_eq!(told, Ok(vec![]), "{locales} locales");
        }
    }
}

/// A locale without memory for its part of a store of emitted elements: all locales return its error, in each call, and go on alike.
#[test]
fn a_store_that_one_locale_has_no_memory_for_is_refused_everywhere() {
    let builder = Runtime::builder().locales(3).threads(1).min_chunk(1).memory_limit(1000).whole_below(0);
    let told = on_locales(builder, (), |rt, ()| {
        let lists: Unbound<i64> = rt.unbound();
        let task = rt.task("emit").over([3]).unwrap().args((emit(&lists),));
        task.launch(|task, (mut out,)| out.extend(vec![7; if task.point()[0] == 1 { 80 } else { 2 }])).unwrap();
        let told = [(); 2].map(|()| lists.store().err().map(|error| error.to_string()));
        // The failed node is told by the fence of its locale, and by no call after that.
        let _ = rt.fence();
        // The locales go on alike.
        let few: Unbound<i64> = rt.unbound();
        let task = rt.task("few").over([3]).unwrap().args((emit(&few),));
        task.launch(|task, (mut out,)| out.push(task.point()[0])).unwrap();
        (told.to_vec(), few.store().and_then(|store| store.to_vec()).map_err(|error| error.to_string()))
    });
    for (told, few) in told.unwrap() {
        for told in told {
            let told = told.expect("an error");
            assert!(told.contains("640 bytes of memory are needed"), "{told}");
        }
        assert_eq!(few, Ok(vec![0, 1, 2]));
    }
}

/// Several locales have no memory for their parts, which differ: all return the error of the first of them, in each call.
#[test]
fn a_store_that_several_locales_have_no_memory_for_has_one_error() {
    let builder = Runtime::builder().locales(3).threads(1).min_chunk(1).memory_limit(1000).whole_below(0);
    let told = on_locales(builder, (), |rt, ()| {
        let lists: Unbound<i64> = rt.unbound();
        let task = rt.task("emit").over([3]).unwrap().args((emit(&lists),));
        task.launch(|task, (mut out,)| out.extend(vec![7; 10 * usize::try_from(task.point()[0]).unwrap() + 64]))
            .unwrap();
        let told = [(); 2].map(|()| lists.store().map(drop).unwrap_err().to_string());
        let _ = rt.fence();
        told.to_vec()
    });
    for told in told.unwrap().concat() {
        assert!(told.contains("512 bytes of memory are needed"), "{told}");
    }
}

/// A locale that has little memory keeps the lists that come; one that has none for the lists that it gives fails on all locales.
#[test]
fn an_exchange_fails_on_all_locales_or_on_none() {
    let builder = Runtime::builder().locales(2).threads(1).min_chunk(1).memory_limit(1000).whole_below(0);
    let told = on_locales(builder, (), |rt, ()| {
        // Locale 1 keeps 480 bytes.
        let kept: Unbound<i64> = rt.unbound();
        let task = rt.task("emit").over([2]).unwrap().args((emit(&kept),));
        task.launch(|task, (mut out,)| out.extend(vec![7; if task.point()[0] == 1 { 60 } else { 0 }])).unwrap();
        let mut told = Vec::new();
        for count in [100, 200] {
            let lists = if rt.locale() == 0 { vec![vec![], vec![1_i64; count]] } else { vec![] };
            let come = rt.exchange(lists).map(|come| come.concat().len() as u64);
            told.push(come.map_err(|error| (matches!(error, StoreError::Failed(_)), error.to_string())));
            let _ = rt.fence();
        }
        (
            told,
            rt.exchange(vec![vec![rt.locale() as u64]; 2])
                .map(|lists| lists.concat())
                .map_err(|error| error.to_string()),
        )
    });
    for (locale, (told, after)) in told.unwrap().into_iter().enumerate() {
        assert_eq!(told[0], Ok([0, 100][locale]));
        assert!(matches!(&told[1], Err((true, error)) if error.contains("1600")), "{:?}", told[1]);
        assert_eq!(after, Ok(vec![0, 1]));
    }
}

/// A store without dimensions is emitted by one point.
#[test]
fn a_store_without_dimensions_has_one_element() {
    for locales in [1, 2] {
        let told = on_locales(on(locales), (), |rt, ()| {
            let emitted = |points: i64, emitting: i64| {
                let scalar: Unbound<i64, Dim<0>> = rt.unbound();
                let task = rt.task("emit").over([points])?.args((emit(&scalar),));
                let launched = task.launch(move |task, (out,)| match task.point()[0] {
                    point if point < emitting => out.bind([], vec![7 + point]),
                    _ => Ok(()),
                });
                launched?;
                scalar.store()?.to_vec()
            };
            let told = [(1, 1), (1, 0), (2, 1), (2, 2)].map(|(points, emitting)| emitted(points, emitting));
            let _ = rt.fence();
            told.map(|told| told.map_err(|error| error.to_string())).to_vec()
        });
        for told in told.unwrap() {
            assert_eq!(told[0], Ok(vec![7]));
            for (told, what) in told[1..].iter().zip(["0 of 1 point ", "1 of 2 points ", "2 of 2 points "]) {
                assert!(matches!(told, Err(error) if error.contains(what)), "{told:?}");
            }
        }
    }
}

/// A launch that waits for room in vain, since another locale has ended, is refused as a whole: nothing is emitted to its argument.
#[test]
fn a_launch_that_finds_no_room_emits_nothing() {
    let log: Arc<Mutex<Vec<bool>>> = Arc::default();
    let ended = on_locales_here(on(2).threads(1).whole_below(0), log.clone(), |rt, log| {
        let numbers: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
        if rt.locale() == 1 {
            return;
        }
        for _ in 0..100 {
            // Each point waits for elements of the locale that has ended.
            let next: Unbound<i64> = rt.unbound();
            let task = rt.task("emit").over([600]).unwrap().args((read(&numbers), emit(&next)));
            if task.launch(|_, (_, mut to)| to.push(1)).is_err() {
                log.lock().unwrap().push(next.is_unbound());
                return;
            }
        }
    });
    assert!(ended.is_err(), "programs differ");
    assert_eq!(*log.lock().unwrap(), [true]);
}
