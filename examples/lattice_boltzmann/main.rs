//! Flow around a cylinder by the lattice Boltzmann method, in five layouts and by hand in three:
//! `cargo run --release --example lattice_boltzmann`.
//!
//! Cells are a record of nine numbers and a flag. The kernel works on lanes of cells, the layout is chosen at run time,
//! and results have the same bits in each. Steps of views and of the loops by hand take turns; a ratio is the median of their ratios.
//! `-- --layout SoA --steps 24000 --picture target/flow.png` draws the picture in the README, and runs no loops by hand.

mod hand;
mod kernel;
#[path = "../options.rs"]
mod options;
mod picture;
#[path = "../pipe.rs"]
mod pipe;
#[path = "../png.rs"]
mod png;
#[path = "../nbody/timing.rs"]
#[expect(dead_code, reason = "one measurement is enough here")]
mod timing;

use core::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use hand::{Arrays, Blocks, Structs};
use kernel::{Cell, Stream, advance, equilibrium, moments};
use layout::choice::{LayoutList, LayoutTask, layouts};
use layout::composed::Split;
use layout::path;
use layout::prelude::*;
use options::number;

/// The numbers in arrays, and the flags by themselves.
type NumbersApart = Split<path!(Cell, wall), SoA, SoASingle>;

layouts! {
    /// The layouts that `--layout` takes.
    struct Layouts of Cell = [AoS, SoA, AoSoA<16>, AoSoA<64>, NumbersApart];
}

/// Cells that the inflow moves on by in one step; far less than the speed of sound, 0.58.
const SPEED: f32 = 0.1;
/// The Reynolds number: above about 50, vortices leave the cylinder on both sides in turns.
const REYNOLDS: f32 = 150.0;

fn usage() -> String {
    format!(
        "give any of --height N and --width N (8 to 4096), --steps N (1 to 1000000), --layout NAME ({}), \
         --picture FILE.png (with --layout)",
        Layouts::NAMES.join(", ")
    )
}

#[derive(Clone)]
struct Options {
    extents: [usize; 2],
    steps: usize,
    layout: Option<String>,
    picture: Option<PathBuf>,
}

impl Options {
    /// The options; none if the arguments ask for help.
    fn read(mut arguments: lexopt::Parser) -> Result<Option<Self>, lexopt::Error> {
        use lexopt::prelude::{Long, Short, ValueExt};
        let mut options = Self { extents: [200, 640], steps: 100, layout: None, picture: None };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("height") => options.extents[0] = number(&mut arguments, "--height", 8, 4096)?,
                Long("width") => options.extents[1] = number(&mut arguments, "--width", 8, 4096)?,
                Long("steps") => options.steps = number(&mut arguments, "--steps", 1, 1_000_000)?,
                Long("layout") => options.layout = Some(arguments.value()?.string()?),
                Long("picture") => options.picture = Some(arguments.value()?.into()),
                Long("help") | Short('h') => return Ok(None),
                other => return Err(other.unexpected()),
            }
        }
        if let Some(name) = &options.layout {
            Layouts::run(name, Known).map_err(|_| format!("there is no layout `{name}`"))?;
        }
        if options.layout.is_none() && options.picture.is_some() {
            return Err("--picture draws one layout, and --layout is missing".into());
        }
        options.picture.as_deref().map_or(Ok(()), png::check).map_err(|error| error.to_string())?;
        Ok(Some(options))
    }

    fn radius(&self) -> f32 {
        self.extents[0] as f32 / 14.0
    }

    /// The rate at which collisions change a cell in a step, from the viscosity.
    fn rate(&self) -> f32 {
        1.0 / (3.0 * SPEED * 2.0 * self.radius() / REYNOLDS + 0.5)
    }

    /// The flow at first: a little downwards, so that it does not stay the same on both sides.
    fn start(&self, [i, j]: [usize; 2]) -> Cell {
        let (down, right) = (i as f32 - self.extents[0] as f32 / 2.0, j as f32 - self.extents[1] as f32 / 5.0);
        let [rest, f @ ..] = equilibrium(1.0, [0.02, SPEED]);
        Cell { rest, f, wall: down * down + right * right < self.radius() * self.radius() }
    }

    /// Takes all steps: alone for a picture, and in turns with the loops by hand otherwise.
    fn steps(&self, mut advance: impl FnMut([f32; 9], f32)) -> Turns {
        let (inflow, rate) = (equilibrium(1.0, [0.0, SPEED]), self.rate());
        if self.picture.is_some() {
            let steps = (0..self.steps).map(|_| timing::seconds(|| advance(inflow, rate)));
            return Turns { by_hand: [const { Vec::new() }; 3], times: vec![steps.collect()] };
        }
        let start = |index| self.start(index);
        let [mut arrays, mut next_arrays] = [(); 2].map(|()| Arrays::new(self.extents, start));
        let [mut structs, mut next_structs] = [(); 2].map(|()| Structs::new(self.extents, start));
        let [mut blocks, mut next_blocks] = [(); 2].map(|()| Blocks::new(self.extents, start));
        let step = |_, candidate| match candidate {
            0 => timing::seconds(|| advance(inflow, rate)),
            1 => timing::seconds(|| {
                arrays.advance(&mut next_arrays, self.extents, inflow, rate);
                core::mem::swap(&mut arrays, &mut next_arrays);
            }),
            2 => timing::seconds(|| {
                structs.advance(&mut next_structs, self.extents, inflow, rate);
                core::mem::swap(&mut structs, &mut next_structs);
            }),
            _ => timing::seconds(|| {
                blocks.advance(&mut next_blocks, self.extents, inflow, rate);
                core::mem::swap(&mut blocks, &mut next_blocks);
            }),
        };
        let times = timing::take_turns(4, self.steps, step, || ());
        Turns { by_hand: [arrays.to_vec(), structs.to_vec(), blocks.to_vec(self.extents[1])], times }
    }
}

/// The results of the loops by hand, in arrays, in structs and in blocks, and the seconds of each step through views and by hand. A
/// picture has none by hand.
struct Turns {
    by_hand: [Vec<[f32; 9]>; 3],
    times: Vec<Vec<f64>>,
}

impl LayoutTask<Cell> for &Options {
    type Output = Result<(Vec<[f32; 9]>, Turns), Box<dyn Error>>;

    fn run<L: RecordLayout<Cell> + Default>(self) -> Self::Output {
        let mut now = alloc_from_fn::<Cell, L, _>(self.extents, |index| self.start(index))?;
        let mut stream = Stream::new(self.extents[1])?;
        let turns = self.steps(|inflow, rate| {
            let [_, inflow @ ..] = inflow;
            advance(&mut now, &mut stream, inflow, rate);
        });
        let flow: Vec<[f32; 9]> = now.to_vec().into_iter().map(Cell::numbers).collect();
        // What is no number is not equal to itself.
        if !flow.iter().flatten().all(|number| number.is_finite()) {
            return Err("the flow is not stable with so few cells: give a larger --height, or fewer --steps".into());
        }
        if let Some(path) = &self.picture {
            let picture = picture::draw(&now, SPEED, self.radius());
            picture.save(path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok((flow, turns))
    }
}

/// A task without work, which shows that there is a layout of this name.
struct Known;

impl LayoutTask<Cell> for Known {
    type Output = ();

    fn run<L: RecordLayout<Cell> + Default>(self) {}
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let names = options.layout.as_deref().map_or(Layouts::NAMES.to_vec(), |name| vec![name]);
    let [height, width] = options.extents;
    let speed = |times: &[f64]| (height * width) as f64 / 1e6 / timing::median(times.iter().copied());
    options.picture.as_deref().map_or(Ok(()), png::check_writable)?;
    println!("million cells a second; steps: {}, cells: {:?}", options.steps, options.extents);
    let mut fastest = 0.0;
    for (number, name) in names.into_iter().enumerate() {
        let (flow, Turns { by_hand, times }) = Layouts::run(name, options)??;
        if let [own, arrays, structs, blocks] = &times[..] {
            if number == 0 {
                for (kind, times) in [("arrays", arrays), ("structs", structs), ("blocks", blocks)] {
                    println!("  {:<15} {:>7.1}", format!("{kind} by hand"), speed(times));
                }
            }
            let [arrays, structs, blocks] = [arrays, structs, blocks].map(|by_hand| timing::ratio(by_hand, own));
            print!("  {name:<15} {:>7.1}  ", speed(own));
            println!("{arrays:.2} of arrays by hand, {structs:.2} of structs, {blocks:.2} of blocks");
            assert!(by_hand.iter().all(|by_hand| flow == *by_hand), "{name} gives other numbers");
        } else {
            println!("  {name:<15} {:>7.1}", speed(&times[0]));
        }
        fastest = flow.iter().map(|f| moments(*f).1).map(|[down, right]| down.hypot(right)).fold(0.0, f32::max);
    }
    let done = options.picture.as_ref().map(|path| format!("The picture is in {}", path.display()));
    let done = done.as_deref().unwrap_or("The same numbers in all");
    println!("{done}; the fastest cell has {:.4} of the speed of the inflow.", fastest / SPEED);
    Ok(())
}

fn main() -> ExitCode {
    pipe::end_when_closed();
    let options = match Options::read(lexopt::Parser::from_env()) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("lattice_boltzmann: {}", usage());
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("lattice_boltzmann: {error}: {}", usage());
            return ExitCode::from(2);
        }
    };
    if let Err(error) = run(&options) {
        eprintln!("lattice_boltzmann: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
