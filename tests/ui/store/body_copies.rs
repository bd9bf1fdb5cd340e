//! A leaf that gives what a copy says.

use layout_store::{Dim, Runtime, Store, read, write};

fn launch(rt: &Runtime, a: &Store<f64, Dim<1>>, b: &Store<f64, Dim<1>>) {
    let _ = rt.task("copy").args((read(a), write(b))).launch(|_, (a, mut b)| b.copy_from(&a));
}

fn main() {}
