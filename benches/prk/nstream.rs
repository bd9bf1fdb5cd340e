//! STREAM triad by hand.

use prk::{Clock, Outcome, Work};

use crate::threads::{on_threads, part, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/nstream.rs"]
mod kernel;

pub(crate) use kernel::KERNEL;

pub(crate) fn by_hand(threads: usize, clock: Clock, arguments: &[usize]) -> Outcome {
    let [iterations, length, ..] = *arguments else { unreachable!("three arguments") };
    let (mut a, b, c) = (vec![0.0; length], vec![2.0; length], vec![2.0; length]);
    let seconds = timed(clock, iterations, || {
        on_threads(parts(&mut a, 1, threads).into_iter().enumerate(), |(thread, a)| {
            let range = part(length, threads, thread);
            let terms = b[range.clone()].iter().zip(&c[range]);
            a.iter_mut().zip(terms).for_each(|(a, (b, c))| *a += b + 3.0 * c);
        });
    });
    let expected = 8.0 * (iterations + 1) as f64 * length as f64;
    Outcome { found: a.iter().sum(), expected, work: Work::Bytes(32.0 * length as f64), seconds }
}
