//! Launches in a loop take the plans of the launches before, and their memory: bodies, nodes and messages. Counted is all but the
//! jobs of rayon, by which a thread without work is woken.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use layout_store::{Dim, Runtime, Store, StoreError, align, bloat, read, write};

use crate::{ALLOCATOR, alone};

type Line = Store<f64, Dim<1>>;
type Grid = Store<f64, Dim<2>>;

/// The stores of a loop.
struct Stores {
    lines: [Line; 3],
    grids: [Grid; 2],
}

/// Does a step of a loop, in which each store has its turn, and says how many allocations each launch made on this thread.
type Step = fn(&Runtime, &Stores) -> Result<Vec<usize>, StoreError>;

fn counted<T>(launch: impl FnOnce() -> Result<T, StoreError>) -> Result<usize, StoreError> {
    let before = ALLOCATOR.here_but_apart();
    let launched = launch()?;
    let allocated = ALLOCATOR.here_but_apart() - before;
    drop(launched);
    Ok(allocated)
}

/// The sizes of what rayon allocates to start a job: a box of what the job is, and now and then a block of the queue of all jobs.
/// A thread of the pool that nobody needs any more goes to sleep, so that a launch starts a job whenever there was nothing to do.
fn sizes_of_jobs() -> Vec<usize> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (mut job, mut block) = (0, 0);
    for _ in 0..500 {
        // A job of the store has one handle.
        let handle = Arc::new(());
        let before = ALLOCATOR.so_far();
        pool.spawn(move || drop(handle));
        let after = ALLOCATOR.so_far();
        match after.0 - before.0 {
            1 => job = after.1 - before.1,
            2 => block = after.1 - before.1 - job,
            // The thread of the pool has only just begun.
            _ => {}
        }
    }
    assert!(0 < job && job < block, "a job of {job} bytes, a block of {block}");
    vec![job, block]
}

fn stencil(rt: &Runtime, from: &Line, to: &Line) -> Result<usize, StoreError> {
    counted(|| {
        let task = rt.task("stencil").args((read(from), write(to)));
        task.constrain(|(from, to)| [bloat(to, from, [1], [1])]).launch(|_, (_, mut to)| to.fill(1.0))
    })
}

/// A stencil, and its values back.
fn back(rt: &Runtime, stores: &Stores) -> Result<Vec<usize>, StoreError> {
    let [a, b, _] = &stores.lines;
    let step = stencil(rt, a, b)?;
    let back = counted(|| {
        let task = rt.task("back").args((write(a), read(b))).constrain(|(a, b)| [align(a, b)]);
        task.launch(|_, (mut a, _)| a.fill(1.0))
    })?;
    Ok(vec![step, back])
}

/// From one store to the other, and from there to the first one.
fn ping_pong(rt: &Runtime, stores: &Stores) -> Result<Vec<usize>, StoreError> {
    let [a, b, _] = &stores.lines;
    Ok(vec![stencil(rt, a, b)?, stencil(rt, b, a)?])
}

/// The next values from the last ones and those before.
fn leapfrog(rt: &Runtime, stores: &Stores) -> Result<Vec<usize>, StoreError> {
    let launch = |step: usize| {
        let [old, now, new] = [0, 1, 2].map(|at| &stores.lines[(step + at) % 3]);
        counted(|| {
            let task = rt.task("leapfrog").args((read(old), read(now), write(new)));
            let task = task.constrain(|(old, now, new)| [align(old, new), bloat(new, now, [1], [1])]);
            task.launch(|_, (_, _, mut new)| new.fill(1.0))
        })
    };
    (0..3).map(launch).collect()
}

/// A stencil of nine, from one store to the other, and back.
fn grids(rt: &Runtime, stores: &Stores) -> Result<Vec<usize>, StoreError> {
    let [a, b] = &stores.grids;
    let launch = |(from, to): (&Grid, &Grid)| {
        counted(|| {
            let task = rt.task("grids").args((read(from), write(to)));
            task.constrain(|(from, to)| [bloat(to, from, [1, 1], [1, 1])]).launch(|_, (_, mut to)| to.fill(1.0))
        })
    };
    [(a, b), (b, a)].into_iter().map(launch).collect()
}

/// The counts of a loop on one locale.
struct Counts {
    /// The allocations of each launch on the thread of the program, step by step.
    launches: Vec<Vec<usize>>,
    /// Those of each step on the other thread.
    steps: Vec<usize>,
    /// The number of launches that were planned after the first steps.
    planned: usize,
    /// The number of messages that the locale sent in the last step.
    messages: u64,
}

const STEPS: usize = 40;
/// After so many steps nothing is planned.
const PLANNED: usize = 3;
/// After so many steps all memory is there that launches use again and again: lists of uses are longest just before they are shortened, which
/// is after twice as many uses each time.
const FILLED: usize = 10;

fn run(step: Step, locales: usize, profile: bool) -> Vec<Counts> {
    let builder = Runtime::builder().locales(locales).threads(1).pieces(16).min_chunk(1);
    let run = builder.whole_below(0).profile(profile).simulate(|rt| {
        let stores = Stores {
            lines: [rt.create(64)?, rt.create(64)?, rt.create(64)?],
            grids: [rt.create([32, 32])?, rt.create([32, 32])?],
        };
        stores.lines.iter().try_for_each(|store| store.fill(1.0))?;
        stores.grids.iter().try_for_each(|store| store.fill(1.0))?;
        // The list of the last operations is full then.
        (0..1100).try_for_each(|_| rt.fence())?;
        let planned = || rt.profile().entries().iter().map(|entry| entry.planned).sum::<usize>();
        // Keeps the other thread of this locale until all of a step is launched: so each step finds nodes done and not done
        // alike. Takes note of what that thread allocated so far.
        let (gate, there) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
        let everywhere = i64::try_from(locales).unwrap_or(1);
        let (mut launches, mut allocated, mut first, mut messages) = (Vec::new(), Vec::new(), 0, 0);
        for number in 0..=STEPS {
            let (held, note) = (gate.clone(), there.clone());
            rt.task("gate").over([everywhere])?.launch(move |_, ()| {
                note.store(ALLOCATOR.here_but_apart(), Ordering::Relaxed);
                held.wait();
                held.wait();
            })?;
            gate.wait();
            allocated.push(there.load(Ordering::Relaxed));
            if number == PLANNED {
                first = planned();
            }
            let sent = rt.traffic().messages;
            launches.push(step(rt, &stores)?);
            gate.wait();
            rt.fence()?;
            messages = rt.traffic().messages - sent;
        }
        assert_eq!(first > 0, profile, "the first steps are planned");
        let steps = allocated.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Ok(Counts { launches, steps, planned: planned() - first, messages })
    });
    run.unwrap().into_iter().collect::<Result<_, StoreError>>().unwrap()
}

#[test]
fn a_loop_plans_its_first_steps_and_allocates_in_no_other() {
    let _alone = alone();
    ALLOCATOR.set_apart(&sizes_of_jobs());
    let loops =
        [("stencil and back", back as Step), ("ping-pong", ping_pong), ("leapfrog", leapfrog), ("grids", grids)];
    for (name, step) in loops {
        for locales in [1, 2, 4] {
            for (locale, counts) in run(step, locales, true).into_iter().enumerate() {
                assert_eq!(counts.planned, 0, "{name}: launches that were planned on locale {locale} of {locales}");
            }
            for (locale, Counts { launches, steps, messages, .. }) in run(step, locales, false).into_iter().enumerate()
            {
                let where_run = format!("{name}, locale {locale} of {locales}");
                println!("{where_run}: {:?} allocations by launches", &launches[..FILLED]);
                let later: usize = launches[FILLED..].iter().flatten().sum();
                // The boxes in messages: of the grids, those of ten pairs of tiles travel in two messages.
                let most = usize::try_from(messages).unwrap_or(0) * if name == "grids" { 5 } else { 1 };
                // Of nine neighbors a node of a message, of which there are several in a pool, may have many followers for the
                // first time in any step: room for them stays with the node.
                let rooms = if name == "grids" { most } else { 0 };
                assert!(later <= rooms, "{where_run}: {launches:?}");
                // In all steps: memory of messages, where more of them are under way than ever before, a list and its box each.
                let there: usize = steps[FILLED..].iter().sum();
                assert!(there <= 2 * most, "{where_run}: {steps:?} on the other thread, {most} boxes a step");
            }
        }
    }
}
