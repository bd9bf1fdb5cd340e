use layout::prelude::*;

fn main() {
    let mut view = alloc::<bool, SoA, _>(4).unwrap();
    view.blob_bytes_mut(0)[1] = 2;
}
