//! `C += A * B`: `cargo run --release -p layout-prk --bin prk_dgemm -- ITERATIONS ORDER [TILE] [LAYOUT]`.
//!
//! The product goes to a matrix of its own, and is added then. The tile size of the reference is taken and ignored.

use std::process::ExitCode;

use layout::array::{Array, ArrayError};
use layout::domain::{Block, Domain, Targets};
use layout::store::Runtime;
use layout::{AoS, AoSoA, RecordLayout, SoA, zip};
use prk::{Clock, Kernel, Outcome, Work, from, timed};

#[expect(clippy::cast_precision_loss, reason = "as in the reference")]
fn dgemm<L: RecordLayout<f64> + Default>(
    rt: &Runtime,
    clock: Clock,
    arguments: &[usize],
) -> Result<Outcome, ArrayError> {
    let [iterations, order, ..] = *arguments else { unreachable!("three arguments") };
    let square = Domain::new([0..order, 0..order]).with_type()?;
    let blocks = Block::over(&square, Targets::all(rt.locales())?)?;
    let columns = || Array::<f64, 2, L>::from_fn(rt, &square, blocks.clone(), |[_, j]| j as f64);
    let (a, b) = (columns()?, columns()?);
    let c: Array<f64, 2, L> = Array::filled(rt, &square, blocks.clone(), 0.0)?;
    let product: Array<f64, 2, L> = Array::new(rt, &square, blocks.clone())?;
    let seconds = timed(rt, clock, iterations, || {
        product.matmul_from(&a, &b)?;
        c.update().zip(product.read()).named("add").for_each(|_, (mut c, product)| {
            zip((&mut c, &product)).for_each(|(mut c, product)| c.set(c.get() + product.get()));
        })?;
        Ok(())
    })?;
    let n = order as f64;
    let expected = 0.25 * n.powi(3) * (n - 1.0).powi(2) * (iterations + 1) as f64;
    Ok(Outcome { found: c.sum()?.get()?, expected, work: Work::Flops(2.0 * n.powi(3)), seconds })
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "Dense matrix-matrix multiplication: C = A x B",
    arguments: &[
        ("Number of iterations", None, from(1)),
        ("Matrix order", None, from(1)),
        ("Tile size", Some(0), from(0)),
    ],
    check: |_| Ok(()),
    runs: [dgemm::<AoS>, dgemm::<SoA>, dgemm::<AoSoA<8>>],
};

fn main() -> ExitCode {
    prk::main(&KERNEL)
}
