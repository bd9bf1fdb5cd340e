//! Exchanges: the messages of a launch with elements that a point needs and its locale lacks.

use std::sync::Arc;

use smallvec::SmallVec;

use super::claim::{Claim, enlist, runs_of};
use super::fresh::Regions;
use super::history::Order;
use super::instances::Move;
use super::ledger::{ExchangePlan, Made, Message, Parcel, Piece, bytes_of, messages_of};
use super::message::Kind;
use super::net::{Net, Route, Together};
use super::owners::Owners;
use super::{Locale, Root};
use crate::geometry::{Point, Runs};
use crate::graph::{Body, Cause, Edge, NewNodes, Node, Nodes, Row, TaskBodyError, TaskError, caught};
use crate::memory::Region;
use crate::partition::Placement;
use crate::sync::AtomicU64;

/// The messages of elements of one root to and from this locale, for one launch or call. It is the body of all their nodes.
struct Messages {
    root: Arc<Root>,
    messages: Arc<[Message]>,
    /// The instance of each message, if no locale has the whole root.
    at: Option<Regions>,
    net: Arc<Net>,
    order: Order,
    slot: usize,
    /// `true` if those from this locale are sent without room for them.
    free: bool,
}

/// The body of a node that copies elements from one instance to another.
struct Copy {
    root: Arc<Root>,
    what: Move,
}

/// The number of the first message of elements: above the numbers of points, and of messages for them.
const ELEMENTS: usize = usize::MAX / 2 + 1;
/// More than the number of exchanges of an operation.
const SLOTS: usize = 64;

/// The route of a message of elements, in exchange `slot` of an operation.
fn route(message: &Message, locale: &Locale, order: Order, slot: usize) -> Route {
    let from = if message.sent { locale.number } else { message.peer };
    // Both sides number the messages from one to the other, and the same locale gets no other message with this number.
    let tag = (order.number, ELEMENTS + (message.number * locale.count + from) * SLOTS + slot);
    Route { peer: message.peer, tag, hash: order.hash, parcel: None, room: bytes(message) }
}

impl Messages {
    /// The message of the node with a number.
    fn message(&self, node: usize) -> (&Message, Route) {
        let message = &self.messages[(node - ELEMENTS) / SLOTS];
        let mut way = route(message, &self.root.locale, self.order, self.slot);
        if self.free && message.sent {
            way.room = 0;
        }
        // An operation within a use of the program has none: one of its messages may wait for the end of the use, which may wait for another.
        let first = &self.messages[message.first];
        if message.sent && !self.free && first.parcel.count > 1 {
            let Parcel { count, bytes } = first.parcel;
            let tag = route(first, &self.root.locale, self.order, self.slot).tag;
            way.parcel = Some(Together { tag, count, bytes: usize::try_from(bytes).unwrap_or(usize::MAX) });
        }
        (message, way)
    }

    fn region(&self, node: usize) -> Result<&Region, Cause> {
        let at = self.at.as_ref().and_then(|at| at[(node - ELEMENTS) / SLOTS].as_deref());
        self.root.region(at)
    }
}

fn bytes(message: &Message) -> usize {
    usize::try_from(message.bytes).unwrap_or(usize::MAX)
}

impl Body for Messages {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, node: usize) -> Result<(), Cause> {
        let (message, route) = self.message(node);
        let (mover, tiles) = (self.root.mover, &*message.tiles);
        if message.sent {
            return caught(|| {
                self.net.send_elements(&route, bytes(message), |bytes| (mover.pack)(self.region(node)?, tiles, bytes))
            });
        }
        let unpack = |bytes: &mut &[u8]| (mover.unpack)(self.region(node)?, tiles, bytes);
        self.net.receive(&route, Kind::Elements, unpack).map_err(|cause| match cause {
            Cause::Error(error) => {
                let (store, from) = (self.root.id, message.peer);
                TaskBodyError::new(format!("elements of store {store} from locale {from}: {error}")).into()
            }
            cause => cause,
        })
    }

    fn failed(&self, node: usize, fault: &TaskError) {
        let (message, route) = self.message(node);
        if message.sent {
            return self.net.fail(&route, fault);
        }
        self.net.discard(&route, Kind::Elements);
    }

    fn label(&self, node: usize) -> (String, Point) {
        (if self.message(node).0.sent { "send" } else { "receive" }.to_owned(), Point::EMPTY)
    }
}

impl Body for Copy {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| (self.root.mover.copy)(&self.what.from, &self.what.to, &self.what.tiles))
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("copy to another instance".to_owned(), Point::EMPTY)
    }
}

/// Adds nodes that copy between instances of this locale. They count as updates of the elements, so later readers wait for them, and fail
/// if the writer failed. There are none to an instance without memory: its users fail, and the elements are still where they were.
pub(crate) fn copies(
    locale: &Arc<Locale>,
    order: Order,
    root: &Arc<Root>,
    moves: impl IntoIterator<Item = Move>,
    (number, nodes): (usize, &mut NewNodes),
) {
    copies_to(locale, order, root, moves, (number, nodes), None);
}

/// [`copies`]; with a node `aside`, to memory that is not recorded. They then only read the elements, and this node waits for them.
fn copies_to(
    locale: &Arc<Locale>,
    order: Order,
    root: &Arc<Root>,
    moves: impl IntoIterator<Item = Move>,
    (number, nodes): (usize, &mut NewNodes),
    aside: Option<&Arc<Node>>,
) {
    for what in moves.into_iter().filter(|what| what.to.why_refused().is_none()) {
        let claim = Claim::new(root, what.tiles.clone(), (true, aside.is_none()));
        let node = locale.engine.nodes.alone(order.number, number, Copy { root: root.clone(), what });
        locale.engine.count(1);
        enlist(&[claim], &Nodes::One(node.clone()));
        aside.iter().for_each(|last| last.after(&node, Edge::Data));
        nodes.push(node);
    }
}

/// The nodes that an operation adds to the graph besides its points.
#[derive(Default)]
pub(crate) struct Outbound {
    /// The nodes, which the caller starts.
    pub(crate) nodes: NewNodes,
    /// Bodies without nodes on this locale, which the caller drops when it holds no lock.
    pub(crate) unused: SmallVec<[Arc<dyn Body>; 1]>,
    /// The number of exchanges, which is the same on each locale.
    exchanges: usize,
}

/// The bytes of elements that all locales together send for a launch; none with one locale.
#[derive(Clone, Default)]
pub(crate) struct Exchanged(SmallVec<[Counted; 2]>);

#[derive(Clone)]
enum Counted {
    /// Elements of an argument and of a store with these numbers: counted when they are asked for.
    Planned(u32, u64, Arc<ExchangePlan>),
    /// Elements that points send each other by one argument: known after they were sent.
    Sent(Arc<AtomicU64>),
    /// Contributions of points to a store, which are not elements.
    Contributed(Arc<Owners>),
}

/// A message of elements of an argument, or of contributions to it, to or from this locale; or a part of a message.
pub(crate) struct Passed {
    pub(crate) argument: usize,
    pub(crate) store: u64,
    pub(crate) peer: usize,
    pub(crate) sent: bool,
    /// 1, or 0 if it travels together with one before it.
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
}

impl Exchanged {
    /// Records a count of bytes that points will have sent each other.
    pub(crate) fn sends(&mut self, sent: Arc<AtomicU64>) {
        self.0.push(Counted::Sent(sent));
    }

    /// Records the locales that combine contributions to a store, if there are several.
    pub(crate) fn contributes(&mut self, owners: &Arc<Owners>) {
        self.0.push(Counted::Contributed(owners.clone()));
    }

    /// The bytes, without those that points send each other.
    pub(crate) fn planned(&self) -> u64 {
        let bytes = |counted: &Counted| match counted {
            Counted::Planned(_, _, plan) => plan.bytes(),
            Counted::Sent(_) | Counted::Contributed(_) => 0,
        };
        self.0.iter().map(bytes).sum()
    }

    /// The messages of elements and contributions to and from this locale, without those that points send each other.
    pub(crate) fn messages(&self) -> impl Iterator<Item = Passed> {
        let planned = self.0.iter().filter_map(|counted| match counted {
            Counted::Planned(argument, store, plan) => Some((*argument as usize, *store, plan)),
            Counted::Sent(_) | Counted::Contributed(_) => None,
        });
        let planned = planned.flat_map(|(argument, store, plan)| {
            plan.messages.iter().map(move |&Message { sent, peer, bytes, parcel, .. }| {
                let messages = u64::from(parcel != Parcel::default());
                Passed { argument, store, peer, sent, messages, bytes }
            })
        });
        let contributed = self.0.iter().filter_map(|counted| match counted {
            Counted::Contributed(owners) => Some(owners.messages()),
            Counted::Planned(..) | Counted::Sent(_) => None,
        });
        planned.chain(contributed.flatten())
    }

    /// The counts of bytes that points send each other, one for each argument by which they do; they grow as points send.
    pub(crate) fn sent(&self) -> impl Iterator<Item = &Arc<AtomicU64>> {
        self.0.iter().filter_map(|counted| match counted {
            Counted::Sent(sent) => Some(sent),
            _ => None,
        })
    }
}

/// Adds nodes by which this locale sends and receives the elements that points read, and records which locale has them then. Each claim
/// comes with the number of its argument.
pub(crate) fn transfers<'c>(
    locale: &Arc<Locale>,
    order: Order,
    claims: impl IntoIterator<Item = (u32, &'c Claim)>,
    placement: &Placement,
    (out, exchanged): (&mut Outbound, &mut Exchanged),
) {
    if locale.net.is_none() {
        return;
    }
    for (argument, claim) in claims.into_iter().filter(|(_, claim)| claim.read) {
        let root = &claim.root;
        // All locales count alike, whether the elements of their own points are scattered or not.
        let counts = claim.runs.is_some() || claim.asked.is_some();
        let now = if counts { root.versions().lock().count_runs() } else { 0 };
        if let Some(runs) = &claim.runs {
            let plan = transfer_runs(locale, (order, now), (claim, runs), placement, out);
            exchanged.0.extend(plan.map(|plan| Counted::Planned(argument, root.id, plan)));
            continue;
        }
        // Each list is a read of its own, so the ledger knows which elements no point has got.
        for tiles in claim.lists() {
            let read = match &claim.asked {
                Some(asked) => asked.read(root, claim, placement),
                None => root.versions().lock().read((tiles, placement), (locale.number, root.mover.element)),
            };
            let (plan, made) = read.unzip();
            let messages = plan.as_ref().map(|plan| &plan.messages).filter(|messages| !messages.is_empty());
            let here = root.divided().zip(claim.places.as_ref());
            let taken = here.and_then(|(divided, places)| divided.read(tiles, places, messages));
            let (taken, made_here) = taken.unzip();
            if [made, made_here].contains(&Some(Made::Now)) {
                locale.made_plan();
            }
            let at = taken.as_ref().map(|taken| taken.at.clone());
            let moves = taken.iter().flat_map(|taken| taken.moves.iter()).cloned();
            exchange(locale, order, root, (messages, at, None), (moves, placement.count()), out);
            exchanged.0.extend(plan.map(|plan| Counted::Planned(argument, root.id, plan)));
        }
    }
}

/// [`transfers`] for scattered elements, by the read of such elements with the number `now`; returns the exchange.
fn transfer_runs(
    locale: &Arc<Locale>,
    (order, now): (Order, u64),
    (claim, runs): (&Claim, &Arc<Runs>),
    placement: &Placement,
    out: &mut Outbound,
) -> Option<Arc<ExchangePlan>> {
    let root = &claim.root;
    // The boxes of points, which are few: there may be a run for each element.
    let hull = |locale: usize| {
        let rects = placement.points_of(locale).map(|point| claim.tiles.rect(point)).filter(|rect| !rect.is_empty());
        rects.reduce(|a, b| a.hull(&b))
    };
    let plan = match &claim.asked {
        Some(asked) => asked.read(root, claim, placement).map(|(plan, _)| plan),
        None => {
            let (mut bytes, mut pieces) = (0, Vec::new());
            for (to, hull) in (0..locale.count).filter_map(|to| Some((to, hull(to)?))) {
                let of = runs_of(runs, placement.points_of(to));
                for (rects, from) in root.versions().lock().fetch_runs(of, (&runs.transform, &hull), (to, now)) {
                    bytes += bytes_of(&rects, root.mover.element);
                    pieces.push(Piece { point: 0, rects, from, to });
                }
            }
            let messages = messages_of(pieces, locale.number, root.mover.element);
            Some(ExchangePlan::once((&claim.tiles, placement), (messages, bytes), root.mover.element).into())
        }
    };
    let messages = plan.as_ref().map_or_else(|| [].into(), |plan| plan.messages.clone());
    locale.made_plan();
    let here = placement.points_of(locale.number);
    let at = here.clone().next().and_then(|point| claim.place(point));
    let mut moves = Vec::new();
    if let (Some(divided), Some(at)) = (root.divided(), at) {
        let rect = hull(locale.number);
        rect.iter().for_each(|rect| moves = divided.fetch_runs(runs_of(runs, here.clone()), rect, runs, (at, now)));
    }
    let at = root.divided().map(|divided| divided.regions(&messages, at));
    exchange(locale, order, root, (Some(&messages), at, None), (moves, placement.count()), out);
    plan
}

/// The messages of an exchange, the instances that they go to and come from, and the node that waits for copies to memory that is not
/// recorded.
type Exchange<'m> = (Option<&'m Arc<[Message]>>, Option<Regions>, Option<&'m Arc<Node>>);

/// Adds nodes for the messages of elements to this locale, for copies between its instances (with this number), and for the messages from
/// it. With a node `aside`, messages and copies come to memory that is not recorded, and this node waits for the copies; it must be ordered
/// after the messages by their elements.
pub(super) fn exchange(
    locale: &Arc<Locale>,
    order: Order,
    root: &Arc<Root>,
    (messages, at, aside): Exchange<'_>,
    (moves, number): (impl IntoIterator<Item = Move>, usize),
    out: &mut Outbound,
) {
    let Some(net) = &locale.net else { return };
    out.exchanges += 1;
    let all = messages.map_or(&[][..], |messages| messages);
    if let Some(planned) = &locale.planned {
        planned.note(root.id, all);
        return;
    }
    let slot = out.exchanges;
    locale.engine.nodes.make_room(&mut out.nodes, all.len());
    let received = all.partition_point(|message| !message.sent);
    let free = received < all.len() && locale.engine.is_using();
    let body = messages.filter(|all| !all.is_empty()).map(|messages| -> Arc<dyn Body> {
        let (root, messages, net) = (root.clone(), messages.clone(), net.clone());
        let place = locale.engine.nodes.place(all.len(), Row::Exchange);
        place.fill(Messages { root, messages, at, net, order, slot, free });
        place
    });
    let post = |number: usize, body: &Arc<dyn Body>, nodes: &mut NewNodes| {
        let message = &all[number];
        let node = locale.engine.nodes.one(order.number, ELEMENTS + number * SLOTS + slot, body);
        if message.sent {
            let bytes = usize::try_from(message.parcel.bytes).unwrap_or(usize::MAX);
            net.admit(bytes, free, &locale.engine, &node);
        } else {
            let tag = route(message, locale, order, slot).tag;
            net.expect(tag, order.hash, &locale.engine, &node);
        }
        locale.engine.count(1);
        let claim = Claim::new(root, message.tiles.clone(), (message.sent, !message.sent));
        enlist(&[claim], &Nodes::One(node.clone()));
        nodes.push(node);
    };
    body.iter().for_each(|body| (0..received).for_each(|number| post(number, body, &mut out.nodes)));
    copies_to(locale, order, root, moves, (number, &mut out.nodes), aside);
    body.iter().for_each(|body| (received..all.len()).for_each(|number| post(number, body, &mut out.nodes)));
}
