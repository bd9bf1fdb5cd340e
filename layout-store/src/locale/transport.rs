//! Transports: the connections between locales.

use std::sync::{Arc, OnceLock, Weak};

use super::buffers::Buffer;
use super::net::Net;

/// The connection of a locale to the others: it delivers bytes from one to another.
///
/// Each locale has a transport of its own. Everything else is built on it: the meaning of messages, the nodes that wait for them, fences,
/// and the detection of programs that differ. A transport must not lose, change or duplicate a message; messages may overtake each other.
/// If it does lose one, all locales get [`StoreError::NeverCame`](crate::StoreError::NeverCame) after one to two times the
/// [patience](crate::Builder::patience) of their builders, once nothing else happens any more. A locale sends the reason why no locale can
/// go on again when it leaves, so all get that error even if such a message is lost. Only a message of the last fence may be lost
/// unnoticed, since its sender has ended. A message that comes later than that, and after others that were sent later, counts as lost.
///
/// # Examples
///
/// All locales in one process, with a thread for each message, so that some overtake others:
///
/// ```
/// use layout::store::{Buffer, Inbox, Runtime, Store, StoreError, Transport};
/// use std::sync::{Arc, OnceLock};
///
/// struct Threads {
///     locale: usize,
///     inboxes: Arc<[OnceLock<Inbox>]>,
/// }
///
/// impl Transport for Threads {
///     fn locale(&self) -> usize {
///         self.locale
///     }
///     fn locales(&self) -> usize {
///         self.inboxes.len()
///     }
///     fn open(&self, inbox: Inbox) {
///         let _ = self.inboxes[self.locale].set(inbox);
///     }
///     fn send(&self, to: usize, message: Buffer) {
///         let inboxes = self.inboxes.clone();
///         std::thread::spawn(move || inboxes[to].wait().deliver(message));
///     }
/// }
///
/// let inboxes: Arc<[OnceLock<Inbox>]> = (0..3).map(|_| OnceLock::new()).collect();
/// let transports = (0..3).map(|locale| Threads { locale, inboxes: inboxes.clone() });
/// let sums = Runtime::builder().threads(1).pieces(3).min_chunk(1).simulate_over(transports, |rt| {
///     let x: Store<i64, _> = rt.create_from_fn(30, |at| at[0])?;
///     let sum = rt.task("sum").args((layout::store::read(&x),));
///     sum.reduce(layout::store::Sum, |_, (x,)| Ok(x.values().sum::<i64>()))?.get()
/// })?;
/// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, StoreError>>()?, [435; 3]);
/// # Ok::<(), StoreError>(())
/// ```
pub trait Transport: Send + Sync + 'static {
    /// The number of this locale; the first one is 0.
    fn locale(&self) -> usize;

    /// The number of locales.
    fn locales(&self) -> usize;

    /// Sets the inbox of this locale. Called once, before anything is sent. Messages that came before must be kept until then.
    fn open(&self, inbox: Inbox);

    /// Sends a message to another locale, and returns at once. Called from any thread; with
    /// [`Builder::threads(0)`](crate::Builder::threads), only by threads of the program, unless another thread delivers messages. A message
    /// to a locale that was lost is dropped. If this method panics, the message is lost, and so may be the program: at the latest when its
    /// locales wait for each other, all get [`StoreError::NeverCame`](crate::StoreError::NeverCame).
    fn send(&self, to: usize, message: Buffer);

    /// Delivers messages that came, for a transport that has no threads for that. A locale with
    /// [`Builder::threads(0)`](crate::Builder::threads) calls it at each operation and while its program waits: at first again and again, and
    /// less often the longer it waits, down to every fifth millisecond. Locales with threads never call it; [`Inbox::calls_progress`] tells
    /// whether a locale does.
    fn progress(&self) {}

    /// The program of this locale has ended, and nothing more is sent. Returns when messages survive the end of the process, and tells the
    /// others that this locale leaves and was not [lost](Inbox::lost).
    fn close(&self) {}
}

/// The receiver of the messages that come to a locale.
#[derive(Clone)]
pub struct Inbox {
    net: Weak<Net>,
    calls_progress: bool,
}

impl Inbox {
    pub(super) fn new(net: &Arc<Net>, calls_progress: bool) -> Self {
        Self { net: Arc::downgrade(net), calls_progress }
    }

    /// Returns `true` if the locale calls [`Transport::progress`], so that the transport needs no thread that delivers messages.
    #[must_use]
    pub fn calls_progress(&self) -> bool {
        self.calls_progress
    }

    /// Takes a message that came, on any thread. It may start tasks and send other messages, and does not wait for them. A message to a
    /// locale whose program has ended is dropped.
    pub fn deliver(&self, message: Buffer) {
        if let Some(net) = self.net.upgrade() {
            net.deliver(message);
        }
    }

    /// Records that a locale was lost, on any thread. No program can go on, and each gets [`StoreError::Gone`] when it waits or launches. A
    /// locale that has closed its transport after its program ended is not lost.
    ///
    /// [`StoreError::Gone`]: crate::StoreError::Gone
    pub fn lost(&self, locale: usize) {
        if let Some(net) = self.net.upgrade() {
            net.lost(locale);
        }
    }
}

/// The locales of one process: the thread that sends a message delivers it.
pub(crate) struct Local {
    locale: usize,
    inboxes: Arc<[OnceLock<Inbox>]>,
}

impl Local {
    /// The transports of `locales` locales.
    pub(crate) fn new(locales: usize) -> impl ExactSizeIterator<Item = Self> {
        let inboxes: Arc<[OnceLock<Inbox>]> = (0..locales).map(|_| OnceLock::new()).collect();
        (0..locales).map(move |locale| Self { locale, inboxes: inboxes.clone() })
    }
}

impl Transport for Local {
    fn locale(&self) -> usize {
        self.locale
    }

    fn locales(&self) -> usize {
        self.inboxes.len()
    }

    fn open(&self, inbox: Inbox) {
        let _ = self.inboxes[self.locale].set(inbox);
    }

    fn send(&self, to: usize, message: Buffer) {
        // All inboxes are open before a program begins.
        if let Some(inbox) = self.inboxes[to].get() {
            inbox.deliver(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use layout_mappings::SoA;

    use super::*;
    use crate::{Runtime, StoreError};

    #[test]
    fn a_transport_is_told_who_delivers() {
        for threads in [0, 1] {
            let transports: Vec<_> = Local::new(2).collect();
            let inboxes = transports[0].inboxes.clone();
            Runtime::builder().threads(threads).simulate_over(transports, |_| ()).unwrap();
            assert!(inboxes.iter().all(|inbox| inbox.wait().calls_progress() == (threads == 0)), "{threads} threads");
        }
    }

    #[test]
    fn all_are_told_of_a_locale_that_was_lost() {
        for (lost, finds) in [(2, 0), (2, 1), (0, 1)] {
            let transports: Vec<_> = Local::new(3).collect();
            let inboxes = transports[0].inboxes.clone();
            let ended = Runtime::builder().threads(1).simulate_over(transports, |rt| {
                if rt.locale() == finds {
                    inboxes[finds].wait().lost(lost);
                }
                // It does not come to the fence of the others, and hears of it as they do: here it is still there.
                while rt.locale() == lost && rt.create::<i64, SoA, _>(5).is_ok() {
                    std::thread::yield_now();
                }
                assert!(matches!(rt.fence(), Err(StoreError::Gone { locale }) if locale == lost));
            });
            let text = format!("locale {lost} was lost, and the others cannot go on without it");
            assert_eq!(ended.unwrap_err().to_string(), text);
        }
    }
}
