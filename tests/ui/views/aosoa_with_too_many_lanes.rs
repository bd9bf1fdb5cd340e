use layout::{AoSoA, alloc};

fn main() {
    alloc::<u64, AoSoA<{ 1 << 62 }>, _>(1000).unwrap().set(999, 1);
}
