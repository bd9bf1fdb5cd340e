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

#[cfg(feature = "alloc")]
::layout::choice::layouts! {
    struct Layouts of Pair = [::layout::AoS];
}

#[test]
fn macros_need_no_prelude() {
    #[expect(non_camel_case_types, reason = "the name of another type")]
    struct usize;
    ::core::assert_eq!(<::layout::path!(Stored, other[1]) as ::layout::Path>::LEAF, 2);
    ::core::assert_eq!(<::layout::path!([Pair; 2], [1].1[0]) as ::layout::Path>::LEAF, 8);
    let extents: ::layout::extents!(type dyn, 2) = ::layout::extents!(dyn 3, 2);
    ::core::assert_eq!(::layout::Extents::array(&extents), [3, 2]);
}

#[test]
fn records_need_no_prelude() {
    ::core::assert_eq!(<Pair as ::layout::Record>::TREE.leaves(), 5);
}
