//! The ends of jobs in which a rank cannot go on, or programs differ.

use crate::{LONG, SOON, start};

/// The job ends with this code, and one rank says why.
fn ends(ranks: usize, case: &str, code: i32) -> String {
    let ended = start(ranks, case).end(LONG);
    assert_eq!(ended.code, Some(code), "{}", ended.text);
    let [line] = ended.lines()[..] else { panic!("one line says why, not {:#?}:\n{}", ended.lines(), ended.text) };
    line.to_owned()
}

#[test]
fn a_panic_of_the_program_ends_the_job() {
    for rank in [0, 2] {
        let line = ends(3, &format!("panic {rank}"), 101);
        let begin = format!("rank {rank} of 3 panicked: the sky falls; ");
        assert!(line.starts_with(&begin) && line.ends_with("; the job ends with code 101"), "{line}");
        let stands = format!("; locale {rank} is at its operation ");
        assert!(
            line.contains(&stands) && line.contains(", where it called `to_vec` on [0]..[300] of store 2"),
            "{line}"
        );
    }
}

#[test]
fn a_message_that_is_none_ends_the_job() {
    for at in [0, 7] {
        let line = ends(2, &format!("corrupt {at}"), 102);
        assert!(line.starts_with("rank 0 of 2: locale 0 got bytes that are no message: it starts with ["), "{line}");
        assert!(line.contains("; locale 0 is at its operation "), "{line}");
    }
}

#[test]
fn a_rank_that_exits_ends_the_job() {
    let ended = start(3, "exit").end(SOON * 2);
    assert!(ended.code != Some(0), "{}", ended.text);
}

#[test]
fn a_panic_of_a_task_is_told_to_all() {
    let ended = start(3, "task-panic").end(LONG).well();
    for rank in 0..3 {
        let told = ended.told("result", rank);
        assert!(told.contains("`stumbles`") && told.contains("point 5 stumbles"), "{told}");
    }
}

#[test]
fn programs_that_differ_are_told_so() {
    let ended = start(2, "diverge").end(LONG).well();
    for rank in 0..2 {
        let told = ended.told("result", rank);
        assert!(told.starts_with("the programs of the locales differ in operation "), "{told}");
        assert!(told.contains("locale 0 ended its program; locale 1 called `get` on [3]..[4] of store 0"), "{told}");
    }
}

#[test]
fn ranks_that_were_joined_by_hand_are_told_of_a_panic() {
    let ended = start(3, "told").end(LONG).well();
    for (rank, told) in
        [(0, "the program on locale 1 panicked, and"), (1, "panic"), (2, "the program on locale 1 panicked, and")]
    {
        assert!(ended.told("result", rank).starts_with(told), "rank {rank}: {}", ended.told("result", rank));
    }
}

/// Messages of a failed program come neither to the next one nor to nobody, which would keep them in the library.
#[test]
fn programs_after_failed_ones_run_on_the_same_ranks() {
    let ended = start(3, "again 20").end(LONG).well();
    (0..3).for_each(|rank| assert_eq!(ended.told("result", rank), "well"));
}
