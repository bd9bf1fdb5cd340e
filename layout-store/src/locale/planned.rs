//! What launches would send: the account of a locale that only plans.

use core::any::Any;
use core::mem::take;
use std::collections::HashMap;
use std::sync::Arc;

use super::Root;
use super::ledger::{ExchangePlan, Message};
use crate::geometry::{Point, Rect};
use crate::sync::Mutex;

/// What one launch sends and receives on one locale, as a [`Planner`](crate::Planner) finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedLaunch {
    /// The name of the task.
    pub task: String,
    /// The points of the launch.
    pub domain: Rect,
    /// What the locale sends, in the order in which the messages are put into the graph; last what others reach through images.
    pub sends: Vec<PlannedMessage>,
    /// What the locale receives.
    pub receives: Vec<PlannedMessage>,
}

/// Elements of one store that one locale sends to another one.
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

/// The launches that a locale planned and nobody has asked for, and what it takes for the values of stores.
#[derive(Default)]
pub(crate) struct Planned {
    launches: Mutex<Vec<Noted>>,
    /// By the number of the store; as [`Assumed`] of its records.
    values: Mutex<HashMap<u64, Box<dyn Any + Send>>>,
}

/// A launch, and the plans by which others ask for elements of stores: whether they ask this locale is found out once somebody
/// wants to know.
type Noted = (PlannedLaunch, Vec<(u64, Arc<ExchangePlan>)>);

impl Planned {
    /// Takes note of a launch: messages that follow are its own.
    pub(crate) fn begin(&self, task: &str, domain: Rect) {
        let (task, sends, receives) = (task.to_owned(), Vec::new(), Vec::new());
        self.launches.lock().push((PlannedLaunch { task, domain, sends, receives }, Vec::new()));
    }

    /// Takes note of a message from this locale, or to it, of elements of a store.
    pub(super) fn note(&self, store: u64, message: &Message) {
        if let Some((launch, _)) = self.launches.lock().last_mut() {
            launch.note(store, message);
        }
    }

    /// Takes note of a plan by which others may ask for elements of a store.
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
                plan.sent_alone(me).iter().for_each(|message| launch.note(store, message));
            }
            launch
        };
        launches.into_iter().map(whole).collect()
    }

    /// What values a store is to be taken to have.
    pub(crate) fn assume<R: 'static>(&self, store: u64, values: Assumed<R>) {
        self.values.lock().insert(store, Box::new(values));
    }

    /// The values that a store is taken to have, if they are of this type.
    pub(crate) fn assumed<R: 'static>(&self, store: u64) -> Option<Assumed<R>> {
        self.values.lock().get(&store)?.downcast_ref::<Assumed<R>>().cloned()
    }
}

/// From the indices of a store to its values.
pub(crate) type Assumed<R> = Arc<dyn Fn(Point) -> R + Send + Sync>;

impl PlannedLaunch {
    fn note(&mut self, store: u64, Message { sent, peer, tiles, bytes, .. }: &Message) {
        let message = PlannedMessage { peer: *peer, store, boxes: tiles.rects().into(), bytes: *bytes };
        let messages = if *sent { &mut self.sends } else { &mut self.receives };
        messages.push(message);
    }
}
