//! Flow control: a limit on the elements that a locale sends at a time.
//!
//! ```text
//! planned     a message is admitted if there is room beside the messages under way, or else waits behind those that wait already
//! packed      the node runs that packs it, which may be much later
//! unpacked    the locale that got it tells so, which makes room, and the first of those that wait are admitted
//! ```
//!
//! The bytes that a locale has unpacked go with the next message that it sends to their sender, so messages in both directions need no others.
//! A message that is packed while many were packed and not told of asks to be told of at once, with all before it, which happens if they are not
//! few. So all other locales together keep no more bytes for themselves than leave room for the next message.
//!
//! Messages are admitted in the order in which they are planned, which is that of operations. The node that unpacks a message waits for
//! nodes of earlier operations, and of the same operation for messages that are planned before it. So everything for which the first of all
//! messages waits has been admitted, and all are unpacked in the end.
//!
//! While the program uses elements, a message that it plans may wait for the end of this use, and the program may wait for a later one. So
//! these messages take no room and wait for none: they would keep the room until that end from messages that were planned before, which wait
//! for no end of a use. Their headers say so, and nobody is told when they are unpacked. A loop of launches in such a use therefore sends as
//! fast as it can, with no limit but the memory of the locales that are slower.
//!
//! A parcel is sent when all of its messages are packed. They are planned one right after another, and the first is admitted with the bytes
//! of all; then there is room for the others, which count for nothing. What they pack is of earlier operations, so no message of a parcel
//! waits for another locale to unpack an earlier one of the parcel.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::geometry::Rect;
use crate::graph::{Engine, Node};
use crate::sync::{AtomicUsize, Mutex, Ordering};

/// The bytes of elements that a locale may have packed and not been told of; one message of a single element may exceed it.
pub(super) const WINDOW: usize = 1 << 20;

/// The largest number of bytes of elements in a message: several are under way, while one is packed and one is unpacked.
const MESSAGE: usize = WINDOW / 4;

/// The largest number of bytes of elements in a parcel of several messages: a longer one would be copied for longer than a message of its
/// own takes.
pub(super) const PARCEL: u64 = (WINDOW / 64) as u64;

/// A message is admitted, however long it is, if at most this number of bytes is under way.
const ROOM: usize = WINDOW / 2;

/// A message asks to be told of at once if more bytes than this were packed and not told of. Those that did not ask have no more bytes together;
/// nor have those of which all other locales together do not tell although they were asked to.
const ASKS: usize = ROOM / 2;

/// The messages that a locale sends, and what it has unpacked.
pub(super) struct Flow {
    state: Mutex<State>,
    /// The bytes that were unpacked and not told of, for each locale that sent them.
    untold: Box<[AtomicUsize]>,
}

#[derive(Default)]
struct State {
    /// The bytes that were admitted and not told of.
    under_way: usize,
    /// Those of them that were packed.
    sent: usize,
    /// The bytes and the nodes of messages that wait to be packed.
    waiting: VecDeque<(usize, Arc<Engine>, Arc<Node>)>,
}

impl State {
    fn takes(&mut self, bytes: usize) -> bool {
        let takes = self.under_way <= ROOM || self.under_way + bytes <= WINDOW;
        self.under_way += if takes { bytes } else { 0 };
        takes
    }
}

impl Flow {
    pub(super) fn new(locales: usize) -> Self {
        Self { state: Mutex::default(), untold: (0..locales).map(|_| AtomicUsize::new(0)).collect() }
    }

    /// Counts the bytes of a message that is packed and will be sent. Returns `true` if it asks to be told of.
    pub(super) fn sends(&self, bytes: usize) -> bool {
        if bytes == 0 {
            return false;
        }
        let mut state = self.state.lock();
        state.sent += bytes;
        state.sent > ASKS
    }

    /// Counts bytes that a locale sent and that were unpacked, or never will be. Returns `true` if it is to be told now, if it `asks`.
    pub(super) fn count(&self, peer: usize, bytes: usize, asks: bool) -> bool {
        let untold = self.untold[peer].fetch_add(bytes, Ordering::Relaxed) + bytes;
        asks && untold >= ASKS / self.untold.len()
    }

    /// The bytes that were counted for a locale. It is told of them now, and only now.
    pub(super) fn tells(&self, peer: usize) -> usize {
        self.untold[peer].swap(0, Ordering::Relaxed)
    }

    /// Admits the node that packs a message, or makes it wait until there is room.
    pub(super) fn admit(&self, bytes: usize, engine: &Arc<Engine>, node: &Arc<Node>) {
        let mut state = self.state.lock();
        if !state.waiting.is_empty() || !state.takes(bytes) {
            node.wait_for_one_more();
            state.waiting.push_back((bytes, engine.clone(), node.clone()));
        }
    }

    /// Records that messages of so many bytes were unpacked, or never will be, and starts the nodes for which there is room.
    pub(super) fn unpacked(&self, bytes: usize) {
        let mut state = self.state.lock();
        // When a program has ended, messages that waited to be packed count as unpacked, too.
        state.under_way = state.under_way.saturating_sub(bytes);
        state.sent = state.sent.saturating_sub(bytes);
        let mut admitted = Vec::new();
        while let Some(bytes) = state.waiting.front().map(|(bytes, ..)| *bytes)
            && state.takes(bytes)
        {
            admitted.extend(state.waiting.pop_front());
        }
        drop(state);
        admitted.iter().for_each(|(_, engine, node)| engine.start(node));
    }

    /// Starts all nodes, since no more room will be made.
    pub(super) fn release(&self) {
        let waiting = core::mem::take(&mut self.state.lock().waiting);
        waiting.iter().for_each(|(_, engine, node)| engine.start(node));
    }
}

/// Splits boxes that belong together into messages; elements have `element` bytes.
pub(super) fn messages(element: usize, rects: Box<[Rect]>) -> impl Iterator<Item = Box<[Rect]>> + use<> {
    let most = i64::try_from((MESSAGE / element.max(1)).max(1)).unwrap_or(i64::MAX);
    let elements = |rects: &[Rect]| rects.iter().fold(0_i64, |sum, rect| sum.saturating_add(rect.volume()));
    let (mut small, mut messages) = (None, Vec::new());
    if elements(&rects) <= most {
        small = Some(rects);
    } else {
        let (mut message, mut room) = (Vec::new(), most);
        let mut rest: Vec<Rect> = rects.into_iter().rev().collect();
        while let Some(rect) = rest.pop() {
            let volume = rect.volume();
            if volume > most {
                let (first, second) = halves(&rect);
                rest.extend([second, first]);
                continue;
            }
            if volume > room {
                messages.push(core::mem::take(&mut message).into_boxed_slice());
                room = most;
            }
            room -= volume;
            message.push(rect);
        }
        messages.push(message.into_boxed_slice());
    }
    small.into_iter().chain(messages)
}

/// The halves of a box of several indices, along its longest side.
fn halves(rect: &Rect) -> (Rect, Rect) {
    let (lo, hi, extents) = (rect.lo(), rect.hi(), rect.extents());
    let dim = (0..rect.rank()).max_by_key(|dim| extents[*dim]).unwrap_or(0);
    let middle = lo[dim] + (hi[dim] - lo[dim]) / 2;
    let part = |lo, hi| rect.intersection(&Rect::new(lo, hi));
    (part(lo, hi.with(dim, middle)), part(lo.with(dim, middle), hi))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Point;
    use crate::graph::{Body, Cause};

    const MIB: usize = 1 << 20;

    struct Nothing;

    impl Body for Nothing {
        fn run(&self, _: usize) -> Result<(), Cause> {
            Ok(())
        }

        fn label(&self, _: usize) -> (String, Point) {
            (String::new(), Point::EMPTY)
        }
    }

    proptest! {
        /// A message is admitted after those before it, as soon as messages that were not told of leave room; the oldest is unpacked first.
        /// Those that were sent while much was not told of are told of, and so none waits for ever.
        #[test]
        fn messages_are_admitted_in_order_where_there_is_room(
            done in prop::collection::vec((0..4, prop::sample::select(vec![1, MIB / 4, MIB / 2, MIB, 2 * MIB])), 1..40),
            ended in any::<bool>(),
        ) {
            let (flow, receiver) = (Flow::new(2), Flow::new(2));
            let (engine, body) = (Engine::without_threads(0, false, None), Arc::new(Nothing));
            let (mut nodes, mut admitted, mut asked, mut unpacked) = (Vec::new(), 0, Vec::new(), 0);
            let (mut under_way, mut sent, mut untold) = (0, 0, 0);
            for (what, bytes) in done {
                if what > 1 {
                    let node = Node::new(0, nodes.len(), body.clone());
                    flow.admit(bytes, &engine, &node);
                    nodes.push((bytes, node));
                } else if what == 1 && asked.len() < admitted {
                    let bytes = nodes[asked.len()].0;
                    sent += bytes;
                    asked.push(flow.sends(bytes));
                    prop_assert_eq!(asked.last(), Some(&(sent > MIB / 4)));
                } else if unpacked < asked.len() {
                    let (bytes, asks) = (nodes[unpacked].0, asked[unpacked]);
                    untold += bytes;
                    let tells = receiver.count(0, bytes, asks);
                    prop_assert_eq!(tells, asks && untold >= MIB / 8);
                    if tells {
                        let told = receiver.tells(0);
                        prop_assert_eq!(told, untold);
                        flow.unpacked(told);
                        (under_way, sent, untold) = (under_way - told, sent - told, 0);
                    }
                    unpacked += 1;
                }
                while admitted < nodes.len() && (under_way <= MIB / 2 || under_way + nodes[admitted].0 <= MIB) {
                    under_way += nodes[admitted].0;
                    admitted += 1;
                }
                prop_assert!(untold <= MIB / 2, "{untold} bytes are kept back");
                prop_assert!(admitted == nodes.len() || unpacked < admitted, "none waits where nothing is under way");
            }
            if ended {
                flow.release();
                admitted = nodes.len();
            }
            for (number, (_, node)) in nodes.iter().enumerate() {
                prop_assert_eq!(node.released(), number < admitted, "{} of {}", number, nodes.len());
            }
        }

        /// Messages are the boxes in order, each cut if necessary, and no two adjacent messages would fit into one.
        #[test]
        fn messages_are_all_of_the_boxes(
            sides in prop::collection::vec((1..9_i64, 1..9_i64), 0..12),
            element in prop::sample::select(vec![0, 8, MIB / 64, MIB / 20, MIB / 8, MIB]),
        ) {
            let boxes = || sides.iter().zip(0..).map(|((a, b), at)| Rect::new([10 * at, 0].into(), [10 * at + a, *b].into()));
            let messages: Vec<_> = messages(element, boxes().collect()).collect();
            let volume = |rects: &[Rect]| rects.iter().map(Rect::volume).sum::<i64>();
            let most = (MIB / 4).checked_div(element).map_or(i64::MAX, |most| i64::try_from(most.max(1)).unwrap());
            for message in &messages {
                prop_assert!(volume(message) <= most);
            }
            for pair in messages.windows(2) {
                prop_assert!(!pair[0].is_empty() && volume(&pair[0]) + pair[1][0].volume() > most);
            }
            let mut parts = messages.iter().flatten();
            for rect in boxes() {
                let mut points = Vec::new();
                while points.len() < usize::try_from(rect.volume()).unwrap() {
                    let part = parts.next().unwrap();
                    prop_assert!(volume(&[rect]) <= most || part.volume() < rect.volume());
                    points.extend(part.points());
                }
                points.sort_unstable();
                prop_assert!(points.into_iter().eq(rect.points()));
            }
            prop_assert!(parts.next().is_none());
        }
    }

    #[test]
    fn halves_are_all_of_a_box() {
        let rects =
            [Rect::new([3, 1].into(), [4, 9].into()), Rect::of([2, 1].into()), Rect::of([7, 5].into()).step(0, 3)];
        for rect in rects {
            let (first, second) = halves(&rect);
            assert!(!first.is_empty() && !second.is_empty() && !first.overlaps(&second), "{rect}: {first}, {second}");
            assert_eq!(first.volume() + second.volume(), rect.volume());
            assert!(rect.covers(&first) && rect.covers(&second), "{rect}: {first}, {second}");
        }
    }
}
