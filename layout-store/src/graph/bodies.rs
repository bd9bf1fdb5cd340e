//! Bodies that are used again: a launch in a loop puts its body where that of an earlier one was.
//!
//! What a body holds goes with the last of its nodes that is done; its place stays here, empty, among those of its type.

use core::any::{Any, TypeId};
use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;
use std::sync::Arc;

use super::fault::{Cause, TaskError};
use super::node::{Body, Row};
use crate::geometry::Point;
use crate::sync::{AtomicUsize, Mutex, Ordering, RwLock};

/// The body of some nodes, until the last of them is done; then a place for another one.
pub(crate) struct Shared<B> {
    body: RwLock<Option<B>>,
    /// One more than the nodes that are not done; none where it is free, and empty.
    nodes: AtomicUsize,
    row: Row,
}

/// What is counted where no node is left, until the place is empty.
const FREED: usize = 1;

impl<B> Shared<B> {
    /// Puts the body here; without nodes it goes at once.
    pub(crate) fn fill(&self, body: B) {
        if self.nodes.load(Ordering::Relaxed) > FREED {
            *self.body.write() = Some(body);
        } else {
            self.nodes.store(0, Ordering::Release);
        }
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
            // Not before it is empty: the next body comes at once.
            self.nodes.store(0, Ordering::Release);
            // What it holds may take long to go.
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

/// A place of some type.
trait Place: Any + Send + Sync {
    /// One more than the nodes that are not done.
    fn nodes(&self) -> &AtomicUsize;
}

impl<B: Body + 'static> Place for Shared<B> {
    fn nodes(&self) -> &AtomicUsize {
        &self.nodes
    }
}

/// Places of bodies, by their types.
pub(super) struct Bodies {
    places: Mutex<Places>,
    /// So many may be here.
    most: usize,
}

#[derive(Default)]
struct Places {
    kinds: HashMap<TypeId, Kind, BuildHasherDefault<TypeHash>>,
    count: usize,
}

/// Places of one type.
#[derive(Default)]
struct Kind {
    places: Vec<Arc<dyn Place>>,
    /// The one that was used longest ago, mostly.
    next: usize,
}

/// So many places are looked at: a task that takes long keeps its own.
const LOOKS: usize = 4;

impl Bodies {
    /// At most so many places, none of them yet.
    pub(super) fn new(most: usize) -> Self {
        Self { places: Mutex::default(), most }
    }

    /// A place for the body of so many nodes, on which time of this kind is spent.
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

// For all types alike: what is made for each type of a body is what a program with many tasks consists of.
impl Places {
    /// One of a type that is free, now for the body of so many nodes.
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

    /// Keeps a new one, so that there are so many at most.
    fn add(&mut self, of: TypeId, place: Arc<dyn Place>, most: usize) {
        if self.count == most {
            // Of tasks that the program launches no more, mostly.
            *self = Self::default();
        }
        self.count += 1;
        let Kind { places, next } = self.kinds.entry(of).or_default();
        places.insert(*next, place);
        *next = (*next + 1) % places.len();
    }
}

/// Types have numbers that are hashes already.
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
