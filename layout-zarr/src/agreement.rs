//! Results that all locales agree upon.

use std::sync::Arc;

use layout_core::Portable;
use layout_store::Runtime;

use crate::error::ZarrError;

/// The first error of all points, or of all locales.
pub(crate) fn first(errors: impl IntoIterator<Item = Option<ZarrError>>) -> Result<(), ZarrError> {
    errors.into_iter().flatten().next().map_or(Ok(()), Err)
}

/// The result of `f` on one locale, sent to all locales.
pub(crate) fn on_one<T: Portable + Clone + Send + Sync + 'static>(
    rt: &Runtime,
    name: &'static str,
    f: impl Fn() -> Result<T, ZarrError> + Send + Sync + 'static,
) -> Result<T, ZarrError> {
    let mut told = rt.task(name).single().map(move |_, ()| Ok(f()))?.get()?;
    told.pop().unwrap_or_else(|| unreachable!("a task of one point gives one value"))
}

/// The result of each locale, of which all get the first error.
pub(crate) fn agree(rt: &Runtime, own: Result<(), ZarrError>) -> Result<(), ZarrError> {
    let own = own.err();
    let told = rt.exchange((0..rt.locales()).map(|_| vec![own.clone()]).collect())?;
    first(told.into_iter().flatten())
}

/// The first error of `check` of all numbers below `count`, over the threads of all locales.
pub(crate) fn check_each(
    rt: &Runtime,
    count: usize,
    check: impl Fn(usize) -> Result<(), ZarrError> + Send + Sync + 'static,
) -> Result<(), ZarrError> {
    let points = rt.pieces().max(rt.locales()).min(count);
    if points == 0 {
        return Ok(());
    }
    let check = Arc::new(check);
    let each = rt.task("checkpoint: check").over([points])?.map(move |task, ()| {
        let start = usize::try_from(task.point()[0]).unwrap_or(0);
        Ok((start..count).step_by(points).find_map(|number| Some((number, check(number).err()?))))
    })?;
    let found = each.get()?.into_iter().flatten().min_by_key(|(number, _)| *number);
    found.map_or(Ok(()), |(_, error)| Err(error))
}
