//! Nodes: one point of a launch each, and the edges between them.

use core::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;

use super::fault::{Cause, TaskError, caught};
use crate::geometry::Point;
use crate::sync::{AtomicBool, AtomicU8, AtomicUsize, Mutex, Ordering};

/// The row of a profile to which the time of a thread belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// The program makes plans and puts nodes into the graph.
    Plan,
    /// The program waits for the elements to which the values of functions point.
    Image,
    /// The program waits.
    Wait,
    /// Threads run points of launches, including the work around the task body.
    Body,
    /// Threads send and receive elements and contributions.
    Exchange,
    /// Threads combine contributions.
    Combine,
}

impl Row {
    pub(crate) const COUNT: usize = 6;
}

/// The work of a launch at each of its points.
pub(crate) trait Body: Send + Sync {
    /// Runs the point with this number.
    fn run(&self, number: usize) -> Result<(), Cause>;

    /// Called instead of [`run`](Self::run) if a node on which it depends failed, and after `run` failed.
    fn failed(&self, number: usize, fault: &TaskError) {
        let _ = (number, fault);
    }

    /// Called last, once for each node.
    fn done(&self) {}

    /// The row of its time.
    fn row(&self) -> Row {
        Row::Body
    }

    /// The name of the task, and the point with this number, for errors.
    fn label(&self, number: usize) -> (String, Point);
}

/// The meaning of an edge for the later node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The later node reads elements that the earlier one writes: it is canceled if the earlier one fails.
    Data,
    /// The later node only waits.
    Order,
}

/// One point of a launch.
pub(crate) struct Node {
    /// The place of the launch and of the point. Errors are ordered by it, so that the first error is the same in every run.
    pub(crate) order: (u64, usize),
    pub(super) row: Row,
    /// The number of nodes to wait for, plus one for the launch until all edges are known.
    pending: AtomicUsize,
    state: AtomicU8,
    /// `true` if a thread sleeps until this node is done.
    pub(super) watched: AtomicBool,
    inner: Mutex<Inner>,
}

struct Inner {
    body: Option<Arc<dyn Body>>,
    next: SmallVec<[(Arc<Node>, Edge); FEW]>,
    /// The reason of the cancellation or failure.
    fault: Option<TaskError>,
}

/// The nodes of a launch. A launch of one point, the most frequent case, needs no memory for the list.
#[derive(Clone)]
pub(crate) enum Nodes {
    One(Arc<Node>),
    Many(Arc<[Arc<Node>]>),
}

impl Deref for Nodes {
    type Target = [Arc<Node>];

    #[inline]
    fn deref(&self) -> &[Arc<Node>] {
        match self {
            Self::One(node) => core::slice::from_ref(node),
            Self::Many(nodes) => nodes,
        }
    }
}

impl Nodes {
    /// The nodes, and a mask that maps the number of a tile to that of its node: one node uses all tiles.
    pub(super) fn of_tiles(&self) -> (&[Arc<Node>], usize) {
        match self {
            Self::One(node) => (core::slice::from_ref(node), 0),
            Self::Many(nodes) => (nodes, usize::MAX),
        }
    }

    /// The list, if it is not shared; the nodes in it may be shared.
    pub(super) fn own(&mut self) -> Option<&mut [Arc<Node>]> {
        match self {
            Self::One(node) => Some(core::slice::from_mut(node)),
            Self::Many(nodes) => Arc::get_mut(nodes),
        }
    }
}

impl FromIterator<Arc<Node>> for Nodes {
    fn from_iter<I: IntoIterator<Item = Arc<Node>>>(nodes: I) -> Self {
        let mut nodes = nodes.into_iter();
        let one = if nodes.size_hint() == (1, Some(1)) { nodes.next() } else { None };
        one.map_or_else(|| Self::Many(nodes.collect()), Self::One)
    }
}

impl From<Vec<Arc<Node>>> for Nodes {
    fn from(nodes: Vec<Arc<Node>>) -> Self {
        nodes.into_iter().collect()
    }
}

/// This number of followers needs no heap memory; after that, there is room for `MORE`.
const FEW: usize = 2;
const MORE: usize = 6;
/// Memory for this number of followers is kept: a stencil of 27 points has so many.
const KEPT: usize = 32;

const WAITING: u8 = 0;
const DONE: u8 = 1;
const FAILED: u8 = 2;

impl Node {
    /// The node of point `number` of the launch `launch`.
    pub(crate) fn new(launch: u64, number: usize, body: Arc<dyn Body>) -> Arc<Self> {
        Arc::new(Self {
            order: (launch, number),
            row: body.row(),
            pending: AtomicUsize::new(1),
            state: AtomicU8::new(WAITING),
            watched: AtomicBool::new(false),
            inner: Mutex::new(Inner { body: Some(body), next: SmallVec::new(), fault: None }),
        })
    }

    /// Makes an unshared node the node of another launch, as [`new`](Self::new) does.
    pub(super) fn renew(&mut self, launch: u64, number: usize, body: Arc<dyn Body>, row: Row) {
        (self.order, self.row) = ((launch, number), row);
        self.pending.store(1, Ordering::Relaxed);
        self.state.store(WAITING, Ordering::Relaxed);
        self.watched.store(false, Ordering::Relaxed);
        let mut inner = self.inner.lock();
        (inner.body, inner.fault) = (Some(body), None);
    }

    /// Makes this node wait for `first`.
    pub(crate) fn after(self: &Arc<Self>, first: &Self, edge: Edge) {
        if first.is_well() || edge == Edge::Order && first.is_done() {
            return;
        }
        let fault = {
            let mut inner = first.inner.lock();
            if !first.is_done() {
                // A node with thousands of scattered tiles comes as often.
                if let Some((last, known)) = inner.next.last_mut()
                    && Arc::ptr_eq(last, self)
                {
                    if edge == Edge::Data {
                        *known = edge;
                    }
                    return;
                }
                self.pending.fetch_add(1, Ordering::Relaxed);
                // Points of a stencil have seven followers: this reserves memory for them at once, instead of for four and then for eight.
                if inner.next.len() == FEW {
                    inner.next.reserve(MORE);
                }
                inner.next.push((self.clone(), edge));
                return;
            }
            inner.fault.clone()
        };
        if let (Some(fault), Edge::Data) = (fault, edge) {
            self.inner.lock().cancel(fault);
        }
    }

    /// Makes this node wait for one more event, which is not a node.
    pub(crate) fn wait_for_one_more(&self) {
        self.pending.fetch_add(1, Ordering::Relaxed);
    }

    /// Removes one of the events that this node waits for, and returns whether it was the last one.
    #[must_use]
    pub(crate) fn released(&self) -> bool {
        self.pending.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Records that a thread is about to sleep until the node is done.
    pub(super) fn watch(&self) {
        self.watched.store(true, Ordering::SeqCst);
    }

    /// Returns `true` if the node ran or was canceled.
    pub(crate) fn is_done(&self) -> bool {
        self.state.load(Ordering::Acquire) != WAITING
    }

    /// Returns `true` if the node ran without an error.
    pub(crate) fn is_well(&self) -> bool {
        self.state.load(Ordering::Acquire) == DONE
    }

    /// The reason of the failure or cancellation; `None` until the node is done.
    pub(crate) fn fault(&self) -> Option<TaskError> {
        if self.state.load(Ordering::Acquire) == FAILED { self.inner.lock().fault.clone() } else { None }
    }

    /// The numbers of the nodes that wait for this one.
    #[cfg(test)]
    pub(super) fn followers(&self) -> Vec<usize> {
        self.inner.lock().next.iter().map(|(node, _)| node.order.1).collect()
    }

    /// Runs the body, unless the node is canceled. Returns its own error, if it had one; nodes that wait for nothing else go to `ready`.
    pub(super) fn run(&self, ready: &mut SmallVec<[Arc<Self>; 4]>) -> Option<TaskError> {
        let (body, mut fault) = {
            let mut inner = self.inner.lock();
            (inner.body.take(), inner.fault.clone())
        };
        let mut own = None;
        if let Some(body) = &body {
            if fault.is_none() {
                fault = match body.run(self.order.1) {
                    Ok(()) => None,
                    Err(Cause::Before(fault)) => Some(fault),
                    Err(cause) => {
                        let (task, point) = body.label(self.order.1);
                        own = Some(TaskError::new(self.order, task, point, cause));
                        own.clone()
                    }
                };
            }
            if let Some(fault) = &fault {
                // Sends the fault where it is expected. A transport may panic.
                let told = caught(|| {
                    body.failed(self.order.1, fault);
                    Ok(())
                });
                if let Err(cause) = told {
                    let (task, point) = body.label(self.order.1);
                    own = own.or_else(|| Some(TaskError::new(self.order, task, point, cause)));
                }
            }
        }
        // The captures of the body are dropped before the node counts as done.
        if let Some(error) = body.and_then(|body| drop_body(self.order, body)) {
            own = own.or_else(|| Some(error.clone()));
            fault = fault.or(Some(error));
        }
        let mut next = {
            let mut inner = self.inner.lock();
            inner.fault.clone_from(&fault);
            self.state.store(if fault.is_some() { FAILED } else { DONE }, Ordering::Release);
            core::mem::take(&mut inner.next)
        };
        for (node, edge) in next.drain(..) {
            if let (Some(fault), Edge::Data) = (&fault, edge) {
                node.inner.lock().cancel(fault.clone());
            }
            if node.released() {
                ready.push(node);
            }
        }
        // The memory is for the followers of the node in another launch.
        if next.spilled() && next.capacity() <= KEPT {
            self.inner.lock().next = next;
        }
        own
    }
}

/// Drops a body after its node with this order, with what it holds, such as the last handle of a store. Returns the error if that panics.
pub(super) fn drop_body(order: (u64, usize), body: Arc<dyn Body>) -> Option<TaskError> {
    let dropped = caught(|| {
        body.done();
        drop(body);
        Ok(())
    });
    let error = |cause| TaskError::new(order, "drop of what a task held".to_owned(), Point::EMPTY, cause);
    dropped.err().map(error)
}

impl Inner {
    /// Records why this node cannot run: of several reasons the earliest, so that it is the same in every run.
    fn cancel(&mut self, fault: TaskError) {
        if self.fault.as_ref().is_none_or(|known| fault.order() < known.order()) {
            self.fault = Some(fault);
        }
    }
}
