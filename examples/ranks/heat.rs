//! Heat in a plate, in tiles on all ranks: `mpirun -n 4 target/release/heat [STEPS]`.
//!
//! Once a step, a rank receives the rows and columns of points around its tiles. The steps are those of the example `heat` of stores.

#[path = "../arguments.rs"]
mod arguments;
#[path = "../heat/plate.rs"]
mod plate;

use core::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use layout::store::{Max, Runtime, StoreError, read};
use plate::{N, exact};

/// The largest error of any point after so many steps, and the bytes that this rank sent in a step.
fn run(rt: &Runtime, steps: u32) -> Result<(f64, u64), StoreError> {
    let [mut old, mut new] = plate::start(rt)?;
    rt.fence()?;
    let before = rt.traffic().bytes;
    for _ in 0..steps {
        plate::step(rt, &old, &new)?;
        core::mem::swap(&mut old, &mut new);
    }
    rt.fence()?;
    let sent = (rt.traffic().bytes - before) / u64::from(steps.max(1));
    let error = rt.task("error").args((read(&old),)).reduce(Max, move |task, (tile,)| {
        let points = task.rect(0).points().zip(tile.to_vec());
        // What is no number is infinitely far off.
        let off = points.map(|(at, found)| (found - exact(at, f64::from(steps))).abs().min(f64::INFINITY));
        Ok(off.fold(0.0, f64::max))
    })?;
    Ok((error.get()?, sent))
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(1000),
        [steps] => steps.to_str()?.parse().ok().filter(|steps| *steps > 0),
        _ => None,
    };
    arguments::run("give the number of steps, 1 or more, or nothing for 1000", read, on_ranks)
}

fn on_ranks(steps: u32) -> Result<(), Box<dyn Error>> {
    layout_mpi::run(|rt| {
        let start = Instant::now();
        let (error, sent) = run(rt, steps)?;
        let seconds = start.elapsed().as_secs_f64();
        assert!(error < 1e-12, "off by {error:.1e}");
        if rt.locale() == 0 {
            println!("steps: {steps}, points: {N} by {N}, ranks: {}, {seconds:.3} s", rt.locales());
            println!("off by {error:.1e} from the exact solution; rank 0 sends {sent} bytes a step");
        }
        Ok::<_, StoreError>(())
    })??;
    Ok(())
}
