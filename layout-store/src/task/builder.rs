//! The builder of launches.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use smallvec::SmallVec;

use super::arguments::{Arguments, Combine, Once};
use super::constrain::Rule;
use super::context::Task;
use super::future::Future;
use super::launch::{Claim, claims, enlist};
use super::plan::{Cut, Described, Plan};
use crate::error::StoreError;
use crate::fault::{Cause, LeafError, caught};
use crate::graph::{Body, Edge, Engine, Node};
use crate::locale::{Parts, deliver, place, transfers};
use crate::partition::{Access, Constraint, Single};
use crate::point::Point;
use crate::rank::{IntoShape, StoreRank};
use crate::rect::Rect;
use crate::reduction::Reduction;
use crate::runtime::Inner;

/// A task that is being put together; made by [`Runtime::task`](crate::Runtime::task).
///
/// # Examples
///
/// ```
/// use layout_store::{Runtime, Store, Sum, read, write};
///
/// let rt = Runtime::new()?;
/// let x: Store<f64, _> = rt.create(1000)?;
/// rt.task("ones").args((write(&x),)).launch(|_, (mut x,)| x.fill(1.0))?;
/// let sum = rt.task("sum").args((read(&x),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>()))?;
/// assert_eq!(sum.get()?, 1000.0);
/// # Ok::<(), layout_store::StoreError>(())
/// ```
#[must_use = "a task does nothing before it is launched"]
pub struct TaskBuilder<'r, A> {
    runtime: &'r Arc<Inner>,
    name: Cow<'static, str>,
    arguments: A,
    rules: Vec<Rule>,
    domain: Option<Rect>,
    single: bool,
}

/// How a task was launched.
#[derive(Clone, Debug)]
pub struct Launched {
    domain: Rect,
    single: Option<Single>,
    exchanged: u64,
}

impl Launched {
    /// The bytes of elements that all locales together send each other for it, contributions left out: the same number on
    /// every locale.
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
}

/// What a leaf returns: nothing, or whether it could do its work.
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

/// What all points of a launch have in common.
struct Leaves<A, F> {
    name: Cow<'static, str>,
    domain: Rect,
    rects: SmallVec<[Vec<Rect>; 4]>,
    arguments: A,
    leaf: F,
}

impl<A: Arguments, F> Leaves<A, F>
where
    F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), LeafError> + Send + Sync,
{
    fn leaf(&self, number: usize) -> Result<(), Cause> {
        let rects: SmallVec<[Rect; 4]> = self.rects.iter().map(|rects| rects[number]).collect();
        let mut held = self.arguments.hold(&rects)?;
        let task = Task { name: self.name.clone(), point: self.point(number), domain: self.domain, rects };
        (self.leaf)(&task, A::give(&mut held)?, number)?;
        self.arguments.keep(held, number);
        Ok(())
    }

    fn point(&self, number: usize) -> Point {
        self.domain.nth(number)
    }
}

impl<A: Arguments, F> Body for Leaves<A, F>
where
    F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), LeafError> + Send + Sync,
{
    fn run(&self, number: usize) -> Result<(), Cause> {
        caught(|| self.leaf(number))
    }

    fn label(&self, number: usize) -> (String, Point) {
        (self.name.to_string(), self.point(number))
    }
}

impl<'r> TaskBuilder<'r, ()> {
    pub(crate) fn new(runtime: &'r Arc<Inner>, name: Cow<'static, str>) -> Self {
        Self { runtime, name, arguments: (), rules: Vec::new(), domain: None, single: false }
    }

    /// The arguments: a tuple of one to eight of [`read`](crate::read), [`write`](crate::write),
    /// [`update`](crate::update), [`reduce`](crate::reduce) and [`emit`](crate::emit).
    pub fn args<A: Arguments>(self, arguments: A) -> TaskBuilder<'r, A> {
        let Self { runtime, name, rules, domain, single, .. } = self;
        TaskBuilder { runtime, name, arguments, rules, domain, single }
    }
}

impl<A: Arguments> TaskBuilder<'_, A> {
    /// Constraints between the arguments, which the closure gets the names of: see [`align`](crate::align),
    /// [`broadcast`](crate::broadcast), [`bloat`](crate::bloat), [`scale`](crate::scale) and [`image`](crate::image).
    pub fn constrain<I: IntoIterator<Item = Rule>>(mut self, rules: impl FnOnce(A::Handles<'_>) -> I) -> Self {
        let rules = rules(self.arguments.handles());
        self.rules.extend(rules);
        self
    }

    /// Cuts all arguments into the same tiles; their extents must be equal.
    pub fn align_all(mut self) -> Self {
        self.rules.extend((1..A::COUNT).map(|other| Constraint::Align(0, other).into()));
        self
    }

    /// Runs the task as one, that sees all of every argument.
    pub fn single(mut self) -> Self {
        self.single = true;
        self
    }

    /// Runs the task once for each point of a domain. Each point gets the tile of its colour of arguments that are
    /// partitions, and all of those that are stores.
    ///
    /// # Errors
    ///
    /// Where there are more than six dimensions.
    pub fn over<X: IntoShape<Rank: StoreRank>>(mut self, points: X) -> Result<Self, StoreError> {
        self.domain = Some(Rect::of(points.into_shape()?));
        Ok(self)
    }

    /// Launches the task, and returns at once.
    ///
    /// The leaf is called once for each point, with the task's context and a tuple of views. What it returns is nothing, or
    /// a `Result<(), LeafError>`, in which `?` works for every error.
    ///
    /// # Errors
    ///
    /// Where the constraints do not fit the arguments, tiles that are written overlap, or elements that are read were never
    /// written. Errors of the leaf come from the next fence, or from whoever waits for what it writes.
    pub fn launch<F, T>(self, leaf: F) -> Result<Launched, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> T + Send + Sync + 'static,
        T: Returned,
    {
        let leaf = leaf_of::<A, _>(move |task, given, _| leaf(task, given).returned());
        self.submit(leaf, None).map(|(launched, _)| launched)
    }

    /// Launches the task, whose leaves each return a value, and gives the values combined in the order of colours.
    ///
    /// # Errors
    ///
    /// As [`launch`](Self::launch); errors of the leaf come from the future.
    pub fn reduce<F, T, O>(self, op: O, leaf: F) -> Result<Future<T>, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, LeafError> + Send + Sync + 'static,
        T: Clone + Send + Sync + 'static,
        O: Reduction<T>,
    {
        self.gather(leaf, move |values| values.into_iter().reduce(|a, b| op.combine(a, b)))
    }

    /// Launches the task, whose leaves each return a value, and gives the values of all points, row by row.
    ///
    /// # Errors
    ///
    /// As [`reduce`](Self::reduce).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let squares = rt.task("squares").over([4])?.map(|task, ()| Ok(task.point()[0] * task.point()[0]))?;
    /// assert_eq!(squares.get()?, [0, 1, 4, 9]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn map<F, T>(self, leaf: F) -> Result<Future<Vec<T>>, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, LeafError> + Send + Sync + 'static,
        T: Clone + Send + Sync + 'static,
    {
        self.gather(leaf, Some)
    }

    /// Launches the task and keeps what `combine` makes of the values of all points.
    fn gather<F, T, U>(
        self,
        leaf: F,
        combine: impl Fn(Vec<T>) -> Option<U> + Send + Sync + 'static,
    ) -> Result<Future<U>, StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>) -> Result<T, LeafError> + Send + Sync + 'static,
        T: Clone + Send + Sync + 'static,
        U: Send + Sync + 'static,
    {
        let values: Arc<Values<T>> = Arc::default();
        let result = Arc::new(OnceLock::new());
        let runtime = self.runtime.clone();
        let (kept, cell) = (values.clone(), result.clone());
        let leaf = leaf_of::<A, _>(move |task, given, number| {
            let value = leaf(task, given)?;
            kept.0.lock().push((number, value));
            Ok(())
        });
        let parts: Arc<dyn Parts> = values.clone();
        let work = move || {
            let mut values = core::mem::take(&mut *values.0.lock());
            values.sort_by_key(|(number, _)| *number);
            if let Some(value) = combine(values.into_iter().map(|(_, value)| value).collect()) {
                let _ = cell.set(value);
            }
            Ok(())
        };
        let body: Arc<dyn Body> = Arc::new(Once { what: "combine values", work });
        let combine = Combine { body, parts, everywhere: true, claim: None, node: None };
        let (_, node) = self.submit(leaf, Some(combine))?;
        let node = node.unwrap_or_else(|| unreachable!("values are combined on every locale"));
        Ok(Future::new(runtime, node, result))
    }

    /// Puts the task into the graph, and gives the last node of it.
    fn submit<F>(mut self, leaf: F, more: Option<Combine>) -> Result<(Launched, Option<Arc<Node>>), StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), LeafError> + Send + Sync + 'static,
    {
        Engine::check_outside()?;
        let described = self.arguments.describe()?;
        if let Some(argument) = described
            .iter()
            .position(|argument| argument.root.as_ref().is_some_and(|root| !Arc::ptr_eq(&root.runtime, self.runtime)))
        {
            return Err(StoreError::Foreign { task: self.name.into_owned(), argument });
        }
        let cut = match self.domain {
            Some(domain) => Cut::Over(domain),
            None if self.single => Cut::Single,
            None => Cut::Auto(&self.rules),
        };
        let plan = Plan::new(&self.name, self.runtime, &described, &cut)?;
        let points = plan.points();
        let runtime = self.runtime.clone();

        // From here to the end launches come one after another.
        let mut program = runtime.program.lock();
        let claims = claims(&self.name, &described, &plan)?;
        for (number, claim) in claims.iter().filter(|(_, claim)| claim.write) {
            let key = plan.tilings[*number].clone();
            *claim.root.key.lock() = key.map(|tiling| (described[*number].transform.clone(), tiling));
        }
        self.arguments.prepare(points);
        let mut after = self.arguments.combine(&plan.rects);
        after.extend(more);
        let claims: SmallVec<[Claim; 4]> = claims.into_iter().map(|(_, claim)| claim).collect();

        let order = program.next(&runtime, (&self.name, plan.domain, footprints(&described)));
        let here = |number: &usize| place(*number, points, runtime.locales) == runtime.locale;
        let local: SmallVec<[usize; 4]> = (0..points).filter(here).collect();
        // Points have the first numbers, messages and what follows the later ones.
        let (mut number, mut nodes) = (points, Vec::new());
        runtime.engine.admit(local.len());
        let to = |number| place(number, points, runtime.locales);
        let mut exchanged = transfers(&runtime, order, &claims, &to, (&mut number, &mut nodes));

        let single = plan.single;
        let Plan { domain, rects, .. } = plan;
        let body: Arc<dyn Body> = Arc::new(Leaves { name: self.name, domain, rects, arguments: self.arguments, leaf });
        let leaves: SmallVec<[(usize, Arc<Node>); 4]> =
            local.iter().map(|number| (*number, Node::new(order, *number, body.clone()))).collect();
        drop(body);
        enlist_points(&claims, &leaves, &runtime);
        nodes.extend(leaves.iter().map(|(_, leaf)| leaf.clone()));
        let mut last = None;
        for combine in after {
            let given = (&mut number, &mut nodes);
            let before = deliver(&runtime, order, &combine.parts, combine.everywhere, (points, &leaves), given);
            let claim = combine.claim.map(|(root, rect)| Claim {
                root,
                rects: SmallVec::from_iter([rect]),
                read: true,
                write: true,
            });
            // What is combined at one locale is combined with the newest version.
            exchanged += transfers(&runtime, order, claim.as_slice(), &|_| 0, (&mut number, &mut nodes));
            number += 1;
            if combine.everywhere || runtime.locale == 0 {
                let node = Node::new(order, number, combine.body);
                runtime.engine.count(1);
                before.iter().for_each(|first| node.after(first, Edge::Data));
                enlist_points(claim.as_slice(), &[(0, node.clone())], &runtime);
                if let Some(set) = combine.node {
                    set(&node);
                }
                nodes.push(node.clone());
                last = Some(node);
            } else {
                enlist_points(claim.as_slice(), &[], &runtime);
            }
        }
        drop(program);
        nodes.iter().for_each(|node| runtime.engine.start(node));
        let last = last.or_else(|| nodes.pop());
        Ok((Launched { domain, single, exchanged }, last))
    }
}

/// Makes the points that run here wait for what they must, and takes note of what all points write, and where.
fn enlist_points(claims: &[Claim], leaves: &[(usize, Arc<Node>)], runtime: &Inner) {
    let nodes: SmallVec<[Arc<Node>; 4]> = leaves.iter().map(|(_, leaf)| leaf.clone()).collect();
    if runtime.net.is_none() {
        enlist(claims, &nodes);
        return;
    }
    for claim in claims {
        let points = claim.rects.len();
        if claim.write {
            for (number, rect) in claim.rects.iter().enumerate() {
                claim.root.uses.lock().note_written(rect);
                claim.root.note_written(rect, [place(number, points, runtime.locales)]);
            }
        }
        let rects = leaves.iter().map(|(number, _)| claim.rects[*number]).collect();
        if !leaves.is_empty() {
            enlist(&[Claim { root: claim.root.clone(), rects, read: claim.read, write: claim.write }], &nodes);
        }
    }
}

/// What arguments are of: the same on every locale.
fn footprints(arguments: &[Described]) -> SmallVec<[(u64, Rect, bool); 4]> {
    let what = |argument: &Described| {
        let root = argument.root.as_ref().map_or(u64::MAX, |root| root.id);
        (root, argument.transform.footprint(), argument.access > Access::Reduce)
    };
    arguments.iter().map(what).collect()
}

/// The values that points returned.
struct Values<T>(Mutex<Vec<(usize, T)>>);

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Send + Sync + 'static> Parts for Values<T> {
    fn give(&self, number: usize, _: bool) -> (Box<dyn core::any::Any + Send>, usize) {
        let values = self.0.lock();
        let value = values.iter().find(|(point, _)| *point == number).map(|(_, value)| value.clone());
        (Box::new(value), size_of::<T>())
    }

    fn put(&self, number: usize, value: Box<dyn core::any::Any + Send>) {
        if let Ok(value) = value.downcast::<Option<T>>()
            && let Some(value) = *value
        {
            self.0.lock().push((number, value));
        }
    }
}

/// The closure, known to take arguments of any lifetime.
fn leaf_of<A: Arguments, F>(leaf: F) -> F
where
    F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), LeafError>,
{
    leaf
}
