//! A seventh dimension.

use layout_store::{Dim, Store};

fn more(store: &Store<f64, Dim<6>>) {
    let _ = store.promote(0, 2);
}

fn main() {}
