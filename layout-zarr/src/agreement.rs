//! Results that all locales agree upon.

use std::sync::Arc;

use layout_core::Portable;
use layout_store::Runtime;

use crate::error::CheckpointError;

/// The first error of all points, or of all locales.
pub(crate) fn first(errors: impl IntoIterator<Item = Option<CheckpointError>>) -> Result<(), CheckpointError> {
    errors.into_iter().flatten().next().map_or(Ok(()), Err)
}

/// The result of `f` on one locale, sent to all locales.
pub(crate) fn on_one<T: Portable + Clone + Send + Sync + 'static>(
    rt: &Runtime,
    name: &'static str,
    f: impl Fn() -> Result<T, CheckpointError> + Send + Sync + 'static,
) -> Result<T, CheckpointError> {
    let mut told = rt.task(name).single().map(move |_, ()| Ok(f()))?.get()?;
    told.pop().unwrap_or_else(|| unreachable!("a task of one point gives one value"))
}

/// The result of each locale, of which all get the first error.
pub(crate) fn agree(rt: &Runtime, own: Result<(), CheckpointError>) -> Result<(), CheckpointError> {
    let own = own.err();
    let told = rt.exchange((0..rt.locales()).map(|_| vec![own.clone()]).collect())?;
    first(told.into_iter().flatten())
}

/// The first error of `check` of all numbers below `count`, over the threads of all locales.
pub(crate) fn check_each(
    rt: &Runtime,
    count: usize,
    check: impl Fn(usize) -> Result<(), CheckpointError> + Send + Sync + 'static,
) -> Result<(), CheckpointError> {
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
