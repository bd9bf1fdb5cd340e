use bytemuck::{CheckedBitPattern, NoUninit};
use layout::composed::Bytesplit;
use layout::prelude::*;

#[derive(Clone, Copy, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(transparent)]
struct Name([u64; 9]);

#[derive(Clone, Copy, Record)]
struct Row {
    number: u8,
    name: Name,
}

fn main() {
    let _ = alloc::<Row, Bytesplit<SoA>, _>(4);
}
