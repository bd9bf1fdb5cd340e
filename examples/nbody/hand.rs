//! The loops that a specialist would write by hand, one for each layout: what the views are measured against.
//!
//! No view, slot or lane type of this workspace appears here: plain structs, slices and `wide` vectors.

#[path = "hand/blocks.rs"]
mod blocks;
#[path = "hand/columns.rs"]
mod columns;

use core::array;
use core::ops::Range;

use wide::f32x8;

pub(crate) use blocks::Block;
pub(crate) use columns::Soa;

use super::kernels::{Particle, SOFTENING, TIME_STEP, Vec3};

/// The hand-written layouts, filled from particles and read back.
pub(crate) trait Hand {
    fn new(particles: &[Particle]) -> Self;
    fn particles(&self, count: usize) -> Vec<Particle>;
    fn update_loop(&mut self, count: usize);
    /// With `V` vectors of eight lanes at a time.
    fn update_lanes<const V: usize>(&mut self, count: usize);
    fn move_loop(&mut self);
    fn move_lanes(&mut self);
}

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
fn pull8([x, y, z]: [f32x8; 3], v: &mut [f32x8; 3], other: [f32; 3], mass: f32) {
    let [ox, oy, oz] = other.map(f32x8::splat);
    let (dx, dy, dz) = (x - ox, y - oy, z - oz);
    let (dx, dy, dz) = (dx * dx, dy * dy, dz * dz);
    let square = f32x8::splat(SOFTENING) + dx + dy + dz;
    let sixth = square * square * square;
    let weight = f32x8::splat(mass * TIME_STEP) * (f32x8::splat(1.0) / sixth.sqrt());
    v[0] += dx * weight;
    v[1] += dy * weight;
    v[2] += dz * weight;
}

/// `V` vectors of eight particles against one other.
#[inline(always)]
fn pull_all<const V: usize>(at: &[[f32x8; 3]; V], v: &mut [[f32x8; 3]; V], other: [f32; 3], mass: f32) {
    for (at, v) in at.iter().zip(v) {
        pull8(*at, v, other, mass);
    }
}

#[inline(always)]
fn load(from: &[f32]) -> f32x8 {
    f32x8::new(from.try_into().expect("eight numbers"))
}

#[inline(always)]
fn store(to: &mut [f32], value: f32x8) {
    to.copy_from_slice(&value.to_array());
}

/// Eight particles at a time. All are read before any is written: a read that follows a write to an address
/// with the same low bits would wait for it.
#[inline(always)]
fn move_groups(positions: [&mut [[f32; 8]]; 3], velocities: [&[[f32; 8]]; 3]) {
    let ([x, y, z], [vx, vy, vz]) = (positions, velocities);
    let moved = |at: &[f32; 8], velocity: &[f32; 8]| {
        (f32x8::new(*at) + f32x8::new(*velocity) * f32x8::splat(TIME_STEP)).to_array()
    };
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
    fn update_lanes<const V: usize>(&mut self, count: usize) {
        let whole = count / (8 * V) * (8 * V);
        for first in (0..whole).step_by(8 * V) {
            let groups: [_; V] =
                array::from_fn(|g| *self[first + 8 * g..].first_chunk::<8>().expect("eight particles"));
            let at = groups
                .each_ref()
                .map(|group| [gather(group, |p| p.pos.x), gather(group, |p| p.pos.y), gather(group, |p| p.pos.z)]);
            let mut v = groups
                .each_ref()
                .map(|group| [gather(group, |p| p.vel.x), gather(group, |p| p.vel.y), gather(group, |p| p.vel.z)]);
            for p in &*self {
                pull_all(&at, &mut v, [p.pos.x, p.pos.y, p.pos.z], p.mass);
            }
            for (v, group) in v.into_iter().zip(self[first..first + 8 * V].chunks_exact_mut(8)) {
                let [vx, vy, vz] = v.map(f32x8::to_array);
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
    fn move_lanes(&mut self) {
        let (groups, rest) = self.as_chunks_mut::<8>();
        for group in groups {
            // Rows to columns and back, by way of arrays: quicker than to collect one number of each struct.
            let mut numbers = [[0.0; 8]; 6];
            for (k, Particle { pos, vel, .. }) in group.iter().enumerate() {
                for (column, number) in numbers.iter_mut().zip([pos.x, pos.y, pos.z, vel.x, vel.y, vel.z]) {
                    column[k] = number;
                }
            }
            let [x, y, z, vx, vy, vz] = numbers.map(f32x8::new);
            let [x, y, z] = [(x, vx), (y, vy), (z, vz)].map(|(at, v)| (at + v * f32x8::splat(TIME_STEP)).to_array());
            for (k, p) in group.iter_mut().enumerate() {
                p.pos = Vec3 { x: x[k], y: y[k], z: z[k] };
            }
        }
        move_structs(rest);
    }
}

/// One number of each of eight structs.
#[inline(always)]
fn gather(group: &[Particle; 8], number: impl Fn(&Particle) -> f32) -> f32x8 {
    f32x8::new(array::from_fn(|k| number(&group[k])))
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
