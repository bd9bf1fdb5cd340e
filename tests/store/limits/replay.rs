//! Launches in a loop take the plans of the launches before, and allocate nothing but their bodies.

use layout_store::{Dim, Runtime, Store, StoreError, align, bloat, read, write};

use crate::{ALLOCATOR, alone};

type Line = Store<f64, Dim<1>>;

/// Does a step of a loop, in which each store has its turn, and says how many allocations each launch made on this thread.
type Step = fn(&Runtime, &[Line; 3]) -> Result<Vec<usize>, StoreError>;

fn counted<T>(launch: impl FnOnce() -> Result<T, StoreError>) -> Result<usize, StoreError> {
    let before = ALLOCATOR.here();
    let launched = launch()?;
    let allocated = ALLOCATOR.here() - before;
    drop(launched);
    Ok(allocated)
}

fn stencil(rt: &Runtime, from: &Line, to: &Line) -> Result<usize, StoreError> {
    counted(|| {
        let task = rt.task("stencil").args((read(from), write(to)));
        task.constrain(|(from, to)| [bloat(to, from, [1], [1])]).launch(|_, (_, mut to)| to.fill(1.0))
    })
}

/// A stencil, and its values back.
fn back(rt: &Runtime, [a, b, _]: &[Line; 3]) -> Result<Vec<usize>, StoreError> {
    let step = stencil(rt, a, b)?;
    let back = counted(|| {
        let task = rt.task("back").args((write(a), read(b))).constrain(|(a, b)| [align(a, b)]);
        task.launch(|_, (mut a, _)| a.fill(1.0))
    })?;
    Ok(vec![step, back])
}

/// From one store to the other, and from there to the first one.
fn ping_pong(rt: &Runtime, [a, b, _]: &[Line; 3]) -> Result<Vec<usize>, StoreError> {
    Ok(vec![stencil(rt, a, b)?, stencil(rt, b, a)?])
}

/// The next values from the last ones and those before.
fn leapfrog(rt: &Runtime, stores: &[Line; 3]) -> Result<Vec<usize>, StoreError> {
    let launch = |step: usize| {
        let [old, now, new] = [0, 1, 2].map(|at| &stores[(step + at) % 3]);
        counted(|| {
            let task = rt.task("leapfrog").args((read(old), read(now), write(new)));
            let task = task.constrain(|(old, now, new)| [align(old, new), bloat(new, now, [1], [1])]);
            task.launch(|_, (_, _, mut new)| new.fill(1.0))
        })
    };
    (0..3).map(launch).collect()
}

/// Of each locale the allocations of each launch after three steps, and how many of those launches were planned.
fn run(step: Step, locales: usize, profile: bool) -> Vec<(Vec<usize>, usize)> {
    let builder = Runtime::builder().locales(locales).threads(1).pieces(8).min_chunk(1).whole_below(0).profile(profile);
    let run = builder.run(|rt| {
        let stores = [rt.create(64)?, rt.create(64)?, rt.create(64)?];
        stores.iter().try_for_each(|store: &Line| store.fill(1.0))?;
        // The list of the last operations is full then.
        (0..1100).try_for_each(|_| rt.fence())?;
        let planned = || rt.profile().entries().iter().map(|entry| entry.planned).sum::<usize>();
        let (mut launches, mut first) = (Vec::new(), 0);
        for number in 0..40 {
            if number == 3 {
                (launches, first) = (Vec::new(), planned());
            }
            launches.extend(step(rt, &stores)?);
            rt.fence()?;
        }
        assert_eq!(first > 0, profile, "the first steps are planned");
        Ok((launches, planned() - first))
    });
    run.unwrap().into_iter().collect::<Result<_, StoreError>>().unwrap()
}

#[test]
fn a_loop_plans_its_first_steps_and_no_other() {
    let _alone = alone();
    let loops = [("stencil and back", back as Step), ("ping-pong", ping_pong), ("leapfrog", leapfrog)];
    for (name, step) in loops {
        for locales in [1, 2, 4] {
            for (locale, (_, planned)) in run(step, locales, true).into_iter().enumerate() {
                assert_eq!(planned, 0, "{name}: launches that were planned on locale {locale} of {locales}");
            }
            for (locale, (counts, _)) in run(step, locales, false).into_iter().enumerate() {
                // The body of the points, that of the messages, and a job of the pool of threads.
                let most = 2 + usize::from(locales > 1);
                // A launch that finds all nodes in use, or without room for its followers, makes some, which stay.
                let more = counts.iter().filter(|count| **count > most).count();
                println!(
                    "{name}, locale {locale} of {locales}: {:?} allocations a launch, {more} made more",
                    counts.iter().min()
                );
                assert!(more <= counts.len() / 4, "{name}: {counts:?} on locale {locale} of {locales}");
            }
        }
    }
}
