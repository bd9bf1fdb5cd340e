use layout::Record;

#[derive(Clone, Copy, Record)]
union Bits {
    float: f32,
    int: u32,
}

fn main() {}
