use bytemuck::{CheckedBitPattern, NoUninit};
use layout::prelude::*;

#[derive(Clone, Copy, NoUninit, CheckedBitPattern, Record)]
#[record(lanes = 1 < 2, leaf)]
#[repr(u8)]
enum Material {
    Wood,
    Steel,
}

#[derive(Clone, Copy, NoUninit, CheckedBitPattern, Record)]
#[record(store = Cache<fn(u8) -> u8, Lru>, leaf)]
#[repr(u8)]
enum Phase {
    Solid,
    Liquid,
}

fn main() {
    let _ = (Material::Wood, Material::Steel, Phase::Solid, Phase::Liquid);
}
