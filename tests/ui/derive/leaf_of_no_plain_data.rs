use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(leaf)]
struct Rgb {
    red: u8,
    green: u8,
    blue: u8,
}

fn main() {}
