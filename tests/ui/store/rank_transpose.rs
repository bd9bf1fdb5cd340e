//! Three axes for a store of two dimensions.

use layout_store::{Dim, Store};

fn turn(grid: &Store<f64, Dim<2>>) {
    let _ = grid.transpose([2, 1, 0]);
}

fn main() {}
