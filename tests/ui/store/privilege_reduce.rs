//! A tile that is contributed to is read.

use layout_store::{Dim, Runtime, Store, Sum, reduce};

fn launch(rt: &Runtime, store: &Store<f64, Dim<1>>) {
    let _ = rt.task("read").args((reduce(store, Sum),)).launch(|_, (tile,)| drop(tile.get(0)));
}

fn main() {}
