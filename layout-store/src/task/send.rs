//! Elements that task bodies send to points of their launch, for tiles that grow and shrink.

use std::sync::{Arc, OnceLock};

use layout_core::{Dim, Record, RecordLayout};

use super::arguments::{Argument, At, Combine, Combiners, Placed, sealed};
use super::emit::{Emission, Kept, Unbound};
use super::plan::{Described, Plan};
use super::routed::{Outbox, Routed};
use crate::error::StoreError;
use crate::geometry::{Point, Rect};
use crate::graph::{Cause, TaskBodyError};
use crate::partition::Placement;

/// An argument by which task bodies send elements; see [`send`].
pub struct SendTo<R: Record, L> {
    target: Unbound<R, Dim<1>, L>,
    outbox: Outbox<R>,
    domain: OnceLock<Rect>,
}

/// Makes an argument by which each task body sends elements to any points of the launch; the closure gets a [`Sender`].
///
/// A later launch reads the elements with [`emitted`](crate::emitted): each of its points gets the elements that were sent to the point of
/// the same number, ordered by sender, and from each sender in the order of sending. The later launch waits for all points of this launch.
/// Only elements for points of other locales become messages. Elements count against the memory limit of the locale that has them, as
/// [emitted](crate::emit) elements do. A [store](Unbound::store) has the elements of the first point first.
///
/// # Examples
///
/// Tiles that grow and shrink, such as tiles of moving particles:
///
/// ```
/// use layout::store::{Runtime, Unbound, emitted, send};
///
/// let rt = Runtime::new()?;
/// let mut tiles: Unbound<i64> = rt.unbound();
/// rt.task("start").over([3])?.args((send(&tiles),)).launch(|task, (mut to,)| {
///     (0..4).try_for_each(|k| to.push(task.point(), 4 * task.point()[0] + k))
/// })?;
/// for _ in 0..2 {
///     let next = rt.unbound();
///     rt.task("move").args((emitted(&tiles), send(&next))).launch(|task, (tile, mut to)| {
///         // Even numbers go on to the next tile.
///         tile.values().try_for_each(|number| to.push([(task.point()[0] + (number + 1) % 2) % 3], number))
///     })?;
///     tiles = next;
/// }
/// let sizes = rt.task("sizes").args((emitted(&tiles),)).map(|_, (tile,)| Ok(tile.len()))?;
/// assert_eq!(sizes.get()?, [4, 4, 4]);
/// assert_eq!(tiles.store()?.to_vec()?, [1, 3, 4, 6, 8, 10, 5, 7, 0, 2, 9, 11]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[must_use]
pub fn send<R: Record, L>(target: &Unbound<R, Dim<1>, L>) -> SendTo<R, L> {
    let outbox = Outbox(Routed::to(&target.launcher().locale, Placement::first(0)));
    SendTo { target: target.clone(), outbox, domain: OnceLock::new() }
}

/// The sender of a task body, for an argument by which it sends.
pub struct Sender<'a, R> {
    domain: Rect,
    lists: &'a mut [Vec<R>],
}

impl<R> Sender<'_, R> {
    /// Sends an element to a point of the launch.
    ///
    /// # Errors
    ///
    /// Returns an error if the launch has no such point.
    #[inline]
    pub fn push(&mut self, point: impl Into<Point>, element: R) -> Result<(), TaskBodyError> {
        let (point, extents) = (point.into(), self.domain.hi());
        if !self.domain.contains(&point) {
            return Err(StoreError::NoSuchPoint { point, domain: self.domain.into() }.into());
        }
        let number = point.iter().zip(&*extents).fold(0, |number, (at, extent)| number * extent + at);
        // There is a list for each point.
        self.lists[usize::try_from(number).unwrap_or(0)].push(element);
        Ok(())
    }
}

/// The lists of a task body while it runs.
#[doc(hidden)]
pub struct HeldLists<R> {
    domain: Rect,
    lists: Vec<Vec<R>>,
}

impl<R: Record, L: RecordLayout<R> + Default> sealed::Sealed for SendTo<R, L> {}

impl<R: Record, L: RecordLayout<R> + Default> Argument for SendTo<R, L> {
    type Given<'a> = Sender<'a, R>;
    type Handle<'a> = ();
    type Held<'r> = HeldLists<R>;

    fn describe(&self) -> Result<Described, StoreError> {
        self.target.describe(self.outbox.describe())
    }

    fn handle(&self, _: usize) {}

    fn prepare(&mut self, points: Placed<'_>) {
        self.outbox = Outbox(Routed::to(&self.target.launcher().locale, points.placement().clone()));
        self.outbox.prepare(points);
    }

    fn hold(&self, rect: &Rect, at: At<'_>) -> Result<HeldLists<R>, Cause> {
        let domain = self.domain.get().copied().ok_or(StoreError::Unbound)?;
        Ok(HeldLists { domain, lists: self.outbox.hold(rect, at)? })
    }

    fn give(held: &mut HeldLists<R>) -> Result<Sender<'_, R>, Cause> {
        Ok(Sender { domain: held.domain, lists: &mut held.lists })
    }

    fn keep(&self, held: HeldLists<R>, number: usize) -> Result<(), Cause> {
        self.outbox.keep(held.lists, number)
    }

    fn combine(&mut self, plan: &Plan, number: u32, owners: &Combiners) -> Option<Combine> {
        let domain = *self.domain.get_or_init(|| plan.domain);
        let (placement, kept) = (self.outbox.0.takers().clone(), Kept::Sent(Arc::clone(&self.outbox.0)));
        self.target.inner.set_emission(Emission { domain, placement, kept });
        self.outbox.combine(plan, number, owners)
    }
}
