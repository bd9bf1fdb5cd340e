//! A reduction that the records do not have.

use layout_store::{Dim, Store, Xor, reduce};

fn argument(store: &Store<f64, Dim<1>>) {
    let _ = reduce(store, Xor);
}

fn main() {}
