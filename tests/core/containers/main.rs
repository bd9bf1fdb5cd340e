//! Containers: vectors of records against `Vec`, serialization, and lists of records.

mod jagged;
mod many;
mod portable;
mod programs;
#[cfg(feature = "serde")]
mod serde;
mod soa_derive;
mod vector;

use core::fmt;
use core::num::NonZeroU16;

use layout::Record;

/// Leaves of which not all bits are values; zero is none of them.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Record)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
struct Strict {
    id: NonZeroU16,
    on: bool,
    letter: char,
    next: Option<NonZeroU16>,
}

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Record)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
struct Vec2 {
    x: f32,
    y: f32,
}

/// A branch, and arrays: of leaves, and of branches.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Record)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
struct Nested {
    tag: u8,
    pos: Vec2,
    counts: [u16; 3],
    corners: [Vec2; 2],
    mass: f64,
}

/// A record with a value for each seed.
trait Sample: Record + PartialEq + PartialOrd + fmt::Debug {
    fn sample(seed: u16) -> Self;

    /// Few of them, so that there are equal ones.
    fn key(&self) -> u16;
}

impl Sample for Strict {
    fn sample(seed: u16) -> Self {
        Self {
            id: NonZeroU16::MIN.saturating_add(seed % 8),
            on: seed.is_multiple_of(2),
            letter: char::from_u32(0x40 + u32::from(seed / 8)).unwrap_or('?'),
            next: NonZeroU16::new(seed % 3),
        }
    }

    fn key(&self) -> u16 {
        self.id.get()
    }
}

impl Sample for Nested {
    fn sample(seed: u16) -> Self {
        let s = f32::from(seed);
        let corners = [Vec2 { x: s + 0.25, y: 1.0 }, Vec2 { x: 2.0, y: s + 0.5 }];
        Self {
            tag: seed.to_le_bytes()[0] % 8,
            pos: Vec2 { x: s, y: -s },
            counts: [seed, 1, 2],
            corners,
            mass: s.into(),
        }
    }

    fn key(&self) -> u16 {
        self.tag.into()
    }
}
