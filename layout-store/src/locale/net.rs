//! The messages of this locale: those that came, those for which nodes wait, and those that it sends.

use core::ops::DerefMut;
use core::time::Duration;
use std::collections::HashMap;
use std::sync::Arc;

use layout_core::{Portable, PortableError};

use super::buffers::{Buffer, Buffers};
use super::control::{Control, End};
use super::flow::Flow;
use super::meeting::Meeting;
use super::message::{Bytes, HEADER, Header, Kind, Tag};
use super::transport::{Inbox, Transport};
use crate::graph::{Cause, Engine, Node, TaskBodyError, TaskError, caught};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering};

/// A message that came, or the node that waits for it, with the hash of the operation.
enum Entry {
    Arrived(u64, Buffer),
    Awaited(u64, Arc<Engine>, Arc<Node>),
}

/// The messages that a locale sent: elements of stores, contributions to reductions, and values of futures. In an
/// [`Exchange`](crate::Exchange), only the elements that one locale sends to another one for a launch.
///
/// [`Launched::exchanged`](crate::Launched::exchanged) counts only elements, for one launch and all locales.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of messages.
    pub messages: u64,
    /// The bytes of the elements and values in them; elements count as they are sent, without padding.
    pub bytes: u64,
}

impl Portable for Traffic {
    fn write(&self, to: &mut impl Extend<u8>) {
        (self.messages, self.bytes).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (messages, bytes) = Portable::read(from)?;
        Ok(Self { messages, bytes })
    }
}

/// The network from this locale to the others.
pub(crate) struct Net {
    locale: usize,
    transport: Box<dyn Transport>,
    entries: Mutex<HashMap<Tag, Entry>>,
    /// The parcels of which some messages are not yet packed, by the tag of their first message.
    parcels: Mutex<HashMap<(usize, Tag), Open>>,
    sent: (AtomicU64, AtomicU64),
    /// The bytes that came and were not taken.
    under_way: AtomicUsize,
    /// The limit on the elements that it sends at a time.
    flow: Flow,
    /// The memory of the messages that it sends.
    buffers: Arc<Buffers>,
    meeting: Meeting,
}

/// The number of messages that have memory from the start; how many come before they are awaited depends on timing.
const ROOM: usize = 100;

/// More than the bytes of messages of the council, except for lists of operations.
const CONTROL: usize = 64;

/// The way of a message.
pub(super) struct Route {
    /// The other locale.
    pub(super) peer: usize,
    pub(super) tag: Tag,
    /// The hash of the operation.
    pub(super) hash: u64,
    /// The parcel in which the message is sent, if there is one.
    pub(super) parcel: Option<Together>,
    /// The bytes for which it takes room.
    pub(super) room: usize,
}

/// A parcel of messages that are sent together.
pub(super) struct Together {
    /// The tag of its first message.
    pub(super) tag: Tag,
    /// The number of messages.
    pub(super) count: usize,
    /// The bytes of their elements.
    pub(super) bytes: usize,
}

/// A parcel of which some messages are not yet packed.
struct Open {
    bytes: Buffer,
    /// The number of messages that are not yet packed.
    left: usize,
    /// `true` if a message has elements.
    counts: bool,
}

/// The bytes of the number of messages in a parcel, and of the length of each.
const LENGTH: usize = size_of::<u64>();

impl Net {
    /// `calls_progress`: the locale will call [`Self::progress`], as one without threads does.
    pub(crate) fn new(transport: impl Transport, patience: Duration, calls_progress: bool) -> Arc<Self> {
        let locales = transport.locales();
        let net = Arc::new(Self {
            locale: transport.locale(),
            meeting: Meeting::new(transport.locale(), locales, patience),
            transport: Box::new(transport),
            entries: Mutex::default(),
            parcels: Mutex::default(),
            sent: Default::default(),
            under_way: AtomicUsize::new(0),
            flow: Flow::new(locales),
            buffers: Arc::default(),
        });
        net.transport.open(Inbox::new(&net, calls_progress));
        net
    }

    /// Delivers messages that came, if the transport has no threads for that.
    pub(crate) fn progress(&self) {
        self.transport.progress();
    }

    /// Sends values, or a message about them. `write` appends to the message, and returns the bytes of the values.
    pub(super) fn send(&self, route: &Route, kind: Kind, write: impl FnOnce(&mut Vec<u8>) -> usize) {
        let mut message = self.buffers.take(2 * HEADER);
        self.header(route, kind).write(&mut message.bytes);
        let bytes = write(&mut message.bytes);
        self.post(route, message, (kind == Kind::Values).then_some(bytes));
    }

    /// Sends elements. `write` fills `bytes` bytes, which are counted.
    pub(super) fn send_elements(
        &self,
        route: &Route,
        bytes: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        let mut message = self.buffers.filled(HEADER + bytes);
        let (header, elements) = message.bytes.split_at_mut(HEADER);
        write(elements)?;
        self.header(route, Kind::Elements).write(&mut Bytes(header.iter_mut()));
        self.post(route, message, Some(bytes));
        Ok(())
    }

    /// The header of a message that is certainly sent.
    fn header(&self, route: &Route, kind: Kind) -> Header {
        let Route { tag, hash, room, .. } = *route;
        let (free, asks) = (room == 0, self.flow.sends(room));
        Header { free, asks, ..Header::new(kind, self.locale, tag, hash) }
    }

    /// Sends a message, which counts for `counted` bytes, if it counts. A message of a parcel goes with the last one of the parcel.
    fn post(&self, route: &Route, mut message: Buffer, counted: Option<usize>) {
        let mut counts = counted.is_some();
        if let Some(parcel) = &route.parcel {
            let Some(whole) = self.put(route, parcel, &message, counts) else {
                self.sent.1.fetch_add(counted.unwrap_or(0) as u64, Ordering::Relaxed);
                return;
            };
            (message, counts) = (whole.bytes, whole.counts);
        }
        self.sent.0.fetch_add(counts.into(), Ordering::Relaxed);
        self.sent.1.fetch_add(counted.unwrap_or(0) as u64, Ordering::Relaxed);
        self.meeting.sends();
        Header::tell(&mut message.bytes, self.flow.tells(route.peer));
        self.transport.send(route.peer, message);
    }

    /// Puts a message into its parcel; returns the parcel if it is the last one.
    fn put(&self, route: &Route, parcel: &Together, message: &[u8], counts: bool) -> Option<Open> {
        let Together { tag, count, bytes } = *parcel;
        let mut parcels = self.parcels.lock();
        let open = parcels.entry((route.peer, tag)).or_insert_with(|| {
            let mut whole = self.buffers.take(HEADER + LENGTH + count * (LENGTH + HEADER) + bytes);
            Header::new(Kind::Parcel, self.locale, tag, route.hash).write(&mut whole.bytes);
            (count as u64).write(&mut whole.bytes);
            Open { bytes: whole, left: count, counts: false }
        });
        (message.len() as u64).write(&mut open.bytes.bytes);
        open.bytes.bytes.extend_from_slice(message);
        open.left -= 1;
        open.counts |= counts;
        if open.left == 0 { parcels.remove(&(route.peer, tag)) } else { None }
    }

    /// Sends the notice that there is no data, because a task failed.
    pub(super) fn fail(&self, route: &Route, fault: &TaskError) {
        self.send(route, Kind::Fault, |message| {
            fault.write(message);
            0
        });
    }

    /// Sends a message of the council.
    pub(super) fn tell(&self, to: usize, control: &Control) {
        let mut message = self.buffers.take(HEADER + CONTROL);
        Header::new(Kind::Control, self.locale, (0, 0), 0).write(&mut message.bytes);
        control.write(&mut message.bytes);
        self.transport.send(to, message);
    }

    /// Takes a message that came.
    pub(super) fn deliver(&self, message: Buffer) {
        let (header, bytes) = match Header::read(&message) {
            Ok((Header { from, .. }, _)) if from >= self.transport.locales() => {
                return self.refuse(format!("it is from locale {from}, which is not there"));
            }
            Ok(read) => read,
            Err(why) => return self.refuse(why),
        };
        if header.unpacked > 0 {
            self.flow.unpacked(header.unpacked);
        }
        match header.kind {
            Kind::Control => match Control::from_bytes(bytes) {
                Ok(control) => self.meeting.hear(header.from, control, &|to, control| self.tell(to, control)),
                Err(why) => self.refuse(why.to_string()),
            },
            Kind::Unpacked if bytes.is_empty() => self.meeting.received(),
            Kind::Unpacked => self.refuse(too_long(bytes.len()).to_string()),
            Kind::Parcel => match self.deliver_parcel(header.from, bytes) {
                Ok(()) => self.meeting.received(),
                Err(why) => self.refuse(why),
            },
            Kind::Elements | Kind::Values | Kind::Fault => {
                let bytes = bytes.len();
                self.arrive(header, message, bytes);
                self.meeting.received();
            }
        }
    }

    /// Takes the messages of a parcel.
    fn deliver_parcel(&self, from: usize, mut bytes: &[u8]) -> Result<(), String> {
        let count = u64::read(&mut bytes).map_err(|why| why.to_string())?;
        for _ in 0..count {
            let length = u64::read(&mut bytes).map_err(|why| why.to_string())?;
            let one = usize::try_from(length).ok().and_then(|length| bytes.split_off(..length));
            let one = one.ok_or_else(|| format!("it has a message of {length} bytes, and {} are left", bytes.len()))?;
            let (header, rest) = Header::read(one)?;
            if header.from != from || ![Kind::Elements, Kind::Fault].contains(&header.kind) {
                return Err(format!("it has a message of {:?} from locale {}", header.kind, header.from));
            }
            let mut message = self.buffers.take(one.len());
            message.bytes.extend_from_slice(one);
            self.arrive(header, message, rest.len());
        }
        if bytes.is_empty() { Ok(()) } else { Err(too_long(bytes.len()).to_string()) }
    }

    /// Passes a message to the node that waits for it, or keeps it.
    fn arrive(&self, header: Header, message: Buffer, bytes: usize) {
        let awaited = {
            let mut entries = self.entries();
            match entries.get(&header.tag) {
                // A node that waits for the message of another operation does not get this one.
                Some(Entry::Awaited(hash, ..)) if *hash != header.hash => Err(()),
                _ => {
                    self.under_way.fetch_add(bytes, Ordering::Relaxed);
                    Ok(entries.insert(header.tag, Entry::Arrived(header.hash, message)))
                }
            }
        };
        match awaited {
            Ok(Some(Entry::Awaited(_, engine, node))) => engine.start(&node),
            Ok(_) => {}
            Err(()) => self.differ(),
        }
    }

    /// Tells all locales that bytes came that are not a message.
    fn refuse(&self, why: String) {
        self.end(End::BadMessage(self.locale, why));
    }

    /// Tells all locales why none can go on.
    fn end(&self, why: End) {
        self.meeting.end(why, &|to, control| self.tell(to, control));
    }

    /// Tells all locales that their programs differ, as a message showed. The node that waits for another message waits until the program
    /// has ended.
    fn differ(&self) {
        self.meeting.differs(&|to, control| self.tell(to, control));
    }

    /// The messages that came, and those that are awaited, with memory for more; a locale that gets no message has no memory for them.
    fn entries(&self) -> impl DerefMut<Target = HashMap<Tag, Entry>> + '_ {
        let mut entries = self.entries.lock();
        if entries.is_empty() {
            entries.reserve(ROOM);
        }
        entries
    }

    /// Makes a node that packs this number of bytes of elements wait until this locale may send them, unless they are `free`.
    pub(super) fn admit(&self, bytes: usize, free: bool, engine: &Arc<Engine>, node: &Arc<Node>) {
        if !free {
            self.flow.admit(bytes, engine, node);
        }
    }

    /// Records that the elements of a message were unpacked, or never will be. The next message to the locale that sent them tells it,
    /// which is sent for nothing else if theirs `asks` for that.
    fn unpacked(&self, route: &Route, asks: bool) {
        let Route { peer, tag, hash, room, .. } = *route;
        if self.flow.count(peer, room, asks) {
            self.send(&Route { peer, tag, hash, parcel: None, room: 0 }, Kind::Unpacked, |_| 0);
        }
    }

    /// Makes a node wait for a message of the operation with this hash.
    pub(super) fn expect(&self, tag: Tag, hash: u64, engine: &Arc<Engine>, node: &Arc<Node>) {
        let other = {
            let mut entries = self.entries();
            let theirs = match entries.get(&tag) {
                Some(Entry::Arrived(theirs, _)) => Some(*theirs),
                _ => None,
            };
            if theirs == Some(hash) {
                return;
            }
            node.wait_for_one_more();
            entries.insert(tag, Entry::Awaited(hash, engine.clone(), node.clone()))
        };
        if other.is_some() {
            self.differ();
        }
    }

    /// Starts all nodes that wait for messages, or to send some: the program has ended, and other locales no longer wait.
    pub(crate) fn release(&self) {
        self.flow.release();
        let entries = core::mem::take(&mut *self.entries.lock());
        for entry in entries.into_values() {
            if let Entry::Awaited(_, engine, node) = entry {
                engine.start(&node);
            }
        }
    }

    /// Drops a message that is not needed, if it is still there.
    pub(super) fn discard(&self, route: &Route, kind: Kind) {
        let _ = self.receive(route, kind, |_| Ok(()));
    }

    /// Passes a message to `read`, if it came.
    pub(super) fn receive(
        &self,
        route: &Route,
        kind: Kind,
        read: impl FnOnce(&mut &[u8]) -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        let entry = self.entries.lock().remove(&route.tag);
        let Some(Entry::Arrived(_, message)) = entry else {
            return Err(Cause::Error(TaskBodyError::new(
                "no message came from this operation on another locale: its program did another one, or ended",
            )));
        };
        let (header, mut bytes) = Header::read(&message).map_err(TaskBodyError::new)?;
        self.under_way.fetch_sub(bytes.len(), Ordering::Relaxed);
        let read = caught(|| match header.kind {
            Kind::Fault => Err(Cause::Before(TaskError::read(&mut bytes)?)),
            other if other == kind => {
                read(&mut bytes)?;
                if bytes.is_empty() { Ok(()) } else { Err(too_long(bytes.len()).into()) }
            }
            other => {
                let from = header.from;
                Err(TaskBodyError::new(format!("a message of {other:?} from locale {from} instead of {kind:?}")).into())
            }
        });
        if !header.free {
            self.unpacked(route, header.asks);
        }
        read
    }

    /// The number of this locale.
    pub(crate) fn locale(&self) -> usize {
        self.locale
    }

    /// The program has ended, and nothing more is sent.
    pub(crate) fn close(&self) {
        self.meeting.leave(&|to, control| self.tell(to, control));
        self.transport.close();
    }

    /// The latest operation of the program in words.
    pub(crate) fn latest(&self) -> String {
        self.meeting.latest()
    }

    /// The bytes that came and were not taken.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Relaxed)
    }

    /// The memory of messages.
    pub(crate) fn buffers(&self) -> &Arc<Buffers> {
        &self.buffers
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let (messages, bytes) = &self.sent;
        Traffic { messages: messages.load(Ordering::Relaxed), bytes: bytes.load(Ordering::Relaxed) }
    }

    /// Tells all locales that the program of this locale ended by a panic, so that no other locale waits for it.
    pub(crate) fn give_up(&self) {
        self.end(End::Panicked(self.locale));
    }

    /// Tells all locales that a locale was lost.
    pub(super) fn lost(&self, locale: usize) {
        self.end(End::Gone(locale));
    }

    pub(super) fn meeting(&self) -> &Meeting {
        &self.meeting
    }
}

fn too_long(bytes: usize) -> TaskBodyError {
    TaskBodyError::new(format!("it has {bytes} bytes more than are needed"))
}
