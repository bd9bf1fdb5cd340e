//! The record that most compositions are of, and its values.

use layout::composed::{AtPath, Cast, OfType, Projection};
use layout::record::Root;
use layout::slot::{AccessMut, Scalar};
use layout::{Record, path};

/// A branch of two leaves.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[expect(missing_docs, reason = "they are what they are called")]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

/// Seven leaves of five sizes: a branch, an array, and every bit pattern is a value.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[expect(missing_docs, reason = "they are what they are called")]
pub struct Hit {
    pub kind: u8,
    pub at: Point,
    pub counts: [u16; 2],
    pub wide: u128,
    pub time: f64,
}

/// A branch.
pub type Branch = path!(Hit, at);
/// One element of an array: its twin is elsewhere.
pub type Element = path!(Hit, counts[1]);
/// Leaves of all kinds.
pub type Many = (path!(Hit, kind), Element, path!(Hit, at.x), path!(Hit, wide));
/// Every leaf.
pub type All = Root<Hit>;

impl Hit {
    /// A value that differs in every leaf from those of 250 other seeds.
    pub fn sample(seed: usize) -> Self {
        let byte = |leaf: usize| u8::try_from((seed + leaf * 37) % 251).unwrap();
        Self {
            kind: byte(0),
            at: Point { x: f32::from(byte(1)) + 0.25, y: -f32::from(byte(2)) },
            counts: [3, 4].map(|leaf| u16::from(byte(leaf)) * 257 + 1),
            wide: u128::from(byte(5)) << 120 | u128::from(byte(6)),
            time: f64::from(byte(6)) * -1.0e-100,
        }
    }

    /// A value of whole numbers below 65,536, which any type of number of 32 bits or more stores.
    pub fn whole(seed: usize) -> Self {
        let number = |leaf: u16| u16::try_from(seed).unwrap().wrapping_mul(257).wrapping_add(leaf * 7919);
        Self {
            kind: number(0).to_le_bytes()[1],
            at: Point { x: number(1).into(), y: number(2).into() },
            counts: [number(3), number(4)],
            wide: number(5).into(),
            time: number(6).into(),
        }
    }

    /// Writes leaf number `leaf` alone, by its name or by an index at run time.
    pub fn poke<A: Scalar + AccessMut<Record = Self>>(
        self,
        leaf: usize,
        slots: &mut <Self as Record>::Slots<A, Root<Self>>,
    ) {
        match leaf {
            0 => slots.kind.store(self.kind),
            1 => slots.at.x.store(self.at.x),
            2 => slots.at.y.store(self.at.y),
            3 => slots.counts.at_mut(0).store(self.counts[0]),
            4 => slots.counts.at_mut(1).store(self.counts[1]),
            5 => slots.wide.store(self.wide),
            _ => slots.time.store(self.time),
        }
    }

    /// This value, with leaf number `leaf` of `other`.
    pub fn with(mut self, leaf: usize, other: Self) -> Self {
        match leaf {
            0 => self.kind = other.kind,
            1 => self.at.x = other.at.x,
            2 => self.at.y = other.at.y,
            3 => self.counts[0] = other.counts[0],
            4 => self.counts[1] = other.counts[1],
            5 => self.wide = other.wide,
            _ => self.time = other.time,
        }
        self
    }
}

/// The values that layouts without loss give back.
pub fn kept(hit: Hit) -> Hit {
    hit
}

/// The values that are left if [`Many`] take no memory.
pub fn without_many(hit: Hit) -> Hit {
    Hit { kind: 0, at: Point { x: 0.0, ..hit.at }, counts: [hit.counts[0], 0], wide: 0, ..hit }
}

/// The values that are left if there is memory for [`Many`] only.
pub fn only_many(hit: Hit) -> Hit {
    Hit { at: Point { y: 0.0, ..hit.at }, counts: [0, hit.counts[1]], time: 0.0, ..hit }
}

/// The values that are left of narrower numbers.
pub fn narrowed(hit: Hit) -> Hit {
    #[expect(clippy::cast_possible_truncation, reason = "that is what is tested")]
    Hit { time: f64::from(hit.time as f32), wide: u128::from(hit.wide as u64), ..hit }
}

/// Numbers with their bits turned.
pub struct Turned;

impl Projection for Turned {
    type Value = u16;
    type Stored = u16;

    fn load(stored: u16) -> u16 {
        (stored ^ 0x55aa).rotate_left(3)
    }

    fn store(value: u16) -> u16 {
        value.rotate_right(3) ^ 0x55aa
    }
}

/// Floats as the integers of their bits.
pub struct Bits;

impl Projection for Bits {
    type Value = f64;
    type Stored = u64;

    fn load(stored: u64) -> f64 {
        f64::from_bits(stored)
    }

    fn store(value: f64) -> u64 {
        value.to_bits()
    }
}

/// Rules of every kind that lose nothing: wider, as wide, and by place.
pub type Reversible = (AtPath<path!(Hit, time), Bits>, OfType<Cast<f32, f64>>, OfType<Turned>, AtPath<Element, Turned>);
/// Rules for one of two twins.
pub type OneTwin = AtPath<Element, Turned>;
/// Rules that lose.
pub type Narrower = (OfType<Cast<f64, f32>>, OfType<Cast<u128, u64>>);
