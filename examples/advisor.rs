//! The best layout for a kernel: `cargo run --release --example advisor -- [PARTICLES]`.

mod arguments;

use core::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;

use layout::choice::layouts;
use layout::composed::{ChangeType, Split};
use layout::inspect::{Advisor, Kernel};
use layout::path;
use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: Vec3,
    vel: Vec3,
    id: u64,
}

/// Moves particles in a box, whose walls throw them back.
#[derive(Clone)]
struct Move {
    dt: f32,
}

impl Kernel<Particle> for Move {
    fn run<M, B>(&mut self, particles: &mut View<M, B>)
    where
        M: Mapping<Record = Particle, Extents = DynExtents<1>>,
        B: BlobsMut,
    {
        let bounce = |pos: f32, vel: f32| if pos.abs() > 100.0 { -vel } else { vel };
        particles.for_each_mut(|mut p| {
            p.pos.x += p.vel.x.get() * self.dt;
            p.pos.y += p.vel.y.get() * self.dt;
            p.pos.z += p.vel.z.get() * self.dt;
            p.vel.x.set(bounce(p.pos.x.get(), p.vel.x.get()));
            p.vel.y.set(bounce(p.pos.y.get(), p.vel.y.get()));
            p.vel.z.set(bounce(p.pos.z.get(), p.vel.z.get()));
        });
    }
}

layouts! {
    struct Layouts of Particle = [
        AoS,
        SoA,
        SoASingle,
        AoSoA<16>,
        Split<path!(Particle, id), AoS, SoA>,
        ChangeType<SoA, f32, i16>,
    ];
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(1 << 20),
        [count] => count.to_str()?.parse().ok().filter(|count| *count > 0),
        _ => None,
    };
    arguments::run("give the number of particles, 1 or more, or nothing for 1048576", read, run)
}

fn run(count: usize) -> Result<(), Box<dyn Error>> {
    let particle = |[i]: [usize; 1]| {
        let x = (i % 199) as f32 - 99.0;
        Particle { pos: Vec3 { x, y: x / 2.0, z: -x }, vel: Vec3 { x: 1.5, y: x, z: 0.5 }, id: i as u64 }
    };
    let particles = alloc_from_fn::<Particle, AoS, _>(count, particle)?;
    println!("{}", Advisor::new(Layouts).advise(&particles, &Move { dt: 0.1 })?);
    Ok(())
}
