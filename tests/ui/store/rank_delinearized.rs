//! A dimension cut so that there would be seven.

use layout_store::{Dim, Store};

fn cut(store: &Store<f64, Dim<5>>) {
    let _ = store.delinearize(0, [2, 2, 2]);
}

fn main() {}
