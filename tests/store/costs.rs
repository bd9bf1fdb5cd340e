//! The growth of costs: with the number of writes, and with the number of tiles. Limits are several times the expected cost, and a
//! fraction of what work for each pair would take.

use layout_store::{Runtime, Store, bloat, read, write};
use support::clock::thread_time;
use support::profiled::profiles;

/// The least CPU time of three rounds on this thread.
fn least(mut work: impl FnMut()) -> f64 {
    let round = || {
        let start = thread_time();
        work();
        thread_time() - start
    };
    core::iter::repeat_with(round).take(3).fold(f64::MAX, f64::min)
}

#[test]
fn single_elements_are_written_in_linear_time() {
    let write_all = |count: i64| {
        least(|| {
            let rt = Runtime::builder().threads(1).build().unwrap();
            let store: Store<i64, _> = rt.create(count).unwrap();
            for number in 0..count {
                let at = number * 7919 % count;
                store.slice(0, at, at + 1).unwrap().fill(at).unwrap();
            }
            assert!(store.to_vec().unwrap().into_iter().eq(0..count));
        })
    };
    let (few, many) = (write_all(500), write_all(8000));
    assert!(many < 64.0 * few, "500 elements take {few} s, and 16 times as many {many} s");
}

#[test]
fn a_tile_of_a_stencil_costs_the_same_among_few_and_many() {
    let tile = |pieces: i64| {
        let rt = Runtime::builder().threads(1).pieces(usize::try_from(pieces).unwrap()).min_chunk(1).build().unwrap();
        let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(4 * pieces).unwrap(), rt.create(4 * pieces).unwrap());
        a.fill(1).unwrap();
        let time = least(|| {
            for (old, new) in [(&a, &b), (&b, &a)] {
                rt.task("stencil")
                    .args((read(old), write(new)))
                    .constrain(|(old, new)| [bloat(new, old, [1], [1])])
                    .launch(|_, (_, mut new)| new.fill(1))
                    .unwrap();
            }
            rt.fence().unwrap();
        });
        time / pieces as f64
    };
    let (few, many) = (tile(64), tile(4096));
    assert!(many < 4.0 * few, "a tile takes {few} s among 64, and {many} s among 4096");
}

#[test]
fn a_profile_accounts_for_all_the_time() {
    for profile in profiles(20_000) {
        let times = profile.times();
        assert_eq!(times.program + times.plan + times.image + times.wait, times.wall, "{profile}");
        assert_eq!(times.body + times.exchange + times.combine + times.idle, times.wall, "{profile}");
        let rows = [times.plan, times.image, times.wait, times.body, times.exchange, times.combine];
        assert!(rows.iter().all(|row| !row.is_zero()), "{profile}");
        // The program launches and waits, and fills a store of its own before.
        assert!(times.program < times.wall / 2, "{profile}");
        let bodies: core::time::Duration = profile.entries().iter().map(|entry| entry.busy).sum();
        assert!(bodies <= times.body, "{profile}");
    }
}

#[test]
fn a_profile_counts_the_threads() {
    for threads in [1, 3] {
        let rt = layout_store::Runtime::builder().threads(threads).profile(true).build().unwrap();
        rt.fence().unwrap();
        let profile = rt.profile();
        let times = profile.times();
        assert_eq!(times.threads, threads);
        let all = times.wall * u32::try_from(threads).unwrap();
        assert_eq!(times.body + times.exchange + times.combine + times.idle, all, "{profile}");
    }
}
