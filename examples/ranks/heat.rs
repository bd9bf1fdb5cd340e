//! Heat in a plate, in tiles on all ranks: `mpirun -n 4 target/release/heat [STEPS]`.
//!
//! Once a step, a rank receives the rows and columns of points around its tiles. The steps are those of the example `heat` of stores.

#[path = "../heat/plate.rs"]
mod plate;

use core::error::Error;

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

fn main() -> Result<(), Box<dyn Error>> {
    let steps: u32 = std::env::args().nth(1).map_or(Ok(1000), |steps| steps.parse())?;
    layout_mpi::run(|rt| {
        let (error, sent) = run(rt, steps)?;
        assert!(error < 1e-12, "off by {error:.1e}");
        if rt.locale() == 0 {
            println!("{steps} steps on {N} by {N} points on {} ranks", rt.locales());
            println!("off by {error:.1e} from the exact solution; rank 0 sends {sent} bytes a step");
        }
        Ok::<_, StoreError>(())
    })??;
    Ok(())
}
