//! The locale as its stores and tasks see it.

use core::cell::Cell;
use std::sync::{Arc, OnceLock};
use std::thread::{ThreadId, current};

use super::history::Order;
use super::{Known, Net, Operation, Planned};
use crate::error::StoreError;
use crate::geometry::Point;
use crate::graph::{Engine, Look, Node, Row};
use crate::memory::{Budget, FEW_BYTES, Form, StoreTarget};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering};

use layout_core::{Record, RecordLayout};

/// One locale, as its stores and tasks see it.
pub(crate) struct Locale {
    /// The number of this locale, and the number of locales.
    pub(crate) number: usize,
    pub(crate) count: usize,
    /// The network to the other locales, if there are any.
    pub(crate) net: Option<Arc<Net>>,
    /// The engine that runs its nodes.
    pub(crate) engine: Arc<Engine>,
    pub(crate) program: Mutex<Program>,
    /// The main memory that its stores may use.
    pub(crate) budget: Arc<Budget>,
    /// Stores of at most this number of bytes are whole on each locale.
    whole_below: usize,
    /// The largest number of bytes of a store that a call of the program may bring to every locale.
    pub(crate) shown_limit: usize,
    roots: AtomicU64,
    /// The number of plans that were made: of launches, of exchanges, of places.
    plans: AtomicU64,
    /// The roots on this locale.
    pub(crate) known: Known,
    /// The number of open scopes that allow no message.
    pub(super) scopes: AtomicUsize,
    /// The planned messages of launches, if launches are only planned: then no node is made, and stores have no memory.
    pub(crate) planned: Option<Planned>,
    /// The thread that runs the program, if there are several locales.
    thread: OnceLock<ThreadId>,
}

/// The progress of a program. Its lock is held while an operation is put into the graph, so that operations have one order.
#[derive(Default)]
pub(crate) struct Program {
    /// The number of operations so far.
    pub(crate) operations: u64,
}

impl Locale {
    /// Makes locale `number` of `count`, on `net`.
    pub(crate) fn new(
        (number, count): (usize, usize),
        net: Option<Arc<Net>>,
        engine: Arc<Engine>,
        (budget, whole_below, shown_limit): (Arc<Budget>, usize, usize),
        planned: Option<Planned>,
    ) -> Arc<Self> {
        let (program, thread) = (Mutex::default(), OnceLock::new());
        let [roots, plans] = [0; 2].map(AtomicU64::new);
        let known = Known::default();
        Arc::new(Self {
            number,
            count,
            net,
            engine,
            program,
            budget,
            whole_below,
            shown_limit,
            roots,
            plans,
            known,
            scopes: AtomicUsize::new(0),
            planned,
            thread,
        })
    }

    /// Returns `true` if each locale has only a part of a store of such records and these extents.
    pub(crate) fn divides<R: Record, L: RecordLayout<R>>(&self, extents: Point) -> bool {
        if self.net.is_none() || !Form::is_possible::<R, L>() {
            return false;
        }
        let bytes = extents.product().and_then(|volume| usize::try_from(volume).ok()?.checked_mul(size_of::<R>()));
        bytes.is_none_or(|bytes| bytes > self.whole_below)
    }

    /// Returns `true` if so many bytes of memory may be refused on one locale alone, so that all locales must agree on the answer; the same
    /// on all of them. Nothing is refused in main memory without a limit, unless the system itself has no memory left.
    pub(crate) fn may_be_refused(&self, bytes: usize, target: &StoreTarget) -> bool {
        let is_limited = || bytes > FEW_BYTES && self.budget.least_limit() < usize::MAX;
        self.net.is_some() && self.planned.is_none() && (*target != StoreTarget::Main || is_limited())
    }

    /// Tells all other locales that this one cannot go on.
    pub(crate) fn is_gone(&self) {
        self.net.iter().for_each(|net| net.lost(self.number));
    }

    /// Returns `true` if this thread may wait for all tasks: it runs no task, and uses no elements for which a task may wait.
    pub(crate) fn may_wait(&self) -> bool {
        Engine::check_outside().is_ok() && !self.engine.is_using()
    }

    /// Records that this thread runs the program, which begins with these settings.
    pub(crate) fn begin(&self, begun: Operation) {
        let _ = self.thread.set(current().id());
        if let Some(net) = &self.net {
            net.meeting().begin(begun);
        }
    }

    /// Returns `true` if this thread runs the program, and no task.
    pub(super) fn is_program_thread(&self) -> bool {
        self.thread.get() == Some(&current().id()) && Engine::check_outside().is_ok()
    }

    /// Counts an operation, which must be the same on every locale.
    pub(crate) fn operate(
        &self,
        program: &mut Program,
        operation: impl FnOnce() -> Operation,
    ) -> Result<Order, StoreError> {
        let order = match &self.net {
            None => Order { number: program.operations + 1, hash: 0 },
            Some(_) if !self.is_program_thread() => return Err(StoreError::OtherThread),
            Some(net) => {
                net.meeting().operate(operation, (&|to, control| net.tell(to, control), self.engine.progress()))?
            }
        };
        program.operations = order.number;
        Ok(order)
    }

    /// The number of a new root that no operation creates.
    pub(crate) fn next_root(&self) -> u64 {
        self.roots.fetch_add(1, Ordering::Relaxed)
    }

    /// The number of a new root, which `operation` creates.
    pub(crate) fn create(&self, operation: &dyn Fn(u64) -> Operation) -> Result<u64, StoreError> {
        // With one locale, a task may create stores while a launch that waits for that task holds the lock.
        if self.net.is_none() {
            return Ok(self.next_root());
        }
        // Without threads, this may be the body of a task that runs during a launch, which holds the lock. A refused operation takes no
        // number: the other locales would count on without it.
        if !self.is_program_thread() {
            return Err(StoreError::OtherThread);
        }
        let root = self.next_root();
        self.operate(&mut self.program.lock(), || operation(root))?;
        Ok(root)
    }

    /// Records that a plan was made, and not found from an earlier launch.
    pub(crate) fn made_plan(&self) {
        self.plans.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of plans that were made so far.
    pub(crate) fn plans(&self) -> u64 {
        self.plans.load(Ordering::Relaxed)
    }

    /// Waits for room for more nodes, and counts them.
    pub(crate) fn admit(&self, nodes: usize) -> Result<(), StoreError> {
        if self.planned.is_some() || self.engine.admit_at_once(nodes) {
            return Ok(());
        }
        self.wait(Row::Wait, |look| self.engine.admit(nodes, look))
    }

    /// Waits until a node is done.
    pub(crate) fn wait_for(&self, node: &Node) -> Result<(), StoreError> {
        self.wait_in(Row::Wait, node)
    }

    /// [`wait_for`](Self::wait_for) with its time counted in this row.
    pub(crate) fn wait_in(&self, row: Row, node: &Node) -> Result<(), StoreError> {
        self.wait(row, |look| self.engine.wait_for(node, look))?;
        let Some(fault) = node.fault() else { return Ok(()) };
        // The node may have failed because programs differ.
        self.net.as_ref().map_or(Ok(()), |net| net.meeting().check())?;
        Err(fault.into())
    }

    /// Waits until everything that was launched here is done.
    pub(crate) fn wait_for_all(&self) -> Result<(), StoreError> {
        self.wait(Row::Wait, |look| self.engine.wait_for_all(look))
    }

    /// Waits for tasks, if they hold more memory of dropped stores than the program may leave to them.
    pub(crate) fn wait_for_backlog(&self) -> Result<(), StoreError> {
        // A thread that uses elements may block the very tasks that would have to run.
        if !self.budget.is_behind() || Engine::check_outside().is_err() || self.engine.is_using() {
            return Ok(());
        }
        self.wait(Row::Wait, |look| self.engine.wait_for_memory(|| self.budget.has_caught_up(), look))
    }

    /// Waits, and returns the reason if that was in vain.
    fn wait(&self, row: Row, wait: impl FnOnce(Option<Look<'_>>) -> bool) -> Result<(), StoreError> {
        if self.planned.is_some() {
            return Err(StoreError::OnlyPlanned);
        }
        let _clock = self.engine.meter.clock(row);
        let Some(net) = &self.net else {
            return if wait(None) { Ok(()) } else { Err(StoreError::WaitsForItself) };
        };
        let (meeting, looked) = (net.meeting(), Cell::new(false));
        let look = |stuck: &dyn Fn() -> bool| {
            // Another thread may wait for a future; only the thread of the program reports the state of the program.
            if !self.is_program_thread() {
                return meeting.check().is_err();
            }
            looked.set(true);
            meeting.look(self.engine.is_using(), stuck, &|to, control| net.tell(to, control))
        };
        match wait(Some(&look)) {
            done if looked.get() => meeting.go_on(done),
            true => Ok(()),
            false => meeting.check(),
        }
    }

    /// Meets all other locales at [`Operation::Fence`] or [`Operation::End`], and returns the first error of all.
    pub(crate) fn fence(&self, operation: Operation) -> Result<(), StoreError> {
        let _clock = self.engine.meter.clock(Row::Wait);
        self.check_scope(|| "`fence`".to_owned(), "word that all is done", None)?;
        self.operate(&mut self.program.lock(), || operation)?;
        if self.planned.is_some() {
            return Ok(());
        }
        self.wait_for_all()?;
        let mut fault = self.engine.take_fault();
        if let Some(net) = &self.net {
            fault = net.meeting().meet(fault, &|to, control| net.tell(to, control), self.engine.progress())?;
            if fault.is_some() {
                self.known.all().iter().for_each(|root| root.forget_reads());
            }
        }
        Ok(fault.map_or(Ok(()), Err)?)
    }

    /// Waits until nothing runs on this locale any more; does not wait for messages that no other locale will send.
    pub(crate) fn wind_up(&self) {
        if self.planned.is_none()
            && self.wait_for_all().is_err()
            && let Some(net) = &self.net
        {
            // Nodes that wait in vain have handles of stores, which have references to this locale.
            net.release();
            self.engine.wait_for_all(None);
        }
        if let Some(net) = &self.net {
            net.close();
        }
    }
}
