//! By hand: struct of arrays.

use core::array;
use core::ops::Range;

use super::super::kernels::{Particle, TIME_STEP, Vec3};
use super::{Hand, Vector, load, move_groups, pull, pull_all, store};

/// An array a leaf, in one allocation: x, y, z, then their velocities, then the masses.
///
/// Each starts where a cache line does, an odd number of lines after the one before: arrays a power of two
/// apart would compete for the same places of the cache.
#[derive(Debug)]
pub(crate) struct Soa {
    memory: Vec<f32>,
    start: usize,
    pitch: usize,
    len: usize,
}

impl Soa {
    fn columns(&self) -> [&[f32]; 7] {
        let mut columns = self.memory[self.start..].chunks_exact(self.pitch);
        array::from_fn(|_| &columns.next().expect("seven columns")[..self.len])
    }

    fn columns_mut(&mut self) -> [&mut [f32]; 7] {
        let mut columns = self.memory[self.start..].chunks_exact_mut(self.pitch);
        array::from_fn(|_| &mut columns.next().expect("seven columns")[..self.len])
    }
}

/// The plain loop: all of it, or what the lanes leave over.
#[inline(always)]
fn update_rest(x: &[f32], y: &[f32], z: &[f32], velocity: [&mut [f32]; 3], mass: &[f32], rest: Range<usize>) {
    let [vx, vy, vz] = velocity;
    for i in rest {
        let (px, py, pz) = (x[i], y[i], z[i]);
        let mut v = [vx[i], vy[i], vz[i]];
        for (((x, y), z), mass) in x.iter().zip(y).zip(z).zip(mass) {
            pull([px, py, pz], &mut v, [*x, *y, *z], *mass);
        }
        (vx[i], vy[i], vz[i]) = (v[0], v[1], v[2]);
    }
}

#[inline(always)]
fn move_columns(positions: [&mut [f32]; 3], velocities: [&[f32]; 3]) {
    let ([x, y, z], [vx, vy, vz]) = (positions, velocities);
    for (((((x, y), z), vx), vy), vz) in x.iter_mut().zip(y).zip(z).zip(vx).zip(vy).zip(vz) {
        *x += *vx * TIME_STEP;
        *y += *vy * TIME_STEP;
        *z += *vz * TIME_STEP;
    }
}

impl Hand for Soa {
    fn new(particles: &[Particle]) -> Self {
        const LINE: usize = 64 / size_of::<f32>();
        let len = particles.len();
        let pitch = (len.div_ceil(LINE) | 1) * LINE;
        let mut memory = vec![0.0f32; 7 * pitch + LINE];
        let start = memory.as_ptr().align_offset(64);
        let leaves = |p: &Particle| [p.pos.x, p.pos.y, p.pos.z, p.vel.x, p.vel.y, p.vel.z, p.mass];
        for (leaf, column) in memory[start..].chunks_exact_mut(pitch).enumerate() {
            column.iter_mut().zip(particles).for_each(|(value, particle)| *value = leaves(particle)[leaf]);
        }
        Self { memory, start, pitch, len }
    }

    fn particles(&self, _: usize) -> Vec<Particle> {
        let [x, y, z, vx, vy, vz, mass] = self.columns();
        let particle = |i| Particle {
            pos: Vec3 { x: x[i], y: y[i], z: z[i] },
            vel: Vec3 { x: vx[i], y: vy[i], z: vz[i] },
            mass: mass[i],
        };
        (0..self.len).map(particle).collect()
    }

    #[inline(never)]
    fn update_loop(&mut self, count: usize) {
        let [x, y, z, vx, vy, vz, mass] = self.columns_mut();
        update_rest(x, y, z, [vx, vy, vz], mass, 0..count);
    }

    #[inline(never)]
    fn update_lanes<const N: usize, const V: usize, T: Vector<N>>(&mut self, count: usize) {
        let [x, y, z, vx, vy, vz, mass] = self.columns_mut();
        let whole = count / (N * V) * (N * V);
        for first in (0..whole).step_by(N * V) {
            let groups: [_; V] = array::from_fn(|g| first + N * g..first + N * (g + 1));
            let three = |x: &[f32], y: &[f32], z: &[f32]| {
                groups.clone().map(|group| [load(&x[group.clone()]), load(&y[group.clone()]), load(&z[group])])
            };
            let at: [[T; 3]; V] = three(x, y, z);
            let mut v = three(vx, vy, vz);
            // Zipped slices: no index, and nothing to check in the loop.
            for (((x, y), z), mass) in x.iter().zip(&*y).zip(&*z).zip(&*mass) {
                pull_all(&at, &mut v, [*x, *y, *z], *mass);
            }
            for (group, [x, y, z]) in groups.into_iter().zip(v) {
                store(&mut vx[group.clone()], x);
                store(&mut vy[group.clone()], y);
                store(&mut vz[group], z);
            }
        }
        update_rest(x, y, z, [vx, vy, vz], mass, whole..count);
    }

    #[inline(never)]
    fn move_loop(&mut self) {
        let [x, y, z, vx, vy, vz, _] = self.columns_mut();
        move_columns([x, y, z], [vx, vy, vz]);
    }

    #[inline(never)]
    fn move_lanes<const N: usize, T: Vector<N>>(&mut self) {
        let [x, y, z, vx, vy, vz, _] = self.columns_mut();
        let ((x, x_rest), (y, y_rest), (z, z_rest)) = (x.as_chunks_mut(), y.as_chunks_mut(), z.as_chunks_mut());
        let ((vx, vx_rest), (vy, vy_rest), (vz, vz_rest)) = (vx.as_chunks(), vy.as_chunks(), vz.as_chunks());
        move_groups::<N, T>([x, y, z], [vx, vy, vz]);
        move_columns([x_rest, y_rest, z_rest], [vx_rest, vy_rest, vz_rest]);
    }
}
