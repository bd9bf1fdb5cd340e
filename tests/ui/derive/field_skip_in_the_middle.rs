use layout::Record;

#[derive(Clone, Copy, Record)]
struct Pair(f32, #[record(skip)] u64, f32);

fn main() {}
