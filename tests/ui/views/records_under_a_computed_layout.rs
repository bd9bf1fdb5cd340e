use layout::prelude::*;
use layout::composed::Byteswap;

fn main() {
    let mapping = Mapped::<f64, _, Byteswap<AoS>>::new(extents!(dyn 4)).unwrap();
    let _ = View::from_records(mapping, &[1.0; 4]);
}
