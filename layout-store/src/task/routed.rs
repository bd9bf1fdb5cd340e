//! Routed values: the points of one launch send them only to the points of a later launch that take them.
//!
//! ```text
//! launch 1   each point puts values into lists, one for each point of launch 2     `Outbox`
//! messages   each locale is sent the lists of the points that are placed there
//! launch 2   each point takes its lists, in the order of the points of launch 1    `Inbox`
//! ```

use std::sync::{Arc, OnceLock};

use layout_core::Portable;

use super::arguments::{Argument, At, By, Combine, Combiners, Following, Once, Placed, sealed};
use super::kept::KeptList;
use super::plan::{Described, Plan};
use crate::error::StoreError;
use crate::geometry::Rect;
use crate::graph::{Cause, Node};
use crate::locale::{Locale, Parts};
use crate::partition::Placement;
use crate::sync::{AtomicU64, Mutex, Ordering};

/// Values that the points of one launch send to those of another one.
pub(crate) struct Routed<T> {
    locale: Arc<Locale>,
    /// The locales of the points that take the values.
    takers: Placement,
    /// `true` if a receiver without memory for values fails.
    refuses: bool,
    /// For each point that sends, a list for each point that takes.
    lists: OnceLock<Vec<Mutex<SentBy<T>>>>,
    /// The bytes between locales of the points that ran here, and of those from which values came.
    sent: Arc<AtomicU64>,
    /// The node after which all values are here.
    node: OnceLock<Arc<Node>>,
}

/// The values that a point sends: a list for each point that takes.
struct SentBy<T> {
    lists: Vec<KeptList<T>>,
    /// The bytes for other locales.
    bytes: u64,
}

impl<T> Default for SentBy<T> {
    fn default() -> Self {
        Self { lists: Vec::new(), bytes: 0 }
    }
}

impl<T> Routed<T> {
    /// Makes a point wait for all points that send.
    pub(super) fn follow(&self, point: Following<'_>) {
        self.node.get().iter().for_each(|node| point.after(node));
    }
}

impl<T: Portable + Send + Sync + 'static> Routed<T> {
    /// Values for the points of a launch with this placement.
    pub(crate) fn to(locale: &Arc<Locale>, takers: Placement) -> Arc<Self> {
        Arc::new(Self::new(locale, takers, true))
    }

    /// Values for the points of a launch with this placement. A receiver keeps all of them: if a point has no memory for the values that it
    /// sends, all receivers fail, and so no locale fails alone.
    pub(crate) fn kept_anyway(locale: &Arc<Locale>, takers: Placement) -> Arc<Self> {
        Arc::new(Self::new(locale, takers, false))
    }

    fn new(locale: &Arc<Locale>, takers: Placement, refuses: bool) -> Self {
        let (locale, sent) = (locale.clone(), Arc::default());
        Self { locale, takers, refuses, lists: OnceLock::new(), sent, node: OnceLock::new() }
    }

    /// The locales of the points that take the values.
    pub(super) fn takers(&self) -> &Placement {
        &self.takers
    }

    /// The number of values that were sent to a point.
    pub(super) fn count_of(&self, point: usize) -> usize {
        self.lists().iter().map(|sent| sent.lock().lists.get(point).map_or(0, |list| list.values.len())).sum()
    }

    /// The values that were sent to a point, in the order of the points that sent them.
    pub(super) fn values_of(&self, point: usize) -> impl Iterator<Item = T>
    where
        T: Clone,
    {
        // One list at a time, so that other points can take theirs in between.
        let of = move |sent: &Mutex<SentBy<T>>| sent.lock().lists.get(point).map(|list| list.values.clone());
        self.lists().iter().flat_map(move |sent| of(sent).unwrap_or_default())
    }

    fn lists(&self) -> &[Mutex<SentBy<T>>] {
        self.lists.get().map_or(&[], |lists| lists)
    }
}

impl<T: Portable + Send + Sync + 'static> Parts for Routed<T> {
    /// Writes the bytes for all other locales, and the lists for the points of locale `to`.
    fn give(&self, number: usize, to: usize, message: &mut Vec<u8>) -> usize {
        let mut sent = self.lists()[number].lock();
        sent.bytes.write(message);
        let lists = self.takers.points_of(to).map(|point| sent.lists[point].take());
        let count = |list: Vec<T>| {
            list.write(message);
            list.len()
        };
        lists.map(count).sum::<usize>() * size_of::<T>()
    }

    fn put(&self, number: usize, given: &mut &[u8]) -> Result<(), Cause> {
        let bytes = u64::read(given)?;
        let mut sent = self.lists()[number].lock();
        sent.lists.resize_with(self.takers.count(), KeptList::default);
        for point in self.takers.points_of(self.locale.number) {
            let values = Vec::read(given)?;
            let refuses = self.refuses;
            sent.lists[point] =
                if refuses { KeptList::new(values, &self.locale)? } else { KeptList::counted(values, &self.locale) };
        }
        self.sent.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn sent(&self) -> Option<Arc<AtomicU64>> {
        Some(self.sent.clone())
    }
}

/// An argument that sends values: the closure gets a list for each point that takes them.
pub(crate) struct Outbox<T>(pub(crate) Arc<Routed<T>>);

impl<T: Portable + Send + Sync + 'static> sealed::Sealed for Outbox<T> {}

impl<T: Portable + Send + Sync + 'static> Argument for Outbox<T> {
    type Given<'a> = &'a mut [Vec<T>];
    type Handle<'a> = ();
    type Held<'r> = Vec<Vec<T>>;

    fn describe(&self) -> Result<Described, StoreError> {
        Described::values("send", &self.0.locale, None)
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
        let (routed, here) = (&*self.0, self.0.locale.number);
        let mut sent = SentBy { lists: Vec::with_capacity(held.len()), bytes: 0 };
        for (point, list) in held.into_iter().enumerate() {
            if routed.takers.locale(point) != here {
                sent.bytes += size_of_val(&list[..]) as u64;
            }
            sent.lists.push(KeptList::new(list, &routed.locale)?);
        }
        routed.sent.fetch_add(sent.bytes, Ordering::Relaxed);
        *routed.lists()[number].lock() = sent;
        Ok(())
    }

    fn combine(&mut self, _: &Plan, _: u32, _: &Combiners) -> Option<Combine> {
        let body = Arc::new(Once { what: "receive values", work: || Ok(()) });
        let routed = self.0.clone();
        let node = move |node: &Arc<Node>| drop(routed.node.set(node.clone()));
        let parts = self.0.clone();
        Some(Combine { parts, by: By::All { body, node: Box::new(node) } })
    }
}

/// An argument that takes values after all were sent: the closure gets a list from each point that sent some.
pub(crate) struct Inbox<T>(pub(crate) Arc<Routed<T>>);

impl<T: Portable + Send + Sync + 'static> sealed::Sealed for Inbox<T> {}

impl<T: Portable + Send + Sync + 'static> Argument for Inbox<T> {
    type Given<'a> = Vec<Vec<T>>;
    type Handle<'a> = ();
    type Held<'r> = Vec<KeptList<T>>;

    fn describe(&self) -> Result<Described, StoreError> {
        Described::values("receive", &self.0.locale, Some(self.0.takers.clone()))
    }

    fn handle(&self, _: usize) {}

    fn follow(&self, point: Following<'_>) {
        self.0.follow(point);
    }

    fn hold(&self, _: &Rect, at: At<'_>) -> Result<Vec<KeptList<T>>, Cause> {
        let take =
            |sent: &Mutex<SentBy<T>>| sent.lock().lists.get_mut(at.number()).map(core::mem::take).unwrap_or_default();
        Ok(self.0.lists().iter().map(take).collect())
    }

    fn give(held: &mut Vec<KeptList<T>>) -> Result<Vec<Vec<T>>, Cause> {
        // Their memory counts until the task body is done.
        Ok(held.iter_mut().map(|list| core::mem::take(&mut list.values)).collect())
    }
}
