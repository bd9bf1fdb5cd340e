//! Floats in fewer bits: the widths of exponent and mantissa.

use core::fmt;
use core::ops::RangeInclusive;

use layout_core::{LayoutError, Leaf, LeafKind, LeafName};

use super::form::Form;
use super::repack::{narrow, widen};
use super::word::{Word, of_leaf, to_leaf};
use crate::sealed::Sealed;

/// The number of bits in which the parts of a float are stored: [`FloatBits<E, M>`](FloatBits), known by type, or
/// [`DynFloatBits`]. The sign takes one bit more.
///
/// # Examples
///
/// ```
/// use layout::bits::{DynFloatBits, FloatBits, FloatWidth};
///
/// assert_eq!(FloatBits::<8, 7>.exponent(), 8);
/// assert_eq!(DynFloatBits { exponent: 8, mantissa: 7 }.mantissa(), 7);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how a float is stored",
    note = "use `FloatBits<E, M>` of `layout::bits`, or `DynFloatBits` for numbers that are known at run time"
)]
pub trait FloatWidth: Sealed {
    /// The total number of bits, or `None` if it is not known by type.
    const KNOWN: Option<u32>;

    /// The number of bits of the exponent.
    fn exponent(self) -> u32;
    /// The number of bits of the mantissa, without the leading one.
    fn mantissa(self) -> u32;
}

/// `E` bits for the exponent and `M` for the mantissa, known by type.
///
/// `FloatBits<5, 10>` is IEEE half precision, `FloatBits<8, 7>` the format of `bf16`.
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedFloatSoA, FloatBits};
/// use layout::prelude::*;
///
/// let mut view = alloc::<f32, BitPackedFloatSoA<FloatBits<8, 7>>, _>(1)?;
/// view.set(0, 1.0e30 / 3.0);
/// assert!((view.get(0) / (1.0e30 / 3.0) - 1.0).abs() <= 1.0 / 256.0);
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct FloatBits<const E: u32, const M: u32>;

impl<const E: u32, const M: u32> fmt::Debug for FloatBits<E, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FloatBits<{E}, {M}>")
    }
}

/// Numbers of bits for exponent and mantissa that are known at run time.
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedFloatSoA, DynFloatBits};
/// use layout::prelude::*;
///
/// let layout = BitPackedFloatSoA::new(DynFloatBits { exponent: 4, mantissa: 3 });
/// let mut view = View::zeroed(Mapped::<f32, _, _>::with(extents!(dyn 3), layout, RowMajor)?)?;
/// for (i, value) in [1.06, 1.07, 500.0].into_iter().enumerate() {
///     view.set(i, value);
/// }
/// assert_eq!(view.to_vec(), [1.0, 1.125, f32::INFINITY]);
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DynFloatBits {
    /// The number of bits of the exponent.
    pub exponent: u32,
    /// The number of bits of the mantissa, without the leading one.
    pub mantissa: u32,
}

impl<const E: u32, const M: u32> FloatWidth for FloatBits<E, M> {
    const KNOWN: Option<u32> = Some(1_u32.saturating_add(E).saturating_add(M));

    #[inline(always)]
    fn exponent(self) -> u32 {
        E
    }

    #[inline(always)]
    fn mantissa(self) -> u32 {
        M
    }
}

impl FloatWidth for DynFloatBits {
    const KNOWN: Option<u32> = None;

    #[inline(always)]
    fn exponent(self) -> u32 {
        self.exponent
    }

    #[inline(always)]
    fn mantissa(self) -> u32 {
        self.mantissa
    }
}

/// Floats, each in the number of bits that `F` gives.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Floats<F>(F);

impl<F: FloatWidth> Floats<F> {
    pub(super) const fn new(width: F) -> Self {
        Self(width)
    }

    /// Returns `true` if it is known by type that the exponent is as wide as that of the word's float.
    #[inline(always)]
    fn same<X: Word>(self) -> bool {
        F::KNOWN.is_some() && self.0.exponent() == X::EXPONENT
    }
}

/// The numbers of bits of exponent and mantissa of a type of 16 bits.
const fn short(kind: LeafKind) -> Option<(u32, u32)> {
    match kind {
        LeafKind::F16 | LeafKind::Bf16 => parts(kind),
        _ => None,
    }
}

/// The numbers of bits of exponent and mantissa of a type.
const fn parts(kind: LeafKind) -> Option<(u32, u32)> {
    match kind {
        LeafKind::F16 => Some((5, 10)),
        LeafKind::Bf16 => Some((8, 7)),
        LeafKind::F32 => Some((8, 23)),
        LeafKind::F64 => Some((11, 52)),
        _ => None,
    }
}

impl<F: FloatWidth> Form for Floats<F> {
    const KNOWN: Option<u32> = F::KNOWN;
    const REFUSES: bool = false;
    const KEEPS: bool = false;

    #[inline(always)]
    fn bits(self) -> u32 {
        1_u32.wrapping_add(self.0.exponent()).wrapping_add(self.0.mantissa())
    }

    fn check(self, leaf: LeafName, kind: LeafKind, _: usize) -> Result<(), LayoutError> {
        let Some((exponent, mantissa)) = parts(kind) else {
            return Err(LayoutError::Type { leaf, wanted: "float" });
        };
        let (least, bits) = (1, self.0.exponent());
        if !(least..=exponent).contains(&bits) {
            return Err(LayoutError::Exponent { leaf, bits, least, most: exponent });
        }
        let bits = self.0.mantissa();
        if !(least..=mantissa).contains(&bits) {
            return Err(LayoutError::Mantissa { leaf, bits, least, most: mantissa });
        }
        Ok(())
    }

    fn range(self, _: LeafKind, _: usize) -> RangeInclusive<i128> {
        i128::MIN..=i128::MAX
    }

    #[inline(always)]
    fn read<T: Leaf, X: Word>(self, top: X) -> T {
        let bits = widen(top >> (X::BITS - self.bits()), self.0.exponent(), self.0.mantissa(), self.same::<X>());
        // Types of 16 bits are converted through `f32`, which has all their values.
        to_leaf(match const { short(T::KIND) } {
            Some((exponent, mantissa)) => narrow::<X>(bits, exponent, mantissa, exponent == X::EXPONENT),
            None => bits,
        })
    }

    #[inline(always)]
    fn write<T: Leaf, X: Word>(self, value: T) -> X {
        let bits = of_leaf::<X, T>(value);
        let bits = match const { short(T::KIND) } {
            Some((exponent, mantissa)) => widen(bits, exponent, mantissa, exponent == X::EXPONENT),
            None => bits,
        };
        narrow(bits, self.0.exponent(), self.0.mantissa(), self.same::<X>())
    }

    #[inline(always)]
    fn fits<T: Leaf, X: Word>(self, _: T) -> bool {
        true
    }
}

impl<F: fmt::Debug> fmt::Debug for Floats<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
