//! Assignment between distributions, beside two copies of as many bytes: into a message, and out of it.

use core::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use layout_array::{Array, ArrayError};
use layout_domain::{Block, Cyclic, Targets};
use layout_store::Runtime;
use rayon::prelude::*;

use crate::loops::{line, pool, runtime};
use crate::table::{self, Table};
use crate::{THREADS, compared};

/// A copy at 0.6 of the speed of two.
const LIMIT: f64 = 1.0 / 0.6;

/// From blocks to every index in turn, on one locale and on two.
pub(crate) fn to_cyclic(table: &mut Table) -> Result<(), ArrayError> {
    on_one(table)?;
    on_two(table)
}

/// On two locales of one thread each: half of the elements go to the other one. By hand, each thread copies its half twice.
fn on_two(table: &mut Table) -> Result<(), ArrayError> {
    let name = "Block to Cyclic, 2 locales, by two copies";
    if !table.wants(name) {
        return Ok(());
    }
    let rounds = if table.times() { 31 } else { 1 };
    let both = Barrier::new(2);
    let ratios = Runtime::builder().locales(2).threads(1).simulate(|rt| {
        let blocks = Block::over(&line(), Targets::all(2)?)?;
        let from: Array<f64, 1> = Array::from_fn(rt, &line(), blocks, |[i]| i as f64)?;
        let to: Array<f64, 1> = Array::new(rt, &line(), Cyclic::new([0], Targets::all(2)?))?;
        let values: Vec<f64> = (0..line().len() / 2).map(|i| i as f64).collect();
        let [mut packed, mut unpacked] = [vec![0.0; values.len()], vec![0.0; values.len()]];
        let mut times = Vec::new();
        for _ in 0..=rounds {
            both.wait();
            let start = Instant::now();
            to.assign(&from)?;
            rt.fence()?;
            both.wait();
            let array = start.elapsed();
            let start = Instant::now();
            packed.copy_from_slice(&values);
            unpacked.copy_from_slice(black_box(&packed));
            black_box(&mut unpacked);
            both.wait();
            times.push(array.as_secs_f64() / start.elapsed().as_secs_f64());
        }
        let in_turn = |(place, value): (usize, f64)| value == (2 * place + rt.locale()) as f64;
        let own: Vec<f64> =
            to.read_local(|parts| parts.iter().flat_map(|(_, part)| part.values().collect::<Vec<_>>()).collect())?;
        assert!(own.into_iter().enumerate().all(in_turn), "{name}: other elements");
        // The first round makes plans and takes memory.
        Ok(table::timing::median(times.split_off(1)))
    })?;
    let ratios = ratios.into_iter().collect::<Result<Vec<f64>, ArrayError>>()?;
    table.measured(name, LIMIT, ratios[0].max(ratios[1]));
    Ok(())
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
    let by_hand = || {
        let all = packed.par_chunks_mut(part).zip(unpacked.par_chunks_mut(part)).zip(values.par_chunks(part));
        pool.install(|| {
            all.for_each(|((packed, unpacked), values)| {
                packed.copy_from_slice(values);
                unpacked.copy_from_slice(packed);
            });
        });
        Ok(())
    };
    compared(table, (name, LIMIT), array, by_hand)?;
    assert!(unpacked == values, "{name}: other values");
    Ok(())
}
