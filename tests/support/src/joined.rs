//! Transports for tests, of locales of this process, which differ in how they bring a message.

use core::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use layout_store::{Buffer, Inbox, Transport};

/// The bytes of a message before its contents. Byte 4 is its kind.
pub const HEADER: usize = 48;

/// The inbox of each locale, once it is open.
pub type Inboxes = Arc<[OnceLock<Inbox>]>;

/// A locale whose messages a function brings, at once or where another one is called.
struct Joined<F, P> {
    locale: usize,
    inboxes: Inboxes,
    bring: F,
    progress: P,
}

/// Inboxes of so many locales, none of which is open.
#[must_use]
pub fn inboxes(locales: usize) -> Inboxes {
    (0..locales).map(|_| OnceLock::new()).collect()
}

/// The locales of these inboxes: `bring` brings a message from one of them to another.
pub fn joined<F>(inboxes: &Inboxes, bring: F) -> impl ExactSizeIterator<Item = impl Transport + use<F>> + use<F>
where
    F: Fn(&Inboxes, [usize; 2], Buffer) + Clone + Send + Sync + 'static,
{
    join(inboxes, bring, |_, _| ())
}

/// As [`joined`]; `progress` does what is left to a locale that waits.
fn join<F, P>(inboxes: &Inboxes, bring: F, progress: P) -> impl ExactSizeIterator<Item = Joined<F, P>> + use<F, P>
where
    F: Fn(&Inboxes, [usize; 2], Buffer) + Clone + Send + Sync + 'static,
    P: Fn(&Inboxes, usize) + Clone + Send + Sync + 'static,
{
    let inboxes = inboxes.clone();
    (0..inboxes.len()).map(move |locale| Joined {
        locale,
        inboxes: inboxes.clone(),
        bring: bring.clone(),
        progress: progress.clone(),
    })
}

impl<F, P> Transport for Joined<F, P>
where
    F: Fn(&Inboxes, [usize; 2], Buffer) + Send + Sync + 'static,
    P: Fn(&Inboxes, usize) + Send + Sync + 'static,
{
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

    fn progress(&self) {
        (self.progress)(&self.inboxes, self.locale);
    }
}

/// So many locales without threads that bring messages: each takes its own in [`Transport::progress`].
#[must_use]
pub fn polled(locales: usize) -> impl ExactSizeIterator<Item = impl Transport> {
    let waiting: Arc<[Mutex<Vec<Buffer>>]> = (0..locales).map(|_| Mutex::default()).collect();
    let bring = {
        let waiting = waiting.clone();
        move |_: &Inboxes, [_, to]: [usize; 2], message| of(&waiting, to).push(message)
    };
    let progress = move |inboxes: &Inboxes, locale: usize| {
        let come = take(&mut *of(&waiting, locale));
        come.into_iter().for_each(|message| inboxes[locale].wait().deliver(message));
    };
    join(&inboxes(locales), bring, progress)
}

/// The messages that wait for a locale.
fn of(waiting: &[Mutex<Vec<Buffer>>], locale: usize) -> MutexGuard<'_, Vec<Buffer>> {
    waiting[locale].lock().expect("nobody panics in between")
}
