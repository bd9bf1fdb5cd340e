//! STREAM triad, `A += B + scalar * C`: `cargo run --release -p layout-prk --bin prk_nstream -- ITERATIONS LENGTH [OFFSET] [LAYOUT]`.
//!
//! The offset between arrays of the reference has no meaning here, since each array has memory of its own; it is taken and ignored.

use std::process::ExitCode;

use layout::array::{Array, ArrayError};
use layout::domain::{Block, Domain, Targets};
use layout::store::{Runtime, Sum};
use layout::{AoS, AoSoA, RecordLayout, SoA, zip};
use prk::{Clock, Kernel, Outcome, Work, from, timed};

const SCALAR: f64 = 3.0;

#[expect(clippy::cast_precision_loss, reason = "as in the reference")]
fn nstream<L: RecordLayout<f64> + Default>(
    rt: &Runtime,
    clock: Clock,
    arguments: &[usize],
) -> Result<Outcome, ArrayError> {
    let [iterations, length, ..] = *arguments else { unreachable!("three arguments") };
    let line = Domain::from(0..length).with_type()?;
    let blocks = Block::over(&line, Targets::all(rt.locales())?)?;
    let filled = |value| Array::<f64, 1, L>::filled(rt, &line, blocks.clone(), value);
    let (a, b, c) = (filled(0.0)?, filled(2.0)?, filled(2.0)?);
    let seconds = timed(rt, clock, iterations, || {
        let triad = a.update().zip(b.read()).zip(c.read()).named("nstream");
        triad.for_each(|_, (mut a, b, c)| {
            zip((&mut a, &b, &c)).for_each(|(mut a, b, c)| a.set(a.get() + (b.get() + SCALAR * c.get())));
        })?;
        Ok(())
    })?;
    let sum = a.read().reduce(Sum, |_, (a,)| Ok(a.values().map(f64::abs).sum::<f64>()))?.get()?;
    let element = (0..=iterations).fold(0.0, |a, _| a + 2.0 + SCALAR * 2.0);
    let work = Work::Bytes(4.0 * size_of::<f64>() as f64 * length as f64);
    Ok(Outcome { found: sum, expected: element * length as f64, work, seconds })
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "STREAM triad: A = B + scalar*C",
    arguments: &[
        ("Number of iterations", None, from(1)),
        ("Vector length", None, from(1)),
        ("Offset", Some(0), from(0)),
    ],
    check: |_| Ok(()),
    runs: [nstream::<AoS>, nstream::<SoA>, nstream::<AoSoA<8>>],
};

fn main() -> ExitCode {
    prk::main(&KERNEL)
}
