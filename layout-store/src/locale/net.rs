//! Messages between locales, and where all of them meet.

use core::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use crate::graph::{Engine, Node, TaskError};
use crate::sync::{AtomicBool, AtomicU64, Condvar, Mutex, Ordering};

/// What names a message: the launch that it belongs to, and a number there.
pub(crate) type Tag = (u64, usize);

/// A message.
pub(crate) enum Parcel {
    /// Elements, or contributions, of so many bytes.
    Data(Box<dyn Any + Send>, usize),
    /// There are none, because a task failed.
    Fault(TaskError),
}

/// A message that came, or the node that waits for it.
enum Entry {
    Arrived(Parcel),
    Awaited(Arc<Engine>, Arc<Node>),
}

/// What a locale has sent: elements of stores, contributions to reductions, and values of futures.
///
/// [`Launched::exchanged`](crate::Launched::exchanged) counts the elements alone, of one launch and all locales.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of messages.
    pub messages: u64,
    /// The bytes in them.
    pub bytes: u64,
}

/// What joins the locales of one process.
pub(crate) struct Net {
    boxes: Vec<Mutex<HashMap<Tag, Entry>>>,
    sent: Vec<(AtomicU64, AtomicU64)>,
    meeting: Mutex<Meeting>,
    wake: Condvar,
    broken: AtomicBool,
}

struct Meeting {
    /// For each locale that is here, at which of its operations, and what it brought.
    here: Vec<Option<(u64, Said)>>,
    /// What all brought to the last meeting, which each takes once.
    said: Vec<Said>,
    leaving: usize,
}

/// What a locale says at a fence: the hash of all that it did, and its first error.
pub(crate) type Said = (u64, Option<TaskError>);

impl Net {
    pub(crate) fn new(locales: usize) -> Arc<Self> {
        Arc::new(Self {
            boxes: (0..locales).map(|_| Mutex::default()).collect(),
            sent: (0..locales).map(|_| Default::default()).collect(),
            meeting: Mutex::new(Meeting { here: vec![None; locales], said: Vec::new(), leaving: 0 }),
            wake: Condvar::new(),
            broken: AtomicBool::new(false),
        })
    }

    /// Sends a message.
    pub(crate) fn post(&self, from: usize, to: usize, tag: Tag, parcel: Parcel) {
        if let Parcel::Data(_, bytes) = &parcel {
            self.sent[from].0.fetch_add(1, Ordering::Relaxed);
            self.sent[from].1.fetch_add(*bytes as u64, Ordering::Relaxed);
        }
        let awaited = self.boxes[to].lock().insert(tag, Entry::Arrived(parcel));
        if let Some(Entry::Awaited(engine, node)) = awaited {
            engine.start(&node);
        }
    }

    /// Makes a node wait for a message to locale `to`.
    pub(crate) fn expect(&self, to: usize, tag: Tag, engine: &Arc<Engine>, node: &Arc<Node>) {
        let mut entries = self.boxes[to].lock();
        if let std::collections::hash_map::Entry::Vacant(entry) = entries.entry(tag) {
            node.wait_for_one_more();
            entry.insert(Entry::Awaited(engine.clone(), node.clone()));
        }
    }

    /// Lets all nodes of a locale that wait for messages run without them: its program has ended, and they never come.
    pub(crate) fn release(&self, to: usize) {
        let entries = core::mem::take(&mut *self.boxes[to].lock());
        for entry in entries.into_values() {
            if let Entry::Awaited(engine, node) = entry {
                engine.start(&node);
            }
        }
    }

    /// The message, which has come.
    pub(crate) fn take(&self, to: usize, tag: Tag) -> Option<Parcel> {
        match self.boxes[to].lock().remove(&tag) {
            Some(Entry::Arrived(parcel)) => Some(parcel),
            _ => None,
        }
    }

    pub(crate) fn traffic(&self, locale: usize) -> Traffic {
        let (messages, bytes) = &self.sent[locale];
        Traffic { messages: messages.load(Ordering::Relaxed), bytes: bytes.load(Ordering::Relaxed) }
    }

    /// Says that a program ended early, so that nobody waits for it.
    pub(crate) fn give_up(&self) {
        self.broken.store(true, Ordering::SeqCst);
        drop(self.meeting.lock());
        self.wake.notify_all();
    }

    /// Whether a locale that is at its operation `operation` waits in vain: another one ended early, or is at a meeting that
    /// this one has passed by.
    pub(crate) fn in_vain(&self, operation: u64) -> bool {
        self.broken.load(Ordering::SeqCst)
            || self.meeting.lock().here.iter().flatten().any(|(theirs, _)| *theirs < operation)
    }

    /// Meets all other locales, and gives what each brought; `None` if one will never come.
    pub(crate) fn meet(&self, locale: usize, operation: u64, said: Said) -> Option<Vec<Said>> {
        let mut meeting = self.meeting.lock();
        while meeting.leaving > 0 {
            self.wake.wait(&mut meeting);
        }
        meeting.here[locale] = Some((operation, said));
        if meeting.here.iter().all(Option::is_some) {
            meeting.said = meeting.here.iter_mut().filter_map(|here| here.take().map(|(_, said)| said)).collect();
            meeting.leaving = meeting.said.len();
            self.wake.notify_all();
        }
        while meeting.leaving == 0 {
            if self.broken.load(Ordering::SeqCst) {
                return None;
            }
            self.wake.wait(&mut meeting);
        }
        meeting.leaving -= 1;
        let said = meeting.said.clone();
        if meeting.leaving == 0 {
            self.wake.notify_all();
        }
        Some(said)
    }
}
