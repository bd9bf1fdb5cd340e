//! A store is given without saying what is done with it.

use layout_store::{Dim, Runtime, Store};

fn launch(rt: &Runtime, store: &Store<f64, Dim<1>>) {
    let _ = rt.task("what").args((store,));
}

fn main() {}
