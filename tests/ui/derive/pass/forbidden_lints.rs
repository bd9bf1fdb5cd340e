//! The output of the derive allows nothing but uses of deprecated records: a program may forbid what it likes, and gets no warning.
#![forbid(dead_code, missing_docs, unsafe_code)]
#![deny(warnings, forbidden_lint_groups)]
#![forbid(unused)]

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::prelude::*;

#[derive(Clone, Copy, Record)]
#[record(columns)]
struct Vec3<T: Record + layout::columns::Columns> {
    x: T,
    y: [T; 2],
}

#[derive(Clone, Copy, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(u8)]
enum Kind {
    Even,
    Odd,
}

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: Vec3<f32>,
    #[record(as = [u16; 2])]
    word: u32,
    #[record(skip)]
    cache: u8,
    kinds: [Kind; 2],
}

fn main() {
    let particle = Particle { pos: Vec3 { x: 1.0, y: [2.0; 2] }, word: 5, cache: 4, kinds: [Kind::Even, Kind::Odd] };
    let Particle { pos: Vec3 { x, y }, word, cache, kinds } = particle;
    assert!(x < y[0] && word > u32::from(cache) && kinds.len() == 2);
    let views = alloc_from_fn::<Vec3<f32>, SoA, _>(1, |_| particle.pos).unwrap();
    assert_eq!(views.columns().unwrap().x, [1.0]);
    assert_eq!(Particle::TREE.leaves(), 7);
}
