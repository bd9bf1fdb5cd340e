//! Transports for tests, of locales of this process, which differ in how they bring a message.

use core::mem::take;
use std::sync::{Arc, Mutex, OnceLock};

use layout_store::{Buffer, Inbox, Transport};

/// Where messages go to each locale, once it is open.
pub type Inboxes = Arc<[OnceLock<Inbox>]>;

/// A locale whose messages a function brings.
pub struct Joined<F> {
    locale: usize,
    inboxes: Inboxes,
    bring: F,
}

/// Inboxes of so many locales, none of which is open.
#[must_use]
pub fn inboxes(locales: usize) -> Inboxes {
    (0..locales).map(|_| OnceLock::new()).collect()
}

/// The locales of these inboxes: `bring` brings a message from one of them to another.
pub fn joined<F>(inboxes: &Inboxes, bring: F) -> impl ExactSizeIterator<Item = Joined<F>> + use<F>
where
    F: Fn(&Inboxes, [usize; 2], Buffer) + Clone + Send + Sync + 'static,
{
    let inboxes = inboxes.clone();
    (0..inboxes.len()).map(move |locale| Joined { locale, inboxes: inboxes.clone(), bring: bring.clone() })
}

impl<F: Fn(&Inboxes, [usize; 2], Buffer) + Send + Sync + 'static> Transport for Joined<F> {
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
        (self.bring)(&self.inboxes, [self.locale, to], message);
    }
}

/// A locale to which messages come when it asks for them.
pub struct Polled {
    locale: usize,
    inboxes: Inboxes,
    /// What waits for each locale.
    waiting: Arc<[Mutex<Vec<Buffer>>]>,
}

/// So many locales without threads that bring messages: each takes its own in [`Transport::progress`].
#[must_use]
pub fn polled(locales: usize) -> impl ExactSizeIterator<Item = Polled> {
    let (inboxes, waiting): (_, Arc<[_]>) = (inboxes(locales), (0..locales).map(|_| Mutex::default()).collect());
    (0..locales).map(move |locale| Polled { locale, inboxes: inboxes.clone(), waiting: waiting.clone() })
}

impl Transport for Polled {
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
        self.waiting[to].lock().expect("nobody panics in between").push(message);
    }

    fn progress(&self) {
        let come = take(&mut *self.waiting[self.locale].lock().expect("nobody panics in between"));
        come.into_iter().for_each(|message| self.inboxes[self.locale].wait().deliver(message));
    }
}
