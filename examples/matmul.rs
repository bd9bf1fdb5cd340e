//! The product of two matrices over several locales: `cargo run --release --example matmul -- [SIDE]`.
//!
//! The program is the same for three distributions, and the bytes differ: with square blocks, each locale receives the rows and the
//! columns of its block, and with whole rows nearly all of the other matrix.
#![expect(clippy::cast_possible_truncation, reason = "sides of matrices are small")]

mod arguments;

use core::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use layout::array::{Array, ArrayError};
use layout::domain::{AnyAxis, Block, Dimensional, Domain, DomainError, DomainMap, Targets};
use layout::store::Runtime;

const LOCALES: usize = 4;

/// Small numbers, whose products and sums are exact.
fn element([i, j]: [i64; 2]) -> f64 {
    ((7 * i + 3 * j) % 17 - 8) as f64
}

type Map = Box<dyn DomainMap<2> + Send + Sync>;
/// A distribution of several arrays.
type Shared = Arc<dyn DomainMap<2> + Send + Sync>;

/// The distributions, each with its name.
fn maps(square: &Domain<2>, locales: usize) -> Result<[(&'static str, Map); 3], DomainError> {
    let numbers: Vec<usize> = (0..locales).collect();
    let rows = Targets::grid([locales, 1], numbers)?;
    let cyclic = [AnyAxis::cyclic(0), AnyAxis::block(square.dims()[1])?];
    Ok([
        ("square blocks", Box::new(Block::over(square, Targets::all(locales)?)?)),
        ("blocks of rows", Box::new(Block::over(square, rows)?)),
        ("cyclic rows, blocks of columns", Box::new(Dimensional::of(cyclic, Targets::all(locales)?))),
    ])
}

/// For each distribution: seconds, bytes that this locale sent, and whether the product is right.
fn multiply(rt: &Runtime, side: i64) -> Result<Vec<(f64, u64, bool)>, ArrayError> {
    let square = Domain::new([0..side, 0..side]);
    let mut told = Vec::new();
    let mut expected: Option<Vec<f64>> = None;
    for (_, map) in maps(&square, rt.locales())? {
        let map = Shared::from(map);
        let a: Array<f64, 2> = Array::from_fn(rt, &square, map.clone(), element)?;
        let b: Array<f64, 2> = Array::from_fn(rt, &square, map.clone(), |[i, j]| element([j, 2 * i]))?;
        let c: Array<f64, 2> = Array::new(rt, &square, map)?;
        rt.fence()?;
        let (sent, start) = (rt.traffic().bytes, Instant::now());
        c.matmul_from(&a, &b)?;
        rt.fence()?;
        let (seconds, sent) = (start.elapsed().as_secs_f64(), rt.traffic().bytes - sent);
        let product = c.to_vec()?;
        let expected = expected.get_or_insert_with(|| serial(side));
        told.push((seconds, sent, product == *expected));
    }
    Ok(told)
}

/// The product by three loops, row by row.
fn serial(side: i64) -> Vec<f64> {
    let mut product = Vec::new();
    for i in 0..side {
        let mut row = vec![0.0; side as usize];
        for k in 0..side {
            let left = element([i, k]);
            row.iter_mut().zip(0..).for_each(|(sum, j)| *sum += left * element([j, 2 * k]));
        }
        product.extend(row);
    }
    product
}

fn main() -> ExitCode {
    let read = |given: &[OsString]| match given {
        [] => Some(256),
        [side] => side.to_str()?.parse().ok().filter(|side| *side > 0),
        _ => None,
    };
    arguments::run("give the side of the matrices, 1 or more, or nothing for 256", read, run)
}

fn run(side: i64) -> Result<(), Box<dyn Error>> {
    let builder = Runtime::builder().locales(LOCALES).threads(1).pieces(LOCALES);
    let told = builder.simulate(|rt| multiply(rt, side))?.into_iter().collect::<Result<Vec<_>, _>>()?;
    println!("{side} x {side} by {side} x {side} numbers, on {LOCALES} locales of one thread:");
    for (number, (name, _)) in maps(&Domain::new([0..side, 0..side]), LOCALES)?.iter().enumerate() {
        let each = || told.iter().map(|told| told[number]);
        let seconds = each().map(|(seconds, _, _)| seconds).fold(0.0, f64::max);
        let sent: u64 = each().map(|(_, sent, _)| sent).sum();
        assert!(each().all(|(_, _, right)| right), "{name}: another product than by three loops");
        let speed = 2.0 * (side as f64).powi(3) / seconds / 1e9;
        println!("  {name:<31} {speed:>7.2} GFLOP/s, {sent:>9} bytes sent");
    }
    println!("all are what three loops give");
    Ok(())
}
