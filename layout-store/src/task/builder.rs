//! The builder of tasks.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use layout_core::Portable;

use super::arguments::Arguments;
use super::constrain::Rule;
use super::context::Task;
use super::future::Future;
use super::launcher::Launcher;
use super::reduction::Reduction;
use super::report::Launched;
use super::returned::Returned;
use super::values::{Codec, Parts, Values};
use crate::error::StoreError;
use crate::geometry::{IntoShape, Point, Rect, StoreRank};
use crate::graph::{TaskBodyError, Tiles};
use crate::locale::{Part, fold};
use crate::partition::{Constraint, Mapper, Placement, Tiling};
use crate::sync::Mutex;

/// A task that gets arguments and constraints before its launch; made by [`Runtime::task`](crate::Runtime::task).
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, Sum, read, write};
///
/// let rt = Runtime::new()?;
/// let x: Store<f64, _> = rt.create(1000)?;
/// rt.task("ones").args((write(&x),)).launch(|_, (mut x,)| x.fill(1.0))?;
/// let sum = rt.task("sum").args((read(&x),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>()))?;
/// assert_eq!(sum.get()?, 1000.0);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[must_use = "a task does nothing before it is launched"]
pub struct TaskBuilder<'r, A> {
    pub(super) launcher: &'r Arc<Launcher>,
    pub(super) name: Cow<'static, str>,
    pub(super) arguments: A,
    pub(super) rules: Vec<Rule>,
    pub(super) given: Option<Box<Given>>,
    pub(super) single: bool,
    pub(super) mapper: Option<Box<Mapper>>,
}

/// The points of a launch that the solver does not choose.
pub(super) enum Given {
    /// These points.
    Points(Rect),
    /// One point for each of these boxes of the only argument, which may be the tiles of a tiling; and the locales of the points, if given.
    Tiles(Arc<Tiles>, Option<Arc<Tiling>>, Option<Placement>),
}

impl<'r> TaskBuilder<'r, ()> {
    pub(crate) fn new(launcher: &'r Arc<Launcher>, name: Cow<'static, str>) -> Self {
        Self { launcher, name, arguments: (), rules: Vec::new(), given: None, single: false, mapper: None }
    }

    /// Sets the arguments: a tuple of one to eight of [`read`](crate::read), [`write`](crate::write), [`update`](crate::update),
    /// [`reduce`](crate::reduce), [`emit`](crate::emit), [`emitted`](crate::emitted), [`send`](crate::send) and [`value`](crate::value).
    pub fn args<A: Arguments>(self, arguments: A) -> TaskBuilder<'r, A> {
        let Self { launcher, name, rules, given, single, mapper, .. } = self;
        TaskBuilder { launcher, name, arguments, rules, given, single, mapper }
    }
}

impl<A: Arguments> TaskBuilder<'_, A> {
    /// Adds a constraint between the arguments, or a list of constraints. The closure gets names of the arguments. See
    /// [`align`](crate::align), [`broadcast`](crate::broadcast), [`bloat`](crate::bloat), [`scale`](crate::scale) and
    /// [`image`](crate::image).
    pub fn constrain<I: IntoIterator<Item = Rule>>(mut self, rules: impl FnOnce(A::Handles<'_>) -> I) -> Self {
        let rules = rules(self.arguments.handles());
        self.room();
        self.rules.extend(rules);
        self
    }

    /// Cuts all arguments into the same tiles; their extents must be equal.
    pub fn align_all(mut self) -> Self {
        self.room();
        self.rules.extend((1..A::COUNT).map(|other| Constraint::Align(0, other).into()));
        self
    }

    /// Takes the memory for constraints that an earlier launch gave back.
    fn room(&mut self) {
        if self.rules.capacity() == 0 {
            self.rules = self.launcher.room();
        }
    }

    /// Runs the task as one point, which gets all of every argument. Constraints are checked, and have no other effect;
    /// [`must_partition`](crate::must_partition) is refused.
    pub fn single(mut self) -> Self {
        self.single = true;
        self
    }

    /// Sets the mapper, which places the points on locales.
    ///
    /// Without a mapper, points run on the locales of the first argument that was last written by the same tiles; if there is none,
    /// [`Mapper::neighbors`] places them.
    pub fn mapped(mut self, mapper: &Mapper) -> Self {
        self.mapper = Some(mapper.clone().into());
        self
    }

    /// Runs the task once for each point of a domain. A point gets the tile of its color of each argument that is a partition, and all of
    /// each argument that is a store.
    ///
    /// If an argument is a partition, this call may be left out: the points are the colors of the first partition. Constraints do not apply
    /// to tiles that are given, and are refused.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than six dimensions.
    pub fn over<X: IntoShape<Rank: StoreRank>>(mut self, points: X) -> Result<Self, StoreError> {
        self.given = Some(Given::Points(Rect::of(points.into_shape()?)).into());
        Ok(self)
    }

    /// Runs the task once for each of some boxes of its only argument, which may be the tiles of a tiling. With a placement, the points run
    /// on its locales.
    pub(super) fn over_tiles(
        mut self,
        (tiles, tiling): (Arc<Tiles>, Option<Arc<Tiling>>),
        placement: Option<Placement>,
    ) -> Self {
        self.given = Some(Given::Tiles(tiles, tiling, placement).into());
        self
    }

    /// Launches the task, and returns at once.
    ///
    /// The task body is called once for each point, with the context of the task and a tuple of views. It returns nothing, or a `Result<(),
    /// TaskBodyError>`, in which `?` works for every error.
    ///
    /// # Errors
    ///
    /// Returns an error if the constraints do not fit the arguments, tiles that are written overlap, or elements that are read are
    /// unwritten. Errors of the task body are returned by the next fence, and by calls that wait for the elements that the task writes.
    pub fn launch<F, T>(self, body: F) -> Result<Launched, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> T + Send + Sync + 'static,
        T: Returned,
    {
        let body = body_of::<A, _>(move |task, given, _| body(task, given).returned());
        self.enqueue(body, None).map(|(launched, _)| launched)
    }

    /// Launches the task and returns a future: each task body returns a value, and the values are combined. The order of points is kept;
    /// [`Reduction`] says which two values are combined first.
    ///
    /// If neighbors run together, each locale sends at most one message for each doubling of the number of points, and one for each
    /// doubling of the number of locales. Every locale gets the result.
    ///
    /// # Errors
    ///
    /// The errors of [`launch`](Self::launch). Errors of the task body are returned by the future and by the next fence.
    pub fn reduce<F, T, O>(self, op: O, body: F) -> Result<Future<T>, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Portable + Clone + Send + Sync + 'static,
        O: Reduction<T>,
    {
        let combine = move |parts: Parts<T>, count| fold(parts.into_values(), count, |a, b| op.combine(a, b));
        let finish = |parts: Vec<Part<T>>| parts.into_iter().next().map(|part| part.value);
        self.gather(body, Some((Codec::new(), Codec::new())), combine, finish, size_of_val)
    }

    /// Launches the task and returns a future of the values that the task bodies return, row by row of the points.
    ///
    /// # Errors
    ///
    /// The errors of [`reduce`](Self::reduce).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let squares = rt.task("squares").over([4])?.map(|task, ()| Ok(task.point()[0] * task.point()[0]))?;
    /// assert_eq!(squares.get()?, [0, 1, 4, 9]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn map<F, T>(self, body: F) -> Result<Future<Vec<T>>, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Portable + Clone + Send + Sync + 'static,
    {
        self.values(Some((Codec::new(), Codec::new())), body)
    }

    /// Does what [`map`](Self::map) does, but values stay on their locales: each locale gets the values of the points that ran there, each
    /// with its point, and nothing is sent.
    ///
    /// With one locale, these are all values. If the future is an argument of a task ([`value`](crate::value)), each task body gets the
    /// list of its own locale.
    ///
    /// # Errors
    ///
    /// The errors of [`launch`](Self::launch). The future returns the error of a task body that ran on this locale; the next fence returns
    /// the errors of all.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError, read};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).pieces(4).min_chunk(1).whole_below(0);
    /// let found = builder.simulate(|rt| {
    ///     let x: Store<i64, _> = rt.create_from_fn(8, |at| at[0])?;
    ///     let sums = rt.task("sums").args((read(&x),)).map_local(|_, (x,)| Ok(x.values().sum::<i64>()))?.get()?;
    ///     assert_eq!(rt.traffic().bytes, 0);
    ///     Ok(sums.into_iter().map(|(point, sum)| (point[0], sum)).collect::<Vec<_>>())
    /// })?;
    /// let found = found.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
    /// assert_eq!(found, [[(0, 1), (1, 5)], [(2, 9), (3, 13)]]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn map_local<F, T>(self, body: F) -> Result<Future<Vec<(Point, T)>>, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Clone + Send + Sync + 'static,
    {
        self.values(None, body_with_point::<A, _, _>(move |task, given| Ok((task.point(), body(task, given)?))))
    }

    /// Launches the task and returns a future of the values of all points, or, without `travel`, of the points of this locale.
    pub(super) fn values<F, T>(
        self,
        travel: Option<(Codec<T>, Codec<Vec<T>>)>,
        body: F,
    ) -> Result<Future<Vec<T>>, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Clone + Send + Sync + 'static,
    {
        let combine = |parts: Parts<T>, _| parts.into_values().collect();
        let finish = |parts: Vec<Part<T>>| Some(parts.into_iter().map(|part| part.value).collect());
        self.gather(body, travel, combine, finish, |values: &Vec<T>| size_of_val(&values[..]))
    }

    /// Launches the task. `combine` puts together the values of its points, in order, and `finish` makes the result. Without `travel`, only
    /// the points of this locale count.
    fn gather<F, T, U>(
        self,
        body: F,
        travel: Option<(Codec<T>, Codec<U>)>,
        combine: impl Fn(Parts<T>, usize) -> Vec<Part<T>> + Send + Sync + 'static,
        finish: impl Fn(Vec<Part<T>>) -> Option<U> + Send + Sync + 'static,
        bytes: fn(&U) -> usize,
    ) -> Result<Future<U>, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Clone + Send + Sync + 'static,
        U: Clone + Send + Sync + 'static,
    {
        let own = Arc::new(Mutex::new(Parts::new()));
        let result = Arc::new(OnceLock::new());
        let (kept, locale) = (own.clone(), self.launcher.locale.clone());
        let body = body_of::<A, _>(move |task, given, number| {
            let value = body(task, given)?;
            kept.lock().insert(number, Part::one(number, value));
            Ok(())
        });
        let gathered = Values { own, come: Mutex::default(), travel, combine, finish, result: result.clone(), bytes };
        let (launched, node) = self.enqueue(body, Some(Arc::new(gathered)))?;
        let node = node.unwrap_or_else(|| unreachable!("the result comes to every locale"));
        Ok(Future::new(locale, node, result, launched))
    }
}

fn body_with_point<A: Arguments, F, T>(body: F) -> F
where
    F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, TaskBodyError>,
{
    body
}

fn body_of<A: Arguments, F>(body: F) -> F
where
    F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), TaskBodyError>,
{
    body
}
