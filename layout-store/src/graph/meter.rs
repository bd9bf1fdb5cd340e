//! Meters: they measure the time of the threads of a locale, if a program asks for a profile.

use core::cell::Cell;
use core::time::Duration;
use std::time::Instant;

use super::node::Row;
use crate::sync::{AtomicU64, Ordering};

thread_local! {
    /// The time of nested clocks within the clock that runs on this thread.
    static INSIDE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The time spent on each row so far; nothing is measured unless asked for. With feature `tracing`, each time is also a span.
pub(crate) struct Meter {
    since: Option<Instant>,
    #[cfg(feature = "tracing")]
    locale: usize,
    spent: [AtomicU64; Row::COUNT],
}

/// Measures time until it is dropped, without the time of nested clocks.
pub(crate) struct Clock<'m> {
    running: Option<Running<'m>>,
    /// Dropped after the time was counted: a subscriber sees the counted time and the counting.
    #[cfg(feature = "tracing")]
    _span: tracing::span::EnteredSpan,
}

struct Running<'m> {
    spent: &'m AtomicU64,
    start: Instant,
    /// The time of nested clocks that the outer clock had before this one.
    before: Duration,
}

impl Meter {
    pub(super) fn new(on: bool, locale: usize) -> Self {
        #[cfg(not(feature = "tracing"))]
        let _ = locale;
        Self {
            since: on.then(Instant::now),
            #[cfg(feature = "tracing")]
            locale,
            spent: Default::default(),
        }
    }

    /// Counts time for this row until the result is dropped.
    pub(crate) fn clock(&self, row: Row) -> Clock<'_> {
        Clock {
            #[cfg(feature = "tracing")]
            _span: self.span(row).entered(),
            running: self.since.map(|_| Running {
                spent: &self.spent[row as usize],
                start: Instant::now(),
                before: INSIDE.replace(Duration::ZERO),
            }),
        }
    }

    /// The span of a time for this row.
    #[cfg(feature = "tracing")]
    fn span(&self, row: Row) -> tracing::Span {
        let locale = self.locale;
        match row {
            Row::Plan => tracing::debug_span!("plan", locale),
            Row::Image => tracing::debug_span!("image", locale),
            Row::Wait => tracing::debug_span!("wait", locale),
            Row::Body => tracing::debug_span!("body", locale),
            Row::Exchange => tracing::debug_span!("exchange", locale),
            Row::Combine => tracing::debug_span!("combine", locale),
        }
    }

    /// The time since the start; `None` if nothing is measured.
    pub(crate) fn wall(&self) -> Option<Duration> {
        self.since.map(|since| since.elapsed())
    }

    /// The time spent on a row so far, as a sum over all threads.
    pub(crate) fn spent(&self, row: Row) -> Duration {
        Duration::from_nanos(self.spent[row as usize].load(Ordering::Relaxed))
    }
}

impl Drop for Clock<'_> {
    fn drop(&mut self) {
        if let Some(Running { spent, start, before }) = &self.running {
            let time = start.elapsed();
            let own = time.saturating_sub(INSIDE.get());
            spent.fetch_add(u64::try_from(own.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
            INSIDE.set(*before + time);
        }
    }
}
