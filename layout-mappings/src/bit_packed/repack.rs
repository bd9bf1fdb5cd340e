//! Conversion of floats between widths: from the float of a word (`f32`, `f64`) to one of `exponent` and `mantissa` bits, and back.
//!
//! No branch and no loop depends on a value: all cases are computed, and one is chosen. All cases round to nearest
//! even. For subnormal numbers the processor rounds: after adding a number whose last bit has the same worth as the
//! last bit of the result, the last bits of the sum are the rounded result.

use super::word::{Word, choose, ones};

/// A float format of fewer bits than the float of the word `X`, as numbers that shift and compare.
#[derive(Clone, Copy)]
struct Format<X> {
    /// The number of mantissa bits that the format lacks.
    cut: u32,
    /// The difference of the exponent biases, at the place of the word's exponent.
    rebias: X,
    /// The number one, at the place of the word's exponent.
    unit: X,
    /// The infinity of the format.
    infinity: X,
}

impl<X: Word> Format<X> {
    #[inline(always)]
    fn new(exponent: u32, mantissa: u32) -> Self {
        // A bias is 2^(bits-1) - 1, so biases differ by a difference of powers of two.
        let rebias = (X::ONE << (X::EXPONENT - 1)).minus(X::ONE << (exponent - 1));
        Self {
            cut: X::MANTISSA - mantissa,
            rebias: rebias << X::MANTISSA,
            unit: X::ONE << X::MANTISSA,
            infinity: ones::<X>(exponent) << mantissa,
        }
    }
}

/// Converts the float `bits` to the format with these widths, in the low bits of a word.
///
/// A number that is too large becomes infinite. A NaN keeps the upper bits of its payload, and becomes quiet if those
/// are zero. `same` says that the exponent is known by type to be as wide as the word's: all bits are then in place.
#[inline(always)]
pub(super) fn narrow<X: Word>(bits: X, exponent: u32, mantissa: u32, same: bool) -> X {
    let Format { cut, rebias, unit, infinity } = Format::<X>::new(exponent, mantissa);
    let magnitude = bits & (!X::ZERO >> 1);
    let infinite = ones::<X>(X::EXPONENT) << X::MANTISSA;

    // Add half of the last kept bit, less one, and that bit itself; a carry may go into the exponent.
    let odd = choose(cut > 0, (magnitude >> cut) & X::ONE, X::ZERO);
    let half = (X::ONE << cut).minus(X::ONE) >> 1;
    let normal = (magnitude.minus(rebias).plus(half).plus(odd) >> cut).min(infinity);

    let tiny = magnitude < rebias.plus(unit);
    let magic = rebias.plus(unit).plus(X::low(cut.into()) << X::MANTISSA);
    let subnormal = magnitude.plus_float(magic).minus(magic);

    let payload = (magnitude & ones(X::MANTISSA)) >> cut;
    let nan = infinity | payload | choose(payload == X::ZERO, X::ONE << (mantissa - 1), X::ZERO);

    // A branch on `same`, and not a choice for each value, which would compute both cases if the type does not decide.
    let finite = if same { normal } else { choose(tiny, subnormal, normal) };
    choose(magnitude > infinite, nan, finite) | ((bits >> (X::BITS - 1)) << (exponent + mantissa))
}

/// Converts a float of the format with these widths, in the low bits, to the float of the word. The conversion is
/// exact. `same` is as in [`narrow`].
#[inline(always)]
pub(super) fn widen<X: Word>(bits: X, exponent: u32, mantissa: u32, same: bool) -> X {
    let Format { cut, rebias, unit, infinity } = Format::<X>::new(exponent, mantissa);
    let magnitude = bits & ones(exponent + mantissa);
    let wide = magnitude << cut;

    let normal = wide.plus(rebias);
    let subnormal = normal.plus(unit).minus_float(rebias.plus(unit));
    let special = wide | (ones::<X>(X::EXPONENT) << X::MANTISSA);

    let finite = choose(magnitude < (X::ONE << mantissa), subnormal, normal);
    let value = if same { wide } else { choose(magnitude >= infinity, special, finite) };
    value | ((bits >> (exponent + mantissa)) << (X::BITS - 1))
}
