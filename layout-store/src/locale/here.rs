//! This locale: what stores and tasks know of it.

use core::cell::Cell;
use std::sync::{Arc, OnceLock};
use std::thread::{ThreadId, current};

use super::history::Order;
use super::{Known, Net, Operation, Planned};
use crate::error::StoreError;
use crate::geometry::Point;
use crate::graph::{Engine, Look, Node, Row};
use crate::memory::{Budget, Form};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering};

use layout_core::{Record, RecordLayout};

/// One locale, as its stores and tasks see it.
pub(crate) struct Locale {
    /// Its number, and how many there are.
    pub(crate) number: usize,
    pub(crate) count: usize,
    /// What joins it to the others, if there are any.
    pub(crate) net: Option<Arc<Net>>,
    /// Runs its nodes.
    pub(crate) engine: Arc<Engine>,
    pub(crate) program: Mutex<Program>,
    /// The main memory that its stores may use.
    pub(crate) budget: Arc<Budget>,
    /// Of stores with at most so many bytes each locale has the whole.
    whole_below: usize,
    /// A call of the program brings no more bytes of a store to every locale.
    pub(crate) shown_limit: usize,
    roots: AtomicU64,
    /// How many plans were made: of launches, of exchanges, of places.
    plans: AtomicU64,
    /// Those that are there.
    pub(crate) known: Known,
    /// How many scopes the program is in that allow no message.
    pub(super) scopes: AtomicUsize,
    /// What launches would send, if they are only planned: then no node is made, and stores have no memory.
    pub(crate) planned: Option<Planned>,
    /// The thread that runs the program, if there are several locales.
    thread: OnceLock<ThreadId>,
}

/// Where a program is. Held while an operation is put into the graph, so that operations have one order.
#[derive(Default)]
pub(crate) struct Program {
    /// The number of operations so far.
    pub(crate) operations: u64,
}

impl Locale {
    /// Locale `number` of `count`, joined by `net`.
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

    /// Whether each locale has only a part of a store of such records and these extents.
    pub(crate) fn divides<R: Record, L: RecordLayout<R>>(&self, extents: Point) -> bool {
        if self.net.is_none() || !Form::is_possible::<R, L>() {
            return false;
        }
        let bytes = extents.product().and_then(|volume| usize::try_from(volume).ok()?.checked_mul(size_of::<R>()));
        bytes.is_none_or(|bytes| bytes > self.whole_below)
    }

    /// Whether this thread may wait for all tasks: it runs none, and uses no elements that one may wait for.
    pub(crate) fn may_wait(&self) -> bool {
        Engine::check_outside().is_ok() && !self.engine.is_using()
    }

    /// Says that this thread runs the program, which begins so.
    pub(crate) fn begin(&self, begun: Operation) {
        let _ = self.thread.set(current().id());
        if let Some(net) = &self.net {
            net.meeting().begin(begun);
        }
    }

    /// Whether this thread runs the program, and no task.
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

    /// The number of a new root, of which `operation` is the creation.
    pub(crate) fn create(&self, operation: &dyn Fn(u64) -> Operation) -> Result<u64, StoreError> {
        let root = self.next_root();
        // With one locale, a task may create stores, while a launch that waits for that task holds the lock.
        if self.net.is_some() {
            // Without threads, this may be the body of a task that runs in a launch, which holds the lock.
            if !self.is_program_thread() {
                return Err(StoreError::OtherThread);
            }
            self.operate(&mut self.program.lock(), || operation(root))?;
        }
        Ok(root)
    }

    /// Takes note that a plan was made, instead of that of an earlier launch being found.
    pub(crate) fn made_plan(&self) {
        self.plans.fetch_add(1, Ordering::Relaxed);
    }

    /// How many plans were made so far.
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

    /// As [`wait_for`](Self::wait_for), in time of this row.
    pub(crate) fn wait_in(&self, row: Row, node: &Node) -> Result<(), StoreError> {
        self.wait(row, |look| self.engine.wait_for(node, look))?;
        let Some(fault) = node.fault() else { return Ok(()) };
        // It may have failed because programs differ.
        self.net.as_ref().map_or(Ok(()), |net| net.meeting().check())?;
        Err(fault.into())
    }

    /// Waits until all is done that was launched here.
    pub(crate) fn wait_for_all(&self) -> Result<(), StoreError> {
        self.wait(Row::Wait, |look| self.engine.wait_for_all(look))
    }

    /// Waits for tasks, if they hold more stores that the program has dropped than it may leave to them.
    pub(crate) fn wait_for_backlog(&self) -> Result<(), StoreError> {
        // Who uses elements may hold up the very tasks that would have to run.
        if !self.budget.is_behind() || Engine::check_outside().is_err() || self.engine.is_using() {
            return Ok(());
        }
        self.wait(Row::Wait, |look| self.engine.wait_for_memory(|| self.budget.has_caught_up(), look))
    }

    /// Waits, and says why that was in vain, if it was.
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
            // Another thread may wait for a future; where the program stands is for its own thread to say.
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

    /// Meets all other locales at [`Operation::Fence`] or [`Operation::End`], and gives the first error of all.
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
        }
        Ok(fault.map_or(Ok(()), Err)?)
    }

    /// Waits until nothing runs here any more, without what no other locale will send.
    pub(crate) fn wind_up(&self) {
        if self.planned.is_none()
            && self.wait_for_all().is_err()
            && let Some(net) = &self.net
        {
            // What waits in vain holds on to stores, which hold on to it.
            net.release();
            self.engine.wait_for_all(None);
        }
        if let Some(net) = &self.net {
            net.close();
        }
    }
}
