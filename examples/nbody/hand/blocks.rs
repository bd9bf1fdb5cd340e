//! By hand: arrays of blocks.

use core::array;

use wide::f32x8;

use super::super::kernels::{Particle, Vec3};
use super::{Hand, Vector, move_groups, pull, pull_all};

/// `L` particles, leaf by leaf.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Block<const L: usize>
where
    Length<L>: Aligned,
{
    x: [f32; L],
    y: [f32; L],
    z: [f32; L],
    vx: [f32; L],
    vy: [f32; L],
    vz: [f32; L],
    mass: [f32; L],
    align: [<Length<L> as Aligned>::To; 0],
}

/// The length of a block, which says to what blocks are aligned: to a line of the cache, if that adds no bytes.
pub(crate) struct Length<const L: usize>;

pub(crate) trait Aligned {
    type To: Copy + core::fmt::Debug;
}

#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct HalfLine;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Line;

impl Aligned for Length<8> {
    type To = HalfLine;
}

impl Aligned for Length<16> {
    type To = Line;
}

impl Aligned for Length<32> {
    type To = Line;
}

impl<const L: usize> Hand for Vec<Block<L>>
where
    Length<L>: Aligned,
{
    fn new(particles: &[Particle]) -> Self {
        assert!(particles.len().is_multiple_of(L), "the hand-written blocks take whole blocks only");
        let column = |block: &[Particle], f: fn(&Particle) -> f32| array::from_fn(|k| f(&block[k]));
        let block = |block: &[Particle]| Block {
            x: column(block, |p| p.pos.x),
            y: column(block, |p| p.pos.y),
            z: column(block, |p| p.pos.z),
            vx: column(block, |p| p.vel.x),
            vy: column(block, |p| p.vel.y),
            vz: column(block, |p| p.vel.z),
            mass: column(block, |p| p.mass),
            align: [],
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
                        pull([x, y, z], &mut v, [other.x[j], other.y[j], other.z[j]], other.mass[j]);
                    }
                }
                (self[b].vx[k], self[b].vy[k], self[b].vz[k]) = (v[0], v[1], v[2]);
            }
        }
    }

    #[inline(never)]
    fn update_lanes<const N: usize, const V: usize, T: Vector<N>>(&mut self, count: usize) {
        // The count is a number of whole blocks, and of groups of `V` vectors.
        for first in (0..count).step_by(N * V) {
            let groups: [_; V] = array::from_fn(|g| first + N * g);
            let at: [[T; 3]; V] =
                groups.map(|i| [load(self, i, |b| &b.x), load(self, i, |b| &b.y), load(self, i, |b| &b.z)]);
            let mut v: [[T; 3]; V] =
                groups.map(|i| [load(self, i, |b| &b.vx), load(self, i, |b| &b.vy), load(self, i, |b| &b.vz)]);
            for other in &*self {
                for j in 0..L {
                    pull_all(&at, &mut v, [other.x[j], other.y[j], other.z[j]], other.mass[j]);
                }
            }
            for (i, [x, y, z]) in groups.into_iter().zip(v) {
                store(self, i, x, |b| &mut b.vx);
                store(self, i, y, |b| &mut b.vy);
                store(self, i, z, |b| &mut b.vz);
            }
        }
    }

    /// The best blocked loop: explicit vectors, since the compiler turns a short loop over lanes into gathers
    /// across blocks.
    #[inline(never)]
    fn move_loop(&mut self) {
        move_blocks::<L, 8, f32x8>(self);
    }

    #[inline(never)]
    fn move_lanes<const N: usize, T: Vector<N>>(&mut self) {
        // Vectors wider than a block would reach into the next leaf.
        if const { N <= L } {
            move_blocks::<L, N, T>(self);
        } else {
            move_blocks::<L, 8, f32x8>(self);
        }
    }
}

/// `N` numbers of a leaf from particle `first` on, which may be those of several blocks.
#[inline(always)]
fn load<const L: usize, const N: usize, T: Vector<N>>(
    blocks: &[Block<L>],
    first: usize,
    leaf: impl Fn(&Block<L>) -> &[f32; L],
) -> T
where
    Length<L>: Aligned,
{
    let mut numbers = [0.0; N];
    for (k, part) in numbers.chunks_mut(L).enumerate() {
        let i = first + k * L;
        part.copy_from_slice(&leaf(&blocks[i / L])[i % L..][..N.min(L)]);
    }
    T::new(numbers)
}

/// As [`load`], to write.
#[inline(always)]
fn store<const L: usize, const N: usize, T: Vector<N>>(
    blocks: &mut [Block<L>],
    first: usize,
    value: T,
    leaf: impl Fn(&mut Block<L>) -> &mut [f32; L],
) where
    Length<L>: Aligned,
{
    for (k, part) in value.numbers().chunks(L).enumerate() {
        let i = first + k * L;
        leaf(&mut blocks[i / L])[i % L..][..N.min(L)].copy_from_slice(part);
    }
}

#[inline(always)]
fn move_blocks<const L: usize, const N: usize, T: Vector<N>>(blocks: &mut [Block<L>])
where
    Length<L>: Aligned,
{
    for Block { x, y, z, vx, vy, vz, .. } in blocks {
        let positions = [x.as_chunks_mut().0, y.as_chunks_mut().0, z.as_chunks_mut().0];
        move_groups::<N, T>(positions, [vx.as_chunks().0, vy.as_chunks().0, vz.as_chunks().0]);
    }
}
