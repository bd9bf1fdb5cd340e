//! The plan of a launch: its points, and the indices of each argument that each point gets.

use std::sync::Arc;

use smallvec::SmallVec;

use super::constrain::{Bounds, Rule};
use crate::error::{PartitionError, StoreError};
use crate::partition::{Access, Argument, Constraint, Partition, Single, Tiling, solve};
use crate::point::Point;
use crate::rect::Rect;
use crate::root::Root;
use crate::runtime::Inner;
use crate::transform::Transform;

/// What a launch knows of an argument.
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct Described {
    /// `None` for an argument that has no elements before the task ran.
    pub(crate) root: Option<Arc<Root>>,
    pub(crate) transform: Arc<Transform>,
    pub(crate) access: Access,
    pub(crate) manual: Option<Manual>,
}

/// How the user cut an argument.
#[derive(Clone)]
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct Manual {
    pub(crate) tiling: Tiling,
    /// From points of the launch to colours; by default the same.
    pub(crate) projection: Option<Arc<dyn Fn(Point) -> Point + Send + Sync>>,
}

/// The points of a launch.
pub(crate) struct Plan {
    pub(crate) domain: Rect,
    /// For each argument and point, indices of the store that was given.
    pub(crate) rects: SmallVec<[Vec<Rect>; 4]>,
    /// Why there is one point only, where the runtime chose.
    pub(crate) single: Option<Single>,
    /// For each argument the tiling by which it is cut.
    pub(crate) tilings: SmallVec<[Option<Tiling>; 4]>,
}

/// How a launch is to be cut.
pub(super) enum Cut<'a> {
    /// As the constraints say.
    Auto(&'a [Rule]),
    /// One point.
    Single,
    /// Over these points.
    Over(Rect),
}

impl Plan {
    /// The plan of a launch with these arguments.
    pub(super) fn new(task: &str, runtime: &Inner, arguments: &[Described], cut: &Cut<'_>) -> Result<Self, StoreError> {
        let manual = arguments.iter().find_map(|argument| argument.manual.as_ref());
        let plan = match (cut, manual) {
            (Cut::Single, _) => Self::single(arguments, None),
            (Cut::Over(domain), _) => Self::over(task, *domain, arguments)?,
            (Cut::Auto(_), Some(manual)) => Self::over(task, Rect::of(manual.tiling.colors()), arguments)?,
            (Cut::Auto(rules), None) => Self::solved(runtime, arguments, rules)?,
        };
        // Of elements that share bytes no two tiles can be written at once.
        let joined = |argument: &&Described| {
            argument.access >= Access::Write && argument.root.as_ref().is_some_and(|root| root.region.is_joined())
        };
        if plan.points() > 1 && arguments.iter().any(|argument| joined(&argument)) {
            let argument = arguments.iter().position(|argument| joined(&argument)).unwrap_or(0);
            return Ok(Self::single(arguments, Some(Single::SharedBytes { argument })));
        }
        Ok(plan)
    }

    pub(crate) fn points(&self) -> usize {
        self.rects.first().map_or_else(|| usize::try_from(self.domain.volume()).unwrap_or(0), Vec::len)
    }

    fn single(arguments: &[Described], single: Option<Single>) -> Self {
        let whole = |argument: &Described| vec![Rect::of(argument.transform.extents())];
        Self {
            domain: Rect::of([1].into()),
            rects: arguments.iter().map(whole).collect(),
            single,
            tilings: arguments.iter().map(|_| None).collect(),
        }
    }

    /// As the solver says.
    fn solved(runtime: &Inner, arguments: &[Described], rules: &[Rule]) -> Result<Self, StoreError> {
        let key = |argument: &Described| {
            let key = argument.root.as_ref()?.key.lock();
            key.as_ref().filter(|(transform, _)| *transform == argument.transform).map(|(_, tiling)| tiling.clone())
        };
        let keys: SmallVec<[Option<Tiling>; 4]> = arguments.iter().map(key).collect();
        let large = arguments.iter().any(|argument| argument.transform.volume() >= runtime.min_chunk);
        let pieces = if large { runtime.pieces } else { 1 };
        if pieces <= 1 && rules.is_empty() && keys.iter().all(Option::is_none) {
            return Ok(Self::single(arguments, Some(Single::OneProcessor)));
        }
        let solver: Vec<Argument<'_>> = arguments
            .iter()
            .zip(keys)
            .map(|(argument, key)| Argument {
                transform: &argument.transform,
                element: argument.root.as_ref().map_or(0, |root| root.element),
                access: argument.access,
                key,
            })
            .collect();
        let constraints: Vec<Constraint> = rules.iter().map(|rule| rule.constraint.clone()).collect();
        let solved = solve(&solver, &constraints, pieces)?;
        let domain = solved.domain();
        let mut rects: SmallVec<[Vec<Rect>; 4]> = SmallVec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let extents = argument.transform.extents();
            // Of an image the solver knows the tiles of the function.
            let cut = match &solved.partitions[number] {
                Partition::Image { function, .. } => arguments[*function].transform.extents(),
                _ => extents,
            };
            let tiles: Vec<Rect> = domain.points().map(|at| solved.rect(number, cut, &at)).collect();
            rects.push(match &solved.partitions[number] {
                Partition::Image { hint, .. } => {
                    let bounds = bounds_of(rules, number).map_or(Ok(Vec::new()), |bounds| bounds(&tiles, *hint))?;
                    bounds.iter().map(|bounds| crate::partition::clip(bounds, extents)).collect()
                }
                _ => tiles,
            });
        }
        let tilings = solved.partitions.iter().map(|partition| match partition {
            Partition::Tiles(tiling) => Some(tiling.clone()),
            _ => None,
        });
        Ok(Self { domain, rects, tilings: tilings.collect(), single: solved.single.clone() })
    }

    /// Over the points that the user gave.
    fn over(task: &str, domain: Rect, arguments: &[Described]) -> Result<Self, StoreError> {
        if domain.is_empty() {
            return Err(StoreError::NoPoints { task: task.to_owned(), domain });
        }
        let mut rects: SmallVec<[Vec<Rect>; 4]> = SmallVec::new();
        let mut tilings = SmallVec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let extents = argument.transform.extents();
            let Some(Manual { tiling, projection }) = &argument.manual else {
                rects.push(domain.points().map(|_| Rect::of(extents)).collect());
                tilings.push(None);
                continue;
            };
            let colors = tiling.colors();
            let fail =
                |what| StoreError::Manual { task: task.to_owned(), argument: number, domain: domain.into(), what };
            let color = |at: (usize, Point)| -> Result<Point, StoreError> {
                if let Some(projection) = projection {
                    return Ok(projection(at.1));
                }
                match (at.1.len() == colors.len(), domain.rank()) {
                    (true, _) => Ok(at.1),
                    // A launch in one dimension numbers the colours row by row.
                    (false, 1) => Rect::of(colors)
                        .points()
                        .nth(at.0)
                        .ok_or_else(|| fail("has fewer colours than there are points")),
                    _ => Err(fail("is cut into colours of another number of dimensions, without a projection")),
                }
            };
            let mut tiles = Vec::new();
            for at in domain.points().enumerate() {
                let color = color(at)?;
                if color.len() != colors.len() {
                    return Err(PartitionError::Rank { what: "colour", given: color.len(), rank: colors.len() }.into());
                }
                tiles.push(tiling.tile_of(&color, extents)?);
            }
            rects.push(tiles);
            tilings.push((projection.is_none() && domain == Rect::of(colors)).then(|| tiling.clone()));
        }
        Ok(Self { domain, rects, single: None, tilings })
    }
}

/// What the image constraint on an argument says of the values of its function.
fn bounds_of(rules: &[Rule], argument: usize) -> Option<&Bounds> {
    rules.iter().find_map(|rule| match &rule.constraint {
        Constraint::Image { range, .. } if *range == argument => rule.bounds.as_ref(),
        _ => None,
    })
}
