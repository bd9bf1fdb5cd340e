//! The n-body kernels in other crates: `soa_derive`, `soa-rs` and `ndarray`; and the particles that all start from.

use ndarray::{Array1, Array2, Axis, Zip};
use wide::f32x8;

use crate::kernels::{Particle, TIME_STEP, Value, Vec3, pull};

/// Particles as a peer keeps them.
pub(crate) trait Peer {
    fn new(particles: &[Particle]) -> Self;
    fn particles(&self) -> Vec<Particle>;
    /// Velocities of the first `count` particles after one time step.
    fn update(&mut self, count: usize);
    /// Positions of all particles after one time step.
    fn advance(&mut self);
}

pub(crate) fn leaves(p: &Particle) -> [f32; 7] {
    [p.pos.x, p.pos.y, p.pos.z, p.vel.x, p.vel.y, p.vel.z, p.mass]
}

pub(crate) fn particle([x, y, z, vx, vy, vz, mass]: [f32; 7]) -> Particle {
    Particle { pos: Vec3 { x, y, z }, vel: Vec3 { x: vx, y: vy, z: vz }, mass }
}

/// Particles whose numbers look random.
pub(crate) fn particles(count: usize) -> Vec<Particle> {
    let number = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 1000) as f32 / 1000.0;
    (0..count)
        .map(|i| Particle {
            pos: Vec3 { x: number(i, 0), y: number(i, 1), z: number(i, 2) },
            vel: Vec3 { x: number(i, 3), y: number(i, 4), z: number(i, 5) },
            mass: number(i, 6),
        })
        .collect()
}

impl Value for f32x8 {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        f32x8::splat(number)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f32x8::sqrt(self)
    }
}

/// `soa_derive`: a `Vec` for each field.
pub(crate) mod derived {
    #[derive(Clone, Copy, soa_derive::StructOfArray)]
    pub(crate) struct Body {
        pub(crate) x: f32,
        pub(crate) y: f32,
        pub(crate) z: f32,
        pub(crate) vx: f32,
        pub(crate) vy: f32,
        pub(crate) vz: f32,
        pub(crate) mass: f32,
    }
}

/// `soa-rs`: an array for each field, in one allocation.
pub(crate) mod soars {
    use soa_rs::Soars;

    #[derive(Clone, Copy, Soars)]
    pub(crate) struct Body {
        pub(crate) x: f32,
        pub(crate) y: f32,
        pub(crate) z: f32,
        pub(crate) vx: f32,
        pub(crate) vy: f32,
        pub(crate) vz: f32,
        pub(crate) mass: f32,
    }
}

macro_rules! body {
    ($body:ty) => {
        impl From<&Particle> for $body {
            #[inline(always)]
            fn from(particle: &Particle) -> Self {
                let [x, y, z, vx, vy, vz, mass] = leaves(particle);
                Self { x, y, z, vx, vy, vz, mass }
            }
        }
    };
}

body!(derived::Body);
body!(soars::Body);

/// `soa_derive`, as its users write it: iterators over references to all fields.
impl Peer for derived::BodyVec {
    fn new(particles: &[Particle]) -> Self {
        particles.iter().map(derived::Body::from).collect()
    }

    fn particles(&self) -> Vec<Particle> {
        self.iter().map(|b| particle([*b.x, *b.y, *b.z, *b.vx, *b.vy, *b.vz, *b.mass])).collect()
    }

    #[inline(never)]
    fn update(&mut self, count: usize) {
        for i in 0..count {
            let at = [self.x[i], self.y[i], self.z[i]];
            let mut v = [self.vx[i], self.vy[i], self.vz[i]];
            for b in self.iter() {
                v = pull(at, v, [*b.x, *b.y, *b.z], *b.mass);
            }
            (self.vx[i], self.vy[i], self.vz[i]) = (v[0], v[1], v[2]);
        }
    }

    #[inline(never)]
    fn advance(&mut self) {
        for b in self.iter_mut() {
            *b.x += *b.vx * TIME_STEP;
            *b.y += *b.vy * TIME_STEP;
            *b.z += *b.vz * TIME_STEP;
        }
    }
}

/// `soa_derive`, with slices of its fields and `wide` vectors.
pub(crate) struct DerivedSlices(derived::BodyVec);

impl Peer for DerivedSlices {
    fn new(particles: &[Particle]) -> Self {
        Self(Peer::new(particles))
    }

    fn particles(&self) -> Vec<Particle> {
        self.0.particles()
    }

    #[inline(never)]
    fn update(&mut self, count: usize) {
        let all = self.0.as_mut_slice();
        let (x, y, z, mass) = (&*all.x, &*all.y, &*all.z, &*all.mass);
        let load = |from: &[f32]| f32x8::new(from.try_into().expect("eight numbers"));
        assert!(count.is_multiple_of(8), "whole groups only");
        for first in (0..count).step_by(8) {
            let group = first..first + 8;
            let at = [load(&x[group.clone()]), load(&y[group.clone()]), load(&z[group.clone()])];
            let mut v = [load(&all.vx[group.clone()]), load(&all.vy[group.clone()]), load(&all.vz[group.clone()])];
            for (((x, y), z), mass) in x.iter().zip(y).zip(z).zip(mass) {
                v = pull(at, v, [*x, *y, *z], *mass);
            }
            all.vx[group.clone()].copy_from_slice(&v[0].to_array());
            all.vy[group.clone()].copy_from_slice(&v[1].to_array());
            all.vz[group].copy_from_slice(&v[2].to_array());
        }
    }

    #[inline(never)]
    fn advance(&mut self) {
        let all = self.0.as_mut_slice();
        for (at, velocity) in [(all.x, all.vx), (all.y, all.vy), (all.z, all.vz)] {
            at.iter_mut().zip(velocity).for_each(|(at, velocity)| *at += *velocity * TIME_STEP);
        }
    }
}

impl Peer for soa_rs::Soa<soars::Body> {
    fn new(particles: &[Particle]) -> Self {
        particles.iter().map(soars::Body::from).collect()
    }

    fn particles(&self) -> Vec<Particle> {
        self.iter().map(|b| particle([*b.x, *b.y, *b.z, *b.vx, *b.vy, *b.vz, *b.mass])).collect()
    }

    #[inline(never)]
    fn update(&mut self, count: usize) {
        for i in 0..count {
            let at = [self.x()[i], self.y()[i], self.z()[i]];
            let mut v = [self.vx()[i], self.vy()[i], self.vz()[i]];
            for b in self.iter() {
                v = pull(at, v, [*b.x, *b.y, *b.z], *b.mass);
            }
            (self.vx_mut()[i], self.vy_mut()[i], self.vz_mut()[i]) = (v[0], v[1], v[2]);
        }
    }

    #[inline(never)]
    fn advance(&mut self) {
        for b in self.iter_mut() {
            *b.x += *b.vx * TIME_STEP;
            *b.y += *b.vy * TIME_STEP;
            *b.z += *b.vz * TIME_STEP;
        }
    }
}

/// `ndarray`, a row for each leaf.
pub(crate) struct Rows(Array2<f32>);

impl Peer for Rows {
    fn new(particles: &[Particle]) -> Self {
        Self(Array2::from_shape_fn((7, particles.len()), |(leaf, i)| leaves(&particles[i])[leaf]))
    }

    fn particles(&self) -> Vec<Particle> {
        (0..self.0.ncols()).map(|i| particle(core::array::from_fn(|leaf| self.0[[leaf, i]]))).collect()
    }

    #[inline(never)]
    fn update(&mut self, count: usize) {
        let all = &mut self.0;
        for i in 0..count {
            let at = [all[[0, i]], all[[1, i]], all[[2, i]]];
            let mut v = [all[[3, i]], all[[4, i]], all[[5, i]]];
            Zip::from(all.row(0))
                .and(all.row(1))
                .and(all.row(2))
                .and(all.row(6))
                .for_each(|x, y, z, mass| v = pull(at, v, [*x, *y, *z], *mass));
            (all[[3, i]], all[[4, i]], all[[5, i]]) = (v[0], v[1], v[2]);
        }
    }

    #[inline(never)]
    fn advance(&mut self) {
        let (mut positions, others) = self.0.view_mut().split_at(Axis(0), 3);
        for (mut at, velocity) in positions.outer_iter_mut().zip(others.outer_iter()) {
            Zip::from(&mut at).and(&velocity).for_each(|at, velocity| *at += *velocity * TIME_STEP);
        }
    }
}

/// `ndarray`, an array for each leaf.
pub(crate) struct Arrays([Array1<f32>; 7]);

impl Peer for Arrays {
    fn new(particles: &[Particle]) -> Self {
        Self(core::array::from_fn(|leaf| particles.iter().map(|p| leaves(p)[leaf]).collect()))
    }

    fn particles(&self) -> Vec<Particle> {
        (0..self.0[0].len()).map(|i| particle(core::array::from_fn(|leaf| self.0[leaf][i]))).collect()
    }

    #[inline(never)]
    fn update(&mut self, count: usize) {
        let [x, y, z, vx, vy, vz, mass] = &mut self.0;
        for i in 0..count {
            let at = [x[i], y[i], z[i]];
            let mut v = [vx[i], vy[i], vz[i]];
            Zip::from(&*x).and(&*y).and(&*z).and(&*mass).for_each(|x, y, z, mass| v = pull(at, v, [*x, *y, *z], *mass));
            (vx[i], vy[i], vz[i]) = (v[0], v[1], v[2]);
        }
    }

    #[inline(never)]
    fn advance(&mut self) {
        let [x, y, z, vx, vy, vz, _] = &mut self.0;
        Zip::from(x).and(y).and(z).and(vx).and(vy).and(vz).for_each(|x, y, z, vx, vy, vz| {
            *x += *vx * TIME_STEP;
            *y += *vy * TIME_STEP;
            *z += *vz * TIME_STEP;
        });
    }
}
