//! Tests of single messages of councils: the conversion to bytes and back, and the replies.

use layout_core::Portable;
use proptest::prelude::*;

use super::control::{Control, Counts, End, Stand, Still};
use super::council::{Council, Out};
use super::council_model::{Op, error, to_bytes};
use super::history::{Order, Trail};
use crate::geometry::Point;
use crate::graph::{Cause, TaskBodyError, TaskError};

/// The replies of a locale to messages in this order.
fn heard(council: &mut Council<Op>, said: impl IntoIterator<Item = (usize, Control)>) -> Vec<String> {
    let mut out = Out::new();
    for (from, control) in said {
        council.hear(from, control, Counts::default(), &mut out);
    }
    out.iter().map(|message| format!("{message:?}")).collect()
}

#[test]
fn a_program_is_held_until_the_last_question_is_answered() {
    let mut council = Council::new(1, 2);
    council.operate(Op::Wait);
    let recall = |round| (0, Control::Recall { round });
    let resume = |round| (0, Control::Resume { round, in_vain: None });
    assert_eq!(heard(&mut council, [recall(1), recall(2), resume(1)]).len(), 2);
    assert!(council.is_held());
    assert!(heard(&mut council, [resume(2)]).is_empty());
    assert!(!council.is_held() && !council.is_told());
}

/// A locale that has reported again may wait for another event.
#[test]
fn who_waits_for_itself_is_told_of_its_latest_report() {
    let (mut council, mut out) = (Council::<Op>::new(1, 2), Out::new());
    let counts = |received| Counts { sent: 0, received };
    let resume = |report| (0, Control::Resume { round: 0, in_vain: Some(report) });
    for received in 0..2 {
        council.still(Stand::Uses, counts(received), &mut out);
    }
    assert!(heard(&mut council, [resume(1)]).is_empty() && !council.is_told());
    assert!(heard(&mut council, [resume(2)]).is_empty() && council.go_on());
    assert!(heard(&mut council, [resume(2)]).is_empty() && !council.is_told());
}

/// Locale 0 asks again if nothing has changed between two reminders.
#[test]
fn a_message_is_not_lost_before_all_have_stood_still_for_long() {
    let (mut council, mut out) = (Council::<Op>::new(0, 2), Out::new());
    council.still(Stand::Waits, Counts::default(), &mut out);
    let remind = |council: &mut Council<Op>, reports: &[Control]| {
        heard(council, reports.iter().map(|report| (1, report.clone())));
        let mut out = Out::new();
        council.remind(Counts::default(), &mut out);
        format!("{out:?}")
    };
    assert_eq!(remind(&mut council, &[still(1, 1, 0)]), "[]");
    assert_eq!(remind(&mut council, &[still(2, 2, 0)]), "[]");
    assert_eq!(remind(&mut council, &[]), "[(1, Confirm { round: 1 })]");
    assert!(heard(&mut council, [(1, Control::Confirmed { round: 1, report: Some(2) })])[0].contains("NeverCame"));
}

#[test]
fn a_difference_is_told_once_until_it_is_answered() {
    let (mut council, mut out) = (Council::<Op>::new(1, 2), Out::new());
    (0..2).for_each(|_| council.differs(Counts::default(), &mut out));
    assert_eq!(out.len(), 1);
    council.hear(0, Control::Resume { round: 1, in_vain: None }, Counts::default(), &mut out);
    council.differs(Counts::default(), &mut out);
    assert!(matches!(out[..], [(0, Control::Differs), (0, Control::Differs)]), "{out:?}");
}

#[test]
fn the_first_end_stays_and_nothing_follows() {
    for locale in [0, 1] {
        let (mut council, mut out) = (Council::<Op>::new(locale, 3), Out::new());
        council.end(End::Gone(2), &mut out);
        let told: Vec<_> = out.iter().map(|(to, _)| *to).collect();
        assert_eq!(told, if locale == 0 { vec![1, 2] } else { vec![0] });
        out.clear();
        council.end(End::Panicked(locale), &mut out);
        council.differs(Counts::default(), &mut out);
        council.still(Stand::Waits, Counts::default(), &mut out);
        let others = [(0, Control::End(End::Panicked(2))), (0, Control::Recall { round: 1 })];
        assert!(out.is_empty() && heard(&mut council, others).is_empty());
        assert_eq!(council.ended(), Some(&End::Gone(2)));
    }
}

/// A locale that finds that locale 0 is lost tells all others.
#[test]
fn the_loss_of_locale_0_is_told_by_others() {
    let (mut council, mut out) = (Council::<Op>::new(1, 4), Out::new());
    council.end(End::Gone(0), &mut out);
    assert_eq!(out.iter().map(|(to, _)| *to).collect::<Vec<_>>(), [0, 2, 3]);
}

fn still(report: u64, sent: u64, received: u64) -> Control {
    let at = Order { number: 0, hash: 0 };
    Control::Still(Still { report, at, stand: Stand::Waits, counts: Counts { sent, received } })
}

/// Locale 0 asks when all have reported, and no longer after one of them has gone on.
#[test]
fn who_went_on_is_not_asked_until_it_reports_again() {
    let (mut council, mut out) = (Council::<Op>::new(0, 2), Out::new());
    council.still(Stand::Waits, Counts::default(), &mut out);
    assert_eq!(heard(&mut council, [(1, still(1, 0, 0))]), ["(1, Confirm { round: 1 })"]);
    assert!(heard(&mut council, [(1, Control::Confirmed { round: 1, report: None })]).is_empty());
    council.go_on();
    council.still(Stand::Waits, Counts::default(), &mut out);
    assert!(out.is_empty(), "{out:?}");
    assert_eq!(heard(&mut council, [(1, still(2, 0, 0))]), ["(1, Confirm { round: 2 })"]);
}

/// Reports that come while locales are asked for their operations are handled afterwards, and one difference is searched for at a time.
#[test]
fn reports_count_once_no_difference_is_found() {
    let (mut council, mut out) = (Council::<Op>::new(0, 2), Out::new());
    assert_eq!(heard(&mut council, [(1, Control::Differs), (1, Control::Differs)]), ["(1, Recall { round: 1 })"]);
    council.still(Stand::Waits, Counts::default(), &mut out);
    assert!(out.is_empty() && heard(&mut council, [(1, still(1, 0, 0))]).is_empty());
    let trail = Trail { number: 0, hashes: Vec::new() };
    let told = ["(1, Resume { round: 1, in_vain: None })", "(1, Confirm { round: 2 })"];
    let mut follows = heard(&mut council, [(1, Control::Recalled { trail })]);
    follows.sort_by_key(|message| message.contains("Confirm"));
    assert_eq!(follows, told);
}

proptest! {
    #[test]
    fn bytes_of_anything_are_a_message_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60), kind in 0..12_u8) {
        let bytes = [&[kind][..], &bytes].concat();
        if let Ok(control) = Control::from_bytes(&bytes) {
            prop_assert_eq!(to_bytes(&control), bytes);
        }
    }
}

/// A message of each kind.
fn all_kinds() -> Vec<Control> {
    let (at, round) = (Order { number: 7, hash: 8 }, 3);
    let did = Box::new(["one".to_owned(), "two".to_owned()]);
    let mut kinds = vec![
        Control::Up(at, None),
        Control::Up(at, Some(error(2))),
        Control::Down(None),
        Control::Down(Some(error(2))),
        Control::Confirm { round },
        Control::Confirmed { round, report: None },
        Control::Confirmed { round, report: Some(5) },
        Control::Recall { round },
        Control::Recalled { trail: Trail { number: 7, hashes: vec![1, 2] } },
        Control::Quote { number: 4 },
        Control::Quoted { text: "called `get`".to_owned() },
        Control::Resume { round, in_vain: Some(round) },
        Control::Differs,
        Control::End(End::Diverged { operation: 4, exact: false, locales: [1, 2], did }),
        Control::End(End::Panicked(1)),
        Control::End(End::Gone(2)),
        Control::End(End::BadMessage(3, "why".to_owned())),
        Control::End(End::NeverCame("where".to_owned())),
    ];
    let counts = Counts { sent: 1, received: 2 };
    let stands = [Stand::Fence, Stand::Waits, Stand::Uses];
    kinds.extend(stands.map(|stand| Control::Still(Still { report: 1, at, stand, counts })));
    kinds
}

#[test]
fn messages_are_what_they_were_before_they_were_bytes() {
    for control in all_kinds() {
        let bytes = to_bytes(&control);
        let read = Control::from_bytes(&bytes).unwrap();
        assert_eq!((format!("{read:?}"), to_bytes(&read)), (format!("{control:?}"), bytes.clone()));
        for len in 0..bytes.len() {
            assert!(Control::from_bytes(&bytes[..len]).is_err(), "{len} bytes of {control:?}");
        }
        assert!(Control::from_bytes(&[&bytes[..], &[0]].concat()).is_err(), "a byte more than {control:?}");
    }
    assert!(Control::from_bytes(&[12]).is_err());
    // The length in a list does not decide how much memory is taken.
    let mut long = to_bytes(&Control::Quoted { text: String::new() });
    long[1..].fill(0xff);
    assert!(Control::from_bytes(&long).is_err());
}

#[test]
fn messages_have_the_bytes_that_are_promised() {
    let bytes: Vec<_> = all_kinds().iter().map(|control| to_bytes(control).len()).collect();
    let [up, _, down, _, confirm, unconfirmed, confirmed, ..] = bytes[..] else { unreachable!() };
    assert_eq!([up, down, confirm, unconfirmed, confirmed, bytes[bytes.len() - 1]], [18, 2, 9, 10, 18, 42]);
}

/// A fault is sent as its order, task, point, and the text of the cause; a fault caused by an earlier one is sent as the earlier one.
#[test]
fn errors_of_tasks_are_told_by_their_text() {
    let failed = TaskError::new((4, 2), "fails".to_owned(), Point::EMPTY, Cause::Error(TaskBodyError::new("no")));
    let after = TaskError::new((5, 0), "after".to_owned(), Point::EMPTY, Cause::Before(failed.clone()));
    for (fault, expected) in [(error(2), error(2)), (failed.clone(), failed.clone()), (after, failed)] {
        let mut bytes = Vec::new();
        fault.write(&mut bytes);
        let read = TaskError::read(&mut &bytes[..]).unwrap();
        assert_eq!((read.order(), read.to_string()), (expected.order(), expected.to_string()));
        assert_eq!(matches!(read.cause(), Cause::Panic(_)), matches!(expected.cause(), Cause::Panic(_)));
    }
}
