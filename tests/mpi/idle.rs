//! The processor time of a job that waits.

use crate::{LONG, start};

/// So much of a processor a process may take that waits.
const SHARE: f64 = 0.05;

#[test]
fn a_job_that_waits_takes_no_time() {
    for threads in [0, 1] {
        let ended = start(2, &format!("idle 3000 {threads}")).end(LONG).well();
        let shares: Vec<f64> = (0..2).map(|rank| ended.told("result", rank).parse().unwrap()).collect();
        println!("of a processor, with {threads} threads: {shares:?}");
        assert!(
            shares.iter().all(|share| *share < SHARE),
            "ranks with {threads} threads take {shares:?} of a processor"
        );
    }
}
