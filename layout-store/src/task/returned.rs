//! Results of task bodies.

use crate::graph::TaskBodyError;

/// The result of a task body: nothing, or a `Result`.
///
/// # Examples
///
/// ```
/// use layout::store::{TaskBodyError, Runtime, Store, read, write};
///
/// let rt = Runtime::new()?;
/// let (a, b): (Store<f64, _>, Store<f64, _>) = (rt.create(10)?, rt.create(10)?);
/// rt.task("fill").args((write(&a),)).launch(|_, (mut a,)| a.fill(1.0))?;
/// rt.task("copy").args((read(&a), write(&b))).launch(|_, (a, mut b)| Ok(b.copy_from(&a)?))?;
/// rt.task("check").args((read(&b),)).launch(|_, (b,)| {
///     if b.get(0) == 1.0 { Ok(()) } else { Err(TaskBodyError::new("no copy")) }
/// })?;
/// rt.fence()?;
/// rt.task("later").args((read(&b),)).launch(|_, _| -> () { todo!() })?;
/// assert!(rt.fence().unwrap_err().to_string().ends_with("not yet implemented"));
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a task body returns nothing or `Result<(), TaskBodyError>`, and this one `{Self}`",
    note = "end the last expression with `;`, or write `Ok(expression?)`; a text is an error by `TaskBodyError::new(\"text\")`",
    note = "a task body that only panics returns `!`: say what it would return, `|_, _| -> () {{ todo!() }}`",
    note = "`map` and `reduce` launch task bodies that return values"
)]
pub trait Returned {
    #[doc(hidden)]
    fn returned(self) -> Result<(), TaskBodyError>;
}

impl Returned for () {
    fn returned(self) -> Result<(), TaskBodyError> {
        Ok(())
    }
}

impl Returned for Result<(), TaskBodyError> {
    fn returned(self) -> Result<(), TaskBodyError> {
        self
    }
}
