use layout::Record;

#[derive(Clone, Copy, Record)]
enum Material {
    Wood,
    Steel,
}

fn main() {}
