//! Records of the tests, with values by number.

use core::num::NonZeroU8;

use layout::Record;
use layout_store::{Point, Rect};

pub(crate) use support::hit::Hit;

/// Leaves of many types, some with bytes that are no values.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Odd {
    on: bool,
    id: u16,
    letter: char,
    maybe: [Option<NonZeroU8>; 2],
    inner: Inner,
    large: u128,
    size: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Inner(i8, [[f32; 2]; 2]);

/// A record with a value for each number.
pub(crate) trait Numbered: layout::Record + PartialEq + core::fmt::Debug {
    fn numbered(number: usize) -> Self;
}

impl Numbered for Hit {
    fn numbered(number: usize) -> Self {
        Self::sample(number)
    }
}

impl Numbered for f64 {
    fn numbered(number: usize) -> Self {
        number as f64 / 7.0 - 3.0
    }
}

impl Numbered for Odd {
    fn numbered(number: usize) -> Self {
        let byte = u8::try_from(number % 251).unwrap();
        Self {
            on: number.is_multiple_of(3),
            id: u16::from(byte) * 257,
            letter: char::from_u32(0x3b1 + u32::from(byte)).unwrap(),
            maybe: [NonZeroU8::new(byte), None],
            inner: Inner(byte.cast_signed(), [[f32::from(byte), -1.5], [f32::NEG_INFINITY, number as f32]]),
            large: u128::MAX - number as u128,
            size: number,
        }
    }
}

/// The number of the element at an index.
pub(crate) fn number(at: &Point) -> usize {
    at.iter().fold(5, |number, at| number * 31 + usize::try_from(*at).unwrap())
}

/// All elements of a store of these extents.
pub(crate) fn all<R: Numbered>(extents: Point) -> Vec<R> {
    Rect::of(extents).points().map(|at| R::numbered(number(&at))).collect()
}
