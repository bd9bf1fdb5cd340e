use layout::Record;

#[derive(Clone, Copy, bytemuck::NoUninit, bytemuck::CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(u8)]
enum Kind {
    #[record(rename = "solid")]
    Solid,
    Fluid,
}

fn main() {}
