//! Loops over the elements of arrays on one locale, beside rayon over vectors.

#![expect(clippy::cast_possible_truncation, reason = "indices are small, and not negative")]

use core::hint::black_box;

use layout::zip;
use layout_array::{Array, ArrayError, HaloArray, Scan};
use layout_domain::{Block, Cyclic, Domain, DomainMap, Stencil, Targets};
use layout_store::{Runtime, Sum};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::table::Table;
use crate::{THREADS, compared, timed};

/// Elements of a line: three of them do not fit any cache.
const LINE: usize = 1 << 22;
/// Rows and columns of a grid.
const SIDE: usize = 2048;

pub(crate) fn pool() -> ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("two threads")
}

pub(crate) fn runtime() -> Result<Runtime, ArrayError> {
    Ok(Runtime::builder().threads(THREADS).pieces(THREADS).build()?)
}

fn value(number: usize) -> f64 {
    (number % 1000) as f64 / 8.0
}

pub(crate) fn line() -> Domain<1> {
    Domain::from(0..LINE as i64)
}

/// STREAM triad over blocks, and index by index in turn.
pub(crate) fn triads(table: &mut Table) -> Result<(), ArrayError> {
    let blocks = Block::over(&line(), Targets::all(1)?)?;
    triad(table, ("triad, Block", 1.03), blocks)?;
    triad(table, ("triad, Cyclic", 1.05), Cyclic::new([0], Targets::all(1)?))
}

fn triad(
    table: &mut Table,
    (name, limit): (&str, f64),
    map: impl DomainMap<1> + Clone + Send + Sync + 'static,
) -> Result<(), ArrayError> {
    if !table.wants(name) {
        return Ok(());
    }
    let (rt, pool) = (runtime()?, pool());
    let b: Array<f64, 1> = Array::from_fn(&rt, &line(), map.clone(), |[i]| value(i as usize))?;
    let c: Array<f64, 1> = Array::from_fn(&rt, &line(), map.clone(), |[i]| value(7 * i as usize))?;
    let a: Array<f64, 1> = Array::filled(&rt, &line(), map, 0.0)?;
    let [one, other] = [1, 7].map(|factor| (0..LINE).map(|i| value(factor * i)).collect::<Vec<f64>>());
    let mut sums = vec![0.0; LINE];
    let array = || {
        a.zip_map_from(&b, &c, |b, c| b + 3.0 * c)?;
        Ok(rt.fence()?)
    };
    let by_hand = || {
        let terms = one.par_iter().zip(&other);
        pool.install(|| sums.par_iter_mut().zip(terms).for_each(|(sum, (b, c))| *sum = b + 3.0 * c));
        black_box(&mut sums);
        Ok(())
    };
    compared(table, (name, limit), array, by_hand)?;
    assert!(a.to_vec()? == sums, "{name}: other sums");
    Ok(())
}

/// Sets all elements of a square but those at its border to the mean of their four neighbors and themselves. The compiler knows the
/// width, as in a loop that is written in place.
#[inline(always)]
fn means(pool: &ThreadPool, from: &[f64], to: &mut [f64], width: usize) -> Result<(), ArrayError> {
    pool.install(|| {
        to.par_chunks_mut(width).enumerate().skip(1).take(width - 2).for_each(|(row, to)| {
            let row_at = |row: usize| &from[row * width..(row + 1) * width];
            let (above, at, below) = (row_at(row - 1), row_at(row), row_at(row + 1));
            for j in 1..width - 1 {
                to[j] = 0.2 * (at[j] + above[j] + below[j] + at[j - 1] + at[j + 1]);
            }
        });
    });
    black_box(to);
    Ok(())
}

/// The mean of an element's four neighbors and itself, over blocks with halos, and over indices in turn.
pub(crate) fn stencils(table: &mut Table) -> Result<(), ArrayError> {
    stencil_of_blocks(table)?;
    stencil_in_turn(table)
}

/// Every element but those at the border, over an array whose indices are dealt out: five slices of it are read beside each other.
fn stencil_in_turn(table: &mut Table) -> Result<(), ArrayError> {
    let name = "5-point stencil, Cyclic";
    if !table.wants(name) {
        return Ok(());
    }
    let (rt, pool) = (runtime()?, pool());
    let square = Domain::new([0..SIDE as i64, 0..SIDE as i64]);
    let in_turn = Cyclic::new([0, 0], Targets::all(1)?);
    let start = |[i, j]: [i64; 2]| value((31 * i + 17 * j) as usize);
    let now: Array<f64, 2> = Array::from_fn(&rt, &square, in_turn.clone(), start)?;
    let next: Array<f64, 2> = Array::filled(&rt, &square, in_turn, 0.0)?;
    let inner = square.expand([-1, -1])?;
    let shown = |steps: [i64; 2]| now.slice(&inner.translate(steps)?);
    let to = next.slice(&inner)?;
    let (at, above, below) = (shown([0, 0])?, shown([-1, 0])?, shown([1, 0])?);
    let (left, right) = (shown([0, -1])?, shown([0, 1])?);
    let array = || {
        let all = to.write().zip(at.read()).zip(above.read()).zip(below.read()).zip(left.read()).zip(right.read());
        all.for_each(|_, (mut next, at, above, below, left, right)| {
            zip((&mut next, &at, &above, &below, &left, &right)).for_each(
                |(mut next, at, above, below, left, right)| {
                    next.set(0.2 * (at.get() + above.get() + below.get() + left.get() + right.get()));
                },
            );
            Ok(())
        })?;
        Ok(rt.fence()?)
    };
    let from: Vec<f64> = (0..SIDE * SIDE).map(|at| start([(at / SIDE) as i64, (at % SIDE) as i64])).collect();
    let mut to = vec![0.0; SIDE * SIDE];
    let by_hand = || means(&pool, &from, &mut to, SIDE);
    compared(table, (name, 1.05), array, by_hand)?;
    assert!(next.to_vec()? == to, "{name}: other means");
    Ok(())
}

fn stencil_of_blocks(table: &mut Table) -> Result<(), ArrayError> {
    let name = "5-point stencil, Block";
    if !table.wants(name) {
        return Ok(());
    }
    let (rt, pool) = (runtime()?, pool());
    let square = Domain::new([0..SIDE as i64, 0..SIDE as i64]);
    let around = Stencil::new(Block::over(&square, Targets::all(1)?)?, [1, 1]);
    let inside = |at: i64| (0..SIDE as i64).contains(&at);
    let start = move |[i, j]: [i64; 2]| if inside(i) && inside(j) { value((31 * i + 17 * j) as usize) } else { 0.0 };
    let now: HaloArray<f64, 2> = HaloArray::from_fn(&rt, &square, around.clone(), start)?;
    let next: HaloArray<f64, 2> = HaloArray::filled(&rt, &square, around, 0.0)?;
    let array = || {
        next.write().zip(now.read_halo()).for_each(|_, (mut next, now)| {
            let [rows, columns] = next.extents();
            let (inner, middle) = (1..rows + 1, 1..columns + 1);
            let (above, below) = (now.slice((0..rows, middle.clone())), now.slice((2..rows + 2, middle.clone())));
            let (left, right) = (now.slice((inner.clone(), 0..columns)), now.slice((inner.clone(), 2..columns + 2)));
            let at = now.slice((inner, middle));
            zip((&mut next, &at, &above, &below, &left, &right)).for_each(
                |(mut next, at, above, below, left, right)| {
                    next.set(0.2 * (at.get() + above.get() + below.get() + left.get() + right.get()));
                },
            );
        })?;
        Ok(rt.fence()?)
    };
    let width = SIDE + 2;
    let index = |at: usize| at as i64 - 1;
    let from: Vec<f64> = (0..width * width).map(|at| start([index(at / width), index(at % width)])).collect();
    let mut to = vec![0.0; width * width];
    let by_hand = || means(&pool, &from, &mut to, width);
    compared(table, (name, 1.03), array, by_hand)?;
    let inner = to.chunks(width).skip(1).take(SIDE).flat_map(|row| &row[1..=SIDE]);
    assert!(next.to_vec()?.iter().eq(inner), "{name}: other means");
    Ok(())
}

/// Dot products and scans, for information.
pub(crate) fn to_one_value(table: &mut Table) -> Result<(), ArrayError> {
    let (dot, scan) = ("dot, Block (no limit)", "inclusive scan, Block (no limit)");
    if !table.wants(dot) && !table.wants(scan) {
        return Ok(());
    }
    let (rt, pool) = (runtime()?, pool());
    let blocks = Block::over(&line(), Targets::all(1)?)?;
    let a: Array<f64, 1> = Array::from_fn(&rt, &line(), blocks.clone(), |[i]| value(i as usize))?;
    let b: Array<f64, 1> = Array::new(&rt, &line(), blocks)?;
    let values: Vec<f64> = (0..LINE).map(value).collect();
    if table.wants(dot) {
        let array = || a.dot(&a)?.get().map_err(ArrayError::from);
        let by_hand = || {
            let part = |part: &[f64]| {
                let (groups, _) = part.as_chunks::<16>();
                let add =
                    |sums: [f64; 16], group: &[f64; 16]| core::array::from_fn(|at| sums[at] + group[at] * group[at]);
                groups.iter().fold([0.0; 16], add).iter().sum::<f64>()
            };
            pool.install(|| values.par_chunks(LINE / THREADS).map(part).sum::<f64>())
        };
        assert!((array()? / by_hand() - 1.0).abs() < 1e-9, "{dot}: another sum");
        table.timed(dot, f64::INFINITY, |candidate, times| {
            if candidate == 0 {
                timed(times, || array().map(|sum| _ = black_box(sum)))
            } else {
                timed(times, || {
                    black_box(by_hand());
                    Ok(())
                })
            }
        });
    }
    if table.wants(scan) {
        let mut sums = vec![0.0; LINE];
        let array = || {
            b.scan_from(&a, Scan::inclusive(Sum))?;
            Ok(rt.fence()?)
        };
        let by_hand = || {
            let parts = || values.par_chunks(LINE / THREADS);
            pool.install(|| {
                let totals: Vec<f64> = parts().map(|part| part.iter().sum()).collect();
                sums.par_chunks_mut(LINE / THREADS).zip(parts()).enumerate().for_each(|(number, (to, from))| {
                    let mut sum = totals[..number].iter().sum::<f64>();
                    for (to, from) in to.iter_mut().zip(from) {
                        sum += from;
                        *to = sum;
                    }
                });
            });
            Ok(())
        };
        compared(table, (scan, f64::INFINITY), array, by_hand)?;
        assert!(b.to_vec()?.iter().zip(&sums).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs()), "{scan}: other sums");
    }
    Ok(())
}

/// A sort of numbers that were mixed, for information; both copy them first.
pub(crate) fn sorted(table: &mut Table) -> Result<(), ArrayError> {
    let name = "sort of mixed numbers, Block (no limit)";
    if !table.wants(name) {
        return Ok(());
    }
    let (rt, pool) = (runtime()?, pool());
    let mixed = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let line = Domain::from(0..(LINE / 4) as i64);
    let blocks = Block::over(&line, Targets::all(1)?)?;
    let from: Array<u64, 1> = Array::from_fn(&rt, &line, blocks.clone(), move |[i]| mixed(i as usize))?;
    let to: Array<u64, 1> = Array::new(&rt, &line, blocks)?;
    let values: Vec<u64> = (0..LINE / 4).map(mixed).collect();
    let mut sorted = values.clone();
    let array = || {
        to.assign(&from)?;
        to.sort_by_key(|value| *value)?;
        Ok(rt.fence()?)
    };
    let by_hand = || {
        sorted.copy_from_slice(&values);
        pool.install(|| sorted.par_sort());
        Ok(())
    };
    compared(table, (name, f64::INFINITY), array, by_hand)?;
    assert!(to.to_vec()? == sorted, "{name}: another order");
    Ok(())
}
