//! Messages that are not what was sent, and transports of one's own.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use layout_store::{Runtime, Store, StoreError, Sum, bloat, read, write};
use support::joined::{inboxes, joined};

/// What is done to a message.
type Spoil = fn(&mut Vec<u8>);

/// What a program tells on each locale whose message of a number is spoiled, and how many messages were sent.
fn told(locales: usize, number: usize, spoil: Spoil) -> (Result<Vec<Result<f64, StoreError>>, StoreError>, usize) {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let transports = joined(&inboxes(locales), move |inboxes, to, message| {
        let mut bytes = message.to_vec();
        // Elements and values; what locales tell each other of their programs is tested where that is.
        if bytes[4] < 2 && counted.fetch_add(1, Ordering::SeqCst) == number {
            spoil(&mut bytes);
        }
        inboxes[to].wait().deliver(bytes.into());
    });
    let builder = Runtime::builder().threads(1).pieces(2 * locales).min_chunk(1).whole_below(0);
    let told = builder.simulate_over(transports, |rt| {
        let (old, new): (Store<f64, _>, Store<f64, _>) = (rt.create_from_fn(64, |_| 1.0)?, rt.create(64)?);
        for (from, to) in [(&old, &new), (&new, &old)] {
            let task = rt.task("step").args((read(from), write(to)));
            task.constrain(|(from, to)| bloat(to, from, [1], [1])).launch(|_, (_, mut to)| to.fill(2.0))?;
        }
        rt.task("sum").args((read(&old),)).reduce(Sum, |_, (old,)| Ok(old.values().sum::<f64>()))?.get()
    });
    (told, sent.load(Ordering::SeqCst))
}

/// All locales tell an error: of the task that got what is no message of elements or values, or that a locale got none.
fn is_told(locales: usize, spoil: Spoil, texts: &[&str]) {
    let (unspoiled, messages) = told(locales, usize::MAX, spoil);
    assert!(unspoiled.unwrap().iter().all(|sum| *sum.as_ref().unwrap() == 128.0));
    assert!(messages >= 2 * (locales - 1), "{messages}");
    for number in 0..messages {
        let (told, _) = told(locales, number, spoil);
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
        is_told(locales, |bytes| bytes[3] += 1, &["got bytes that are no message: it starts with [76, 65, 89, 2]"]);
        is_told(locales, |bytes| bytes[4] = 99, &["got bytes that are no message: it is of no kind that is known"]);
        is_told(locales, |bytes| bytes.truncate(39), &["it has 39 bytes, and its header alone has 40"]);
        is_told(locales, Vec::clear, &["it has 0 bytes, and its header alone has 40"]);
    }
}

#[test]
fn messages_that_end_too_early_or_too_late_are_told() {
    let texts = [
        "elements of store 0 from locale ",
        "elements of store 1 from locale ",
        " has more bytes than there are",
        "bytes that are no value of ",
        " bytes more than are needed",
    ];
    for locales in 2..=4 {
        is_told(locales, |bytes| bytes.truncate(bytes.len() - 1), &texts);
        is_told(locales, |bytes| bytes.truncate(40), &texts);
        is_told(locales, |bytes| bytes.push(1), &texts);
    }
}

/// Whatever bytes a message has, all programs end, and tell nothing but values and errors.
#[test]
fn other_bytes_end_no_process() {
    let (_, messages) = told(3, usize::MAX, |_| ());
    for number in 0..messages {
        let spoils: [Spoil; 2] =
            [|bytes| bytes[8] ^= 3, |bytes| bytes.iter_mut().skip(40).for_each(|byte| *byte = 0xff)];
        for spoil in spoils {
            let _ = told(3, number, spoil);
        }
    }
}
