//! Extents that count with `usize`.

use layout_store::{Dim, Runtime, Store, StoreError};

fn new(rt: &Runtime, n: usize) -> Result<Store<f64, Dim<1>>, StoreError> {
    rt.create(n)
}

fn main() {}
