use layout::bits::{BitPackedIntSoA, Bits};
use layout::{alloc, paths};

fn main() {
    let mut view = alloc::<[u32; 2], BitPackedIntSoA<Bits<12>>, _>(4).unwrap();
    let paths = paths::<[u32; 2]>();
    let _ = view.split((paths.element::<0>(), paths.element::<1>()));
}
