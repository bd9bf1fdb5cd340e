//! A tile that is only read is written.

use layout_store::{Dim, Runtime, Store, read};

fn launch(rt: &Runtime, store: &Store<f64, Dim<1>>) {
    let _ = rt.task("write").args((read(store),)).launch(|_, (mut tile,)| tile.set(0, 1.0));
}

fn main() {}
