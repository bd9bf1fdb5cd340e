//! What launches would send: the account of a locale that only plans.

use core::mem::take;

use crate::geometry::Rect;
use crate::sync::Mutex;

/// What one launch sends and receives on one locale, as a [`Planner`](crate::Planner) finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedLaunch {
    /// The name of the task.
    pub task: String,
    /// The points of the launch.
    pub domain: Rect,
    /// What the locale sends, in the order in which the messages are put into the graph.
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

/// The launches that a locale planned and nobody has asked for.
#[derive(Default)]
pub(crate) struct Planned(Mutex<Vec<PlannedLaunch>>);

impl Planned {
    /// Takes note of a launch: messages that follow are its own.
    pub(crate) fn begin(&self, task: &str, domain: Rect) {
        let (task, sends, receives) = (task.to_owned(), Vec::new(), Vec::new());
        self.0.lock().push(PlannedLaunch { task, domain, sends, receives });
    }

    /// Takes note of a message from this locale, or to it.
    pub(super) fn note(&self, sent: bool, message: PlannedMessage) {
        if let Some(launch) = self.0.lock().last_mut() {
            let messages = if sent { &mut launch.sends } else { &mut launch.receives };
            messages.push(message);
        }
    }

    /// The launches since the last call.
    pub(crate) fn take(&self) -> Vec<PlannedLaunch> {
        take(&mut *self.0.lock())
    }
}
