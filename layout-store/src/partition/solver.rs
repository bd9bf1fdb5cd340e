//! The solver: from constraints to a partition for each argument, and a launch domain.
//!
//! ```text
//! 1 check      constraints against the arguments they name
//! 2 classes    aligned arguments share one partition; a limit of one argument is a limit of all
//! 3 cut        each class, the largest stores first; the last written partition is used again
//! 4 follow     scaled, bloated and image partitions, from that of the argument they follow
//! 5 launch     one point for each color, if all agree on the colors
//! ```

use super::PartitionError;
use super::constraint::Constraint;
use super::map::{TileMap, point};
use super::shape::colors_for;
use super::solution::{Fewer, Partition, Single, Solution, kept};
use super::tiling::Tiling;
use crate::geometry::{Point, Transform};

/// The access of a task to an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Access {
    /// The task reads.
    Read,
    /// The task contributes to a reduction.
    Reduce,
    /// The task writes, and may read the elements that it wrote.
    Write,
    /// The task reads and writes.
    Update,
}

impl Access {
    /// The name of the function that makes such an argument.
    pub(crate) fn call(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Reduce => "reduce",
            Self::Write => "write",
            Self::Update => "update",
        }
    }
}

/// An argument of a task, as the solver sees it.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// The transform from the argument to its root.
    pub transform: &'a Transform,
    /// The size of an element in bytes.
    pub element: usize,
    /// The access of the task.
    pub access: Access,
    /// The partition by which the root was last written, as seen in this view.
    pub key: Option<Tiling>,
}

/// Finds a partition for each argument, for `pieces` processors, that satisfies the constraints.
///
/// # Errors
///
/// Returns an error if a constraint does not fit the arguments that it names.
pub fn solve(arguments: &[Argument<'_>], constraints: &[Constraint], pieces: i64) -> Result<Solution, PartitionError> {
    let classes = checked(arguments, constraints)?;
    let forbidden = forbidden(arguments, constraints, &classes);
    let solution = match cut(arguments, constraints, &classes, &forbidden, pieces) {
        Ok(solution) => solution,
        Err(single) => Solution {
            partitions: vec![Partition::Whole; arguments.len()],
            launch: Point::from([1]),
            single: Some(single),
            fewer: None,
            whole: forbidden,
            extents: arguments.iter().map(|argument| argument.transform.extents()).collect(),
        },
    };
    for constraint in constraints {
        if let Constraint::MustPartition(argument) = constraint
            && solution.partitions[*argument] == Partition::Whole
        {
            let why = solution.single.as_ref().map_or_else(|| "it is broadcast".to_owned(), ToString::to_string);
            return Err(PartitionError::MustPartition { argument: *argument, why });
        }
    }
    Ok(solution)
}

/// Checks the constraints of a launch that is to have one point, and so does not depend on them.
pub(crate) fn check_single(arguments: &[Argument<'_>], constraints: &[Constraint]) -> Result<(), PartitionError> {
    checked(arguments, constraints)?;
    let must = |constraint: &Constraint| match constraint {
        Constraint::MustPartition(argument) => Some(*argument),
        _ => None,
    };
    match constraints.iter().find_map(must) {
        Some(argument) => {
            Err(PartitionError::MustPartition { argument, why: "`single` asks for one point".to_owned() })
        }
        None => Ok(()),
    }
}

/// Checks constraints, and returns the [`classes`] of the arguments.
fn checked(arguments: &[Argument<'_>], constraints: &[Constraint]) -> Result<Vec<usize>, PartitionError> {
    check(arguments, constraints)?;
    let classes = classes(arguments.len(), constraints);
    check_followers(constraints, &classes)?;
    check_cuts(constraints, &classes)?;
    Ok(classes)
}

/// Checks that constraints fit their arguments.
fn check(arguments: &[Argument<'_>], constraints: &[Constraint]) -> Result<(), PartitionError> {
    let count = arguments.len();
    for constraint in constraints {
        let named = constraint.arguments();
        if let Some(&argument) = named.iter().find(|argument| **argument >= count) {
            return Err(PartitionError::Argument { argument, count });
        }
        let [first, second] = named.map(|argument| arguments[argument].transform.extents());
        let ranks = |what, given: usize, rank: usize| {
            if given == rank { Ok(()) } else { Err(PartitionError::Rank { what, given, rank }) }
        };
        match constraint {
            Constraint::Align(..) if first != second => {
                let (arguments, extents) = ((named[0], named[1]), Box::new([first, second]));
                return Err(PartitionError::Align { arguments, extents });
            }
            Constraint::Cut { tiling, .. } => ranks("tiling", tiling.colors().len(), first.len())?,
            Constraint::Follow { map, .. } => map.check((named[0], named[1]), [first, second])?,
            Constraint::Broadcast { argument, axes: Some(axes) } => {
                if axes.is_empty() {
                    return Err(PartitionError::NoAxes { argument: *argument });
                }
                if let Some(&dim) = axes.iter().find(|dim| **dim >= first.len()) {
                    return Err(PartitionError::Axis { what: "broadcast", dim, rank: first.len() });
                }
            }
            Constraint::MinExtents { extents, .. } => {
                ranks("list of extents", extents.len(), first.len())?;
                if let Some(&given) = extents.iter().find(|extent| **extent < 0) {
                    let (constraint, argument) = ("min_extents", named[0]);
                    return Err(PartitionError::Negative { constraint, argument, what: "extent", given });
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that an argument which follows another one has no second constraint on its tiles.
fn check_followers(constraints: &[Constraint], classes: &[usize]) -> Result<(), PartitionError> {
    for (number, constraint) in constraints.iter().enumerate() {
        let Some((argument, followed)) = constraint.follower() else { continue };
        let aligned = classes.iter().filter(|class| **class == classes[argument]).count() > 1;
        let second = |other: &Constraint| {
            other != constraint && other.follower().is_some_and(|(follower, _)| follower == argument)
        };
        let and = if argument == followed {
            "which is itself"
        } else if aligned {
            "and is aligned with another one: align that with what is followed"
        } else if constraints[..number].iter().any(second) {
            "and another one, or the same in another way, by an earlier constraint"
        } else if constraints.iter().any(|other| is_dropped(other, (argument, constraint))) {
            "and has another constraint on its tiles: demand that of what is followed"
        } else {
            continue;
        };
        return Err(PartitionError::Follows { argument, followed, and });
    }
    let follows = |argument: usize| constraints.iter().filter_map(Constraint::follower).find(|(to, _)| *to == argument);
    for (argument, followed) in constraints.iter().filter_map(Constraint::follower) {
        // Each argument follows at most one other, so a chain longer than the list of constraints is a circle.
        let mut chain = core::iter::successors(Some(followed), |argument| follows(*argument).map(|(_, from)| from));
        if chain.by_ref().take(constraints.len()).any(|from| from == argument) {
            return Err(PartitionError::Circle { argument, followed });
        }
    }
    Ok(())
}

/// Returns `true` if a constraint on the tiles of this argument would have no effect, since the argument follows another one by `follow`.
fn is_dropped(other: &Constraint, (argument, follow): (usize, &Constraint)) -> bool {
    match other {
        // A map gives all indices of the dimensions that it does not name.
        Constraint::Broadcast { argument: named, axes: Some(axes) } if *named == argument => match follow {
            Constraint::Follow { map: TileMap::Along(pairs), .. } => pairs.iter().any(|(_, dim)| axes.contains(dim)),
            _ => true,
        },
        Constraint::Broadcast { argument: named, .. }
        | Constraint::Cut { argument: named, .. }
        | Constraint::MinExtents { argument: named, .. } => *named == argument,
        _ => false,
    }
}

/// Checks that arguments which are cut into the same tiles are cut by one tiling.
fn check_cuts(constraints: &[Constraint], classes: &[usize]) -> Result<(), PartitionError> {
    let cuts = || {
        constraints.iter().filter_map(|constraint| match constraint {
            Constraint::Cut { argument, tiling } => Some((*argument, tiling)),
            _ => None,
        })
    };
    for (number, (second, tiling)) in cuts().enumerate() {
        let differs = |(first, other): &(usize, _)| classes[*first] == classes[second] && *other != tiling;
        if let Some((first, _)) = cuts().take(number).find(differs) {
            return Err(PartitionError::Cuts { arguments: (first, second) });
        }
    }
    Ok(())
}

/// For each argument, the first argument that it is aligned with.
fn classes(count: usize, constraints: &[Constraint]) -> Vec<usize> {
    let mut classes: Vec<usize> = (0..count).collect();
    for constraint in constraints {
        if let Constraint::Align(a, b) = constraint {
            let (keep, drop) = (classes[*a].min(classes[*b]), classes[*a].max(classes[*b]));
            classes.iter_mut().filter(|class| **class == drop).for_each(|class| *class = keep);
        }
    }
    classes
}

/// For each argument, the dimensions that cannot be cut.
fn forbidden(arguments: &[Argument<'_>], constraints: &[Constraint], classes: &[usize]) -> Vec<Vec<bool>> {
    let mut forbidden: Vec<Vec<bool>> = arguments
        .iter()
        .map(|argument| {
            let view = argument.transform;
            let whole = |dim| view.is_inner(dim) || argument.access != Access::Read && view.is_imaginary(dim);
            (0..view.rank()).map(whole).collect()
        })
        .collect();
    for constraint in constraints {
        if let Constraint::Broadcast { argument, axes } = constraint {
            for dim in 0..forbidden[*argument].len() {
                forbidden[*argument][dim] |= axes.as_ref().is_none_or(|axes| axes.contains(&dim));
            }
        }
    }
    // A restriction of one argument holds for all arguments that are aligned with it.
    for (argument, class) in classes.iter().enumerate() {
        for dim in 0..forbidden[argument].len() {
            forbidden[*class][dim] |= forbidden[argument][dim];
        }
    }
    classes.iter().map(|class| forbidden[*class].clone()).collect()
}

/// Returns `true` if an argument follows another one.
fn follows(argument: usize, constraints: &[Constraint]) -> bool {
    constraints.iter().filter_map(Constraint::follower).any(|(to, _)| to == argument)
}

/// The bytes of the root of an argument.
fn stored(argument: &Argument<'_>) -> i64 {
    argument
        .transform
        .root_extents()
        .product()
        .unwrap_or(i64::MAX)
        .saturating_mul(i64::try_from(argument.element).unwrap_or(i64::MAX))
}

fn cut(
    arguments: &[Argument<'_>],
    constraints: &[Constraint],
    classes: &[usize],
    forbidden: &[Vec<bool>],
    pieces: i64,
) -> Result<Solution, Single> {
    let given = |argument: usize| {
        let tiling = |constraint: &Constraint| match constraint {
            Constraint::Cut { argument: named, tiling } if classes[*named] == classes[argument] => Some(tiling.clone()),
            _ => None,
        };
        constraints.iter().find_map(tiling)
    };
    if pieces <= 1 && (0..arguments.len()).all(|number| arguments[number].key.is_none() && given(number).is_none()) {
        return Err(Single::OnePiece);
    }
    let mut order: Vec<usize> = (0..arguments.len()).filter(|argument| !follows(*argument, constraints)).collect();
    order.sort_by_key(|&argument| {
        let Argument { access, key, .. } = &arguments[argument];
        core::cmp::Reverse((stored(&arguments[argument]), key.is_some(), *access))
    });

    let mut partitions: Vec<Option<Partition>> = vec![None; arguments.len()];
    let mut fewer = None;
    for &argument in &order {
        if partitions[argument].is_some() {
            continue;
        }
        let extents = arguments[argument].transform.extents();
        let usable = |key: &&Tiling| {
            // An argument that follows this one may get its steps.
            let boxes = arguments.iter().all(|argument| key.has_boxes_in(argument.transform));
            let fits = |(dim, forbidden): (usize, &bool)| !*forbidden || !key.cuts(dim);
            // A store without elements may have zero tiles, and a launch has a point.
            let some = key.colors().iter().all(|count| *count > 0);
            boxes && some && key.colors().len() == extents.len() && forbidden[argument].iter().enumerate().all(fits)
        };
        let split: Vec<bool> = forbidden[argument].iter().map(|forbidden| !forbidden).collect();
        let (given, key) = (given(argument), arguments[argument].key.as_ref());
        let tiling = match given.as_deref().or(key).filter(usable) {
            Some(tiling) => Some(tiling.clone()),
            None => colors_for(extents, &split, pieces).map(|colors| {
                let tiles = colors.product().unwrap_or(i64::MAX);
                if fewer.is_none() && (2..pieces).contains(&tiles) {
                    fewer = Some(Fewer { argument, extents, tiles, pieces });
                }
                Tiling::covering(extents, colors)
            }),
        };
        let partition = tiling.map_or(Partition::Whole, Partition::Tiles);
        for other in (0..arguments.len()).filter(|other| classes[*other] == classes[argument]) {
            partitions[other] = Some(partition.clone());
        }
    }
    follow(&mut partitions, constraints);
    let partitions: Vec<Partition> = partitions.into_iter().map(|part| part.unwrap_or(Partition::Whole)).collect();
    let mut forbidden = forbidden.to_vec();
    let launch = launch(arguments, constraints, &partitions, &mut forbidden)?;
    let extents = arguments.iter().map(|argument| argument.transform.extents()).collect();
    Ok(Solution { partitions, launch, single: None, fewer, whole: forbidden, extents })
}

/// Finds the partitions of arguments that follow other arguments, in any order.
fn follow(partitions: &mut [Option<Partition>], constraints: &[Constraint]) {
    for _ in constraints {
        for constraint in constraints {
            let Some((to, from)) = constraint.follower() else { continue };
            partitions[to] = match (&partitions[from], constraint) {
                (None, _) => continue,
                (Some(source), constraint) => Some(match (source.tiling().cloned(), constraint) {
                    (Some(of), Constraint::Follow { source, map, .. }) => {
                        Partition::Follows { of, source: *source, map: map.clone() }
                    }
                    (Some(of), Constraint::Image { hint, .. }) => Partition::Image { of, function: from, hint: *hint },
                    _ => Partition::Whole,
                }),
            };
        }
    }
}

/// The launch domain: the colors that all partitions have in common.
fn launch(
    arguments: &[Argument<'_>],
    constraints: &[Constraint],
    partitions: &[Partition],
    whole: &mut [Vec<bool>],
) -> Result<Point, Single> {
    let mut found: Option<(usize, Point)> = None;
    for (argument, partition) in partitions.iter().enumerate() {
        let of = match partition {
            Partition::Whole => {
                let broadcast = constraints.iter().any(
                    |constraint| matches!(constraint, Constraint::Broadcast { argument: named, .. } if *named == argument),
                );
                if arguments[argument].access >= Access::Write && !broadcast {
                    return Err(Single::WrittenWhole { argument });
                }
                continue;
            }
            Partition::Tiles(of) => {
                if let Some(single) = too_small(argument, of, arguments[argument].transform.extents(), constraints) {
                    return Err(single);
                }
                of
            }
            Partition::Follows { of, .. } | Partition::Image { of, .. } => {
                // The colors are those of the argument that this one follows, or that follows this one.
                let followed = |to| {
                    let mut followers = constraints.iter().filter_map(Constraint::follower);
                    followers.find_map(|(follower, from)| (follower == to).then_some(from))
                };
                let from =
                    core::iter::successors(followed(argument), |from| followed(*from)).take(partitions.len()).last();
                if let Some(from) = from {
                    whole[argument] = whole[from].clone();
                }
                of
            }
        };
        let colors = kept(of.colors(), &whole[argument]);
        match found {
            None => found = Some((argument, colors)),
            Some((_, first)) if first == colors => {}
            Some((number, first)) if first.product() == colors.product() => {
                found = Some((number, Point::from([first.product().unwrap_or(1)])));
            }
            Some(first) => return Err(Single::Colors { first, other: (argument, colors) }),
        }
    }
    match found {
        Some((_, colors)) => Ok(colors),
        None => Err(Single::NothingToCut),
    }
}

/// The reason if a tile is smaller than a constraint demands.
fn too_small(argument: usize, tiling: &Tiling, extents: Point, constraints: &[Constraint]) -> Option<Single> {
    constraints.iter().find_map(|constraint| match constraint {
        Constraint::MinExtents { argument: named, extents: least } if *named == argument => {
            let tile = tiling.least(extents);
            let least = point(least);
            let small = tile.iter().zip(&*least).any(|(side, least)| side < least);
            small.then_some(Single::TooSmall { argument, tile, least })
        }
        _ => None,
    })
}
