//! Walks over views beside the loops by hand of the same layout: one class of kernel a file, each with its limit.
//!
//! `cargo bench -p layout-core-benches --bench cliffs`; with `-- WORD..`, the classes whose names have all of the words. Every class is
//! checked for its result before it is timed. Fails where a class is over its limit. With `-- short`, in a third of the time and with limits
//! that hold while others use the machine: `cargo xtask test` runs that.

#[expect(dead_code, reason = "shared with other benchmarks, which ask for more")]
#[path = "../kernels/table.rs"]
mod table;

mod butterfly;
mod cells;
mod halves;
mod leaves;
mod limits;
mod pairs;
mod product;
mod records;
mod rows;
mod single;
mod stencil;
mod sums;

use std::process::ExitCode;

use cells::{Cell, check};
use table::{Table, timing::seconds};

/// Measures a class, and prints its line.
fn row<S>(table: &mut Table, name: &str, state: &mut S, mut view: impl FnMut(&mut S), mut hand: impl FnMut(&mut S)) {
    table.timed(name, limits::of(name), |candidate, times| {
        seconds(|| (0..times).for_each(|_| if candidate == 0 { view(state) } else { hand(state) }))
    });
}

/// A class whose kernels leave cells, on either side: checked that they are the same, and then measured.
fn class<S>(
    table: &mut Table,
    name: &str,
    state: impl FnOnce() -> S,
    mut view: impl FnMut(&mut S),
    mut hand: impl FnMut(&mut S),
    cells: impl Fn(&S) -> (Vec<Cell>, Vec<Cell>),
) {
    if !table.wants(name) {
        return;
    }
    let mut state = state();
    view(&mut state);
    hand(&mut state);
    let (by_view, by_hand) = cells(&state);
    check(name, &by_view, &by_hand);
    row(table, name, &mut state, view, hand);
}

fn main() -> ExitCode {
    let mut table = Table::new();
    single::run(&mut table);
    pairs::run(&mut table);
    halves::run(&mut table);
    rows::run(&mut table);
    stencil::run(&mut table);
    product::run(&mut table);
    records::run(&mut table);
    leaves::run(&mut table);
    sums::run(&mut table);
    table.end()
}
