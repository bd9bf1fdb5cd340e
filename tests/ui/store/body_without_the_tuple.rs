//! The body takes the tile, and not the tuple of all tiles.

use layout_store::{Dim, Runtime, Store, read};

fn launch(rt: &Runtime, store: &Store<f64, Dim<1>>) {
    let _ = rt.task("sum").args((read(store),)).launch(|_, tile| drop(tile.get(0)));
}

fn main() {}
