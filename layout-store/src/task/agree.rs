//! Agreement: a call that may fail on one locale alone fails on all of them.

use std::sync::Arc;

use layout_core::ViewError;

use super::builder::TaskBuilder;
use super::launcher::Launcher;
use super::reduction::{Or, Reduction};
use crate::error::StoreError;
use crate::memory::{MemoryError, StoreTarget};

/// Takes the first error.
#[derive(Clone)]
struct First;

impl Reduction<Option<StoreError>> for First {
    fn identity(&self) -> Option<StoreError> {
        None
    }

    fn combine(&self, a: Option<StoreError>, b: Option<StoreError>) -> Option<StoreError> {
        a.or(b)
    }
}

/// The first error of all locales, each of which has this result; waits for all of them.
///
/// # Errors
///
/// Returns an error if the locales cannot agree.
pub(super) fn first_error(
    launcher: &Arc<Launcher>,
    here: Option<StoreError>,
) -> Result<Option<StoreError>, StoreError> {
    if launcher.locale.net.is_none() {
        return Ok(here);
    }
    let locales = i64::try_from(launcher.locale.count).unwrap_or(i64::MAX);
    let task = || TaskBuilder::new(launcher, "agree".into()).over([locales]);
    // One byte, which goes along a tree: there are few errors.
    let has_failed = here.is_some();
    let failed = task()?.reduce(Or, move |_, ()| Ok(has_failed))?.get();
    if let Ok(false) = failed {
        return Ok(None);
    }
    // A wait in vain for this answer: other locales waited for elements that they use, came here with that error, and tell it now.
    let here = here.or(failed.err());
    task()?.reduce(First, move |_, ()| Ok(here.clone()))?.get()
}

/// Returns the error if so many bytes of memory were refused `here`, or on another locale: then no locale uses the memory. If the system itself
/// has no memory left on this locale, the others do not ask, and wait for it: they are told that it is gone.
pub(crate) fn agree(
    launcher: &Arc<Launcher>,
    (bytes, target): (usize, &StoreTarget),
    here: Option<StoreError>,
) -> Result<(), StoreError> {
    let mut refused = here.clone();
    if launcher.locale.may_be_refused(bytes, target) {
        let _suspended = launcher.locale.suspend_scopes();
        refused = first_error(launcher, here.clone())?;
    } else if matches!(here, Some(StoreError::Memory(MemoryError::View(ViewError::OutOfMemory { .. })))) {
        launcher.locale.is_gone();
    }
    // This locale knows the type of its own error.
    here.or(refused).map_or(Ok(()), Err)
}
