//! Routed values: the points of one launch send them to the points of a later one, and only there.
//!
//! ```text
//! launch 1   each point puts values into lists, one for each point of launch 2     `Outbox`
//! messages   each locale is sent the lists of the points that are placed there
//! launch 2   each point takes its lists, in the order of the points of launch 1    `Inbox`
//! ```

use core::any::Any;
use std::sync::{Arc, OnceLock};

use super::arguments::{Argument, At, Combine, Following, Once, Placed, sealed};
use super::plan::{Described, Plan};
use crate::error::StoreError;
use crate::geometry::{Point, Rect, Transform};
use crate::graph::{Cause, Node};
use crate::locale::{Locale, Parts};
use crate::partition::{Access, Placement};
use crate::sync::Mutex;

/// Values on their way from the points of one launch to those of another one.
pub(crate) struct Routed<T> {
    locale: Arc<Locale>,
    /// Where the points run that take them.
    takers: Placement,
    /// For each point that sends, a list for each point that takes.
    lists: OnceLock<Vec<Mutex<Vec<Vec<T>>>>>,
    /// The node after which all are here.
    node: OnceLock<Arc<Node>>,
}

impl<T> Routed<T> {
    /// Makes a point wait for all that sends.
    pub(super) fn follow(&self, point: Following<'_>) {
        self.node.get().iter().for_each(|node| point.after(node));
    }
}

impl<T: Send + Sync + 'static> Routed<T> {
    /// Values for the points of a launch that run there.
    pub(crate) fn to(locale: &Arc<Locale>, takers: Placement) -> Arc<Self> {
        Arc::new(Self { locale: locale.clone(), takers, lists: OnceLock::new(), node: OnceLock::new() })
    }

    fn describe(&self, placement: Option<Placement>) -> Result<Described, StoreError> {
        let (locale, transform) = (self.locale.clone(), Arc::new(Transform::identity(Point::EMPTY)?));
        Ok(Described { locale, root: None, transform, access: Access::Read, manual: None, placement, order: None })
    }

    /// Where the points run that take them.
    pub(super) fn takers(&self) -> &Placement {
        &self.takers
    }

    /// The number of values that a point was sent.
    pub(super) fn count_of(&self, point: usize) -> usize {
        self.lists().iter().map(|lists| lists.lock().get(point).map_or(0, Vec::len)).sum()
    }

    /// The values that a point was sent, in the order of the points that sent them.
    pub(super) fn values_of(&self, point: usize) -> impl Iterator<Item = T>
    where
        T: Clone,
    {
        // A list at a time: other points take theirs meanwhile.
        self.lists().iter().flat_map(move |lists| lists.lock().get(point).cloned().unwrap_or_default())
    }

    fn lists(&self) -> &[Mutex<Vec<Vec<T>>>] {
        self.lists.get().map_or(&[], |lists| lists)
    }
}

impl<T: Send + Sync + 'static> Parts for Routed<T> {
    fn give(&self, number: usize, to: usize, _: bool) -> (Box<dyn Any + Send>, usize) {
        let mut lists = self.lists()[number].lock();
        let given: Vec<Vec<T>> = self.takers.points_of(to).map(|point| core::mem::take(&mut lists[point])).collect();
        let bytes = given.iter().map(Vec::len).sum::<usize>() * size_of::<T>();
        (Box::new(given), bytes)
    }

    fn put(&self, number: usize, given: Box<dyn Any + Send>) {
        if let Ok(given) = given.downcast::<Vec<Vec<T>>>() {
            let mut lists = self.lists()[number].lock();
            lists.resize_with(self.takers.count(), Vec::new);
            let here = self.takers.points_of(self.locale.number);
            here.zip(*given).for_each(|(point, given)| lists[point] = given);
        }
    }
}

/// An argument that sends values: the closure gets a list for each point that takes them.
pub(crate) struct Outbox<T>(pub(crate) Arc<Routed<T>>);

impl<T: Send + Sync + 'static> sealed::Sealed for Outbox<T> {}

impl<T: Send + Sync + 'static> Argument for Outbox<T> {
    type Given<'a> = &'a mut [Vec<T>];
    type Handle<'a> = ();
    type Held<'r> = Vec<Vec<T>>;

    fn describe(&self) -> Result<Described, StoreError> {
        self.0.describe(None)
    }

    fn handle(&self, _: usize) {}

    fn prepare(&mut self, points: Placed<'_>) {
        let _ = self.0.lists.set((0..points.count()).map(|_| Mutex::default()).collect());
    }

    fn hold(&self, _: &Rect, _: At<'_>) -> Result<Vec<Vec<T>>, Cause> {
        Ok((0..self.0.takers.count()).map(|_| Vec::new()).collect())
    }

    fn give(held: &mut Vec<Vec<T>>) -> Result<&mut [Vec<T>], Cause> {
        Ok(held)
    }

    fn keep(&self, held: Vec<Vec<T>>, number: usize) -> Result<(), Cause> {
        *self.0.lists()[number].lock() = held;
        Ok(())
    }

    fn combine(&self, _: &Plan, _: usize) -> Option<Combine> {
        let body = Arc::new(Once { what: "receive values", work: || Ok(()) });
        let routed = self.0.clone();
        let node = move |node: &Arc<Node>| drop(routed.node.set(node.clone()));
        let parts = self.0.clone();
        Some(Combine { body, parts, everywhere: true, claim: None, place: Arc::default(), node: Some(Box::new(node)) })
    }
}

/// An argument that takes values, after all were sent: the closure gets a list from each point that sent some.
pub(crate) struct Inbox<T>(pub(crate) Arc<Routed<T>>);

impl<T: Send + Sync + 'static> sealed::Sealed for Inbox<T> {}

impl<T: Send + Sync + 'static> Argument for Inbox<T> {
    type Given<'a> = Vec<Vec<T>>;
    type Handle<'a> = ();
    type Held<'r> = Vec<Vec<T>>;

    fn describe(&self) -> Result<Described, StoreError> {
        self.0.describe(Some(self.0.takers.clone()))
    }

    fn handle(&self, _: usize) {}

    fn follow(&self, point: Following<'_>) {
        self.0.follow(point);
    }

    fn hold(&self, _: &Rect, at: At<'_>) -> Result<Vec<Vec<T>>, Cause> {
        let take =
            |lists: &Mutex<Vec<Vec<T>>>| lists.lock().get_mut(at.number()).map(core::mem::take).unwrap_or_default();
        Ok(self.0.lists().iter().map(take).collect())
    }

    fn give(held: &mut Vec<Vec<T>>) -> Result<Vec<Vec<T>>, Cause> {
        Ok(core::mem::take(held))
    }
}
