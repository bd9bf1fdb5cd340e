//! The task graph's wake-ups, and where locales meet, in every order that threads can meet in: the same source as the
//! library's, over loom's model of locks and atomics, apart from the pool.

#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/graph/bodies.rs"]
mod bodies;
#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/locale/chair.rs"]
mod chair;
#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/locale/control.rs"]
mod control;
#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/locale/council.rs"]
mod council;
#[allow(dead_code, unreachable_pub, reason = "the library uses all of it")]
#[path = "../../layout-store/src/graph/fault.rs"]
mod fault;
#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/locale/history.rs"]
mod history;
#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/locale/meeting.rs"]
mod meeting;
#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/graph/node.rs"]
mod node;
#[allow(dead_code, unreachable_pub, reason = "the library uses all of it")]
#[path = "../../layout-store/src/geometry/point.rs"]
mod point;
#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/locale/tree.rs"]
mod tree;
#[allow(dead_code, reason = "the library uses all of it")]
#[path = "../../layout-store/src/graph/wake.rs"]
mod wake;

/// The functions that the graph needs of the room below.
mod geometry {
    pub(crate) use crate::point::Point;
}

/// The functions that locales need of the rooms below.
mod graph {
    pub(crate) use crate::fault::TaskError;
    pub(crate) use crate::wake::longer;

    pub(crate) type Progress = Box<dyn Fn()>;
    pub(crate) const AWAKE: usize = crate::sync::LOOKS;
    pub(crate) const NAP: core::time::Duration = core::time::Duration::ZERO;
}

mod error {
    #[allow(dead_code, reason = "only some of it happens here")]
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) enum StoreError {
        WaitsForItself,
        Diverged { operation: u64, exact: bool, locales: [usize; 2], did: Box<[String; 2]> },
        Panicked { locale: usize },
        Gone { locale: usize },
        BadMessage { locale: usize, why: String },
        NeverCame { waits: String },
    }
}

mod operation {
    use core::fmt;

    #[derive(Hash)]
    pub(crate) struct Operation(pub(crate) u64);

    impl fmt::Display for Operation {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "did {}", self.0)
        }
    }
}

/// Loom's, with the names and calls of the library's.
mod sync {
    use core::ops::{Deref, DerefMut};
    use core::time::Duration;

    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};

    /// Threads sleep at once: how often they look before says nothing of whether they are woken.
    pub(crate) const LOOKS: usize = 0;

    pub(crate) fn pause(_: usize) {
        loom::thread::yield_now();
    }

    pub(crate) struct RwLock<T>(loom::sync::RwLock<T>);

    impl<T> RwLock<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::RwLock::new(value))
        }

        pub(crate) fn read(&self) -> impl Deref<Target = T> + '_ {
            self.0.read().unwrap()
        }

        pub(crate) fn write(&self) -> impl DerefMut<Target = T> + '_ {
            self.0.write().unwrap()
        }
    }

    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);
    pub(crate) struct Guard<'m, T>(Option<loom::sync::MutexGuard<'m, T>>);
    pub(crate) struct Condvar(loom::sync::Condvar);
    pub(crate) struct Woken;

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> Guard<'_, T> {
            Guard(self.0.lock().ok())
        }
    }

    impl<T: Default> Default for Mutex<T> {
        fn default() -> Self {
            Self::new(T::default())
        }
    }

    impl<T> Deref for Guard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_ref().expect("locked")
        }
    }

    impl<T> DerefMut for Guard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_mut().expect("locked")
        }
    }

    impl Condvar {
        pub(crate) fn new() -> Self {
            Self(loom::sync::Condvar::new())
        }

        pub(crate) fn wait<T>(&self, guard: &mut Guard<'_, T>) {
            guard.0 = self.0.wait(guard.0.take().expect("locked")).ok();
        }

        pub(crate) fn wait_for<T>(&self, guard: &mut Guard<'_, T>, _: Duration) -> Woken {
            self.wait(guard);
            Woken
        }

        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }
    }

    impl Woken {
        pub(crate) fn timed_out(&self) -> bool {
            false
        }
    }
}

use core::time::Duration;
use std::sync::Arc;

use bodies::Bodies;
use control::{Control, End};
use error::StoreError;
use fault::{Cause, TaskError};
use loom::thread;
use meeting::Meeting;
use node::{Body, Edge, Node, Row};
use point::Point;
use smallvec::SmallVec;
use sync::{AtomicBool, AtomicUsize, Ordering};
use wake::{InFlight, Ready, Work};

/// Runs the program in all orders with up to three switches of threads where none had to switch;
/// `LOOM_MAX_PREEMPTIONS` asks for another number.
fn model(program: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(program);
}

/// Adds to a sum.
struct Adds(usize, Arc<AtomicUsize>);

impl Body for Adds {
    fn run(&self, _: usize) -> Result<(), Cause> {
        self.1.fetch_add(self.0, Ordering::SeqCst);
        Ok(())
    }

    fn label(&self, _: usize) -> (String, Point) {
        (String::new(), Point::EMPTY)
    }
}

/// The place of a body is used again as soon as its last node is done: then the new body is there, and no other.
#[test]
fn a_place_that_is_used_again_keeps_its_new_body() {
    model(|| {
        let (bodies, sum) = (Bodies::new(2), Arc::new(AtomicUsize::new(0)));
        let place = |added| {
            let place = bodies.place(1, Row::Body);
            place.fill(Adds(added, sum.clone()));
            place
        };
        let first = place(1);
        let worker = thread::spawn(move || {
            first.run(0).unwrap();
            first.done();
        });
        let second = place(10);
        worker.join().unwrap();
        second.run(0).unwrap();
        assert_eq!(sum.load(Ordering::SeqCst), 11);
    });
}

/// Takes what is ready until there is nothing, as a job of the engine does.
fn drain(ready: &Ready<usize>, taken: &AtomicUsize) {
    loop {
        while let Some(item) = ready.pop() {
            let mut item = Some(item);
            while let Some(current) = item.take() {
                taken.fetch_add(current, Ordering::SeqCst);
                item = ready.choose(&mut smallvec::SmallVec::<[usize; 1]>::new());
            }
        }
        if ready.sign_off() {
            return;
        }
    }
}

#[test]
fn nothing_that_is_ready_stays_in_the_queue() {
    for most in [1, 2] {
        model(move || {
            let (ready, taken) = (Arc::new(Ready::new(most, |item| *item == 10)), Arc::new(AtomicUsize::new(0)));
            let mut jobs = Vec::new();
            for item in [1, 10] {
                for _ in 0..ready.push(core::iter::once(item)) {
                    let (ready, taken) = (ready.clone(), taken.clone());
                    jobs.push(thread::spawn(move || drain(&ready, &taken)));
                }
            }
            jobs.into_iter().for_each(|job| job.join().unwrap());
            assert_eq!(taken.load(Ordering::SeqCst), 11);
            assert!(ready.pop().is_none());
        });
    }
}

#[test]
fn who_waits_for_a_node_is_woken() {
    model(|| {
        let in_flight = Arc::new(InFlight::new(100));
        let (done, watched) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        // One more stays in flight, so that the last of all wakes nobody.
        in_flight.add(2);
        let worker = {
            let (in_flight, done, watched) = (in_flight.clone(), done.clone(), watched.clone());
            thread::spawn(move || {
                done.store(true, Ordering::Release);
                in_flight.done(&watched);
            })
        };
        watched.store(true, Ordering::SeqCst);
        assert!(in_flight.sleep_until(|| done.load(Ordering::Acquire), None));
        worker.join().unwrap();
    });
}

#[test]
fn who_waits_for_all_is_woken() {
    model(|| {
        let in_flight = Arc::new(InFlight::new(100));
        in_flight.add(2);
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let in_flight = in_flight.clone();
                thread::spawn(move || in_flight.done(&AtomicBool::new(false)))
            })
            .collect();
        assert!(in_flight.sleep_until(|| in_flight.is_empty(), None));
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

#[test]
fn who_waits_for_room_is_woken() {
    model(|| {
        let in_flight = Arc::new(InFlight::new(4));
        in_flight.add(4);
        // One stays in flight.
        let workers: Vec<_> = [1, 2]
            .map(|count| {
                let in_flight = in_flight.clone();
                thread::spawn(move || (0..count).for_each(|_| in_flight.done(&AtomicBool::new(false))))
            })
            .into();
        assert!(in_flight.wait_for_room(1, |roomy| in_flight.sleep_until(roomy, None)));
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        assert!(!in_flight.is_empty());
    });
}

#[test]
fn all_who_wait_for_room_are_woken() {
    model(|| {
        let in_flight = Arc::new(InFlight::new(4));
        in_flight.add(6);
        // So many that the launch of one finds room before that of the other; one node stays in flight.
        let waits = |more: usize| {
            let in_flight = in_flight.clone();
            thread::spawn(move || assert!(in_flight.wait_for_room(more, |roomy| in_flight.sleep_until(roomy, None))))
        };
        let programs = [waits(1), waits(8)];
        (0..5).for_each(|_| in_flight.done(&AtomicBool::new(false)));
        programs.into_iter().for_each(|program| program.join().unwrap());
        assert!(!in_flight.is_empty() && !in_flight.is_full(1));
    });
}

#[test]
fn nobody_passes_a_thread_that_waits_for_room() {
    model(|| {
        let in_flight = Arc::new(InFlight::new(4));
        in_flight.add(3);
        assert!(!in_flight.is_full(1));
        let program = {
            let in_flight = in_flight.clone();
            thread::spawn(move || assert!(in_flight.wait_for_room(1, |roomy| in_flight.sleep_until(roomy, None))))
        };
        // As soon as it waits, three are too many for another thread, too.
        while !in_flight.is_full(1) {
            thread::yield_now();
        }
        in_flight.done(&AtomicBool::new(false));
        assert!(in_flight.is_full(1));
        in_flight.done(&AtomicBool::new(false));
        program.join().unwrap();
        assert!(!in_flight.is_full(1));
    });
}

#[test]
fn who_waits_for_memory_is_woken() {
    model(|| {
        let in_flight = Arc::new(InFlight::new(100));
        let held = Arc::new(AtomicUsize::new(2));
        // One more stays in flight, so that the last of all wakes nobody.
        in_flight.add(3);
        let worker = {
            let (in_flight, held) = (in_flight.clone(), held.clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    held.fetch_sub(1, Ordering::SeqCst);
                    in_flight.done(&AtomicBool::new(false));
                }
            })
        };
        in_flight.begin_to_starve();
        assert!(in_flight.sleep_until(|| held.load(Ordering::SeqCst) == 0, None));
        in_flight.end_to_starve();
        worker.join().unwrap();
    });
}

/// Waits until all items are done, and does those that are ready, as a thread of a program does whose locale has no threads.
fn work(ready: &Ready<usize>, in_flight: &InFlight, taken: &AtomicUsize) {
    let run = || {
        let item = ready.take();
        if let Some(item) = item {
            taken.fetch_add(item, Ordering::SeqCst);
            if item == 1 {
                // What it makes ready may be for another thread.
                assert_eq!(ready.push(core::iter::once(100)), 0);
                in_flight.wake();
            }
            ready.finish();
            in_flight.done(&AtomicBool::new(false));
        }
        item.is_some()
    };
    let work = Work { run: &run, is_ready: &|| !ready.is_empty(), looks: 0, nap: Duration::ZERO };
    assert!(in_flight.work_until(|| in_flight.is_empty(), &work, None));
}

#[test]
fn who_waits_does_what_others_make_ready() {
    for programs in [1, 2] {
        model(move || {
            let (ready, in_flight) = (Arc::new(Ready::new(0, |_| false)), Arc::new(InFlight::new(100)));
            let taken = Arc::new(AtomicUsize::new(0));
            in_flight.add(3);
            let mut others = vec![{
                let (ready, in_flight) = (ready.clone(), in_flight.clone());
                // Messages that came.
                thread::spawn(move || {
                    for item in [1, 10] {
                        assert_eq!(ready.push(core::iter::once(item)), 0);
                        in_flight.wake();
                    }
                })
            }];
            others.extend((1..programs).map(|_| {
                let (ready, in_flight, taken) = (ready.clone(), in_flight.clone(), taken.clone());
                thread::spawn(move || work(&ready, &in_flight, &taken))
            }));
            work(&ready, &in_flight, &taken);
            others.into_iter().for_each(|other| other.join().unwrap());
            assert_eq!((taken.load(Ordering::SeqCst), ready.is_idle()), (111, true));
        });
    }
}

/// Says what ran, or fails.
struct Marks {
    ran: Arc<AtomicUsize>,
    fails: bool,
}

impl Body for Marks {
    fn run(&self, number: usize) -> Result<(), Cause> {
        self.ran.fetch_add(number, Ordering::SeqCst);
        if self.fails { Err(Cause::Error(fault::TaskBodyError::new("no"))) } else { Ok(()) }
    }

    fn label(&self, _: usize) -> (String, Point) {
        (String::new(), Point::EMPTY)
    }
}

/// An edge is drawn while the first node runs: the second one runs once, after it, or is canceled with it.
fn edges(fails: bool) {
    model(move || {
        let ran = Arc::new(AtomicUsize::new(0));
        let first = Node::new(1, 1, Arc::new(Marks { ran: ran.clone(), fails }));
        let second = Node::new(2, 10, Arc::new(Marks { ran: ran.clone(), fails: false }));
        let run = |node: &Arc<Node>| {
            let mut ready: SmallVec<[Arc<Node>; 4]> = SmallVec::new();
            let fault: Option<TaskError> = node.run(&mut ready);
            (fault, ready)
        };
        assert!(first.released());
        let worker = {
            let first = first.clone();
            thread::spawn(move || {
                let (fault, ready) = run(&first);
                assert_eq!(fault.is_some(), fails);
                ready.iter().for_each(|node| drop(run(node)));
                ready.len()
            })
        };
        second.after(&first, Edge::Data);
        let here = second.released();
        if here {
            assert!(first.is_done());
            drop(run(&second));
        }
        let there = worker.join().unwrap();
        assert_eq!(usize::from(here) + there, 1, "the second node runs once");
        assert!(second.is_done() && second.fault().is_some() == fails);
        assert_eq!(ran.load(Ordering::SeqCst), if fails { 1 } else { 11 });
    });
}

#[test]
fn an_edge_from_a_node_that_runs() {
    edges(false);
}

#[test]
fn an_edge_from_a_node_that_fails() {
    edges(true);
}

/// Two locales of one process, where a message is heard at once, by the thread that sends it.
struct Locales([Meeting; 2]);

impl Locales {
    fn new() -> Arc<Self> {
        Arc::new(Self([0, 1].map(|locale| Meeting::new(locale, 2, Duration::from_secs(1)))))
    }

    fn tell(&self, from: usize, to: usize, control: &Control) {
        self.0[to].hear(from, control.clone(), &|next, control| self.tell(to, next, control));
    }

    fn operate(&self, locale: usize, number: u64) -> Result<(), StoreError> {
        let mail = |to, control: &_| self.tell(locale, to, control);
        self.0[locale].operate(|| operation::Operation(number), (&mail, None)).map(drop)
    }

    fn look(&self, locale: usize, uses: bool, stuck: &dyn Fn() -> bool) -> bool {
        self.0[locale].look(uses, stuck, &|to, control| self.tell(locale, to, control))
    }

    /// Waits for what never comes, until that is told.
    fn wait_in_vain(&self, locale: usize, uses: bool) -> Result<(), StoreError> {
        while !self.look(locale, uses, &|| true) {
            thread::yield_now();
        }
        self.0[locale].go_on(false)
    }

    fn differs(&self, locale: usize) {
        self.0[locale].differs(&|to, control| self.tell(locale, to, control));
    }

    fn end(&self, locale: usize, why: End) {
        self.0[locale].end(why, &|to, control| self.tell(locale, to, control));
    }

    /// The order of the first error of all.
    fn meet(&self, locale: usize, fault: Option<TaskError>) -> Result<Option<(u64, usize)>, StoreError> {
        let met = self.0[locale].meet(fault, &|to, control| self.tell(locale, to, control), None);
        met.map(|fault| fault.map(|fault| fault.order()))
    }
}

/// Runs the programs of two locales, and gives what both return.
fn both<T: 'static>(program: impl Fn(&Arc<Locales>, usize) -> T + Copy + Send + 'static) -> [T; 2] {
    let locales = Locales::new();
    let other = thread::spawn({
        let locales = locales.clone();
        move || program(&locales, 1)
    });
    [program(&locales, 0), other.join().unwrap()]
}

#[test]
fn who_gets_a_message_is_not_accused() {
    model(|| {
        let locales = Locales::new();
        let (ready, done) = (Arc::new(Ready::new(1, |_| false)), Arc::new(AtomicUsize::new(0)));
        let sender = {
            let (locales, ready, done) = (locales.clone(), ready.clone(), done.clone());
            thread::spawn(move || {
                // A message, and the job that takes it up.
                locales.0[1].sends();
                let jobs = ready.push(core::iter::once(1));
                locales.0[0].received();
                (0..jobs).for_each(|_| drain(&ready, &done));
                locales.wait_in_vain(1, false)
            })
        };
        let is_done = || done.load(Ordering::SeqCst) == 1;
        while !is_done() {
            assert!(!locales.look(0, false, &|| ready.is_idle() && !is_done()), "accused in error");
            thread::yield_now();
        }
        assert_eq!(locales.0[0].go_on(true), Ok(()));
        let waits = "each of locales 0 to 1 waits for its tasks in operation 0".to_owned();
        let told = Err(StoreError::NeverCame { waits });
        assert_eq!([locales.wait_in_vain(0, false), sender.join().unwrap()], [told.clone(), told]);
    });
}

#[test]
fn all_who_wait_for_themselves_are_told() {
    model(|| {
        let told = both(|locales, at| (locales.wait_in_vain(at, true), locales.meet(at, None)));
        assert_eq!(told, [(); 2].map(|()| (Err(StoreError::WaitsForItself), Ok(None))));
    });
}

#[test]
fn who_leaves_one_meeting_comes_to_the_next() {
    model(|| {
        assert_eq!(
            both(|locales, at| [(); 2].map(|()| locales.meet(at, None))),
            [(); 2].map(|()| [Ok(None), Ok(None)])
        );
    });
}

/// The error of a task of this number.
fn fault(number: usize) -> TaskError {
    TaskError::new((1, number), "task".to_owned(), Point::EMPTY, Cause::Panic(String::new()))
}

/// A message of a fence is passed on by whatever thread it came on, while the program may end.
#[test]
fn who_leaves_has_told_the_others() {
    model(|| {
        let locales = Locales::new();
        let left = Arc::new(AtomicBool::new(false));
        let other = thread::spawn({
            let (locales, left) = (locales.clone(), left.clone());
            move || {
                let up = Control::Up(history::Order { number: 0, hash: 0 }, None);
                locales.0[0]
                    .hear(1, up, &|_, _| assert!(!left.load(Ordering::SeqCst), "a message of a process that ended"));
            }
        });
        assert_eq!(locales.meet(0, None), Ok(None));
        locales.0[0].leave(&|to, control| locales.tell(0, to, control));
        left.store(true, Ordering::SeqCst);
        other.join().unwrap();
    });
}

#[test]
fn the_first_error_is_told_to_all() {
    model(|| {
        assert_eq!(both(|locales, at| locales.meet(at, Some(fault(7 - at)))), [(); 2].map(|()| Ok(Some((1, 6)))));
    });
}

/// A message seems to be of another operation: nobody does more until it is known whether that is so, and then all are told.
#[test]
fn nobody_goes_on_before_it_is_known_whether_programs_differ() {
    model(|| {
        let alike = both(|locales, at| {
            locales.operate(at, 1)?;
            if at == 1 {
                locales.differs(at);
            }
            locales.operate(at, 2)
        });
        assert_eq!(alike, [Ok(()), Ok(())]);
    });
    model(|| {
        let locales = Locales::new();
        (0..2).for_each(|at| locales.operate(at, at as u64).unwrap());
        let other = thread::spawn({
            let locales = locales.clone();
            move || locales.differs(1)
        });
        let did = || Box::new(["did 0".to_owned(), "did 1".to_owned()]);
        let told = || StoreError::Diverged { operation: 1, exact: true, locales: [0, 1], did: did() };
        let number = (2..20).find(|number| {
            thread::yield_now();
            locales.operate(0, *number).is_err()
        });
        other.join().unwrap();
        assert!(number.is_some() || locales.0[0].check().is_err());
        assert_eq!([locales.0[0].check(), locales.operate(1, 9)], [Err(told()), Err(told())]);
    });
}

#[test]
fn who_is_at_a_fence_is_told_of_the_end() {
    model(|| {
        let locales = Locales::new();
        let other = thread::spawn({
            let locales = locales.clone();
            move || locales.meet(1, None).map(drop)
        });
        locales.end(0, End::Panicked(0));
        let told = || Err(StoreError::Panicked { locale: 0 });
        assert_eq!(other.join().unwrap(), told());
        assert_eq!(locales.0[0].check(), told());
        assert_eq!(locales.operate(0, 1), told());
        assert!(locales.look(0, false, &|| false));
        // What is done is not lost.
        assert_eq!((locales.0[0].go_on(true), locales.0[0].go_on(false)), (Ok(()), told()));
        assert_eq!(locales.meet(0, None).map(drop), told());
        locales.end(1, End::Gone(1));
        assert_eq!([locales.0[0].check(), locales.0[1].check()], [told(), told()]);
    });
}
