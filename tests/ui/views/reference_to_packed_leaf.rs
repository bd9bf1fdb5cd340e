use layout::{AoS, Packed, alloc};

fn main() {
    let view = alloc::<f32, AoS<Packed>, _>(4).unwrap();
    let _: &f32 = view.at(1).as_ref();
}
