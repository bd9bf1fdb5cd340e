//! Extents that are no integers.

use layout_store::{Dim, Runtime, Store, StoreError};

fn new(rt: &Runtime, n: f64) -> Result<Store<f64, Dim<1>>, StoreError> {
    rt.create(n)
}

fn main() {}
