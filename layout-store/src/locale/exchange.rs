//! What a launch sends: elements that a point needs and its locale lacks, and contributions of points.

use core::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::claim::{Claim, enlist, runs_of};
use super::flow::messages;
use super::history::Order;
use super::instances::{Move, Place};
use super::ledger::{Piece, Reading};
use super::net::{Net, Parcel, Tag};
use super::planned::PlannedMessage;
use super::versions::Owned;
use super::{Locale, Root};
use crate::geometry::{Point, Rect, Runs};
use crate::graph::{Body, Cause, Edge, Node, Row, TaskBodyError, TaskError, Tiles, caught};
use crate::memory::Region;
use crate::partition::Placement;
use crate::sync::AtomicU64;

/// Sends elements.
struct Pack {
    root: Arc<Root>,
    /// The instance that they are in, where no locale has the whole.
    at: Option<Arc<Region>>,
    rects: Box<[Rect]>,
    route: Route,
}

/// Receives elements.
struct Unpack {
    root: Arc<Root>,
    /// The instance that they go to, where no locale has the whole.
    at: Option<Arc<Region>>,
    rects: Box<[Rect]>,
    route: Route,
}

/// Copies elements from one instance to another.
struct Copy {
    root: Arc<Root>,
    what: Move,
}

/// The way of a message.
struct Route {
    net: Arc<Net>,
    from: usize,
    to: usize,
    tag: Tag,
    /// The bytes of elements, which count as under way until they are unpacked.
    bytes: usize,
    /// The hash of the operation.
    hash: u64,
}

impl Route {
    fn send(&self, content: Result<(Box<dyn Any + Send>, usize), Cause>) -> Result<(), Cause> {
        let (data, bytes) = content?;
        self.net.post(self.from, self.to, self.tag, self.hash, Parcel::Data(data, bytes));
        Ok(())
    }

    fn fail(&self, fault: &TaskError) {
        self.net.post(self.from, self.to, self.tag, self.hash, Parcel::Fault(fault.clone()));
    }

    fn receive(&self) -> Result<Box<dyn Any + Send>, Cause> {
        match self.net.take(self.to, self.tag, self.hash) {
            Some(Parcel::Data(data, _)) => Ok(data),
            Some(Parcel::Fault(fault)) => Err(Cause::Before(fault)),
            None => Err(Cause::Error(TaskBodyError::new(
                "no message came from this operation on another locale: its program did another one, or ended",
            ))),
        }
    }
}

impl Body for Pack {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| {
            let region = self.root.region(self.at.as_deref())?;
            self.route.send((self.root.mover.pack)(region, self.root.extents(), &self.rects))
        })
    }

    fn failed(&self, _: usize, fault: &TaskError) {
        self.route.fail(fault);
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("send".to_owned(), Point::EMPTY)
    }
}

impl Body for Unpack {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        let unpacked = caught(|| {
            let message = self.route.receive()?;
            let region = self.root.region(self.at.as_deref())?;
            (self.root.mover.unpack)(region, self.root.extents(), &self.rects, message)
        });
        if unpacked.is_ok() {
            self.route.net.unpacked(self.route.from, self.route.bytes);
        }
        unpacked
    }

    fn failed(&self, _: usize, _: &TaskError) {
        // Nobody wants the message, if it is still there.
        drop(self.route.receive());
        self.route.net.unpacked(self.route.from, self.route.bytes);
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("receive".to_owned(), Point::EMPTY)
    }
}

impl Body for Copy {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| (self.root.mover.copy)(&self.what.from, &self.what.to, self.root.extents(), &self.what.rects))
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("copy to another instance".to_owned(), Point::EMPTY)
    }
}

/// Puts into the graph what is copied between instances of this locale: as an update of the elements, so that whoever reads
/// them later waits for it, and fails with whoever was to write them.
pub(crate) fn copies(
    locale: &Arc<Locale>,
    order: Order,
    root: &Arc<Root>,
    moves: Vec<Move>,
    (number, nodes): (usize, &mut Vec<Arc<Node>>),
) {
    for what in moves {
        let claim = Claim::new(root, Tiles::scattered(&what.rects), (true, true));
        let boxes = what.rects.len();
        let node = Node::new(order.number, number, Arc::new(Copy { root: root.clone(), what }));
        locale.engine.count(1);
        enlist(&[claim], &vec![node.clone(); boxes].into());
        nodes.push(node);
    }
}

/// What an operation puts into the graph besides its points.
#[derive(Default)]
pub(crate) struct Outbound {
    /// The nodes, which the caller starts.
    pub(crate) nodes: Vec<Arc<Node>>,
    /// How many messages there were so far from this locale and to it, by the locales that send and receive.
    messages: Option<BTreeMap<(usize, usize), usize>>,
}

/// The first number of a message of elements: beyond those of points, and of what is sent for them.
const ELEMENTS: usize = usize::MAX / 2 + 1;

impl Outbound {
    /// The number of the next message between two locales, which both count alike, and of no other to the same locale.
    fn number(&mut self, (from, to): (usize, usize), locales: usize) -> usize {
        let count = self.messages.get_or_insert_default().entry((from, to)).or_default();
        *count += 1;
        ELEMENTS + *count * locales + from
    }
}

/// The bytes of elements that all locales together send for a launch; with one locale, none.
#[derive(Clone, Default)]
pub(crate) struct Exchanged(Option<Box<Sums>>);

#[derive(Clone, Default)]
struct Sums {
    known: u64,
    /// What is counted when somebody asks.
    readings: Vec<Arc<Reading>>,
    /// What its points send each other, for each argument by which they do.
    sent: Vec<Arc<AtomicU64>>,
}

impl Exchanged {
    fn sums(&mut self) -> &mut Sums {
        self.0.get_or_insert_default()
    }

    fn add(&mut self, fetched: &[Owned], element: usize) {
        self.sums().known += fetched.iter().map(|(rects, _)| bytes_of(rects, element)).sum::<u64>();
    }

    /// Takes note of what points will have sent each other.
    pub(crate) fn sends(&mut self, sent: Arc<AtomicU64>) {
        self.sums().sent.push(sent);
    }

    /// The bytes, but for what points send each other.
    pub(crate) fn planned(&self) -> u64 {
        self.0.as_ref().map_or(0, |sums| sums.readings.iter().fold(sums.known, |sum, reading| sum + reading.bytes()))
    }

    /// The bytes that points send each other, for each argument by which they do: as they are sent.
    pub(crate) fn sent(&self) -> &[Arc<AtomicU64>] {
        self.0.as_ref().map_or(&[], |sums| &sums.sent)
    }
}

/// Puts into the graph what this locale sends and receives so that each point has what it reads, and takes note of who has what
/// then.
pub(crate) fn transfers(
    locale: &Arc<Locale>,
    order: Order,
    claims: &[Claim],
    placement: &Placement,
    (out, exchanged): (&mut Outbound, &mut Exchanged),
) {
    if locale.net.is_none() {
        return;
    }
    for claim in claims.iter().filter(|claim| claim.read) {
        let root = &claim.root;
        if let Some(runs) = &claim.runs {
            transfer_runs(locale, order, (claim, runs), placement, (out, exchanged));
            continue;
        }
        let read = root.versions().lock().read((&claim.tiles, placement), (locale.number, root.element));
        let (pieces, reading) = match read {
            Some((pieces, reading)) => (pieces, reading),
            None => {
                let (mut pieces, mut versions) = (Vec::new(), root.versions().lock());
                for (point, rect) in claim.tiles.rects.iter().enumerate() {
                    let to = placement.locale(point);
                    let fetched = versions.settle().fetch(rect, to);
                    exchanged.add(&fetched, root.element);
                    let own = fetched.into_iter().filter(|(_, from)| [*from, to].contains(&locale.number));
                    pieces.extend(own.map(|(rects, from)| Piece { point, rects, from, to }));
                }
                // What is received first, as where it need not be asked point by point.
                pieces.sort_by_key(|piece| piece.to != locale.number);
                (pieces, None)
            }
        };
        exchanged.sums().readings.extend(reading.map(Arc::new));
        let mut pieces = pieces.into_iter().peekable();
        if let (Some(divided), Some(places)) = (root.divided(), &claim.places) {
            for (point, at) in places.iter() {
                while let Some(piece) = pieces.next_if(|piece| (piece.to, piece.point) == (locale.number, *point)) {
                    divided.arrives(&piece.rects, at.number);
                    send(locale, order, root, [(piece.rects, piece.from)], (piece.to, Some(at)), out);
                }
                let moves = divided.fetch(&claim.tiles.rects[*point], at, Some(*point));
                copies(locale, order, root, moves, (placement.count(), &mut out.nodes));
            }
        }
        pieces.for_each(|piece| send(locale, order, root, [(piece.rects, piece.from)], (piece.to, None), out));
    }
}

/// As [`transfers`], of scattered elements.
fn transfer_runs(
    locale: &Arc<Locale>,
    order: Order,
    (claim, runs): (&Claim, &Arc<Runs>),
    placement: &Placement,
    (out, exchanged): (&mut Outbound, &mut Exchanged),
) {
    let root = &claim.root;
    for to in 0..locale.count {
        let points: Vec<usize> = placement.points_of(to).collect();
        let of = runs_of(runs, &points);
        let fetched = root.versions().lock().fetch_runs(of.clone(), &runs.transform, to);
        exchanged.add(&fetched, root.element);
        let at = points.first().and_then(|point| claim.place(*point));
        send(locale, order, root, fetched, (to, at), out);
        if let (Some(divided), Some(at)) = (root.divided(), at) {
            let rects = points.iter().map(|point| claim.tiles.rects[*point]);
            let Some(rect) = rects.reduce(|a, b| a.hull(&b)) else { continue };
            let moves = divided.fetch_runs(of, &rect, runs, at);
            copies(locale, order, root, moves, (placement.count(), &mut out.nodes));
        }
    }
}

/// Puts into the graph what sends boxes of elements to a locale, there to an instance, if it is this one.
pub(super) fn send(
    locale: &Arc<Locale>,
    order: Order,
    root: &Arc<Root>,
    fetched: impl IntoIterator<Item = Owned>,
    (to, at): (usize, Option<&Place>),
    out: &mut Outbound,
) {
    let Some(net) = &locale.net else { return };
    let fetched = fetched.into_iter();
    let messages = fetched.flat_map(|(rects, from)| messages(root, rects).map(move |rects| (rects, from)));
    for (rects, from) in messages {
        let root = root.clone();
        let size = bytes_of(&rects, root.element);
        let send = from == locale.number;
        if !send && to != locale.number {
            continue;
        }
        if let Some(planned) = &locale.planned {
            let peer = if send { to } else { from };
            planned.note(send, PlannedMessage { peer, store: root.id, boxes: rects, bytes: size });
            continue;
        }
        let tag = (order.number, out.number((from, to), locale.count));
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let claim = Claim::new(&root, Tiles::scattered(&rects), (send, !send));
        let nodes_of_boxes = rects.len();
        let route = Route { net: net.clone(), from, to, tag, bytes: size, hash: order.hash };
        let body: Arc<dyn Body> = if send {
            let at = root.divided().and_then(|divided| divided.source(&rects[0]));
            Arc::new(Pack { root, at: at.map(|at| at.region), rects, route })
        } else {
            Arc::new(Unpack { root, at: at.map(|at| at.region.clone()), rects, route })
        };
        let node = Node::new(tag.0, tag.1, body);
        if send {
            net.admit(from, size, &locale.engine, &node);
        } else {
            net.expect(to, tag, &locale.engine, &node);
        }
        locale.engine.count(1);
        enlist(&[claim], &vec![node.clone(); nodes_of_boxes].into());
        out.nodes.push(node);
    }
}

/// The bytes of the elements in some disjoint boxes, each element so many.
fn bytes_of(rects: &[Rect], element: usize) -> u64 {
    let elements: i64 = rects.iter().map(Rect::volume).sum();
    u64::try_from(elements).unwrap_or(0) * element as u64
}

/// What points contribute, one by one.
pub(crate) trait Parts: Send + Sync {
    /// The contribution of a point, to be sent to a locale, and its size; to several locales, if it is not taken.
    fn give(&self, number: usize, to: usize, take: bool) -> (Box<dyn Any + Send>, usize);

    /// Keeps the contribution of a point that ran elsewhere.
    fn put(&self, number: usize, contribution: Box<dyn Any + Send>) -> Result<(), Cause>;

    /// The bytes of elements that all locales sent each other by these, once they are here; `None` where they are told otherwise.
    fn sent(&self) -> Option<Arc<AtomicU64>> {
        None
    }
}

struct Ship {
    parts: Arc<dyn Parts>,
    number: usize,
    take: bool,
    route: Route,
}

struct Deposit {
    parts: Arc<dyn Parts>,
    number: usize,
    /// The task, and the point of it.
    of: (Cow<'static, str>, Point),
    route: Route,
}

impl Body for Ship {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| self.route.send(Ok(self.parts.give(self.number, self.route.to, self.take))))
    }

    fn failed(&self, _: usize, fault: &TaskError) {
        self.route.fail(fault);
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("send a contribution".to_owned(), Point::EMPTY)
    }
}

impl Body for Deposit {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| self.parts.put(self.number, self.route.receive()?))
    }

    fn label(&self, _: usize) -> (String, Point) {
        (self.of.0.to_string(), self.of.1)
    }
}

/// Puts into the graph what brings the contributions of all points to one locale, or to all, and gives the nodes after which
/// they are here. `points_here` are the points that run here, of the task of this name over these points.
pub(crate) fn deliver(
    locale: &Arc<Locale>,
    (order, name, domain): (Order, &Cow<'static, str>, &Rect),
    parts: &Arc<dyn Parts>,
    everywhere: bool,
    (placement, points_here): (&Placement, &[Arc<Node>]),
    (number, nodes): (&mut usize, &mut Vec<Arc<Node>>),
) -> Vec<Arc<Node>> {
    let mut here: Vec<Arc<Node>> = points_here.to_vec();
    let Some(net) = locale.net.as_ref().filter(|_| locale.planned.is_none()) else { return here };
    let first = *number;
    *number += placement.count() * locale.count;
    let me = locale.number;
    for number in 0..placement.count() {
        let from = placement.locale(number);
        let targets = if everywhere { 0..locale.count } else { 0..1 };
        for to in targets.filter(|to| *to != from) {
            let tag = (order.number, first + number * locale.count + to);
            let route = Route { net: net.clone(), from, to, tag, bytes: 0, hash: order.hash };
            let parts = parts.clone();
            if from == me {
                let node = Node::new(tag.0, tag.1, Arc::new(Ship { parts, number, take: !everywhere, route }));
                if let Some(point) = points_here.iter().find(|point| point.order.1 == number) {
                    node.after(point, Edge::Data);
                }
                // What is sent must be there until then.
                if everywhere {
                    here.push(node.clone());
                }
                locale.engine.count(1);
                nodes.push(node);
            } else if to == me {
                let node = Node::new(
                    tag.0,
                    tag.1,
                    Arc::new(Deposit { parts, number, of: (name.clone(), domain.nth(number)), route }),
                );
                net.expect(to, tag, &locale.engine, &node);
                locale.engine.count(1);
                here.push(node.clone());
                nodes.push(node);
            }
        }
    }
    here
}
