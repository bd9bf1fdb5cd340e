//! The Sun and the outer planets, from the initial conditions of the Computer Language Benchmarks Game.

use core::f64::consts::PI;

use layout::alloc_from_fn;
use layout::{AoS, AoSoA, BlobsMut, Dim, Extents, Mapping, Record, RecordLayout, SoA, SoASingle, View, ViewError};

use super::kernels::Vec3;

/// The published energy after [`STEPS`] steps, to as many decimals as are published.
pub(crate) const PUBLISHED: &str = "-0.169087605";

pub(crate) const STEPS: usize = 1000;

const TIME_STEP: f64 = 0.01;
const SOLAR_MASS: f64 = 4.0 * PI * PI;
const DAYS_PER_YEAR: f64 = 365.24;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Body {
    pos: Vec3<f64>,
    vel: Vec3<f64>,
    mass: f64,
}

/// A body from astronomical units, those per day, and solar masses.
const fn body(pos: [f64; 3], vel: [f64; 3], mass: f64) -> Body {
    Body {
        pos: Vec3 { x: pos[0], y: pos[1], z: pos[2] },
        vel: Vec3 { x: vel[0] * DAYS_PER_YEAR, y: vel[1] * DAYS_PER_YEAR, z: vel[2] * DAYS_PER_YEAR },
        mass: mass * SOLAR_MASS,
    }
}

const BODIES: [Body; 5] = [
    // The Sun.
    body([0.0; 3], [0.0; 3], 1.0),
    // Jupiter.
    body(
        [4.841_431_442_464_72e0, -1.160_320_044_027_428_4e0, -1.036_220_444_711_231_1e-1],
        [1.660_076_642_744_037e-3, 7.699_011_184_197_404e-3, -6.904_600_169_720_63e-5],
        9.547_919_384_243_266e-4,
    ),
    // Saturn.
    body(
        [8.343_366_718_244_58e0, 4.124_798_564_124_305e0, -4.035_234_171_143_214e-1],
        [-2.767_425_107_268_624e-3, 4.998_528_012_349_172e-3, 2.304_172_975_737_639_3e-5],
        2.858_859_806_661_308e-4,
    ),
    // Uranus.
    body(
        [1.289_436_956_213_913_1e1, -1.511_115_140_169_863_1e1, -2.233_075_788_926_557_3e-1],
        [2.964_601_375_647_616e-3, 2.378_471_739_594_809_5e-3, -2.965_895_685_402_375_6e-5],
        4.366_244_043_351_563e-5,
    ),
    // Neptune.
    body(
        [1.537_969_711_485_091_7e1, -2.591_931_460_998_796_4e1, 1.792_587_729_503_711_8e-1],
        [2.680_677_724_903_893_2e-3, 1.628_241_700_382_423e-3, -9.515_922_545_197_159e-5],
        5.151_389_020_466_114_5e-5,
    ),
];

/// The mappings that the kernels take: any layout of bodies in one dimension.
trait Bodies: Mapping<Record = Body, Extents: Extents<Index = usize, Rank = Dim<1>, Array = [usize; 1]>> {}

impl<M> Bodies for M where M: Mapping<Record = Body, Extents: Extents<Index = usize, Rank = Dim<1>, Array = [usize; 1]>> {}

/// Gives the Sun the velocity with which the bodies together stay where they are.
fn rest<M: Bodies, B: BlobsMut>(bodies: &mut View<M, B>) {
    let mut momentum = [0.0; 3];
    bodies.for_each(|body| {
        let mass = body.mass.get();
        for (sum, velocity) in momentum.iter_mut().zip([body.vel.x.get(), body.vel.y.get(), body.vel.z.get()]) {
            *sum += velocity * mass;
        }
    });
    let [x, y, z] = momentum.map(|sum| -sum / SOLAR_MASS);
    bodies.at_mut(0).vel.store(Vec3 { x, y, z });
}

/// One time step: every pair pulls at each other, then all move.
fn step<M: Bodies, B: BlobsMut>(bodies: &mut View<M, B>) {
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let (a, b) = (bodies.load(i), bodies.load(j));
            let (dx, dy, dz) = (a.pos.x - b.pos.x, a.pos.y - b.pos.y, a.pos.z - b.pos.z);
            let square = dx * dx + dy * dy + dz * dz;
            let magnitude = TIME_STEP / (square * square.sqrt());
            let mut first = bodies.at_mut(i);
            first.vel.x -= dx * b.mass * magnitude;
            first.vel.y -= dy * b.mass * magnitude;
            first.vel.z -= dz * b.mass * magnitude;
            let mut second = bodies.at_mut(j);
            second.vel.x += dx * a.mass * magnitude;
            second.vel.y += dy * a.mass * magnitude;
            second.vel.z += dz * a.mass * magnitude;
        }
    }
    bodies.for_each_mut(|mut body| {
        body.pos.x += TIME_STEP * body.vel.x.get();
        body.pos.y += TIME_STEP * body.vel.y.get();
        body.pos.z += TIME_STEP * body.vel.z.get();
    });
}

/// The energy of motion less that of all pairs' attraction.
fn energy<M: Bodies, B: BlobsMut>(bodies: &View<M, B>) -> f64 {
    let mut sum = 0.0;
    for i in 0..bodies.len() {
        let a = bodies.load(i);
        sum += 0.5 * a.mass * (a.vel.x * a.vel.x + a.vel.y * a.vel.y + a.vel.z * a.vel.z);
        for j in i + 1..bodies.len() {
            let b = bodies.load(j);
            let (dx, dy, dz) = (a.pos.x - b.pos.x, a.pos.y - b.pos.y, a.pos.z - b.pos.z);
            sum -= a.mass * b.mass / (dx * dx + dy * dy + dz * dz).sqrt();
        }
    }
    sum
}

/// The energies in one layout.
pub(crate) struct Energy {
    pub(crate) layout: &'static str,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

impl Energy {
    /// Returns `true` if the energy after all steps is the published one.
    pub(crate) fn is_published(&self) -> bool {
        format!("{:.9}", self.after) == PUBLISHED
    }
}

fn simulate<L: RecordLayout<Body> + Default>(layout: &'static str) -> Result<Energy, ViewError> {
    let mut bodies = alloc_from_fn::<Body, L, _>(BODIES.len(), |[i]| BODIES[i])?;
    rest(&mut bodies);
    let before = energy(&bodies);
    for _ in 0..STEPS {
        step(&mut bodies);
    }
    Ok(Energy { layout, before, after: energy(&bodies) })
}

/// Simulates the bodies in every layout.
pub(crate) fn energies() -> Result<[Energy; 6], ViewError> {
    Ok([
        simulate::<AoS>("AoS")?,
        simulate::<SoA>("SoA")?,
        simulate::<SoASingle>("SoASingle")?,
        simulate::<AoSoA<8>>("AoSoA8")?,
        simulate::<AoSoA<16>>("AoSoA16")?,
        simulate::<AoSoA<32>>("AoSoA32")?,
    ])
}
