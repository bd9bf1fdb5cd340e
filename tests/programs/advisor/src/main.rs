//! Four kernels whose best layouts are known, and differ. Prints what the advisor says, one kernel after the other.

use core::time::Duration;

use layout::inspect::{Advice, Advisor, Kernel};
use layout::prelude::*;
use layout::choice::layouts;
use layout::composed::Split;
use layout::path;

/// The CPU time of this thread: the tests run beside others.
#[cfg(unix)]
fn thread_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the given time and to nothing else.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    assert_eq!(failed, 0, "this system has no clock for the CPU time of a thread");
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap())
}

fn advisor<S>(layouts: S) -> Advisor<S> {
    let advisor = Advisor::new(layouts).budget(Duration::from_secs(1));
    #[cfg(unix)]
    let advisor = advisor.clock(thread_time);
    advisor
}

fn print(name: &str, advice: &Advice) {
    println!("== {name}\n{advice}\n");
}

// ---- All positions, all velocities; no mass ----

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: Vec3,
    vel: Vec3,
    mass: f32,
}

#[derive(Clone)]
struct Move;

impl Kernel<Particle> for Move {
    fn run<M, B>(&mut self, view: &mut View<M, B>)
    where
        M: Mapping<Record = Particle, Extents = DynExtents<1>>,
        B: BlobsMut,
    {
        view.for_each_mut(|mut p| {
            p.pos.x += p.vel.x.get() * 0.1;
            p.pos.y += p.vel.y.get() * 0.1;
            p.pos.z += p.vel.z.get() * 0.1;
        });
    }
}

layouts! { struct Moved of Particle = [AoS, AoS<Packed>, SoA, AoSoA<16>]; }

// ---- One field of many ----

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Wide {
    id: u64,
    hot: f64,
    cold: [f64; 14],
}

#[derive(Clone)]
struct Axpy;

impl Kernel<Wide> for Axpy {
    fn run<M, B>(&mut self, view: &mut View<M, B>)
    where
        M: Mapping<Record = Wide, Extents = DynExtents<1>>,
        B: BlobsMut,
    {
        view.for_each_mut(|mut p| {
            let y = 3.0 * p.hot.get() + 1.0;
            p.hot.set(y);
        });
    }
}

layouts! { struct Widened of Wide = [AoS, SoA, Split<path!(Wide, hot), SoA, AoS>]; }

// ---- Whole records, at random ----

type Line = [f64; 8];

#[derive(Clone)]
struct Scatter {
    accesses: usize,
}

impl Kernel<Line> for Scatter {
    fn run<M, B>(&mut self, view: &mut View<M, B>)
    where
        M: Mapping<Record = Line, Extents = DynExtents<1>>,
        B: BlobsMut,
    {
        let (len, mut random) = (view.len(), 1_u64);
        for _ in 0..self.accesses {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let index = ((random >> 32) as usize * len) >> 32;
            let line = view.load(index).map(|value| value + 1.0);
            view.set(index, line);
        }
    }
}

layouts! { struct Scattered of Line = [SoA, AoSoA<16>, AoS]; }

// ---- A grid, column by column ----

#[derive(Clone)]
struct Columns;

impl Kernel<f32, DynExtents<2>> for Columns {
    fn run<M, B>(&mut self, grid: &mut View<M, B>)
    where
        M: Mapping<Record = f32, Extents = DynExtents<2>>,
        B: BlobsMut,
    {
        let [height, width] = grid.extents();
        for j in 0..width {
            let mut last = 0.0;
            for i in 0..height {
                last = 0.5 * (last + grid.get([i, j]));
            }
            grid.set([0, j], last);
        }
    }
}

layouts! { struct Grids of f32 = [SoA]; }

fn main() -> Result<(), ViewError> {
    let vec3 = |x: f32| Vec3 { x, y: x + 1.0, z: x + 2.0 };
    let particle = |[i]: [usize; 1]| Particle { pos: vec3(i as f32), vel: vec3(0.5), mass: 1.0 };
    let particles = alloc_from_fn::<Particle, AoS, _>(1 << 20, particle)?;
    print("move", &advisor(Moved).advise(&particles, &Move)?);

    let wide = |[i]: [usize; 1]| Wide { id: i as u64, hot: i as f64, cold: [0.0; 14] };
    let wide = alloc_from_fn::<Wide, AoS, _>(1 << 17, wide)?;
    print("axpy", &advisor(Widened).advise(&wide, &Axpy)?);

    let lines = alloc_from_fn::<Line, SoA, _>(1 << 20, |[i]| [i as f64; 8])?;
    print("scatter", &advisor(Scattered).advise(&lines, &Scatter { accesses: 1 << 17 })?);

    let grid = alloc_from_fn::<f32, SoA, _>([2048, 2048], |[i, j]| (i + j) as f32)?;
    let orders = advisor(Grids).linearizations::<(RowMajor, ColMajor, Tiled<8, 8>)>();
    print("columns", &orders.advise(&grid, &Columns)?);
    Ok(())
}
