use layout::{BitPackedIntSoA, alloc};

fn main() {
    let _ = alloc::<u32, BitPackedIntSoA<u32>, _>(4);
}
