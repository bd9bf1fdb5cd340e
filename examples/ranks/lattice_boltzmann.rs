//! Fluid by the lattice Boltzmann method in three dimensions (D3Q19), a block on each rank:
//! `mpirun -n 4 target/release/lattice_boltzmann [LAYOUT [SIDE [STEPS]]]`.
//!
//! A cell is a record of 19 floats, in one of the layouts AoS, SoA and AoSoA. Once a step, a rank receives the faces, edges and corners
//! around its block.

#[path = "../arguments.rs"]
mod arguments;
mod flow;

use core::error::Error;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::process::ExitCode;
use std::time::Instant;

use flow::{Flow, VISCOSITY};
use layout::array::ArrayError;
use layout::store::Runtime;
use layout::{AoS, AoSoA, SoA};

fn main() -> ExitCode {
    let read = |given: &[OsString]| {
        let given: Vec<&str> = given.iter().map(|argument| argument.to_str()).collect::<Option<_>>()?;
        match given[..] {
            [] => Some(("SoA".to_owned(), 32, 100)),
            [layout] => Some((layout.into(), 32, 100)),
            [layout, side] => Some((layout.into(), side.parse().ok()?, 100)),
            [layout, side, steps] => Some((layout.into(), side.parse().ok()?, steps.parse().ok()?)),
            _ => None,
        }
    };
    let usage = "give a layout (AoS, SoA or AoSoA), the side of the cube and the number of steps, or nothing for SoA, 32 and 100";
    arguments::run(usage, read, |(layout, side, steps)| on_ranks(&layout, side, steps))
}

fn on_ranks(layout: &str, side: usize, steps: u32) -> Result<(), Box<dyn Error>> {
    let wrong = |error| io::Error::new(ErrorKind::InvalidInput, error);
    flow::check_measurable(side, steps).map_err(wrong)?;
    let run: fn(&Runtime, usize, u32) -> Result<Flow, ArrayError> = match layout {
        "AoS" => |rt, side, steps| Ok(flow::run::<AoS>(rt, side, steps)?.1),
        "SoA" => |rt, side, steps| Ok(flow::run::<SoA>(rt, side, steps)?.1),
        "AoSoA" => |rt, side, steps| Ok(flow::run::<AoSoA<8>>(rt, side, steps)?.1),
        _ => return Err(wrong(format!("there is no layout `{layout}`; there are AoS, SoA and AoSoA")).into()),
    };
    layout_mpi::run(|rt| {
        let start = Instant::now();
        let flow = run(rt, side, steps)?;
        let seconds = start.elapsed().as_secs_f64();
        flow.check();
        if rt.locale() == 0 {
            let million = f64::from(steps) * side.pow(3) as f64 / 1e6;
            println!("steps: {steps}, cells: {side}^3 in {layout}, ranks: {}, {seconds:.2} s", rt.locales());
            println!("{:.1} million cells a second; rank 0 sends {} bytes a step", million / seconds, flow.sent);
            println!("the viscosity is {:.6}; by the rate of collisions, {VISCOSITY:.6}", flow.viscosity);
        }
        Ok::<_, ArrayError>(())
    })??;
    Ok(())
}
