//! An index that counts with `usize`.

use layout_store::{Dim, Store};

fn element(store: &Store<f64, Dim<1>>, at: usize) {
    let _ = store.get([at]);
}

fn main() {}
