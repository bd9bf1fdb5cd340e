use layout::Record;

#[derive(Clone, Copy, bytemuck::NoUninit, bytemuck::CheckedBitPattern, Record)]
#[record(leaf = true)]
#[repr(u8)]
enum Material {
    Wood,
    Steel,
}

fn main() {}
