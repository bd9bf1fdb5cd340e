//! A leaf that is yet to be written.

use layout_store::{Dim, Runtime, Store, read};

fn launch(rt: &Runtime, a: &Store<f64, Dim<1>>) {
    let _ = rt.task("later").args((read(a),)).launch(|_, _| todo!());
}

fn main() {}
