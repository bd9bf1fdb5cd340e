//! N-body, a part of the particles on each rank: `mpirun -n 4 target/release/particles [PARTICLES]`.
//!
//! Once a step, each rank receives the particles of all others. The steps are those of the example `particles` of stores.
#![expect(clippy::cast_possible_truncation, reason = "indices and counts are small")]

#[path = "../arguments.rs"]
mod arguments;
#[path = "../particles/ring.rs"]
mod ring;

use core::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use layout::store::StoreError;
use ring::{STEPS, by_tiles, in_one_loop};

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(4096),
        [count] => count.to_str()?.parse().ok().filter(|count| *count > 0),
        _ => None,
    };
    arguments::run("give the number of particles, 1 or more, or nothing for 4096", read, on_ranks)
}

fn on_ranks(count: usize) -> Result<(), Box<dyn Error>> {
    layout_mpi::run(|rt| {
        let start = Instant::now();
        let (found, energy) = by_tiles(rt, count)?;
        let seconds = start.elapsed().as_secs_f64();
        if rt.locale() == 0 {
            println!("steps: {STEPS}, particles: {count}, ranks: {}, {seconds:.3} s", rt.locales());
            let same = in_one_loop(count).is_ok_and(|expected| found == expected);
            println!("kinetic energy {energy:.6}; bit by bit the same as in one loop: {same}");
            assert!(same);
        }
        Ok::<_, StoreError>(())
    })??;
    Ok(())
}
