//! Integers in fewer bits: the number of bits, and the rules for signs and for values that do not fit.

use core::fmt;
use core::marker::PhantomData;
use core::ops::RangeInclusive;

use layout_core::{Constant, Invariant, LayoutError, Leaf, LeafKind, LeafName};

use super::form::Form;
use super::word::{Word, bits_of, of_leaf, ones, to_leaf};
use crate::sealed::Sealed;

/// The number of bits in which an integer is stored: [`Bits<N>`](Bits), known by type, or [`DynBits`].
///
/// # Examples
///
/// ```
/// use layout::bits::{BitWidth, Bits, DynBits};
///
/// assert_eq!(Bits::<12>.bits(), DynBits(12).bits());
/// assert_eq!((size_of::<Bits<12>>(), size_of::<DynBits>()), (0, 4));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number of bits",
    note = "use `Bits<N>` of `layout::bits`, or `DynBits` for a number that is known at run time"
)]
pub trait BitWidth: Sealed {
    /// The number of bits, or `None` if it is not known by type.
    const KNOWN: Option<u32>;

    /// The number of bits.
    fn bits(self) -> u32;
}

/// `N` bits, known by type.
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedIntSoA, Bits};
/// use layout::prelude::*;
///
/// // Eight flags a byte.
/// let mapping = Mapped::<bool, _, BitPackedIntSoA<Bits<1>>>::new(extents!(dyn 800))?;
/// assert_eq!(mapping.blob_size(0), 100 + 15);
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Bits<const N: u32>;

impl<const N: u32> fmt::Debug for Bits<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits<{N}>")
    }
}

/// A number of bits that is computed from a type: `C::VALUE` bits.
///
/// # Examples
///
/// ```
/// use core::marker::PhantomData;
///
/// use layout::prelude::*;
/// use layout::bits::BitPackedIntSoA;
/// use layout::constant::{BitsBy, Constant};
///
/// /// A detector, which numbers its channels from 0.
/// trait Detector: 'static {
///     const CHANNELS: usize;
/// }
///
/// /// The bits of a channel's number.
/// struct ChannelBits<D>(PhantomData<D>);
///
/// impl<D: Detector> Constant for ChannelBits<D> {
///     const VALUE: usize = (D::CHANNELS - 1).ilog2() as usize + 1;
/// }
///
/// type Channels<D> = ViewOf<u16, 1, BitPackedIntSoA<BitsBy<ChannelBits<D>>>>;
///
/// struct Tracker;
///
/// impl Detector for Tracker {
///     const CHANNELS: usize = 1000;
/// }
///
/// let mut hits: Channels<Tracker> = u16::alloc::<_>(800)?;
/// hits.set(3, 999);
/// assert_eq!(hits.get(3), 999);
/// assert_eq!(hits.mapping().blob_size(0), 1000 + 15); // 10 bits each
/// # Ok::<(), ViewError>(())
/// ```
pub struct BitsBy<C>(Invariant<C>);

stateless!([C] BitsBy<C>);

impl<C: Constant> fmt::Debug for BitsBy<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits<{}>", C::VALUE)
    }
}

impl<C: Constant> BitWidth for BitsBy<C> {
    const KNOWN: Option<u32> = Some(Self::BITS);

    #[inline(always)]
    fn bits(self) -> u32 {
        Self::BITS
    }
}

impl<C: Constant> BitsBy<C> {
    // More bits than `u32` counts are refused, as 4096 are.
    #[expect(clippy::cast_possible_truncation, reason = "it is at most 4096")]
    const BITS: u32 = if C::VALUE > 4096 { 4096 } else { C::VALUE as u32 };
}

/// A number of bits that is known at run time.
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedIntSoA, DynBits};
/// use layout::prelude::*;
///
/// let greatest: u32 = 1000; // of a file, say
/// let layout = BitPackedIntSoA::<_>::new(DynBits(greatest.ilog2() + 1));
/// let mapping = Mapped::<u32, _, _>::with(extents!(dyn 800), layout, RowMajor)?;
/// assert_eq!(mapping.blob_size(0), 1000 + 15);
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DynBits(pub u32);

impl<const N: u32> BitWidth for Bits<N> {
    const KNOWN: Option<u32> = Some(N);

    #[inline(always)]
    fn bits(self) -> u32 {
        N
    }
}

impl BitWidth for DynBits {
    const KNOWN: Option<u32> = None;

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0
    }
}

/// The rule for the sign of signed integers: [`KeepSign`] or [`DropSign`].
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedIntSoA, Bits, DropSign, KeepSign};
/// use layout::prelude::*;
///
/// let mut signed = alloc::<i16, BitPackedIntSoA<Bits<5>, KeepSign>, _>(1)?;
/// let mut unsigned = alloc::<i16, BitPackedIntSoA<Bits<5>, DropSign>, _>(1)?;
/// assert!([-16, 15].iter().all(|value| signed.at_mut(0).try_set(*value).is_ok()));
/// assert!([0, 31].iter().all(|value| unsigned.at_mut(0).try_set(*value).is_ok()));
/// assert!(signed.at_mut(0).try_set(16).is_err() && unsigned.at_mut(0).try_set(-1).is_err());
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no rule for signs",
    note = "use `KeepSign` or `DropSign` of `layout::bits`"
)]
pub trait SignBit: Sealed + Default {
    #[doc(hidden)]
    const KEEP: bool;
}

/// Signed integers are stored in two's complement: `bits` bits hold `-2^(bits-1)` to `2^(bits-1) - 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeepSign;

/// All integers are stored without a sign: `bits` bits hold 0 to `2^bits - 1`, and negative values do not fit, unless `bits` are all bits of
/// the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DropSign;

options!(SignBit::KEEP: bool; KeepSign = true, DropSign = false);

/// The policy of `set` for a value that does not fit: [`Refuse`], [`Saturate`] or [`Wrap`].
///
/// `try_set` returns an error for such a value, whatever the policy.
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedIntSoA, Bits, KeepSign, Saturate, Wrap};
/// use layout::prelude::*;
///
/// let mut wrapped = alloc::<u8, BitPackedIntSoA<Bits<4>, KeepSign, Wrap>, _>(1)?;
/// let mut saturated = alloc::<u8, BitPackedIntSoA<Bits<4>, KeepSign, Saturate>, _>(1)?;
/// wrapped.set(0, 18);
/// saturated.set(0, 18);
/// assert_eq!([wrapped.get(0), saturated.get(0)], [2, 15]);
/// assert!(saturated.at_mut(0).try_set(18).is_err());
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no overflow policy",
    note = "use `Refuse`, `Saturate` or `Wrap` of `layout::bits`"
)]
pub trait Overflow: Sealed + Default {
    #[doc(hidden)]
    const POLICY: Policy;
}

#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    Refuse,
    Saturate,
    Wrap,
}

/// A value that does not fit is a mistake, like an index out of range: `set` panics, and writes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refuse;

/// For a value that does not fit, the nearest value that fits is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saturate;

/// For a value that does not fit, the low bits are stored: it wraps around modulo `2^bits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrap;

options!(Overflow::POLICY: Policy; Refuse = Policy::Refuse, Saturate = Policy::Saturate, Wrap = Policy::Wrap);

/// Integers of up to 64 bits and `bool`, each in `B` bits.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Ints<B, S, O> {
    width: B,
    rules: PhantomData<(S, O)>,
}

impl<B: BitWidth, S: SignBit, O: Overflow> Ints<B, S, O> {
    pub(super) const fn new(width: B) -> Self {
        Self { width, rules: PhantomData }
    }

    /// The least and the greatest value that a leaf of type `T` can store, as words.
    #[inline(always)]
    fn limits<T: Leaf, X: Word>(self) -> (X, X) {
        let (bits, own) = (self.width.bits(), const { bits_of::<T>() });
        if !T::KIND.is_signed() {
            (X::ZERO, ones(bits))
        } else if S::KEEP || bits == own {
            // Of all bits of the type, the sign is one.
            let most = ones::<X>(bits) >> 1;
            (!most, most)
        } else {
            (X::ZERO, ones::<X>(bits))
        }
    }

    /// The nearest value that fits.
    #[inline(always)]
    fn nearest<T: Leaf, X: Word>(self, value: X) -> X {
        let (least, most) = self.limits::<T, X>();
        if T::KIND.is_signed() { value.clamp_signed(least, most) } else { value.min(most) }
    }
}

impl<B: BitWidth, S: SignBit, O: Overflow> Form for Ints<B, S, O> {
    const KNOWN: Option<u32> = B::KNOWN;
    const REFUSES: bool = matches!(O::POLICY, Policy::Refuse);
    const KEEPS: bool = S::KEEP;

    #[inline(always)]
    fn bits(self) -> u32 {
        self.width.bits()
    }

    fn check(self, leaf: LeafName, kind: LeafKind, size: usize) -> Result<(), LayoutError> {
        if size > 8 || !(kind.is_integer() || kind == LeafKind::Bool) {
            return Err(LayoutError::Type { leaf, wanted: "integer of up to 64 bits, nor `bool`" });
        }
        let least = if kind.is_signed() && S::KEEP { 2 } else { 1 };
        let most = [0, 8, 16, 0, 32, 0, 0, 0, 64][size];
        let bits = self.width.bits();
        if (least..=most).contains(&bits) { Ok(()) } else { Err(LayoutError::Bits { leaf, bits, least, most }) }
    }

    fn range(self, kind: LeafKind, size: usize) -> RangeInclusive<i128> {
        let (bits, greatest) = (self.width.bits(), |bits: u32| (1 << bits) - 1);
        if kind.is_signed() && (S::KEEP || bits as usize == 8 * size) {
            !greatest(bits - 1)..=greatest(bits - 1)
        } else {
            0..=greatest(bits)
        }
    }

    #[inline(always)]
    fn read<T: Leaf, X: Word>(self, top: X) -> T {
        let spare = X::BITS - self.width.bits();
        if matches!(T::KIND, LeafKind::Bool) {
            to_leaf((top >> spare) & X::ONE)
        } else if T::KIND.is_signed() && S::KEEP {
            to_leaf(top.shr_signed(spare))
        } else {
            to_leaf(top >> spare)
        }
    }

    #[inline(always)]
    fn write<T: Leaf, X: Word>(self, value: T) -> X {
        let value = of_leaf::<X, T>(value);
        let value = if matches!(O::POLICY, Policy::Saturate) { self.nearest::<T, X>(value) } else { value };
        value & ones(self.width.bits())
    }

    #[inline(always)]
    fn fits<T: Leaf, X: Word>(self, value: T) -> bool {
        let value = of_leaf::<X, T>(value);
        self.nearest::<T, X>(value) == value
    }
}

impl<B: fmt::Debug, S: fmt::Debug + Default, O: fmt::Debug + Default> fmt::Debug for Ints<B, S, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {:?}, {:?}", self.width, S::default(), O::default())
    }
}
