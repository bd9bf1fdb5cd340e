//! An index of one dimension in a tile of two.

use layout_store::{Dim, Runtime, Store, read};

fn launch(rt: &Runtime, store: &Store<f64, Dim<2>>) {
    let _ = rt.task("sum").args((read(store),)).launch(|_, (tile,)| drop(tile.get([0])));
}

fn main() {}
