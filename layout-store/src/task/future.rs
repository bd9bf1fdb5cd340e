//! Values that are computed later.

use std::sync::{Arc, OnceLock};

use super::report::Launched;
use crate::error::StoreError;
use crate::graph::{Engine, Node};
use crate::locale::Locale;

/// A value that tasks compute; see [`TaskBuilder::reduce`](crate::TaskBuilder::reduce).
///
/// # Examples
///
/// ```
/// use layout_store::{TaskBodyError, Runtime, Sum};
///
/// let rt = Runtime::new()?;
/// let sum = rt.task("sum").over([10])?.reduce(Sum, |task, ()| Ok(task.point()[0]))?;
/// assert_eq!(sum.launched().domain().volume(), 10);
/// assert_eq!(sum.get()?, 45);
/// let none = rt.task("none").map(|_, ()| Err::<(), _>(TaskBodyError::new("nothing there")))?;
/// assert_eq!(none.get().unwrap_err().to_string(), "task `none` failed at point [0]: nothing there");
/// # Ok::<(), layout_store::StoreError>(())
/// ```
pub struct Future<T> {
    locale: Arc<Locale>,
    node: Arc<Node>,
    value: Arc<OnceLock<T>>,
    launched: Launched,
}

impl<T> Future<T> {
    pub(super) fn new(locale: Arc<Locale>, node: Arc<Node>, value: Arc<OnceLock<T>>, launched: Launched) -> Self {
        Self { locale, node, value, launched }
    }

    /// How the task was launched that computes the value.
    #[must_use]
    pub fn launched(&self) -> &Launched {
        &self.launched
    }

    /// Whether the value is there, or never will be.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.node.is_done()
    }

    /// Waits for the value.
    ///
    /// # Errors
    ///
    /// The error of the task that was to compute it, or of one that this depended on.
    pub fn get(&self) -> Result<T, StoreError>
    where
        T: Clone,
    {
        Engine::check_outside()?;
        self.locale.wait_for(&self.node)?;
        // Set by a node that ran well.
        self.value.get().cloned().ok_or(StoreError::Unbound)
    }
}
