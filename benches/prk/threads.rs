//! Loops by hand on several threads.

use core::ops::Range;
use std::thread;

use prk::Clock;

/// Works on each part on a thread of its own: on this one, if there is but one.
pub(crate) fn on_threads<P: Send>(parts: impl IntoIterator<Item = P>, work: impl Fn(P) + Sync) {
    let mut parts = parts.into_iter();
    let first = parts.next();
    thread::scope(|scope| {
        for part in parts {
            let work = &work;
            scope.spawn(move || work(part));
        }
        first.into_iter().for_each(&work);
    });
}

/// The part of a thread, of so many elements in parts that differ by one element at most.
pub(crate) fn part(elements: usize, threads: usize, thread: usize) -> Range<usize> {
    elements * thread / threads..elements * (thread + 1) / threads
}

/// Cuts a slice into the parts of the threads, where each element is so many values.
pub(crate) fn parts<T>(mut values: &mut [T], each: usize, threads: usize) -> Vec<&mut [T]> {
    let elements = values.len() / each;
    let length = |thread| part(elements, threads, thread).len() * each;
    (0..threads).map(|thread| values.split_off_mut(..length(thread)).expect("parts are of the slice")).collect()
}

/// Runs an iteration once, and then so many times; returns the seconds of one of the latter, on average.
pub(crate) fn timed(clock: Clock, iterations: usize, mut iteration: impl FnMut()) -> f64 {
    iteration();
    let start = clock();
    (0..iterations).for_each(|_| iteration());
    (clock() - start) / iterations as f64
}
