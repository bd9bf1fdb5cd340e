//! The rows of a profile as spans: a subscriber that adds up the time of each finds what the profile says.

use core::cell::RefCell;
use core::time::Duration;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

use support::profiled::profiles;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber, subscriber};

/// The time in spans of each name on each locale, without the time in spans inside.
static SPENT: Mutex<Vec<(&'static str, u64, Duration)>> = Mutex::new(Vec::new());
static SPANS: Mutex<Vec<(&'static str, u64)>> = Mutex::new(Vec::new());

thread_local! {
    /// The open spans of a thread: when each was entered, and what was spent in those inside.
    static OPEN: RefCell<Vec<(Instant, Duration)>> = const { RefCell::new(Vec::new()) };
}

struct Adds;

/// Reads the field of a span.
struct Locale(u64);

impl tracing::field::Visit for Locale {
    fn record_u64(&mut self, _: &tracing::field::Field, value: u64) {
        self.0 = value;
    }

    fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn core::fmt::Debug) {}
}

impl Subscriber for Adds {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("layout_store")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        assert_eq!(*span.metadata().level(), Level::DEBUG);
        let mut locale = Locale(u64::MAX);
        span.record(&mut locale);
        let mut spans = SPANS.lock().unwrap();
        spans.push((span.metadata().name(), locale.0));
        Id::from_u64(spans.len() as u64)
    }

    fn enter(&self, _: &Id) {
        OPEN.with_borrow_mut(|open| open.push((Instant::now(), Duration::ZERO)));
    }

    fn exit(&self, id: &Id) {
        let time = OPEN.with_borrow_mut(|open| {
            let (start, inside) = open.pop().expect("spans that are left were entered");
            let time = start.elapsed();
            open.iter_mut().last().into_iter().for_each(|(_, inside)| *inside += time);
            time - inside
        });
        let number = usize::try_from(id.into_u64()).unwrap() - 1;
        let (name, locale) = SPANS.lock().unwrap()[number];
        SPENT.lock().unwrap().push((name, locale, time));
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
}

#[test]
fn spans_are_the_rows_of_the_profile() {
    subscriber::set_global_default(Adds).unwrap();
    let profiles = profiles(50_000);
    let mut spent: HashMap<(&str, u64), Duration> = HashMap::new();
    for (name, locale, time) in SPENT.lock().unwrap().iter() {
        *spent.entry((name, *locale)).or_default() += *time;
    }
    assert_eq!(spent.len(), 12, "{spent:?}");
    for (locale, profile) in profiles.into_iter().enumerate() {
        let times = profile.times();
        let rows = [
            ("plan", times.plan),
            ("image", times.image),
            ("wait", times.wait),
            ("body", times.body),
            ("exchange", times.exchange),
            ("combine", times.combine),
        ];
        for (name, time) in rows {
            // Both look at the clock, one after the other; after the profile only the end of the program is waited for.
            let span = spent[&(name, locale as u64)];
            let apart = if name == "wait" { span.saturating_sub(time) } else { span.abs_diff(time) };
            assert!(apart < times.wall / 5, "{name}: {span:?} in spans, {time:?} in\n{profile}");
        }
    }
}
