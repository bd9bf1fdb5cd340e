//! Fair times on a noisy machine: thread CPU time, short slices in turns, medians of what one round says.

/// The CPU time of this thread so far, in seconds.
#[cfg(unix)]
fn thread_time() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the given time and to nothing else.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    assert_eq!(failed, 0, "this system has no clock for the CPU time of a thread");
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// The time since the first call, in seconds: the best that is portable.
#[cfg(not(unix))]
fn thread_time() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// The seconds that `work` takes.
pub(crate) fn seconds(work: impl FnOnce()) -> f64 {
    let start = thread_time();
    work();
    thread_time() - start
}

/// Lets every candidate run a short `slice(round, candidate)` in each round, and gives the times: `[candidate][round]`.
///
/// A burst of noise that outlasts a slice hits neighbors in the same round alike. Every other round goes
/// backwards, so that nobody always follows the same candidate, whose data it finds in the caches.
pub(crate) fn take_turns(
    candidates: usize,
    rounds: usize,
    mut slice: impl FnMut(usize, usize) -> f64,
    mut after_round: impl FnMut(),
) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(rounds); candidates];
    for round in 0..rounds {
        for turn in 0..candidates {
            let candidate = if round % 2 == 0 { turn } else { candidates - 1 - turn };
            times[candidate].push(slice(round, candidate));
        }
        after_round();
    }
    times
}

/// The middle one of the numbers; the mean of the two in the middle if they are even in number.
pub(crate) fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { (sorted[middle - 1] + sorted[middle]) / 2.0 } else { sorted[middle] }
}

/// The median of what each round says about the ratio of two candidates.
///
/// Slow changes of the machine's speed cancel in every round's quotient; in a ratio of medians they do not.
pub(crate) fn ratio(times: &[f64], reference: &[f64]) -> f64 {
    median(times.iter().zip(reference).map(|(time, reference)| time / reference))
}

/// The difference between the times of two equal candidates, as a fraction: the worst of several pairs.
pub(crate) fn spread<'t>(pairs: impl IntoIterator<Item = (&'t [f64], &'t [f64])>) -> f64 {
    pairs.into_iter().map(|(a, b)| (ratio(a, b) - 1.0).abs()).fold(0.0, f64::max)
}
