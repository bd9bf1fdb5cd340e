//! Launches: a plan becomes nodes in the graph, which are started.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use smallvec::SmallVec;

use super::arguments::{Arguments, At, Combine, Combiners, Following, Placed};
use super::builder::{Given, TaskBuilder};
use super::checks::{check_local, claims};
use super::combine::{combine_all, owners_of};
use super::context::Task;
use super::image;
use super::plan::{Cut, Described, Plan, check_rules_of_single};
use super::report::Launched;
use crate::error::StoreError;
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Engine, Node, Nodes, Pool, Row, Shared, TaskBodyError, caught};
use crate::locale::{
    Claim, Exchanged, Gathered, Locale, Outbound, Places, Purpose, copies, enlist, gather, settle, transfers,
};
use crate::partition::{Access, Placement};
use crate::profile::Recorder;

/// The body of all points of a launch.
struct TaskBody<A, F> {
    common: Common,
    arguments: A,
    body: F,
}

/// The part of a task body that does not depend on the types of the arguments.
struct Common {
    name: Cow<'static, str>,
    plan: Arc<Plan>,
    /// The instances of the points of this locale for each argument, if no locale has the whole store; otherwise empty.
    places: SmallVec<[Option<Places>; 3]>,
    /// The recorder of a profile, and the number of the launch in it.
    recorder: Option<(Arc<Recorder>, usize)>,
}

impl Common {
    fn rects(&self, number: usize) -> SmallVec<[Rect; 4]> {
        self.plan.parts.iter().map(|part| part.rects.rect(number)).collect()
    }

    fn task(&self, number: usize) -> Task {
        Task { name: self.name.clone(), point: self.point(number), number, plan: self.plan.clone() }
    }

    fn point(&self, number: usize) -> Point {
        self.plan.domain.nth(number)
    }
}

impl<A: Arguments, F> TaskBody<A, F>
where
    F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), TaskBodyError> + Send + Sync,
{
    fn run_point(&self, number: usize) -> Result<(), Cause> {
        let common = &self.common;
        let mut held = self.arguments.hold(&common.rects(number), At { places: &common.places, point: number })?;
        let task = common.task(number);
        let start = common.recorder.as_ref().map(|_| Instant::now());
        let result = A::give(&mut held).and_then(|given| Ok((self.body)(&task, given, number)?));
        if let (Some((recorder, entry)), Some(start)) = (&common.recorder, start) {
            recorder.ran(*entry, task.point, (start, A::relaid(&held)));
        }
        result?;
        self.arguments.keep(held, number)
    }
}

impl<A: Arguments, F> Body for TaskBody<A, F>
where
    F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), TaskBodyError> + Send + Sync,
{
    fn run(&self, number: usize) -> Result<(), Cause> {
        caught(|| self.run_point(number))
    }

    fn label(&self, number: usize) -> (String, Point) {
        (self.common.name.to_string(), self.common.point(number))
    }
}

/// The part of a launch that depends on the types of arguments and body. These few functions are compiled for each task;
/// [`TaskBuilder::enqueue_described`], which is long, is compiled once.
trait Typed {
    /// [`Arguments::prepare`].
    fn prepare(&mut self, points: Placed<'_>);
    /// [`Arguments::combine`].
    fn combine(&mut self, plan: &Plan, owners: &Combiners) -> Vec<Combine>;
    /// Takes memory for the body of this number of points, at least one.
    fn place(&mut self, nodes: &Pool, points: usize) -> Arc<dyn Body>;
    /// Makes points wait for the values that they take from earlier launches, and moves their body into that memory.
    fn fill(&mut self, points: &Nodes, common: Common);
}

/// Arguments and a body, until they are moved into their memory.
struct Launching<A, F> {
    typed: Option<(A, F)>,
    place: Option<Arc<Shared<TaskBody<A, F>>>>,
}

impl<A: Arguments, F> Typed for Launching<A, F>
where
    F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), TaskBodyError> + Send + Sync + 'static,
{
    fn prepare(&mut self, points: Placed<'_>) {
        if let Some((arguments, _)) = &mut self.typed {
            arguments.prepare(points);
        }
    }

    fn combine(&mut self, plan: &Plan, owners: &Combiners) -> Vec<Combine> {
        self.typed.as_mut().map_or_else(Vec::new, |(arguments, _)| arguments.combine(plan, owners))
    }

    fn place(&mut self, nodes: &Pool, points: usize) -> Arc<dyn Body> {
        self.place.insert(nodes.place(points, Row::Body)).clone()
    }

    fn fill(&mut self, points: &Nodes, common: Common) {
        if let (Some((arguments, body)), Some(place)) = (self.typed.take(), self.place.take()) {
            points.iter().for_each(|point| arguments.follow(Following(point)));
            place.fill(TaskBody { common, arguments, body });
        }
    }
}

impl<A: Arguments> TaskBuilder<'_, A> {
    /// Adds the task to the graph, and returns its last node.
    pub(super) fn enqueue<F>(
        self,
        body: F,
        gathered: Option<Arc<dyn Gathered>>,
    ) -> Result<(Launched, Option<Arc<Node>>), StoreError>
    where
        F: for<'a> Fn(&'a Task, A::Given<'a>, usize) -> Result<(), TaskBodyError> + Send + Sync + 'static,
    {
        let Self { launcher, name, arguments, rules, given, single, mapper } = self;
        Engine::check_outside()?;
        let _clock = launcher.locale.engine.meter.clock(Row::Plan);
        let plans = launcher.locale.plans();
        let described = arguments.describe()?;
        let untyped = TaskBuilder { launcher, name, arguments: (), rules, given, single, mapper };
        let mut typed = Launching { typed: Some((arguments, body)), place: None };
        untyped.enqueue_described((described.as_ref(), plans), &mut typed, gathered)
    }
}

impl TaskBuilder<'_, ()> {
    /// Adds a task to the graph whose arguments and body are in `typed`; `plans` is the number of plans before the arguments were
    /// described.
    fn enqueue_described(
        self,
        (described, plans): (&[Described], u64),
        typed: &mut dyn Typed,
        gathered: Option<Arc<dyn Gathered>>,
    ) -> Result<(Launched, Option<Arc<Node>>), StoreError> {
        if let Some(argument) =
            described.iter().position(|argument| !Arc::ptr_eq(&argument.locale, &self.launcher.locale))
        {
            return Err(StoreError::Foreign { task: self.name.into_owned(), argument });
        }
        if described.len() > 1 {
            let targets = described.iter().filter_map(|argument| argument.target.as_ref());
            let mut all = targets.clone().enumerate();
            if !all.all(|(number, target)| targets.clone().take(number).all(|other| !Arc::ptr_eq(other, target))) {
                return Err(StoreError::Bound);
            }
        }
        let by_hand = self.given.is_some() || described.iter().any(|argument| argument.manual.is_some());
        if by_hand && !self.rules.is_empty() {
            return Err(StoreError::ByHand { task: self.name.into_owned() });
        }
        let cut = match self.given.as_deref() {
            Some(given) => Cut::Given(given),
            None if self.single => {
                check_rules_of_single(described, &self.rules)?;
                Cut::Single
            }
            None => Cut::Auto(&self.rules),
        };
        let (launcher, locale) = (self.launcher.clone(), self.launcher.locale.clone());
        let (plan, placement, mut program) = loop {
            let versions = image::versions(&self.rules);
            let plan = Plan::of(&self.name, self.launcher, described, &cut, self.mapper.as_deref())?;
            let placement = match (self.given.as_deref(), self.mapper.as_deref()) {
                (Some(Given::Tiles(.., Some(placement))), _) => placement.clone(),
                (_, None) if locale.net.is_none() => Placement::first(plan.points),
                (_, mapper) => plan.placement(&self.name, described, mapper, &locale)?,
            };
            // From here to the end of this function, launches come one after another.
            let program = locale.program.lock();
            // Another thread may have launched a writer of the values by which this launch is cut.
            if versions.is_empty() || versions == image::versions(&self.rules) {
                break (plan, placement, program);
            }
        };
        // Another thread may have launched a task that emits to the same store.
        if described.iter().any(Described::is_bound) {
            return Err(StoreError::Bound);
        }
        let points = plan.points;
        let mut claims = claims(&self.name, described, &plan, &placement)?;
        let mut owners = Vec::new();
        if described.iter().any(|argument| argument.access == Access::Reduce) {
            owners = owners_of(&self.name, self.launcher, described, &plan, &placement)?;
        }
        let tells = gathered.as_ref().is_some_and(|gathered| !gathered.stays());
        if locale.is_in_scope() {
            check_local(&self.name, described, (&claims, &owners), (&placement, tells))?;
        }
        // Nothing has changed so far: this may refuse.
        let order = locale
            .operate(&mut program, || plan.operation(self.name.clone(), described, &self.rules, &placement, tells))?;
        // A planner makes no nodes.
        let most = if locale.planned.is_some() { 0 } else { points };
        let here = placement.points_of(locale.number).take(most);
        // Points have the first numbers; messages and later work have the following ones.
        let (mut number, mut out) = (points, Outbound::default());
        let (mut places, mut grown) = (SmallVec::new(), Vec::new());
        // This may wait for memory, and so for all nodes that are counted: it comes before nodes of this launch are.
        if claims.iter().any(|claim| claim.root.divided().is_some()) {
            grown = settle(&locale, &mut claims, (&placement, Purpose::Home));
            // Claims are in the order of arguments, without arguments that use no store.
            let mut claims = claims.iter();
            places.extend(described.iter().map(|argument| {
                if argument.claims() { claims.next().and_then(|claim| claim.places.clone()) } else { None }
            }));
        }
        let admitted = locale.admit(here.len());
        grown.into_iter().for_each(|(root, moves)| copies(&locale, order, &root, moves, (number, &mut out.nodes)));
        if let Err(error) = admitted {
            // Keys and emissions stay as they are, since there will be no points.
            locale.engine.start_new(out.nodes);
            return Err(error);
        }
        for (argument, part) in described.iter().zip(&plan.parts) {
            if let (Access::Write | Access::Update, Some(root)) = (argument.access, &argument.root) {
                root.images.forget();
                *root.key.lock() = part.key(argument, &placement);
            }
        }
        typed.prepare(Placed(&placement));
        let after = typed.combine(&plan, &Combiners(owners));
        let mut exchanged = Exchanged::default();
        after.iter().filter_map(|combine| combine.parts.sent()).for_each(|sent| exchanged.sends(sent));

        locale.planned.iter().for_each(|planned| planned.begin(&self.name, plan.domain));
        let recorder = launcher.recorder.as_ref().map(|recorder| (recorder.clone(), recorder.entry(&self.name)));
        let recorded = recorder.clone().map(|recorder| (recorder, described.iter().any(Described::is_strided)));
        let body = typed.place(&locale.engine.nodes, here.len().max(1));
        let points_here = locale.engine.nodes.take(order.number, here, &body);
        if points_here.is_empty() {
            out.unused.push(body);
        }
        typed.fill(&points_here, Common { name: self.name.clone(), plan: plan.clone(), places, recorder });
        let numbers = (0..).zip(described).filter(|(_, argument)| argument.claims()).map(|(number, _)| number);
        let read = numbers.zip(&claims);
        transfers(&locale, order, read, &placement, (&mut out, &mut exchanged));

        enlist_points(&claims, (&points_here, 0), &locale, &placement);
        let mut last = None;
        if !after.is_empty() {
            let task = (order, &self.name, &plan.domain);
            let given = (&mut number, &mut out, &mut exchanged);
            last = combine_all(&locale, task, after, (&placement, &points_here), given);
        }
        if let Some(gathered) = &gathered {
            let given = (&mut number, &mut out.nodes);
            let task = (order, &self.name, &plan.domain);
            last = Some(gather(&locale, task, gathered, (&placement, &points_here), given));
        }
        let written = claims.iter().filter(|claim| claim.write).filter_map(|claim| claim.root.divided());
        written.for_each(|divided| divided.sweep(&locale.budget));
        drop(program);
        if let Some(((recorder, entry), strided)) = recorded {
            let planned = locale.plans() != plans;
            recorder.launched(entry, (exchanged.planned(), exchanged.sent()), (strided, planned), plan.single.as_ref());
        }
        locale.engine.start_all(&points_here);
        if !out.nodes.is_empty() {
            locale.engine.start_new(out.nodes);
        }
        out.unused.into_iter().for_each(|body| locale.engine.drop_unused(order.number, body));
        launcher.give_back(self.rules);
        Ok((Launched { plan, exchanged }, last))
    }
}

/// Makes the points of this locale wait for earlier uses, and records the elements that all points write, and the locales. `first` is the
/// number of the first point.
pub(super) fn enlist_points(
    claims: &[Claim],
    (points_here, first): (&Nodes, usize),
    locale: &Locale,
    placement: &Placement,
) {
    if locale.net.is_none() && locale.planned.is_none() {
        enlist(claims, points_here);
        return;
    }
    for claim in claims {
        claim.wrote.iter().for_each(|wrote| claim.root.uses.lock().note_tiles(wrote));
        if claim.write {
            claim.root.tiles_written(&claim.tiles, placement, claim.places.as_ref());
        }
        let after = if claim.write { claim.root.uses.lock().newest() } else { 0 };
        if !points_here.is_empty() {
            let tiles = claim.tiles.only(points_here.iter().map(|node| node.order.1 - first));
            enlist(&[Claim::new(&claim.root, tiles, (claim.read, claim.write))], points_here);
        }
        if claim.write {
            claim.root.uses.lock().note_elsewhere(after, &claim.tiles, (placement, locale.number));
        }
    }
}
