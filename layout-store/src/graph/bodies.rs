//! Bodies in memory that is used again: a launch in a loop puts its body into the memory of an earlier body.
//!
//! The captures of a body are dropped with the last of its nodes; its memory stays here, empty, in the list of its type.

use core::any::{Any, TypeId};
use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;
use std::sync::Arc;

use super::fault::{Cause, TaskError};
use super::node::{Body, Row};
use crate::geometry::Point;
use crate::sync::{AtomicUsize, Mutex, Ordering, RwLock};

/// The body of some nodes, until the last of them is done; after that, free memory for another body.
pub(crate) struct Shared<B> {
    body: RwLock<Option<B>>,
    /// The number of nodes that are not done, plus 1; 0 if the memory is free and empty.
    nodes: AtomicUsize,
    row: Row,
}

/// The count when no node is left, until the memory is empty.
const FREED: usize = 1;

impl<B> Shared<B> {
    /// Puts the body into this memory.
    pub(crate) fn fill(&self, body: B) {
        *self.body.write() = Some(body);
    }
}

impl<B: Body> Body for Shared<B> {
    fn run(&self, number: usize) -> Result<(), Cause> {
        self.body.read().as_ref().map_or(Ok(()), |body| body.run(number))
    }

    fn failed(&self, number: usize, fault: &TaskError) {
        self.body.read().iter().for_each(|body| body.failed(number, fault));
    }

    fn done(&self) {
        if self.nodes.fetch_sub(1, Ordering::AcqRel) == FREED + 1 {
            let body = self.body.write().take();
            // Not before the memory is empty, since the next body may come at once.
            self.nodes.store(0, Ordering::Release);
            // Dropping the captures may take long.
            drop(body);
        }
    }

    fn row(&self) -> Row {
        self.row
    }

    fn label(&self, number: usize) -> (String, Point) {
        self.body.read().as_ref().map_or_else(|| (String::new(), Point::EMPTY), |body| body.label(number))
    }
}

/// Memory for a body of some type.
trait Place: Any + Send + Sync {
    /// The number of nodes that are not done, plus 1.
    fn nodes(&self) -> &AtomicUsize;
}

impl<B: Body + 'static> Place for Shared<B> {
    fn nodes(&self) -> &AtomicUsize {
        &self.nodes
    }
}

/// Memory for bodies, by their types.
pub(super) struct Bodies {
    places: Mutex<Places>,
    /// The largest number of entries.
    most: usize,
}

#[derive(Default)]
struct Places {
    kinds: HashMap<TypeId, Kind, BuildHasherDefault<TypeHash>>,
    count: usize,
}

/// Memory for bodies of one type.
#[derive(Default)]
struct Kind {
    places: Vec<Arc<dyn Place>>,
    /// Usually the entry that was used longest ago.
    next: usize,
}

/// The number of entries that are checked: a task that takes long keeps its own.
const LOOKS: usize = 4;

impl Bodies {
    /// An empty collection of at most `most` entries.
    pub(super) fn new(most: usize) -> Self {
        Self { places: Mutex::default(), most }
    }

    /// Memory for the body of `nodes` nodes, at least one, whose time is counted in `row`.
    pub(super) fn place<B: Body + 'static>(&self, nodes: usize, row: Row) -> Arc<Shared<B>> {
        let mut places = self.places.lock();
        let free = places
            .free(TypeId::of::<B>(), nodes)
            .and_then(|place| (place as Arc<dyn Any + Send + Sync>).downcast().ok());
        free.unwrap_or_else(|| {
            let place = Arc::new(Shared { body: RwLock::new(None), nodes: AtomicUsize::new(nodes + FREED), row });
            places.add(TypeId::of::<B>(), place.clone(), self.most);
            place
        })
    }
}

// The same code for all types: code that is compiled for each type of body is most of a program with many tasks.
impl Places {
    /// Free memory of a type, reserved for the body of `nodes` nodes.
    fn free(&mut self, of: TypeId, nodes: usize) -> Option<Arc<dyn Place>> {
        let Kind { places, next } = self.kinds.get_mut(&of)?;
        for _ in 0..places.len().min(LOOKS) {
            let place = &places[*next];
            *next = if *next + 1 < places.len() { *next + 1 } else { 0 };
            if place.nodes().load(Ordering::Acquire) == 0 {
                place.nodes().store(nodes + FREED, Ordering::Relaxed);
                return Some(place.clone());
            }
        }
        None
    }

    /// Adds an entry, with at most `most` in all.
    fn add(&mut self, of: TypeId, place: Arc<dyn Place>, most: usize) {
        if self.count == most {
            // These are usually of tasks that the program no longer launches.
            *self = Self::default();
        }
        self.count += 1;
        let Kind { places, next } = self.kinds.entry(of).or_default();
        places.insert(*next, place);
        *next = (*next + 1) % places.len();
    }
}

/// A hasher that keeps its input: numbers of types are hashes already.
#[derive(Default)]
struct TypeHash(u64);

impl Hasher for TypeHash {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.rotate_left(5) ^ number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
