//! A cache of plans for launches of the same shape.

use core::hash::{BuildHasherDefault, Hash, Hasher};
use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use super::builder::Given;
use super::constrain::Rule;
use super::plan::{Cut, Described, Plan};
use crate::geometry::{Rect, Transform};
use crate::locale::Fingerprint;
use crate::partition::{Access, Constraint, Single, Tiling};

/// Everything on which a plan depends.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pieces: i64,
    over: Option<Rect>,
    constraints: SmallVec<[Constraint; 2]>,
    arguments: SmallVec<[ShapeOf; 3]>,
}

/// The parts of an argument on which a plan depends.
#[derive(PartialEq, Eq)]
struct ShapeOf {
    transform: Arc<Transform>,
    element: usize,
    access: Access,
    joined: bool,
    key: Option<Arc<Tiling>>,
    manual: Option<Arc<Tiling>>,
}

impl Hash for ShapeOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.transform.extents(), &self.key, &self.manual, self.access as u8).hash(state);
    }
}

impl Shape {
    /// The shape of a launch; `None` if its plan depends on values or on a function, or if there is one point.
    pub(super) fn of(
        arguments: &[Described],
        cut: &Cut<'_>,
        pieces: i64,
        keys: &[Option<Arc<Tiling>>],
    ) -> Option<Self> {
        let (over, rules) = match cut {
            Cut::Single | Cut::Given(Given::Tiles(..)) => return None,
            Cut::Given(Given::Points(domain)) => (Some(*domain), &[][..]),
            Cut::Auto(rules) => (None, *rules),
        };
        let projected =
            |argument: &Described| argument.manual.as_ref().is_some_and(|manual| manual.projection.is_some());
        let unknown = |rule: &Rule| {
            rule.values.is_some() || matches!(&rule.constraint, Constraint::Follow { map, .. } if map.is_own())
        };
        if rules.iter().any(unknown) || arguments.iter().any(projected) {
            return None;
        }
        let shape_of = |(argument, key): (&Described, &Option<Arc<Tiling>>)| ShapeOf {
            transform: argument.transform.clone(),
            element: argument.element(),
            access: argument.access,
            joined: argument.is_joined(),
            key: key.clone(),
            manual: argument.manual.as_ref().map(|manual| manual.tiling.clone()),
        };
        let arguments = arguments.iter().zip(keys).map(shape_of).collect();
        let constraints = rules.iter().map(|rule| rule.constraint.clone()).collect();
        Some(Self { pieces, over, constraints, arguments })
    }
}

/// Plans by shape: a bounded number of them, and the last one that is too large to be kept with others.
#[derive(Default)]
pub(crate) struct PlanCache {
    plans: HashMap<Shape, Arc<Plan>, BuildHasherDefault<Fingerprint>>,
    /// The number of boxes in all plans.
    boxes: usize,
    large: Option<(Shape, Arc<Plan>)>,
    /// The last plans of launches of a single point that gets everything.
    singles: SmallVec<[Arc<Plan>; SINGLES]>,
    /// The number of the next one that is replaced.
    oldest: usize,
}

/// The number of plans of one point that are searched: in most loops, no more launches have different arguments.
const SINGLES: usize = 8;

/// The largest number of boxes in plans, of about 100 bytes each, before all plans are forgotten.
const MOST_BOXES: usize = 1 << 18;

impl PlanCache {
    /// The plan of a single point that gets everything; an earlier plan if it has the same roots.
    pub(super) fn single(&mut self, arguments: &[Described], why: Option<Single>) -> Arc<Plan> {
        if !arguments.iter().all(Described::is_whole) {
            return Plan::single(arguments, why);
        }
        if let Some(plan) = self.singles.iter().find(|plan| plan.is_single_of(arguments, why.as_ref())) {
            return plan.clone();
        }
        let plan = Plan::single(arguments, why);
        if self.singles.len() < SINGLES {
            self.singles.push(plan.clone());
        } else {
            self.singles[self.oldest] = plan.clone();
            self.oldest = (self.oldest + 1) % SINGLES;
        }
        plan
    }

    pub(super) fn get(&self, shape: &Shape) -> Option<Arc<Plan>> {
        let large = || self.large.as_ref().filter(|(of, _)| of == shape).map(|(_, plan)| plan);
        self.plans.get(shape).or_else(large).cloned()
    }

    pub(super) fn insert(&mut self, shape: Shape, plan: &Arc<Plan>) {
        let boxes = 8 + 2 * plan.parts.iter().map(|part| part.rects.len()).sum::<usize>();
        if boxes > MOST_BOXES {
            self.large = Some((shape, plan.clone()));
            return;
        }
        if self.boxes + boxes > MOST_BOXES {
            (self.plans, self.boxes) = (HashMap::default(), 0);
        }
        self.boxes += boxes;
        self.plans.insert(shape, plan.clone());
    }
}
