//! The transpose by hand, in tiles.

use prk::{Clock, Outcome, Work};

use crate::threads::{on_threads, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/transpose.rs"]
mod kernel;

pub(crate) use kernel::KERNEL;

/// For each thread, its columns of each row.
fn columns(rows: &mut [f64], n: usize, threads: usize) -> Vec<Vec<&mut [f64]>> {
    let mut of_threads: Vec<Vec<&mut [f64]>> = (0..threads).map(|_| Vec::with_capacity(n)).collect();
    for row in rows.chunks_exact_mut(n) {
        of_threads.iter_mut().zip(parts(row, 1, threads)).for_each(|(rows, part)| rows.push(part));
    }
    of_threads
}

/// Each thread has rows of B, and the same columns of A. A tile of both lies in a cache; A is added to while it is there.
pub(crate) fn by_hand(threads: usize, clock: Clock, arguments: &[usize]) -> Outcome {
    let [iterations, n, tile] = *arguments else { unreachable!("three arguments") };
    let mut a: Vec<f64> = (0..n * n).map(|at| at as f64).collect();
    let mut b = vec![0.0; n * n];
    let seconds = timed(clock, iterations, || {
        on_threads(parts(&mut b, n, threads).into_iter().zip(columns(&mut a, n, threads)), |(b, mut a)| {
            let width = b.len() / n;
            for column in (0..width).step_by(tile) {
                for row in (0..n).step_by(tile) {
                    for j in column..width.min(column + tile) {
                        let a = &mut a[row..n.min(row + tile)];
                        for (b, a) in b[j * n + row..].iter_mut().zip(a) {
                            *b += a[j];
                            a[j] += 1.0;
                        }
                    }
                }
            }
        });
    });
    let (count, added) = ((iterations + 1) as f64, (iterations * (iterations + 1) / 2) as f64);
    let expected = |at: usize| (n * (at % n) + at / n) as f64 * count + added;
    let error = b.iter().enumerate().map(|(at, value)| (value - expected(at)).abs()).sum();
    Outcome { found: error, expected: 0.0, work: Work::Bytes(16.0 * (n * n) as f64), seconds }
}
