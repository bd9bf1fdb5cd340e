//! What launches ask of their runtime.

use std::sync::Arc;

use super::plan_cache::PlanCache;
use crate::locale::Locale;
use crate::profile::Recorder;
use crate::sync::Mutex;

/// Launches tasks on a locale.
pub(crate) struct Launcher {
    pub(crate) locale: Arc<Locale>,
    /// The number of tiles that a store is cut into.
    pub(crate) pieces: i64,
    /// How many elements the largest argument of a task must have for the task to be cut.
    pub(crate) min_chunk: i64,
    /// Plans of launches.
    pub(super) plans: Mutex<PlanCache>,
    /// What ran, if that is wanted.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

impl Launcher {
    pub(crate) fn new(
        locale: Arc<Locale>,
        (pieces, min_chunk): (i64, i64),
        recorder: Option<Arc<Recorder>>,
    ) -> Arc<Self> {
        Arc::new(Self { locale, pieces, min_chunk, plans: Mutex::default(), recorder })
    }
}
