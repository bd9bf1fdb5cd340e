use layout::Record;

#[derive(Clone, Copy, Record)]
struct Marker;

fn main() {}
