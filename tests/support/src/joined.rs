//! Transports for tests, of locales of this process, which differ in how they bring a message.

use std::sync::{Arc, OnceLock};

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

/// The locales of these inboxes: `bring` brings a message to one of them.
pub fn joined<F>(inboxes: &Inboxes, bring: F) -> impl ExactSizeIterator<Item = Joined<F>> + use<F>
where
    F: Fn(&Inboxes, usize, Buffer) + Clone + Send + Sync + 'static,
{
    let inboxes = inboxes.clone();
    (0..inboxes.len()).map(move |locale| Joined { locale, inboxes: inboxes.clone(), bring: bring.clone() })
}

impl<F: Fn(&Inboxes, usize, Buffer) + Send + Sync + 'static> Transport for Joined<F> {
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
        (self.bring)(&self.inboxes, to, message);
    }
}
