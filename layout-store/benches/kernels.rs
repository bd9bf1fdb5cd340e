//! Kernels through tasks beside the same loops without: axpy and a stencil beside rayon, particles in three layouts beside
//! views.
//!
//! `cargo bench -p layout-store --bench kernels`. Candidates take turns on the same memory: on memory of their own the same
//! code differs by up to 10 %, from one run to the next, by where the pages are. The loop without tasks takes two turns, and
//! what it seems to differ from itself (A/A) is what the machine adds. Wall time says what a user waits for, CPU time of all
//! threads together is what holds on a machine that is shared. Results are checked.

#[expect(dead_code, reason = "the n-body example uses them all")]
#[path = "../../examples/nbody/kernels.rs"]
mod kernels;
#[expect(dead_code, reason = "shared with the n-body example")]
#[path = "../../examples/nbody/timing.rs"]
mod timing;

use core::hint::black_box;
use std::time::Instant;

use kernels::{Particle, Vec3, move_loop, update_loop};
use layout::{AoS, AoSoA, ArrayExtents, Dim, Dyn, Mapped, RecordLayout, Region, SoA, View, zip};
use layout_store::{DimOrdering, Point, Runtime, Store, TileMut, bloat, broadcast_axes, dense, read, update, write};
use rayon::ThreadPool;
use rayon::prelude::*;
use timing::{ratio, take_turns};

/// Grids have so many points along each side.
const N: usize = 4096;
/// Vectors have so many elements.
const LENGTH: i64 = 1 << 24;
/// So many particles are moved, and so many updated.
const MOVED: usize = 1 << 20;
const UPDATED: usize = 1 << 11;
const ROUNDS: usize = 21;
/// Particles are worked on so often before somebody waits.
const STEPS: usize = 8;

/// The CPU time of all threads so far, in seconds.
fn process_time() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the given time and to nothing else.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut now) };
    assert_eq!(failed, 0, "this system has no clock for the CPU time of a process");
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Wall time and CPU time of some work, in seconds.
fn timed(work: impl FnOnce()) -> [f64; 2] {
    let (start, cpu) = (Instant::now(), process_time());
    work();
    [start.elapsed().as_secs_f64(), process_time() - cpu]
}

/// Prints how long turns without tasks take, as a multiple of those with tasks. `turn` is told whether to use tasks.
fn compare(name: &str, mut turn: impl FnMut(bool) -> [f64; 2]) {
    let mut walls = vec![Vec::new(); 3];
    let cpus = take_turns(
        3,
        ROUNDS,
        |_, candidate| {
            let [wall, cpu] = turn(candidate == 0);
            walls[candidate].push(wall);
            cpu
        },
        || (),
    );
    let ratios = |times: &[Vec<f64>]| (ratio(&times[1], &times[0]), ratio(&times[1], &times[2]));
    let ((wall, wall_aa), (cpu, cpu_aa)) = (ratios(&walls), ratios(&cpus));
    println!("{name:36} plain / tasks: wall {wall:.3} (A/A {wall_aa:.3}), CPU {cpu:.3} (A/A {cpu_aa:.3})");
}

/// The inner points of some rows of the target, from one row more on both sides of the source; of a grid that is `n` wide.
#[inline(always)]
fn stencil_rows(n: usize, source: &[f64], target: &mut [f64]) {
    for (i, to) in target.chunks_exact_mut(n).enumerate() {
        let row = |k: usize| &source[(i + k) * n..][..n];
        let (above, here, below, to) = (row(0), row(1), row(2), &mut to[..n]);
        for j in 1..n - 1 {
            to[j] = here[j] + 0.2 * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]);
        }
    }
}

/// All inner points by a loop over so many rows a thread.
fn stencil_by_rayon(
    pool: &ThreadPool,
    rows: usize,
    source: &[f64],
    target: &mut [f64],
    part: impl Fn(&[f64], &mut [f64]) + Sync,
) {
    pool.install(|| {
        target[N..(N - 1) * N].par_chunks_mut(rows * N).enumerate().for_each(|(number, target)| {
            part(&source[number * rows * N..][..target.len() + 2 * N], target);
        });
    });
}

fn stencil(threads: usize) -> Result<(), Box<dyn core::error::Error>> {
    let rt = Runtime::builder().threads(threads).build()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let value = |at: Point| ((at[0] * 31 + at[1] * 17) % 97) as f64;
    let extents = [i64::try_from(N)?; 2];
    let old: Store<f64, _> = rt.create_from_fn(extents, value)?;
    let new: Store<f64, _> = rt.create_from_fn(extents, value)?;
    let inside = new.slice(0, 1, -1)?.slice(1, 1, -1)?;
    let rows = (N - 2).div_ceil(threads);
    let tasks = || {
        let task = rt.task("stencil").args((read(&old), write(&inside)));
        let task = task.constrain(|(old, inside)| [bloat(inside, old, [0, 0], [2, 2]), broadcast_axes(inside, [1])]);
        let launched = task.launch(|_, (old, inside)| {
            dense!((old, mut inside) => {
                let [rows, columns] = inside.extents();
                old.assert_extents([rows + 2, columns + 2]);
                for i in 0..rows {
                    for j in 0..columns {
                        let here = old.get([i + 1, j + 1]);
                        let [up, down] = [old.get([i, j + 1]), old.get([i + 2, j + 1])];
                        let [left, right] = [old.get([i + 1, j]), old.get([i + 1, j + 2])];
                        inside.set([i, j], here + 0.2 * (up + down + left + right - 4.0 * here));
                    }
                }
            })
        });
        assert_eq!(launched.unwrap().domain().volume(), i64::try_from(threads).unwrap());
        rt.fence().unwrap();
    };
    // A store's extents are known at run time; a width that is a constant gives the compiler a little more.
    for (width, n) in [("", Some(black_box(N))), (", constant width", None)] {
        compare(&format!("stencil, {threads} threads{width}"), |with_tasks| {
            if with_tasks {
                return timed(tasks);
            }
            let times = old.read(|old| {
                let source = old.as_ref().into_slice().unwrap();
                new.update(|mut new| {
                    let target = new.as_mut().into_mut_slice().unwrap();
                    timed(|| match n {
                        Some(n) => {
                            stencil_by_rayon(&pool, rows, source, target, |source, part| stencil_rows(n, source, part))
                        }
                        None => {
                            stencil_by_rayon(&pool, rows, source, target, |source, part| stencil_rows(N, source, part))
                        }
                    })
                })
            });
            times.unwrap().unwrap()
        });
    }
    inside.fill(0.0)?;
    tasks();
    let (source, mut target) = (old.to_vec()?, old.to_vec()?);
    stencil_by_rayon(&pool, rows, &source, &mut target, |source, part| stencil_rows(N, source, part));
    assert!(new.to_vec()? == target, "the stencil");
    Ok(())
}

/// `y += 2 x`, by the runtime's tiles and by as many chunks.
fn axpy(threads: usize) -> Result<(), Box<dyn core::error::Error>> {
    let rt = Runtime::builder().threads(threads).build()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let x: Store<f64, _> = rt.create(LENGTH)?;
    let y: Store<f64, _> = rt.create(LENGTH)?;
    x.fill(1.0)?;
    y.fill(0.0)?;
    let tasks = || {
        let task = rt.task("axpy").args((read(&x), update(&y))).align_all();
        let launched = task.launch(|_, (x, y)| {
            dense!((x, mut y) => zip((&x, &mut y)).for_each(|(x, mut y)| y += 2.0 * x.get()));
        });
        assert_eq!(launched.unwrap().domain().volume(), i64::try_from(threads).unwrap());
        rt.fence().unwrap();
    };
    let plain = |x: &[f64], y: &mut [f64]| {
        let chunk = y.len().div_ceil(threads);
        pool.install(|| {
            y.par_chunks_mut(chunk).zip(x.par_chunks(chunk)).for_each(|(y, x)| {
                for (y, x) in y.iter_mut().zip(x) {
                    *y += 2.0 * x;
                }
            });
        });
    };
    compare(&format!("axpy, {threads} threads"), |with_tasks| {
        if with_tasks {
            return timed(tasks);
        }
        let times = x.read(|x| {
            let x = x.as_ref().into_slice().unwrap();
            y.update(|mut y| timed(|| plain(x, y.as_mut().into_mut_slice().unwrap())))
        });
        times.unwrap().unwrap()
    });
    assert!(y.to_vec()?.iter().all(|y| *y == (3 * 2 * ROUNDS) as f64), "axpy");
    Ok(())
}

fn particle(k: usize) -> Particle {
    let at = |step: usize| (k * step % 1009) as f32 / 1009.0;
    Particle { pos: Vec3 { x: at(7), y: at(31), z: at(101) }, vel: Vec3 { x: at(3), y: at(5), z: at(11) }, mass: 1.0 }
}

/// A kernel on particles, as a task and on a plain view.
struct Kernel<L: RecordLayout<Particle> + Default> {
    name: &'static str,
    count: usize,
    task: fn(TileMut<'_, Particle, Dim<1>, L>),
    plain: fn(&mut PlainView<'_, L>),
}

type Plain<L> = Mapped<Particle, ArrayExtents<usize, (Dyn,)>, L>;
type PlainView<'a, L> = View<Plain<L>, Region<&'a mut [u8]>>;

fn particles<L: RecordLayout<Particle> + Default>(layout: &str) -> Result<(), Box<dyn core::error::Error>> {
    let kernels: [Kernel<L>; 2] = [
        Kernel {
            name: "move",
            count: MOVED,
            task: |tile| dense!((mut tile) => move_loop(&mut tile)),
            plain: |view| move_loop(view),
        },
        Kernel {
            name: "update",
            count: UPDATED,
            task: |tile| dense!((mut tile) => update_loop(&mut tile, UPDATED)),
            plain: |view| update_loop(view, UPDATED),
        },
    ];
    let rt = Runtime::builder().threads(1).build()?;
    for Kernel { name, count, task, plain } in kernels {
        let mapping: Plain<L> = Mapped::new(ArrayExtents::new([count])?)?;
        let mut memory = vec![0; 64 * count];
        let fill = |memory: &mut Vec<u8>| {
            View::from_bytes(mapping, &mut memory[..]).unwrap().for_each_indexed_mut(|[k], mut p| {
                p.store(particle(k));
            });
        };
        fill(&mut memory);
        compare(&format!("{name}, {layout}"), |with_tasks| {
            if !with_tasks {
                let mut view = View::from_bytes(mapping, &mut memory[..]).unwrap();
                return timed(|| (0..STEPS).for_each(|_| plain(&mut view)));
            }
            let given = core::mem::take(&mut memory);
            let extent = i64::try_from(count).unwrap();
            let attached = rt.attach::<Particle, L, _, _>(extent, &DimOrdering::C, given).unwrap();
            let times = timed(|| {
                for _ in 0..STEPS {
                    rt.task(name).args((update(attached.store()),)).launch(move |_, (tile,)| task(tile)).unwrap();
                }
                rt.fence().unwrap();
            });
            memory = attached.detach().unwrap();
            times
        });
        let mut expected = vec![0; memory.len()];
        fill(&mut expected);
        let mut view = View::from_bytes(mapping, &mut expected[..])?;
        (0..3 * ROUNDS * STEPS).for_each(|_| plain(&mut view));
        assert!(expected == memory, "{name} in {layout}");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    axpy(1)?;
    axpy(2)?;
    stencil(1)?;
    stencil(2)?;
    particles::<AoS>("AoS")?;
    particles::<SoA>("SoA")?;
    particles::<AoSoA<16>>("AoSoA16")?;
    Ok(())
}
