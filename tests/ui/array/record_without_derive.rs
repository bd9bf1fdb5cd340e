//! The elements of an array are structs that are no record.

use layout::array::Array;

#[derive(Clone, Copy, Default)]
struct Cell {
    heat: f64,
}

fn heat(array: &Array<Cell, 1>) -> f64 {
    array.get([3]).unwrap().heat
}

fn main() {}
