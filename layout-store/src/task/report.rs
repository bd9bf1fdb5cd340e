//! What a launch reports.

use core::fmt;
use std::sync::Arc;

use super::plan::Plan;
use crate::geometry::Rect;
use crate::locale::Exchanged;
use crate::partition::{Fewer, Single};
use crate::sync::Ordering;

/// How a task was launched.
#[derive(Clone)]
pub struct Launched {
    pub(super) plan: Arc<Plan>,
    pub(super) exchanged: Exchanged,
}

impl Launched {
    /// The bytes of elements that all locales together send each other for it, the same number on every locale.
    ///
    /// What points [`send`](crate::send) each other is known when it was sent: it is counted in full after the next fence, or once a
    /// task has run that takes it. Contributions to reductions and values of futures are left out;
    /// [`Traffic`](crate::Traffic) has them. It is counted when it is asked for, in time that grows with the points of the launch.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Unbound, send};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1);
    /// let exchanged = builder.simulate(|rt| {
    ///     let next: Unbound<i64> = rt.unbound();
    ///     // Points 0 and 1 are on different locales: each sends the other one an element.
    ///     let launched = rt.task("swap").over([2])?.args((send(&next),)).launch(|task, (mut to,)| {
    ///         to.push([1 - task.point()[0]], task.point()[0])
    ///     })?;
    ///     rt.fence()?;
    ///     Ok::<_, layout_store::StoreError>(launched.exchanged())
    /// })?;
    /// let exchanged: Vec<u64> = exchanged.into_iter().collect::<Result<_, _>>()?;
    /// assert_eq!(exchanged, [16, 16]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    #[must_use]
    pub fn exchanged(&self) -> u64 {
        let sent = self.exchanged.sent().map(|sent| sent.load(Ordering::Relaxed));
        self.exchanged.planned() + sent.sum::<u64>()
    }

    /// The points of the launch.
    #[must_use]
    pub fn domain(&self) -> Rect {
        self.plan.domain
    }

    /// Why there is one point only, where the runtime chose so.
    #[must_use]
    pub fn single(&self) -> Option<&Single> {
        self.plan.single.as_ref()
    }

    /// Why there are fewer points than [`pieces`](crate::Builder::pieces), where a store has no room for more tiles.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, read};
    ///
    /// let rt = Runtime::builder().pieces(13).min_chunk(1).build()?;
    /// let cube: Store<f64, _> = rt.create_from_fn([4, 4, 4], |_| 1.0)?;
    /// let launched = rt.task("cube").args((read(&cube),)).launch(|_, _| ())?;
    /// assert_eq!(launched.domain().volume(), 12);
    /// assert!(launched.fewer().is_some_and(|fewer| fewer.tiles == 12 && fewer.pieces == 13));
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    #[must_use]
    pub fn fewer(&self) -> Option<&Fewer> {
        self.plan.fewer.as_ref()
    }
}

impl fmt::Debug for Launched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launched")
            .field("domain", &self.domain())
            .field("single", &self.single())
            .field("fewer", &self.fewer())
            .field("exchanged", &self.exchanged())
            .finish()
    }
}
