//! A rank is killed at some moment.

use core::time::Duration;
use std::thread::sleep;

use support::jobs::kill;
use support::random::Random;

use crate::{LONG, SOON, start};

/// `LAYOUT_STORE_KILLS` is how often.
#[test]
fn a_rank_that_is_killed_ends_the_job() {
    let kills = std::env::var("LAYOUT_STORE_KILLS").map_or(4, |kills| kills.parse().unwrap());
    let mut random = Random(17);
    for number in 0..kills {
        let ranks = 2 + random.below(3);
        let (lost, late) = (random.below(ranks), random.below(100));
        let mut job = start(ranks, &format!("endless {number}"));
        let processes = job.wait_for("began", LONG);
        sleep(Duration::from_millis(late as u64));
        assert!(kill(&processes[lost]), "the program never ends");
        let ended = job.end(SOON);
        ended.killed(lost, &processes);
        println!("rank {lost} of {ranks} was killed: code {:?} after {:?}", ended.code, ended.took);
    }
}
