//! Reports of launches.

use core::fmt;
use std::sync::Arc;

use super::plan::Plan;
use crate::geometry::Rect;
use crate::locale::Exchanged;
use crate::partition::{Fewer, Single};
use crate::sync::Ordering;

/// The report of a launch.
#[derive(Clone)]
pub struct Launched {
    pub(super) plan: Arc<Plan>,
    pub(super) exchanged: Exchanged,
}

impl Launched {
    /// The bytes of elements that all locales together send each other for the launch, the same number on every locale.
    ///
    /// Elements that points [`send`](crate::send) each other are counted when they are sent: all of them are counted after the next fence,
    /// or after a task that takes them has run. Contributions to reductions and values of futures are left out; [`Traffic`](crate::Traffic)
    /// has them. The bytes are counted in this call, in a time that grows with the points of the launch.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Unbound, send};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1);
    /// let exchanged = builder.simulate(|rt| {
    ///     let next: Unbound<i64> = rt.unbound();
    ///     // Points 0 and 1 are on different locales: each sends the other one an element.
    ///     let launched = rt.task("swap").over([2])?.args((send(&next),)).launch(|task, (mut to,)| {
    ///         to.push([1 - task.point()[0]], task.point()[0])
    ///     })?;
    ///     rt.fence()?;
    ///     Ok::<_, layout::store::StoreError>(launched.exchanged())
    /// })?;
    /// let exchanged: Vec<u64> = exchanged.into_iter().collect::<Result<_, _>>()?;
    /// assert_eq!(exchanged, [16, 16]);
    /// # Ok::<(), layout::store::StoreError>(())
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

    /// The reason for a single point, if the runtime chose it.
    #[must_use]
    pub fn single(&self) -> Option<&Single> {
        self.plan.single.as_ref()
    }

    /// The reason for fewer points than [`pieces`](crate::Builder::pieces), if a store has no room for more tiles.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, read};
    ///
    /// let rt = Runtime::builder().pieces(13).min_chunk(1).build()?;
    /// let cube: Store<f64, _> = rt.create_from_fn([4, 4, 4], |_| 1.0)?;
    /// let launched = rt.task("cube").args((read(&cube),)).launch(|_, _| ())?;
    /// assert_eq!(launched.domain().volume(), 12);
    /// assert!(launched.fewer().is_some_and(|fewer| fewer.tiles == 12 && fewer.pieces == 13));
    /// # Ok::<(), layout::store::StoreError>(())
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
