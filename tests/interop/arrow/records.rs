//! Records of all kinds of leaves, with random values.

use core::num::{NonZeroI16, NonZeroI128, NonZeroU8, NonZeroU32, NonZeroU64};

use bytemuck::{CheckedBitPattern, NoUninit};
use half::{bf16, f16};
use layout::Record;
use support::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(u8)]
pub(crate) enum Material {
    Wood = 1,
    Steel = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(C, align(32))]
pub(crate) struct Wide(pub(crate) [u64; 4]);

#[derive(Clone, Copy, Debug, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(C)]
pub(crate) struct Nothing;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Unsigned(u8, u16, u32, u64, u128, usize);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Signed(i8, i16, i32, i64, i128, isize);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Floats {
    single: f32,
    double: f64,
    half: f16,
    brain: bf16,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Checked {
    flag: bool,
    letter: char,
    tiny: NonZeroU8,
    wide: NonZeroI128,
    material: Material,
    some: Option<NonZeroU32>,
    others: [Option<NonZeroI16>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Cell {
    flags: [bool; 3],
    heat: f32,
}

/// Every kind of leaf, and structs and arrays in one another.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct All {
    pub(crate) unsigned: Unsigned,
    pub(crate) signed: Signed,
    pub(crate) floats: Floats,
    pub(crate) checked: Checked,
    pub(crate) grid: [[u16; 2]; 3],
    pub(crate) cells: [Cell; 2],
    pub(crate) wide: Wide,
    pub(crate) nothing: Nothing,
    pub(crate) none: [u32; 0],
}

/// Integers only, for bit-packed layouts.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Ints {
    pub(crate) channel: u16,
    pub(crate) counts: [i32; 2],
}

/// A value by a generator of random numbers.
pub(crate) trait Drawn: Record + PartialEq + core::fmt::Debug {
    fn draw(random: &mut Random) -> Self;
}

macro_rules! drawn {
    ($($number:ty),+) => {$(
        impl Drawn for $number {
            #[expect(clippy::allow_attributes, reason = "some casts lose nothing")]
            #[allow(clippy::cast_possible_truncation, reason = "any bits will do")]
            fn draw(random: &mut Random) -> Self {
                random.next() as $number
            }
        }
    )+};
}

drawn!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

impl<T: Drawn, const N: usize> Drawn for [T; N] {
    fn draw(random: &mut Random) -> Self {
        core::array::from_fn(|_| T::draw(random))
    }
}

impl Drawn for bool {
    fn draw(random: &mut Random) -> Self {
        random.below(2) == 1
    }
}

impl Drawn for char {
    fn draw(random: &mut Random) -> Self {
        ['a', 'ß', '→', '\u{10ffff}'][random.below(4)]
    }
}

impl Drawn for Ints {
    fn draw(random: &mut Random) -> Self {
        Self { channel: u16::draw(random) % 1024, counts: [0; 2].map(|_: i32| i32::draw(random) % 2048) }
    }
}

impl Drawn for Cell {
    fn draw(random: &mut Random) -> Self {
        Self { flags: Drawn::draw(random), heat: f32::draw(random) }
    }
}

impl Drawn for Checked {
    fn draw(random: &mut Random) -> Self {
        Self {
            flag: bool::draw(random),
            letter: char::draw(random),
            tiny: NonZeroU8::new(u8::draw(random)).unwrap_or(NonZeroU8::MIN),
            wide: NonZeroI128::new(i128::draw(random)).unwrap_or(NonZeroI128::MIN),
            material: [Material::Wood, Material::Steel][random.below(2)],
            some: NonZeroU32::new(u32::draw(random) % 3),
            others: [0; 2].map(|_: i16| NonZeroI16::new(i16::draw(random) % 2)),
        }
    }
}

impl Drawn for All {
    fn draw(random: &mut Random) -> Self {
        macro_rules! next {
            () => {
                Drawn::draw(random)
            };
        }
        let half = f32::from(u8::draw(random));
        Self {
            unsigned: Unsigned(next!(), next!(), next!(), next!(), next!(), next!()),
            signed: Signed(next!(), next!(), next!(), next!(), next!(), next!()),
            floats: Floats { single: next!(), double: next!(), half: f16::from_f32(half), brain: bf16::from_f32(half) },
            checked: next!(),
            grid: next!(),
            cells: next!(),
            wide: Wide(core::array::from_fn(|_| NonZeroU64::MAX.get() ^ random.next())),
            nothing: Nothing,
            none: [],
        }
    }
}

/// Records by a seed.
pub(crate) fn records<R: Drawn>(len: usize, seed: u64) -> Vec<R> {
    let mut random = Random(seed);
    (0..len).map(|_| R::draw(&mut random)).collect()
}
