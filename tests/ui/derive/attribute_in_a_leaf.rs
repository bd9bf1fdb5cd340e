use layout::Record;

#[derive(Clone, Copy, bytemuck::NoUninit, bytemuck::CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(C)]
struct Color {
    #[record(rename = "red")]
    r: u8,
    g: u8,
}

fn main() {}
