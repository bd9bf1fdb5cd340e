//! A leaf without a semicolon.

use layout_store::{Dim, Runtime, Store, read};

fn launch(rt: &Runtime, a: &Store<f64, Dim<1>>) {
    let _ = rt.task("get").args((read(a),)).launch(|_, (a,)| a.get(0));
}

fn main() {}
