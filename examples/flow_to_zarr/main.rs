//! Flow around a cylinder, written as a group of Zarr arrays for Python:
//! `cargo run --release -p layout-zarr --example flow_to_zarr -- [FOLDER [STEPS]]`.
//!
//! The cells are those of `lattice_boltzmann`, in blocks of 16 (`AoSoA<16>`). `write_zarr` writes the view as one array for each of its
//! ten leaves to `FOLDER/flow.zarr` (`target/flow/flow.zarr`), and replaces an earlier group there. The script
//! `examples/flow_to_zarr/plot.py` draws the vorticity from these arrays.

use core::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[path = "../arguments.rs"]
mod arguments;
#[path = "../folder.rs"]
mod folder;
#[path = "../lattice_boltzmann/kernel.rs"]
#[expect(dead_code, reason = "the picture is made by Python")]
mod kernel;

use kernel::{Cell, Stream, advance, equilibrium};
use layout::prelude::*;
use layout_zarr::write_zarr;

const EXTENTS: [usize; 2] = [120, 400];
/// In cells.
const RADIUS: f32 = 9.0;
/// The speed of the inflow, in cells a step.
const SPEED: f32 = 0.1;
/// Vortices leave the cylinder on both sides in turns above about 50.
const REYNOLDS: f32 = 120.0;
/// After so many steps the vortices have crossed the whole grid.
const STEPS: usize = 16_000;

/// The flow at first: a little downwards, so that it does not stay equal on both sides.
fn start([i, j]: [usize; 2]) -> Cell {
    let (down, right) = (i as f32 - EXTENTS[0] as f32 / 2.0, j as f32 - EXTENTS[1] as f32 / 5.0);
    let [rest, f @ ..] = equilibrium(1.0, [0.02, SPEED]);
    Cell { rest, f, wall: down * down + right * right < RADIUS * RADIUS }
}

fn run(folder: &Path, steps: usize) -> Result<(), Box<dyn Error>> {
    folder::make(folder)?;
    let mut cells = alloc_from_fn::<Cell, AoSoA<16>, _>(EXTENTS, start)?;
    let mut stream = Stream::new(EXTENTS[1])?;
    let [_, inflow @ ..] = equilibrium(1.0, [0.0, SPEED]);
    let rate = 1.0 / (3.0 * SPEED * 2.0 * RADIUS / REYNOLDS + 0.5);
    for _ in 0..steps {
        advance(&mut cells, &mut stream, inflow, rate);
    }

    let group = folder.join("flow.zarr");
    if group.join("zarr.json").exists() {
        fs::remove_dir_all(&group).map_err(|error| format!("{}: {error}", group.display()))?;
    }
    write_zarr(&cells, &group)?;
    let walls = cells.to_vec().iter().filter(|cell| cell.wall).count();
    println!("{} of {} cells are wall", walls, cells.len());
    println!("after {steps} steps the cells are in {}", group.display());
    println!("python examples/flow_to_zarr/plot.py {} draws them", group.display());
    Ok(())
}

fn main() -> ExitCode {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let read = |given: &[OsString]| match given {
        [] => Some((target.join("flow"), STEPS)),
        [folder] => Some((folder.into(), STEPS)),
        [folder, steps] => Some((folder.into(), steps.to_str()?.parse().ok()?)),
        _ => None,
    };
    let usage = format!(
        "give a folder for the group of arrays, and a number of steps, or nothing for {} and {STEPS} steps",
        target.join("flow").display()
    );
    arguments::run(&usage, read, |(folder, steps)| run(&folder, steps))
}
