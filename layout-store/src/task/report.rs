//! What a launch reports.

use core::fmt;
use std::sync::Arc;

use super::plan::Plan;
use crate::geometry::Rect;
use crate::locale::Exchanged;
use crate::partition::{Fewer, Single};

/// How a task was launched.
#[derive(Clone)]
pub struct Launched {
    pub(super) plan: Arc<Plan>,
    pub(super) exchanged: Exchanged,
}

impl Launched {
    /// The bytes of elements that all locales together send each other for it, the same number on every locale.
    /// Contributions to reductions and values of futures are left out; [`Traffic`](crate::Traffic) has them. It is counted when
    /// it is asked for, in time that grows with the points of the launch.
    #[must_use]
    pub fn exchanged(&self) -> u64 {
        self.exchanged.bytes()
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
