//! Councils of a few locales with programs that send each other messages, in all orders of what can happen, or in random ones.

use core::fmt;
use core::hash::Hash;
use std::collections::{HashMap, HashSet};

use layout_core::Portable;
use proptest::prelude::*;

use super::control::{Control, Counts, End, Stand};
use super::council::{Council, Out};
use super::history::{Order, fingerprint};
use crate::geometry::Point;
use crate::graph::{Cause, TaskError};

/// An operation of a program.
#[derive(Clone, Debug, Hash, PartialEq)]
pub(super) enum Op {
    /// A message along these locales: each sends it on once it came, and once the locale has done this operation.
    Relay(Vec<usize>),
    /// Waits for all messages to this locale so far.
    Wait,
    /// Comes to a fence, where these locales have errors.
    Fence(Vec<usize>),
    /// On these locales the program waits for itself.
    Itself(Vec<usize>),
    /// Comes to a fence; on these locales in a closure that uses elements, for which it waits itself.
    FenceItself(Vec<usize>),
    /// Waits for what never comes, on all locales.
    Never,
    End,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A message of an operation: its order, and how many locales it passed.
type Data = (Order, usize);

/// Where a program is.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Goes,
    /// It waits for messages; then it is at a fence, with an error.
    Waits(Option<Option<Fault>>),
    /// It waits for itself, or for what never comes.
    InVain(Stand),
    Meets,
    Done,
    Told(End),
    Lost,
}

/// The locale of an error.
type Fault = usize;

#[derive(Clone, Debug)]
struct Locale {
    council: Council<Op>,
    program: Vec<Op>,
    next: usize,
    state: State,
    counts: Counts,
    /// Messages that have an effect, and are not counted yet.
    uncounted: u64,
    awaited: Vec<(Data, Vec<usize>)>,
    came: Vec<Data>,
    /// The messages that had come when a look began.
    looks: Option<u64>,
    /// How often it was told that it waits for itself.
    in_vain: usize,
    /// The locale of the error that each fence told of.
    fences: Vec<Option<Fault>>,
}

#[derive(Clone, Debug)]
struct World {
    locales: Vec<Locale>,
    data: Vec<(usize, Data)>,
    control: Vec<(usize, usize, Vec<u8>)>,
    /// A locale that was lost.
    lost: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Step(usize),
    Look(usize),
    Count(usize),
    Data(usize),
    Control(usize),
    Loss(usize),
}

pub(super) fn to_bytes(control: &Control) -> Vec<u8> {
    let mut bytes = Vec::new();
    control.write(&mut bytes);
    bytes
}

pub(super) fn error(locale: usize) -> TaskError {
    // The locale of the highest number has the first one.
    TaskError::new((3, 100 - locale), "task".to_owned(), Point::from([1, -2]), Cause::Panic(locale.to_string()))
}

impl World {
    fn new(programs: impl IntoIterator<Item = Vec<Op>>) -> Self {
        let programs: Vec<_> = programs.into_iter().collect();
        let count = programs.len();
        let locales = programs.into_iter().enumerate().map(|(locale, mut program)| {
            program.push(Op::End);
            Locale {
                council: Council::new(locale, count),
                program,
                next: 0,
                state: State::Goes,
                counts: Counts::default(),
                uncounted: 0,
                awaited: Vec::new(),
                came: Vec::new(),
                looks: None,
                in_vain: 0,
                fences: Vec::new(),
            }
        });
        Self { locales: locales.collect(), data: Vec::new(), control: Vec::new(), lost: None }
    }

    /// All that can happen next, but for looks that begin: those that change nothing.
    fn events(&self) -> Vec<Event> {
        let mut events: Vec<_> = (0..self.data.len()).map(Event::Data).collect();
        events.extend((0..self.control.len()).map(Event::Control));
        for (at, locale) in self.locales.iter().enumerate() {
            let stops = locale.council.is_held() && locale.council.ended().is_none();
            match locale.state {
                State::Done | State::Told(_) | State::Lost => {}
                State::Goes if stops => {}
                State::Goes => events.push(Event::Step(at)),
                _ => events.extend([Event::Step(at), Event::Look(at)]),
            }
            if locale.uncounted > 0 {
                events.push(Event::Count(at));
            }
            if self.lost.is_some_and(|lost| lost != at) && !matches!(locale.state, State::Done | State::Told(_)) {
                events.push(Event::Loss(at));
            }
        }
        events
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Step(at) => self.step(at),
            Event::Look(at) => self.look(at),
            Event::Count(at) => {
                self.locales[at].uncounted -= 1;
                self.locales[at].counts.received += 1;
            }
            Event::Data(message) => {
                let (to, data) = self.data.swap_remove(message);
                self.locales[to].uncounted += 1;
                self.locales[to].came.push(data);
                self.match_up(to);
            }
            Event::Control(message) => {
                let (from, to, bytes) = self.control.swap_remove(message);
                let control = Control::from_bytes(&bytes).unwrap();
                self.council(to, |council, counts, out| council.hear(from, control, counts, out));
            }
            Event::Loss(at) => {
                let lost = self.lost.unwrap();
                self.council(at, |council, _, out| council.end(End::Gone(lost), out));
            }
        }
    }

    /// Does something in a council, and sends what follows.
    fn council<T>(&mut self, at: usize, work: impl FnOnce(&mut Council<Op>, Counts, &mut Out) -> T) -> T {
        let (locale, mut out) = (&mut self.locales[at], Vec::new());
        let result = work(&mut locale.council, locale.counts, &mut out);
        assert!(out.iter().all(|(to, _)| *to != at), "a message to oneself");
        let lost = self.lost;
        self.control.extend(
            out.into_iter().filter(|(to, _)| Some(*to) != lost).map(|(to, control)| (at, to, to_bytes(&control))),
        );
        result
    }

    /// Gives awaited messages that came to what waits for them, which sends them on.
    fn match_up(&mut self, at: usize) {
        let mut differs = false;
        let locale = &mut self.locales[at];
        for (data, path) in core::mem::take(&mut locale.awaited) {
            let place = locale.came.iter().position(|came| came.0.number == data.0.number && came.1 == data.1);
            match place {
                Some(place) if locale.came[place] == data => {
                    locale.came.swap_remove(place);
                    if let Some(to) = path.get(data.1 + 2) {
                        locale.counts.sent += 1;
                        self.data.push((*to, (data.0, data.1 + 1)));
                    }
                }
                place => {
                    differs |= place.is_some();
                    locale.awaited.push((data, path));
                }
            }
        }
        if differs {
            self.council(at, |council, counts, out| council.differs(counts, out));
        }
    }

    /// Does the next operation, or goes on where what is waited for is there.
    fn step(&mut self, at: usize) {
        let locale = &mut self.locales[at];
        let arrived = locale.awaited.is_empty();
        match locale.state {
            State::Goes => self.operate(at),
            State::Waits(fence) if arrived => {
                locale.council.go_on();
                locale.looks = None;
                locale.state = State::Goes;
                if let Some(error_of) = fence {
                    locale.state = State::Meets;
                    self.council(at, |council, _, out| council.meet(error_of.map(error), out));
                }
            }
            State::Meets => {
                if let Some(fault) = locale.council.passed() {
                    locale.looks = None;
                    locale.fences.push(fault.map(|fault| 100 - fault.order().1));
                    locale.state = if locale.next == locale.program.len() { State::Done } else { State::Goes };
                } else if let Some(end) = locale.council.ended() {
                    locale.state = State::Told(end.clone());
                }
            }
            _ => {}
        }
    }

    fn operate(&mut self, at: usize) {
        let locale = &mut self.locales[at];
        if let Some(end) = locale.council.ended() {
            locale.state = State::Told(end.clone());
            return;
        }
        let op = locale.program[locale.next].clone();
        locale.next += 1;
        let order = locale.council.operate(op.clone());
        match op {
            Op::Relay(path) => {
                if path[0] == at {
                    locale.counts.sent += 1;
                    self.data.push((path[1], (order, 0)));
                }
                let hops = (1..path.len()).filter(|hop| path[*hop] == at);
                let awaited = hops.map(|hop| ((order, hop - 1), path.clone()));
                self.locales[at].awaited.extend(awaited);
                self.match_up(at);
            }
            Op::Wait => locale.state = State::Waits(None),
            Op::Fence(faults) => locale.state = State::Waits(Some(faults.contains(&at).then_some(at))),
            Op::Itself(on) | Op::FenceItself(on) if on.contains(&at) => locale.state = State::InVain(Stand::Uses),
            Op::Itself(_) => {}
            Op::Never => locale.state = State::InVain(Stand::Waits),
            Op::FenceItself(_) | Op::End => locale.state = State::Waits(Some(None)),
        }
    }

    /// Begins to look whether the program waits in vain, or ends that.
    fn look(&mut self, at: usize) {
        let locale = &mut self.locales[at];
        let Some(received) = locale.looks.take() else {
            locale.looks = Some(locale.counts.received);
            return;
        };
        let stand = match locale.state {
            State::Waits(_) => (!locale.awaited.is_empty()).then_some(Stand::Waits),
            State::InVain(stand) => Some(stand),
            _ => Some(Stand::Fence),
        };
        if let Some(stand) = stand {
            self.council(at, |council, counts, out| council.still(stand, Counts { received, ..counts }, out));
        }
        let locale = &mut self.locales[at];
        if locale.state == State::Meets || !locale.council.is_told() {
            return;
        }
        if locale.council.go_on() {
            locale.in_vain += 1;
            locale.state = State::Goes;
        } else if stand.is_some() {
            locale.state = State::Told(locale.council.ended().unwrap().clone());
        }
    }

    fn is_over(&self) -> bool {
        self.locales.iter().all(|locale| matches!(locale.state, State::Done | State::Told(_) | State::Lost))
    }

    /// Lets things happen in a random order until all programs have ended.
    fn run(&mut self, seed: u64, mut before: impl FnMut(&mut Self, u64)) {
        for step in 0_u64.. {
            assert!(step < 200_000, "it never ends: {self:#?}");
            before(self, step);
            if self.is_over() {
                return;
            }
            let events = self.events();
            assert!(!events.is_empty(), "nothing can happen any more: {self:#?}");
            self.happen(events[usize::try_from(fingerprint((seed, step)) % events.len() as u64).unwrap()]);
        }
    }

    /// Nobody was accused, and each fence told of the first error.
    fn check_alike(&self, program: &[Op]) {
        let first = |op: &Op| match op {
            Op::Fence(faults) => Some(faults.iter().copied().max()),
            _ => None,
        };
        let fences: Vec<_> = program.iter().filter_map(first).chain([None]).collect();
        for (at, locale) in self.locales.iter().enumerate() {
            assert_eq!(locale.state, State::Done, "locale {at} of {self:#?}");
            assert_eq!(locale.fences, fences, "locale {at}");
            let in_vain = |op: &&Op| matches!(op, Op::Never) || matches!(op, Op::Itself(on) if on.contains(&at));
            assert_eq!(locale.in_vain, program.iter().filter(in_vain).count(), "locale {at} of {self:#?}");
        }
    }

    /// All were told that programs differ first in this operation.
    fn check_differ(&self, first: u64, differs: usize) {
        let told: Vec<_> = self.locales.iter().map(|locale| &locale.state).collect();
        let State::Told(End::Diverged { operation, exact: true, locales, did }) = told[0] else {
            panic!("expected that all differ in operation {first}: {told:?}")
        };
        assert!(told.iter().all(|other| *other == told[0]), "{told:?}");
        assert_eq!(*operation, first, "{told:?}");
        assert!(locales[0] < locales[1] && locales.contains(&differs), "{told:?}");
        let number = usize::try_from(first).unwrap() - 1;
        assert_eq!(**did, locales.map(|locale| self.locales[locale].program[number].to_string()));
    }
}

/// Lets things happen in all orders, and looks at each end; from wherever programs are, they can come to one.
fn in_all_orders(mut start: World, check: impl Fn(&World)) {
    let key = |world: &mut World| {
        // Which of those that are under way comes first in a list makes no difference.
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
        vec![Op::Itself(vec![1]), Op::Never],
    ] {
        println!("{program:?}");
        in_all_orders(World::new(vec![program.clone(); 2]), |world| world.check_alike(&program));
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

/// Who leaves a fence without the others does something else than they do from then on.
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
        1 => Just(Op::Never),
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

    /// A locale is lost, with some of what it has sent; others find out one after another.
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
