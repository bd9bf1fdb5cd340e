//! Constraints between the arguments of a task, which typed handles name.

use std::sync::Arc;

use super::elements::Elements;
use super::image::Values;
use crate::geometry::{Coordinates, Rect};
use crate::partition::{Constraint, OwnMap, TileMap, Tiling};

/// The name of an argument in constraints. The closure of [`constrain`](crate::TaskBuilder::constrain) gets it.
pub struct Handle<'a, R, D, L> {
    pub(super) number: usize,
    pub(super) elements: &'a Elements<R, D, L>,
}

impl<R, D, L> Clone for Handle<'_, R, D, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, D, L> Copy for Handle<'_, R, D, L> {}

/// A constraint of a launch. [`align`], [`broadcast`], [`scale`], [`bloat`], [`image`](crate::image) and similar functions make rules.
///
/// The closure of [`constrain`](crate::TaskBuilder::constrain) returns one rule or a list of rules.
#[derive(Clone)]
pub struct Rule {
    pub(super) constraint: Constraint,
    pub(super) values: Option<Arc<dyn Values>>,
}

impl From<Constraint> for Rule {
    fn from(constraint: Constraint) -> Self {
        Self { constraint, values: None }
    }
}

/// Iterates over the rule itself, so that one rule can stand for a list.
impl IntoIterator for Rule {
    type Item = Self;
    type IntoIter = core::iter::Once<Self>;

    fn into_iter(self) -> Self::IntoIter {
        core::iter::once(self)
    }
}

/// Cuts both arguments into the same tiles; their extents must be equal.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, align, read, write};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let from: Store<i64, _> = rt.create_from_fn([8, 12], |at| at[0] * at[1])?;
/// let to: Store<i64, _> = rt.create([8, 12])?;
/// let launched = rt
///     .task("negate")
///     .args((read(&from), write(&to)))
///     .constrain(|(from, to)| align(from, to))
///     .launch(|task, (from, mut to)| {
///         assert_eq!(task.rect(0), task.rect(1));
///         to.copy_from(&from)?;
///         Ok(to.update(|value| -value))
///     })?;
/// assert_eq!(launched.domain().volume(), 4);
/// assert_eq!(to.get([7, 11])?, -77);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn align<R, S, D, K, L>(first: Handle<'_, R, D, K>, second: Handle<'_, S, D, L>) -> Rule {
    Constraint::Align(first.number, second.number).into()
}

/// Cuts some dimensions of `followed` as dimensions of `source` are cut. In each pair, the first number is a dimension of `source`, the
/// second one of `followed`. Every point gets all indices of the other dimensions of `followed`.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, align_axes, read, write};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let a: Store<i64, _> = rt.create_from_fn([4, 3], |at| at[0] + at[1])?;
/// let b: Store<i64, _> = rt.create_from_fn([3, 6], |at| at[0] * at[1])?;
/// let c: Store<i64, _> = rt.create([4, 6])?;
/// let launched = rt
///     .task("product")
///     .args((read(&a), read(&b), write(&c)))
///     .constrain(|(a, b, c)| [align_axes(c, a, [(0, 0)]), align_axes(c, b, [(1, 1)])])
///     .launch(|_, (a, b, mut c)| {
///         for i in 0..c.extents()[0] {
///             for j in 0..c.extents()[1] {
///                 c.set([i, j], (0..a.extents()[1]).map(|k| a.get([i, k]) * b.get([k, j])).sum());
///             }
///         }
///     })?;
/// assert_eq!(launched.domain().volume(), 4);
/// assert_eq!(c.get([3, 5])?, 4 * 5 + 5 * 10);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn align_axes<R, S, D, E, K, L>(
    source: Handle<'_, R, D, K>,
    followed: Handle<'_, S, E, L>,
    axes: impl Into<Vec<(usize, usize)>>,
) -> Rule {
    following(source.number, followed.number, TileMap::Along(axes.into()))
}

/// Gives every point all of the argument.
///
/// This constrains how a launch cuts; [`Store::broadcast`](crate::Store::broadcast) is a view of a store with a longer dimension. Several
/// points cannot get all of an argument that is written. A launch is refused if the argument follows another one, as by [`bloat`].
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, broadcast, read, update};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let weights: Store<i64, _> = rt.create_from(2, &[3, 4])?;
/// let values: Store<i64, _> = rt.create_from_fn(8, |at| at[0])?;
/// rt.task("weigh")
///     .args((read(&weights), update(&values)))
///     .constrain(|(weights, _)| broadcast(weights))
///     .launch(|_, (weights, mut values)| values.update(|value| weights.get(0) * value + weights.get(1)))?;
/// assert_eq!(values.to_vec()?, [4, 7, 10, 13, 16, 19, 22, 25]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn broadcast<R, D, L>(argument: Handle<'_, R, D, L>) -> Rule {
    Constraint::Broadcast { argument: argument.number, axes: None }.into()
}

/// Gives every point all indices of these dimensions of the argument; they are not dimensions of the launch. A launch is refused if the
/// argument follows another one, as by [`bloat`], unless each tile has all of these indices by [`align_axes`].
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, broadcast_axes, read};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let grid: Store<i64, _> = rt.create_from_fn([4, 8], |at| at[0])?;
/// let rows = rt.task("rows").args((read(&grid),)).constrain(|(grid,)| broadcast_axes(grid, [1]));
/// let sums = rows.map(|task, (row,)| Ok((task.point()[0], row.values().sum::<i64>())))?;
/// assert_eq!(sums.get()?, [(0, 0), (1, 8), (2, 16), (3, 24)]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn broadcast_axes<R, D, L>(argument: Handle<'_, R, D, L>, axes: impl Into<Vec<usize>>) -> Rule {
    Constraint::Broadcast { argument: argument.number, axes: Some(axes.into()) }.into()
}

/// Makes each tile of `bigger` the tile of `smaller` times `factors`. If the tile of `smaller` has steps, as in a
/// [cyclic](crate::Distribution::map) store, and the factor is not 1, the tile of `bigger` is everything between the corners.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, read, scale, write};
///
/// let rt = Runtime::builder().pieces(3).min_chunk(1).build()?;
/// let fine: Store<i64, _> = rt.create_from_fn(12, |at| at[0])?;
/// let coarse: Store<i64, _> = rt.create(6)?;
/// rt.task("coarsen")
///     .args((read(&fine), write(&coarse)))
///     .constrain(|(fine, coarse)| scale([2], coarse, fine))
///     .launch(|_, (fine, mut coarse)| {
///         for i in 0..coarse.len() {
///             coarse.set(i, fine.get(2 * i) + fine.get(2 * i + 1));
///         }
///     })?;
/// assert_eq!(coarse.to_vec()?, [1, 5, 9, 13, 17, 21]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn scale<R, S, D, K, L>(
    factors: impl Coordinates<D, i64>,
    smaller: Handle<'_, R, D, K>,
    bigger: Handle<'_, S, D, L>,
) -> Rule {
    following(smaller.number, bigger.number, TileMap::Scale(factors.entries().collect()))
}

/// Makes each tile of `bloated` the tile of `source` with a margin of `low` indices below and `high` above, clipped to the store. If the
/// tile of `source` has steps, as in a [cyclic](crate::Distribution::map) store, and there is a margin, the result is everything between
/// the corners.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, bloat, read, write};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let old: Store<f64, _> = rt.create_from_fn(10, |index| (index[0] * index[0]) as f64)?;
/// let new: Store<f64, _> = rt.create(10)?;
/// rt.task("second difference")
///     .args((read(&old), write(&new)))
///     .constrain(|(old, new)| [bloat(new, old, [1], [1])])
///     .launch(|task, (old, mut new)| {
///         let [start] = task.offset(1, 0); // of the tile in the one with the margin
///         for i in 0..new.len() {
///             let at = i + start;
///             let inside = at > 0 && at + 1 < old.len();
///             new.set(i, if inside { old.get(at - 1) - 2.0 * old.get(at) + old.get(at + 1) } else { 0.0 });
///         }
///     })?;
/// assert_eq!(new.to_vec()?, [0.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 0.0]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn bloat<R, S, D, K, L>(
    source: Handle<'_, R, D, K>,
    bloated: Handle<'_, S, D, L>,
    low: impl Coordinates<D, i64>,
    high: impl Coordinates<D, i64>,
) -> Rule {
    let (low, high) = (low.entries().collect(), high.entries().collect());
    following(source.number, bloated.number, TileMap::Bloat { low, high })
}

/// Makes each tile of `bloated` the tile of `source` with a margin of `low` indices below and `high` above, which continues at the other
/// end of the store: tiles at an end get all indices of that dimension, since a view shows one box.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, bloat_periodic, read, write};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let old: Store<i64, _> = rt.create_from_fn(8, |at| at[0])?;
/// let new: Store<i64, _> = rt.create(8)?;
/// rt.task("neighbors on a ring")
///     .args((read(&old), write(&new)))
///     .constrain(|(old, new)| [bloat_periodic(new, old, [1], [1])])
///     .launch(|task, (old, mut new)| {
///         let [start] = task.offset(1, 0);
///         for i in 0..new.len() {
///             let at = i + start + old.len();
///             new.set(i, old.get((at - 1) % old.len()) + old.get((at + 1) % old.len()));
///         }
///     })?;
/// assert_eq!(new.to_vec()?, [8, 2, 4, 6, 8, 10, 12, 6]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn bloat_periodic<R, S, D, K, L>(
    source: Handle<'_, R, D, K>,
    bloated: Handle<'_, S, D, L>,
    low: impl Coordinates<D, i64>,
    high: impl Coordinates<D, i64>,
) -> Rule {
    let (low, high) = (low.entries().collect(), high.entries().collect());
    following(source.number, bloated.number, TileMap::Wrap { low, high })
}

/// [`bloat`] for task bodies that use only the faces of the margin, and no corners, such as those of a five-point stencil. On several locales,
/// corners are not sent: elements of a view that are closer to its ends than `widths` along more than one dimension may be out of date.
/// Corners may be unwritten, too, if the view of `bloated` is not delinearized.
///
/// The `widths` are those of the faces at both ends of a bloated tile before it is clipped to the store. The width is 0 along a dimension
/// without a margin.
///
/// # Errors
///
/// A launch is refused if `widths` is larger than half of the margin along a dimension, or if elements other than corners are unwritten; corners
/// count, too, if the launch has a single point of all elements.
///
/// # Examples
///
/// Four locales exchange only the sides of their tiles:
///
/// ```
/// use layout::store::{Runtime, Store, StoreError, bloat_faces, read, write};
///
/// let sent = Runtime::builder().locales(4).pieces(4).threads(1).min_chunk(1).whole_below(0).simulate(|rt| {
///     let old: Store<f64, _> = rt.create_from_fn([16, 16], |at| (at[0] * at[1]) as f64)?;
///     let new: Store<f64, _> = rt.create([16, 16])?;
///     new.fill(0.0)?;
///     rt.fence()?;
///     let before = rt.traffic().bytes;
///     // Index `i` of the part inside is `i + 1` of the store, and its neighbors are `i` to `i + 2`.
///     let inside = new.slice(0, 1, -1)?.slice(1, 1, -1)?;
///     rt.task("mean of neighbors")
///         .args((read(&old), write(&inside)))
///         .constrain(|(old, inside)| bloat_faces(inside, old, [0, 0], [2, 2], [1, 1]))
///         .launch(|_, (old, mut inside)| {
///             let [rows, columns] = inside.extents();
///             for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
///                 let [up, down] = [old.get([i, j + 1]), old.get([i + 2, j + 1])];
///                 let [left, right] = [old.get([i + 1, j]), old.get([i + 1, j + 2])];
///                 inside.set([i, j], 0.25 * (up + down + left + right));
///             }
///         })?;
///     rt.fence()?;
///     let sent = rt.traffic().bytes - before;
///     assert_eq!(new.get([7, 8])?, 56.0);
///     Ok(sent)
/// })?;
/// // Each locale gets two sides of eight numbers, and no corner between them.
/// assert_eq!(sent.into_iter().sum::<Result<u64, StoreError>>()?, 4 * 2 * 8 * 8);
/// # Ok::<(), StoreError>(())
/// ```
pub fn bloat_faces<R, S, D, K, L>(
    source: Handle<'_, R, D, K>,
    bloated: Handle<'_, S, D, L>,
    low: impl Coordinates<D, i64>,
    high: impl Coordinates<D, i64>,
    widths: impl Coordinates<D, i64>,
) -> Rule {
    let (low, high, widths) = (low.entries().collect(), high.entries().collect(), widths.entries().collect());
    following(source.number, bloated.number, TileMap::Faces { low, high, widths })
}

/// Makes each tile of `follower` the result of `map` for the tile of `source`, clipped to the store. The tile of `source` is not clipped.
/// Both may have steps; a view shows only the indices of its box.
///
/// # Errors
///
/// A launch is refused if `map` returns a box of another number of dimensions than `follower` has.
///
/// # Examples
///
/// ```
/// use layout::store::{Point, Rect, Runtime, Store, follow, read, write};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let from: Store<i64, _> = rt.create_from_fn(8, |at| at[0])?;
/// let to: Store<i64, _> = rt.create(8)?;
/// let mirrored = |tile: &Rect| Rect::new([8 - tile.hi()[0]].into(), [8 - tile.lo()[0]].into());
/// rt.task("reverse")
///     .args((read(&from), write(&to)))
///     .constrain(|(from, to)| [follow(to, from, mirrored)])
///     .launch(|_, (from, mut to)| {
///         for i in 0..to.len() {
///             to.set(i, from.get(to.len() - 1 - i));
///         }
///     })?;
/// assert_eq!(to.to_vec()?, [7, 6, 5, 4, 3, 2, 1, 0]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn follow<R, S, D, E, K, L>(
    source: Handle<'_, R, D, K>,
    follower: Handle<'_, S, E, L>,
    map: impl Fn(&Rect) -> Rect + Send + Sync + 'static,
) -> Rule {
    following(source.number, follower.number, TileMap::Own(OwnMap::new(map)))
}

fn following(source: usize, follower: usize, map: TileMap) -> Rule {
    Constraint::Follow { source, follower, map }.into()
}

/// Cuts the argument into these tiles, whatever tiles it was written by. If a [distribution](crate::Distribution) gave the tiles to
/// locales, the points of the launch run there, unless a [mapper](crate::TaskBuilder::mapped) places them.
///
/// The tiles must fit the other constraints: if they cut a dimension that must not be cut, or have steps while an argument of the launch is
/// delinearized, they are not used.
///
/// # Errors
///
/// A launch is refused if the argument follows another one, as by [`bloat`], or if the argument, or one aligned with it, is to be cut by
/// another tiling, too.
///
/// # Examples
///
/// ```
/// use layout::domain::{Cyclic, Targets};
/// use layout::store::{Distribution, Runtime, Store, cut_by, write};
///
/// let rt = Runtime::builder().pieces(2).min_chunk(1).build()?;
/// let line: Store<i64, _> = rt.create(6)?;
/// let turns = Distribution::map(Cyclic::new([0], Targets::all(1).expect("a locale")));
/// let tiles = rt.tiling(line.extents(), &turns)?.expect("a store with elements");
/// let launched =
///     rt.task("ones").args((write(&line),)).constrain(|(line,)| cut_by(line, &tiles)).launch(|_, (mut line,)| line.fill(1))?;
/// assert_eq!(launched.domain().volume(), tiles.colors()[0]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn cut_by<R, D, L>(argument: Handle<'_, R, D, L>, tiling: &Arc<Tiling>) -> Rule {
    Constraint::Cut { argument: argument.number, tiling: tiling.clone() }.into()
}

/// Demands that no tile of the argument is smaller than this; otherwise the task runs as one point. A launch is refused if the argument
/// follows another one, as by [`bloat`].
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, min_extents, read};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let store: Store<i64, _> = rt.create_from_fn(8, |at| at[0])?;
/// let launch = |least| {
///     let task = rt.task("pairs").args((read(&store),)).constrain(|(store,)| min_extents(store, [least]));
///     task.launch(|_, _| ())
/// };
/// assert_eq!(launch(2)?.domain().volume(), 4);
/// let why = "argument 0 would have a tile of [2], and [3] is the least";
/// assert_eq!(launch(3)?.single().map(ToString::to_string).as_deref(), Some(why));
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn min_extents<R, D, L>(argument: Handle<'_, R, D, L>, extents: impl Coordinates<D, i64>) -> Rule {
    Constraint::MinExtents { argument: argument.number, extents: extents.entries().collect() }.into()
}

/// Refuses the launch, with the reason, if the argument is not cut.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, must_partition, read};
///
/// let rt = Runtime::builder().pieces(4).build()?;
/// let launch = |extent| {
///     let store: Store<i64, _> = rt.create_from_fn(extent, |at| at[0])?;
///     rt.task("large").args((read(&store),)).constrain(|(store,)| must_partition(store)).launch(|_, _| ())
/// };
/// assert_eq!(launch(10_000)?.domain().volume(), 4);
/// let error = launch(10).unwrap_err().to_string();
/// assert!(error.starts_with("argument 0 must be partitioned, and is not: "), "{error}");
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub fn must_partition<R, D, L>(argument: Handle<'_, R, D, L>) -> Rule {
    Constraint::MustPartition(argument.number).into()
}
