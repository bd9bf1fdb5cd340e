//! `B += A` transposed, then `A += 1`: `cargo run --release -p layout-prk --bin prk_transpose -- ITERATIONS ORDER [TILE] [LAYOUT]`.
//!
//! Both matrices are in blocks of rows, so that each locale is sent what changes its locale, and nothing else. A tile of both
//! matrices lies in a cache.

use std::process::ExitCode;

use layout::array::{Array, ArrayError};
use layout::domain::{Block, Domain, Targets};
use layout::store::{Runtime, Sum};
use layout::{AoS, AoSoA, RecordLayout, SoA, zip};
use prk::{Clock, Kernel, Outcome, Work, from, timed};

#[expect(clippy::cast_precision_loss, reason = "as in the reference")]
fn transpose<L: RecordLayout<f64> + Default>(
    rt: &Runtime,
    clock: Clock,
    arguments: &[usize],
) -> Result<Outcome, ArrayError> {
    let [iterations, order, tile] = *arguments else { unreachable!("three arguments") };
    let square = Domain::new([0..order, 0..order]).with_type()?;
    let rows = Targets::grid([rt.locales(), 1], (0..rt.locales()).collect::<Vec<_>>())?;
    let rows = Block::over(&square, rows)?;
    let at = move |[i, j]: [i64; 2]| (order as f64) * i as f64 + j as f64;
    let a: Array<f64, 2, L> = Array::from_fn(rt, &square, rows.clone(), at)?;
    let b: Array<f64, 2, L> = Array::filled(rt, &square, rows, 0.0)?;
    let turned = a.transpose([1, 0])?;
    let seconds = timed(rt, clock, iterations, || {
        b.update().zip(turned.read()).named("transpose").for_each(move |_, (mut b, a)| {
            let [rows, columns] = b.extents();
            for i in (0..rows).step_by(tile) {
                let rows = i..rows.min(i + tile);
                for j in (0..columns).step_by(tile) {
                    let part = || (rows.clone(), j..columns.min(j + tile));
                    zip((&mut b.slice_mut(part()), &a.slice(part()))).for_each(|(mut b, a)| b.set(b.get() + a.get()));
                }
            }
        })?;
        a.update().named("add one").for_each(|_, (mut a,)| a.update(|value| value + 1.0))?;
        Ok(())
    })?;
    // The element at [j][i] of A, once for each iteration, and what was added to it before.
    let (count, added) = ((iterations + 1) as f64, (iterations * (iterations + 1) / 2) as f64);
    let error = b.read().reduce(Sum, move |chunk, (b,)| {
        let expected = |[i, j]: [i64; 2]| at([j, i]) * count + added;
        Ok(chunk.domain().iter().zip(b.values()).map(|(index, value)| (value - expected(index)).abs()).sum::<f64>())
    })?;
    let work = Work::Bytes(2.0 * size_of::<f64>() as f64 * (order * order) as f64);
    Ok(Outcome { found: error.get()?, expected: 0.0, work, seconds })
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "Matrix transpose: B = A^T",
    arguments: &[
        ("Number of iterations", None, from(1)),
        ("Matrix order", None, from(1)),
        ("Tile size", Some(32), from(1)),
    ],
    check: |_| Ok(()),
    runs: [transpose::<AoS>, transpose::<SoA>, transpose::<AoSoA<8>>],
};

fn main() -> ExitCode {
    prk::main(&KERNEL)
}
