//! What a job takes of the processors that waits.

use crate::{LONG, start};

/// So much of a processor a process may take that waits.
const SHARE: f64 = 0.02;

#[test]
fn a_job_that_waits_takes_no_time() {
    for threads in [0, 1] {
        let ended = start(2, &format!("idle 3000 {threads}")).end(LONG).well();
        for rank in 0..2 {
            let share: f64 = ended.told("result", rank).parse().unwrap();
            println!("rank {rank} with {threads} threads: {:.2} % of a processor", 100.0 * share);
            assert!(share < SHARE, "rank {rank} with {threads} threads takes {share} of a processor");
        }
    }
}
