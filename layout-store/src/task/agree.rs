//! Agreement: a call that may fail on one locale alone fails on all of them.

use std::sync::Arc;

use super::builder::TaskBuilder;
use super::launcher::Launcher;
use super::reduction::{Or, Reduction};
use crate::error::StoreError;
use crate::memory::StoreTarget;

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
    if !task()?.reduce(Or, move |_, ()| Ok(has_failed))?.get()? {
        return Ok(None);
    }
    task()?.reduce(First, move |_, ()| Ok(here.clone()))?.get()
}

/// Returns the error if so many bytes of memory were refused `here`, or on another locale: then no locale uses the memory.
pub(crate) fn agree(
    launcher: &Arc<Launcher>,
    (bytes, target): (usize, &StoreTarget),
    here: Option<StoreError>,
) -> Result<(), StoreError> {
    let mut refused = here.clone();
    if launcher.locale.may_be_refused(bytes, target) {
        let _suspended = launcher.locale.suspend_scopes();
        refused = first_error(launcher, here.clone())?;
    }
    // This locale knows the type of its own error.
    here.or(refused).map_or(Ok(()), Err)
}
