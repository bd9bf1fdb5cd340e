//! Programs that differ between locales are told so where they wait; programs that do not differ are never accused.

use core::time::Duration;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Instant;

use layout_domain::{Block, Domain, Targets};
use layout_store::{
    Buffer, Builder, Distribution, Inbox, Planner, Runtime, Store, StoreError, Sum, Transport, align, bloat, broadcast,
    read, reduce, update, write,
};
use proptest::prelude::*;
use support::joined::{inboxes, joined};
use support::locales::on_locales;

use crate::model::cases;

/// A difference of one locale from the others.
#[derive(Clone, Copy, Debug)]
enum Other {
    Missing,
    Extra,
    Swapped,
    Constraint,
    Tile,
    Halo,
    Step,
    Update,
    Reduce,
    Owners,
    Distribution,
    Extents,
    Gather,
    Local,
    Values,
}

/// The operation after the difference.
#[derive(Clone, Copy, Debug)]
enum Before {
    Get,
    Fence,
    End,
}

/// Everybody is told within this time.
const SOON: Duration = Duration::from_secs(2);

/// The locale that differs.
fn differs(locales: usize) -> usize {
    if locales == 3 { 0 } else { locales - 1 }
}

/// Five operations that are the same everywhere, one that is not, and what waits.
fn steps(rt: &Runtime, other: Other, before: Before) -> Result<(), StoreError> {
    let usual = rt.locale() != differs(rt.locales());
    let a: Store<i64, _> = rt.create(24)?;
    let b: Store<i64, _> = rt.create(24)?;
    a.fill(1)?;
    b.fill(2)?;
    let mut last = b.clone();
    let one = || rt.task("one").args((update(&b),)).launch(|_, (mut b,)| b.update(|b| b + 1)).map(drop);
    let two = || rt.task("two").args((update(&b),)).launch(|_, (mut b,)| b.update(|b| b * 2)).map(drop);
    match other {
        Other::Missing if usual => one()?,
        Other::Missing => {}
        Other::Extra if usual => {}
        Other::Extra => a.get([23]).map(drop)?,
        Other::Swapped if usual => one().and_then(|()| two())?,
        Other::Swapped => two().and_then(|()| one())?,
        Other::Constraint => {
            let task = rt.task("constrained").args((read(&a), update(&b)));
            let task = task.constrain(|(a, b)| [if usual { align(a, b) } else { broadcast(a) }]);
            task.launch(|_, _| ()).map(drop)?;
        }
        Other::Tile => {
            let tiles = b.partition_by_tiling([if usual { 6 } else { 4 }])?;
            rt.task("tiled").args((update(&tiles),)).launch(|_, _| ()).map(drop)?;
        }
        Other::Halo => {
            let task = rt.task("smooth").args((read(&a), update(&b)));
            let task = task.constrain(|(a, b)| [bloat(b, a, [if usual { 1 } else { 2 }], [1])]);
            task.launch(|_, _| ()).map(drop)?;
        }
        Other::Step => {
            // Of both views the extents and the tiles are equal.
            let view = b.slice(0, 0, 23)?;
            let view = if usual { view.step(0, 2)? } else { view.slice(0, 0, 12)? };
            rt.task("stepped").args((update(&view),)).launch(|_, _| ()).map(drop)?;
        }
        Other::Update if usual => rt.task("set").args((write(&b),)).launch(|_, (mut b,)| b.fill(3)).map(drop)?,
        Other::Update => rt.task("set").args((update(&b),)).launch(|_, (mut b,)| b.fill(3)).map(drop)?,
        Other::Reduce if usual => rt.task("sum").args((reduce(&b, Sum),)).launch(|_, _| ()).map(drop)?,
        Other::Reduce => rt.task("sum").args((read(&b),)).launch(|_, _| ()).map(drop)?,
        Other::Owners => {
            let block = Domain::from(0..if usual { 24 } else { 20 });
            let block =
                Distribution::map(Block::over(&block, Targets::all(rt.locales()).expect("locales")).expect("a box"));
            let tiles = rt.tiling([24].into(), &block)?.expect("tiles");
            rt.task("sum").args((reduce(&b, Sum).owned_by(&tiles),)).launch(|_, _| ()).map(drop)?;
        }
        Other::Distribution => {
            let colors = if usual { 2 } else { 3 };
            last = rt.create_distributed(24, &Distribution::Colors([colors].into()))?;
            last.fill(3)?;
        }
        Other::Extents => {
            // It decides how often what follows is done.
            last = rt.create(if usual { 24 } else { 30 })?;
            last.fill(3)?;
        }
        Other::Gather => b.gather(usize::from(!usual)).map(drop)?,
        Other::Local if usual => b.update_local(|_| ())?,
        Other::Local => b.update(|_| ())?,
        Other::Values => {
            let task = rt.task("values").args((read(&b),));
            if usual { task.map(|_, _| Ok(1)).map(drop)? } else { task.map_local(|_, _| Ok(1)).map(drop)? }
        }
    }
    match before {
        // Who gets all elements from locales that agree is told later.
        Before::Get => last.to_vec().and_then(|_| if rt.locales() > 2 { rt.fence() } else { Ok(()) }),
        Before::Fence => rt.fence(),
        Before::End => Ok(()),
    }
}

/// The operations that the error gives for the locales: the usual one first.
fn named(other: Other, before: Before) -> [&'static str; 2] {
    let waits = match before {
        Before::Get => "called `to_vec` on [0]..[24] of store 1",
        Before::Fence => "called `fence`",
        Before::End => "ended its program",
    };
    match other {
        Other::Missing => ["launched task `one` on ", waits],
        Other::Extra => [waits, "called `get` on [23]..[24] of store 0"],
        Other::Swapped => ["launched task `one` on ", "launched task `two` on "],
        Other::Constraint => ["Align(0, 1)", "Broadcast { argument: 0, axes: None }"],
        Other::Tile => ["update [0]..[24] of store 1 in tiles of [6]", "update [0]..[24] of store 1 in tiles of [4]"],
        Other::Halo => ["low: [1], high: [1]", "low: [2], high: [1]"],
        Other::Step => ["update [0]..[23] by [2] of store 1", "update [0]..[12] of store 1"],
        Other::Update => ["write [0]..[24] of store 1", "update [0]..[24] of store 1"],
        Other::Reduce => ["reduce [0]..[24] of store 1", "read [0]..[24] of store 1"],
        Other::Owners => ["reduce [0]..[24] of store 1 in tiles of "; 2],
        Other::Distribution => ["extents [24] in tiles of [12]", "extents [24] in tiles of [8]"],
        Other::Gather => ["called `gather` on [0]..[24] of store 1 for locale 0", "of store 1 for locale 1"],
        Other::Local => ["called `update_local` on [0]..[24] of store 1", "called `update` on [0]..[24] of store 1"],
        Other::Values => [", whose values all get", "launched task `values` on "],
        Other::Extents => ["created store 2 of `i64` with extents [24]", "created store 2 of `i64` with extents [30]"],
    }
}

/// Asserts that the error names both operations, and a locale for each.
fn check(told: &Result<(), StoreError>, other: Other, before: Before, locales: usize) -> Result<(), String> {
    let Err(error) = told else { return Err("nobody is told".to_owned()) };
    let expected = |locale: usize| named(other, before)[usize::from(locale == differs(locales))];
    match error {
        StoreError::Diverged { operation: 5, exact: true, locales: [first, second], did }
            if first < second
                && [*first, *second].contains(&differs(locales))
                && did[0].contains(expected(*first))
                && did[1].contains(expected(*second)) =>
        {
            Ok(())
        }
        _ => Err(format!("{error}; locale {} differs, and expected are {:?}", differs(locales), named(other, before))),
    }
}

/// One locale differs: all are told soon, and can do nothing more.
fn one_differs(other: Other) {
    let mut wrong = Vec::new();
    for locales in 2..=4 {
        for before in [Before::Get, Before::Fence, Before::End] {
            let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1);
            let cell = || {
                let start = Instant::now();
                let ended = on_locales(builder, (other, before), |rt, (other, before)| {
                    let told = steps(rt, other, before);
                    if told.is_err() || !matches!(before, Before::End) {
                        check(&told, other, before, rt.locales()).unwrap_or_else(|wrong| panic!("{wrong}"));
                        refuses_all(rt, &told.unwrap_err());
                    }
                });
                check(&ended.map(drop), other, before, locales).unwrap_or_else(|wrong| panic!("{wrong}"));
                assert!(start.elapsed() < SOON, "told after {:?}", start.elapsed());
            };
            if let Err(panic) = std::panic::catch_unwind(core::panic::AssertUnwindSafe(cell)) {
                let why = panic.downcast_ref::<String>().cloned();
                wrong.push(format!("{before:?} on {locales} locales: {}", why.unwrap_or_default()));
            }
        }
    }
    assert!(wrong.is_empty(), "{other:?} before\n{}", wrong.join("\n"));
}

/// Every operation is answered by the same error.
fn refuses_all(rt: &Runtime, told: &StoreError) {
    let text = told.to_string();
    let same = |again: Result<(), StoreError>| assert_eq!(again.map_err(|error| error.to_string()), Err(text.clone()));
    same(rt.create::<i64, layout_mappings::SoA, _>(5).map(drop));
    same(rt.task("refused").over([2]).unwrap().launch(|_, ()| ()).map(drop));
    same(rt.fence());
}

macro_rules! table {
    ($($test:ident $other:ident)+) => {$(
        #[test]
        fn $test() {
            one_differs(Other::$other);
        }
    )+};
}

table! {
    a_missing_operation_is_told Missing
    an_extra_operation_is_told Extra
    swapped_operations_are_told Swapped
    another_constraint_is_told Constraint
    another_tile_is_told Tile
    another_halo_is_told Halo
    another_step_is_told Step
    update_instead_of_write_is_told Update
    read_instead_of_reduce_is_told Reduce
    other_owners_are_told Owners
    another_distribution_is_told Distribution
    other_extents_are_told Extents
    another_gather_is_told Gather
    another_part_is_told Local
    other_values_are_told Values
}

#[test]
fn a_long_task_is_not_accused() {
    let found = on_locales(Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1), (), |rt, ()| {
        let a: Store<i64, _> = rt.create(8).unwrap();
        let long = |task: &layout_store::Task| {
            let start = Instant::now();
            while task.point()[0] == 1 && start.elapsed() < Duration::from_secs(3) {
                std::thread::yield_now();
            }
        };
        rt.task("long").args((write(&a),)).launch(move |task, (mut a,)| (long(task), a.fill(7)).1).unwrap();
        let seven = a.to_vec().unwrap();
        // A program that computes by itself, while others are at the fence.
        let start = Instant::now();
        while rt.locale() == 0 && start.elapsed() < Duration::from_secs(1) {
            std::thread::yield_now();
        }
        rt.fence().unwrap();
        seven
    });
    assert!(found.unwrap().iter().all(|seven| *seven == [7; 8]));
}

#[test]
fn a_launch_that_waits_for_room_is_told() {
    let ended = on_locales(Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1), (), |rt, ()| {
        let a: Store<i64, _> = rt.create(8).unwrap();
        let b: Store<i64, _> = rt.create(8).unwrap();
        a.fill(1).unwrap();
        if rt.locale() == 0 {
            return rt.fence();
        }
        // Nobody sends what the first of these needs.
        let task = || rt.task("all").args((read(&a), write(&b))).constrain(|(a, _)| [broadcast(a)]);
        (0..20_000).try_for_each(|_| {
            task().launch(|_, (a, mut b)| b.fill(a.get(0)))?;
            rt.task("back").args((read(&b), write(&a))).align_all().launch(|_, (b, mut a)| a.fill(b.get(0)))?;
            Ok(())
        })
    });
    let text = ended.unwrap_err().to_string();
    assert!(text.contains("locale 0 called `fence`; locale 1 launched task `all` on 2 points"), "{text}");
}

#[test]
fn a_program_that_waits_for_itself_is_told_on_every_locale() {
    for locales in 1..=4 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1);
        let ended = on_locales(builder, (), |rt, ()| {
            let told = |waited: Result<(), StoreError>| {
                assert!(matches!(waited, Err(StoreError::WaitsForItself)), "{waited:?}");
            };
            let a: Store<i64, _> = rt.create(8).unwrap();
            let b: Store<i64, _> = rt.create(8).unwrap();
            a.fill(1).unwrap();
            a.read(|_| told(a.update(|_| ()))).unwrap();
            a.update(|mut view| {
                view.update(|one| one + 1);
                b.copy_from(&a).unwrap();
                told(b.to_vec().map(drop));
                told(rt.fence());
                // The first locale alone writes this; the others would wait for its message.
                rt.task("single").args((read(&a), write(&b))).single().launch(|_, _| ()).unwrap();
                told(b.get([7]).map(drop));
            })
            .unwrap();
            b.fill(3).unwrap();
            (a.to_vec().unwrap(), b.to_vec().unwrap())
        });
        assert!(ended.unwrap().iter().all(|(a, b)| (a, b) == (&vec![2; 8], &vec![3; 8])));
    }
}

/// An operation of a random program on three stores.
#[derive(Clone, Debug, PartialEq)]
enum Op {
    Fill(usize),
    Copy(usize),
    Halo(usize, i64),
    Sum(usize),
    All(usize),
    One(usize, i64),
    Create(i64),
    Fence,
}

impl Op {
    fn run(&self, rt: &Runtime, stores: &[Store<i64, layout_store::Dim<1>>]) -> Result<(), StoreError> {
        let next = |store: usize| &stores[(store + 1) % stores.len()];
        match *self {
            Self::Fill(store) => stores[store].fill(1),
            Self::Copy(store) => stores[store].copy_from(next(store)),
            Self::Halo(store, width) => {
                let task = rt.task("halo").args((read(next(store)), update(&stores[store])));
                let task = task.constrain(|(from, to)| [bloat(to, from, [width], [width])]);
                task.launch(|_, (_, mut to)| to.update(|value| value + 1)).map(drop)
            }
            Self::Sum(store) => {
                let sum = rt.task("sum").args((read(&stores[store]),));
                sum.reduce(Sum, |_, (values,)| Ok(values.values().sum::<i64>()))?.get().map(drop)
            }
            Self::All(store) => stores[store].to_vec().map(drop),
            Self::One(store, index) => stores[store].get([index]).map(drop),
            Self::Create(extent) => rt.create::<i64, layout_mappings::SoA, _>(extent).map(drop),
            Self::Fence => rt.fence(),
        }
    }
}

fn op() -> impl Strategy<Value = Op> {
    let store = || 0..3_usize;
    prop_oneof![
        2 => store().prop_map(Op::Fill),
        3 => store().prop_map(Op::Copy),
        3 => (store(), 0..3_i64).prop_map(|(store, width)| Op::Halo(store, width)),
        2 => store().prop_map(Op::Sum),
        2 => store().prop_map(Op::All),
        2 => (store(), 0..12_i64).prop_map(|(store, index)| Op::One(store, index)),
        1 => (1..4_i64).prop_map(Op::Create),
        1 => Just(Op::Fence),
    ]
}

proptest! {
    #![proptest_config(cases(120))]

    /// One locale does other operations from a random one on: the first of them is told, whatever waits for what.
    #[test]
    fn the_first_difference_is_told(
        usual in prop::collection::vec(op(), 0..10),
        at in any::<prop::sample::Index>(),
        others in prop::collection::vec(op(), 0..3),
        skipped in 0..3_usize,
        locales in 2..5_usize,
        differs in any::<prop::sample::Index>(),
    ) {
        let at = at.index(usual.len() + 1);
        let rest = usual.iter().skip(at + skipped).cloned();
        let other: Vec<Op> = usual[..at].iter().cloned().chain(others).chain(rest).collect();
        let first = (0..).find(|at| usual.get(*at) != other.get(*at) || usual.len() <= *at && other.len() <= *at);
        let first = first.filter(|at| usual.get(*at) != other.get(*at));
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales + 1).min_chunk(1);
        let input = (usual, other, differs.index(locales));
        let ended = on_locales(builder, input, |rt, (usual, other, differs)| {
            // Who is behind may be told at any operation.
            let stores = (0..3).map(|_| rt.create(12)).collect::<Result<Vec<_>, _>>()?;
            for store in &stores {
                store.fill(0)?;
            }
            let program = if rt.locale() == differs { other } else { usual };
            program.iter().try_for_each(|op| op.run(rt, &stores))
        });
        match (ended, first) {
            (Ok(results), None) => prop_assert!(results.iter().all(Result::is_ok)),
            (Err(StoreError::Diverged { operation, exact: true, .. }), Some(first)) => {
                // After three creations and three fills.
                prop_assert_eq!(operation, first as u64 + 7);
            }
            (ended, _) => prop_assert!(false, "{:?}", ended),
        }
    }
}

/// Nodes that wait for messages that never come hold stores, and stores hold the nodes: all of it goes with the runtime.
#[test]
fn nothing_is_left_of_programs_that_differ() {
    static HELD: Mutex<Vec<Weak<()>>> = Mutex::new(Vec::new());
    for locales in [2, 3] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(2 * locales).min_chunk(1);
        let result = on_locales(builder, (), |rt, ()| {
            let a: Store<i64, _> = rt.create(24).unwrap();
            let b: Store<i64, _> = rt.create(24).unwrap();
            a.fill(1).unwrap();
            if rt.locale() == 0 {
                let held = Arc::new(());
                HELD.lock().unwrap().push(Arc::downgrade(&held));
                let task = rt.task("waits").args((read(&a), write(&b))).constrain(|(a, _)| [broadcast(a)]);
                task.launch(move |_, _| drop(held.clone())).unwrap();
                assert!(HELD.lock().unwrap().last().unwrap().upgrade().is_some(), "the task waits");
            }
        });
        assert!(matches!(result, Err(StoreError::Diverged { .. })), "{result:?}");
        let left = HELD.lock().unwrap().iter().filter(|held| held.upgrade().is_some()).count();
        assert_eq!(left, 0);
    }
}

/// Runs a program on two locales, each of which is given something else.
fn given<T: Send>(given: [Builder; 2], program: fn(&Runtime) -> T) -> [Result<T, StoreError>; 2] {
    let mut locales = joined(&inboxes(2), |inboxes, [_, to], message| inboxes[to].wait().deliver(message)).zip(given);
    let [first, second] = [locales.next().unwrap(), locales.next().unwrap()];
    thread::scope(|scope| {
        let second = scope.spawn(|| second.1.run_over(second.0, program));
        [first.1.run_over(first.0, program), second.join().unwrap()]
    })
}

#[test]
fn what_locales_are_given_is_compared_at_the_start() {
    let usual = Runtime::builder().threads(1).pieces(4).min_chunk(8);
    let others = [
        usual.clone().pieces(5),
        usual.clone().min_chunk(9),
        usual.clone().whole_below(1),
        usual.clone().shown_limit(2),
        Runtime::builder().threads(1).min_chunk(8),
    ];
    for other in others {
        for pair in [[usual.clone(), other.clone()], [other, usual.clone()]] {
            let ended = given(pair, |rt| rt.fence());
            for ended in ended {
                assert!(
                    matches!(ended, Err(StoreError::Diverged { operation: 0, exact: true, .. })),
                    "{ended:?} is no difference at the start"
                );
            }
        }
    }
    let [told, _] = given([usual.clone(), usual.pieces(5)], |rt| rt.fence());
    let told = told.unwrap_err().to_string();
    let begun = |pieces| {
        format!(
            "began with {pieces} pieces, `min_chunk` 8, `whole_below` 65536, `shown_limit` 268435456, version 0.1.0"
        )
    };
    let expected = format!(
        "the programs of the locales differ in operation 0: locale 0 {}; locale 1 {}; with several locales, every program must do \
         the same operations in the same order",
        begun(4),
        begun(5)
    );
    assert_eq!(told, expected);
}

#[test]
fn no_locales_are_refused() {
    let transports = joined(&inboxes(0), |_, _, _| ());
    let refused = Runtime::builder().simulate_over(transports, |_| ());
    assert!(matches!(refused, Err(StoreError::Count { what: "locales", given: 0 })), "{refused:?}");
}

#[test]
fn more_locales_than_can_be_are_refused() {
    for given in [usize::MAX, 1 << 62, (1 << 16) + 1] {
        let refused = Runtime::builder().locales(given).threads(1).simulate(|_| ()).unwrap_err();
        assert_eq!(refused.to_string(), format!("{given} locales; allowed are 1 to 65536"));
    }
    for given in [usize::MAX, (1 << 24) + 1] {
        let refused = Planner::new(Runtime::builder().locales(given), 0).err();
        assert!(matches!(refused, Some(StoreError::ManyLocales { most, .. }) if most == 1 << 24), "{refused:?}");
    }
}

/// A transport of a locale that has this number, of so many.
struct Numbered(usize, usize);

impl Transport for Numbered {
    fn locale(&self) -> usize {
        self.0
    }

    fn locales(&self) -> usize {
        self.1
    }

    fn open(&self, _: Inbox) {}

    fn send(&self, _: usize, _: Buffer) {}
}

#[test]
fn a_transport_of_a_locale_that_is_not_there_is_refused() {
    for (locale, locales) in [(1, 1), (2, 2), (5, 2), (usize::MAX, 3)] {
        let refused = Runtime::builder().threads(1).run_over(Numbered(locale, locales), |_| ());
        let is_right = matches!(refused, Err(StoreError::NoLocale { given, .. }) if given == locale);
        assert!(is_right, "{refused:?}");
    }
    let refused = Runtime::builder().threads(1).run_over(Numbered(0, usize::MAX), |_| ());
    assert!(matches!(refused, Err(StoreError::ManyLocales { given: usize::MAX, .. })), "{refused:?}");
}

/// Settings that only one locale must know may differ; if the number of pieces is not given, all threads are counted.
#[test]
fn locales_agree_on_the_number_of_pieces() {
    let builder =
        |threads| Runtime::builder().threads(threads).memory_limit(threads << 20).backlog_limit(threads << 10);
    let pieces = given([builder(1), builder(3)], |rt| rt.pieces());
    assert_eq!(pieces.map(Result::unwrap), [4; 2]);
}

/// Each locale may have a limit of its own: all refuse what is too much for the smallest one.
#[test]
fn locales_agree_on_the_smallest_limit() {
    for (pieces, [first, second]) in [(Some(2), [3, 16]), (Some(2), [16, 3]), (None, [3, 16]), (None, [16, 3])] {
        let builder = |limit: usize| {
            let builder = Runtime::builder().threads(1).memory_limit(limit << 19);
            pieces.map_or(builder.clone(), |pieces| builder.pieces(pieces))
        };
        let told = given([builder(first), builder(second)], |rt| {
            // A locale has half of this store, and there is no room for all of it.
            let store: Store<f64, _> = rt.create(1 << 18).unwrap();
            let single = rt.task("single").args((write(&store),)).single().launch(|_, (mut x,)| x.fill(1.0));
            store.fill(2.0).unwrap();
            let half = store.slice(0, 0, 1 << 16).unwrap();
            let sum = rt.task("sum").args((read(&half),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>()));
            (single.map(drop).unwrap_err(), sum.unwrap().get().unwrap())
        });
        for told in told {
            let (error, sum) = told.unwrap();
            let StoreError::PartTooLarge { locale: 0, needed, limit, .. } = error else { panic!("{error}") };
            assert_eq!((needed, limit, sum), (1 << 21, 3 << 19, f64::from(1 << 17)));
        }
    }
    // One without a limit would not ask the others.
    let builder = Runtime::builder().threads(1).pieces(2);
    for told in given([builder.clone(), builder.memory_limit(1 << 20)], |rt| rt.fence()) {
        assert!(matches!(told, Err(StoreError::Diverged { operation: 0, exact: true, .. })), "{told:?}");
    }
}
