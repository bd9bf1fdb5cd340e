//! Fair times on a noisy machine.

use core::time::Duration;
use std::time::Instant;

use super::candidate::Held;

/// The least time of a turn: clocks are not exact enough for less.
const SHORTEST: Duration = Duration::from_millis(1);
/// The seconds of a turn in which the clock saw no time go by.
const LEAST: f64 = 1e-9;
const FEWEST_ROUNDS: usize = 7;
const MOST_ROUNDS: usize = 2001;
const MOST_RUNS: u32 = 1 << 16;

/// The measured times, for each candidate.
pub(super) struct Times {
    /// The time of a run.
    pub(super) runs: Vec<Duration>,
    /// The time divided by that of the fastest candidate.
    pub(super) ratios: Vec<f64>,
    /// The relative difference by which two equal candidates seem to differ.
    pub(super) noise: f64,
    pub(super) rounds: usize,
}

/// Runs all candidates in turns. `twin` makes a second candidate like the fastest.
pub(super) fn measure<'c, K>(
    candidates: &mut [Held<'c, K>],
    kernel: &K,
    restore: bool,
    budget: Duration,
    twin: impl FnOnce(usize) -> Option<Held<'c, K>>,
) -> Times {
    let start = Instant::now();
    let count = candidates.len();
    // The approximate time of a run: the shorter of two, since the first finds cold caches. For a clock that is too coarse, time by the wall.
    let once = |c: &mut Held<'c, K>| {
        let mut turn = || {
            let start = Instant::now();
            let time = c.turn(kernel, restore, 1);
            if time.is_zero() { start.elapsed() } else { time }
        };
        turn().min(turn())
    };
    let guesses: Vec<_> = candidates.iter_mut().map(once).collect();
    let Some(fastest) = (0..count).min_by_key(|i| guesses[*i]) else {
        return Times { runs: Vec::new(), ratios: Vec::new(), noise: 0.0, rounds: 0 };
    };
    let runs = SHORTEST.as_nanos().div_ceil(guesses[fastest].as_nanos().max(1));
    let runs = u32::try_from(runs).unwrap_or(MOST_RUNS).min(MOST_RUNS);
    let mut twin = twin(fastest);

    let mut times: Vec<Vec<f64>> = vec![Vec::new(); count + 1];
    let mut rounds = 0;
    while rounds < FEWEST_ROUNDS || start.elapsed() < budget && rounds < MOST_ROUNDS {
        // Every other round goes backwards, so that no candidate always follows the same one, whose data fills the caches.
        for turn in 0..=count {
            let turn = if rounds % 2 == 0 { turn } else { count - turn };
            let candidate = if turn == count { twin.as_mut() } else { Some(&mut candidates[turn]) };
            if let Some(candidate) = candidate {
                times[turn].push(candidate.turn(kernel, restore, runs).as_secs_f64().max(LEAST));
            }
        }
        rounds += 1;
    }

    let quarters: Vec<f64> = times[..count].iter().map(|times| lower_quarter(times.iter().copied())).collect();
    let best = quarters.iter().copied().fold(f64::INFINITY, f64::min);
    let of_run = |quarter: &f64| Duration::from_secs_f64(quarter / f64::from(runs));
    Times {
        runs: quarters.iter().map(of_run).collect(),
        ratios: quarters.iter().map(|quarter| quarter / best).collect(),
        // A clock that saw no time go by tells nothing.
        noise: if best > LEAST { noise(&times, fastest) } else { 1.0 },
        rounds,
    }
}

/// The relative difference of times that should be equal: of the layout that was measured twice, `fastest` and the last
/// one; and of the rounds that went forwards and backwards, which are half as many each and so count half.
fn noise(times: &[Vec<f64>], fastest: usize) -> f64 {
    let apart = |a: f64, b: f64| (a / b).max(b / a) - 1.0;
    let quarter = |times: &[f64]| lower_quarter(times.iter().copied());
    let every_other = |times: &[f64], first| lower_quarter(times.iter().copied().skip(first).step_by(2));
    let halves = times.iter().filter(|times| !times.is_empty());
    let halves = halves.map(|times| apart(every_other(times, 0), every_other(times, 1)) / 2.0);
    let twins = times.last().filter(|twin| !twin.is_empty()).map(|twin| apart(quarter(twin), quarter(&times[fastest])));
    halves.chain(twins).fold(0.0, f64::max)
}

/// The time that a quarter of the rounds stay below.
///
/// Other work of the machine makes times longer, often more than half of them: their median would be that of the
/// disturbance. The shortest time, on the other hand, is that of one lucky round.
fn lower_quarter(times: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = times.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    // Interpolated if the quarter falls between two times.
    let last = sorted.len() - 1;
    let (whole, part) = (last / 4, (last % 4) as f64 / 4.0);
    sorted[whole] * (1.0 - part) + sorted.get(whole + 1).map_or(0.0, |next| next * part)
}

#[cfg(test)]
mod tests {
    use super::super::candidate::Candidate;
    use super::*;

    #[test]
    fn quarters() {
        assert_eq!(lower_quarter([3.0]), 3.0);
        assert_eq!(lower_quarter([5.0, 1.0]), 2.0);
        assert_eq!(lower_quarter([9.0, 3.0, 1.0, 2.0, 7.0]), 2.0);
        // More than half of the rounds were disturbed.
        assert_eq!(lower_quarter([1.0, 1.0, 1.0, 2.0, 9.0, 3.0, 2.0]), 1.0);
    }

    #[test]
    fn noises() {
        assert_eq!(noise(&[vec![1.0; 8], vec![2.0; 8], vec![1.0; 8]], 0), 0.0);
        assert!((noise(&[vec![1.0; 8], vec![2.0; 8], vec![1.1; 8]], 0) - 0.1).abs() < 1e-12);
        assert!((noise(&[vec![1.0; 8], vec![2.0; 8], vec![]], 0)).abs() < 1e-12);
        let uneven = [1.0, 1.2].repeat(4);
        assert!((noise(&[vec![1.0; 8], uneven, vec![1.0; 8]], 0) - 0.1).abs() < 1e-12);
    }

    /// A candidate that reports a fixed time.
    struct Sleeper(f64);

    impl Candidate<()> for Sleeper {
        fn fingerprint(&mut self, (): &()) -> super::super::fingerprint::Fingerprint {
            unreachable!()
        }

        fn turn(&mut self, (): &(), _: bool, runs: u32) -> Duration {
            Duration::from_secs_f64(self.0 * f64::from(runs))
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    #[test]
    fn ranks() {
        let sleepers = [3e-6, 1e-6, 2e-6];
        let mut candidates: Vec<Held<'_, ()>> = sleepers.iter().map(|time| Box::new(Sleeper(*time)) as _).collect();
        let times = measure(&mut candidates, &(), true, Duration::ZERO, |fastest| {
            assert_eq!(fastest, 1);
            Some(Box::new(Sleeper(1.05e-6)))
        });
        assert_eq!(times.rounds, FEWEST_ROUNDS);
        assert_eq!(times.runs[2].as_nanos(), 2000);
        assert!(times.ratios.iter().zip([3.0, 1.0, 2.0]).all(|(ratio, expected)| (ratio - expected).abs() < 1e-9));
        assert!((times.noise - 0.05).abs() < 1e-9);
    }
}
