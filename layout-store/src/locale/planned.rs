//! Planned messages: the record of a locale that only plans.

use core::any::Any;
use core::mem::take;
use std::collections::HashMap;
use std::sync::Arc;

use super::Root;
use super::ledger::{ExchangePlan, Message};
use crate::geometry::{Point, Rect};
use crate::sync::Mutex;

/// The messages of one launch on one locale, as a [`Planner`](crate::Planner) computes them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedLaunch {
    /// The name of the task.
    pub task: String,
    /// The points of the launch.
    pub domain: Rect,
    /// The messages that the locale sends, in the order in which they are put into the graph; last those with elements that others reach
    /// through images.
    pub sends: Vec<PlannedMessage>,
    /// The messages that the locale receives.
    pub receives: Vec<PlannedMessage>,
}

/// A message of elements of one store between two locales.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedMessage {
    /// The other locale.
    pub peer: usize,
    /// The number of the store, by which errors and [`StoreMemory`](crate::StoreMemory) name it.
    pub store: u64,
    /// The elements, as indices of the store that was created, whatever view of it the task got.
    pub boxes: Box<[Rect]>,
    /// The bytes of the elements.
    pub bytes: u64,
}

/// The planned launches that nobody has asked for yet, and the assumed values of stores.
#[derive(Default)]
pub(crate) struct Planned {
    launches: Mutex<Vec<Noted>>,
    /// By the number of the store, as [`Assumed`] of its records.
    values: Mutex<HashMap<u64, Box<dyn Any + Send>>>,
}

/// A launch, and the plans by which other locales ask for elements of stores. The messages that this locale sends for these plans are
/// computed when they are asked for.
type Noted = (PlannedLaunch, Vec<(u64, Arc<ExchangePlan>)>);

impl Planned {
    /// Records a launch; the messages that follow belong to it.
    pub(crate) fn begin(&self, task: &str, domain: Rect) {
        let (task, sends, receives) = (task.to_owned(), Vec::new(), Vec::new());
        self.launches.lock().push((PlannedLaunch { task, domain, sends, receives }, Vec::new()));
    }

    /// Records messages of elements of a store to and from this locale.
    pub(super) fn note(&self, store: u64, messages: &[Message]) {
        if let Some((launch, _)) = self.launches.lock().last_mut() {
            launch.note(store, messages);
        }
    }

    /// Records a plan by which others may ask for elements of a store.
    pub(super) fn sends_later(&self, root: &Root, plan: &Arc<ExchangePlan>) {
        if let Some((_, later)) = self.launches.lock().last_mut() {
            later.push((root.id, plan.clone()));
        }
    }

    /// The launches since the last call, on this locale.
    pub(crate) fn take(&self, me: usize) -> Vec<PlannedLaunch> {
        let launches = take(&mut *self.launches.lock());
        let whole = |(mut launch, later): Noted| {
            for (store, plan) in later {
                launch.note(store, &plan.sent_alone(me));
            }
            launch
        };
        launches.into_iter().map(whole).collect()
    }

    /// Sets the assumed values of a store.
    pub(crate) fn assume<R: 'static>(&self, store: u64, values: Assumed<R>) {
        self.values.lock().insert(store, Box::new(values));
    }

    /// The assumed values of a store, if they are of this type.
    pub(crate) fn assumed<R: 'static>(&self, store: u64) -> Option<Assumed<R>> {
        self.values.lock().get(&store)?.downcast_ref::<Assumed<R>>().cloned()
    }
}

/// A function from the indices of a store to its values.
pub(crate) type Assumed<R> = Arc<dyn Fn(Point) -> R + Send + Sync>;

impl PlannedLaunch {
    fn note(&mut self, store: u64, messages: &[Message]) {
        // The boxes of each parcel, at the place of its first message.
        let mut boxes: Vec<Vec<Rect>> = vec![Vec::new(); messages.len()];
        messages.iter().for_each(|message| boxes[message.first].extend(message.tiles.rects()));
        let parcels = messages.iter().zip(boxes).enumerate().filter(|(at, (message, _))| message.first == *at);
        for (_, (Message { sent, peer, parcel, .. }, boxes)) in parcels {
            let noted = if *sent { &mut self.sends } else { &mut self.receives };
            noted.push(PlannedMessage { peer: *peer, store, boxes: boxes.into(), bytes: parcel.bytes });
        }
    }
}
