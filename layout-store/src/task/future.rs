//! Futures: values that tasks compute.

use core::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use super::arguments::{Argument, At, Following, sealed};
use super::plan::Described;
use super::report::Launched;
use crate::error::StoreError;
use crate::geometry::Rect;
use crate::graph::{Cause, Engine, Node, Row, TaskError};
use crate::locale::Locale;

/// A value that tasks compute; see [`TaskBuilder::reduce`](crate::TaskBuilder::reduce).
///
/// # Examples
///
/// ```
/// use layout::store::{TaskBodyError, Runtime, Sum};
///
/// let rt = Runtime::new()?;
/// let sum = rt.task("sum").over([10])?.reduce(Sum, |task, ()| Ok(task.point()[0]))?;
/// assert_eq!(sum.launched().domain().volume(), 10);
/// assert_eq!(sum.get()?, 45);
/// let none = rt.task("none").map(|_, ()| Err::<(), _>(TaskBodyError::new("nothing there")))?;
/// assert_eq!(none.get().unwrap_err().to_string(), "task `none` failed at point [0]: nothing there");
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub struct Future<T> {
    locale: Arc<Locale>,
    node: Arc<Node>,
    value: Arc<OnceLock<T>>,
    launched: Launched,
}

/// An argument with the value of a future; see [`value`].
pub struct Value<T> {
    locale: Arc<Locale>,
    node: Arc<Node>,
    value: Arc<OnceLock<T>>,
}

/// Makes an argument of the value of a future: each task body gets a reference to the value. The points wait for it, not the launch.
///
/// Nothing is sent: every locale has the values of futures, and its own values of [`map_local`](crate::TaskBuilder::map_local). If the task
/// that computes the value fails, this one fails with it.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, Sum, read, update, value};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let x: Store<f64, _> = rt.create_from_fn(8, |at| at[0] as f64)?;
/// let squares = rt.task("norm").args((read(&x),)).reduce(Sum, |_, (x,)| Ok(x.values().map(|x| x * x).sum::<f64>()))?;
/// rt.task("scale").args((update(&x), value(&squares))).launch(|_, (mut x, squares)| x.update(|x| x * x / squares))?;
/// let total = rt.task("total").args((read(&x),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>()))?;
/// assert!((total.get()? - 1.0).abs() < 1e-12);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[must_use]
pub fn value<T: Send + Sync + 'static>(future: &Future<T>) -> Value<T> {
    Value { locale: future.locale.clone(), node: future.node.clone(), value: future.value.clone() }
}

impl<T: Send + Sync + 'static> sealed::Sealed for Value<T> {}

impl<T: Send + Sync + 'static> Argument for Value<T> {
    type Given<'a> = &'a T;
    type Handle<'a> = PhantomData<&'a ()>;
    type Held<'r> = &'r T;

    fn describe(&self) -> Result<Described, StoreError> {
        Described::values("value", &self.locale, None)
    }

    fn handle(&self, _: usize) -> PhantomData<&()> {
        PhantomData
    }

    fn follow(&self, point: Following<'_>) {
        point.after(&self.node);
    }

    fn hold(&self, _: &Rect, _: At<'_>) -> Result<&T, Cause> {
        // A node that succeeded set it, and this point has waited for that node.
        Ok(self.value.get().ok_or(StoreError::Unbound)?)
    }

    fn give<'a>(held: &'a mut &T) -> Result<&'a T, Cause> {
        Ok(held)
    }
}

impl<T> Future<T> {
    pub(super) fn new(locale: Arc<Locale>, node: Arc<Node>, value: Arc<OnceLock<T>>, launched: Launched) -> Self {
        Self { locale, node, value, launched }
    }

    /// The launch of the task that computes the value.
    #[must_use]
    pub fn launched(&self) -> &Launched {
        &self.launched
    }

    /// Returns `true` if the value is there or never will be. With [`Builder::threads(0)`](crate::Builder::threads), a call runs one ready
    /// task if the value is not there, so a program that calls this in a loop comes to an end.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.node.is_done() || self.locale.engine.work() && self.node.is_done()
    }

    /// Waits for the value.
    ///
    /// # Errors
    ///
    /// The error of the task that was to compute the value, or of a task on which that one depended.
    pub fn get(&self) -> Result<T, StoreError>
    where
        T: Clone,
    {
        self.get_in(Row::Wait)
    }

    /// The node after which the value is there, or will never be.
    pub(super) fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// The value after that node, or the error.
    pub(super) fn result(&self) -> Result<&T, TaskError> {
        self.value.get().ok_or_else(|| match self.node.fault() {
            Some(fault) => fault,
            None => unreachable!("the node set it"),
        })
    }

    /// [`get`](Self::get) with its time counted in this row.
    pub(super) fn get_in(&self, row: Row) -> Result<T, StoreError>
    where
        T: Clone,
    {
        Engine::check_outside()?;
        self.locale.wait_in(row, &self.node)?;
        // A node that succeeded set it.
        self.value.get().cloned().ok_or(StoreError::Unbound)
    }
}
