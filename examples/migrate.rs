//! Particles that move from tile to tile: `cargo run --release --example migrate`.
//!
//! Each point of a launch has the particles of one tile of a box. The point moves the particles, and sends each particle to its new
//! tile, so tiles grow and shrink without a count. A particle goes to another locale only if its new tile lies there. No launch waits
//! for another launch; only the points wait. The program is the same on one locale and on four.

mod arguments;

use core::error::Error;
use std::process::ExitCode;

use layout::store::{Runtime, StoreError, Unbound, emitted, send};
use layout::{Dim, Record, SoA};

const TILES: [i64; 2] = [4, 4];
/// The sides of the box, which is periodic.
const SIDE: i32 = 1 << 20;
const COUNT: u32 = 20_000;
const STEPS: i32 = 100;

/// Positions are integers, so that each particle can be checked to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    number: u32,
    pos: [i32; 2],
    vel: [i32; 2],
}

impl Particle {
    /// More particles in the columns in the middle, and the fastest at the bottom.
    fn new(number: u32) -> Self {
        let random = |salt: u32| i64::from((number ^ salt).wrapping_mul(0x9e37_79b1).rotate_left(13) >> 4);
        let below = |salt: u32, end: i64| i32::try_from(random(salt) % end).expect("a small number");
        let pos = [below(1, i64::from(SIDE)), below(2, i64::from(SIDE / 2)) + below(3, i64::from(SIDE / 2))];
        Self { number, pos, vel: [below(4, 4001) - 2000, below(5, 1 + i64::from(pos[0]) / 64) - 4000] }
    }

    fn moved(self, steps: i32) -> Self {
        let on = |dim: usize| (self.pos[dim] + steps * self.vel[dim]).rem_euclid(SIDE);
        Self { pos: [on(0), on(1)], ..self }
    }

    fn tile(&self) -> [i64; 2] {
        [0, 1].map(|dim| i64::from(self.pos[dim]) * TILES[dim] / i64::from(SIDE))
    }
}

/// The number of particles of each tile at the end, all particles by number, and the bytes that this locale sent for the steps.
type Found = (Vec<usize>, Vec<Particle>, u64);

fn program(rt: &Runtime) -> Result<Found, StoreError> {
    let mut tiles: Unbound<Particle, Dim<1>, SoA> = rt.unbound();
    rt.task("start").over(TILES)?.args((send(&tiles),)).launch(|task, (mut to,)| {
        let (points, number) = (TILES[0] * TILES[1], task.point()[0] * TILES[1] + task.point()[1]);
        let mine = (0..COUNT).filter(|particle| i64::from(*particle) % points == number);
        mine.map(Particle::new).try_for_each(|particle| to.push(particle.tile(), particle))
    })?;
    rt.fence()?;
    let before = rt.traffic().bytes;
    for _ in 0..STEPS {
        let next = rt.unbound();
        rt.task("move").args((emitted(&tiles), send(&next))).launch(|_, (tile, mut to)| {
            let moved = (0..tile.len()).map(|at| tile.load(at).moved(1));
            moved.into_iter().try_for_each(|particle| to.push(particle.tile(), particle))
        })?;
        tiles = next;
    }
    rt.fence()?;
    let sent = rt.traffic().bytes - before;
    let sizes = rt.task("check").args((emitted(&tiles),)).map(|task, (tile,)| {
        let here = (0..tile.len()).all(|at| tile.load(at).tile()[..] == task.point()[..]);
        assert!(here, "tile {} has particles of others", task.point());
        Ok(tile.len())
    })?;
    let mut all = tiles.store()?.to_vec()?;
    all.sort_unstable_by_key(|particle| particle.number);
    Ok((sizes.get()?, all, sent))
}

fn main() -> ExitCode {
    arguments::run("give no arguments", |given| given.is_empty().then_some(()), |()| run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let expected: Vec<Particle> = (0..COUNT).map(|number| Particle::new(number).moved(STEPS)).collect();
    println!("{COUNT} particles in {} tiles, {STEPS} steps", TILES[0] * TILES[1]);
    let mut first = None;
    for locales in 1..=4 {
        let found = Runtime::builder().locales(locales).simulate(program)?;
        let mut sent = 0;
        for found in found {
            let (sizes, all, bytes) = found?;
            // None is lost and none is there twice; each is where its velocity takes it.
            assert_eq!(sizes.iter().sum::<usize>(), expected.len());
            assert!(all == expected, "particles differ on {locales} locales");
            assert_eq!(*first.get_or_insert_with(|| sizes.clone()), sizes, "tiles differ on {locales} locales");
            sent += bytes;
        }
        let moved = sent / size_of::<Particle>() as u64;
        println!("locales: {locales}; all particles are where they should be; {moved} went to another locale");
    }
    let sizes = first.unwrap_or_default();
    println!("tiles of {} to {} particles", sizes.iter().min().unwrap_or(&0), sizes.iter().max().unwrap_or(&0));
    Ok(())
}
