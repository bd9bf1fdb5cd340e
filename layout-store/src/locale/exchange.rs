//! What a launch sends: elements that a point needs and its locale lacks, and contributions of points.

use core::any::Any;
use std::sync::Arc;

use super::claim::{Claim, enlist, runs_of};
use super::history::Order;
use super::instances::{Move, Place};
use super::net::{Net, Parcel, Tag};
use super::planned::PlannedMessage;
use super::versions::Owned;
use super::{Locale, Root};
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, Node, Row, TaskBodyError, TaskError, Tiles, caught};
use crate::memory::Region;
use crate::partition::Placement;

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
        caught(|| {
            let message = self.route.receive()?;
            let region = self.root.region(self.at.as_deref())?;
            (self.root.mover.unpack)(region, self.root.extents(), &self.rects, message)
        })
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

/// Puts into the graph what locales must send each other so that each point has what it reads, and takes note of who has
/// what then. Gives the bytes that are sent by all locales together.
///
/// `number` is the first number for messages and nodes that this operation has not used; the nodes, which the caller starts,
/// are put into `nodes`.
pub(crate) fn transfers(
    locale: &Arc<Locale>,
    order: Order,
    claims: &[Claim],
    placement: &Placement,
    (number, nodes): (&mut usize, &mut Vec<Arc<Node>>),
) -> u64 {
    if locale.net.is_none() {
        return 0;
    }
    let mut bytes = 0;
    for claim in claims.iter().filter(|claim| claim.read) {
        let root = &claim.root;
        let Some(runs) = &claim.runs else {
            for point in 0..claim.tiles.rects.len() {
                let (rect, to) = (&claim.tiles.rects[point], placement.locale(point));
                let mut versions = root.versions.lock();
                // Most points read what they, or those of their numbers, wrote.
                let fetched = if versions.has_tile(rect, (point, to)) { Vec::new() } else { versions.fetch(rect, to) };
                drop(versions);
                let here = root.divided().zip(claim.place(point));
                if let Some((divided, at)) = here {
                    fetched.iter().for_each(|(rects, _)| divided.arrives(rects, at.number));
                }
                bytes += send(locale, order, root, fetched, (to, here.map(|(_, at)| at)), (number, nodes));
                if let Some((divided, at)) = here {
                    copies(locale, order, root, divided.fetch(rect, at, Some(point)), (*number, nodes));
                }
            }
            continue;
        };
        for to in 0..locale.count {
            let points: Vec<usize> = placement.points_of(to).collect();
            let of = runs_of(runs, &points);
            let fetched = root.versions.lock().fetch_runs(of.clone(), &runs.transform, to);
            let at = points.first().and_then(|point| claim.place(*point));
            bytes += send(locale, order, root, fetched, (to, at), (number, nodes));
            if let (Some(divided), Some(at)) = (root.divided(), at) {
                let rects = points.iter().map(|point| claim.tiles.rects[*point]);
                let Some(rect) = rects.reduce(|a, b| a.hull(&b)) else { continue };
                copies(locale, order, root, divided.fetch_runs(of, &rect, runs, at), (*number, nodes));
            }
        }
    }
    bytes
}

/// Puts into the graph what sends boxes of elements to a locale, there to an instance, if it is this one. Gives the bytes.
pub(super) fn send(
    locale: &Arc<Locale>,
    order: Order,
    root: &Arc<Root>,
    fetched: Vec<Owned>,
    (to, at): (usize, Option<&Place>),
    (number, nodes): (&mut usize, &mut Vec<Arc<Node>>),
) -> u64 {
    let Some(net) = &locale.net else { return 0 };
    let mut bytes = 0;
    for (rects, from) in fetched {
        let root = root.clone();
        let tag = (order.number, *number);
        *number += 1;
        bytes += bytes_of(&rects, root.element);
        let send = from == locale.number;
        if !send && to != locale.number {
            continue;
        }
        if let Some(planned) = &locale.planned {
            let (peer, bytes) = (if send { to } else { from }, bytes_of(&rects, root.element));
            planned.note(send, PlannedMessage { peer, store: root.id, boxes: rects, bytes });
            continue;
        }
        let claim = Claim::new(&root, Tiles::scattered(&rects), (send, !send));
        let nodes_of_boxes = rects.len();
        let route = Route { net: net.clone(), from, to, tag, hash: order.hash };
        let body: Arc<dyn Body> = if send {
            let at = root.divided().and_then(|divided| divided.source(&rects[0]));
            Arc::new(Pack { root, at: at.map(|at| at.region), rects, route })
        } else {
            Arc::new(Unpack { root, at: at.map(|at| at.region.clone()), rects, route })
        };
        let node = Node::new(tag.0, tag.1, body);
        if !send {
            net.expect(to, tag, &locale.engine, &node);
        }
        locale.engine.count(1);
        enlist(&[claim], &vec![node.clone(); nodes_of_boxes].into());
        nodes.push(node);
    }
    bytes
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
    fn put(&self, number: usize, contribution: Box<dyn Any + Send>);
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
        caught(|| {
            self.parts.put(self.number, self.route.receive()?);
            Ok(())
        })
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("receive a contribution".to_owned(), Point::EMPTY)
    }
}

/// Puts into the graph what brings the contributions of all points to one locale, or to all, and gives the nodes after which
/// they are here. `points_here` are the points that run here.
pub(crate) fn deliver(
    locale: &Arc<Locale>,
    order: Order,
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
            let route = Route { net: net.clone(), from, to, tag, hash: order.hash };
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
                let node = Node::new(tag.0, tag.1, Arc::new(Deposit { parts, number, route }));
                net.expect(to, tag, &locale.engine, &node);
                locale.engine.count(1);
                here.push(node.clone());
                nodes.push(node);
            }
        }
    }
    here
}
