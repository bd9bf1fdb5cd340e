//! No name is in scope but those of this file.
#![no_implicit_prelude]

use ::bytemuck::{CheckedBitPattern, NoUninit};
use ::core::clone::Clone;
use ::core::marker::Copy;

#[derive(Clone, Copy, ::layout::Record)]
pub(crate) struct Vec3<T: ::layout::Record> {
    x: T,
    y: T,
    z: T,
}

#[derive(Clone, Copy, ::layout::Record)]
struct Pair(Vec3<f32>, [Kind; 2]);

#[derive(Clone, Copy, NoUninit, CheckedBitPattern, ::layout::Record)]
#[record(leaf)]
#[repr(u8)]
enum Kind {
    Even,
    Odd,
}

#[derive(Clone, Copy, ::layout::Record)]
#[record(columns)]
struct Stored {
    #[record(leaf)]
    pos: [f32; 3],
    #[record(as = [u16; 2], rename = "other")]
    word: u32,
    kind: Kind,
    #[record(skip)]
    cache: (),
}

#[test]
fn records_need_no_prelude() {
    ::core::assert_eq!(<Pair as ::layout::Record>::TREE.leaves(), 5);
}
