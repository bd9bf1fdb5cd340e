//! N-body by tiles, with the kernels of the `nbody` example: `cargo run --release --example particles -- [PARTICLES]`.
//!
//! The particles lie in a store, in SoA. Each point of a launch computes the velocities of its tile from all particles, and
//! moves the tile; the next step reads what this one wrote.
#![expect(clippy::cast_possible_truncation, reason = "indices and counts are small")]

#[path = "../arguments.rs"]
mod arguments;
mod ring;

use core::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use layout::store::Runtime;
use ring::{STEPS, by_tiles, in_one_loop};

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(4096),
        [count] => count.to_str()?.parse().ok().filter(|count| *count > 0),
        _ => None,
    };
    arguments::run("give the number of particles, 1 or more, or nothing for 4096", read, run)
}

fn run(count: usize) -> Result<(), Box<dyn Error>> {
    let rt = Runtime::builder().min_chunk(1).build()?;
    println!("particles: {count}, tiles: {}", rt.pieces().min(count));
    let start = Instant::now();
    let (found, energy) = by_tiles(&rt, count)?;
    let tiles = start.elapsed();
    let start = Instant::now();
    let same = found == in_one_loop(count)?;
    let one = start.elapsed();
    println!("{STEPS} steps by tiles {:.3} s, in one loop {:.3} s", tiles.as_secs_f64(), one.as_secs_f64());
    println!("kinetic energy {energy:.6}; bit by bit the same as in one loop: {same}");
    assert!(same);
    Ok(())
}
