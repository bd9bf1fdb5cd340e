use layout::bits::{BitPackedFloatSoA, FloatBits};
use layout::alloc;

fn main() {
    let mut view = alloc::<f32, BitPackedFloatSoA<FloatBits<5, 10>>, _>(4).unwrap();
    let _ = view.split_at(0, 2);
}
