//! A wavefront, `A[i][j] = A[i-1][j] + A[i][j-1] - A[i-1][j-1]`: `cargo run --release -p layout-prk --bin prk_p2p -- ITERATIONS ROWS COLUMNS [LAYOUT]`.
//!
//! Each locale has a block of columns, which its threads share, in blocks of rows: a row of a block is as long as possible, since rows are
//! contiguous in memory. A block starts once the row above it and the column left of it are there: the runtime sees that from what each
//! task reads, and no barrier is there. A locale sends the last column of its blocks.

use std::process::ExitCode;

use layout::array::ArrayError;
use layout::domain::{Block, Domain, DomainMap, Targets};
use layout::store::{Dim, Distribution, Mapper, Runtime, Store, StoreError, TaskBodyError, read, update, write};
use layout::{AoS, AoSoA, RecordLayout, SoA};
use prk::{Clock, Kernel, Outcome, Work, from, timed};

/// The rows of a block.
const ROWS: i64 = 200;

type Matrix<L> = Store<f64, Dim<2>, L>;

/// The elements of these rows and columns.
fn part<L: RecordLayout<f64> + Default>(
    grid: &Matrix<L>,
    rows: [i64; 2],
    columns: [i64; 2],
) -> Result<Matrix<L>, StoreError> {
    grid.slice(0, rows[0], rows[1])?.slice(1, columns[0], columns[1])
}

/// Columns of the grid, and the locale that has them.
struct Columns {
    range: [i64; 2],
    locale: Mapper,
}

/// One block after the elements above it and left of it.
fn block<L>(rt: &Runtime, grid: &Matrix<L>, [top, bottom]: [i64; 2], columns: &Columns) -> Result<(), StoreError>
where
    L: RecordLayout<f64> + Default,
{
    let [left, right] = columns.range;
    let own = part(grid, [top, bottom], [left, right])?;
    let above = part(grid, [top - 1, top], [left - 1, right])?;
    let before = part(grid, [top, bottom], [left - 1, left])?;
    let task = rt.task("block").args((update(&own), read(&above), read(&before))).single().mapped(&columns.locale);
    task.launch(|_, (mut own, above, before)| {
        let apart = || TaskBodyError::new("the elements of a row do not lie side by side");
        let first: Vec<f64> = above.values().collect();
        let mut left = first[0];
        for (i, mut value) in before.values().enumerate() {
            let mut corner = core::mem::replace(&mut left, value);
            let (done, mut rest) = own.split_at(0, i).map_err(|error| TaskBodyError::new(error.to_string()))?;
            let above = match i {
                0 => &first[1..],
                _ => done.slice((i - 1, ..)).into_slice().ok_or_else(apart)?,
            };
            let row = rest.slice_mut((0, ..)).into_mut_slice().ok_or_else(apart)?;
            for (above, to) in above.iter().zip(row) {
                value += *above - core::mem::replace(&mut corner, *above);
                *to = value;
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_wrap, reason = "as in the reference")]
fn p2p<L: RecordLayout<f64> + Default>(rt: &Runtime, clock: Clock, arguments: &[usize]) -> Result<Outcome, ArrayError> {
    let [iterations, rows, columns] = *arguments else { unreachable!("three arguments") };
    let (m, n) = (rows as i64, columns as i64);
    let whole = Domain::new([0..m, 0..n]);
    let locales: Vec<usize> = (0..rt.locales()).collect();
    let blocks = Block::over(&whole, Targets::grid([1, rt.locales()], locales.clone())?)?;
    let grid: Matrix<L> = rt.create_distributed([m, n], &Distribution::map(blocks.clone()))?;
    rt.task("start").args((write(&grid),)).launch(|task, (mut tile,)| {
        let mut points = task.rect(0).points();
        tile.update(|_| points.next().map_or(0.0, |at| if at[0] * at[1] == 0 { (at[0] + at[1]) as f64 } else { 0.0 }));
    })?;
    let threads = rt.pieces().div_ceil(rt.locales()) as i64;
    let columns_of = |locale: usize| {
        let part = blocks.local(locale, &whole).into_iter().next();
        let range = part.and_then(|part| Some([part.dims()[1].low()?.max(1), part.dims()[1].high()? + 1]));
        let [first, end] = range.unwrap_or([1, 1]);
        let start = move |thread: i64| first + (end - first) * thread / threads;
        (0..threads).map(move |thread| ([start(thread), start(thread + 1)], locale))
    };
    let of_locale = |(range, locale): ([i64; 2], usize)| Columns { range, locale: Mapper::new(move |_, _, _| locale) };
    let starts: Vec<Columns> =
        locales.into_iter().flat_map(columns_of).filter(|([left, right], _)| left < right).map(of_locale).collect();
    let seconds = timed(rt, clock, iterations, || {
        let mut top = 1;
        while top < m {
            let bottom = (top + ROWS).min(m);
            for columns in &starts {
                block(rt, &grid, [top, bottom], columns)?;
            }
            top = bottom;
        }
        // The next iteration starts from the last corner.
        let [first, last] = [[0, 1, 0, 1], [m - 1, m, n - 1, n]].map(|[a, b, c, d]| part(&grid, [a, b], [c, d]));
        let task = rt.task("corner").args((write(&first?), read(&last?))).single();
        task.launch(|_, (mut first, last)| first.set([0, 0], -last.get([0, 0])))?;
        Ok(())
    })?;
    let found = grid.get([m - 1, n - 1])?;
    let expected = ((iterations + 1) * (rows + columns - 2)) as f64;
    let work = Work::Flops(2.0 * (rows - 1) as f64 * (columns - 1) as f64);
    Ok(Outcome { found, expected, work, seconds })
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "Pipelined wavefront: A[i][j] = A[i-1][j] + A[i][j-1] - A[i-1][j-1]",
    arguments: &[
        ("Number of iterations", None, from(1)),
        ("Number of rows", None, from(2)),
        ("Number of columns", None, from(2)),
    ],
    check: |_| Ok(()),
    runs: [p2p::<AoS>, p2p::<SoA>, p2p::<AoSoA<8>>],
};

fn main() -> ExitCode {
    prk::main(&KERNEL)
}
