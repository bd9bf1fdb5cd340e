//! Messages that are not what was sent, and that never come; transports of one's own. Locales are threads.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use layout_store::{Dim, Distribution, Rect, Runtime, Store, StoreError, Sum, bloat, broadcast, read, reduce, write};
use support::joined::{HEADER, inboxes, joined};
use support::locales::LIMIT;

/// The number of programs that run at once, of which each waits for a message that does not come.
const AT_ONCE: usize = 4;

/// A change of a message.
type Spoil = fn(&mut Vec<u8>);

/// The result of the program on each locale.
type Told = Result<Vec<Result<f64, StoreError>>, StoreError>;

/// The result of a program while `spoil` changes some of its messages, or loses those for which it gives none.
fn told(locales: usize, spoil: impl Fn(Vec<u8>) -> Option<Vec<u8>> + Clone + Send + Sync + 'static) -> Told {
    let transports = joined(&inboxes(locales), move |inboxes, [_, to], message| {
        if let Some(bytes) = spoil(message.to_vec()) {
            inboxes[to].wait().deliver(bytes.into());
        }
    });
    let builder = Runtime::builder().threads(1).pieces(2 * locales).min_chunk(1).whole_below(0);
    let builder = builder.patience(Duration::from_millis(500));
    builder.simulate_over(transports, |rt| {
        let (old, new): (Store<f64, _>, Store<f64, _>) = (rt.create_from_fn(64, |_| 1.0)?, rt.create(64)?);
        for (from, to) in [(&old, &new), (&new, &old)] {
            let task = rt.task("step").args((read(from), write(to)));
            task.constrain(|(from, to)| bloat(to, from, [1], [1])).launch(|_, (_, mut to)| to.fill(2.0))?;
        }
        // Elements of many tiles, which travel together.
        let locales = rt.locales();
        let in_turn =
            (0_i64..64).zip(0..).map(|(at, number)| (Rect::new([at].into(), [at + 1].into()), number % locales));
        let dealt: Store<f64, Dim<1>> = rt.create_distributed(64, &Distribution::tiles(in_turn))?;
        dealt.copy_from(&old)?;
        rt.task("add").args((read(&old), reduce(&new, Sum))).constrain(|(_, new)| broadcast(new)).launch(|_, _| ())?;
        rt.fence()?;
        rt.task("sum").args((read(&old),)).reduce(Sum, |_, (old,)| Ok(old.values().sum::<f64>()))?.get()
    })
}

/// The result if one message is lost or spoiled, by its number among those that `counts`, and the number of these messages.
fn one(locales: usize, number: usize, counts: fn(&[u8]) -> bool, spoil: Option<Spoil>) -> (Told, usize) {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let told = told(locales, move |mut bytes| {
        if counts(&bytes) && counted.fetch_add(1, Ordering::SeqCst) == number {
            spoil?(&mut bytes);
        }
        Some(bytes)
    });
    (told, sent.load(Ordering::SeqCst))
}

/// As [`one`], of the messages of elements and values; what locales tell each other of their programs is tested where that is.
fn spoiled(locales: usize, number: usize, spoil: Spoil) -> (Told, usize) {
    one(locales, number, |bytes| bytes[4] < 2 || bytes[4] == 5, Some(spoil))
}

/// All locales tell an error: of the task that got what is no message of elements or values, or that a locale got none.
fn is_told(locales: usize, spoil: Spoil, texts: &[&str]) {
    let (unspoiled, messages) = spoiled(locales, usize::MAX, spoil);
    assert!(unspoiled.unwrap().iter().all(|sum| *sum.as_ref().unwrap() == 128.0));
    assert!(messages >= 2 * (locales - 1), "{messages}");
    // Each run waits for half a second, so some run at once.
    let numbers: Vec<usize> = (0..messages).collect();
    let told = numbers.chunks(AT_ONCE).flat_map(|some| {
        thread::scope(|threads| {
            let each: Vec<_> =
                some.iter().map(|&number| threads.spawn(move || spoiled(locales, number, spoil).0)).collect();
            each.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        })
    });
    for (number, told) in told.enumerate() {
        let errors: Vec<String> = match told {
            Err(error) => vec![error.to_string()],
            Ok(each) => each.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect(),
        };
        assert!(!errors.is_empty(), "message {number} of {messages}");
        for error in &errors {
            assert!(texts.iter().any(|text| error.contains(text)), "message {number} of {messages}: {error}");
        }
    }
}

#[test]
fn bytes_of_another_version_are_told() {
    for locales in 2..=4 {
        is_told(locales, |bytes| bytes[3] += 1, &["got bytes that are no message: it starts with [76, 65, 89, 4]"]);
        is_told(locales, |bytes| bytes[4] = 99, &["got bytes that are no message: it is of no kind that is known"]);
        is_told(locales, |bytes| bytes.truncate(HEADER - 1), &["it has 47 bytes, and its header alone has 48"]);
        is_told(locales, Vec::clear, &["it has 0 bytes, and its header alone has 48"]);
    }
}

#[test]
fn messages_that_end_too_early_or_too_late_are_told() {
    let texts = [
        "elements of store 0 from locale ",
        "elements of store 1 from locale ",
        "a contribution to store 1 in ",
        " has more bytes than there are",
        "bytes that are no value of ",
        " bytes more than are needed",
        "bytes that are no message: it has a message of ",
    ];
    for locales in 2..=4 {
        is_told(locales, |bytes| bytes.truncate(bytes.len() - 1), &texts);
        is_told(locales, |bytes| bytes.truncate(HEADER), &texts);
        is_told(locales, |bytes| bytes.push(1), &texts);
    }
}

/// Whatever bytes a message has, all programs end, and tell nothing but values and errors.
#[test]
fn other_bytes_end_no_process() {
    let (_, messages) = spoiled(3, usize::MAX, |_| ());
    let spoils: [Spoil; 5] = [
        |bytes| bytes[8] ^= 3,
        |bytes| bytes.iter_mut().skip(40).for_each(|byte| *byte = 0xff),
        // The operation, the number within it, and the hash.
        |bytes| bytes[16] ^= 3,
        |bytes| bytes[24] ^= 3,
        |bytes| bytes[32] ^= 3,
    ];
    for spoil in spoils {
        thread::scope(|threads| {
            (0..messages).for_each(|number| drop(threads.spawn(move || spoiled(3, number, spoil))));
        });
    }
}

/// A message never comes, of operations or of fences: all are told, unless nobody waits for it.
#[test]
fn a_message_that_is_lost_is_told_to_all() {
    for locales in 2..=4 {
        let lost = |number| one(locales, number, |bytes| bytes[4] != 4 || bytes[HEADER] < 2, None);
        let (unspoiled, messages) = lost(usize::MAX);
        assert!(unspoiled.unwrap().iter().all(|sum| *sum.as_ref().unwrap() == 128.0));
        // Those who sent the last ones may have left.
        let last = locales - 1;
        let told: Vec<Told> = thread::scope(|threads| {
            let each: Vec<_> = (0..messages - last).map(|number| threads.spawn(move || lost(number).0)).collect();
            each.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let all = told.len();
        let mut never = 0;
        for (number, told) in told.into_iter().enumerate() {
            match told {
                Err(StoreError::NeverCame { waits }) => {
                    assert!(waits.contains("waits for"), "{waits}");
                    never += 1;
                }
                told => assert!(told.is_ok_and(|each| each.iter().all(Result::is_ok)), "message {number} of {all}"),
            }
        }
        assert!(never > all / 2, "{never} of {all}");
    }
}

/// The error that each locale gets whose program does not panic, if one message of the reason why nobody goes on is lost: the last locale
/// panics or creates a store that others do not, or the first one does.
fn without_reason(locales: usize, (panics, last): (bool, bool), lost: usize) -> Vec<StoreError> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let sent = AtomicUsize::new(0).into();
        let transports = joined(&inboxes(locales), move |inboxes, [_, to], message| {
            let sent: &Arc<AtomicUsize> = &sent;
            let is_reason = message[4] == 4 && message[HEADER] == 11;
            if !is_reason || sent.fetch_add(1, Ordering::SeqCst) != lost {
                inboxes[to].wait().deliver(message);
            }
        });
        let (at, found) = (if last { locales - 1 } else { 0 }, Mutex::new(Vec::new()));
        let builder = Runtime::builder().threads(1).pieces(1).patience(Duration::from_millis(300));
        let _ = catch_unwind(AssertUnwindSafe(|| {
            builder.simulate_over(transports, |rt| {
                if rt.locale() == at {
                    assert!(!panics, "one program panics");
                    let more: Result<Store<i64, _>, _> = rt.create(10);
                    drop(more);
                }
                let error = rt.fence().expect_err("nobody passes");
                found.lock().expect("nobody panics in between").push(error);
            })
        }));
        let _ = sender.send(found.into_inner().expect("nobody panicked"));
    });
    let what = format!("message {lost} to {locales} locales, {panics} {last}");
    receiver.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("nothing ended for {LIMIT:?}: {what}"))
}

#[test]
fn a_reason_that_is_lost_is_told_to_all() {
    for locales in 2..=3 {
        for (panics, last) in [(true, true), (true, false), (false, true), (false, false)] {
            for lost in 0..2 * locales {
                let told = without_reason(locales, (panics, last), lost);
                let is_right = |error: &StoreError| match error {
                    StoreError::Panicked { .. } => panics,
                    StoreError::Diverged { .. } => !panics,
                    _ => false,
                };
                assert_eq!(told.len(), locales - usize::from(panics));
                assert!(told.iter().all(is_right), "message {lost} to {locales} locales: {told:?}");
            }
        }
    }
}

/// A message of an operation or of a fence is lost because the transport panics when it is sent, on whatever thread: all programs end.
#[test]
fn a_send_that_panics_hangs_nobody() {
    let panics_at = |number| {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let sent = Arc::new(AtomicUsize::new(0));
            let counted = sent.clone();
            let told = catch_unwind(AssertUnwindSafe(|| {
                told(3, move |bytes| {
                    if bytes[4] != 4 || bytes[HEADER] < 2 {
                        assert_ne!(counted.fetch_add(1, Ordering::SeqCst), number, "a message cannot be sent");
                    }
                    Some(bytes)
                })
            }));
            drop(told);
            let _ = sender.send(sent.load(Ordering::SeqCst));
        });
        receiver.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("nothing ended for {LIMIT:?}: message {number}"))
    };
    // Those who sent the last ones may have left.
    let messages = panics_at(usize::MAX) - 2;
    thread::scope(|threads| (0..messages).for_each(|number| drop(threads.spawn(move || panics_at(number)))));
}

/// Locales tell each other of unpacked elements in messages that they send anyway; if messages go one way only, few of them are answered.
#[test]
fn messages_both_ways_need_no_answers() {
    for (both, most) in [(true, 0), (false, 75)] {
        let kinds: Arc<[AtomicUsize; 6]> = Arc::default();
        let counted = kinds.clone();
        let transports = joined(&inboxes(4), move |inboxes, [_, to], message| {
            counted[usize::from(message[4])].fetch_add(1, Ordering::Relaxed);
            inboxes[to].wait().deliver(message);
        });
        let builder = Runtime::builder().threads(1).pieces(4).min_chunk(1).whole_below(0);
        builder
            .simulate_over(transports, |rt| {
                let (n, rim) = (4096_i64, 1024);
                let a: Store<i64, _> = rt.create_from_fn(4 * n, |at| at[0])?;
                let b: Store<i64, _> = rt.create(4 * n)?;
                for step in 0..200 {
                    let (from, to) = if step % 2 == 0 { (&a, &b) } else { (&b, &a) };
                    let task = rt.task("step").args((read(from), write(to)));
                    let task = task.constrain(|(from, to)| bloat(to, from, [rim], [if both { rim } else { 0 }]));
                    task.launch(|task, (from, mut to)| {
                        let at = task.rect(1).lo()[0];
                        (0..to.len()).for_each(|i| to.set(i, i as i64 + at));
                        assert_eq!(from.get(0), task.rect(0).lo()[0]);
                    })?;
                }
                rt.fence()
            })
            .unwrap()
            .into_iter()
            .for_each(|found| found.unwrap());
        let [elements, answers] = [0, 3].map(|kind: usize| kinds[kind].load(Ordering::Relaxed));
        assert!(elements >= if both { 1194 } else { 597 }, "{elements}");
        assert!(answers <= most, "{answers} answers to {elements} messages, both ways: {both}");
    }
}
