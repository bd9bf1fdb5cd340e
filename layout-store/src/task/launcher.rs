//! The launcher: the part of a runtime that launches need.

use std::sync::Arc;

use super::builder::TaskBuilder;
use super::constrain::Rule;
use super::plan_cache::PlanCache;
use super::reduction::Reduction;
use crate::error::StoreError;
use crate::locale::Locale;
use crate::profile::Recorder;
use crate::sync::Mutex;

/// Launches tasks on a locale.
pub(crate) struct Launcher {
    pub(crate) locale: Arc<Locale>,
    /// The number of tiles that a store is cut into.
    pub(crate) pieces: i64,
    /// The number of elements that the largest argument of a task must have for the task to be cut.
    pub(crate) min_chunk: i64,
    /// The plans of launches.
    pub(super) plans: Mutex<PlanCache>,
    /// Empty lists with memory for constraints.
    rules: Mutex<Vec<Vec<Rule>>>,
    /// The recorder of a profile, if there is one.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

/// Combines the settings of locales: the sum of their threads, and the smallest memory limit.
#[derive(Clone)]
struct Settings;

impl Reduction<(i64, usize)> for Settings {
    fn identity(&self) -> (i64, usize) {
        (0, usize::MAX)
    }

    fn combine(&self, a: (i64, usize), b: (i64, usize)) -> (i64, usize) {
        (a.0.saturating_add(b.0), a.1.min(b.1))
    }
}

impl Launcher {
    pub(crate) fn new(
        locale: Arc<Locale>,
        (pieces, min_chunk): (i64, i64),
        recorder: Option<Arc<Recorder>>,
    ) -> Arc<Self> {
        Arc::new(Self { locale, pieces, min_chunk, plans: Mutex::default(), rules: Mutex::default(), recorder })
    }

    /// Agrees on the settings that each locale has for itself: the launcher has as many pieces as all locales have threads, unless their
    /// number is `given`, and the budget gets the smallest memory limit. This is the first operation of all locales.
    pub(crate) fn agreed(self: &Arc<Self>, given: bool) -> Result<Arc<Self>, StoreError> {
        let budget = &self.locale.budget;
        let own = (i64::try_from(self.locale.engine.threads().max(1)).unwrap_or(i64::MAX), budget.least_limit());
        let locales = i64::try_from(self.locale.count).unwrap_or(i64::MAX);
        // A profile is that of the program.
        let unseen = Self::new(self.locale.clone(), (self.pieces, self.min_chunk), None);
        let task = TaskBuilder::new(&unseen, "agree on settings".into()).over([locales])?;
        let (threads, limit) = task.reduce(Settings, move |_, ()| Ok(own))?.get()?;
        budget.set_least_limit(limit);
        let pieces = if given { self.pieces } else { threads };
        Ok(Self::new(self.locale.clone(), (pieces, self.min_chunk), self.recorder.clone()))
    }

    /// Memory for constraints that a launch gave back.
    pub(super) fn room(&self) -> Vec<Rule> {
        self.rules.lock().pop().unwrap_or_default()
    }

    /// Keeps memory for constraints.
    pub(super) fn give_back(&self, mut rules: Vec<Rule>) {
        if rules.capacity() > 0 {
            rules.clear();
            self.rules.lock().push(rules);
        }
    }
}
