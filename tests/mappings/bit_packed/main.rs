//! Bit-packed layouts, against values modulo powers of two, exact fractions, and a `Vec` of the same values.
#![allow(clippy::cast_possible_truncation, reason = "numbers are cut to bits on purpose")]

mod bits;
mod errors;
mod floats;
mod integers;
mod walks;

/// The bits of a blob from number `start` on, one by one.
fn bits_at(blob: &[u8], start: usize, bits: usize) -> u64 {
    (0..bits).fold(0, |value, i| value | u64::from(blob[(start + i) / 8] >> ((start + i) % 8) & 1) << i)
}
