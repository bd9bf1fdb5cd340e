//! Assignment between distributions, beside two copies of as many bytes: into a message, and out of it.

use layout_array::{Array, ArrayError};
use layout_domain::{Block, Cyclic, Targets};
use rayon::prelude::*;

use crate::loops::{line, pool, runtime};
use crate::table::Table;
use crate::{THREADS, timed};

/// A copy at 0.6 of the speed of two.
const LIMIT: f64 = 1.0 / 0.6;

/// From blocks to every index in turn, on one locale and on two.
pub(crate) fn to_cyclic(table: &mut Table) -> Result<(), ArrayError> {
    on_one(table)
}

fn on_one(table: &mut Table) -> Result<(), ArrayError> {
    let name = "Block to Cyclic, 1 locale, by two copies";
    if !table.wants(name) {
        return Ok(());
    }
    let (rt, pool) = (runtime()?, pool());
    let from: Array<f64, 1> = Array::from_fn(&rt, &line(), Block::over(&line(), Targets::all(1)?)?, |[i]| i as f64)?;
    let to: Array<f64, 1> = Array::new(&rt, &line(), Cyclic::new([0], Targets::all(1)?))?;
    let array = || {
        to.assign(&from)?;
        Ok(rt.fence()?)
    };
    array()?;
    let values = from.to_vec()?;
    assert!(to.to_vec()? == values, "{name}: other elements");
    let [mut packed, mut unpacked] = [vec![0.0; values.len()], vec![0.0; values.len()]];
    let part = values.len() / THREADS;
    let mut by_hand = || {
        let all = packed.par_chunks_mut(part).zip(unpacked.par_chunks_mut(part)).zip(values.par_chunks(part));
        pool.install(|| {
            all.for_each(|((packed, unpacked), values)| {
                packed.copy_from_slice(values);
                unpacked.copy_from_slice(packed);
            });
        });
        Ok(())
    };
    by_hand()?;
    table.timed(
        name,
        LIMIT,
        |candidate, times| {
            if candidate == 0 { timed(times, array) } else { timed(times, &mut by_hand) }
        },
    );
    assert!(unpacked == values, "{name}: other values");
    Ok(())
}
