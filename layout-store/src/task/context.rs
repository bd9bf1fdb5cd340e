//! What a task body is told of its task.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::geometry::{Point, Rect, count};

/// What a task body is told of its task: the point that it is, and which indices its views show.
///
/// # Examples
///
/// ```
/// use layout_store::{Runtime, Store, write};
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
/// # Ok::<(), layout_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Task {
    pub(super) name: Cow<'static, str>,
    pub(super) point: Point,
    pub(super) domain: Rect,
    pub(super) rects: SmallVec<[Rect; 4]>,
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
        self.domain
    }

    /// The indices of argument `argument`, of the store that was given, that its view shows from zero on. For an argument
    /// that is emitted to, a box without coordinates.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    #[must_use]
    #[track_caller]
    pub fn rect(&self, argument: usize) -> Rect {
        let rects = &self.rects;
        let none = || panic!("the task has {}; there is no argument {argument}", count(rects.len(), "argument"));
        rects.get(argument).copied().unwrap_or_else(none)
    }

    /// The first index that the view of argument `argument` shows: what to add to an index of the view.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument, or it has not `N` dimensions.
    #[must_use]
    #[track_caller]
    pub fn origin<const N: usize>(&self, argument: usize) -> [usize; N] {
        let lo = self.rect(argument).lo();
        assert!(lo.len() == N, "argument {argument} has {}, not {N}", count(lo.len(), "dimension"));
        // Indices of a store are never negative, and no larger than what fits in memory.
        core::array::from_fn(|dim| usize::try_from(lo[dim]).unwrap_or(usize::MAX))
    }

    /// What to add to an index of the view of argument `from` to find the same index in the view of argument `to`: for
    /// a stencil, where a tile starts in the one with a margin.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument, one has not `N` dimensions, or the view of `to` starts after that of `from`.
    #[must_use]
    #[track_caller]
    pub fn offset<const N: usize>(&self, from: usize, to: usize) -> [usize; N] {
        let (from_at, to_at) = (self.origin::<N>(from), self.origin::<N>(to));
        core::array::from_fn(|dim| {
            assert!(
                to_at[dim] <= from_at[dim],
                "the view of argument {to} starts at {to_at:?}, after that of argument {from} at {from_at:?}"
            );
            from_at[dim] - to_at[dim]
        })
    }
}
