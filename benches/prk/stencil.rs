//! The star stencil by hand.

use prk::{Clock, Outcome, Work};

use crate::threads::{on_threads, part, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/stencil.rs"]
mod kernel;

pub(crate) use kernel::KERNEL;

pub(crate) const RADIUS: usize = 2;

/// The inner points of one row, from the row, two rows above it and two rows below it.
fn row(out: &mut [f64], [above2, above, middle, below, below2]: [&[f64]; 5]) {
    let out = &mut out[RADIUS..middle.len() - RADIUS];
    let m = out.len();
    let [above2, above, below, below2] = [above2, above, below, below2].map(|row| &row[RADIUS..][..m]);
    let [left2, left, right, right2] = [0, 1, 3, 4].map(|from| &middle[from..][..m]);
    for j in 0..m {
        out[j] += 0.25 * ((below[j] - above[j]) + (right[j] - left[j]))
            + 0.125 * ((below2[j] - above2[j]) + (right2[j] - left2[j]));
    }
}

pub(crate) fn by_hand(threads: usize, clock: Clock, arguments: &[usize]) -> Outcome {
    let [iterations, n, _] = *arguments else { unreachable!("three arguments") };
    let mut input: Vec<f64> = (0..n * n).map(|at| (at / n + at % n) as f64).collect();
    let mut output = vec![0.0; n * n];
    let height = n - 2 * RADIUS;
    let seconds = timed(clock, iterations, || {
        let inner = &mut output[RADIUS * n..(n - RADIUS) * n];
        on_threads(parts(inner, n, threads).into_iter().enumerate(), |(thread, out)| {
            for (i, out) in part(height, threads, thread).zip(out.chunks_exact_mut(n)) {
                row(out, [0, 1, 2, 3, 4].map(|row| &input[(i + row) * n..][..n]));
            }
        });
        on_threads(parts(&mut input, n, threads), |part| part.iter_mut().for_each(|value| *value += 1.0));
    });
    let points = (height * height) as f64;
    let norm: f64 = output.iter().map(|value| value.abs()).sum();
    let work = Work::Flops((2 * (4 * RADIUS + 1) + 1) as f64 * points);
    Outcome { found: norm / points, expected: 2.0 * (iterations + 1) as f64, work, seconds }
}
