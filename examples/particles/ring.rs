//! A ring of particles, which attract each other: their steps over tiles, and in one loop.

#[expect(dead_code, reason = "the `nbody` example uses them all")]
#[path = "../nbody/kernels.rs"]
mod kernels;

use kernels::{Particle, Particles, Vec3, move_loop, pull, update_loop};
use layout::store::{Runtime, Store, StoreError, Sum, align, broadcast, read, write};
use layout::{Blobs, BlobsMut, SoA, View, ViewError, alloc_from_fn, zip};

pub(crate) const STEPS: usize = 5;

/// A ring of particles, each with a little spin.
fn particle(number: usize, count: usize) -> Particle {
    let turn = number as f32 / count as f32 * core::f32::consts::TAU;
    let far = 1.0 + (number * 7919 % 101) as f32 / 100.0;
    let pos = Vec3 { x: far * turn.cos(), y: far * turn.sin(), z: (number * 31 % 17) as f32 / 40.0 };
    Particle { pos, vel: Vec3 { x: -pos.y, y: pos.x, z: 0.0 }, mass: 1.0 + (number % 3) as f32 }
}

/// The particles `tile` after one time step of all: `start` is the first of them.
fn step<M: Particles, N: Particles>(all: &View<M, impl Blobs>, tile: &mut View<N, impl BlobsMut>, start: usize) {
    for i in 0..tile.len() {
        let mut particle = all.load(start + i);
        let (pos, vel) = (particle.pos, particle.vel);
        let at = [pos.x, pos.y, pos.z];
        let mut v = [vel.x, vel.y, vel.z];
        zip((&all.field(Particle::PATHS.pos), &all.field(Particle::PATHS.mass)))
            .for_each(|(other, mass)| v = pull(at, v, [other.x.get(), other.y.get(), other.z.get()], mass.get()));
        particle.vel = Vec3 { x: v[0], y: v[1], z: v[2] };
        tile.set(i, particle);
    }
    move_loop(tile);
}

/// The particles after all steps, on all tiles, and their kinetic energy.
pub(crate) fn by_tiles(rt: &Runtime, count: usize) -> Result<(Vec<Particle>, f64), StoreError> {
    let mut old: Store<Particle, _, SoA> = rt.create_from_fn(count, |at| particle(at[0] as usize, count))?;
    let mut new: Store<Particle, _, SoA> = rt.create(count)?;
    for _ in 0..STEPS {
        rt.task("step")
            .args((read(&old), read(&old), write(&new)))
            .constrain(|(all, old, new)| [broadcast(all), align(old, new)])
            .launch(|task, (all, _, mut tile)| step(&all, &mut tile, task.origin::<1>(2)[0]))?;
        core::mem::swap(&mut old, &mut new);
    }
    // Values of all points are combined in one order, so that this is the same on any number of threads.
    let energy = rt.task("energy").args((read(&old),)).reduce(Sum, |_, (tile,)| {
        let mut sum = 0.0;
        tile.for_each(|p| {
            let speed = [p.vel.x.get(), p.vel.y.get(), p.vel.z.get()].map(f64::from);
            sum += 0.5 * f64::from(p.mass.get()) * speed.iter().map(|v| v * v).sum::<f64>();
        });
        Ok(sum)
    })?;
    Ok((old.to_vec()?, energy.get()?))
}

/// The particles after all steps of one loop.
pub(crate) fn in_one_loop(count: usize) -> Result<Vec<Particle>, ViewError> {
    let mut plain = alloc_from_fn::<Particle, SoA, _>(count, |[i]| particle(i, count))?;
    for _ in 0..STEPS {
        update_loop(&mut plain, count);
        move_loop(&mut plain);
    }
    Ok(plain.to_vec())
}
