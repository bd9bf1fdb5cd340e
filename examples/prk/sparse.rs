//! A sparse matrix, that of a star stencil on a periodic grid whose points are scrambled, times a vector:
//! `cargo run --release -p layout-prk --bin prk_sparse -- ITERATIONS LOG2-OF-THE-SIDE RADIUS [LAYOUT]`.
//!
//! The matrix is in blocks of rows, and each locale is sent the elements of the vector that its rows name.

use std::process::ExitCode;

use layout::array::{Array, ArrayError, SparseArray};
use layout::domain::{Block, Domain, DomainMap, Targets};
use layout::store::{Runtime, Sum};
use layout::{AoS, AoSoA, RecordLayout, SoA};
use prk::{Clock, Kernel, Outcome, Work, from, timed};

#[expect(clippy::cast_precision_loss, reason = "as in the reference")]
fn sparse<L: RecordLayout<f64> + Default>(
    rt: &Runtime,
    clock: Clock,
    arguments: &[usize],
) -> Result<Outcome, ArrayError> {
    let [iterations, log, radius] = *arguments else { unreachable!("three arguments") };
    let side = 1_usize << log;
    let points = side * side;
    // The bits of a number of a point, from the last one to the first.
    let scrambled = |point: usize| point.reverse_bits() >> (usize::BITS as usize - 2 * log);
    let line = Domain::from(0..points);
    let matrix = Domain::new([line.dims()[0]; 2]);
    let rows = Targets::grid([rt.locales(), 1], (0..rt.locales()).collect::<Vec<_>>())?;
    let (rows, blocks) = (Block::over(&matrix, rows)?, Block::over(&line, Targets::all(rt.locales())?)?);
    let own = blocks.local(rt.locale(), &line);
    let entries = own.iter().flat_map(|part| part.iter()).flat_map(|[row]| {
        let (i, j) = (row % side, row / side);
        let at = move |i: usize, j: usize| scrambled(i % side + j % side * side);
        let star = (1..=radius).flat_map(move |r| {
            let back = side - r % side;
            [at(i + r, j), at(i + back, j), at(i, j + r), at(i, j + back)]
        });
        [at(i, j)].into_iter().chain(star).map(move |column| ([row, column], 1.0 / (column as f64 + 1.0)))
    });
    let matrix = SparseArray::<f64, 2, L, usize>::from_entries(rt, &matrix, rows, 0.0, entries, |a, _| a)?;
    let vector = || Array::<f64, 1, L, usize>::filled(rt, &line, blocks.clone(), 0.0);
    let (x, result) = (vector()?, vector()?);
    let seconds = timed(rt, clock, iterations, || {
        x.update().named("vector").for_each(|chunk, (mut x,)| {
            let first = chunk.domain().low().map_or(0, |[row]| row) + 1;
            x.iter_mut().enumerate().for_each(|(k, mut x)| x.set(x.get() + (first + k) as f64));
        })?;
        matrix.multiply_onto(&x, &result)
    })?;
    let found = result.read().reduce(Sum, |_, (result,)| Ok(result.values().sum::<f64>()))?.get()?;
    let entries = (points * (4 * radius + 1)) as f64;
    let expected = 0.5 * entries * (iterations + 1) as f64 * (iterations + 2) as f64;
    Ok(Outcome { found, expected, work: Work::Flops(2.0 * entries), seconds })
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "Sparse matrix-vector multiplication",
    arguments: &[
        ("Number of iterations", None, from(1)),
        ("2log linear grid size", None, 1..=15),
        ("Stencil radius", None, from(0)),
    ],
    check: |arguments| match *arguments {
        [_, log, radius] if radius >= (1 << log) / 2 => {
            Err(format!("a star of radius {radius} overlaps itself on a grid of side {}", 1 << log))
        }
        _ => Ok(()),
    },
    runs: [sparse::<AoS>, sparse::<SoA>, sparse::<AoSoA<8>>],
};

fn main() -> ExitCode {
    prk::main(&KERNEL)
}
