//! A grid is walked together with a row.

use layout::prelude::*;

fn main() {
    let mut grid = alloc::<f32, SoA, _>([4, 4]).unwrap();
    let row = alloc::<f32, SoA, _>(4).unwrap();
    zip((&mut grid, &row)).for_each(|(mut cell, value)| cell.set(value.get()));
}
