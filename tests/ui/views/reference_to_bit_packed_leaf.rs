use layout::bits::{BitPackedIntSoA, Bits};
use layout::alloc;

fn main() {
    let view = alloc::<u32, BitPackedIntSoA<Bits<12>>, _>(4).unwrap();
    let _: &u32 = view.at(1).as_ref();
}
