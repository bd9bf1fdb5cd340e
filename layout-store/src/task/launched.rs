//! What a launch tells, and what leaves return.

use crate::geometry::Rect;
use crate::graph::LeafError;
use crate::partition::{Fewer, Single};

/// How a task was launched.
#[derive(Clone, Debug)]
pub struct Launched {
    pub(super) domain: Rect,
    pub(super) single: Option<Single>,
    pub(super) fewer: Option<Fewer>,
    pub(super) exchanged: u64,
}

impl Launched {
    /// The bytes of elements that all locales together send each other for it, the same number on every locale.
    /// Contributions to reductions and values of futures are left out; [`Traffic`](crate::Traffic) has them.
    #[must_use]
    pub fn exchanged(&self) -> u64 {
        self.exchanged
    }

    /// The points of the launch.
    #[must_use]
    pub fn domain(&self) -> Rect {
        self.domain
    }

    /// Why there is one point only, where the runtime chose so.
    #[must_use]
    pub fn single(&self) -> Option<&Single> {
        self.single.as_ref()
    }

    /// Why there are fewer points than [`pieces`](crate::Builder::pieces), where a store has no room for more tiles.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, read};
    ///
    /// let rt = Runtime::builder().pieces(13).min_chunk(1).build()?;
    /// let cube: Store<f64, _> = rt.create_from_fn([4, 4, 4], |_| 1.0)?;
    /// let launched = rt.task("cube").args((read(&cube),)).launch(|_, _| ())?;
    /// assert_eq!(launched.domain().volume(), 12);
    /// assert!(launched.fewer().is_some_and(|fewer| fewer.tiles == 12 && fewer.pieces == 13));
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    #[must_use]
    pub fn fewer(&self) -> Option<&Fewer> {
        self.fewer.as_ref()
    }
}

/// What a leaf returns: nothing, or whether it could do its work.
///
/// # Examples
///
/// ```
/// use layout_store::{LeafError, Runtime, Store, read, write};
///
/// let rt = Runtime::new()?;
/// let (a, b): (Store<f64, _>, Store<f64, _>) = (rt.create(10)?, rt.create(10)?);
/// rt.task("fill").args((write(&a),)).launch(|_, (mut a,)| a.fill(1.0))?;
/// rt.task("copy").args((read(&a), write(&b))).launch(|_, (a, mut b)| Ok(b.copy_from(&a)?))?;
/// rt.task("check").args((read(&b),)).launch(|_, (b,)| {
///     if b.get(0) == 1.0 { Ok(()) } else { Err(LeafError::new("no copy")) }
/// })?;
/// rt.fence()?;
/// rt.task("later").args((read(&b),)).launch(|_, _| -> () { todo!() })?;
/// assert!(rt.fence().unwrap_err().to_string().ends_with("not yet implemented"));
/// # Ok::<(), layout_store::StoreError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a leaf returns nothing or `Result<(), LeafError>`, and this one `{Self}`",
    note = "end the last expression with `;`, or write `Ok(expression?)`; a text is an error by `LeafError::new(\"text\")`",
    note = "a leaf that only panics returns `!`: say what it would return, `|_, _| -> () {{ todo!() }}`",
    note = "`map` and `reduce` launch leaves that return values"
)]
pub trait Returned {
    #[doc(hidden)]
    fn returned(self) -> Result<(), LeafError>;
}

impl Returned for () {
    fn returned(self) -> Result<(), LeafError> {
        Ok(())
    }
}

impl Returned for Result<(), LeafError> {
    fn returned(self) -> Result<(), LeafError> {
        self
    }
}
