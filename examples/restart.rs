//! A program that stops and continues: heat in a plate, with checkpoints: `cargo run --release -p layout-zarr --example restart -- [FOLDER]`.
//!
//! The first run ends after 70 of 200 steps, on four locales. The second run continues from its last checkpoint on three
//! locales, with another record layout and other tiles. Its result has the same bytes as that of a run without a stop. The checkpoints
//! stay in the folder if one is given, which must not be there before:
//! `zarr.open_group("FOLDER/000004")["plate"]["heat"]` is the heat in Python.

mod arguments;

use core::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use layout::store::{Runtime, Store, bloat, read, write};
use layout::{AoS, Dim, Record, RecordLayout, SoA};
use layout_zarr::{Checkpoint, ZarrError};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Point {
    heat: f64,
    /// The fraction of the difference to its neighbors by which a point changes in a step.
    rate: f32,
    changed: bool,
}

const N: i64 = 96;
const STEPS: u64 = 200;
/// A checkpoint is written after so many steps.
const EVERY: u64 = 50;

type Plate<L> = Store<Point, Dim<2>, L>;

fn start(at: layout::store::Point) -> Point {
    let [row, column] = [at[0], at[1]];
    Point { heat: ((row * row + 7 * column) % 100) as f64, rate: 0.1 + 0.1 * (column % 2) as f32, changed: false }
}

fn step<L: RecordLayout<Point> + Default>(rt: &Runtime, old: &Plate<L>, new: &Plate<L>) -> Result<(), ZarrError> {
    rt.task("step").args((write(new), read(old))).constrain(|(new, old)| bloat(new, old, [1, 1], [1, 1])).launch(
        |task, (mut new, old)| {
            let ([row, column], last) = (task.offset(0, 1), old.extents().map(|extent| extent - 1));
            for i in 0..new.extents()[0] {
                for j in 0..new.extents()[1] {
                    let (i0, j0) = (row + i, column + j);
                    let here = old.load([i0, j0]);
                    let heat = |i: usize, j: usize| old.at([i.min(last[0]), j.min(last[1])]).heat.get();
                    let near = heat(i0.saturating_sub(1), j0) + heat(i0 + 1, j0);
                    let near = near + heat(i0, j0.saturating_sub(1)) + heat(i0, j0 + 1);
                    let change = f64::from(here.rate) * (near - 4.0 * here.heat);
                    new.set([i, j], Point { heat: here.heat + change, changed: change.abs() > 1e-3, ..here });
                }
            }
        },
    )?;
    Ok(())
}

/// Runs from the last checkpoint on, or from the start; gives the step at which it began, and the plate.
fn run<L>(rt: &Runtime, folder: &Path, last: u64) -> Result<(u64, Vec<Point>), ZarrError>
where
    L: RecordLayout<Point> + Default,
{
    let (mut old, mut new): (Plate<L>, Plate<L>) = (rt.create_from_fn([N, N], start)?, rt.create([N, N])?);
    let found = Checkpoint::new(folder).store("plate", &old).restore(rt)?;
    let began = found.map_or(Ok(0), |found| found.value::<u64>("step"))?;
    for done in began + 1..=last {
        step(rt, &old, &new)?;
        core::mem::swap(&mut old, &mut new);
        if done % EVERY == 0 {
            Checkpoint::new(folder).store("plate", &old).value("step", done).write(rt)?;
        }
    }
    Ok((began, old.to_vec()?))
}

/// The result of a program on several simulated locales, which is equal on all of them.
fn on<L>(locales: usize, pieces: usize, folder: &Path, last: u64) -> Result<(u64, Vec<Point>), Box<dyn Error>>
where
    L: RecordLayout<Point> + Default,
{
    let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1).whole_below(0);
    let ran = builder.simulate(|rt| run::<L>(rt, folder, last))?;
    Ok(ran.into_iter().collect::<Result<Vec<_>, _>>()?.swap_remove(0))
}

fn show(folder: Option<PathBuf>) -> Result<(), Box<dyn Error>> {
    let own = std::env::temp_dir().join(format!("layout-restart-{}", std::process::id()));
    let path = folder.clone().unwrap_or_else(|| own.join("stopped"));
    if path.exists() {
        // The first run would go on from the checkpoints there.
        return Err(format!("{} is there already: give a folder that is not there", path.display()).into());
    }
    let (_, stopped) = on::<SoA>(4, 4, &path, 70)?;
    let (began, restarted) = on::<AoS>(3, 6, &path, STEPS)?;
    let (_, unbroken) = on::<SoA>(1, 1, &own.join("unbroken"), STEPS)?;
    let complete = Checkpoint::new(&path).generations()?;
    std::fs::remove_dir_all(&own)?;

    println!("the first run, on 4 locales, stopped after step 70");
    println!("the second one, on 3 locales, went on from step {began}");
    println!("complete checkpoints: {complete:?}, of steps {} and {STEPS}", STEPS - EVERY);
    assert!(stopped != unbroken && began == 50);
    assert!(restarted == unbroken, "a restart changes no bit");
    println!("after step {STEPS} all {} points are as in a run that never stopped", unbroken.len());
    if folder.is_some() {
        println!("the checkpoints are in {}", path.display());
    }
    Ok(())
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(None),
        [folder] => Some(Some(folder.into())),
        _ => None,
    };
    arguments::run("give a folder for the checkpoints that is not there, or nothing to keep none", read, show)
}
