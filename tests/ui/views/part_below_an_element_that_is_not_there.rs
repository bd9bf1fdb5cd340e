use layout::prelude::*;
use layout::record::{Child, Root};

#[derive(Clone, Copy, Record)]
struct Hit {
    id: u8,
    flags: [bool; 0],
}

fn main() {
    let hits = Mapped::<Hit, _, SoASingle<Packed>>::new(extents!(dyn 1)).unwrap();
    let flag = hits.below::<Child<Child<Root<Hit>, 1>, 0>>();
    println!("{}", View::from_bytes(flag, &[90][..]).unwrap().get(0));
}
