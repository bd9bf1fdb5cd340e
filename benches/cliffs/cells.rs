//! The record of the classes, and how it is kept by hand.

use layout::{AoS, AoSoA, Record, RecordLayout, SoA};

/// Two numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
#[repr(C)]
pub(crate) struct Cell {
    pub(crate) a: f32,
    pub(crate) b: f32,
}

/// Numbers that look random, the same in every run.
pub(crate) fn cell(i: usize) -> Cell {
    Cell { a: ((i * 31 + 7) % 97) as f32, b: ((i * 17 + 3) % 89) as f32 }
}

/// `L` cells, leaf by leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Block<const L: usize> {
    pub(crate) a: [f32; L],
    pub(crate) b: [f32; L],
}

/// Columns of one length.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns {
    pub(crate) a: Vec<f32>,
    pub(crate) b: Vec<f32>,
}

/// Cells as they are kept by hand for a layout.
pub(crate) trait Hand: Sized {
    const NAME: &str;
    type Layout: RecordLayout<Cell> + Default;

    fn new(count: usize) -> Self;
    fn cells(&self, count: usize) -> Vec<Cell>;
}

impl Hand for Vec<Cell> {
    const NAME: &str = "AoS";
    type Layout = AoS;

    fn new(count: usize) -> Self {
        (0..count).map(cell).collect()
    }

    fn cells(&self, _: usize) -> Vec<Cell> {
        self.clone()
    }
}

impl Hand for Columns {
    const NAME: &str = "SoA";
    type Layout = SoA;

    fn new(count: usize) -> Self {
        Self { a: (0..count).map(|i| cell(i).a).collect(), b: (0..count).map(|i| cell(i).b).collect() }
    }

    fn cells(&self, _: usize) -> Vec<Cell> {
        self.a.iter().zip(&self.b).map(|(a, b)| Cell { a: *a, b: *b }).collect()
    }
}

macro_rules! blocks {
    ($($n:literal $name:literal;)+) => {$(
        impl Hand for Vec<Block<$n>> {
            const NAME: &str = $name;
            type Layout = AoSoA<$n>;

            fn new(count: usize) -> Self {
                let block = |b| Block {
                    a: core::array::from_fn(|k| cell($n * b + k).a),
                    b: core::array::from_fn(|k| cell($n * b + k).b),
                };
                (0..count.div_ceil($n)).map(block).collect()
            }

            fn cells(&self, count: usize) -> Vec<Cell> {
                (0..count).map(|i| Cell { a: self[i / $n].a[i % $n], b: self[i / $n].b[i % $n] }).collect()
            }
        }
    )+};
}

blocks! { 8 "AoSoA8"; 16 "AoSoA16"; 32 "AoSoA32"; }

/// A kernel by views and by hand: one table row for each layout that has both.
pub(crate) fn check(name: &str, view: &[Cell], hand: &[Cell]) {
    assert_eq!(view.len(), hand.len(), "{name}");
    let differ = view.iter().zip(hand).position(|(v, h)| v != h);
    assert!(differ.is_none(), "{name}: element {differ:?} differs");
}
