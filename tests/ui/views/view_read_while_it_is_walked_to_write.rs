//! A neighbor is read from the view that the walk writes.

use layout::prelude::*;

fn main() {
    let mut view = alloc::<f32, SoA, _>(4).unwrap();
    view.for_each_indexed_mut(|[i], mut mass| mass += view.get((i + 1) % 4));
}
