//! This locale: what stores and tasks know of it.

use core::hash::{Hash, Hasher};
use std::collections::hash_map::DefaultHasher;
use std::sync::Arc;

use super::Net;
use crate::error::StoreError;
use crate::graph::{Engine, Node, TaskError};
use crate::memory::Budget;
use crate::sync::{AtomicU64, Mutex, Ordering};

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
    roots: AtomicU64,
}

/// Where a program is. Held while a launch is put into the graph, so that launches have one order.
#[derive(Default)]
pub(crate) struct Program {
    /// The number of operations so far.
    pub(crate) operations: u64,
    /// What they were, in short: the same on every locale, if programs are.
    hash: u64,
}

impl Program {
    /// Counts an operation, of which `what` is the same on every locale, and gives its number.
    pub(crate) fn next(&mut self, locale: &Locale, what: impl Hash) -> u64 {
        self.operations += 1;
        if locale.net.is_some() {
            let mut hasher = DefaultHasher::new();
            (self.hash, what).hash(&mut hasher);
            self.hash = hasher.finish();
        }
        self.operations
    }
}

impl Locale {
    /// Locale `number` of `count`, joined by `net`.
    pub(crate) fn new(
        (number, count): (usize, usize),
        net: Option<Arc<Net>>,
        engine: Arc<Engine>,
        budget: Arc<Budget>,
    ) -> Arc<Self> {
        let (program, roots) = (Mutex::default(), AtomicU64::new(0));
        Arc::new(Self { number, count, net, engine, program, budget, roots })
    }

    /// The number of a new root.
    pub(crate) fn next_root(&self) -> u64 {
        self.roots.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits until a node is done.
    pub(crate) fn wait_for(&self, node: &Node) -> Result<(), StoreError> {
        // Who is at a fence now has not done what this locale has done instead.
        self.waited(self.engine.wait_for(node, self.in_vain(1).as_deref()))?;
        Ok(node.fault().map_or(Ok(()), Err)?)
    }

    /// Waits until all is done that was launched here.
    pub(crate) fn wait_for_all(&self) -> Result<(), StoreError> {
        self.waited(self.engine.wait_for_all(self.in_vain(0).as_deref()))
    }

    /// Why somebody waited in vain.
    fn waited(&self, done: bool) -> Result<(), StoreError> {
        match (done, &self.net) {
            (true, _) => Ok(()),
            (false, None) => Err(StoreError::WaitsForItself),
            (false, Some(_)) => Err(self.diverged()),
        }
    }

    /// Whether this locale waits for another one that will never come, if there are others: one is at a fence that comes
    /// before operation number `more` after the last one here.
    fn in_vain(&self, more: u64) -> Option<Box<dyn Fn() -> bool + '_>> {
        let net = self.net.as_ref()?;
        let operations = self.program.lock().operations + more;
        Some(Box::new(move || net.in_vain(operations)))
    }

    fn diverged(&self) -> StoreError {
        if let Some(net) = &self.net {
            net.give_up();
        }
        StoreError::Diverged { locale: self.number, operations: self.program.lock().operations }
    }

    /// Meets all other locales, and gives the first error of all.
    pub(crate) fn fence(&self) -> Result<(), StoreError> {
        let (operations, hash) = {
            let mut program = self.program.lock();
            (program.next(self, "fence"), program.hash)
        };
        self.wait_for_all()?;
        let mut fault = self.engine.take_fault();
        if let Some(net) = &self.net {
            let said = net.meet(self.number, operations, (hash, fault)).ok_or_else(|| self.diverged())?;
            if said.iter().any(|(theirs, _)| *theirs != hash) {
                return Err(self.diverged());
            }
            fault = said.into_iter().filter_map(|(_, fault)| fault).min_by_key(TaskError::order);
        }
        Ok(fault.map_or(Ok(()), Err)?)
    }
}
