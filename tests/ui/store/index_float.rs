//! An index that is no integer.

use layout_store::{Dim, Store};

fn element(store: &Store<f64, Dim<1>>, at: f64) {
    let _ = store.get([at]);
}

fn main() {}
