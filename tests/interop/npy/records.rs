//! Records of the tests, and a value for each number.

use core::num::{NonZeroI64, NonZeroU32};

use half::f16;
use layout::Record;

/// A struct with padding at its end, as the compiler lays it out.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Tagged {
    pub(crate) value: f64,
    pub(crate) tag: u8,
}

/// Leaves of every type that NumPy has, structs in structs, and arrays of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Every {
    pub(crate) tiny: u8,
    pub(crate) short: u16,
    pub(crate) wide: u32,
    pub(crate) huge: u64,
    pub(crate) signed: Signed,
    pub(crate) flag: bool,
    pub(crate) letter: char,
    pub(crate) light: f16,
    pub(crate) single: f32,
    pub(crate) grid: [[i16; 3]; 2],
    pub(crate) pair: [Tagged; 2],
    pub(crate) count: usize,
    pub(crate) id: NonZeroU32,
    pub(crate) parent: Option<NonZeroI64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Signed(pub(crate) i8, pub(crate) i16, pub(crate) i32, pub(crate) i64, pub(crate) isize);

/// Numbers that bit-packed layouts store.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Small {
    pub(crate) a: u8,
    pub(crate) b: [u16; 2],
    pub(crate) c: i32,
}

/// Numbers of the record that Python knows, too.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Star {
    pub(crate) kind: u8,
    pub(crate) pos: Pos,
    pub(crate) known: bool,
    pub(crate) grid: [[u16; 2]; 3],
    pub(crate) light: f16,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Pos {
    pub(crate) x: f64,
    pub(crate) y: f32,
}

pub(crate) trait Sample: Record + PartialEq + core::fmt::Debug {
    fn sample(number: usize) -> Self;
}

fn byte(number: usize) -> u8 {
    u8::try_from(number % 251).unwrap()
}

impl Sample for u8 {
    fn sample(number: usize) -> Self {
        byte(number)
    }
}

impl Sample for bool {
    fn sample(number: usize) -> Self {
        number % 3 == 1
    }
}

impl Sample for f16 {
    fn sample(number: usize) -> Self {
        Self::from_f32(f32::from(byte(number)) / 2.0)
    }
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn sample(number: usize) -> Self {
        core::array::from_fn(|at| T::sample(N * number + at))
    }
}

impl Sample for Tagged {
    fn sample(number: usize) -> Self {
        Self { value: f64::from(byte(number)) + 0.5, tag: byte(number + 1) }
    }
}

impl Sample for Every {
    fn sample(number: usize) -> Self {
        let small = byte(number);
        let signed = i16::from(small) - 100;
        Self {
            tiny: small,
            short: u16::from(small) * 257,
            wide: u32::from(small) << 24 | 5,
            huge: u64::MAX - u64::from(small),
            signed: Signed(
                small.cast_signed(),
                signed * 100,
                -i32::from(small),
                i64::MIN + i64::from(small),
                signed.into(),
            ),
            flag: number.is_multiple_of(2),
            letter: char::from_u32(0x10400 + u32::from(small)).unwrap(),
            light: f16::sample(number),
            single: f32::from(small) * -0.25,
            grid: [[signed, 1, 2], [3, 4, signed]],
            pair: Sample::sample(number),
            count: number,
            id: NonZeroU32::MIN.saturating_add(u32::from(small)),
            parent: NonZeroI64::new(i64::from(small) % 3),
        }
    }
}

impl Sample for Small {
    fn sample(number: usize) -> Self {
        let small = byte(number) % 16;
        Self { a: small, b: [small.into(), 15], c: i32::from(small) - 8 }
    }
}

impl Sample for Star {
    /// The script of Python has the same formulas.
    fn sample(number: usize) -> Self {
        let at = |k: usize| u16::try_from(100 * (number % 251) + k).unwrap();
        Self {
            kind: byte(number),
            pos: Pos { x: f64::from(byte(number)) + 0.5, y: -f32::from(byte(number)) },
            known: number % 3 == 1,
            grid: [[at(0), at(1)], [at(10), at(11)], [at(20), at(21)]],
            light: f16::sample(number),
        }
    }
}
