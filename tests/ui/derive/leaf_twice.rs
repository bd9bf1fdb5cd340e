use layout::Record;

#[derive(Clone, Copy, bytemuck::NoUninit, bytemuck::CheckedBitPattern, Record)]
#[record(leaf)]
#[record(leaf)]
#[repr(u8)]
enum Material {
    Wood,
    Steel,
}

fn main() {}
