use layout::Lanes;

fn larger(a: Lanes<f32, 8>, b: Lanes<f32, 8>) -> Lanes<f32, 8> {
    if a < b { b } else { a }
}

fn main() {}
