//! Kernels whose assembly tests/core/assembly.rs reads: `move` of the n-body problem, one symbol for each layout.

use layout::composed::{Byteswap, ChangeType, FusedBlobs, Split};
use layout::{AoS, AoSoA, Mapped, Null, Owned, Record, SoA, SoASingle, extents, path};

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
    Split<path!(Particle, pos), SoA, SoA>: split_each split_lanes;
    Split<path!(Particle, pos), SoA, SoASingle, FusedBlobs>: split_fused_each split_fused_lanes;
    Split<path!(Particle, mass), AoS, AoSoA<16>>: split_aosoa16_each split_aosoa16_lanes;
    Split<path!(Particle, mass), Null, SoA>: null_each null_lanes;
    Byteswap<SoA>: byteswap_each byteswap_lanes;
}

/// Lanes with masked ends.
macro_rules! masked {
    ($($layout:ty: $name:ident;)+) => {$(
        /// Eight particles at a time, one text for all.
        #[unsafe(no_mangle)]
        pub fn $name(particles: &mut Particles<$layout>) {
            particles.for_each_lanes_masked_mut::<8>(|mut p, _| {
                p.pos.x += p.vel.x.get() * 0.01;
                p.pos.y += p.vel.y.get() * 0.01;
                p.pos.z += p.vel.z.get() * 0.01;
            });
        }
    )+};
}

masked! {
    SoA: soa_masked;
    SoASingle: soa_single_masked;
    AoSoA<8>: aosoa8_masked;
    AoSoA<16>: aosoa16_masked;
    AoSoA<32>: aosoa32_masked;
}

/// A particle of doubles.
#[derive(Clone, Copy, Record)]
pub struct Double {
    /// Position.
    pub pos: [f64; 2],
    /// Velocity.
    pub vel: [f64; 2],
}

/// A view of doubles with the layout `L`.
pub type Doubles<L> = Owned<Mapped<Double, extents!(type dyn), L>>;

/// The same with arrays, over elements chosen by number.
macro_rules! arrays {
    ($($layout:ty: $each:ident $lanes:ident;)+) => {$(
        /// The plain loop.
        #[unsafe(no_mangle)]
        pub fn $each(particles: &mut Doubles<$layout>) {
            particles.for_each_mut(|mut p| {
                for i in 0..2 {
                    let mut pos = p.pos.at_mut(i);
                    pos += p.vel.at(i).get() * 0.01;
                }
            });
        }

        /// Eight particles at a time.
        #[unsafe(no_mangle)]
        pub fn $lanes(particles: &mut Doubles<$layout>) {
            particles.for_each_lanes_mut::<8>(
                |mut p| {
                    for i in 0..2 {
                        let mut pos = p.pos.at_mut(i);
                        pos += p.vel.at(i).get() * 0.01;
                    }
                },
                |mut p| {
                    for i in 0..2 {
                        let mut pos = p.pos.at_mut(i);
                        pos += p.vel.at(i).get() * 0.01;
                    }
                },
            );
        }
    )+};
}

arrays! {
    SoA: arrays_each arrays_lanes;
    Split<path!(Double, pos), SoA, SoA>: arrays_split_each arrays_split_lanes;
}

/// A sample of doubles.
#[derive(Clone, Copy, Record)]
pub struct Sample {
    /// The number that is changed.
    pub value: f64,
    /// By how much.
    pub slope: f64,
}

/// Doubles that are stored as floats.
macro_rules! narrowed {
    ($($layout:ty: $each:ident $lanes:ident;)+) => {$(
        /// The plain loop.
        #[unsafe(no_mangle)]
        pub fn $each(samples: &mut Owned<Mapped<Sample, extents!(type dyn), ChangeType<$layout, f64, f32>>>) {
            samples.for_each_mut(|mut s| s.value += s.slope.get() * 0.01);
        }

        /// Eight samples at a time.
        #[unsafe(no_mangle)]
        pub fn $lanes(samples: &mut Owned<Mapped<Sample, extents!(type dyn), ChangeType<$layout, f64, f32>>>) {
            samples.for_each_lanes_mut::<8>(
                |mut s| s.value += s.slope.get() * 0.01,
                |mut s| s.value += s.slope.get() * 0.01,
            );
        }
    )+};
}

narrowed! {
    SoA: narrowed_each narrowed_lanes;
    AoSoA<16>: narrowed_aosoa16_each narrowed_aosoa16_lanes;
}

/// Access by index: the mapping's frame is found anew each time, unless the compiler sees that it stays.
macro_rules! indexed {
    ($($layout:ty: $name:ident;)+) => {$(
        /// Elements in an order that is not the view's.
        #[unsafe(no_mangle)]
        pub fn $name(particles: &mut Particles<$layout>, order: &[u32]) {
            for i in order {
                particles.at_mut(*i as usize).vel.y += 1.0;
            }
        }
    )+};
}

indexed! {
    SoA: soa_indexed;
    Split<path!(Particle, pos), SoA, SoA>: split_indexed;
}

/// A sum of two columns, written past the caches.
#[unsafe(no_mangle)]
pub fn streamed(c: &mut Owned<Mapped<f32, extents!(type dyn), SoA>>, a: &Owned<Mapped<f32, extents!(type dyn), SoA>>) {
    a.assert_extents(c.extents());
    c.stream_from_fn(|[i]| a.at(i).get() * 3.0);
}
