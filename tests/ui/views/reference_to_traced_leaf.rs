use layout::{SoA, alloc};

fn main() {
    let view = alloc::<f32, SoA, _>(4).unwrap().trace();
    let _: &f32 = view.at(1).as_ref();
}
