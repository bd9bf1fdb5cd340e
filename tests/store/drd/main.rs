//! A small run of all that threads do together, for valgrind's DRD: see `ci/sanitizers.sh`. Without it, a test like any other;
//! without the harness, whose own threads DRD does not understand. With `--race`, a race that DRD must find.

use core::cell::UnsafeCell;

use layout_store::{
    ImageHint, Runtime, Store, StoreError, Sum, TaskBodyError, Unbound, align, bloat, broadcast, emit, image, read,
    reduce, update, write,
};
use support::locales::on_locales;

/// Launches that wait for one another, on one locale or on one of several.
fn program(rt: &Runtime) -> Result<(), StoreError> {
    let old: Store<i64, _> = rt.create_from_fn(24, |at| at[0])?;
    let new: Store<i64, _> = rt.create(24)?;
    for _ in 0..4 {
        rt.task("smooth").args((read(&old), write(&new))).constrain(|(old, new)| [bloat(new, old, [1], [1])]).launch(
            |task, (old, mut new)| {
                let [start] = task.offset(1, 0);
                for i in 0..new.len() {
                    let at = i + start;
                    new.set(i, (at.saturating_sub(1)..(at + 2).min(old.len())).map(|k| old.get(k)).sum());
                }
            },
        )?;
        rt.task("back").args((read(&new), write(&old))).align_all().launch(|_, (new, mut old)| {
            (0..old.len()).for_each(|i| old.set(i, new.get(i) % 1009));
        })?;
    }
    let which: Store<i64, _> = rt.create_from_fn(24, |at| (at[0] * 7) % 24)?;
    rt.task("pick")
        .args((read(&old), read(&which), write(&new)))
        .constrain(|(old, which, new)| [align(which, new), image(which, old, ImageHint::MinMax)])
        .launch(|task, (old, which, mut new)| {
            let start = task.rect(0).lo()[0];
            (0..new.len()).try_for_each(|i| {
                new.set(i, old.get(usize::try_from(which.get(i) - start)?));
                Ok(())
            })
        })?;
    // The program, in between.
    new.update(|mut view| view.set(0, 0))?;
    let bins: Store<i64, _> = rt.create(4)?;
    bins.fill(0)?;
    rt.task("count").args((read(&new), reduce(&bins, Sum))).constrain(|(_, bins)| [broadcast(bins)]).launch(
        |_, (new, mut bins)| {
            new.values().try_for_each(|value| {
                bins.reduce(usize::try_from(value.rem_euclid(4))?, 1);
                Ok(())
            })
        },
    )?;
    let large: Unbound<i64> = rt.unbound();
    rt.task("choose").args((read(&new), emit(&large))).launch(|_, (new, mut large)| {
        large.extend(new.values().filter(|value| value % 2 == 0));
    })?;
    let sum = rt.task("sum").args((read(&new),)).reduce(Sum, |_, (new,)| Ok(new.values().sum::<i64>()))?;
    assert_eq!(bins.to_vec()?.iter().sum::<i64>(), 24);
    assert_eq!(new.to_vec()?.iter().sum::<i64>(), sum.get()?);
    assert!(large.store()?.volume() <= 24);
    // Some fail, and what follows heals.
    rt.task("doomed").args((update(&old),)).launch(|task, (_,)| match task.point()[0] {
        1 => Err(TaskBodyError::new("out of luck")),
        _ => Ok(()),
    })?;
    assert!(rt.fence().is_err());
    old.fill(1)?;
    assert_eq!(old.to_vec()?, [1; 24]);
    Ok(())
}

/// A race in `unordered` that DRD must find, so that its silence means something.
fn race() {
    struct Shared(UnsafeCell<u64>);
    // SAFETY: none. It is the one thing that must not be done.
    unsafe impl Sync for Shared {}

    #[inline(never)]
    fn unordered(shared: &Shared) {
        // SAFETY: none, as above.
        unsafe { shared.0.get().write_volatile(1) };
    }

    // DRD does not look at stacks.
    let shared = Box::new(Shared(UnsafeCell::new(0)));
    std::thread::scope(|scope| {
        scope.spawn(|| unordered(&shared));
        scope.spawn(|| unordered(&shared));
    });
}

fn main() -> Result<(), StoreError> {
    if std::env::args().any(|argument| argument == "--race") {
        race();
        return Ok(());
    }
    for locales in [1, 2] {
        let builder = Runtime::builder().locales(locales).threads(2).pieces(4).min_chunk(1);
        let programs = on_locales(builder, (), |rt, ()| program(rt))?;
        programs.into_iter().collect::<Result<Vec<_>, _>>()?;
    }
    Ok(())
}
