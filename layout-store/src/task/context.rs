//! The context of a task body.

use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use super::plan::Plan;
use crate::geometry::{Point, Rect, count};

/// The context of a task body: its point, and the indices that its views show.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, write};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let store: Store<i64, _> = rt.create(10)?;
/// rt.task("count").args((write(&store),)).launch(|task, (mut tile,)| {
///     let [start] = task.origin(0); // views count from zero
///     for i in 0..tile.len() {
///         tile.set(i, (start + i) as i64);
///     }
/// })?;
/// assert_eq!(store.to_vec()?, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub struct Task {
    pub(super) name: Cow<'static, str>,
    pub(super) point: Point,
    /// The number of the point.
    pub(super) number: usize,
    pub(super) plan: Arc<Plan>,
}

impl Task {
    /// The name of the task.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The point of the launch.
    #[must_use]
    pub fn point(&self) -> Point {
        self.point
    }

    /// All points of the launch.
    #[must_use]
    pub fn domain(&self) -> Rect {
        self.plan.domain
    }

    /// The indices, in the store that was given, that the view of argument `argument` shows; the view counts them from zero. For an
    /// argument that is emitted to, a box without coordinates.
    ///
    /// The box has steps if the tiles come from a cyclic distribution, such as [`Cyclic`](layout_domain::Cyclic). The view then shows only
    /// the indices of the box: element `i` of the view is index `lo + step * i` along each dimension, and [`Rect::points`] lists the
    /// indices in the order in which the view is walked.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::{Cyclic, Targets};
    /// use layout::store::{Distribution, Runtime, Store, StoreError, update};
    ///
    /// let lists = Runtime::builder().locales(3).threads(1).pieces(3).whole_below(0).min_chunk(1).simulate(|rt| {
    ///     let in_turn = Distribution::map(Cyclic::new([0], Targets::all(3).expect("three locales")));
    ///     let cards: Store<i64, _> = rt.create_distributed(8, &in_turn)?;
    ///     cards.fill(0)?;
    ///     rt.task("number").args((update(&cards),)).launch(|task, (mut tile,)| {
    ///         let mut points = task.rect(0).points();
    ///         tile.update(|_| points.next().map_or(0, |at| 10 * at[0]))
    ///     })?;
    ///     cards.read_local(|boxes| boxes.iter().flat_map(|(_, view)| view.to_vec()).collect::<Vec<i64>>())
    /// })?;
    /// let lists = lists.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
    /// assert_eq!(lists, [vec![0, 30, 60], vec![10, 40, 70], vec![20, 50]]);
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn rect(&self, argument: usize) -> Rect {
        let parts = &self.plan.parts;
        let none = || panic!("the task has {}; there is no argument {argument}", count(parts.len(), "argument"));
        parts.get(argument).map_or_else(none, |part| part.rects.rect(self.number))
    }

    /// The indices, in the store that was given, of argument `argument` to which the values of an [`image`](crate::image) with
    /// [`ImageHint::Precise`](crate::ImageHint::Precise) point: disjoint rows of neighbors along the last dimension, in order. It is all of
    /// [`rect`](Self::rect), which may have steps, for all other arguments, for a launch by [`single`](crate::TaskBuilder::single), and if
    /// there are more than 16,777,216 rows.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{ImageHint, Runtime, Store, image, read};
    ///
    /// let rt = Runtime::new()?;
    /// let table: Store<i64, _> = rt.create_from_fn(100, |at| at[0])?;
    /// let which: Store<i64, _> = rt.create_from(5, &[70, 8, 9, 70, 71])?;
    /// let sums = rt
    ///     .task("sum of what is pointed to")
    ///     .args((read(&which), read(&table)))
    ///     .constrain(|(which, table)| image(which, table, ImageHint::Precise))
    ///     .map(|task, (_, table)| {
    ///         let start = task.rect(1).lo()[0];
    ///         let each = task.indices(1).flat_map(|rows| rows.points());
    ///         Ok(each.map(|at| table.get((at[0] - start) as usize)).sum::<i64>())
    ///     })?;
    /// assert_eq!(sums.get()?.iter().sum::<i64>(), 8 + 9 + 70 + 71);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[track_caller]
    pub fn indices(&self, argument: usize) -> impl Iterator<Item = Rect> + '_ {
        let rect = self.rect(argument);
        let runs = self.plan.parts[argument].runs.as_ref().and_then(|runs| runs.at(self.number));
        let all = runs.is_none() && !rect.is_empty();
        runs.into_iter().flat_map(|runs| runs.iter()).chain(all.then_some(rect))
    }

    /// The first index that the view of argument `argument` shows. Add it to an index of the view to get the index in the store. If
    /// [`rect`](Self::rect) has steps, multiply the index of the view by them first.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument, or its rank is not `N`.
    #[must_use]
    #[track_caller]
    pub fn origin<const N: usize>(&self, argument: usize) -> [usize; N] {
        let lo = self.rect(argument).lo();
        assert!(lo.len() == N, "argument {argument} has {}, not {N}", count(lo.len(), "dimension"));
        // Indices of a store are never negative, and memory has room for the elements, so they fit a `usize`.
        core::array::from_fn(|dim| usize::try_from(lo[dim]).unwrap_or(usize::MAX))
    }

    /// The difference between the indices of one element in the view of argument `to` and in the view of argument `from`: in a stencil, the
    /// start of a tile in the tile with a margin.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument, a rank is not `N`, or the view of `to` starts after that of `from`; and if the steps of the two
    /// [rects](Self::rect) differ, since there is no difference that holds for all indices then.
    #[must_use]
    #[track_caller]
    pub fn offset<const N: usize>(&self, from: usize, to: usize) -> [usize; N] {
        let (from_at, to_at) = (self.origin::<N>(from), self.origin::<N>(to));
        let [of, within] = [from, to].map(|argument| self.rect(argument));
        let (steps, counts) = ([of, within].map(|rect| rect.steps()), of.extents());
        core::array::from_fn(|dim| {
            let step = usize::try_from(steps[1][dim]).unwrap_or(1);
            let alike = steps[0][dim] == steps[1][dim] || counts[dim] <= 1;
            assert!(
                alike && from_at[dim].abs_diff(to_at[dim]).is_multiple_of(step),
                "the view of argument {from} shows the indices {of}, and that of argument {to} shows {within}, in other steps: \
                 find each index by `rect`"
            );
            assert!(
                to_at[dim] <= from_at[dim],
                "the view of argument {to} starts at {to_at:?}, after that of argument {from} at {from_at:?}"
            );
            (from_at[dim] - to_at[dim]) / step
        })
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("name", &self.name).field("point", &self.point).finish_non_exhaustive()
    }
}
