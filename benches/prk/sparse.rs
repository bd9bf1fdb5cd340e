//! The product of a sparse matrix, in compressed rows, and a vector by hand.

use prk::{Clock, Outcome, Work};

use crate::threads::{on_threads, part, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/sparse.rs"]
mod kernel;

pub(crate) use kernel::KERNEL;

pub(crate) fn by_hand(threads: usize, clock: Clock, arguments: &[usize]) -> Outcome {
    let [iterations, log, radius] = *arguments else { unreachable!("three arguments") };
    let side = 1_usize << log;
    let points = side * side;
    let at = |i: usize, j: usize| (i % side + j % side * side).reverse_bits() >> (usize::BITS as usize - 2 * log);
    let each = 4 * radius + 1;
    let mut columns: Vec<usize> = Vec::with_capacity(points * each);
    for row in 0..points {
        let (i, j) = (row % side, row / side);
        let first = columns.len();
        columns.push(at(i, j));
        for r in 1..=radius {
            let back = side - r % side;
            columns.extend([at(i + r, j), at(i + back, j), at(i, j + r), at(i, j + back)]);
        }
        columns[first..].sort_unstable();
    }
    let values: Vec<f64> = columns.iter().map(|column| 1.0 / (*column as f64 + 1.0)).collect();
    let (mut x, mut result) = (vec![0.0; points], vec![0.0; points]);
    let seconds = timed(clock, iterations, || {
        on_threads(parts(&mut x, 1, threads).into_iter().enumerate(), |(thread, x)| {
            x.iter_mut().zip(part(points, threads, thread)).for_each(|(x, row)| *x += (row + 1) as f64);
        });
        on_threads(parts(&mut result, 1, threads).into_iter().enumerate(), |(thread, result)| {
            for (result, row) in result.iter_mut().zip(part(points, threads, thread)) {
                let entries = row * each..(row + 1) * each;
                let terms = values[entries.clone()].iter().zip(&columns[entries]);
                *result += terms.map(|(value, column)| value * x[*column]).sum::<f64>();
            }
        });
    });
    let entries = (points * each) as f64;
    let expected = 0.5 * entries * (iterations + 1) as f64 * (iterations + 2) as f64;
    Outcome { found: result.iter().sum(), expected, work: Work::Flops(2.0 * entries), seconds }
}
