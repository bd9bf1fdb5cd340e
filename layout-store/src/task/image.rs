//! Images: the elements of one argument to which the values of another one point. They decide the tiles of points.

use core::any::TypeId;
use core::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use layout_core::{Record, RecordLayout};
use smallvec::SmallVec;

use super::argument::Read;
use super::builder::TaskBuilder;
use super::constrain::{Handle, Rule};
use super::elements::Elements;
use super::future::Future;
use super::launcher::Launcher;
use super::part::{Part, in_root};
use super::plan::Described;
use super::points_to::{PointsTo, bounds_of, reach_of, runs_of};
use super::values::Codec;
use crate::error::StoreError;
use crate::geometry::{Point, Runs, StoreRank, Transform};
use crate::graph::{Row, Tiles};
use crate::locale::{Asked, Assumed, Image, Images, Reach, Reached, Reaches, Refusal};
use crate::memory::Tile;
use crate::partition::{Access, Constraint, ImageHint, Partition, PartitionError, Placement, Solution, Tiling, clip};

/// The tiles of the function whose image is needed.
#[derive(Clone)]
pub(super) struct Over {
    pub(super) tiles: Arc<Tiles>,
    /// The tiling of the tiles, if they have one.
    pub(super) tiling: Option<Arc<Tiling>>,
    pub(super) hint: ImageHint,
    /// The locales of the points, if each locale is to know only its own points.
    pub(super) placement: Option<Placement>,
}

/// The values of a function.
pub(super) trait Values: Send + Sync {
    /// The known images of these values.
    fn images(&self) -> &Images;
    /// Returns `true` if they are the values of this argument. A rule may be kept and given to another task.
    fn are_of(&self, function: &Described) -> bool;
    /// The extents of the range.
    fn range(&self) -> Point;
    /// The image that is needed.
    fn image(&self, over: &Over) -> Result<Image, StoreError>;
    /// Finds the elements to which the values in each tile point, for all points or only for those of this locale.
    fn find(&self, launcher: &Arc<Launcher>, over: &Over) -> Result<Looked, StoreError>;
    /// Returns `true` if the values are assumed, on a locale that only plans.
    fn are_assumed(&self) -> bool;
    /// The elements to which the assumed values point, for the points of a locale or for all.
    fn assumed(&self, over: &Over, locale: usize) -> Result<Reaches, StoreError>;
}

/// The versions of the values by which a launch with these rules is cut.
pub(super) fn versions(rules: &[Rule]) -> SmallVec<[u64; 2]> {
    rules.iter().filter_map(|rule| rule.values.as_ref()).map(|values| values.images().version()).collect()
}

/// The elements to which values point, by the numbers of points, after tasks have looked at the values.
type Looked = Future<Vec<(usize, Result<Reached, StoreError>)>>;

struct ValuesOf<F, D, E, K> {
    elements: Elements<F, D, K>,
    /// The extents of the range.
    range: Point,
    points_to: PhantomData<fn(E)>,
}

/// Makes each tile of `range` the smallest box around the elements to which the values in the tile of `function` point; indices beyond the
/// store are cut off. `hint` says which elements of the box are sent between locales.
///
/// The launch waits for the values of the function, unless an image of them is known, and does so again if another thread of the program
/// launches a task that writes the function meanwhile. With several locales, each reads the values of its own points, and asks the locales
/// that have the elements for them. That takes a message for each doubling of the number of locales, besides the elements, and none if the
/// image is known and the range was written in the same way as before. If the range is written or delinearized, or another argument follows
/// it, each locale gets the boxes of all points. A launch is refused if boxes of a range that is written have common elements, as those of
/// values that are dealt out in turn do, whatever the hint.
///
/// # Examples
///
/// ```
/// use layout::store::{ImageHint, Runtime, Store, image, read, write};
///
/// let rt = Runtime::builder().pieces(2).min_chunk(1).build()?;
/// let from: Store<f64, _> = rt.create_from(4, &[0.0, 10.0, 20.0, 30.0])?;
/// let which: Store<i64, _> = rt.create_from(4, &[3, 2, 0, 1])?;
/// let to: Store<f64, _> = rt.create(4)?;
/// rt.task("pick")
///     .args((read(&from), read(&which), write(&to)))
///     .constrain(|(from, which, to)| [layout::store::align(which, to), image(which, from, ImageHint::MinMax)])
///     .launch(|task, (from, which, mut to)| {
///         let start = task.rect(0).lo()[0];
///         for i in 0..to.len() {
///             to.set(i, from.get((which.get(i) - start) as usize));
///         }
///     })?;
/// assert_eq!(to.to_vec()?, [30.0, 20.0, 0.0, 10.0]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn image<F, R, D, E, K, L>(function: Handle<'_, F, D, K>, range: Handle<'_, R, E, L>, hint: ImageHint) -> Rule
where
    F: PointsTo<E>,
    D: StoreRank,
    E: 'static,
    K: RecordLayout<F> + Default,
{
    let (elements, extents) = (function.elements.clone(), range.elements.transform.extents());
    let values = ValuesOf { elements, range: extents, points_to: PhantomData::<fn(E)> };
    let constraint = Constraint::Image { function: function.number, range: range.number, hint };
    Rule { constraint, values: Some(Arc::new(values)) }
}

impl<F, D, E, K> Values for ValuesOf<F, D, E, K>
where
    F: PointsTo<E>,
    D: StoreRank,
    E: 'static,
    K: RecordLayout<F> + Default,
{
    fn images(&self) -> &Images {
        &self.elements.root.images
    }

    fn are_of(&self, function: &Described) -> bool {
        let Elements { root, transform, .. } = &self.elements;
        function.root.as_ref().is_some_and(|other| Arc::ptr_eq(root, other)) && *transform == function.transform
    }

    fn range(&self) -> Point {
        self.range
    }

    fn image(&self, over: &Over) -> Result<Image, StoreError> {
        let (of, types, tiles) = (self.elements.transform.clone(), TypeId::of::<(F, E)>(), over.tiles.clone());
        Ok(Image { of, types, tiles, range: self.range, hint: over.hint, placement: over.placement.clone() })
    }

    fn find(&self, launcher: &Arc<Launcher>, over: &Over) -> Result<Looked, StoreError> {
        let (hint, range) = (over.hint, self.range);
        let look = move |view: &Tile<'_, F, D, K>| {
            let bounds = bounds_of::<F, E, D, K>(view, hint, range.len())?;
            let precise = hint == ImageHint::Precise;
            let runs = if precise { runs_of::<F, E, D, K>(view, &bounds, range) } else { None };
            Ok(Reached { bounds, runs })
        };
        let task = TaskBuilder::new(launcher, "image".into())
            .args((Read::of(&self.elements),))
            .over_tiles((over.tiles.clone(), over.tiling.clone()), over.placement.clone());
        // If each locale is to know only its own points, values stay.
        let travel = over.placement.is_none().then(|| (Codec::new(), Codec::new()));
        let looked = task.values(travel, move |task, (view,)| Ok((task.number, look(&view))));
        looked.map_err(|error| match error {
            StoreError::Uninitialized { task, rect, .. } => StoreError::Uninitialized { task, argument: None, rect },
            error => error,
        })
    }

    fn are_assumed(&self) -> bool {
        self.assumption().is_some()
    }

    fn assumed(&self, over: &Over, locale: usize) -> Result<Reaches, StoreError> {
        let values = self.assumption().ok_or(StoreError::OnlyPlanned)?;
        let view = &self.elements.transform;
        let reached = |point| {
            let tile = over.tiles.rect(point);
            Ok((point, reach_of::<F, E>(&tile, |at| values(view.root_index(at)), over.hint, self.range)?))
        };
        let points: Result<_, StoreError> = match &over.placement {
            Some(placement) => placement.points_of(locale).map(reached).collect(),
            None => (0..over.tiles.len()).map(reached).collect(),
        };
        Ok(Reaches::new(points?))
    }
}

impl<F: Record, D, E, K> ValuesOf<F, D, E, K> {
    /// The assumption of a planner about the values.
    fn assumption(&self) -> Option<Assumed<F>> {
        let root = &self.elements.root;
        root.locale.planned.as_ref()?.assumed(root.id)
    }
}

/// Checks that images are of the arguments from which their rules were made. No value is looked at before.
pub(super) fn check_images(rules: &[Rule], arguments: &[Described]) -> Result<(), PartitionError> {
    for rule in rules {
        let (Some(values), &Constraint::Image { function, range, .. }) = (&rule.values, &rule.constraint) else {
            continue;
        };
        let extents = |argument: usize| arguments[argument].transform.extents();
        if !values.are_of(&arguments[function]) {
            return Err(PartitionError::Function { argument: function, extents: extents(function) });
        }
        let made = values.range();
        if made != extents(range) {
            return Err(PartitionError::Range { argument: range, extents: extents(range), made });
        }
    }
    Ok(())
}

/// The elements that each point reaches through an image, known on all locales.
pub(super) fn everywhere(
    launcher: &Arc<Launcher>,
    values: &dyn Values,
    over: &Over,
) -> Result<Arc<Reaches>, StoreError> {
    let image = values.image(over)?;
    values.images().known(&image).or_else(|version| {
        let looked = values.find(launcher, over)?;
        let reaches = if values.are_assumed() {
            values.assumed(over, 0)?
        } else {
            let points = looked.get_in(Row::Image)?.into_iter().map(|(point, reached)| Ok((point, reached?)));
            Reaches::new(points.collect::<Result<_, StoreError>>()?)
        };
        let reaches = Arc::new(reaches);
        values.images().keep(image, &reaches, version);
        Ok(reaches)
    })
}

/// The elements of an argument that the points of this locale get through an image. Each locale knows those of its own points, and asks the
/// others for the elements that it lacks.
pub(super) fn here(
    launcher: &Arc<Launcher>,
    task: &str,
    (values, over): (&Arc<dyn Values>, &Over),
    argument: &Described,
) -> Result<Part, StoreError> {
    let (Some(root), Some(placement)) = (&argument.root, &over.placement) else {
        unreachable!("a store is read, by points that run somewhere")
    };
    let image = values.image(over)?;
    let known = values.images().known(&image);
    let reached = known.as_ref().ok().and_then(|reaches| reaches.within(root.id, &argument.transform));
    if let Some((reach, agreed)) = &reached
        && let Some(asked) = Asked::before(root, reach, placement, agreed)
    {
        return Ok(Part::reached(reach, asked));
    }
    let keeps = (placement, reached.is_some());
    let (count, transform) = (placement.count(), argument.transform.clone());
    let own = |reaches: &Reaches| match &reached {
        Some((reach, _)) => reach.clone(),
        None => reach(reaches, count, &argument.transform),
    };
    let (reaches, reach, asked) = match known {
        known if argument.locale.planned.is_some() => {
            let assume = |version| {
                // This brings the tiles of the function to the points that look at them.
                values.find(launcher, over)?;
                let reaches = Arc::new(values.assumed(over, argument.locale.number)?);
                values.images().keep(image, &reaches, version);
                Ok::<_, StoreError>(reaches)
            };
            let reaches = known.or_else(assume)?;
            let own = own(&reaches);
            let (values, over) = (values.clone(), over.clone());
            let of = move |locale| {
                // If a locale may not look, all locales are refused.
                let reaches = values.assumed(&over, locale).unwrap_or_else(|_| Reaches::new(Vec::new()));
                reach(&reaches, count, &transform)
            };
            let asked = Asked::alone(root, &own, keeps, of);
            (reaches, own, asked)
        }
        Ok(reaches) => {
            let reach = own(&reaches);
            let (reach, asked) = Asked::ask(task, root, (None, move || Ok(reach.clone())), keeps)?;
            (reaches, reach, asked)
        }
        Err(version) => {
            let looked = values.find(launcher, over)?;
            let (after, found) = (looked.node().clone(), Arc::new(OnceLock::new()));
            let look = {
                let found = found.clone();
                move || {
                    let reaches = Arc::new(Reaches::new(points_of(&looked)?));
                    Ok(reach(found.get_or_init(|| reaches), count, &transform))
                }
            };
            let (reach, asked) = Asked::ask(task, root, (Some(&after), look), keeps)?;
            let Some(reaches) = found.get().cloned() else { unreachable!("an error of this locale is one of all") };
            values.images().keep(image, &reaches, version);
            (reaches, reach, asked)
        }
    };
    if reached.is_none() && asked.unwritten.is_none() {
        reaches.keep_within(root.id, &argument.transform, &reach, &asked);
    }
    Ok(Part::reached(&reach, asked))
}

/// The elements that points of this locale reach, or the reason why they are not known.
fn points_of(looked: &Looked) -> Result<Vec<(usize, Reached)>, Refusal> {
    let looked = looked.result().map_err(|fault| (fault.order(), StoreError::from(fault)))?;
    let known = |(point, reached): &(usize, Result<Reached, StoreError>)| match reached {
        Ok(reached) => Ok((*point, reached.clone())),
        // The order puts this error after those of tasks that failed.
        Err(error) => Err(((u64::MAX, *point), error.clone())),
    };
    looked.iter().map(known).collect()
}

/// The elements in a view of a store that some of `count` points reach.
fn reach(reaches: &Reaches, count: usize, view: &Arc<Transform>) -> Arc<Reach> {
    let (points, extents) = (&reaches.points, view.extents());
    let clipped = |(point, reached): &(usize, Reached)| (*point, clip(&reached.bounds, extents));
    let rects = Arc::new(Tiles::some(points.iter().map(clipped), count, extents.len()));
    let elements = in_root(&rects, view);
    let of: Option<Vec<_>> = points.iter().map(|(point, reached)| Some((*point, reached.runs.clone()?))).collect();
    let runs = of.map(|of| Arc::new(Runs { of, transform: view.clone() }));
    Arc::new(Reach { rects, elements, runs })
}

/// Returns `true` if locales ask each other for the elements of an argument that is an image. All locales must know all points if the
/// argument is written, or if other tiles or refusals depend on it. They ask for boxes in the root; a tile of a delinearized view may be
/// less than its box.
pub(super) fn is_asked_for(values: &dyn Values, solved: &Solution, arguments: &[Described], number: usize) -> bool {
    let argument = &arguments[number];
    let is_function =
        |partition: &Partition| matches!(partition, Partition::Image { function, .. } if *function == number);
    let follows = |other: usize| other != number && solved.image_below(other) == Some(number);
    let same_root = |other: &Described| match (&other.root, &argument.root) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    let is_written = |other: &Described| other.access >= Access::Write && same_root(other);
    (argument.locale.net.is_some() && argument.locale.planned.is_none() || values.are_assumed())
        && argument.access == Access::Read
        && !argument.is_joined()
        && !argument.transform.is_delinearized()
        && !solved.partitions.iter().any(is_function)
        && !(0..arguments.len()).any(follows)
        && !arguments.iter().any(is_written)
}
