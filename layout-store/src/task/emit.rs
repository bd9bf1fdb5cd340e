//! Unbound stores: their extent is known when a task has written them.

use core::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use layout_core::{Dim, Record, RecordLayout};
use layout_mappings::SoA;
use parking_lot::Mutex;

use super::arguments::{Argument, Combine, Once, sealed};
use super::plan::Described;
use crate::error::StoreError;
use crate::fault::Cause;
use crate::graph::{Body, Engine, Node};
use crate::locale::Parts;
use crate::partition::Access;
use crate::point::Point;
use crate::rect::Rect;
use crate::runtime::{Inner, Runtime};
use crate::store::Store;
use crate::transform::Transform;

/// A store in one dimension whose extent is not known before a task has emitted its elements.
///
/// # Examples
///
/// ```
/// use layout_store::{Runtime, Store, Unbound, emit, read};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let numbers: Store<i64, _> = rt.create_from_fn(100, |index| index[0])?;
/// let squares: Unbound<i64> = rt.unbound();
/// rt.task("squares").args((read(&numbers), emit(&squares))).launch(|_, (numbers, mut squares)| {
///     for number in numbers.values().filter(|number| (1..=4).contains(number)) {
///         squares.push(number * number);
///     }
/// })?;
/// assert_eq!(squares.store()?.to_vec()?, [1, 4, 9, 16]);
/// # Ok::<(), layout_store::StoreError>(())
/// ```
pub struct Unbound<R, L = SoA> {
    inner: Arc<Shared<R, L>>,
}

struct Shared<R, L> {
    runtime: Arc<Inner>,
    /// The node after which the store is there.
    node: Mutex<Option<Arc<Node>>>,
    store: OnceLock<Store<R, Dim<1>, L>>,
}

impl Runtime {
    /// A store in one dimension, to be emitted to by one task.
    #[must_use]
    pub fn unbound<R, L>(&self) -> Unbound<R, L> {
        Unbound::new(&self.inner)
    }
}

impl<R, L> Unbound<R, L> {
    pub(crate) fn new(runtime: &Arc<Inner>) -> Self {
        let runtime = runtime.clone();
        Self { inner: Arc::new(Shared { runtime, node: Mutex::new(None), store: OnceLock::new() }) }
    }

    /// Whether no task was launched yet that emits to it.
    #[must_use]
    pub fn is_unbound(&self) -> bool {
        self.inner.node.lock().is_none()
    }

    /// Waits for the task that emits to it, and gives the store: what the leaves emitted, in the order of colours.
    ///
    /// # Errors
    ///
    /// Where no such task was launched, or it failed.
    pub fn store(&self) -> Result<Store<R, Dim<1>, L>, StoreError> {
        Engine::check_outside()?;
        let node = self.inner.node.lock().clone().ok_or(StoreError::Unbound)?;
        self.inner.runtime.wait_for(&node)?;
        self.inner.store.get().cloned().ok_or(StoreError::Unbound)
    }
}

impl<R, L> Clone for Unbound<R, L> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

/// What each leaf emitted.
struct Lists<R>(Vec<Mutex<Vec<R>>>);

impl<R: Record> Parts for Lists<R> {
    fn give(&self, number: usize, take: bool) -> (Box<dyn core::any::Any + Send>, usize) {
        let mut list = self.0[number].lock();
        let list = if take { core::mem::take(&mut *list) } else { list.clone() };
        let bytes = list.len() * size_of::<R>();
        (Box::new(list), bytes)
    }

    fn put(&self, number: usize, contribution: Box<dyn core::any::Any + Send>) {
        if let Ok(list) = contribution.downcast::<Vec<R>>() {
            *self.0[number].lock() = *list;
        }
    }
}

/// An argument that is emitted to; see [`emit`].
pub struct Emit<R: Record, L> {
    target: Unbound<R, L>,
    contributions: Arc<Lists<R>>,
}

/// An argument to which each leaf appends as many elements as it likes.
///
/// The closure gets an [`Emitter`].
#[must_use]
pub fn emit<R: Record, L>(target: &Unbound<R, L>) -> Emit<R, L> {
    Emit { target: target.clone(), contributions: Arc::new(Lists(Vec::new())) }
}

/// What a leaf gets for an argument that it emits to.
pub struct Emitter<'a, R> {
    elements: &'a mut Vec<R>,
}

impl<R> Emitter<'_, R> {
    /// Appends an element.
    pub fn push(&mut self, element: R) {
        self.elements.push(element);
    }
}

impl<R> Extend<R> for Emitter<'_, R> {
    fn extend<I: IntoIterator<Item = R>>(&mut self, elements: I) {
        self.elements.extend(elements);
    }
}

impl<R: Record, L: RecordLayout<R> + Default> sealed::Sealed for Emit<R, L> {}

impl<R: Record, L: RecordLayout<R> + Default> Argument for Emit<R, L> {
    type Given<'a> = Emitter<'a, R>;
    type Handle<'a> = PhantomData<&'a ()>;
    type Held<'r> = Vec<R>;

    fn describe(&self) -> Result<Described, StoreError> {
        if !self.target.is_unbound() {
            return Err(StoreError::Bound);
        }
        let transform = Arc::new(Transform::identity(Point::EMPTY)?);
        Ok(Described { root: None, transform, access: Access::Read, manual: None })
    }

    fn handle(&self, _: usize) -> PhantomData<&()> {
        PhantomData
    }

    fn prepare(&mut self, points: usize) {
        self.contributions = Arc::new(Lists((0..points).map(|_| Mutex::default()).collect()));
    }

    fn hold(&self, _: &Rect) -> Result<Vec<R>, Cause> {
        Ok(Vec::new())
    }

    fn give<'a>(held: &'a mut Vec<R>) -> Result<Emitter<'a, R>, Cause> {
        Ok(Emitter { elements: held })
    }

    fn keep(&self, held: Vec<R>, number: usize) {
        *self.contributions.0[number].lock() = held;
    }

    fn combine(&self, _: &[Rect]) -> Option<Combine> {
        let (target, contributions) = (self.target.inner.clone(), self.contributions.clone());
        let root = target.runtime.next_root();
        let work = move || {
            let parts: Vec<Vec<R>> = contributions.0.iter().map(|part| core::mem::take(&mut *part.lock())).collect();
            let extent = i64::try_from(parts.iter().map(Vec::len).sum::<usize>())?;
            let store = Store::<R, Dim<1>, L>::new_in(&target.runtime, [extent].into(), root)?;
            let mut elements = parts.into_iter().flatten();
            store.write_new(|| elements.next())?;
            let _ = target.store.set(store);
            Ok(())
        };
        let body: Arc<dyn Body> = Arc::new(Once { what: "bind emitted elements", work });
        let shared = self.target.inner.clone();
        let node = move |node: &Arc<Node>| *shared.node.lock() = Some(node.clone());
        let parts = self.contributions.clone();
        Some(Combine { body, parts, everywhere: true, claim: None, node: Some(Box::new(node)) })
    }
}
