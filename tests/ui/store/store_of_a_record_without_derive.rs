//! The elements of a store are structs that are no record.

use layout_store::{Runtime, Store};

#[derive(Clone, Copy, Default)]
struct Cell {
    heat: f64,
}

fn create(rt: &Runtime) {
    let _: Store<Cell, _> = rt.create_from_fn(100, |_| Cell { heat: 1.0 }).unwrap();
}

fn main() {}
