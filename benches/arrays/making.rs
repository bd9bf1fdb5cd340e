//! The cost of a distribution and of an array over it, on one locale; the other locales do not run.

use core::hint::black_box;

use layout_array::{Array, ArrayError};
use layout_domain::{Block, Cyclic, Domain, Targets};
use layout_store::{Planner, Runtime};
use support::clock::thread_time;

use crate::table::Table;

/// For 4 locales and for 1024, in microseconds.
pub(crate) fn arrays(table: &mut Table) -> Result<(), ArrayError> {
    for (locales, limit) in [(4, 50.0), (1024, 200.0)] {
        let planner = Planner::new(Runtime::builder().locales(locales).pieces(locales), locales / 2)?;
        let rt = planner.runtime();
        let line = Domain::from(0..1 << 24);
        let square = Domain::new([0..1 << 12, 0..1 << 12]);
        made(table, &format!("array over Block of a line, {locales} locales"), limit, || {
            Array::<f64, 1>::new(rt, &line, Block::over(&line, Targets::all(locales)?)?)
        })?;
        made(table, &format!("array over Block of a square, {locales} locales"), limit, || {
            Array::<f64, 2>::new(rt, &square, Block::over(&square, Targets::all(locales)?)?)
        })?;
        made(table, &format!("array over Cyclic of a square, {locales} locales"), limit, || {
            Array::<f64, 2>::new(rt, &square, Cyclic::new([0, 0], Targets::all(locales)?))
        })?;
    }
    Ok(())
}

fn made<T>(
    table: &mut Table,
    name: &str,
    limit: f64,
    make: impl Fn() -> Result<T, ArrayError>,
) -> Result<(), ArrayError> {
    if !table.wants(name) {
        return Ok(());
    }
    let mut times = Vec::new();
    for _ in 0..if table.times() { 101 } else { 1 } {
        let before = thread_time();
        let made = make()?;
        times.push((thread_time() - before) * 1e6);
        black_box(made);
    }
    table.measured(name, limit, crate::table::timing::median(times));
    Ok(())
}
