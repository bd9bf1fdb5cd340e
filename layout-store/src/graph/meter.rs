//! How long the threads of a locale spend on what, if somebody wants to know.

use core::cell::Cell;
use core::time::Duration;
use std::time::Instant;

use super::node::Row;
use crate::sync::{AtomicU64, Ordering};

thread_local! {
    /// What was measured inside of what this thread measures now.
    static INSIDE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The time spent on each row so far; nothing, unless it was asked for. With feature `tracing` each time is a span, too.
pub(crate) struct Meter {
    since: Option<Instant>,
    #[cfg(feature = "tracing")]
    locale: usize,
    spent: [AtomicU64; Row::COUNT],
}

/// Measures as long as it lives: without what is measured inside.
pub(crate) struct Clock<'m> {
    running: Option<Running<'m>>,
    /// Goes after the time was counted: a subscriber sees what is counted, and the counting.
    #[cfg(feature = "tracing")]
    _span: tracing::span::EnteredSpan,
}

struct Running<'m> {
    spent: &'m AtomicU64,
    start: Instant,
    /// What was measured before inside of what is around this.
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

    /// Counts the time from now on, until the result is dropped, for this row.
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

    /// The span of a time that is spent on this row.
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

    /// The time since the start; `None` where nothing is measured.
    pub(crate) fn wall(&self) -> Option<Duration> {
        self.since.map(|since| since.elapsed())
    }

    /// The time spent on a row so far, by all threads together.
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
