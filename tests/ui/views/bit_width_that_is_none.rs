use layout::bits::BitPackedIntSoA;
use layout::alloc;

fn main() {
    let _ = alloc::<u32, BitPackedIntSoA<u32>, _>(4);
}
