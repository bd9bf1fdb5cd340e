//! A model of councils of a few locales, with programs that send each other messages: the possible events, and their effects.

use core::fmt;
use core::hash::Hash;

use layout_core::Portable;

use super::control::{Control, Counts, End, Stand};
use super::council::{Council, Out};
use super::history::{Order, fingerprint};
use crate::geometry::Point;
use crate::graph::{Cause, TaskError};

/// An operation of a program.
#[derive(Clone, Debug, Hash, PartialEq)]
pub(super) enum Op {
    /// A message along these locales: each sends it on after it came, and after the locale has done this operation.
    Relay(Vec<usize>),
    /// Waits for all messages to this locale so far.
    Wait,
    /// Comes to a fence; these locales have errors.
    Fence(Vec<usize>),
    /// On these locales, the program waits for itself.
    Itself(Vec<usize>),
    /// Comes to a fence; on these locales in a closure that uses elements, for which it waits itself.
    FenceItself(Vec<usize>),
    /// Waits for a message that never comes, on all locales.
    Never,
    /// On these locales, the program panics.
    Panic(Vec<usize>),
    End,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A message of an operation: its order, and the number of locales that it passed.
pub(super) type Data = (Order, usize);

/// The state of a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    Goes,
    /// Waits for messages; then it is at a fence, with an error.
    Waits(Option<Option<Fault>>),
    /// Waits for itself, or for a message that never comes.
    InVain(Stand),
    Meets,
    Done,
    Told(End),
    Lost,
}

/// The locale of an error.
pub(super) type Fault = usize;

#[derive(Clone, Debug)]
pub(super) struct Locale {
    pub(super) council: Council<Op>,
    pub(super) program: Vec<Op>,
    pub(super) next: usize,
    pub(super) state: State,
    /// `true` if it has left after it was told: nothing that comes is heard.
    left: bool,
    counts: Counts,
    /// Messages that have an effect, but are not counted yet.
    pub(super) uncounted: u64,
    awaited: Vec<(Data, Vec<usize>)>,
    came: Vec<Data>,
    /// The number of messages that had come when a look began.
    looks: Option<u64>,
    /// The number of times that it was told that it waits for itself.
    in_vain: usize,
    /// The locale of the error that each fence returned.
    fences: Vec<Option<Fault>>,
}

#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) locales: Vec<Locale>,
    pub(super) data: Vec<(usize, Data)>,
    pub(super) control: Vec<(usize, usize, Vec<u8>)>,
    /// A locale that was lost.
    pub(super) lost: Option<usize>,
    /// Tells if a message may be lost, or was.
    pub(super) drops: Drops,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Drops {
    Never,
    One,
    Dropped,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Step(usize),
    Look(usize),
    Count(usize),
    Data(usize),
    Control(usize),
    Loss(usize),
    DropData(usize),
    DropControl(usize),
    /// A locale that was told leaves.
    Leave(usize),
    /// A program has stood still for long.
    Remind(usize),
}

pub(super) fn to_bytes(control: &Control) -> Vec<u8> {
    let mut bytes = Vec::new();
    control.write(&mut bytes);
    bytes
}

pub(super) fn error(locale: usize) -> TaskError {
    // The locale with the highest number has the first one.
    TaskError::new((3, 100 - locale), "task".to_owned(), Point::from([1, -2]), Cause::Panic(locale.to_string()))
}

impl World {
    pub(super) fn new(programs: impl IntoIterator<Item = Vec<Op>>) -> Self {
        let programs: Vec<_> = programs.into_iter().collect();
        let count = programs.len();
        let locales = programs.into_iter().enumerate().map(|(locale, mut program)| {
            program.push(Op::End);
            Locale {
                council: Council::new(locale, count),
                program,
                next: 0,
                state: State::Goes,
                left: false,
                counts: Counts::default(),
                uncounted: 0,
                awaited: Vec::new(),
                came: Vec::new(),
                looks: None,
                in_vain: 0,
                fences: Vec::new(),
            }
        });
        Self { locales: locales.collect(), data: Vec::new(), control: Vec::new(), lost: None, drops: Drops::Never }
    }

    /// All events that can happen next, except looks that begin: those change nothing.
    pub(super) fn events(&self) -> Vec<Event> {
        let mut events: Vec<_> = (0..self.data.len()).map(Event::Data).collect();
        events.extend((0..self.control.len()).map(Event::Control));
        for (at, locale) in self.locales.iter().enumerate() {
            let stops = locale.council.is_held() && locale.council.ended().is_none();
            match locale.state {
                State::Told(_) if !locale.left => events.push(Event::Leave(at)),
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
        if self.drops == Drops::One {
            events.extend((0..self.data.len()).map(Event::DropData));
            events.extend((0..self.control.len()).filter(|message| self.matters(*message)).map(Event::DropControl));
        }
        // After so long that nothing is under way.
        if self.drops == Drops::Dropped && self.data.is_empty() && self.control.is_empty() {
            let stands = |at: &usize| match self.locales[*at].state {
                State::Goes => self.locales[*at].council.is_held(),
                State::Waits(_) | State::InVain(_) | State::Meets => true,
                State::Done | State::Told(_) | State::Lost => false,
            };
            if self.locales.iter().all(|locale| locale.uncounted == 0) {
                events.extend((0..self.locales.len()).filter(stands).map(Event::Remind));
            }
        }
        events
    }

    /// Returns `true` if the loss of a message is noticed: its sender may leave after the last fence.
    fn matters(&self, message: usize) -> bool {
        let (from, _, bytes) = &self.control[message];
        let sender = &self.locales[*from];
        let last = matches!(Control::from_bytes(bytes), Ok(Control::Down(_))) && sender.next == sender.program.len();
        !last
    }

    pub(super) fn happen(&mut self, event: Event) {
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
                if self.locales[to].left {
                    return;
                }
                self.council(to, |council, counts, out| council.hear(from, control, counts, out));
            }
            Event::Loss(at) => {
                let lost = self.lost.unwrap();
                self.council(at, |council, _, out| council.end(End::Gone(lost), out));
            }
            Event::DropData(message) => {
                self.data.swap_remove(message);
                self.drops = Drops::Dropped;
            }
            Event::DropControl(message) => {
                self.control.swap_remove(message);
                self.drops = Drops::Dropped;
            }
            Event::Leave(at) => {
                self.council(at, |council, _, out| council.leave(out));
                self.locales[at].left = true;
            }
            Event::Remind(at) => self.council(at, |council, counts, out| council.remind(counts, out)),
        }
    }

    /// Does something in a council, and sends the messages that follow.
    pub(super) fn council<T>(&mut self, at: usize, work: impl FnOnce(&mut Council<Op>, Counts, &mut Out) -> T) -> T {
        let (locale, mut out) = (&mut self.locales[at], Vec::new());
        let result = work(&mut locale.council, locale.counts, &mut out);
        assert!(out.iter().all(|(to, _)| *to != at), "a message to oneself");
        let lost = self.lost;
        self.control.extend(
            out.into_iter().filter(|(to, _)| Some(*to) != lost).map(|(to, control)| (at, to, to_bytes(&control))),
        );
        result
    }

    /// Passes awaited messages that came to the operations that wait for them, which send them on.
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

    /// Does the next operation, or goes on if the awaited event is there.
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
            Op::Panic(on) if on.contains(&at) => {
                self.council(at, |council, _, out| council.end(End::Panicked(at), out));
                self.locales[at].state = State::Told(End::Panicked(at));
            }
            Op::Itself(_) | Op::Panic(_) => {}
            Op::Never => locale.state = State::InVain(Stand::Waits),
            Op::FenceItself(_) | Op::End => locale.state = State::Waits(Some(None)),
        }
    }

    /// Begins or ends a look for whether the program waits in vain.
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

    pub(super) fn is_over(&self) -> bool {
        self.locales.iter().all(|locale| matches!(locale.state, State::Done | State::Told(_) | State::Lost))
    }

    /// Lets events happen in a random order until all programs have ended.
    pub(super) fn run(&mut self, seed: u64, mut before: impl FnMut(&mut Self, u64)) {
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

    /// Checks that nobody was accused, and that each fence returned the first error.
    pub(super) fn check_alike(&self, program: &[Op]) {
        let first = |op: &Op| match op {
            Op::Fence(faults) => Some(faults.iter().copied().max()),
            _ => None,
        };
        let fences: Vec<_> = program.iter().filter_map(first).chain([None]).collect();
        for (at, locale) in self.locales.iter().enumerate() {
            assert_eq!(locale.state, State::Done, "locale {at} of {self:#?}");
            assert_eq!(locale.fences, fences, "locale {at}");
            let in_vain = |op: &&Op| matches!(op, Op::Itself(on) if on.contains(&at));
            assert_eq!(locale.in_vain, program.iter().filter(in_vain).count(), "locale {at} of {self:#?}");
        }
    }

    /// Checks that all were told that they wait for a message that never comes, and where this locale waits.
    pub(super) fn check_never(&self, waits: &str) {
        let State::Told(End::NeverCame(told)) = &self.locales[0].state else { panic!("{self:#?}") };
        assert!(told.contains(waits), "{told}");
        assert!(self.locales.iter().all(|locale| locale.state == self.locales[0].state), "{self:#?}");
    }

    /// Checks that all were told that the program of this locale panicked.
    pub(super) fn check_panicked(&self, at: usize) {
        let told = State::Told(End::Panicked(at));
        assert!(self.locales.iter().all(|locale| locale.state == told), "{self:#?}");
    }

    /// Checks that all were told that programs first differ in this operation.
    pub(super) fn check_differ(&self, first: u64, differs: usize) {
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
