//! The plan of a launch: its points, and the indices of each argument that each point gets.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::builder::Given;
use super::constrain::Rule;
use super::explain::Reason;
use super::image::{Over, Values, check_images, everywhere, here, is_asked_for};
use super::launcher::Launcher;
use super::order::Order;
use super::part::{Part, in_root};
use super::plan_cache::Shape;
use crate::error::StoreError;
use crate::geometry::{Grid, Point, Rect, Runs, Side, Transform};
use crate::graph::Tiles;
use crate::locale::{Argument as OperationArgument, Faces, Launch, Locale, Operation, Reached, Root, fingerprint};
use crate::partition::{
    Access, Argument, Constraint, Fewer, ImageHint, Mapper, NoLocale, Partition, PartitionError, Placement, Single,
    Solution, Tiling, check_single, solve,
};
use crate::sync::{AtomicBool, Mutex, Ordering};

/// The description of an argument for a launch.
#[doc(hidden)]
pub struct Described {
    pub(crate) locale: Arc<Locale>,
    /// `None` for an argument without elements before the task runs.
    pub(crate) root: Option<Arc<Root>>,
    pub(crate) transform: Arc<Transform>,
    pub(crate) access: Access,
    /// The function that makes the argument.
    pub(crate) call: &'static str,
    pub(crate) manual: Option<Manual>,
    /// The locales of the points, if they are fixed.
    pub(crate) placement: Option<Placement>,
    /// The order of its elements in memory.
    pub(crate) order: Option<Arc<Order>>,
    /// A flag of the unbound store that gets what the task emits: `true` once it is bound.
    pub(crate) target: Option<Arc<AtomicBool>>,
    /// The tiles whose locales combine contributions, if they are given.
    pub(crate) owners: Option<Arc<Tiling>>,
}

impl Described {
    /// The description of an argument whose values are in no store, made by this function.
    pub(super) fn values(
        call: &'static str,
        locale: &Arc<Locale>,
        placement: Option<Placement>,
    ) -> Result<Self, StoreError> {
        let (locale, transform) = (locale.clone(), Transform::shared(Point::EMPTY)?);
        let (root, access, manual, order, target) = (None, Access::Read, None, None, None);
        Ok(Self { locale, root, transform, access, call, manual, placement, order, target, owners: None })
    }

    /// Returns `true` if the task emits to an unbound store that another task got meanwhile. Asked under the lock of the program.
    pub(super) fn is_bound(&self) -> bool {
        self.target.as_ref().is_some_and(|emits| emits.load(Ordering::Relaxed))
    }

    /// Returns `true` if task bodies use elements of the argument's root.
    pub(super) fn claims(&self) -> bool {
        self.root.is_some() && self.access != Access::Reduce
    }

    /// Returns `true` if the argument is its whole root, unchanged.
    pub(super) fn is_whole(&self) -> bool {
        self.root.is_some() && self.transform.is_identity()
    }

    /// Returns `true` if elements share bytes, so that no two tiles can be written at once.
    pub(super) fn is_joined(&self) -> bool {
        self.root.as_ref().is_some_and(|root| root.storage.is_joined())
    }

    /// Returns `true` if neighbors along the last dimension of the argument are not neighbors in memory.
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

    /// Tiles by arithmetic, if locales run few of the points each; a locale that runs all of them keeps a list.
    fn by_arithmetic(&self, grid: impl FnOnce() -> Option<Grid>) -> Option<Tiles> {
        if self.locale.count > 1 { grid().map(Tiles::from) } else { None }
    }

    /// The size of its records in bytes.
    pub(super) fn element(&self) -> usize {
        self.root.as_ref().map_or(0, |root| root.element)
    }

    /// The argument as the solver sees it, last written by this tiling.
    fn to_solve(&self, key: Option<Tiling>) -> Argument<'_> {
        Argument { transform: &self.transform, element: self.element(), access: self.access, key }
    }

    /// The tiling by which its root was last written, if that was through the same view.
    pub(super) fn key(&self) -> Option<Arc<Tiling>> {
        self.root.as_ref()?.key_of(&self.transform)
    }
}

/// Checks the rules of a launch that is to have one point.
pub(super) fn check_rules_of_single(arguments: &[Described], rules: &[Rule]) -> Result<(), PartitionError> {
    if rules.is_empty() {
        return Ok(());
    }
    let solver: Vec<Argument<'_>> = arguments.iter().map(|argument| argument.to_solve(None)).collect();
    let constraints: Vec<Constraint> = rules.iter().map(|rule| rule.constraint.clone()).collect();
    check_single(&solver, &constraints)?;
    check_images(rules, arguments)
}

/// The largest number of points of a launch: each point takes about a kilobyte until it is done.
const MOST_POINTS: i64 = 1 << 24;

/// Refuses a launch of more points than that.
fn refuse_many(task: &str, domain: Rect) -> Result<(), StoreError> {
    if domain.volume() > MOST_POINTS {
        return Err(StoreError::ManyPoints { task: task.to_owned(), domain: domain.into(), most: MOST_POINTS });
    }
    Ok(())
}

/// The number of launches of a plan for which the operation is kept.
pub(super) const MOST_LAUNCHES: usize = 8;

/// The tiles of an argument that the user cut.
#[derive(Clone)]
#[doc(hidden)]
pub struct Manual {
    pub(crate) tiling: Arc<Tiling>,
    /// A map from points of the launch to colors; by default the identity.
    pub(crate) projection: Option<Arc<dyn Fn(Point) -> Point + Send + Sync>>,
}

/// Tiles, a box, and the parts of the tiles in the box.
pub(super) type CutTiles = (Arc<Tiles>, Rect, Arc<Tiles>);

/// The points of a launch.
#[doc(hidden)]
pub struct Plan {
    pub(crate) domain: Rect,
    /// The number of points.
    pub(crate) points: usize,
    /// One part for each argument.
    pub(crate) parts: SmallVec<[Part; 2]>,
    /// The reasons why points may need elements of each argument that their locale lacks; empty with one point.
    pub(super) reasons: Vec<Reason>,
    /// The reason for a single point, if the runtime chose it.
    pub(crate) single: Option<Single>,
    /// The reason for fewer points than pieces.
    pub(crate) fewer: Option<Fewer>,
    /// Fingerprints of the tiles of each argument, once they are needed.
    fingerprints: OnceLock<SmallVec<[u64; 2]>>,
    /// The newest launches of this plan, as operations of all locales: with other stores, or on other locales.
    launches: Mutex<Vec<Arc<Launch>>>,
    /// The locales of the points without a mapper, if the tiles that the launch was given have locales.
    home: Option<Placement>,
    /// The locales of the points by the last mapper.
    placed: Mutex<Option<Box<(Mapper, Placement)>>>,
    /// Tiles of the locales that combined contributions, with a box and their parts in it.
    pub(super) cut: Mutex<Vec<CutTiles>>,
}

/// The way to cut a launch.
pub(super) enum Cut<'a> {
    /// By the constraints.
    Auto(&'a [Rule]),
    /// One point.
    Single,
    /// By what was given.
    Given(&'a Given),
}

impl Plan {
    /// The plan of a launch with these arguments; the plan of an earlier launch if it fits.
    pub(super) fn of(
        task: &str,
        launcher: &Arc<Launcher>,
        arguments: &[Described],
        cut: &Cut<'_>,
        mapper: Option<&Mapper>,
    ) -> Result<Arc<Self>, StoreError> {
        let most = arguments.iter().map(|argument| argument.transform.volume()).max().unwrap_or(0);
        let small = most < launcher.min_chunk;
        let pieces = if small { 1 } else { launcher.pieces };
        let few = (small && launcher.pieces > 1).then_some(Single::FewElements { most, least: launcher.min_chunk });
        let keys: SmallVec<[Option<Arc<Tiling>>; 4]> = match cut {
            Cut::Auto(_) if arguments.iter().all(|argument| argument.manual.is_none()) => {
                arguments.iter().map(Described::key).collect()
            }
            // Tiles that are given do not depend on earlier tiles.
            _ => arguments.iter().map(|_| None).collect(),
        };
        // A single point that gets everything needs no solver.
        let single = match cut {
            Cut::Single => Some(None),
            Cut::Given(_) => None,
            Cut::Auto(rules) => {
                let is_whole = pieces <= 1
                    && rules.is_empty()
                    && arguments.iter().zip(&keys).all(|(argument, key)| argument.manual.is_none() && key.is_none());
                is_whole.then(|| Some(few.clone().unwrap_or(Single::OnePiece)))
            }
        };
        if let Some(why) = single {
            return Ok(launcher.plans.lock().single(arguments, why));
        }
        let Some(shape) = Shape::of(arguments, cut, pieces, &keys) else {
            return Self::new((task, mapper), launcher, (pieces, few), arguments, cut, &keys);
        };
        if let Some(plan) = launcher.plans.lock().get(&shape) {
            return Ok(plan);
        }
        let plan = Self::new((task, mapper), launcher, (pieces, few), arguments, cut, &keys)?;
        launcher.locale.made_plan();
        launcher.plans.lock().insert(shape, &plan);
        Ok(plan)
    }

    fn new(
        (task, mapper): (&str, Option<&Mapper>),
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
            (Cut::Given(Given::Tiles(tiles, tiling, _)), _) => Self::over_tiles(&arguments[0], tiles, tiling),
            (Cut::Auto(_), Some(manual)) => Self::over(task, Rect::of(manual.tiling.colors()), arguments)?,
            (Cut::Auto(rules), None) => Self::solved((task, mapper), launcher, (pieces, few), arguments, rules, keys)?,
        };
        let joined = |argument: &Described| argument.access >= Access::Write && argument.is_joined();
        match arguments.iter().position(joined) {
            Some(argument) if plan.points > 1 => Ok(Self::single(arguments, Some(Single::SharedBytes { argument }))),
            _ => Ok(plan),
        }
    }

    /// The launch as an operation, which must be the same on all locales.
    pub(super) fn operation(
        &self,
        task: Cow<'static, str>,
        arguments: &[Described],
        rules: &[Rule],
        placement: &Placement,
        tells: bool,
    ) -> Operation {
        // Each locale knows only its own points of an image.
        let hash = |part: &Part| if part.asked.is_some() { 0 } else { fingerprint(&*part.root) };
        let fingerprints = self.fingerprints.get_or_init(|| self.parts.iter().map(hash).collect());
        let argument = |((argument, part), tiles): ((&Described, &Part), &u64)| OperationArgument {
            call: argument.call,
            store: argument.root.as_ref().map(|root| root.id),
            shown: argument.transform.footprint(),
            tile: if part.asked.is_some() { argument.transform.extents() } else { part.rects.rect(0).extents() },
            tiles: *tiles,
            owners: argument.owners.clone(),
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
            return Operation::Launch { task, launch: launch.clone(), tells };
        }
        let constraints = rules.iter().map(|rule| rule.constraint.clone()).collect();
        let launch = Arc::new(Launch::new(self.domain, arguments.collect(), constraints, placement.clone()));
        if launches.len() == MOST_LAUNCHES {
            launches.remove(0);
        }
        launches.push(launch.clone());
        Operation::Launch { task, launch, tells }
    }

    /// The locales of the points: those of the mapper, or else those of the first argument that was last written by the same tiles.
    pub(super) fn placement(
        &self,
        task: &str,
        arguments: &[Described],
        mapper: Option<&Mapper>,
        locale: &Locale,
    ) -> Result<Placement, StoreError> {
        if let (Some(home), None) = (&self.home, mapper) {
            return Ok(home.clone());
        }
        let tilings = self.parts.iter().map(|part| part.tiling.as_ref());
        if let Some(placement) = Self::kept((self.points, mapper), arguments, tilings) {
            return Ok(placement);
        }
        let mapper = mapper.cloned().unwrap_or_default();
        let known = self.placed.lock().as_ref().filter(|known| known.0.is(&mapper)).map(|known| known.1.clone());
        if let Some(placement) = known {
            return Ok(placement);
        }
        let placement = Self::mapped(task, &self.domain, &mapper, locale)?;
        *self.placed.lock() = Some(Box::new((mapper, placement.clone())));
        Ok(placement)
    }

    /// The locales of the points, if there is no mapper and an argument that is cut into these tiles has them.
    fn kept<'t>(
        (points, mapper): (usize, Option<&Mapper>),
        arguments: &[Described],
        tilings: impl Iterator<Item = Option<&'t Arc<Tiling>>>,
    ) -> Option<Placement> {
        let kept = |(argument, tiling): (&Described, Option<&Arc<Tiling>>)| {
            let placement = argument.root.as_ref()?.placement_of(&argument.transform, tiling?)?;
            (placement.count() == points).then_some(placement)
        };
        if mapper.is_some() {
            return None;
        }
        let fixed = arguments.iter().find_map(|argument| argument.placement.clone());
        fixed.or_else(|| arguments.iter().zip(tilings).find_map(kept))
    }

    fn mapped(task: &str, domain: &Rect, mapper: &Mapper, locale: &Locale) -> Result<Placement, StoreError> {
        let refused = |NoLocale { point, locale: given }| StoreError::MapperLocale {
            task: task.to_owned(),
            point: point.into(),
            locale: given,
            locales: locale.count,
        };
        mapper.place(domain, locale.count).map_err(refused)
    }

    /// Returns `true` if this is the plan of [`single`](Self::single) for these arguments, which are whole roots.
    pub(super) fn is_single_of(&self, arguments: &[Described], single: Option<&Single>) -> bool {
        let is_of = |(part, argument): (&Part, &Described)| {
            argument.root.as_ref().is_some_and(|root| Arc::ptr_eq(&part.rects, root.tiles()))
        };
        self.parts.len() == arguments.len()
            && self.parts.iter().zip(arguments).all(is_of)
            && self.single.as_ref() == single
    }

    /// The plan of a single point that gets everything.
    pub(super) fn single(arguments: &[Described], single: Option<Single>) -> Arc<Self> {
        Self::made(Rect::of([1].into()), arguments.iter().map(Part::whole).collect(), Vec::new(), None, (single, None))
    }

    fn made(
        domain: Rect,
        parts: SmallVec<[Part; 2]>,
        reasons: Vec<Reason>,
        home: Option<Placement>,
        why: (Option<Single>, Option<Fewer>),
    ) -> Arc<Self> {
        let (single, fewer) = why;
        let points = usize::try_from(domain.volume()).unwrap_or(usize::MAX);
        let (fingerprints, launches) = (OnceLock::new(), Mutex::default());
        let (placed, cut) = (Mutex::default(), Mutex::default());
        Arc::new(Self { domain, points, parts, reasons, home, single, fewer, fingerprints, launches, placed, cut })
    }

    /// The plan that the solver finds. `few` is the reason for one piece if there are more processors.
    fn solved(
        (task, mapper): (&str, Option<&Mapper>),
        launcher: &Arc<Launcher>,
        (pieces, few): (i64, Option<Single>),
        arguments: &[Described],
        rules: &[Rule],
        keys: &[Option<Arc<Tiling>>],
    ) -> Result<Arc<Self>, StoreError> {
        let solver: Vec<Argument<'_>> =
            arguments.iter().zip(keys).map(|(argument, key)| argument.to_solve(key.as_deref().cloned())).collect();
        let constraints: Vec<Constraint> = rules.iter().map(|rule| rule.constraint.clone()).collect();
        let mut solved = solve(&solver, &constraints, pieces).map_err(|error| match (error, &few) {
            (PartitionError::MustPartition { argument, .. }, Some(few)) => {
                PartitionError::MustPartition { argument, why: few.to_string() }
            }
            (error, _) => error,
        })?;
        check_images(rules, arguments)?;
        if solved.single == Some(Single::OnePiece) && few.is_some() {
            solved.single = few;
        }
        let domain = solved.domain();
        refuse_many(task, domain)?;
        let tilings: SmallVec<[Option<Arc<Tiling>>; 4]> = solved.partitions.iter().map(tiling_of).collect();
        let points = usize::try_from(domain.volume()).unwrap_or(usize::MAX);
        let home = constraints.iter().find_map(|constraint| match constraint {
            Constraint::Cut { tiling, .. } => tiling.placement().filter(|placement| placement.count() == points),
            _ => None,
        });
        // The locales of the points, if they must be known before the elements that the points reach.
        let mut placed: Option<(Mapper, Placement)> = None;
        let mut tiles: SmallVec<[Option<Arc<Tiles>>; 4]> = arguments.iter().map(|_| None).collect();
        let mut runs: SmallVec<[Option<Arc<Runs>>; 4]> = arguments.iter().map(|_| None).collect();
        let mut faces: SmallVec<[Option<Faces>; 4]> = arguments.iter().map(|_| None).collect();
        let mut asked: SmallVec<[Option<Part>; 4]> = arguments.iter().map(|_| None).collect();
        // For each image and each point, the box to which the values point; unclipped, for arguments that follow it.
        let mut bounds: SmallVec<[Option<Vec<Rect>>; 4]> = arguments.iter().map(|_| None).collect();
        // A function may be an image of another argument, or follow one: each comes after the argument that it depends on.
        while tiles.iter().any(Option::is_none) {
            for (number, argument) in arguments.iter().enumerate() {
                if tiles[number].is_some() {
                    continue;
                }
                if let Partition::Image { function, hint, .. } = &solved.partitions[number] {
                    let Some(of) = tiles[*function].clone() else { continue };
                    let extents = argument.transform.extents();
                    let mut over = Over { tiles: of, tiling: tilings[*function].clone(), hint: *hint, placement: None };
                    match values_of(rules, number) {
                        // Nobody knows the values.
                        None => bounds[number] = Some(vec![Rect::of(extents); over.tiles.len()]),
                        Some(values) if is_asked_for(&**values, &solved, arguments, number) => {
                            if placed.is_none() {
                                let by = mapper.cloned().unwrap_or_default();
                                let tilings = tilings.iter().map(Option::as_ref);
                                let kept = Self::kept((points, mapper), arguments, tilings);
                                let kept = home.filter(|_| mapper.is_none()).cloned().or(kept);
                                let placement =
                                    kept.map_or_else(|| Self::mapped(task, &domain, &by, &launcher.locale), Ok)?;
                                placed = Some((by, placement));
                            }
                            over.placement = placed.as_ref().map(|(_, placement)| placement.clone());
                            let part = here(launcher, task, (values, &over), argument)?;
                            tiles[number] = Some(part.rects.clone());
                            asked[number] = Some(part);
                            continue;
                        }
                        Some(values) => {
                            let reaches = everywhere(launcher, &**values, &over)?;
                            let of = |(point, reached): &(usize, Reached)| Some((*point, reached.runs.clone()?));
                            let of: Option<_> = reaches.points.iter().map(of).collect();
                            let transform = argument.transform.clone();
                            runs[number] = of.map(|of| Runs { of, transform }.into());
                            bounds[number] = Some(reaches.points.iter().map(|(_, reached)| reached.bounds).collect());
                        }
                    }
                }
                // The task body can ask for the elements of a precise image, also if the launch is not cut.
                if let (Partition::Whole, Some((values, function))) =
                    (&solved.partitions[number], precise(rules, number))
                {
                    let all = Tiles::one(Rect::of(arguments[function].transform.extents())).into();
                    let over = Over { tiles: all, tiling: None, hint: ImageHint::Precise, placement: None };
                    let reaches = everywhere(launcher, &**values, &over)?;
                    let reached = reaches.points.first().and_then(|(_, reached)| reached.runs.clone());
                    let of = reached.map(|runs| (0..points).map(|point| (point, runs.clone())).collect());
                    runs[number] = of.map(|of| Runs { of, transform: argument.transform.clone() }.into());
                }
                if solved.image_below(number).is_some_and(|image| bounds[image].is_none()) {
                    continue;
                }
                let found = |solved: &Solution| -> core::result::Result<Arc<Tiles>, PartitionError> {
                    let rect = |(point, at): (usize, Point)| {
                        solved.rect_with(number, &at, &|image| bounds[image].as_ref().map(|bounds| bounds[point]))
                    };
                    Ok(Arc::new(match argument.by_arithmetic(|| solved.grid(number)) {
                        Some(tiles) => tiles,
                        None => {
                            domain.points().enumerate().map(rect).collect::<Result<Vec<_>, _>>()?.into_iter().collect()
                        }
                    }))
                };
                tiles[number] = Some(found(&solved)?);
                let parts = solved.faces(number);
                if !parts.is_empty() {
                    let parts = parts.iter().map(|part| Ok(in_root(&found(part)?, &argument.transform)));
                    faces[number] = Some(parts.collect::<core::result::Result<_, PartitionError>>()?);
                }
            }
        }
        let cut = if solved.single.is_some() { &[][..] } else { &solved.partitions };
        let reasons = arguments.iter().zip(cut).map(|(argument, partition)| Reason::of(argument, partition));
        let mut parts = SmallVec::new();
        let tiles = tiles.into_iter().flatten().zip(runs).zip(faces).zip(asked);
        for ((argument, (((tiles, runs), faces), asked)), tiling) in arguments.iter().zip(tiles).zip(tilings) {
            parts.push(asked.unwrap_or_else(|| Part { runs, faces, ..Part::new(argument, tiles, tiling) }));
        }
        let plan = Self::made(domain, parts, reasons.collect(), home.cloned(), (solved.single, solved.fewer));
        *plan.placed.lock() = placed.map(Box::new);
        Ok(plan)
    }

    /// The plan of a launch over boxes of an argument.
    fn over_tiles(argument: &Described, tiles: &Arc<Tiles>, tiling: &Option<Arc<Tiling>>) -> Arc<Self> {
        let points = i64::try_from(tiles.len()).unwrap_or(i64::MAX);
        let part = Part::new(argument, tiles.clone(), tiling.clone());
        Self::made(Rect::of([points].into()), SmallVec::from_iter([part]), vec![Reason::Tiles], None, (None, None))
    }

    /// The plan of a launch over the points that the user gave.
    fn over(task: &str, domain: Rect, arguments: &[Described]) -> Result<Arc<Self>, StoreError> {
        if domain.is_empty() {
            return Err(StoreError::NoPoints { task: task.to_owned(), domain: domain.into() });
        }
        refuse_many(task, domain)?;
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
                    // A launch in one dimension numbers the colors row by row.
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
        let reason = |argument: &Described| match (argument.access, &argument.manual) {
            (Access::Reduce, _) => Reason::Combined,
            (_, None) => Reason::Whole,
            (_, Some(_)) => Reason::Tiles,
        };
        Ok(Self::made(domain, parts, arguments.iter().map(reason).collect(), None, (None, None)))
    }
}

/// The tiling of a partition.
fn tiling_of(partition: &Partition) -> Option<Arc<Tiling>> {
    match partition {
        Partition::Tiles(tiling) => Some(Arc::new(tiling.clone())),
        _ => None,
    }
}

/// The values of the function in the image constraint on an argument.
fn values_of(rules: &[Rule], argument: usize) -> Option<&Arc<dyn Values>> {
    rules.iter().find_map(|rule| match &rule.constraint {
        Constraint::Image { range, .. } if *range == argument => rule.values.as_ref(),
        _ => None,
    })
}

/// The values of which an argument is a precise image, and the number of the argument that has them.
fn precise(rules: &[Rule], argument: usize) -> Option<(&Arc<dyn Values>, usize)> {
    rules.iter().find_map(|rule| match &rule.constraint {
        Constraint::Image { range, function, hint: ImageHint::Precise } if *range == argument => {
            Some((rule.values.as_ref()?, *function))
        }
        _ => None,
    })
}
