//! The n-body kernels over views: one text for every layout, as a plain loop and with lanes.

use core::ops::{Add, Div, Mul, Sub};

use layout::{BlobsMut, Lanes, Mapping, Record, StridedLinearization, View, zip};

pub(crate) const TIME_STEP: f32 = 0.0001;
pub(crate) const SOFTENING: f32 = 0.01;

/// The number of other particles that an update handles in straight line: the loop over a block of them then ends after so few
/// steps that the processor foresees it.
pub(crate) const UNROLL: usize = 4;

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Vec3<T: Record> {
    pub(crate) x: T,
    pub(crate) y: T,
    pub(crate) z: T,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Particle {
    pub(crate) pos: Vec3<f32>,
    pub(crate) vel: Vec3<f32>,
    pub(crate) mass: f32,
}

/// One number, or a lane vector of them: the physics below does not ask which.
pub(crate) trait Value:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn splat(number: f32) -> Self;
    fn sqrt(self) -> Self;
}

impl Value for f32 {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        number
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
}

impl<const N: usize> Value for Lanes<f32, N> {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        Lanes::splat(number)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes::sqrt(self)
    }
}

/// The change of the velocity of the particles at `pos` by the particle at `other`, in one time step.
#[inline(always)]
pub(crate) fn pull<V: Value>(pos: [V; 3], vel: [V; 3], other: [f32; 3], mass: f32) -> [V; 3] {
    let dx = pos[0] - V::splat(other[0]);
    let dy = pos[1] - V::splat(other[1]);
    let dz = pos[2] - V::splat(other[2]);
    let (dx, dy, dz) = (dx * dx, dy * dy, dz * dz);
    let square = V::splat(SOFTENING) + dx + dy + dz;
    let sixth = square * square * square;
    let weight = V::splat(mass * TIME_STEP) * (V::splat(1.0) / sixth.sqrt());
    [vel[0] + dx * weight, vel[1] + dy * weight, vel[2] + dz * weight]
}

/// The mappings that the kernels take: any layout of particles in one dimension.
pub(crate) trait Particles:
    Mapping<
        Record = Particle,
        Extents: layout::Extents<Index = usize, Rank = layout::Dim<1>, Array = [usize; 1]>,
        Linearization: StridedLinearization<[usize; 1]>,
    >
{
}

impl<M> Particles for M where
    M: Mapping<
            Record = Particle,
            Extents: layout::Extents<Index = usize, Rank = layout::Dim<1>, Array = [usize; 1]>,
            Linearization: StridedLinearization<[usize; 1]>,
        >
{
}

/// Velocities of the first `count` particles after one time step, as a plain loop.
#[inline(never)]
pub(crate) fn update_loop<M: Particles, B: BlobsMut>(particles: &mut View<M, B>, count: usize) {
    const P: <Particle as Record>::Slots<layout::record::Naming, layout::record::Root<Particle>> = Particle::PATHS;
    let (pos, mut vel, mass) = particles.split((P.pos, P.vel, P.mass));
    zip((&pos.slice((..count,)), &mut vel.slice_mut((..count,)))).for_each(|(pi, mut vi)| {
        let at = [pi.x.get(), pi.y.get(), pi.z.get()];
        let mut v = [vi.x.get(), vi.y.get(), vi.z.get()];
        zip((&pos, &mass)).for_each(|(pj, mj)| v = pull(at, v, [pj.x.get(), pj.y.get(), pj.z.get()], mj.get()));
        vi.store(Vec3 { x: v[0], y: v[1], z: v[2] });
    });
}

/// Velocities of the first `count` particles after one time step, `N` particles at a time; those that pull them, `UNROLL`
/// in straight line.
#[inline(never)]
pub(crate) fn update_lanes<const N: usize, const UNROLL: usize, M: Particles, B: BlobsMut>(
    particles: &mut View<M, B>,
    count: usize,
) {
    const P: <Particle as Record>::Slots<layout::record::Naming, layout::record::Root<Particle>> = Particle::PATHS;
    let (pos, mut vel, mass) = particles.split((P.pos, P.vel, P.mass));
    zip((&pos.slice((..count,)), &mut vel.slice_mut((..count,)))).for_each_lanes::<N>(
        |(pi, mut vi)| {
            let at = [pi.x.get(), pi.y.get(), pi.z.get()];
            let mut v = [vi.x.get(), vi.y.get(), vi.z.get()];
            zip((&pos, &mass)).for_each_unrolled::<UNROLL>(|(pj, mj)| {
                v = pull(at, v, [pj.x.get(), pj.y.get(), pj.z.get()], mj.get())
            });
            vi.x.set(v[0]);
            vi.y.set(v[1]);
            vi.z.set(v[2]);
        },
        |(pi, mut vi)| {
            let at = [pi.x.get(), pi.y.get(), pi.z.get()];
            let mut v = [vi.x.get(), vi.y.get(), vi.z.get()];
            zip((&pos, &mass)).for_each_unrolled::<UNROLL>(|(pj, mj)| {
                v = pull(at, v, [pj.x.get(), pj.y.get(), pj.z.get()], mj.get())
            });
            vi.store(Vec3 { x: v[0], y: v[1], z: v[2] });
        },
    );
}

/// Positions of all particles after one time step, as a plain loop.
#[inline(never)]
pub(crate) fn move_loop<M: Particles, B: BlobsMut>(particles: &mut View<M, B>) {
    particles.for_each_mut(|mut p| {
        p.pos.x += p.vel.x.get() * TIME_STEP;
        p.pos.y += p.vel.y.get() * TIME_STEP;
        p.pos.z += p.vel.z.get() * TIME_STEP;
    });
}

/// Positions of all particles after one time step, `N` particles at a time.
#[inline(never)]
pub(crate) fn move_lanes<const N: usize, M: Particles, B: BlobsMut>(particles: &mut View<M, B>) {
    particles.for_each_lanes_mut::<N>(
        |mut p| {
            p.pos.x += p.vel.x.get() * TIME_STEP;
            p.pos.y += p.vel.y.get() * TIME_STEP;
            p.pos.z += p.vel.z.get() * TIME_STEP;
        },
        |mut p| {
            p.pos.x += p.vel.x.get() * TIME_STEP;
            p.pos.y += p.vel.y.get() * TIME_STEP;
            p.pos.z += p.vel.z.get() * TIME_STEP;
        },
    );
}
