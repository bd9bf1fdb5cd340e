//! Tests of councils of a few locales, with events in all orders, or in random ones.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::control::End;
use super::council_model::{Drops, Op, State, World};
use super::history::fingerprint;

/// Lets events happen in all orders, and checks each end; from every state, programs can come to an end.
fn in_all_orders(mut start: World, check: impl Fn(&World)) {
    let key = |world: &mut World| {
        // The order of messages under way in a list makes no difference.
        world.data.sort_by_key(|message| fingerprint(format!("{message:?}")));
        world.control.sort();
        fingerprint(format!("{world:?}"))
    };
    let (mut seen, mut ends, mut from) =
        (HashSet::from([key(&mut start)]), Vec::new(), HashMap::<u64, Vec<u64>>::new());
    let mut left = vec![(key(&mut start), start)];
    while let Some((here, world)) = left.pop() {
        if world.is_over() {
            check(&world);
            ends.push(here);
            continue;
        }
        for event in world.events() {
            let mut next = world.clone();
            next.happen(event);
            let there = key(&mut next);
            from.entry(there).or_default().push(here);
            if seen.insert(there) {
                left.push((there, next));
            }
        }
        assert!(seen.len() < 1_000_000, "too many orders");
    }
    println!("{} states, {} ends", seen.len(), ends.len());
    let mut left = ends;
    while let Some(there) = left.pop() {
        if seen.remove(&there) {
            left.extend(from.remove(&there).unwrap_or_default());
        }
    }
    assert!(seen.is_empty(), "{} states from which there is no end", seen.len());
}

#[test]
fn programs_that_are_alike_are_never_accused_in_any_order() {
    let relay = |path: &[usize]| Op::Relay(path.to_vec());
    for program in [
        vec![relay(&[1, 0]), Op::Wait],
        vec![relay(&[0, 1, 0]), Op::Wait],
        vec![Op::Fence(vec![0, 1])],
        vec![Op::Itself(vec![0, 1])],
        vec![relay(&[1, 0]), Op::Itself(vec![0])],
        vec![Op::Itself(vec![1]), relay(&[1, 0])],
    ] {
        println!("{program:?}");
        in_all_orders(World::new(vec![program.clone(); 2]), |world| world.check_alike(&program));
    }
}

#[test]
fn what_never_comes_is_told_in_any_order() {
    let relay = |path: &[usize]| Op::Relay(path.to_vec());
    let waits = |number| format!("each of locales 0 to 1 Never, and waits for its tasks in operation {number}");
    in_all_orders(World::new(vec![vec![Op::Never]; 2]), |world| world.check_never(&waits(1)));
    for before in [relay(&[1, 0]), relay(&[0, 1, 0]), Op::Itself(vec![1])] {
        in_all_orders(World::new(vec![vec![before, Op::Never]; 2]), |world| world.check_never(&waits(2)));
    }
}

/// One message is lost, of operations, of fences, or of the reason why nobody goes on: its receiver is told, and so are all others.
#[test]
fn a_message_that_is_lost_is_told_in_any_order() {
    let relay = |path: &[usize]| Op::Relay(path.to_vec());
    for program in [
        vec![relay(&[1, 0]), Op::Wait],
        vec![relay(&[0, 1]), Op::Wait],
        vec![Op::Fence(vec![0])],
        vec![Op::Itself(vec![1])],
    ] {
        println!("{program:?}");
        let mut world = World::new(vec![program.clone(); 2]);
        world.drops = Drops::One;
        in_all_orders(world, |world| match &world.locales[0].state {
            State::Done => world.check_alike(&program),
            _ => world.check_never("waits for "),
        });
    }
}

/// One message is lost, such as the reason why nobody goes on, and others may have left before that is noticed.
#[test]
fn a_reason_that_is_lost_is_told_in_any_order() {
    for at in [0, 1] {
        for program in [vec![Op::Panic(vec![at])], vec![Op::Wait, Op::Panic(vec![at]), Op::Wait]] {
            println!("{program:?}");
            let mut world = World::new(vec![program; 2]);
            world.drops = Drops::One;
            in_all_orders(world, |world| world.check_panicked(at));
        }
    }
    for differs in [0, 1] {
        let mut programs = [vec![], vec![]];
        programs[differs] = vec![Op::Wait];
        println!("{programs:?}");
        let mut world = World::new(programs);
        world.drops = Drops::One;
        in_all_orders(world, |world| {
            let State::Told(told) = &world.locales[0].state else { panic!("{world:#?}") };
            assert!(matches!(told, End::Diverged { .. } | End::NeverCame(_)), "{world:#?}");
            assert!(world.locales.iter().all(|locale| locale.state == world.locales[0].state), "{world:#?}");
        });
    }
}

#[test]
fn programs_that_differ_are_told_in_any_order() {
    let relay = |path: &[usize]| Op::Relay(path.to_vec());
    for (usual, other) in [
        (vec![], vec![Op::Wait]),
        (vec![Op::Wait], vec![Op::Fence(vec![])]),
        (vec![relay(&[0, 1])], vec![relay(&[0, 1, 0])]),
        (vec![relay(&[0, 1]), Op::Wait], vec![Op::Itself(vec![0]), Op::Wait]),
        (vec![Op::Wait], vec![relay(&[0, 1]), Op::Wait]),
    ] {
        for differs in [0, 1] {
            let mut programs = [usual.clone(), usual.clone()];
            programs[differs] = other.clone();
            println!("{programs:?}");
            in_all_orders(World::new(programs), |world| world.check_differ(1, differs));
        }
    }
}

/// A locale that leaves a fence without the others does different operations from then on.
#[test]
fn who_does_not_wait_at_a_fence_differs() {
    in_all_orders(World::new(vec![vec![Op::FenceItself(vec![0])]; 2]), |world| {
        let did = Box::new([Op::End.to_string(), Op::FenceItself(vec![0]).to_string()]);
        let told = State::Told(End::Diverged { operation: 1, exact: false, locales: [0, 1], did });
        assert!(world.locales.iter().all(|locale| locale.state == told), "{world:#?}");
    });
}

fn op(locales: usize) -> impl Strategy<Value = Op> {
    let some = move || prop::collection::vec(0..locales, 0..=locales);
    prop_oneof![
        5 => prop::collection::vec(0..locales, 2..5).prop_map(|mut path| {
            path.dedup();
            if path.len() > 1 { Op::Relay(path) } else { Op::Wait }
        }),
        2 => Just(Op::Wait),
        2 => some().prop_map(Op::Fence),
        1 => some().prop_map(Op::Itself),
    ]
}

fn programs(fewest: usize) -> impl Strategy<Value = (usize, Vec<Op>)> {
    (fewest..7).prop_flat_map(|locales| (Just(locales), prop::collection::vec(op(locales), 0..8)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn programs_that_are_alike_are_never_accused((locales, program) in programs(1), seed: u64) {
        let mut world = World::new(vec![program.clone(); locales]);
        world.run(seed, |_, _| ());
        world.check_alike(&program);
    }

    #[test]
    fn one_of_the_messages_is_lost((locales, program) in programs(1), seed: u64, after in 0..40_u64) {
        let mut world = World::new(vec![program.clone(); locales]);
        world.run(seed, |world, step| if step == after && world.drops == Drops::Never { world.drops = Drops::One });
        match &world.locales[0].state {
            State::Done => world.check_alike(&program),
            _ => world.check_never("waits for "),
        }
    }

    #[test]
    fn the_first_difference_is_told_to_all(
        (locales, program) in programs(2),
        other in prop::collection::vec(op(6), 0..3),
        at: prop::sample::Index,
        differs: prop::sample::Index,
        skipped in 0..3_usize,
        seed: u64,
    ) {
        let (at, differs) = (at.index(program.len() + 1), differs.index(locales));
        let here = |op: &Op| !matches!(op, Op::Relay(path) if path.iter().any(|at| *at >= locales));
        let other = other.into_iter().filter(here);
        let rest = program.iter().skip(at + skipped).cloned();
        let other: Vec<_> = program[..at].iter().cloned().chain(other).chain(rest).collect();
        let first = (0..=program.len()).find(|at| program.get(*at) != other.get(*at));
        let mut programs = vec![program.clone(); locales];
        programs[differs] = other.clone();
        let mut world = World::new(programs);
        world.run(seed, |_, _| ());
        match first {
            Some(first) => world.check_differ(first as u64 + 1, differs),
            None => world.check_alike(&program),
        }
    }

    #[test]
    fn a_panic_is_told_to_all((locales, program) in programs(1), at: prop::sample::Index, when in 0..40_u64, seed: u64) {
        let (mut world, at) = (World::new(vec![program; locales]), at.index(locales));
        let mut panicked = false;
        world.run(seed, |world, step| {
            let state = &world.locales[at].state;
            if step == when && !matches!(state, State::Done) && world.locales[at].next < world.locales[at].program.len() {
                panicked = true;
                world.council(at, |council, _, out| council.end(End::Panicked(at), out));
                world.locales[at].state = State::Told(End::Panicked(at));
            }
        });
        let all = |expected: &State| world.locales.iter().all(|locale| locale.state == *expected);
        prop_assert!(all(&if panicked { State::Told(End::Panicked(at)) } else { State::Done }), "{:#?}", world);
    }

    #[test]
    fn a_panic_is_told_to_all_if_a_message_is_lost(
        (locales, program) in programs(2),
        place: prop::sample::Index,
        at: prop::sample::Index,
        after in 0..40_u64,
        seed: u64,
    ) {
        let (place, at) = (place.index(program.len() + 1), at.index(locales));
        let rest = program.iter().skip(place).cloned();
        let program: Vec<_> = program[..place].iter().cloned().chain([Op::Panic(vec![at])]).chain(rest).collect();
        let mut world = World::new(vec![program; locales]);
        world.run(seed, |world, step| if step == after && world.drops == Drops::Never { world.drops = Drops::One });
        let State::Told(told) = &world.locales[0].state else { panic!("{world:#?}") };
        // The message may be lost before the panic.
        prop_assert!(matches!(told, End::Panicked(_) | End::NeverCame(_)), "{:#?}", world);
        prop_assert!(world.locales.iter().all(|locale| locale.state == world.locales[0].state), "{:#?}", world);
    }

    /// A locale is lost, with some of its messages; others find it out one after another.
    #[test]
    fn a_lost_locale_is_told_to_all((locales, program) in programs(1), at: prop::sample::Index, when in 0..40_u64, seed: u64) {
        let (mut world, at) = (World::new(vec![program; locales]), at.index(locales));
        world.run(seed, |world, step| {
            if step == when && world.locales[at].next < world.locales[at].program.len() {
                world.lost = Some(at);
                world.locales[at].state = State::Lost;
                world.locales[at].uncounted = 0;
                let arrives = |number: usize| fingerprint((seed, number)) % 2 == 0;
                let mut number = 0;
                world.control.retain(|(from, to, _)| {
                    number += 1;
                    *to != at && (*from != at || arrives(number))
                });
                world.data.retain(|(to, _)| *to != at);
            }
        });
        for (locale, state) in world.locales.iter().map(|locale| &locale.state).enumerate() {
            let expected = match world.lost {
                None => State::Done,
                Some(at) if at == locale => State::Lost,
                Some(_) => State::Told(End::Gone(at)),
            };
            prop_assert_eq!(state, &expected, "locale {}", locale);
        }
    }
}
