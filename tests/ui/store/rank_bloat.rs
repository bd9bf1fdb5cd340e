//! A margin with one number for two dimensions.

use layout_store::{Dim, Runtime, Store, bloat, read, write};

fn launch(rt: &Runtime, old: &Store<f64, Dim<2>>, new: &Store<f64, Dim<2>>) {
    let task = rt.task("heat").args((read(old), write(new)));
    let _ = task.constrain(|(old, new)| [bloat(new, old, [1], [1, 1])]);
}

fn main() {}
