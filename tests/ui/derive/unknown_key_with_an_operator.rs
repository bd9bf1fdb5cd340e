use bytemuck::{CheckedBitPattern, NoUninit};
use layout::prelude::*;

#[derive(Clone, Copy, NoUninit, CheckedBitPattern, Record)]
#[record(lanes = 1 < 2, leaf)]
#[repr(u8)]
enum Material {
    Wood,
    Steel,
}

fn main() {
    let _ = (Material::Wood, Material::Steel);
}
