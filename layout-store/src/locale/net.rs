//! The messages of this locale: those that came, those that nodes wait for, and what it sends.

use core::ops::DerefMut;
use std::collections::HashMap;
use std::sync::Arc;

use layout_core::Portable;

use super::buffers::{Buffer, Buffers};
use super::flow::Flow;
use super::meeting::Meeting;
use super::message::{HEADER, Header, Kind, Tag};
use super::transport::{Inbox, Transport};
use crate::error::StoreError;
use crate::graph::{Cause, Engine, Node, TaskBodyError, TaskError};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering};

/// A message that came, or the node that waits for it.
enum Entry {
    Arrived(Buffer),
    Awaited(Arc<Engine>, Arc<Node>),
}

/// What a locale has sent: elements of stores, contributions to reductions, and values of futures.
///
/// [`Launched::exchanged`](crate::Launched::exchanged) counts the elements alone, of one launch and all locales.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of messages.
    pub messages: u64,
    /// The bytes of the elements and values in them.
    pub bytes: u64,
}

/// What joins this locale to the others.
pub(crate) struct Net {
    locale: usize,
    transport: Box<dyn Transport>,
    entries: Mutex<HashMap<Tag, Entry>>,
    sent: (AtomicU64, AtomicU64),
    /// The bytes that came and were not taken.
    under_way: AtomicUsize,
    /// How many elements it sends at a time.
    flow: Flow,
    /// Memory for what it sends.
    buffers: Arc<Buffers>,
    meeting: Arc<Meeting>,
}

/// So many messages have room from the first one on: how many come before they are awaited depends on who is faster.
const ROOM: usize = 100;

/// The way of a message.
pub(super) struct Route {
    /// The other locale.
    pub(super) peer: usize,
    pub(super) tag: Tag,
    /// The hash of the operation.
    pub(super) hash: u64,
}

impl Net {
    pub(crate) fn new(transport: impl Transport, meeting: Arc<Meeting>) -> Arc<Self> {
        let net = Arc::new(Self {
            locale: transport.locale(),
            transport: Box::new(transport),
            entries: Mutex::default(),
            sent: Default::default(),
            under_way: AtomicUsize::new(0),
            flow: Flow::default(),
            buffers: Arc::default(),
            meeting,
        });
        net.transport.open(Inbox::new(&net));
        net
    }

    /// Sends what `write` appends to a message, which has elements or values of so many bytes, for which there is to be room.
    pub(super) fn send(
        &self,
        route: &Route,
        (kind, room): (Kind, usize),
        write: impl FnOnce(&mut Vec<u8>) -> Result<usize, Cause>,
    ) -> Result<(), Cause> {
        let mut message = self.buffers.take(HEADER + room);
        Header { kind, from: self.locale, tag: route.tag, hash: route.hash }.write(&mut message.bytes);
        let bytes = write(&mut message.bytes)?;
        if let Kind::Elements | Kind::Values = kind {
            self.sent.0.fetch_add(1, Ordering::Relaxed);
            self.sent.1.fetch_add(bytes as u64, Ordering::Relaxed);
        }
        self.meeting.begin(route.peer);
        self.transport.send(route.peer, message);
        Ok(())
    }

    /// Says that there is nothing to send, because a task failed.
    pub(super) fn fail(&self, route: &Route, fault: &TaskError) {
        let write = |message: &mut Vec<u8>| {
            fault.write(message);
            Ok(0)
        };
        let _ = self.send(route, (Kind::Fault, 0), write);
    }

    /// Takes a message that came.
    pub(super) fn deliver(&self, message: Buffer) {
        match Header::read(&message) {
            Ok((Header { kind: Kind::Unpacked, .. }, mut bytes)) => {
                self.flow.unpacked(usize::read(&mut bytes).unwrap_or(0));
            }
            Ok((header, bytes)) => {
                self.under_way.fetch_add(bytes.len(), Ordering::Relaxed);
                let awaited = self.entries().insert(header.tag, Entry::Arrived(message));
                if let Some(Entry::Awaited(engine, node)) = awaited {
                    engine.start(&node);
                }
            }
            Err(why) => self.meeting.end(StoreError::BadMessage { locale: self.locale, why }),
        }
        self.meeting.delivered(self.locale);
    }

    /// What came, and what is waited for, with room for more; a locale that gets no message has none.
    fn entries(&self) -> impl DerefMut<Target = HashMap<Tag, Entry>> + '_ {
        let mut entries = self.entries.lock();
        if entries.is_empty() {
            entries.reserve(ROOM);
        }
        entries
    }

    /// Makes a node that packs elements of so many bytes wait until this locale may send them.
    pub(super) fn admit(&self, bytes: usize, engine: &Arc<Engine>, node: &Arc<Node>) {
        self.flow.admit(bytes, engine, node);
    }

    /// Tells a locale that elements of so many bytes were unpacked, or never will be.
    pub(super) fn unpacked(&self, route: &Route, bytes: usize) {
        let write = |message: &mut Vec<u8>| {
            bytes.write(message);
            Ok(0)
        };
        let _ = self.send(route, (Kind::Unpacked, 0), write);
    }

    /// Makes a node wait for a message.
    pub(super) fn expect(&self, tag: Tag, engine: &Arc<Engine>, node: &Arc<Node>) {
        let mut entries = self.entries();
        if let std::collections::hash_map::Entry::Vacant(entry) = entries.entry(tag) {
            node.wait_for_one_more();
            entry.insert(Entry::Awaited(engine.clone(), node.clone()));
        }
    }

    /// Lets all nodes that wait for messages, or to send some, run: the program has ended, and others wait no more.
    pub(crate) fn release(&self) {
        self.flow.release();
        let entries = core::mem::take(&mut *self.entries.lock());
        for entry in entries.into_values() {
            if let Entry::Awaited(engine, node) = entry {
                engine.start(&node);
            }
        }
    }

    /// Gives a message that came, if it did, to `read`; unless it is one of another operation, so that all locales are told that their
    /// programs differ.
    pub(super) fn receive(
        &self,
        route: &Route,
        kind: Kind,
        read: impl FnOnce(&[u8]) -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        let entry = self.entries.lock().remove(&route.tag);
        let Some(Entry::Arrived(message)) = entry else { return no_message() };
        let (header, mut bytes) = Header::read(&message).map_err(TaskBodyError::new)?;
        self.under_way.fetch_sub(bytes.len(), Ordering::Relaxed);
        if header.hash != route.hash {
            self.meeting.end_by_difference();
            return no_message();
        }
        match header.kind {
            Kind::Fault => Err(Cause::Before(TaskError::read(&mut bytes)?)),
            other if other == kind => read(bytes),
            other => {
                let from = header.from;
                Err(TaskBodyError::new(format!("a message of {other:?} from locale {from} instead of {kind:?}")).into())
            }
        }
    }

    /// The bytes that came and were not taken.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Relaxed)
    }

    /// Memory for messages.
    pub(crate) fn buffers(&self) -> &Arc<Buffers> {
        &self.buffers
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let (messages, bytes) = &self.sent;
        Traffic { messages: messages.load(Ordering::Relaxed), bytes: bytes.load(Ordering::Relaxed) }
    }

    /// Says that the program of this locale ended by a panic, so that nobody waits for it.
    pub(crate) fn give_up(&self) {
        self.meeting.end(StoreError::Panicked { locale: self.locale });
    }

    pub(super) fn meeting(&self) -> &Meeting {
        &self.meeting
    }
}

fn no_message() -> Result<(), Cause> {
    Err(Cause::Error(TaskBodyError::new(
        "no message came from this operation on another locale: its program did another one, or ended",
    )))
}
