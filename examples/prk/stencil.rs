//! A star stencil, `OUT += W * IN`, then `IN += 1`: `cargo run --release -p layout-prk --bin prk_stencil -- ITERATIONS ORDER [RADIUS] [LAYOUT]`.
//!
//! The inner points are in blocks with a halo; the border of the grid is the halo of the blocks there. Each locale is sent the sides of its
//! neighbors' blocks once an iteration, and no corners.

use core::array;
use std::process::ExitCode;

use layout::array::{Array, ArrayError, HaloArray};
use layout::domain::{Block, Domain, Stencil, Targets};
use layout::store::{Runtime, Sum, TaskBodyError};
use layout::{AoS, AoSoA, RecordLayout, SoA};
use prk::{Clock, Kernel, Outcome, Work, count, from, timed};

/// One row of the output, from `R` rows above it, the row itself, and `R` rows below it, each with `R` elements on either side. All terms of
/// an element are added at once: one loop for each distance loads and stores the row as many times.
fn row<const R: usize>(rows: &[&[f64]], weights: &[f64; R], out: &mut [f64]) {
    let length = out.len();
    let [above, below] = [array::from_fn::<_, R, _>(|k| R - 1 - k), array::from_fn(|k| R + 1 + k)];
    let [left, right] = [above, below].map(|all| all.map(|from| &rows[R][from..][..length]));
    let [above, below] = [above, below].map(|all| all.map(|row| &rows[row][R..][..length]));
    for (j, out) in out.iter_mut().enumerate() {
        *out += (0..R).map(|k| weights[k] * ((below[k][j] - above[k][j]) + (right[k][j] - left[k][j]))).sum::<f64>();
    }
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_wrap, reason = "as in the reference")]
fn star<const R: usize, L>(rt: &Runtime, clock: Clock, iterations: usize, order: usize) -> Result<Outcome, ArrayError>
where
    L: RecordLayout<f64> + Default,
{
    let (order, radius) = (order as i64, R as i64);
    let inner = Domain::new([radius..order - radius, radius..order - radius]);
    let blocks = Block::over(&inner, Targets::all(rt.locales())?)?;
    let around = Stencil::new(blocks.clone(), [R, R]).without_corners();
    let input: HaloArray<f64, 2, L> = HaloArray::from_fn(rt, &inner, around, |[i, j]| (i + j) as f64)?;
    let output: Array<f64, 2, L> = Array::filled(rt, &inner, blocks, 0.0)?;
    let weights: [f64; R] = array::from_fn(|k| 1.0 / (2 * (k + 1) * R) as f64);
    let seconds = timed(rt, clock, iterations, || {
        output.update().zip(input.read_halo()).named("stencil").for_each(move |_, (mut out, input)| {
            let height = out.extents()[0];
            let apart = || TaskBodyError::new("the elements of a row do not lie side by side");
            let part = |i: usize| input.slice((i, ..)).into_slice().ok_or_else(apart);
            let rows = (0..height + 2 * R).map(part).collect::<Result<Vec<&[f64]>, _>>()?;
            for i in 0..height {
                let out = out.slice_mut((i, ..)).into_mut_slice().ok_or_else(apart)?;
                row(&rows[i..=i + 2 * R], &weights, out);
            }
            count(2 * (4 * R + 1) * out.len());
            Ok(())
        })?;
        input.expanded().update().named("add one").for_each(|_, (mut input,)| {
            count(input.len());
            input.update(|value| value + 1.0)
        })?;
        Ok(())
    })?;
    let norm = output.read().reduce(Sum, |_, (out,)| Ok(out.values().map(f64::abs).sum::<f64>()))?.get()?;
    let points = inner.len() as f64;
    let work = Work::Flops((2 * (4 * R + 1) + 1) as f64 * points);
    Ok(Outcome { found: norm / points, expected: 2.0 * (iterations + 1) as f64, work, seconds })
}

fn stencil<L: RecordLayout<f64> + Default>(
    rt: &Runtime,
    clock: Clock,
    arguments: &[usize],
) -> Result<Outcome, ArrayError> {
    let [iterations, order, radius] = *arguments else { unreachable!("three arguments") };
    match radius {
        1 => star::<1, L>(rt, clock, iterations, order),
        2 => star::<2, L>(rt, clock, iterations, order),
        3 => star::<3, L>(rt, clock, iterations, order),
        _ => star::<4, L>(rt, clock, iterations, order),
    }
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "Stencil on a grid: a star",
    arguments: &[
        ("Number of iterations", None, from(1)),
        ("Grid size", None, from(9)),
        ("Radius of stencil", Some(2), 1..=4),
    ],
    check: |_| Ok(()),
    runs: [stencil::<AoS>, stencil::<SoA>, stencil::<AoSoA<8>>],
};

fn main() -> ExitCode {
    prk::main(&KERNEL)
}
