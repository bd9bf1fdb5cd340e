//! Walks on two threads beside rayon over the same memory by hand, and beside one thread.
//!
//! `cargo bench --bench parallel` prints a line for each class: wall-clock time divided by that of the reference, the
//! reference divided by itself (A/A), and the limit. Results are compared first. The exit status is 1 if a limit is missed.
//! Words after `--` choose classes: `-- SoA 16384`.

#[expect(dead_code, reason = "the kernels of the n-body example are shared, and they are timed elsewhere")]
#[path = "../examples/nbody/kernels.rs"]
mod kernels;
#[expect(dead_code, reason = "the kernels of the peers are shared, and they are timed elsewhere")]
#[path = "kernels/peers.rs"]
mod peers;
#[path = "kernels/table.rs"]
mod table;

use core::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use kernels::{Particle, TIME_STEP};
use layout::author::Apart;
use layout::blob::Heap;
use layout::{AoS, AoSoA, DynExtents, Mapped, RecordLayout, Region, SoA, View, alloc_from_fn, zip};
use peers::{leaves, particles};
use rayon::ThreadPool;
use rayon::prelude::*;
use table::Table;
use wide::f32x16;

/// By rayon over the same memory, and where a walk is too short to be shared, by one thread.
const LIMIT: f64 = 1.10;

/// A walk of one or two microseconds looks at the clock twice, which takes a tenth of one.
const SHORT: f64 = 1.20;

/// Rayon hands parts of an iterator to other threads, however short they are.
const ITERATOR: f64 = 2.0;

/// Iterators that rayon zips go from element to element: `Zip` of the standard library asks both for the next one. That is
/// vectorized over columns only; and rayon hands parts to other threads, however short they are.
const RAYONS_ZIP: f64 = 2.0;
const RAYONS_ZIP_OF_BLOCKS: f64 = 8.5;

type Line<L> = View<Mapped<Particle, DynExtents<1>, L>, Region<Heap>>;

/// The lanes of a block by hand.
const L: usize = 16;

type Block = [[f32; L]; 7];

fn step(at: f32, velocity: f32) -> f32 {
    at + velocity * TIME_STEP
}

fn advance<N: RecordLayout<Particle, Sharing = Apart>>(view: &mut Line<N>, threads: bool) {
    macro_rules! kernel {
        () => {
            |mut p| {
                p.pos.x += p.vel.x.get() * TIME_STEP;
                p.pos.y += p.vel.y.get() * TIME_STEP;
                p.pos.z += p.vel.z.get() * TIME_STEP;
            }
        };
    }
    if threads { view.par_for_each_mut(kernel!()) } else { view.for_each_mut(kernel!()) }
}

fn advance_structs(all: &mut Vec<Particle>) {
    all.par_iter_mut().for_each(|p| {
        p.pos.x = step(p.pos.x, p.vel.x);
        p.pos.y = step(p.pos.y, p.vel.y);
        p.pos.z = step(p.pos.z, p.vel.z);
    });
}

fn advance_columns([x, y, z, vx, vy, vz, _]: &mut [Vec<f32>; 7]) {
    let velocities = vx.par_iter().zip(&*vy).zip(&*vz);
    x.par_iter_mut().zip(y).zip(z).zip(velocities).for_each(|(((x, y), z), ((vx, vy), vz))| {
        *x = step(*x, *vx);
        *y = step(*y, *vy);
        *z = step(*z, *vz);
    });
}

fn advance_blocks(blocks: &mut Vec<Block>) {
    blocks.par_iter_mut().for_each(|[x, y, z, vx, vy, vz, _]| {
        for (at, velocity) in [(x, vx), (y, vy), (z, vz)] {
            // The compiler alone packs this across blocks, with gathers and scatters: 17 times as long.
            let moved = (f32x16::new(*at) + f32x16::new(*velocity) * f32x16::splat(TIME_STEP)).to_array();
            *at = moved;
        }
    });
}

/// Wall-clock time of so many calls.
fn wall(times: usize, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..times).for_each(|_| call());
    start.elapsed().as_secs_f64()
}

/// A view's walk beside a walk by hand, from a pool of two threads, called from within the pool and from outside.
fn beside<N, H>(
    table: &mut Table,
    pool: &ThreadPool,
    layout: &str,
    from: &[Particle],
    mut hand: H,
    by_hand: fn(&mut H),
    first: fn(&H) -> f32,
) where
    N: RecordLayout<Particle, Sharing = Apart> + Default,
    H: Send,
{
    let mut view: Line<N> = alloc_from_fn(from.len(), |[i]| from[i]).expect("memory for the particles");
    let mut serial = view.clone();
    pool.install(|| {
        advance(&mut view, true);
        advance(&mut serial, false);
        by_hand(&mut hand);
    });
    assert!(view == serial && view.at(0).pos.x.get() == first(&hand), "{layout}: not the same particles");
    let count = from.len();
    let name = format!("par_for_each_mut, {layout} by rayon, {count}");
    if table.wants(&name) {
        pool.install(|| {
            table.timed(&name, LIMIT, |candidate, times| {
                if candidate == 0 {
                    wall(times, || advance(black_box(&mut view), true))
                } else {
                    wall(times, || by_hand(black_box(&mut hand)))
                }
            });
        });
    }
    let name = format!("par_for_each_mut, {layout} by one thread, {count}");
    if count <= 1 << 14 && table.wants(&name) {
        pool.install(|| {
            table.timed(&name, SHORT, |candidate, times| wall(times, || advance(black_box(&mut view), candidate == 0)));
        });
    }
}

type Numbers<L> = View<Mapped<f32, DynExtents<1>, L>, Region<Heap>>;

/// A way to walk two views together.
#[derive(Clone, Copy)]
enum Walk {
    Each,
    Masked,
    Iterator,
    RayonsZip,
}

/// A third of one view added to the other.
fn add<N, K>(walk: Walk, threads: bool, from: &Numbers<N>, to: &mut Numbers<K>)
where
    N: RecordLayout<f32, Sharing = Apart>,
    K: RecordLayout<f32, Sharing = Apart>,
{
    match (walk, threads) {
        (Walk::Each, true) => zip((from, to)).par_for_each(|(from, mut to)| to += from.get() / 3.0),
        (Walk::Iterator, true) => zip((from, to)).par_iter().for_each(|(from, mut to)| to += from.get() / 3.0),
        (Walk::Each | Walk::Iterator | Walk::RayonsZip, false) => {
            zip((from, to)).for_each(|(from, mut to)| to += from.get() / 3.0);
        }
        (Walk::Masked, true) => {
            zip((from, to)).par_for_each_lanes_masked::<16>(|(from, mut to), _| to += from.get() / 3.0);
        }
        (Walk::Masked, false) => {
            zip((from, to)).for_each_lanes_masked::<16>(|(from, mut to), _| to += from.get() / 3.0);
        }
        (Walk::RayonsZip, true) => {
            to.par_iter_mut().zip(from.par_iter()).for_each(|(mut to, from)| to += from.get() / 3.0);
        }
    }
}

/// Two views together, beside one thread and beside rayon over columns.
fn together<N, K>(table: &mut Table, pool: &ThreadPool, layouts: &str, count: usize, columns: bool)
where
    N: RecordLayout<f32, Sharing = Apart> + Default,
    K: RecordLayout<f32, Sharing = Apart> + Default,
{
    let from: Numbers<N> = alloc_from_fn(count, |[i]| (i % 1000) as f32).expect("memory");
    let zero = || alloc_from_fn::<f32, K, _>(count, |_| 0.0).expect("memory");
    let source: Vec<f32> = from.values().collect();
    for (walk, limit, name) in [
        (Walk::Each, LIMIT, "zip, par_for_each"),
        (Walk::Masked, LIMIT, "zip, par_for_each_lanes_masked"),
        (Walk::Iterator, ITERATOR, "zip, par_iter"),
        (Walk::RayonsZip, if columns { RAYONS_ZIP } else { RAYONS_ZIP_OF_BLOCKS }, "par_iter_mut().zip(par_iter())"),
    ] {
        let (mut to, mut serial, mut target) = (zero(), zero(), vec![0.0_f32; count]);
        let by_rayon = |target: &mut Vec<f32>| {
            target.par_iter_mut().zip(&source).for_each(|(to, from)| *to += from / 3.0);
        };
        pool.install(|| {
            add(walk, true, &from, &mut to);
            add(walk, false, &from, &mut serial);
            by_rayon(&mut target);
        });
        assert!(to == serial && to.values().eq(target.iter().copied()), "{name}, {layouts}: not the same numbers");
        let named = format!("{name}, {layouts} by one thread, {count}");
        let limit = if count <= 1 << 14 { f64::max(limit, SHORT) } else { limit };
        if table.wants(&named) {
            pool.install(|| {
                table.timed(&named, limit, |candidate, times| {
                    wall(times, || add(walk, candidate == 0, black_box(&from), black_box(&mut to)))
                });
            });
        }
        let named = format!("{name}, {layouts} by rayon, {count}");
        if columns && matches!(walk, Walk::Each | Walk::RayonsZip) && table.wants(&named) {
            pool.install(|| {
                table.timed(&named, LIMIT, |candidate, times| match candidate {
                    0 => wall(times, || add(walk, true, black_box(&from), black_box(&mut to))),
                    _ => wall(times, || by_rayon(black_box(&mut target))),
                });
            });
        }
    }
}

/// A copy on two threads, beside one thread.
fn copy<N, K>(table: &mut Table, pool: &ThreadPool, layouts: &str, from: &[Particle])
where
    N: RecordLayout<Particle, Sharing = Apart> + Default,
    K: RecordLayout<Particle, Sharing = Apart> + Default,
{
    let count = from.len();
    let name = format!("par_copy_from, {layouts} by one thread, {count}");
    let source: Line<N> = alloc_from_fn(count, |[i]| from[i]).expect("memory for the particles");
    let mut target: Line<K> = alloc_from_fn(count, |_| Particle::default()).expect("memory for the particles");
    pool.install(|| target.par_copy_from(&source)).expect("equal extents");
    assert!(target == source, "{name}: not the same particles");
    if table.wants(&name) {
        let limit = if count <= 1 << 14 { SHORT } else { LIMIT };
        pool.install(|| {
            table.timed(&name, limit, |candidate, times| {
                let (target, source) = (black_box(&mut target), black_box(&source));
                wall(times, || {
                    let copied = if candidate == 0 { target.par_copy_from(source) } else { target.copy_from(source) };
                    copied.expect("equal extents");
                })
            });
        });
    }
}

fn main() -> ExitCode {
    let mut table = Table::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    for count in if table.times() { [1 << 14, 1 << 20, 1 << 24] } else { [100, 1000, 10_000] } {
        let from = &particles(count)[..];
        beside::<AoS, _>(&mut table, &pool, "AoS", from, from.to_vec(), advance_structs, |all| all[0].pos.x);
        let columns = core::array::from_fn(|leaf| from.iter().map(|p| leaves(p)[leaf]).collect());
        beside::<SoA, _>(&mut table, &pool, "SoA", from, columns, advance_columns, |columns| columns[0][0]);
        let blocks: Vec<Block> = from
            .chunks(L)
            .map(|chunk| {
                core::array::from_fn(|leaf| core::array::from_fn(|k| chunk.get(k).map_or(0.0, |p| leaves(p)[leaf])))
            })
            .collect();
        beside::<AoSoA<L>, _>(&mut table, &pool, "AoSoA16", from, blocks, advance_blocks, |blocks| blocks[0][0][0]);
        copy::<SoA, SoA>(&mut table, &pool, "SoA to SoA", from);
        copy::<AoS, SoA>(&mut table, &pool, "AoS to SoA", from);
        copy::<AoSoA<L>, AoS>(&mut table, &pool, "AoSoA16 to AoS", from);
        together::<SoA, SoA>(&mut table, &pool, "SoA and SoA", count, true);
        together::<SoA, AoSoA<8>>(&mut table, &pool, "SoA and AoSoA8", count, false);
    }
    table.end()
}
