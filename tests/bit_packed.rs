//! Bit-packed layouts, against values modulo powers of two, exact fractions, and a `Vec` of the same values.
#![allow(clippy::cast_possible_truncation, reason = "numbers are cut to bits on purpose")]

#[path = "bit_packed/bits.rs"]
mod bits;
#[path = "bit_packed/errors.rs"]
mod errors;
#[path = "bit_packed/floats.rs"]
mod floats;
#[path = "bit_packed/integers.rs"]
mod integers;
#[path = "bit_packed/walks.rs"]
mod walks;

/// A generator of numbers without pattern.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// The bits of a blob from number `start` on, one by one.
fn bits_at(blob: &[u8], start: usize, bits: usize) -> u64 {
    (0..bits).fold(0, |value, i| value | u64::from(blob[(start + i) / 8] >> ((start + i) % 8) & 1) << i)
}
