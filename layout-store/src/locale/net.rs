//! Messages between locales.

use core::ops::DerefMut;
use std::collections::HashMap;
use std::sync::Arc;

use super::buffers::{Buffers, Packed};
use super::flow::Flow;
use super::meeting::Meeting;
use crate::error::StoreError;
use crate::graph::{Engine, Node, TaskError};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering};

/// What names a message: the launch that it belongs to, and a number there.
pub(crate) type Tag = (u64, usize);

/// A message.
pub(crate) enum Parcel {
    /// Elements, of so many bytes.
    Elements(Packed, usize),
    /// A contribution, with values of so many bytes.
    Data(Vec<u8>, usize),
    /// There is nothing, because a task failed.
    Fault(TaskError),
}

impl Parcel {
    /// The bytes, if no task failed.
    fn bytes(&self) -> Option<usize> {
        match self {
            Self::Elements(_, bytes) | Self::Data(_, bytes) => Some(*bytes),
            Self::Fault(_) => None,
        }
    }
}

/// A message that came, or the node that waits for it.
enum Entry {
    /// With the hash of the operation that it is a message of.
    Arrived(u64, Parcel),
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
    /// For each locale, the bytes that were sent to it and that it has not taken.
    under_way: Vec<AtomicUsize>,
    /// For each locale, how many elements it sends at a time.
    flows: Vec<Flow>,
    /// For each locale, memory for what it sends.
    buffers: Vec<Arc<Buffers>>,
    meeting: Meeting,
}

/// So many messages to a locale have room from the first one on: how many come before they are awaited depends on who is faster.
const ROOM: usize = 100;

impl Net {
    pub(crate) fn new(locales: usize) -> Arc<Self> {
        Arc::new(Self {
            boxes: (0..locales).map(|_| Mutex::default()).collect(),
            sent: (0..locales).map(|_| Default::default()).collect(),
            under_way: (0..locales).map(|_| AtomicUsize::new(0)).collect(),
            flows: (0..locales).map(|_| Flow::default()).collect(),
            buffers: (0..locales).map(|_| Arc::default()).collect(),
            meeting: Meeting::new(locales),
        })
    }

    /// Sends a message of the operation whose hash is `hash`.
    pub(super) fn post(&self, from: usize, to: usize, tag: Tag, hash: u64, parcel: Parcel) {
        if let Some(bytes) = parcel.bytes() {
            self.sent[from].0.fetch_add(1, Ordering::Relaxed);
            self.sent[from].1.fetch_add(bytes as u64, Ordering::Relaxed);
            self.under_way[to].fetch_add(bytes, Ordering::Relaxed);
        }
        self.meeting.message(to, || {
            let awaited = self.entries(to).insert(tag, Entry::Arrived(hash, parcel));
            if let Some(Entry::Awaited(engine, node)) = awaited {
                engine.start(&node);
            }
        });
    }

    /// What came to a locale, and what it waits for, with room for more; a locale that gets no message has none.
    fn entries(&self, to: usize) -> impl DerefMut<Target = HashMap<Tag, Entry>> + '_ {
        let mut entries = self.boxes[to].lock();
        if entries.is_empty() {
            entries.reserve(ROOM);
        }
        entries
    }

    /// Makes a node that packs elements of so many bytes wait until its locale may send them.
    pub(super) fn admit(&self, from: usize, bytes: usize, engine: &Arc<Engine>, node: &Arc<Node>) {
        self.flows[from].admit(bytes, engine, node);
    }

    /// Takes note that elements of so many bytes were unpacked, or never will be.
    pub(super) fn unpacked(&self, from: usize, bytes: usize) {
        // That locale does not stand still meanwhile.
        self.meeting.message(from, || self.flows[from].unpacked(bytes));
    }

    /// Makes a node wait for a message to locale `to`.
    pub(super) fn expect(&self, to: usize, tag: Tag, engine: &Arc<Engine>, node: &Arc<Node>) {
        let mut entries = self.entries(to);
        if let std::collections::hash_map::Entry::Vacant(entry) = entries.entry(tag) {
            node.wait_for_one_more();
            entry.insert(Entry::Awaited(engine.clone(), node.clone()));
        }
    }

    /// Lets all nodes of a locale that wait for messages, or to send some, run: its program has ended, and others wait no more.
    pub(crate) fn release(&self, to: usize) {
        self.flows[to].release();
        let entries = core::mem::take(&mut *self.boxes[to].lock());
        for entry in entries.into_values() {
            if let Entry::Awaited(engine, node) = entry {
                engine.start(&node);
            }
        }
    }

    /// The message, if it came, and if it is one of the operation whose hash is `hash`; otherwise all locales are told that
    /// their programs differ.
    pub(super) fn take(&self, to: usize, tag: Tag, hash: u64) -> Option<Parcel> {
        let entry = self.boxes[to].lock().remove(&tag);
        if let Some(Entry::Arrived(_, parcel)) = &entry {
            self.under_way[to].fetch_sub(parcel.bytes().unwrap_or(0), Ordering::Relaxed);
        }
        match entry {
            Some(Entry::Arrived(theirs, parcel)) if theirs == hash => Some(parcel),
            Some(Entry::Arrived(..)) => {
                self.meeting.end_by_difference();
                None
            }
            _ => None,
        }
    }

    /// The bytes that were sent to a locale and that it has not taken.
    pub(crate) fn under_way(&self, to: usize) -> usize {
        self.under_way[to].load(Ordering::Relaxed)
    }

    /// Memory for the messages of elements that a locale sends.
    pub(crate) fn buffers(&self, from: usize) -> &Arc<Buffers> {
        &self.buffers[from]
    }

    pub(crate) fn traffic(&self, locale: usize) -> Traffic {
        let (messages, bytes) = &self.sent[locale];
        Traffic { messages: messages.load(Ordering::Relaxed), bytes: bytes.load(Ordering::Relaxed) }
    }

    /// Says that the program of a locale ended by a panic, so that nobody waits for it.
    pub(crate) fn give_up(&self, locale: usize) {
        self.meeting.end(StoreError::Panicked { locale });
    }

    pub(super) fn meeting(&self) -> &Meeting {
        &self.meeting
    }
}
