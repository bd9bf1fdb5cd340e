//! The cost of stores beside the same work on vectors, and the growth of costs: with pieces, with writes, with images.
//!
//! `cargo bench -p layout-benches --bench store` prints a line for each figure: what was measured, and the limit. Times are the
//! CPU time of the whole process, the best of several rounds; work that grows is compared with itself at another size. Results
//! are compared with those of a loop over vectors. The exit status is 1 if a limit is missed. Words after `--` choose lines:
//! `-- stencil image`.

mod clock;
mod particles;

use std::process::ExitCode;

use clock::{Figures, best_of};
use layout_store::{Runtime, Store, StoreError, bloat, read, update, write};
use support::clock::thread_time;

/// Measures, and prints lines.
type Group = fn(&mut Figures) -> Result<(), StoreError>;
/// From the number of a write, and how many there are, to the element that is written.
type Order = fn(i64, i64) -> i64;

fn main() -> ExitCode {
    let mut figures = Figures::new();
    let groups: [(&str, Group); 5] = [
        ("launches", launches),
        ("tiles", tiles),
        ("piecewise", piecewise),
        ("stencil", stencil),
        ("image", particles::lines),
    ];
    for (name, group) in groups.into_iter().filter(|(name, _)| clock::chosen(name)) {
        if let Err(error) = group(&mut figures) {
            eprintln!("{name}: {error}");
            return ExitCode::FAILURE;
        }
    }
    figures.finish()
}

/// Tasks that do nothing, and a chain of them.
fn launches(figures: &mut Figures) -> Result<(), StoreError> {
    let rt = Runtime::builder().build()?;
    let count = 20_000;
    let empty = best_of(7, || {
        for _ in 0..count {
            rt.task("empty").launch(|_, ()| ()).unwrap();
        }
        rt.fence().unwrap();
    });
    figures.line("empty independent task", "us", empty.wall * 1e6 / f64::from(count), 0.8);

    let points = best_of(7, || {
        rt.task("empty").over([i64::from(count)]).unwrap().launch(|_, ()| ()).unwrap();
        rt.fence().unwrap();
    });
    figures.line("point of one launch", "us", points.wall * 1e6 / f64::from(count), f64::INFINITY);

    let small: Store<f64, _> = rt.create(8)?;
    small.fill(0.0)?;
    let links = 1000;
    let chain = best_of(7, || {
        for _ in 0..links {
            rt.task("link").args((update(&small),)).launch(|_, (mut x,)| x.set(0, x.get(0) + 1.0)).unwrap();
        }
        rt.fence().unwrap();
    });
    assert_eq!(small.get([0])?, f64::from(7 * links));
    figures.line("link of a dependent chain", "us", chain.wall * 1e6 / f64::from(links), 1.5);
    Ok(())
}

/// A launch over 64 tiles of two stores, on the thread of the program.
fn tiles(figures: &mut Figures) -> Result<(), StoreError> {
    let rt = Runtime::builder().threads(1).pieces(64).min_chunk(1).build()?;
    let (a, b): (Store<f64, _>, Store<f64, _>) = (rt.create([256, 256])?, rt.create([256, 256])?);
    a.fill(1.0)?;
    b.fill(0.0)?;
    let count = 200;
    let mut least = f64::MAX;
    for _ in 0..15 {
        let before = thread_time();
        for _ in 0..count {
            rt.task("tiles").args((read(&a), update(&b))).align_all().launch(|_, _| ()).unwrap();
        }
        least = least.min((thread_time() - before) / f64::from(count));
        rt.fence()?;
    }
    figures.line("launch over 64 tiles of two stores", "us", least * 1e6, 15.0);
    Ok(())
}

/// Single elements written one by one.
fn piecewise(figures: &mut Figures) -> Result<(), StoreError> {
    const ROUNDS: usize = 7;
    fn median(mut times: Vec<f64>) -> f64 {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }
    let write_all = |count: i64, order: Order| -> Result<f64, StoreError> {
        let rt = Runtime::builder().threads(1).build()?;
        let store: Store<i64, _> = rt.create(count)?;
        let time = best_of(1, || {
            for number in 0..count {
                let at = order(number, count);
                store.slice(0, at, at + 1).and_then(|one| one.fill(at)).unwrap();
            }
            rt.fence().unwrap();
        });
        assert!(store.to_vec()?.into_iter().eq(0..count));
        Ok(time.cpu)
    };
    let orders: [(&str, Order); 3] = [
        ("forwards", |number, _| number),
        ("backwards", |number, count| count - 1 - number),
        // 7919 is prime, and no factor of the counts.
        ("in no order", |number, count| number * 7919 % count),
    ];
    for (name, order) in orders {
        // In each round as many runs of each as take about as long, the short ones on both sides of the long one.
        let (mut each, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let mut few = (0..50).map(|_| write_all(1000, order)).collect::<Result<Vec<f64>, _>>()?;
            let many = write_all(100_000, order)?;
            for _ in 0..50 {
                few.push(write_all(1000, order)?);
            }
            each.push(median(few));
            ratios.push(many / each[each.len() - 1]);
        }
        figures.line(&format!("1000 elements written {name}, each"), "us", median(each) * 1e3, f64::INFINITY);
        figures.line(&format!("100,000 elements written {name} / 1000"), "", median(ratios), 110.0);
    }
    let rt = Runtime::builder().threads(1).build()?;
    for children in [64, 512, 4096] {
        let store: Store<i64, _> = rt.create(8 * children)?;
        let tiles = store.partition_by_tiling([8])?;
        let time = best_of(1, || {
            (0..children).for_each(|color| tiles.child([color]).and_then(|tile| tile.fill(color)).unwrap());
            rt.fence().unwrap();
        });
        figures.line(
            &format!("{children} children written one by one, each"),
            "us",
            time.cpu * 1e6 / children as f64,
            10.0,
        );
    }
    Ok(())
}

/// A stencil of three elements: how its cost for each tile grows with the number of tiles.
fn stencil(figures: &mut Figures) -> Result<(), StoreError> {
    const STEPS: usize = 6;
    let mut by_pieces = Vec::new();
    for pieces in [64, 1024, 4096, 16_384] {
        let rt = Runtime::builder().threads(1).pieces(pieces).min_chunk(1).build()?;
        let extent = 4 * i64::try_from(pieces).unwrap_or(i64::MAX);
        let mut old: Store<i64, _> = rt.create_from_fn(extent, |at| at[0] % 1000)?;
        let mut new: Store<i64, _> = rt.create(extent)?;
        let mut expected = old.to_vec()?;
        let mut steps = 0;
        let time = best_of(6, || {
            for _ in 0..STEPS {
                rt.task("stencil")
                    .args((read(&old), write(&new)))
                    .constrain(|(old, new)| [bloat(new, old, [1], [1])])
                    .launch(|task, (old, mut new)| {
                        let [start] = task.offset(1, 0);
                        for i in 0..new.len() {
                            let at = i + start;
                            let ends = [at.saturating_sub(1), at, (at + 1).min(old.len() - 1)];
                            new.set(i, ends.iter().map(|at| old.get(*at)).sum::<i64>() % 1000);
                        }
                    })
                    .unwrap();
                core::mem::swap(&mut old, &mut new);
                steps += 1;
            }
            rt.fence().unwrap();
        });
        for _ in 0..steps {
            let last = expected.len() - 1;
            let at = |i: usize| expected[i.saturating_sub(1)] + expected[i] + expected[(i + 1).min(last)];
            expected = (0..=last).map(|i| at(i) % 1000).collect();
        }
        assert_eq!(old.to_vec()?, expected);
        let each = time.cpu * 1e6 / (STEPS * pieces) as f64;
        figures.line(&format!("stencil at {pieces} pieces, a tile"), "us", each, f64::INFINITY);
        by_pieces.push(each);
    }
    figures.line("stencil at 16,384 pieces / 64", "", by_pieces[3] / by_pieces[0], 1.5);
    Ok(())
}
