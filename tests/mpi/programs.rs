//! The results of programs.

use std::fs;

use support::joined::HEADER;

use crate::cases::{builder, steps};
use crate::{LONG, start};

#[test]
fn a_job_has_as_many_ranks_as_were_started() {
    for ranks in [1, 2, 3, 6] {
        start(ranks, "ranks").end(LONG).well();
    }
}

#[test]
fn programs_on_ranks_are_as_alone() {
    for ranks in [1, 2, 3, 4, 6] {
        for threads in [0, 2] {
            let seed = (10 * ranks + threads) as u64;
            let alone = builder().run(|rt| steps(rt, (seed, 12)).unwrap()).unwrap();
            let ended = start(ranks, &format!("program {seed} 12 {threads}")).end(LONG).well();
            for rank in 0..ranks {
                assert_eq!(
                    ended.told("result", rank),
                    format!("{alone:?}"),
                    "rank {rank} of {ranks}, {threads} threads"
                );
            }
        }
    }
}

/// A message of several pieces, one of none, and one that ends with a whole piece are what they were.
#[test]
fn messages_come_in_pieces() {
    let alone = builder().run(|rt| steps(rt, (4, 12)).unwrap()).unwrap();
    for piece in [1, 8, HEADER, 97] {
        let ended = start(3, &format!("pieces 4 12 {piece}")).end(LONG).well();
        for rank in 0..3 {
            assert_eq!(ended.told("result", rank), format!("{alone:?}"), "rank {rank}, pieces of {piece} bytes");
        }
    }
}

/// A run that is refused before its program starts leaves nothing open.
#[test]
fn a_refused_run_is_an_error_and_the_job_ends_well() {
    for threads in [0, 2] {
        let ended = start(2, &format!("refused {threads}")).end(LONG).well();
        for rank in 0..2 {
            assert_eq!(ended.told("result", rank), "2");
        }
    }
}

/// `LAYOUT_MPI_LARGE` is the number of bytes, for a machine that has four times as many.
#[test]
fn values_are_large() {
    let bytes = std::env::var("LAYOUT_MPI_LARGE").map_or(30_000_000, |bytes| bytes.parse::<u64>().unwrap());
    let ended = start(2, &format!("large {bytes}")).end(LONG * 5).well();
    for rank in 0..2 {
        assert_eq!(ended.told("result", rank), format!("[({bytes}, true), (0, true)]"));
    }
}

#[test]
fn a_job_that_is_asked_for_a_profile_has_one_table_and_one_trace_of_all_ranks() {
    let ended = start(2, "profile").end(LONG).well();
    let row = |task: &str| -> Vec<String> {
        let rows: Vec<&str> =
            ended.text.lines().filter(|line| line.starts_with("turn ") && line.contains(task)).collect();
        assert_eq!(rows.len(), 1, "{task}:\n{}", ended.text);
        rows[0].split_whitespace().map(str::to_owned).collect()
    };
    // Launches, points, and all elements.
    let reverse = row(" reverse ");
    assert_eq!([&reverse[2], &reverse[3], &reverse[5]], ["1", "2", "4800"], "{}", ended.text);
    assert_eq!(row(" sum ")[2..4], ["1", "2"], "{}", ended.text);
    for rank in 0..2 {
        assert_eq!(ended.told("result", rank), "600");
        assert!(ended.text.contains(&format!("locale {rank}, threads, ms: ")), "{}", ended.text);
    }
    let trace = fs::read_to_string(ended.job.folder.0.join("trace.json")).unwrap();
    for rank in 0..2 {
        let points = |task: &str| {
            let of_rank = |line: &&str| {
                line.contains(&format!(r#""name":"{task}","cat":"turn""#))
                    && line.contains(&format!(r#""pid":{rank},"#))
            };
            trace.lines().filter(of_rank).count()
        };
        assert_eq!([points("reverse"), points("sum")], [1, 1], "{trace}");
    }
}

#[test]
fn a_program_may_run_several_times() {
    let ended = start(2, "twice").end(LONG).well();
    for rank in 0..2 {
        assert_eq!(ended.told("result", rank), "[300000, 500000]");
    }
}
