//! Locales that are lost at random moments.

use core::time::Duration;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use layout_store::{Builder, Runtime, StoreError};
use support::locales::LIMIT;
use support::losing::losing;
use support::random::Random;
use support::rounding::{Step, run};

/// The results and errors of each locale.
type Found = Vec<(usize, Result<Vec<u64>, StoreError>)>;

/// The results if a locale is lost after so many messages; the number of messages, and the time that all continued after the loss.
fn lose(
    builder: Builder,
    (locales, seed): (usize, u64),
    (lost, after): (usize, usize),
) -> (Found, usize, Option<Duration>) {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let (losses, transports) = losing(locales, (lost, after), seed);
        let (found, steps) = (Mutex::new(Found::new()), Step::many(seed, 8));
        let _ = builder.simulate_over(transports, |rt: &Runtime| {
            let bits = run(rt, (200, &steps)).and_then(|bits| rt.fence().map(|()| bits));
            found.lock().expect("nobody panics in between").push((rt.locale(), bits));
        });
        let found = found.into_inner().expect("nobody panicked");
        let _ = sender.send((found, losses.sent(), losses.when().map(|when| Instant::now() - when)));
    });
    let what = format!("locale {lost} of {locales} after {after} messages, seed {seed}");
    receiver.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("nothing ended for {LIMIT:?}: {what}"))
}

/// A locale is lost at some moment: the others end soon, and say which one was lost.
#[test]
fn a_locale_that_is_lost_is_told_to_all_others() {
    let seeds = std::env::var("LAYOUT_STORE_KILLS").map_or(100, |kills| kills.parse().unwrap());
    let (mut random, mut losses) = (Random(11), 0);
    for seed in 0..seeds {
        let (locales, threads) = (2 + random.below(3), random.below(4));
        let builder = Runtime::builder().threads(threads).pieces(7).min_chunk(1).whole_below(0);
        let lost = random.below(locales);
        let (alone, messages, _) = lose(builder.clone(), (locales, seed), (lost, usize::MAX));
        let bits = alone[0].1.as_ref().unwrap();
        let after = random.below(messages);
        let (found, _, took) = lose(builder, (locales, seed), (lost, after));
        assert_eq!(found.len(), locales);
        let Some(took) = took else { continue };
        losses += 1;
        let what = format!("locale {lost} of {locales} was lost after {after} messages of {messages}, seed {seed}");
        assert!(took < Duration::from_secs(5), "{what}, and others ended {took:?} later");
        for (locale, found) in found.into_iter().filter(|(locale, _)| *locale != lost) {
            match found {
                // It was done before.
                Ok(found) => assert_eq!(&found, bits, "{what}: locale {locale}"),
                Err(error) => {
                    assert!(matches!(error, StoreError::Gone { locale } if locale == lost), "{what}: {error}")
                }
            }
        }
    }
    assert!(losses * 10 >= seeds * 9, "{losses} of {seeds}");
}
