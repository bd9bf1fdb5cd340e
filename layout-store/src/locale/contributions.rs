//! Contributions of points, and how they come to the locales that combine them.

use std::borrow::Cow;
use std::sync::Arc;

use super::Locale;
use super::history::Order;
use super::message::Kind;
use super::net::{Net, Route};
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, NewNodes, Node, Row, TaskError, caught};
use crate::partition::Placement;
use crate::sync::AtomicU64;

/// What points contribute, one by one.
pub(crate) trait Parts: Send + Sync {
    /// Writes the contribution of a point, to be sent to a locale, and gives the bytes of its values; to several locales, if it is
    /// not taken.
    fn give(&self, number: usize, to: usize, take: bool, message: &mut Vec<u8>) -> usize;

    /// Keeps the contribution of a point that ran elsewhere.
    fn put(&self, number: usize, contribution: &mut &[u8]) -> Result<(), Cause>;

    /// The bytes of elements that all locales sent each other by these, once they are here; `None` where they are told otherwise.
    fn sent(&self) -> Option<Arc<AtomicU64>> {
        None
    }
}

/// Sends what `give` writes, which has values of so many bytes.
struct Ship<F> {
    what: (&'static str, Row),
    give: F,
    net: Arc<Net>,
    route: Route,
}

/// Gives `put` what comes.
struct Deposit<F> {
    put: F,
    /// The task, and the point of it.
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
        caught(|| self.net.receive(&self.route, Kind::Values, &self.put))
    }

    fn label(&self, _: usize) -> (String, Point) {
        (self.of.0.to_string(), self.of.1)
    }
}

/// The messages of an operation to this locale and from it, which have numbers of their own among all of it.
pub(super) struct Post<'a> {
    pub(super) locale: &'a Arc<Locale>,
    pub(super) net: &'a Arc<Net>,
    pub(super) order: Order,
}

impl Post<'_> {
    /// A node that sends a locale what `give` writes, which has values of so many bytes; what it does, and in time of which row.
    pub(super) fn send(
        &self,
        (to, number): (usize, usize),
        what: (&'static str, Row),
        give: impl Fn(&mut Vec<u8>) -> usize + Send + Sync + 'static,
    ) -> Arc<Node> {
        let route = self.route(to, number);
        self.node(number, Ship { what, give, net: self.net.clone(), route })
    }

    /// A node that gives `put` what comes from a locale, where it belongs to a point of a task.
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
        Route { peer, tag: (self.order.number, number), hash: self.order.hash }
    }

    fn node(&self, number: usize, body: impl Body + 'static) -> Arc<Node> {
        self.locale.engine.count(1);
        self.locale.engine.nodes.alone(self.order.number, number, body)
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
    (number, nodes): (&mut usize, &mut NewNodes),
) -> Vec<Arc<Node>> {
    let mut here: Vec<Arc<Node>> = points_here.to_vec();
    let Some(net) = locale.net.as_ref().filter(|_| locale.planned.is_none()) else { return here };
    let (first, me) = (*number, locale.number);
    *number += placement.count() * locale.count;
    let post = Post { locale, net, order };
    for number in 0..placement.count() {
        let from = placement.locale(number);
        let targets = if everywhere { 0..locale.count } else { 0..1 };
        for to in targets.filter(|to| *to != from) {
            let (parts, message) = (parts.clone(), first + number * locale.count + to);
            if from == me {
                let give = move |message: &mut Vec<u8>| parts.give(number, to, !everywhere, message);
                let node = post.send((to, message), ("send a contribution", Row::Exchange), give);
                if let Some(point) = points_here.iter().find(|point| point.order.1 == number) {
                    node.after(point, Edge::Data);
                }
                // What is sent must be there until then.
                if everywhere {
                    here.push(node.clone());
                }
                nodes.push(node);
            } else if to == me {
                let of = (name.clone(), domain.nth(number));
                let put = move |contribution: &mut &[u8]| parts.put(number, contribution);
                let node = post.receive((from, message), of, put);
                here.push(node.clone());
                nodes.push(node);
            }
        }
    }
    here
}
