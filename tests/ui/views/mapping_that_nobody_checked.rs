use layout::prelude::*;

fn main() {
    let one = Mapped::<u64, _, SoA>::new(extents!(dyn 1)).unwrap();
    let many = extents!(dyn 1 << 33, dyn 1 << 33);
    let mut view = View::from_bytes(one.relinearized(many, RowMajor), vec![0; 64]).unwrap();
    view.set([1 << 32, 1 << 20], 1);
}
