use layout::{SoA, alloc, zip};

fn main() {
    let a = alloc::<f32, SoA, _>(4).unwrap();
    let b = alloc::<f32, SoA, _>(4).unwrap();
    zip((a, b)).for_each(|_| ());
}
