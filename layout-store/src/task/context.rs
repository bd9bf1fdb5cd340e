//! What a leaf is told of its task.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::point::Point;
use crate::rect::Rect;

/// What a leaf is told of its task: the point that it is, and which indices its views show.
///
/// # Examples
///
/// ```
/// use layout_store::{Runtime, Store, write};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let store: Store<i64, _> = rt.create(10)?;
/// rt.task("count").args((write(&store),)).launch(|task, (mut tile,)| {
///     let start = task.rect(0).lo()[0]; // views count from zero
///     for i in 0..tile.len() {
///         tile.set(i, start + i as i64);
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
    pub fn rect(&self, argument: usize) -> Rect {
        self.rects[argument]
    }
}
