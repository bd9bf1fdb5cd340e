//! A rank is killed at some moment.

use core::time::Duration;
use std::process::Command;
use std::thread::sleep;

use support::random::Random;

use crate::{SOON, start};

/// `LAYOUT_STORE_KILLS` is how often.
#[test]
fn a_rank_that_is_killed_ends_the_job() {
    let kills = std::env::var("LAYOUT_STORE_KILLS").map_or(4, |kills| kills.parse().unwrap());
    let mut random = Random(17);
    for kill in 0..kills {
        let ranks = 2 + random.below(3);
        let (lost, late) = (random.below(ranks), random.below(100));
        let job = start(ranks, &format!("endless {kill}"));
        job.wait_for("began");
        sleep(Duration::from_millis(late as u64));
        let process = std::fs::read_to_string(job.folder.0.join(format!("began {lost}"))).unwrap();
        assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
        let ended = job.end(SOON);
        assert!(ended.code != Some(0), "{}", ended.text);
        assert!(ended.text.contains("Killed") || ended.text.contains("signal"), "{}", ended.text);
        println!("rank {lost} of {ranks} was killed: code {:?} after {:?}", ended.code, ended.took);
    }
}
