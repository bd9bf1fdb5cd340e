//! Contributions of points, and how they come to the locales that combine them.

use core::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use super::Locale;
use super::exchange::Route;
use super::history::Order;
use super::net::{Net, Parcel};
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, NewNodes, Node, Row, TaskBodyError, TaskError, caught};
use crate::partition::Placement;
use crate::sync::AtomicU64;

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
    net: Arc<Net>,
    route: Route,
}

struct Deposit {
    parts: Arc<dyn Parts>,
    number: usize,
    /// The task, and the point of it.
    of: (Cow<'static, str>, Point),
    net: Arc<Net>,
    route: Route,
}

impl Body for Ship {
    fn row(&self) -> Row {
        Row::Exchange
    }

    fn run(&self, _: usize) -> Result<(), Cause> {
        caught(|| {
            let (contribution, bytes) = self.parts.give(self.number, self.route.to, self.take);
            self.route.send(&self.net, Parcel::Data(contribution, bytes));
            Ok(())
        })
    }

    fn failed(&self, _: usize, fault: &TaskError) {
        self.route.fail(&self.net, fault);
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
        caught(|| match self.route.receive(&self.net)? {
            Parcel::Data(contribution, _) => self.parts.put(self.number, contribution),
            _ => Err(TaskBodyError::new("a message of something else than a contribution").into()),
        })
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
    (number, nodes): (&mut usize, &mut NewNodes),
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
            let route = Route { from, to, tag, hash: order.hash };
            let (parts, net) = (parts.clone(), net.clone());
            if from == me {
                let ship = Ship { parts, number, take: !everywhere, net, route };
                let node = locale.engine.nodes.alone(tag.0, tag.1, ship);
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
                let of = (name.clone(), domain.nth(number));
                let deposit = Deposit { parts, number, of, net: net.clone(), route };
                let node = locale.engine.nodes.alone(tag.0, tag.1, deposit);
                net.expect(to, tag, &locale.engine, &node);
                locale.engine.count(1);
                here.push(node.clone());
                nodes.push(node);
            }
        }
    }
    here
}
