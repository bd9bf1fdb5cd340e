//! A store of one dimension made with the extents of two.

use layout_store::{Dim, Runtime, Store};

fn main() {
    let rt = Runtime::new().unwrap();
    let line: Store<f64, Dim<1>> = rt.create([3, 4]).unwrap();
    drop(line);
}
