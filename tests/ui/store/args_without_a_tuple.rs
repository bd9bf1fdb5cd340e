//! One argument of a task, and no tuple of one.

use layout_store::{Dim, Runtime, Store, read};

fn launch(rt: &Runtime, store: &Store<f64, Dim<1>>) {
    let _ = rt.task("sum").args(read(store)).launch(|_, tile| drop(tile));
}

fn main() {}
