//! The plan of a launch: its points, and the indices of each argument that each point gets.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::builder::Given;
use super::constrain::{Rule, Values};
use super::launcher::Launcher;
use super::order::Order;
use super::plan_cache::Shape;
use crate::error::StoreError;
use crate::geometry::{Grid, Point, Rect, Runs, Side, Transform};
use crate::graph::Tiles;
use crate::locale::{Argument as OperationArgument, Launch, Locale, Operation, Root, fingerprint};
use crate::partition::{
    Access, Argument, Constraint, Fewer, ImageHint, Mapper, NoLocale, Partition, PartitionError, Placement, Single,
    Tiling, solve,
};
use crate::sync::Mutex;

/// What a launch knows of an argument.
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct Described {
    pub(crate) locale: Arc<Locale>,
    /// `None` for an argument that has no elements before the task ran.
    pub(crate) root: Option<Arc<Root>>,
    pub(crate) transform: Arc<Transform>,
    pub(crate) access: Access,
    /// The function by which it is made.
    pub(crate) call: &'static str,
    pub(crate) manual: Option<Manual>,
    /// Where the points must run, if that is known.
    pub(crate) placement: Option<Placement>,
    /// How its elements are to lie in memory.
    pub(crate) order: Option<Arc<Order>>,
}

impl Described {
    /// An argument of values that are in no store, made by this function.
    pub(super) fn values(
        call: &'static str,
        locale: &Arc<Locale>,
        placement: Option<Placement>,
    ) -> Result<Self, StoreError> {
        let (locale, transform) = (locale.clone(), Transform::shared(Point::EMPTY)?);
        let (root, access, manual, order) = (None, Access::Read, None, None);
        Ok(Self { locale, root, transform, access, call, manual, placement, order })
    }

    /// Whether it is all of its root, as that was created.
    pub(super) fn is_whole(&self) -> bool {
        self.root.is_some() && self.transform.is_identity()
    }

    /// Whether its elements share bytes, so that no two tiles can be written at once.
    pub(super) fn is_joined(&self) -> bool {
        self.root.as_ref().is_some_and(|root| root.storage.is_joined())
    }

    /// Whether neighbours along its last dimension are not neighbours in memory.
    pub(super) fn is_strided(&self) -> bool {
        let strided = |root: &Arc<Root>| {
            let last = self.transform.rank().checked_sub(1).filter(|last| self.transform.extents()[*last] > 1);
            last.is_some_and(|last| match &self.order {
                None => !root.storage.is_dense(&self.transform.column(last)),
                Some(order) => !order.is_dense(root, &self.transform),
            })
        };
        self.access != Access::Reduce && self.root.as_ref().is_some_and(strided)
    }

    /// Tiles by arithmetic, where locales run few of the points each: who runs all of them keeps a list.
    fn by_arithmetic(&self, grid: impl FnOnce() -> Option<Grid>) -> Option<Tiles> {
        if self.locale.count > 1 { grid().map(Tiles::from) } else { None }
    }

    /// The size of its records in bytes.
    pub(super) fn element(&self) -> usize {
        self.root.as_ref().map_or(0, |root| root.element)
    }

    /// The tiling by which its root was last written, if that was through the same view.
    pub(super) fn key(&self) -> Option<Arc<Tiling>> {
        self.root.as_ref()?.key_of(&self.transform)
    }
}

/// A launch has no more points than this: each takes about a kilobyte until it is done.
const MOST_POINTS: i64 = 1 << 24;

/// For so many launches of a plan what all locales must do alike is kept.
const MOST_LAUNCHES: usize = 8;

/// How the user cut an argument.
#[derive(Clone)]
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct Manual {
    pub(crate) tiling: Arc<Tiling>,
    /// From points of the launch to colours; by default the same.
    pub(crate) projection: Option<Arc<dyn Fn(Point) -> Point + Send + Sync>>,
}

/// The points of a launch.
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct Plan {
    pub(crate) domain: Rect,
    /// How many there are.
    pub(crate) points: usize,
    /// One for each argument.
    pub(crate) parts: SmallVec<[Part; 2]>,
    /// Why there is one point only, where the runtime chose.
    pub(crate) single: Option<Single>,
    /// Why there are fewer points than pieces.
    pub(crate) fewer: Option<Fewer>,
    /// Of the tiles of each argument, once they are asked for.
    fingerprints: OnceLock<SmallVec<[u64; 2]>>,
    /// The newest launches of this plan, as all locales must do them: with other stores, or elsewhere.
    launches: Mutex<Vec<Arc<Launch>>>,
    /// Where the points run by the mapper that was last asked.
    placed: Mutex<Option<Box<(Mapper, Placement)>>>,
}

/// What the points get of an argument.
pub(crate) struct Part {
    /// Indices of the store that was given.
    pub(crate) rects: Arc<Tiles>,
    /// Elements of its root.
    pub(crate) elements: Arc<Tiles>,
    /// Those, and all that share bytes with them.
    pub(crate) root: Arc<Tiles>,
    /// The tiling by which it is cut.
    pub(crate) tiling: Option<Arc<Tiling>>,
    /// If it is written: two points that would write the same elements.
    pub(crate) overlap: Option<Box<(usize, usize, Rect)>>,
    /// The indices that points were said to use, if not all in their boxes.
    pub(crate) runs: Option<Arc<Runs>>,
}

impl Part {
    /// All that the argument shows.
    fn whole(argument: &Described) -> Self {
        match &argument.root {
            Some(root) if argument.transform.is_identity() => {
                let tiles = root.tiles();
                let (rects, elements, root) = (tiles.clone(), tiles.clone(), tiles.clone());
                Self { rects, elements, root, tiling: None, overlap: None, runs: None }
            }
            _ => Self::new(argument, Tiles::one(Rect::of(argument.transform.extents())), None),
        }
    }

    fn new(argument: &Described, rects: impl Into<Arc<Tiles>>, tiling: Option<Arc<Tiling>>) -> Self {
        let rects: Arc<Tiles> = rects.into();
        let elements = if argument.transform.is_transformed() {
            let grid = rects.grid().and_then(|grid| grid.through(&argument.transform));
            let list = || rects.map(|rect| argument.transform.root_rect(rect));
            Arc::new(grid.map_or_else(list, Tiles::from))
        } else {
            rects.clone()
        };
        let root: Arc<Tiles> = match &argument.root {
            Some(root) if root.storage.is_joined() => Arc::new(elements.map(|rect| root.storage.reach(rect))),
            _ => elements.clone(),
        };
        // Tiles of one tiling are disjoint, and so are their elements, unless several indices are one element.
        let imaginary = (0..argument.transform.rank()).any(|dim| argument.transform.is_imaginary(dim));
        let may_overlap = argument.access >= Access::Write && (tiling.is_none() || imaginary);
        let overlap = if may_overlap { root.own_overlap().map(Box::new) } else { None };
        Self { rects, elements, root, tiling, overlap, runs: None }
    }
}

/// How a launch is to be cut.
pub(super) enum Cut<'a> {
    /// As the constraints say.
    Auto(&'a [Rule]),
    /// One point.
    Single,
    /// Over what was given.
    Given(&'a Given),
}

impl Plan {
    /// The plan of a launch with these arguments: an old one, if there was a launch like it.
    pub(super) fn of(
        task: &str,
        launcher: &Arc<Launcher>,
        arguments: &[Described],
        cut: &Cut<'_>,
    ) -> Result<Arc<Self>, StoreError> {
        let most = arguments.iter().map(|argument| argument.transform.volume()).max().unwrap_or(0);
        let small = most < launcher.min_chunk;
        let pieces = if small { 1 } else { launcher.pieces };
        let few = (small && launcher.pieces > 1).then_some(Single::FewElements { most, least: launcher.min_chunk });
        let keys: SmallVec<[Option<Arc<Tiling>>; 4]> = match cut {
            Cut::Auto(_) if arguments.iter().all(|argument| argument.manual.is_none()) => {
                arguments.iter().map(Described::key).collect()
            }
            // Tiles that are given do not depend on those of before.
            _ => arguments.iter().map(|_| None).collect(),
        };
        // One point that sees all needs no solver.
        let single = match cut {
            Cut::Single => Some(None),
            Cut::Given(_) => None,
            Cut::Auto(rules) => {
                let is_whole = pieces <= 1
                    && rules.is_empty()
                    && arguments.iter().zip(&keys).all(|(argument, key)| argument.manual.is_none() && key.is_none());
                is_whole.then(|| Some(few.clone().unwrap_or(Single::OneProcessor)))
            }
        };
        if let Some(why) = single {
            return Ok(launcher.plans.lock().single(arguments, why));
        }
        let Some(shape) = Shape::of(arguments, cut, pieces, &keys) else {
            return Self::new(task, launcher, (pieces, few), arguments, cut, &keys);
        };
        if let Some(plan) = launcher.plans.lock().get(&shape) {
            return Ok(plan);
        }
        let plan = Self::new(task, launcher, (pieces, few), arguments, cut, &keys)?;
        launcher.locale.made_plan();
        launcher.plans.lock().insert(shape, &plan);
        Ok(plan)
    }

    fn new(
        task: &str,
        launcher: &Arc<Launcher>,
        (pieces, few): (i64, Option<Single>),
        arguments: &[Described],
        cut: &Cut<'_>,
        keys: &[Option<Arc<Tiling>>],
    ) -> Result<Arc<Self>, StoreError> {
        let manual = arguments.iter().find_map(|argument| argument.manual.as_ref());
        let plan = match (cut, manual) {
            (Cut::Single, _) => Self::single(arguments, None),
            (Cut::Given(Given::Points(domain)), _) => Self::over(task, *domain, arguments)?,
            (Cut::Given(Given::Tiles(tiles, tiling)), _) => Self::over_tiles(&arguments[0], tiles, tiling),
            (Cut::Auto(_), Some(manual)) => Self::over(task, Rect::of(manual.tiling.colors()), arguments)?,
            (Cut::Auto(rules), None) => Self::solved(launcher, (pieces, few), arguments, rules, keys)?,
        };
        let joined = |argument: &Described| argument.access >= Access::Write && argument.is_joined();
        match arguments.iter().position(joined) {
            Some(argument) if plan.points > 1 => Ok(Self::single(arguments, Some(Single::SharedBytes { argument }))),
            _ => Ok(plan),
        }
    }

    /// The launch, as all locales must do it.
    pub(super) fn operation(
        &self,
        task: Cow<'static, str>,
        arguments: &[Described],
        rules: &[Rule],
        placement: &Placement,
    ) -> Operation {
        let fingerprints =
            self.fingerprints.get_or_init(|| self.parts.iter().map(|part| fingerprint(&*part.root)).collect());
        let argument = |((argument, part), tiles): ((&Described, &Part), &u64)| OperationArgument {
            call: argument.call,
            store: argument.root.as_ref().map(|root| root.id),
            shown: argument.transform.footprint(),
            tile: part.rects.rect(0).extents(),
            tiles: *tiles,
        };
        let arguments = arguments.iter().zip(&self.parts).zip(fingerprints).map(argument);
        let mut launches = self.launches.lock();
        let is = |launch: &&Arc<Launch>| {
            let constraints = || launch.constraints.iter().eq(rules.iter().map(|rule| &rule.constraint));
            launch.placement == *placement
                && launch.arguments.iter().zip(arguments.clone()).all(|(a, b)| *a == b)
                && constraints()
        };
        if let Some(launch) = launches.iter().find(is) {
            return Operation::Launch { task, launch: launch.clone() };
        }
        let constraints = rules.iter().map(|rule| rule.constraint.clone()).collect();
        let launch = Arc::new(Launch::new(self.domain, arguments.collect(), constraints, placement.clone()));
        if launches.len() == MOST_LAUNCHES {
            launches.remove(0);
        }
        launches.push(launch.clone());
        Operation::Launch { task, launch }
    }

    /// Where the points run: as a mapper says, or else where the first argument has its tiles that was last written by the same
    /// ones.
    pub(super) fn placement(
        &self,
        task: &str,
        arguments: &[Described],
        mapper: Option<&Mapper>,
        locale: &Locale,
    ) -> Result<Placement, StoreError> {
        let kept = |(argument, part): (&Described, &Part)| {
            let placement = argument.root.as_ref()?.placement_of(&argument.transform, part.tiling.as_ref()?)?;
            (placement.count() == self.points).then_some(placement)
        };
        if mapper.is_none() {
            let fixed = arguments.iter().find_map(|argument| argument.placement.clone());
            if let Some(placement) = fixed.or_else(|| arguments.iter().zip(&self.parts).find_map(kept)) {
                return Ok(placement);
            }
        }
        let mapper = mapper.cloned().unwrap_or_default();
        let known = self.placed.lock().as_ref().filter(|known| known.0.is(&mapper)).map(|known| known.1.clone());
        if let Some(placement) = known {
            return Ok(placement);
        }
        let refused = |NoLocale { point, locale: given }| StoreError::MapperLocale {
            task: task.to_owned(),
            point: point.into(),
            locale: given,
            locales: locale.count,
        };
        let placement = mapper.place(&self.domain, locale.count).map_err(refused)?;
        *self.placed.lock() = Some(Box::new((mapper, placement.clone())));
        Ok(placement)
    }

    /// Whether it is that of [`single`](Self::single) for these arguments, which are all of their roots.
    pub(super) fn is_single_of(&self, arguments: &[Described], single: Option<&Single>) -> bool {
        let is_of = |(part, argument): (&Part, &Described)| {
            argument.root.as_ref().is_some_and(|root| Arc::ptr_eq(&part.rects, root.tiles()))
        };
        self.parts.len() == arguments.len()
            && self.parts.iter().zip(arguments).all(is_of)
            && self.single.as_ref() == single
    }

    /// Of one point that sees all.
    pub(super) fn single(arguments: &[Described], single: Option<Single>) -> Arc<Self> {
        Self::made(Rect::of([1].into()), arguments.iter().map(Part::whole).collect(), (single, None))
    }

    fn made(domain: Rect, parts: SmallVec<[Part; 2]>, why: (Option<Single>, Option<Fewer>)) -> Arc<Self> {
        let (single, fewer) = why;
        let points = usize::try_from(domain.volume()).unwrap_or(usize::MAX);
        let (fingerprints, launches, placed) = (OnceLock::new(), Mutex::default(), Mutex::default());
        Arc::new(Self { domain, points, parts, single, fewer, fingerprints, launches, placed })
    }

    /// As the solver says; `few` is why there is one piece, where there are more processors.
    fn solved(
        launcher: &Arc<Launcher>,
        (pieces, few): (i64, Option<Single>),
        arguments: &[Described],
        rules: &[Rule],
        keys: &[Option<Arc<Tiling>>],
    ) -> Result<Arc<Self>, StoreError> {
        let solver: Vec<Argument<'_>> = arguments
            .iter()
            .zip(keys)
            .map(|(argument, key)| Argument {
                transform: &argument.transform,
                element: argument.element(),
                access: argument.access,
                key: key.as_deref().cloned(),
            })
            .collect();
        let constraints: Vec<Constraint> = rules.iter().map(|rule| rule.constraint.clone()).collect();
        let mut solved = solve(&solver, &constraints, pieces).map_err(|error| match (error, &few) {
            (PartitionError::MustPartition { argument, .. }, Some(few)) => {
                PartitionError::MustPartition { argument, why: few.to_string() }
            }
            (error, _) => error,
        })?;
        if solved.single == Some(Single::OneProcessor) && few.is_some() {
            solved.single = few;
        }
        let domain = solved.domain();
        let mut tiles: SmallVec<[Option<Tiles>; 4]> = arguments.iter().map(|_| None).collect();
        let mut runs: SmallVec<[Option<Arc<Runs>>; 4]> = arguments.iter().map(|_| None).collect();
        // For each image and each point, what the values point to; unclipped, for what follows it.
        let mut bounds: SmallVec<[Option<Vec<Rect>>; 4]> = arguments.iter().map(|_| None).collect();
        // A function may itself be, or follow, an image of another one: each comes after what it follows.
        while tiles.iter().any(Option::is_none) {
            for (number, argument) in arguments.iter().enumerate() {
                if tiles[number].is_some() {
                    continue;
                }
                if let Partition::Image { function, hint, .. } = &solved.partitions[number] {
                    let (tiling, function) = (&solved.partitions[*function], &tiles[*function]);
                    let Some(function) = function else { continue };
                    let extents = argument.transform.extents();
                    bounds[number] = Some(match values_of(rules, number) {
                        // Nobody knows the values.
                        None => vec![Rect::of(extents); function.len()],
                        Some(values) => {
                            let tiling = match tiling {
                                Partition::Tiles(tiling) => Some(Arc::new(tiling.clone())),
                                _ => None,
                            };
                            let reached = values(launcher, (function.rects(), tiling), *hint)?;
                            let of: Option<_> = reached.iter().map(|reached| reached.runs.clone()).collect();
                            let transform = argument.transform.clone();
                            runs[number] = of.map(|of| Runs { of, transform }.into());
                            reached.iter().map(|reached| reached.bounds).collect()
                        }
                    });
                }
                // The body is told what a precise image points to, whether it is cut or not.
                if let (Partition::Whole, Some((values, function))) =
                    (&solved.partitions[number], precise(rules, number))
                {
                    let all = Rect::of(arguments[function].transform.extents());
                    let reached = values(launcher, (&[all], None), ImageHint::Precise)?.swap_remove(0).runs;
                    let of = reached.map(|runs| vec![runs; domain.points().count()]);
                    runs[number] = of.map(|of| Runs { of, transform: argument.transform.clone() }.into());
                }
                if solved.image_below(number).is_some_and(|image| bounds[image].is_none()) {
                    continue;
                }
                let rect = |(point, at): (usize, Point)| {
                    solved.rect_with(number, &at, &|image| bounds[image].as_ref().map(|bounds| bounds[point]))
                };
                tiles[number] = Some(match argument.by_arithmetic(|| solved.grid(number)) {
                    Some(tiles) => tiles,
                    None => domain.points().enumerate().map(rect).collect::<Result<Vec<_>, _>>()?.into_iter().collect(),
                });
            }
        }
        let mut parts = SmallVec::new();
        let tiles = tiles.into_iter().flatten().zip(runs);
        for ((argument, (tiles, runs)), partition) in arguments.iter().zip(tiles).zip(&solved.partitions) {
            let tiling = match partition {
                Partition::Tiles(tiling) => Some(Arc::new(tiling.clone())),
                _ => None,
            };
            parts.push(Part { runs, ..Part::new(argument, tiles, tiling) });
        }
        Ok(Self::made(domain, parts, (solved.single, solved.fewer)))
    }

    /// Over boxes of an argument.
    fn over_tiles(argument: &Described, tiles: &Arc<Tiles>, tiling: &Option<Arc<Tiling>>) -> Arc<Self> {
        let points = i64::try_from(tiles.len()).unwrap_or(i64::MAX);
        let part = Part::new(argument, tiles.clone(), tiling.clone());
        Self::made(Rect::of([points].into()), SmallVec::from_iter([part]), (None, None))
    }

    /// Over the points that the user gave.
    fn over(task: &str, domain: Rect, arguments: &[Described]) -> Result<Arc<Self>, StoreError> {
        if domain.is_empty() {
            return Err(StoreError::NoPoints { task: task.to_owned(), domain: domain.into() });
        }
        if domain.volume() > MOST_POINTS {
            return Err(StoreError::ManyPoints { task: task.to_owned(), domain: domain.into(), most: MOST_POINTS });
        }
        let mut parts = SmallVec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let extents = argument.transform.extents();
            let Some(Manual { tiling, projection }) = &argument.manual else {
                let sides = || extents.iter().map(|extent| Side::fixed(0, *extent)).collect();
                let grid = argument.by_arithmetic(|| Grid::new(domain.extents(), sides(), extents));
                let list = || domain.points().map(|_| Rect::of(extents)).collect();
                parts.push(Part::new(argument, grid.unwrap_or_else(list), None));
                continue;
            };
            let colors = tiling.colors();
            let fail = || StoreError::Manual { task: task.to_owned(), argument: number, domain: domain.into(), colors };
            let color = |at: (usize, Point)| -> Result<Point, StoreError> {
                if let Some(projection) = projection {
                    return Ok(projection(at.1));
                }
                match (at.1.len() == colors.len(), domain.rank()) {
                    (true, _) => Ok(at.1),
                    // A launch in one dimension numbers the colours row by row.
                    (false, 1) if at.0 < usize::try_from(Rect::of(colors).volume()).unwrap_or(usize::MAX) => {
                        Ok(Rect::of(colors).nth(at.0))
                    }
                    _ => Err(fail()),
                }
            };
            let (all, same) = (Rect::of(colors), projection.is_none() && domain == Rect::of(colors));
            let by_number = domain.rank() == 1 && domain == Rect::of([all.volume()].into());
            if projection.is_none()
                && (same || by_number)
                && let Some(tiles) = argument.by_arithmetic(|| tiling.grid(extents))
            {
                parts.push(Part::new(argument, tiles, same.then(|| tiling.clone())));
                continue;
            }
            let mut tiles = Vec::new();
            for at in domain.points().enumerate() {
                let color = color(at)?;
                tiles.push(tiling.tile_of(&color, extents).map_err(|_| match projection {
                    None => fail(),
                    Some(_) => {
                        let colors = Box::new([at.1, color, colors]);
                        StoreError::Projection { task: task.to_owned(), argument: number, colors }
                    }
                })?);
            }
            let tiles: Tiles = tiles.into_iter().collect();
            parts.push(Part::new(argument, tiles, same.then(|| tiling.clone())));
        }
        Ok(Self::made(domain, parts, (None, None)))
    }
}

/// What the image constraint on an argument says of the values of its function.
fn values_of(rules: &[Rule], argument: usize) -> Option<&Values> {
    rules.iter().find_map(|rule| match &rule.constraint {
        Constraint::Image { range, .. } if *range == argument => rule.values.as_ref(),
        _ => None,
    })
}

/// The values that an argument is a precise image of, and the number of the argument that has them.
fn precise(rules: &[Rule], argument: usize) -> Option<(&Values, usize)> {
    rules.iter().find_map(|rule| match &rule.constraint {
        Constraint::Image { range, function, hint: ImageHint::Precise } if *range == argument => {
            Some((rule.values.as_ref()?, *function))
        }
        _ => None,
    })
}
