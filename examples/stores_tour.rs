//! Each transform of a store, with its result: `cargo run --example stores_tour`.

mod arguments;

use core::error::Error;
use std::process::ExitCode;

use layout::store::{DimOrdering, DynRank, Runtime, Store, StoreError};

/// Prints what a store shows, row by row, and how it lies in the store underneath.
fn show(call: &str, store: Store<i64, DynRank>) -> Result<Vec<i64>, StoreError> {
    let extents = store.extents();
    println!("{call}");
    println!("    extents {extents}, {}", store.transform());
    let values = store.to_vec()?;
    let row = extents.last().map_or(1, |row| usize::try_from(*row).unwrap_or(1)).max(1);
    for row in values.chunks(row) {
        println!("    {}", row.iter().map(|value| format!("{value:>3}")).collect::<String>());
    }
    Ok(values)
}

fn main() -> ExitCode {
    arguments::run("give no arguments", |given| given.is_empty().then_some(()), |()| run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let rt = Runtime::new()?;
    let grid: Store<i64, _> = rt.create_from_fn([3, 4], |at| 10 * at[0] + at[1])?;
    show("grid", grid.clone().into_dyn())?;

    let column = grid.project(1, 2)?;
    assert_eq!(show("grid.project(1, 2)", column.clone().into_dyn())?, [2, 12, 22]);

    let middle = grid.slice(1, 1, -1)?;
    assert_eq!(show("grid.slice(1, 1, -1)", middle.clone().into_dyn())?, [1, 2, 11, 12, 21, 22]);

    let corners = grid.step(0, 2)?.step(1, -3)?;
    assert_eq!(show("grid.step(0, 2).step(1, -3)", corners.into_dyn())?, [3, 0, 23, 20]);

    let backwards = grid.reversed(1)?;
    assert_eq!(show("grid.reversed(1)", backwards.into_dyn())?[..4], [3, 2, 1, 0]);

    let turned = grid.transpose([1, 0])?;
    assert_eq!(show("grid.transpose([1, 0])", turned.into_dyn())?[..3], [0, 10, 20]);

    let rows = grid.project(1, 0)?.promote(1, 5)?;
    assert_eq!(show("grid.project(1, 0).promote(1, 5)", rows.into_dyn())?[10..], [20; 5]);

    let wide = grid.slice(0, 1, 2)?.broadcast(0, 2)?;
    assert_eq!(show("grid.slice(0, 1, 2).broadcast(0, 2)", wide.into_dyn())?, [10, 11, 12, 13, 10, 11, 12, 13]);

    let blocks: Store<i64, layout::Dim<3>> = grid.delinearize(1, [2, 2])?;
    assert_eq!(
        show("grid.delinearize(1, [2, 2]).project(1, 1)", blocks.project(1, 1)?.into_dyn())?,
        [2, 3, 12, 13, 22, 23]
    );

    println!("\nViews share their elements: middle.fill(0)");
    middle.fill(0)?;
    assert_eq!(show("grid", grid.clone().into_dyn())?, [0, 0, 0, 3, 10, 0, 0, 13, 20, 0, 0, 23]);
    println!("    grid overlaps column: {}", grid.overlaps(&column));
    assert!(grid.overlaps(&column) && !grid.equal_storage(&column));

    println!("\nTiles of 2 by 2, those at the end clipped");
    let tiles = grid.partition_by_tiling([2, 2])?;
    println!("    colors {}", tiles.color_shape());
    assert_eq!(show("tile [1, 1]", tiles.child([1, 1])?.into_dyn())?, [0, 23]);

    println!("\nThe order in memory, asked for in the dimensions of a view");
    for ordering in [DimOrdering::C, DimOrdering::Fortran] {
        let inverted = ordering.inverted(grid.transpose([1, 0])?.transform())?;
        println!("    {ordering:?} of the transposed grid: dimensions {inverted:?} of the grid, fastest first");
    }

    println!("\nWhat there is not, says so");
    let errors = [
        grid.slice(0, 2, 5).map(drop),
        grid.project(1, 4).map(drop),
        grid.broadcast(0, 2).map(drop),
        grid.transpose([0, 0]).map(drop),
        grid.delinearize(1, [3, 2]).map(drop),
        blocks.project(2, 1).map(drop),
        grid.step(0, 0).map(drop),
        blocks.step(2, 2).map(drop),
    ];
    for error in errors {
        println!("    {}", error.expect_err("none of these exists"));
    }
    Ok(())
}
