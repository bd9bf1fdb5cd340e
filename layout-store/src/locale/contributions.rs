//! Contributions of points, and their way to the locales that combine them.

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::Locale;
use super::history::Order;
use super::message::Kind;
use super::net::{Net, Route};
use super::owners::Owners;
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, NewNodes, Node, Row, TaskError, caught};
use crate::partition::Placement;
use crate::sync::AtomicU64;

/// The contributions of points, one by one.
pub(crate) trait Parts: Send + Sync {
    /// Writes the part of the contribution of a point that goes to a locale, and returns the bytes of its values.
    fn give(&self, number: usize, to: usize, message: &mut Vec<u8>) -> usize;

    /// Keeps the contribution of a point that ran on another locale.
    fn put(&self, number: usize, contribution: &mut &[u8]) -> Result<(), Cause>;

    /// The bytes of elements that all locales sent each other, when all have come; `None` if they are counted elsewhere.
    fn sent(&self) -> Option<Arc<AtomicU64>> {
        None
    }
}

/// The body of a node that sends the bytes that `give` writes; `give` returns the bytes of their values.
struct Ship<F> {
    what: (&'static str, Row),
    give: F,
    net: Arc<Net>,
    route: Route,
}

/// The body of a node that passes a message to `put`.
struct Deposit<F> {
    put: F,
    /// The task, and its point.
    of: (Cow<'static, str>, Point),
    net: Arc<Net>,
    route: Route,
}

impl<F: Fn(&mut Vec<u8>) -> usize + Send + Sync> Body for Ship<F> {
    fn row(&self) -> Row {
        self.what.1
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| {
            self.net.send(&self.route, Kind::Values, &self.give);
            Ok(())
        })
    }

    fn failed(&self, _: usize, fault: &TaskError) {
        self.net.fail(&self.route, fault);
    }

    fn label(&self, _: usize) -> (String, Point) {
        (self.what.0.to_owned(), Point::EMPTY)
    }
}

impl<F: Fn(&mut &[u8]) -> Result<(), Cause> + Send + Sync> Body for Deposit<F> {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        self.net.receive(&self.route, Kind::Values, &self.put)
    }

    fn failed(&self, _: usize, _: &TaskError) {
        self.net.discard(&self.route, Kind::Values);
    }

    fn label(&self, _: usize) -> (String, Point) {
        (self.of.0.to_string(), self.of.1)
    }
}

/// The messages of an operation to and from this locale. Their numbers are different from those of its other nodes.
pub(super) struct Post<'a> {
    pub(super) locale: &'a Arc<Locale>,
    pub(super) net: &'a Arc<Net>,
    pub(super) order: Order,
}

impl Post<'_> {
    /// A node that sends a locale the bytes that `give` writes; `give` returns the bytes of their values. `what` is its name and its row.
    pub(super) fn send(
        &self,
        (to, number): (usize, usize),
        what: (&'static str, Row),
        give: impl Fn(&mut Vec<u8>) -> usize + Send + Sync + 'static,
    ) -> Arc<Node> {
        let route = self.route(to, number);
        self.node(number, Ship { what, give, net: self.net.clone(), route })
    }

    /// A node that passes a message of a locale to `put`. The message belongs to a point of a task.
    pub(super) fn receive(
        &self,
        (from, number): (usize, usize),
        of: (Cow<'static, str>, Point),
        put: impl Fn(&mut &[u8]) -> Result<(), Cause> + Send + Sync + 'static,
    ) -> Arc<Node> {
        let (net, route) = (self.net, self.route(from, number));
        let (tag, hash) = (route.tag, route.hash);
        let node = self.node(number, Deposit { put, of, net: net.clone(), route });
        net.expect(tag, hash, &self.locale.engine, &node);
        node
    }

    fn route(&self, peer: usize, number: usize) -> Route {
        Route { peer, tag: (self.order.number, number), hash: self.order.hash, parcel: None, room: 0 }
    }

    fn node(&self, number: usize, body: impl Body + 'static) -> Arc<Node> {
        self.locale.engine.count(1);
        self.locale.engine.nodes.alone(self.order.number, number, body)
    }
}

/// Adds nodes that bring the contributions of all points to the locales that combine them: to `owners`, or else to all. Returns the nodes
/// after which the contributions of other points are here, with the numbers of the points; if all locales get them, also the nodes that
/// send. `points_here` are the points of this locale; the task has this name and these points.
pub(crate) fn deliver(
    locale: &Arc<Locale>,
    (order, name, domain): (Order, &Cow<'static, str>, &Rect),
    (parts, owners): (&Arc<dyn Parts>, Option<&Owners>),
    (placement, points_here): (&Placement, &[Arc<Node>]),
    (number, nodes): (&mut usize, &mut NewNodes),
) -> Vec<(usize, Arc<Node>)> {
    let mut here = Vec::new();
    let Some(net) = locale.net.as_ref().filter(|_| locale.planned.is_none()) else { return here };
    let (first, me, locales) = (*number, locale.number, locale.count);
    *number += placement.count() * locales;
    let post = Post { locale, net, order };
    let message = |point: usize, to: usize| first + point * locales + to;
    for (point, ran) in placement.points_of(me).zip(points_here) {
        let takers: SmallVec<[usize; 8]> = match owners {
            Some(owners) => owners.locales_of(point).into_iter().map(|(taker, _)| taker).collect(),
            None => (0..locales).collect(),
        };
        for to in takers.into_iter().filter(|to| *to != me) {
            let parts = parts.clone();
            let give = move |message: &mut Vec<u8>| parts.give(point, to, message);
            let node = post.send((to, message(point, to)), ("send a contribution", Row::Exchange), give);
            node.after(ran, Edge::Data);
            // Contributions for all locales must exist until they are sent.
            if owners.is_none() {
                here.push((point, node.clone()));
            }
            nodes.push(node);
        }
    }
    let others = |point: &usize| placement.locale(*point) != me;
    let come = owners.map_or_else(|| (0..placement.count()).filter(others).collect(), Owners::points_that_send);
    for point in come {
        let (of, parts) = ((name.clone(), domain.nth(point)), parts.clone());
        let put = move |contribution: &mut &[u8]| parts.put(point, contribution);
        let node = post.receive((placement.locale(point), message(point, me)), of, put);
        here.push((point, node.clone()));
        nodes.push(node);
    }
    here
}
