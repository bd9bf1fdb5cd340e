//! The wavefront by hand: each thread has columns, and sends the last one on, in blocks of rows.

use std::sync::mpsc;

use prk::{Clock, Outcome, Work};

use crate::threads::{on_threads, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/p2p.rs"]
mod kernel;

pub(crate) use kernel::KERNEL;

/// The rows of a block.
const ROWS: usize = 64;

pub(crate) fn by_hand(threads: usize, clock: Clock, arguments: &[usize]) -> Outcome {
    let [iterations, m, n] = *arguments else { unreachable!("three arguments") };
    let mut grid: Vec<f64> =
        (0..m * n).map(|at| (at / n, at % n)).map(|(i, j)| if i * j == 0 { (i + j) as f64 } else { 0.0 }).collect();
    let seconds = timed(clock, iterations, || {
        // The rows of each thread, and the column before them: column zero, or the last one of the thread before.
        let (mut rows_of, mut column): (Vec<Vec<&mut [f64]>>, _) =
            ((0..threads).map(|_| Vec::new()).collect(), Vec::new());
        for row in grid.chunks_exact_mut(n) {
            let (first, rest) = row.split_at_mut(1);
            column.push(first[0]);
            rows_of.iter_mut().zip(parts(rest, 1, threads)).for_each(|(rows, part)| rows.push(part));
        }
        let mut before = None;
        let mut of_threads = Vec::new();
        for (thread, rows) in rows_of.into_iter().enumerate() {
            let (to, from) = mpsc::channel();
            of_threads.push((rows, before.replace(from), (thread + 1 < threads).then_some(to)));
        }
        on_threads(of_threads, |(mut rows, before, after)| {
            for top in (1..m).step_by(ROWS) {
                let bottom = m.min(top + ROWS);
                let received: Vec<f64>;
                let left = match &before {
                    None => &column[top - 1..bottom],
                    Some(before) => {
                        received = before.recv().expect("the thread before sends each block");
                        &received[..]
                    }
                };
                for (i, left) in (top..bottom).zip(left.windows(2)) {
                    let (above, row) = rows.split_at_mut(i);
                    let (mut corner, mut value) = (left[0], left[1]);
                    for (above, to) in above[i - 1].iter().zip(&mut *row[0]) {
                        value += *above - corner;
                        corner = *above;
                        *to = value;
                    }
                }
                if let Some(after) = &after {
                    let last = rows[top - 1..bottom].iter().map(|row| *row.last().unwrap_or(&0.0));
                    after.send(last.collect()).expect("the thread after takes each block");
                }
            }
        });
        grid[0] = -grid[m * n - 1];
    });
    let work = Work::Flops(2.0 * (m - 1) as f64 * (n - 1) as f64);
    Outcome { found: grid[m * n - 1], expected: ((iterations + 1) * (m + n - 2)) as f64, work, seconds }
}
