//! Agreement: a call that may fail on one locale alone fails on all of them.

use std::sync::Arc;

use super::builder::TaskBuilder;
use super::launcher::Launcher;
use super::reduction::Reduction;
use crate::error::StoreError;

/// One byte: `true` if a locale has an error.
#[derive(Clone)]
struct Any;

impl Reduction<bool> for Any {
    fn identity(&self) -> bool {
        false
    }

    fn combine(&self, a: bool, b: bool) -> bool {
        a || b
    }
}

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
    let has_failed = here.is_some();
    if !task()?.reduce(Any, move |_, ()| Ok(has_failed))?.get()? {
        return Ok(None);
    }
    task()?.reduce(First, move |_, ()| Ok(here.clone()))?.get()
}
