//! A projection leaves one of two dimensions.

use layout_store::{Dim, Store};

fn row(grid: &Store<f64, Dim<2>>) -> Store<f64, Dim<2>> {
    grid.project(0, 1).unwrap()
}

fn main() {}
