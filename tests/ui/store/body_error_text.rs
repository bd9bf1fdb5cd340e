//! A leaf whose error is a text.

use layout_store::{Dim, Runtime, Store, write};

fn launch(rt: &Runtime, store: &Store<f64, Dim<1>>) {
    let _ = rt.task("fail").args((write(store),)).launch(|_, _| Err("out of luck"));
}

fn main() {}
