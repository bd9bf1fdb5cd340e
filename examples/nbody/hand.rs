//! The loops that a specialist would write by hand, one for each layout: what the views are measured against.
//!
//! No view, slot or lane type of this workspace appears here: plain structs, slices and `wide` vectors.

#[path = "hand/blocks.rs"]
mod blocks;
#[path = "hand/columns.rs"]
mod columns;

use core::array;
use core::ops::{Add, Div, Mul, Range, Sub};

use wide::{f32x8, f32x16};

pub(crate) use blocks::Block;
pub(crate) use columns::Soa;

use super::kernels::{Particle, SOFTENING, TIME_STEP, Vec3};

/// The hand-written layouts, filled from particles and read back.
pub(crate) trait Hand {
    fn new(particles: &[Particle]) -> Self;
    fn particles(&self, count: usize) -> Vec<Particle>;
    fn update_loop(&mut self, count: usize);
    /// With `V` vectors of `N` lanes at a time.
    fn update_lanes<const N: usize, const V: usize, T: Vector<N>>(&mut self, count: usize);
    fn move_loop(&mut self);
    fn move_lanes<const N: usize, T: Vector<N>>(&mut self);
}

/// A width of the loops with lanes: every width is tried, and the best ones are compared.
pub(crate) struct Width<H> {
    pub(crate) name: &'static str,
    pub(crate) update: fn(&mut H, usize),
    pub(crate) shift: fn(&mut H),
}

pub(crate) const fn widths<H: Hand>() -> [Width<H>; 4] {
    [
        Width { name: "8 lanes", update: H::update_lanes::<8, 1, f32x8>, shift: H::move_lanes::<8, f32x8> },
        Width { name: "2 x 8 lanes", update: H::update_lanes::<8, 2, f32x8>, shift: H::move_lanes::<8, f32x8> },
        Width { name: "16 lanes", update: H::update_lanes::<16, 1, f32x16>, shift: H::move_lanes::<16, f32x16> },
        Width { name: "2 x 16 lanes", update: H::update_lanes::<16, 2, f32x16>, shift: H::move_lanes::<16, f32x16> },
    ]
}

/// A vector of `N` numbers. Where the machine has none as wide, it is several.
pub(crate) trait Vector<const N: usize>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn new(numbers: [f32; N]) -> Self;
    fn splat(number: f32) -> Self;
    fn sqrt(self) -> Self;
    fn numbers(self) -> [f32; N];
}

macro_rules! vectors {
    ($($Vector:ident $n:literal;)+) => {$(
        impl Vector<$n> for $Vector {
            #[inline(always)]
            fn new(numbers: [f32; $n]) -> Self {
                $Vector::new(numbers)
            }

            #[inline(always)]
            fn splat(number: f32) -> Self {
                $Vector::splat(number)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                $Vector::sqrt(self)
            }

            #[inline(always)]
            fn numbers(self) -> [f32; $n] {
                self.to_array()
            }
        }
    )+};
}

vectors! { f32x8 8; f32x16 16; }

#[inline(always)]
fn pull([x, y, z]: [f32; 3], v: &mut [f32; 3], other: [f32; 3], mass: f32) {
    let (dx, dy, dz) = (x - other[0], y - other[1], z - other[2]);
    let (dx, dy, dz) = (dx * dx, dy * dy, dz * dz);
    let square = SOFTENING + dx + dy + dz;
    let sixth = square * square * square;
    let weight = mass * TIME_STEP * (1.0 / sixth.sqrt());
    v[0] += dx * weight;
    v[1] += dy * weight;
    v[2] += dz * weight;
}

#[inline(always)]
fn pull_lanes<const N: usize, T: Vector<N>>([x, y, z]: [T; 3], v: &mut [T; 3], other: [f32; 3], mass: f32) {
    let [ox, oy, oz] = other.map(T::splat);
    let (dx, dy, dz) = (x - ox, y - oy, z - oz);
    let (dx, dy, dz) = (dx * dx, dy * dy, dz * dz);
    let square = T::splat(SOFTENING) + dx + dy + dz;
    let sixth = square * square * square;
    let weight = T::splat(mass * TIME_STEP) * (T::splat(1.0) / sixth.sqrt());
    *v = [v[0] + dx * weight, v[1] + dy * weight, v[2] + dz * weight];
}

/// `V` vectors of particles against one other.
#[inline(always)]
fn pull_all<const N: usize, const V: usize, T: Vector<N>>(
    at: &[[T; 3]; V],
    v: &mut [[T; 3]; V],
    other: [f32; 3],
    mass: f32,
) {
    for (at, v) in at.iter().zip(v) {
        pull_lanes(*at, v, other, mass);
    }
}

#[inline(always)]
fn load<const N: usize, T: Vector<N>>(from: &[f32]) -> T {
    T::new(from.try_into().expect("as many numbers as lanes"))
}

#[inline(always)]
fn store<const N: usize, T: Vector<N>>(to: &mut [f32], value: T) {
    to.copy_from_slice(&value.numbers());
}

/// `N` particles at a time. All are read before any is written: a read that follows a write to an address
/// with the same low bits would wait for it.
#[inline(always)]
fn move_groups<const N: usize, T: Vector<N>>(positions: [&mut [[f32; N]]; 3], velocities: [&[[f32; N]]; 3]) {
    let ([x, y, z], [vx, vy, vz]) = (positions, velocities);
    let moved = |at: &[f32; N], velocity: &[f32; N]| (T::new(*at) + T::new(*velocity) * T::splat(TIME_STEP)).numbers();
    for (((((x, y), z), vx), vy), vz) in x.iter_mut().zip(y).zip(z).zip(vx).zip(vy).zip(vz) {
        (*x, *y, *z) = (moved(x, vx), moved(y, vy), moved(z, vz));
    }
}

impl Hand for Vec<Particle> {
    fn new(particles: &[Particle]) -> Self {
        particles.to_vec()
    }

    fn particles(&self, _: usize) -> Vec<Particle> {
        self.clone()
    }

    #[inline(never)]
    fn update_loop(&mut self, count: usize) {
        update_structs(self, 0..count);
    }

    #[inline(never)]
    fn update_lanes<const N: usize, const V: usize, T: Vector<N>>(&mut self, count: usize) {
        let whole = count / (N * V) * (N * V);
        for first in (0..whole).step_by(N * V) {
            let groups: [_; V] = array::from_fn(|g| *self[first + N * g..].first_chunk::<N>().expect("a whole group"));
            let at = groups
                .each_ref()
                .map(|group| [gather(group, |p| p.pos.x), gather(group, |p| p.pos.y), gather(group, |p| p.pos.z)]);
            let mut v: [[T; 3]; V] = groups
                .each_ref()
                .map(|group| [gather(group, |p| p.vel.x), gather(group, |p| p.vel.y), gather(group, |p| p.vel.z)]);
            for p in &*self {
                pull_all(&at, &mut v, [p.pos.x, p.pos.y, p.pos.z], p.mass);
            }
            for (v, group) in v.into_iter().zip(self[first..first + N * V].chunks_exact_mut(N)) {
                let [vx, vy, vz] = v.map(T::numbers);
                for (k, p) in group.iter_mut().enumerate() {
                    p.vel = Vec3 { x: vx[k], y: vy[k], z: vz[k] };
                }
            }
        }
        update_structs(self, whole..count);
    }

    #[inline(never)]
    fn move_loop(&mut self) {
        move_structs(self);
    }

    #[inline(never)]
    fn move_lanes<const N: usize, T: Vector<N>>(&mut self) {
        let (groups, rest) = self.as_chunks_mut::<N>();
        for group in groups {
            // Rows to columns and back, by way of arrays: quicker than to collect one number of each struct.
            let mut numbers = [[0.0; N]; 6];
            for (k, Particle { pos, vel, .. }) in group.iter().enumerate() {
                for (column, number) in numbers.iter_mut().zip([pos.x, pos.y, pos.z, vel.x, vel.y, vel.z]) {
                    column[k] = number;
                }
            }
            let [x, y, z, vx, vy, vz] = numbers.map(T::new);
            let [x, y, z] = [(x, vx), (y, vy), (z, vz)].map(|(at, v)| (at + v * T::splat(TIME_STEP)).numbers());
            for (k, p) in group.iter_mut().enumerate() {
                p.pos = Vec3 { x: x[k], y: y[k], z: z[k] };
            }
        }
        move_structs(rest);
    }
}

/// One number of each of a group of structs.
#[inline(always)]
fn gather<const N: usize, T: Vector<N>>(group: &[Particle; N], number: impl Fn(&Particle) -> f32) -> T {
    T::new(array::from_fn(|k| number(&group[k])))
}

/// The plain loop: all of it, or what the lanes leave over.
#[inline(always)]
fn update_structs(particles: &mut [Particle], rest: Range<usize>) {
    for i in rest {
        let Particle { pos: Vec3 { x, y, z }, vel, .. } = particles[i];
        let mut v = [vel.x, vel.y, vel.z];
        for p in &*particles {
            pull([x, y, z], &mut v, [p.pos.x, p.pos.y, p.pos.z], p.mass);
        }
        particles[i].vel = Vec3 { x: v[0], y: v[1], z: v[2] };
    }
}

#[inline(always)]
fn move_structs(particles: &mut [Particle]) {
    for p in particles {
        p.pos.x += p.vel.x * TIME_STEP;
        p.pos.y += p.vel.y * TIME_STEP;
        p.pos.z += p.vel.z * TIME_STEP;
    }
}
