//! What the points of a launch give: their values, and what comes of all of them.

use core::any::Any;
use core::ops::Range;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::graph::{Cause, TaskBodyError};
use crate::locale::{Gathered, Part};
use crate::sync::Mutex;

/// What points give.
pub(super) struct Values<T, U, C, F> {
    /// Of points here, by their numbers.
    pub(super) own: Arc<Mutex<Parts<T>>>,
    /// Of others.
    pub(super) come: Mutex<Parts<T>>,
    /// Whether others stay where they are.
    pub(super) here: bool,
    /// Puts together what some points gave, in their order.
    pub(super) combine: C,
    /// Makes the result of what all gave.
    pub(super) finish: F,
    pub(super) result: Arc<OnceLock<U>>,
    /// How many bytes the result has.
    pub(super) bytes: fn(&U) -> usize,
}

pub(super) type Parts<T> = BTreeMap<usize, Part<T>>;

impl<T, U, C, F> Values<T, U, C, F>
where
    C: Fn(Parts<T>, usize) -> Vec<Part<T>>,
{
    /// What is here of some of so many points, which goes, put together.
    fn taken(&self, points: &Range<usize>, count: usize) -> Vec<Part<T>> {
        let mut taken = BTreeMap::new();
        for parts in [&*self.own, &self.come] {
            let mut parts = parts.lock();
            while let Some(first) = parts.range(points.clone()).next().map(|(first, _)| *first) {
                taken.extend(parts.remove_entry(&first));
            }
        }
        (self.combine)(taken, count)
    }
}

impl<T, U, C, F> Gathered for Values<T, U, C, F>
where
    T: Clone + Send + Sync + 'static,
    U: Clone + Send + Sync + 'static,
    C: Fn(Parts<T>, usize) -> Vec<Part<T>> + Send + Sync,
    F: Fn(Vec<Part<T>>) -> Option<U> + Send + Sync,
{
    fn stays(&self) -> bool {
        self.here
    }

    fn fold(&self, count: usize) {
        let own = core::mem::take(&mut *self.own.lock());
        let parts = (self.combine)(own, count);
        self.own.lock().extend(parts.into_iter().map(|part| (part.first, part)));
    }

    fn own(&self) -> (Box<dyn Any + Send>, usize) {
        let parts: Vec<Part<T>> = self.own.lock().values().cloned().collect();
        let bytes = parts.len() * size_of::<T>();
        (Box::new(parts), bytes)
    }

    fn take(&self, points: Range<usize>, count: usize) -> (Box<dyn Any + Send>, usize) {
        let parts = self.taken(&points, count);
        let bytes = parts.len() * size_of::<T>();
        (Box::new(parts), bytes)
    }

    fn put(&self, parts: Box<dyn Any + Send>) -> Result<(), Cause> {
        let parts = *parts.downcast::<Vec<Part<T>>>().map_err(|_| other_type())?;
        self.come.lock().extend(parts.into_iter().map(|part| (part.first, part)));
        Ok(())
    }

    fn finish(&self, count: usize) {
        if let Some(result) = (self.finish)(self.taken(&(0..count), count)) {
            let _ = self.result.set(result);
        }
    }

    fn result(&self) -> (Box<dyn Any + Send>, usize) {
        let result = self.result.get().cloned();
        let bytes = result.as_ref().map_or(0, self.bytes);
        (Box::new(result), bytes)
    }

    fn told(&self, result: Box<dyn Any + Send>) -> Result<(), Cause> {
        let result = *result.downcast::<Option<U>>().map_err(|_| other_type())?;
        result.into_iter().for_each(|result| _ = self.result.set(result));
        Ok(())
    }
}

fn other_type() -> TaskBodyError {
    TaskBodyError::new("a message of values of another type")
}
