//! Fluid in a box whose lid moves, on tiles of a store: `cargo run --release --example cavity -- [FILE.png [STEPS]]`.
//!
//! Cells are records of nine numbers, and a step needs the neighbors of each cell: two stores in turns, with a margin of one cell
//! around each tile. The output shows launches and bytes per second in three layouts, beside the same kernel over views of all cells,
//! and the bytes that locales send each other. The flow after many steps is compared with published values, and drawn into the file.

#[path = "../arguments.rs"]
mod arguments;
mod kernel;
#[path = "../png.rs"]
mod png;
#[expect(dead_code, reason = "one measurement is enough here")]
#[path = "../nbody/timing.rs"]
mod timing;

use core::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use image::{Rgb, RgbImage};
use kernel::flow::moments;
use kernel::{Cell, Cells, LID, launch, step};
use layout::prelude::*;
use layout::store::{Runtime, StoreError, dense};

/// Cells along each side, where times are taken, and of the flow that is drawn.
const TIMED: usize = if cfg!(debug_assertions) { 64 } else { 512 };
const DRAWN: usize = 128;
/// The Reynolds number.
const REYNOLDS: f32 = 100.0;
/// The flow no longer changes after so many steps.
const STEPS: usize = 30_000;
/// The fastest flow to the left in the column in the middle, as a part of the lid's speed: Ghia, Ghia and Shin, 1982, table I.
const PUBLISHED: f32 = -0.2109;

/// The rate at which collisions change a cell in a step, from the viscosity.
fn rate(cells: usize) -> f32 {
    1.0 / (3.0 * LID * cells as f32 / REYNOLDS + 0.5)
}

/// Two states of a box of fluid, which rests at first.
fn at_rest<L: RecordLayout<Cell> + Default>(rt: &Runtime, cells: usize) -> Result<[Cells<L>; 2], StoreError> {
    let stores = [rt.create([cells, cells])?, rt.create([cells, cells])?];
    stores[0].fill(Cell::rest())?;
    Ok(stores)
}

/// Prints how fast launches are, beside steps of views of all cells of the same stores, by turns on one thread.
fn compare<L: RecordLayout<Cell> + Default>(name: &str) -> Result<(), Box<dyn Error>> {
    const ROUNDS: usize = 9;
    /// The steps of a turn.
    const STEPS: usize = 4;
    let rt = Runtime::builder().threads(1).pieces(4).build()?;
    let [mut old, mut new] = at_rest::<L>(&rt, TIMED)?;
    new.fill(Cell::rest())?;
    let turn = |_, candidate| {
        let start = Instant::now();
        for _ in 0..STEPS {
            if candidate == 0 {
                launch(&rt, &old, &new, rate(TIMED)).expect("the cells were written");
            } else {
                let done = old
                    .read(|old| new.update(|new| dense!((old, mut new) => step(&old, &mut new, [0, 0], rate(TIMED)))));
                done.flatten().expect("the cells were written");
            }
            core::mem::swap(&mut old, &mut new);
        }
        rt.fence().expect("no task fails");
        start.elapsed().as_secs_f64() / STEPS as f64
    };
    let times = timing::take_turns(2, ROUNDS, turn, || ());
    let (each, by) = (timing::median(times[0].iter().copied()), timing::ratio(&times[1], &times[0]));
    // Each cell is read and written.
    let bytes = (2 * TIMED * TIMED * size_of::<Cell>()) as f64 / each / 1e9;
    println!("  {name:<10} {:>6.0} launches and {bytes:>5.1} GB a second, {by:.2} of views of all cells", 1.0 / each);
    let mut now = alloc_from_fn::<Cell, L, _>([TIMED, TIMED], |_| Cell::rest())?;
    let mut next = now.clone();
    for _ in 0..2 * ROUNDS * STEPS {
        step(&now, &mut next, [0, 0], rate(TIMED));
        core::mem::swap(&mut now, &mut next);
    }
    assert!(old.to_vec()? == now.to_vec(), "{name} gives other numbers");
    Ok(())
}

/// The flow after some steps.
fn flow(rt: &Runtime, steps: usize) -> Result<Vec<Cell>, StoreError> {
    let [mut old, mut new] = at_rest::<SoA>(rt, DRAWN)?;
    for _ in 0..steps {
        launch(rt, &old, &new, rate(DRAWN))?;
        core::mem::swap(&mut old, &mut new);
    }
    rt.fence()?;
    old.to_vec()
}

/// Prints what locales send each other, on which the flow does not depend.
fn on_locales() -> Result<(), Box<dyn Error>> {
    const STEPS: usize = if cfg!(debug_assertions) { 5 } else { 100 };
    let mut first = None;
    for locales in 1..=6 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(6);
        let found = builder.simulate(|rt| {
            let [mut old, mut new] = at_rest::<SoA>(rt, DRAWN)?;
            let mut bytes = 0;
            for _ in 0..STEPS {
                bytes = launch(rt, &old, &new, rate(DRAWN))?.exchanged();
                core::mem::swap(&mut old, &mut new);
            }
            Ok::<_, StoreError>((old.to_vec()?, bytes))
        })?;
        let mut sent = 0;
        for found in found {
            let (cells, bytes) = found?;
            assert!(*first.get_or_insert_with(|| cells.clone()) == cells, "the flow differs on {locales} locales");
            sent = bytes;
        }
        println!("  locales: {locales}; they send each other {sent} bytes a step");
    }
    Ok(())
}

/// The pixels along each side of a cell.
const SCALE: usize = 4;

/// The pixels between the picture and the scale, and the pixels of its width.
const BAR: [u32; 2] = [8, 16];

/// A picture of the speed of the fluid, from dark to bright, and beside it a scale from no speed at the bottom to that of the lid.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "colors are bytes, and pixels are few")]
fn picture(cells: &[Cell]) -> RgbImage {
    let side = (DRAWN * SCALE) as u32;
    RgbImage::from_fn(side + BAR[0] + BAR[1], side, |x, y| {
        let speed = if x >= side + BAR[0] {
            1.0 - y as f32 / (side - 1) as f32
        } else if x >= side {
            return Rgb([255; 3]);
        } else {
            let (_, [down, right]) = moments(cells[y as usize / SCALE * DRAWN + x as usize / SCALE].f);
            down.hypot(right) / LID
        };
        let bright = speed.min(1.0).sqrt();
        Rgb([bright * bright, bright.powi(4), (1.0 - bright) * bright * 2.0 + bright.powi(8)]
            .map(|c| (255.0 * c) as u8))
    })
}

fn run(file: Option<&Path>, steps: usize) -> Result<(), Box<dyn Error>> {
    let named = |file: &Path, error: image::ImageError| format!("{}: {error}", file.display());
    file.map_or(Ok(()), png::check_writable)?;
    println!("{TIMED} by {TIMED} cells, a launch a step:");
    compare::<AoS>("AoS")?;
    compare::<SoA>("SoA")?;
    compare::<AoSoA<16>>("AoSoA<16>")?;
    println!("{DRAWN} by {DRAWN} cells, the same flow on any number of locales:");
    on_locales()?;
    let start = Instant::now();
    let cells = flow(&Runtime::new()?, steps)?;
    println!("steps: {steps}, cells: {DRAWN} by {DRAWN}, {:.2} s", start.elapsed().as_secs_f64());
    let mass = cells.iter().flat_map(|cell| cell.f).map(f64::from).sum::<f64>() / (DRAWN * DRAWN) as f64;
    let middle = (0..DRAWN).map(|i| [1, 0].map(|left| moments(cells[i * DRAWN + DRAWN / 2 - left].f).1[1]));
    let left = middle.map(|[a, b]| (a + b) / 2.0).fold(0.0, f32::min) / LID;
    println!("the mean mass of a cell is {mass:.6} of the first one: each step rounds the numbers of all cells");
    println!("the fastest flow to the left in the middle is {left:.4} of the lid's speed; published is {PUBLISHED}");
    if steps < STEPS {
        println!("the flow still changes: published is that after {STEPS} steps or more");
    }
    // A step rounds each number.
    assert!((mass - 1.0).abs() <= f64::from(f32::EPSILON) * (steps + 1) as f64, "mass is lost");
    assert!(steps < STEPS || (left / PUBLISHED - 1.0).abs() < 0.02, "published is {PUBLISHED}");
    if let Some(file) = file {
        picture(&cells).save(file).map_err(|error| named(file, error))?;
        println!("picture: {}: the speed; the bar beside it goes from none to that of the lid", file.display());
    }
    Ok(())
}

fn main() -> ExitCode {
    let usage = format!(
        "give a file for the picture (.png) and the number of steps, 1 or more, or nothing for no picture and {STEPS} steps"
    );
    let read = |given: &[OsString]| match given {
        [] => Some((None, STEPS)),
        [file] => Some((Some(file.clone()), STEPS)),
        [file, steps] => Some((Some(file.clone()), steps.to_str()?.parse().ok().filter(|steps| *steps > 0)?)),
        _ => None,
    };
    arguments::run(&usage, read, |(file, steps)| run(file.as_deref().map(Path::new), steps))
}
