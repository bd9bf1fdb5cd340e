//! The loops that a specialist would write by hand, one for each layout: what the views are measured against.
//!
//! No view, slot or lane type of this workspace appears here: plain structs, slices and `wide` vectors.

use wide::f32x8;

use super::kernels::{Particle, SOFTENING, TIME_STEP, Vec3};

/// One allocation a leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Soa {
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    pub z: Vec<f32>,
    pub vx: Vec<f32>,
    pub vy: Vec<f32>,
    pub vz: Vec<f32>,
    pub mass: Vec<f32>,
}

/// `L` particles, leaf by leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Block<const L: usize> {
    pub x: [f32; L],
    pub y: [f32; L],
    pub z: [f32; L],
    pub vx: [f32; L],
    pub vy: [f32; L],
    pub vz: [f32; L],
    pub mass: [f32; L],
}

/// The hand-written layouts, filled from particles and read back.
pub trait Hand {
    fn new(particles: &[Particle]) -> Self;
    fn particles(&self, count: usize) -> Vec<Particle>;
    fn update_loop(&mut self, count: usize);
    fn update_lanes(&mut self, count: usize);
    fn move_loop(&mut self);
    fn move_lanes(&mut self);
}

#[inline(always)]
fn pull(x: f32, y: f32, z: f32, v: &mut [f32; 3], ox: f32, oy: f32, oz: f32, mass: f32) {
    let (dx, dy, dz) = (x - ox, y - oy, z - oz);
    let (dx, dy, dz) = (dx * dx, dy * dy, dz * dz);
    let square = SOFTENING + dx + dy + dz;
    let sixth = square * square * square;
    let weight = mass * TIME_STEP * (1.0 / sixth.sqrt());
    v[0] += dx * weight;
    v[1] += dy * weight;
    v[2] += dz * weight;
}

#[inline(always)]
fn pull8(x: f32x8, y: f32x8, z: f32x8, v: &mut [f32x8; 3], ox: f32, oy: f32, oz: f32, mass: f32) {
    let (dx, dy, dz) = (x - f32x8::splat(ox), y - f32x8::splat(oy), z - f32x8::splat(oz));
    let (dx, dy, dz) = (dx * dx, dy * dy, dz * dz);
    let square = f32x8::splat(SOFTENING) + dx + dy + dz;
    let sixth = square * square * square;
    let weight = f32x8::splat(mass * TIME_STEP) * (f32x8::splat(1.0) / sixth.sqrt());
    v[0] += dx * weight;
    v[1] += dy * weight;
    v[2] += dz * weight;
}

#[inline(always)]
fn load(from: &[f32]) -> f32x8 {
    f32x8::new(from.try_into().expect("eight numbers"))
}

#[inline(always)]
fn store(to: &mut [f32], value: f32x8) {
    to.copy_from_slice(&value.to_array());
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
        for i in 0..count {
            let Vec3 { x, y, z } = self[i].pos;
            let mut v = [self[i].vel.x, self[i].vel.y, self[i].vel.z];
            for p in &*self {
                pull(x, y, z, &mut v, p.pos.x, p.pos.y, p.pos.z, p.mass);
            }
            self[i].vel = Vec3 { x: v[0], y: v[1], z: v[2] };
        }
    }

    #[inline(never)]
    fn update_lanes(&mut self, count: usize) {
        for first in (0..count / 8 * 8).step_by(8) {
            let gather = |f: &dyn Fn(&Particle) -> f32| f32x8::new(core::array::from_fn(|k| f(&self[first + k])));
            let (x, y, z) = (gather(&|p| p.pos.x), gather(&|p| p.pos.y), gather(&|p| p.pos.z));
            let mut v = [gather(&|p| p.vel.x), gather(&|p| p.vel.y), gather(&|p| p.vel.z)];
            for p in &*self {
                pull8(x, y, z, &mut v, p.pos.x, p.pos.y, p.pos.z, p.mass);
            }
            let (vx, vy, vz) = (v[0].to_array(), v[1].to_array(), v[2].to_array());
            for k in 0..8 {
                self[first + k].vel = Vec3 { x: vx[k], y: vy[k], z: vz[k] };
            }
        }
    }

    #[inline(never)]
    fn move_loop(&mut self) {
        for p in self {
            p.pos.x += p.vel.x * TIME_STEP;
            p.pos.y += p.vel.y * TIME_STEP;
            p.pos.z += p.vel.z * TIME_STEP;
        }
    }

    #[inline(never)]
    fn move_lanes(&mut self) {
        let (groups, rest) = self.as_chunks_mut::<8>();
        for group in groups {
            let gather = |f: fn(&Particle) -> f32| f32x8::new(group.each_ref().map(f));
            let step = f32x8::splat(TIME_STEP);
            let x = (gather(|p| p.pos.x) + gather(|p| p.vel.x) * step).to_array();
            let y = (gather(|p| p.pos.y) + gather(|p| p.vel.y) * step).to_array();
            let z = (gather(|p| p.pos.z) + gather(|p| p.vel.z) * step).to_array();
            for k in 0..8 {
                group[k].pos = Vec3 { x: x[k], y: y[k], z: z[k] };
            }
        }
        for p in rest {
            p.pos.x += p.vel.x * TIME_STEP;
            p.pos.y += p.vel.y * TIME_STEP;
            p.pos.z += p.vel.z * TIME_STEP;
        }
    }
}

impl Hand for Soa {
    fn new(particles: &[Particle]) -> Self {
        let column = |f: fn(&Particle) -> f32| particles.iter().map(f).collect();
        Self {
            x: column(|p| p.pos.x),
            y: column(|p| p.pos.y),
            z: column(|p| p.pos.z),
            vx: column(|p| p.vel.x),
            vy: column(|p| p.vel.y),
            vz: column(|p| p.vel.z),
            mass: column(|p| p.mass),
        }
    }

    fn particles(&self, _: usize) -> Vec<Particle> {
        (0..self.mass.len())
            .map(|i| Particle {
                pos: Vec3 { x: self.x[i], y: self.y[i], z: self.z[i] },
                vel: Vec3 { x: self.vx[i], y: self.vy[i], z: self.vz[i] },
                mass: self.mass[i],
            })
            .collect()
    }

    #[inline(never)]
    fn update_loop(&mut self, count: usize) {
        let n = self.mass.len();
        let (x, y, z, mass) = (&self.x[..n], &self.y[..n], &self.z[..n], &self.mass[..n]);
        for i in 0..count {
            let mut v = [self.vx[i], self.vy[i], self.vz[i]];
            for j in 0..n {
                pull(x[i], y[i], z[i], &mut v, x[j], y[j], z[j], mass[j]);
            }
            (self.vx[i], self.vy[i], self.vz[i]) = (v[0], v[1], v[2]);
        }
    }

    #[inline(never)]
    fn update_lanes(&mut self, count: usize) {
        let n = self.mass.len();
        let (x, y, z, mass) = (&self.x[..n], &self.y[..n], &self.z[..n], &self.mass[..n]);
        for first in (0..count / 8 * 8).step_by(8) {
            let group = first..first + 8;
            let (px, py, pz) = (load(&x[group.clone()]), load(&y[group.clone()]), load(&z[group.clone()]));
            let mut v = [load(&self.vx[group.clone()]), load(&self.vy[group.clone()]), load(&self.vz[group.clone()])];
            for j in 0..n {
                pull8(px, py, pz, &mut v, x[j], y[j], z[j], mass[j]);
            }
            store(&mut self.vx[group.clone()], v[0]);
            store(&mut self.vy[group.clone()], v[1]);
            store(&mut self.vz[group], v[2]);
        }
    }

    #[inline(never)]
    fn move_loop(&mut self) {
        let n = self.x.len();
        let (x, y, z) = (&mut self.x[..n], &mut self.y[..n], &mut self.z[..n]);
        let (vx, vy, vz) = (&self.vx[..n], &self.vy[..n], &self.vz[..n]);
        for i in 0..n {
            x[i] += vx[i] * TIME_STEP;
            y[i] += vy[i] * TIME_STEP;
            z[i] += vz[i] * TIME_STEP;
        }
    }

    #[inline(never)]
    fn move_lanes(&mut self) {
        let n = self.x.len();
        let (x, y, z) = (&mut self.x[..n], &mut self.y[..n], &mut self.z[..n]);
        let (vx, vy, vz) = (&self.vx[..n], &self.vy[..n], &self.vz[..n]);
        let step = f32x8::splat(TIME_STEP);
        let whole = n / 8 * 8;
        for first in (0..whole).step_by(8) {
            let group = first..first + 8;
            let moved = load(&x[group.clone()]) + load(&vx[group.clone()]) * step;
            store(&mut x[group.clone()], moved);
            let moved = load(&y[group.clone()]) + load(&vy[group.clone()]) * step;
            store(&mut y[group.clone()], moved);
            let moved = load(&z[group.clone()]) + load(&vz[group.clone()]) * step;
            store(&mut z[group], moved);
        }
        for i in whole..n {
            x[i] += vx[i] * TIME_STEP;
            y[i] += vy[i] * TIME_STEP;
            z[i] += vz[i] * TIME_STEP;
        }
    }
}

impl<const L: usize> Hand for Vec<Block<L>> {
    fn new(particles: &[Particle]) -> Self {
        assert!(particles.len().is_multiple_of(L), "the hand-written blocks take whole blocks only");
        let column = |block: &[Particle], f: fn(&Particle) -> f32| core::array::from_fn(|k| f(&block[k]));
        let block = |block: &[Particle]| Block {
            x: column(block, |p| p.pos.x),
            y: column(block, |p| p.pos.y),
            z: column(block, |p| p.pos.z),
            vx: column(block, |p| p.vel.x),
            vy: column(block, |p| p.vel.y),
            vz: column(block, |p| p.vel.z),
            mass: column(block, |p| p.mass),
        };
        particles.chunks_exact(L).map(block).collect()
    }

    fn particles(&self, count: usize) -> Vec<Particle> {
        (0..count)
            .map(|i| (&self[i / L], i % L))
            .map(|(b, k)| Particle {
                pos: Vec3 { x: b.x[k], y: b.y[k], z: b.z[k] },
                vel: Vec3 { x: b.vx[k], y: b.vy[k], z: b.vz[k] },
                mass: b.mass[k],
            })
            .collect()
    }

    #[inline(never)]
    fn update_loop(&mut self, count: usize) {
        for b in 0..count / L {
            for k in 0..L {
                let (x, y, z) = (self[b].x[k], self[b].y[k], self[b].z[k]);
                let mut v = [self[b].vx[k], self[b].vy[k], self[b].vz[k]];
                for other in &*self {
                    for j in 0..L {
                        pull(x, y, z, &mut v, other.x[j], other.y[j], other.z[j], other.mass[j]);
                    }
                }
                (self[b].vx[k], self[b].vy[k], self[b].vz[k]) = (v[0], v[1], v[2]);
            }
        }
    }

    #[inline(never)]
    fn update_lanes(&mut self, count: usize) {
        for b in 0..count / L {
            for first in (0..L).step_by(8) {
                let group = first..first + 8;
                let (x, y, z) =
                    (load(&self[b].x[group.clone()]), load(&self[b].y[group.clone()]), load(&self[b].z[group.clone()]));
                let mut v = [
                    load(&self[b].vx[group.clone()]),
                    load(&self[b].vy[group.clone()]),
                    load(&self[b].vz[group.clone()]),
                ];
                for other in &*self {
                    for j in 0..L {
                        pull8(x, y, z, &mut v, other.x[j], other.y[j], other.z[j], other.mass[j]);
                    }
                }
                store(&mut self[b].vx[group.clone()], v[0]);
                store(&mut self[b].vy[group.clone()], v[1]);
                store(&mut self[b].vz[group], v[2]);
            }
        }
    }

    /// The best blocked loop: explicit vectors, since the compiler turns a short loop over lanes into gathers
    /// across blocks.
    #[inline(never)]
    fn move_loop(&mut self) {
        move_blocks(self);
    }

    #[inline(never)]
    fn move_lanes(&mut self) {
        move_blocks(self);
    }
}

#[inline(always)]
fn move_blocks<const L: usize>(blocks: &mut [Block<L>]) {
    let step = f32x8::splat(TIME_STEP);
    for b in blocks {
        for first in (0..L).step_by(8) {
            let group = first..first + 8;
            let moved = load(&b.x[group.clone()]) + load(&b.vx[group.clone()]) * step;
            store(&mut b.x[group.clone()], moved);
            let moved = load(&b.y[group.clone()]) + load(&b.vy[group.clone()]) * step;
            store(&mut b.y[group.clone()], moved);
            let moved = load(&b.z[group.clone()]) + load(&b.vz[group.clone()]) * step;
            store(&mut b.z[group], moved);
        }
    }
}
