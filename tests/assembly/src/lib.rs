//! Kernels whose assembly tests/assembly.rs reads: `move` of the n-body problem, one symbol for each layout.

use layout::{AoSoA, Owned, Mapped, Record, SoA, SoASingle, extents};

/// A vector in three dimensions.
#[derive(Clone, Copy, Record)]
pub struct Vec3 {
    /// First.
    pub x: f32,
    /// Second.
    pub y: f32,
    /// Third.
    pub z: f32,
}

/// A particle.
#[derive(Clone, Copy, Record)]
pub struct Particle {
    /// Position.
    pub pos: Vec3,
    /// Velocity.
    pub vel: Vec3,
    /// Mass.
    pub mass: f32,
}

/// A view of particles with the layout `L`.
pub type Particles<L> = Owned<Mapped<Particle, extents!(type dyn), L>>;

macro_rules! kernels {
    ($($layout:ty: $each:ident $lanes:ident;)+) => {$(
        /// The plain loop.
        #[unsafe(no_mangle)]
        pub fn $each(particles: &mut Particles<$layout>) {
            particles.for_each_mut(|mut p| {
                p.pos.x += p.vel.x.get() * 0.01;
                p.pos.y += p.vel.y.get() * 0.01;
                p.pos.z += p.vel.z.get() * 0.01;
            });
        }

        /// Eight particles at a time.
        #[unsafe(no_mangle)]
        pub fn $lanes(particles: &mut Particles<$layout>) {
            particles.for_each_lanes_mut::<8>(
                |mut p| {
                    p.pos.x += p.vel.x.get() * 0.01;
                    p.pos.y += p.vel.y.get() * 0.01;
                    p.pos.z += p.vel.z.get() * 0.01;
                },
                |mut p| {
                    p.pos.x += p.vel.x.get() * 0.01;
                    p.pos.y += p.vel.y.get() * 0.01;
                    p.pos.z += p.vel.z.get() * 0.01;
                },
            );
        }
    )+};
}

kernels! {
    SoA: soa_each soa_lanes;
    SoASingle: soa_single_each soa_single_lanes;
    AoSoA<8>: aosoa8_each aosoa8_lanes;
    AoSoA<16>: aosoa16_each aosoa16_lanes;
    AoSoA<32>: aosoa32_each aosoa32_lanes;
}
