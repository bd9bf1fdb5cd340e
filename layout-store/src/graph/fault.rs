//! Faults: errors of task bodies, on their way to the caller.

use core::any::Any;
use core::error::Error;
use core::fmt;
use std::sync::Arc;

use layout_core::{Portable, PortableError};

use crate::geometry::Point;

/// The error of a task body that cannot do its work: any error, by `?`, or a message.
///
/// It does not implement [`Error`] itself, so that `?` converts every error into it.
///
/// # Examples
///
/// ```
/// use layout::store::TaskBodyError;
///
/// fn parse(text: &str) -> Result<f64, TaskBodyError> {
///     let number: f64 = text.parse()?;
///     if number < 0.0 { Err(TaskBodyError::new("negative")) } else { Ok(number) }
/// }
/// assert!(parse("1.5").is_ok());
/// assert_eq!(parse("-1").unwrap_err().to_string(), "negative");
/// ```
#[derive(Clone, Debug)]
pub struct TaskBodyError(Arc<dyn Error + Send + Sync>);

impl TaskBodyError {
    /// An error that is only a message.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        let error: Box<dyn Error + Send + Sync> = message.into().into();
        Self(error.into())
    }

    /// The error.
    #[must_use]
    pub fn inner(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for TaskBodyError {
    fn from(error: E) -> Self {
        Self(Arc::new(error))
    }
}

impl fmt::Display for TaskBodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The cause of the failure of a task body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// It returned an error.
    Error(TaskBodyError),
    /// It panicked, with this message.
    Panic(String),
    /// An earlier task failed, so data that was to come from another locale does not exist.
    Before(TaskError),
}

impl<T: Into<TaskBodyError>> From<T> for Cause {
    fn from(error: T) -> Self {
        Self::Error(error.into())
    }
}

impl Cause {
    /// The cause for a caught panic.
    pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self::Panic(text.unwrap_or_else(|| "a value that is no text".to_owned()))
    }
}

/// The result of `work`, or the panic with which it ended.
pub(crate) fn caught(work: impl FnOnce() -> Result<(), Cause>) -> Result<(), Cause> {
    // Elements that a task body was to write are invalid after a panic, so nobody sees them half-written.
    std::panic::catch_unwind(core::panic::AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(cause_of(payload)))
}

/// The cause that a panic with this payload is.
fn cause_of(payload: Box<dyn Any + Send>) -> Cause {
    let cause = Cause::of_panic(&*payload);
    // The drop of the payload may panic, too, and so may that of the second payload.
    if let Err(second) = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| drop(payload))) {
        core::mem::forget(second);
    }
    cause
}

/// The text of an error of a program, which may panic instead.
fn text_of(error: &TaskBodyError) -> String {
    std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| error.to_string())).unwrap_or_else(|payload| {
        drop(cause_of(payload));
        "an error whose text is a panic".to_owned()
    })
}

/// A task that failed: its name, its point, and the cause.
///
/// Elements that this point was to write are invalid from then on, and tasks that would read them are canceled with this same error, until
/// they are written again. Elements that other points wrote are valid.
///
/// # Examples
///
/// ```
/// use layout::store::{TaskBodyError, Runtime, Store, StoreError, write};
///
/// let rt = Runtime::new()?;
/// let store: Store<f64, _> = rt.create(10)?;
/// rt.task("doomed").args((write(&store),)).launch(|_, (_,)| Err(TaskBodyError::new("out of luck")))?;
/// let error = rt.fence().unwrap_err();
/// assert_eq!(error.to_string(), "task `doomed` failed at point [0]: out of luck");
/// assert!(matches!(store.to_vec(), Err(StoreError::Failed(_))));
/// store.fill(1.0)?; // healthy again
/// assert_eq!(store.to_vec()?, [1.0; 10]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[derive(Clone)]
pub struct TaskError(Arc<Failure>);

struct Failure {
    order: (u64, usize),
    task: String,
    point: Point,
    cause: Cause,
}

impl TaskError {
    pub(crate) fn new(order: (u64, usize), task: String, point: Point, cause: Cause) -> Self {
        Self(Arc::new(Failure { order, task, point, cause }))
    }

    /// The number of the launch, and that of the point; earlier ones are smaller.
    pub(crate) fn order(&self) -> (u64, usize) {
        self.0.order
    }

    /// The name of the task.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.0.task
    }

    /// The point of the launch.
    #[must_use]
    pub fn point(&self) -> Point {
        self.0.point
    }

    /// The cause of the failure.
    #[must_use]
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }
}

/// Sends the text: another locale has no more than the text of an error of a type of the program.
impl Portable for TaskError {
    fn write(&self, to: &mut impl Extend<u8>) {
        let Failure { order, task, point, cause } = &*self.0;
        let (panicked, text) = match cause {
            Cause::Error(error) => (false, text_of(error)),
            Cause::Panic(message) => (true, message.clone()),
            // Nested errors would make a reader recurse as often as the bytes say.
            Cause::Before(error) => return error.write(to),
        };
        (*order, *point).write(to);
        task.write(to);
        (panicked, text).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let ((order, point), task, panicked, text) = Portable::read(from)?;
        let text: String = text;
        let cause = if panicked { Cause::Panic(text) } else { Cause::Error(TaskBodyError::new(text)) };
        Ok(Self::new(order, task, point, cause))
    }
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { task, point, cause, .. } = &*self.0;
        match cause {
            Cause::Error(error) => write!(f, "task `{task}` failed at point {point}: {error}"),
            Cause::Before(error) => fmt::Display::fmt(error, f),
            Cause::Panic(message) => write!(f, "task `{task}` panicked at point {point}: {message}"),
        }
    }
}

impl fmt::Debug for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for TaskError {}

/// A call from inside a task that waits for tasks or launches them.
#[derive(Debug)]
pub(crate) struct Nested;
