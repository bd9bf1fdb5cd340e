//! Agreement: values that each locale has, combined on all locales.

use layout_core::Portable;
use layout_store::{Reduction, Runtime, StoreError};

use crate::error::ArrayError;

/// Takes the first value that is `Some`.
#[derive(Clone)]
struct First;

impl<T> Reduction<Option<T>> for First {
    fn identity(&self) -> Option<T> {
        None
    }

    fn combine(&self, a: Option<T>, b: Option<T>) -> Option<T> {
        a.or(b)
    }
}

/// Combines the values of all locales; waits for all of them.
pub(crate) fn combined<T, O>(rt: &Runtime, here: T, op: O) -> Result<T, StoreError>
where
    T: Portable + Clone + Send + Sync + 'static,
    O: Reduction<T>,
{
    rt.task("agree").over([rt.locales()])?.reduce(op, move |_, ()| Ok(here.clone()))?.get()
}

/// A result of this locale, unless it is an error anywhere: all locales return the first error then, and their programs go on alike. A scope
/// without messages refuses it on all of them.
pub(crate) fn outcome<T>(rt: &Runtime, here: Result<T, ArrayError>) -> Result<T, ArrayError> {
    // All other errors are refusals, alike on all locales.
    let stored = if let Err(ArrayError::Store(error)) = &here { Some(error.clone()) } else { None };
    first(rt, stored)?.map_or(here, |error| Err(error.into()))
}

/// The value of the first locale that has one. With an error as value, all locales refuse if one of them does.
pub(crate) fn first<T>(rt: &Runtime, here: Option<T>) -> Result<Option<T>, StoreError>
where
    T: Portable + Clone + Send + Sync + 'static,
{
    combined(rt, here, First)
}
