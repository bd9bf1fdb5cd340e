//! The wavefront by hand: each thread has rows, and sends its last one on, in blocks of columns.

use std::sync::mpsc;

use prk::{Clock, Outcome, Work};

use crate::threads::{on_threads, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/p2p.rs"]
mod kernel;

pub(crate) use kernel::KERNEL;

/// The columns of a block.
const COLUMNS: usize = 256;

pub(crate) fn by_hand(threads: usize, clock: Clock, arguments: &[usize]) -> Outcome {
    let [iterations, m, n] = *arguments else { unreachable!("three arguments") };
    let mut grid: Vec<f64> =
        (0..m * n).map(|at| (at / n, at % n)).map(|(i, j)| if i * j == 0 { (i + j) as f64 } else { 0.0 }).collect();
    let seconds = timed(clock, iterations, || {
        let (first, rest) = grid.split_at_mut(n);
        let mut above = None;
        let mut of_threads = Vec::new();
        for (thread, rows) in parts(rest, n, threads).into_iter().enumerate() {
            let (to, from) = mpsc::channel();
            of_threads.push((rows, above.replace(from), (thread + 1 < threads).then_some(to)));
        }
        let first = &*first;
        on_threads(of_threads, |(rows, above, below)| {
            // The row above, up to where this thread is in its columns.
            let mut last = first.to_vec();
            for left in (1..n).step_by(COLUMNS) {
                let right = n.min(left + COLUMNS);
                match &above {
                    None => last[left - 1..right].copy_from_slice(&first[left - 1..right]),
                    Some(above) => {
                        let row: Vec<f64> = above.recv().expect("the thread above sends each block");
                        last[left - 1..right].copy_from_slice(&row);
                    }
                }
                for row in rows.chunks_exact_mut(n) {
                    let (mut corner, mut value) = (last[left - 1], row[left - 1]);
                    last[left - 1] = value;
                    for (above, to) in last[left..right].iter_mut().zip(&mut row[left..right]) {
                        value += *above - corner;
                        corner = *above;
                        *above = value;
                        *to = value;
                    }
                }
                if let Some(below) = &below {
                    below.send(last[left - 1..right].to_vec()).expect("the thread below takes each block");
                }
            }
        });
        grid[0] = -grid[m * n - 1];
    });
    let work = Work::Flops(2.0 * (m - 1) as f64 * (n - 1) as f64);
    Outcome { found: grid[m * n - 1], expected: ((iterations + 1) * (m + n - 2)) as f64, work, seconds }
}
