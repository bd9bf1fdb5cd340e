//! What all locales are to know of what each of them was given.

use layout_core::Portable;
use layout_store::{Reduction, Runtime, StoreError};

/// The first value that there is.
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

/// What each locale has, combined; waits for all.
pub(crate) fn combined<T, O>(rt: &Runtime, here: T, op: O) -> Result<T, StoreError>
where
    T: Portable + Clone + Send + Sync + 'static,
    O: Reduction<T>,
{
    rt.task("agree").over([rt.locales()])?.reduce(op, move |_, ()| Ok(here.clone()))?.get()
}

/// What the first locale has that has something: all refuse what one of them refuses.
pub(crate) fn first<T>(rt: &Runtime, here: Option<T>) -> Result<Option<T>, StoreError>
where
    T: Portable + Clone + Send + Sync + 'static,
{
    combined(rt, here, First)
}
