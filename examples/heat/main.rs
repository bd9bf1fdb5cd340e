//! Heat in a plate, by a five-point stencil over tiles: `cargo run --release --example heat -- [FOLDER [STEPS]]`.
//!
//! The example draws up to five pictures into the folder, or into `target/heat` if none is given; it creates the folder if needed. The
//! plate starts as a sum of waves. Each wave fades at a known rate, so the result can be checked.

use core::error::Error;
use core::time::Duration;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use indicatif::ProgressBar;
use layout::store::Runtime;

#[path = "../arguments.rs"]
mod arguments;
#[path = "../folder.rs"]
mod folder;
mod picture;
mod plate;

use plate::{N, exact};

/// The number of parts that the steps are cut into; a picture is drawn at both ends of each part.
const PARTS: u64 = 4;

fn main() -> ExitCode {
    let usage = "give a folder for pictures and the number of steps, 1 or more, or nothing for target/heat and 4000";
    let read = |given: &[OsString]| match given {
        [] => Some((PathBuf::from("target/heat"), 4000)),
        [folder] => Some((folder.into(), 4000)),
        [folder, steps] => Some((folder.into(), steps.to_str()?.parse().ok().filter(|steps| *steps > 0)?)),
        _ => None,
    };
    arguments::run(usage, read, |(folder, steps)| run(&folder, steps))
}

fn run(folder: &Path, steps: u64) -> Result<(), Box<dyn Error>> {
    folder::make(folder)?;
    let rt = Runtime::builder().min_chunk(1).build()?;
    let [mut old, mut new] = plate::start(&rt)?;
    // All pictures have the colors of the first, so they show that the waves fade.
    let most = old.read(|plate| plate.values().fold(0.0, |most: f64, value| most.max(value.abs())))?;

    let bar = ProgressBar::new(steps);
    let (start, mut drawn) = (Instant::now(), Duration::ZERO);
    for step in 0..=steps {
        if (0..=PARTS).any(|part| steps / PARTS * part + steps % PARTS * part / PARTS == step) {
            rt.fence()?;
            let start = Instant::now();
            let path = folder.join(format!("heat_{step:05}.png"));
            picture::draw(&old, most, step)?.save(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            drawn += start.elapsed();
        }
        if step == steps {
            break;
        }
        plate::step(&rt, &old, &new)?;
        core::mem::swap(&mut old, &mut new);
        bar.inc(1);
    }
    rt.fence()?;
    bar.finish_and_clear();

    let seconds = (start.elapsed() - drawn).as_secs_f64();
    let found = old.to_vec()?;
    let points = layout::store::Rect::of(old.extents()).points();
    // What is no number is infinitely far off.
    let off = points.zip(&found).map(|(at, found)| (found - exact(at, steps as f64)).abs().min(f64::INFINITY));
    let error = off.fold(0.0, f64::max);
    let most = found.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    println!("steps: {steps}, points: {N} by {N}, tiles: {}, {seconds:.2} s", rt.pieces());
    println!("{:.0} million points a second", (N * N) as f64 * steps as f64 / seconds / 1e6);
    println!("the point farthest from zero has {most:.6}; off by {error:.1e} from the exact solution");
    assert!(error < 1e-12);
    println!("the pictures are in {}", folder.display());
    Ok(())
}
