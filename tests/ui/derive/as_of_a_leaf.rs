use layout::Record;

#[derive(Clone, Copy, bytemuck::NoUninit, bytemuck::CheckedBitPattern, Record)]
#[record(leaf, as = u32)]
#[repr(C)]
struct Id(u32);

fn main() {}
