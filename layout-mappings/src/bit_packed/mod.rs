//! Bit-packed layouts: each value takes only the bits that it needs.
//!
//! ```text
//! ints, floats    the stored form: numbers of bits, signs, policies; the values that fit, and their bits
//! repack          floats in other widths
//! place           the bits of a position
//! layout          the contract of layouts: values one by one or in lanes
//! form            the conversion of values to bits
//! value           from leaves to bits of any of these, and back
//! window          single values in memory
//! dense, vector   eight values at once
//! word            the integers that all of that is computed in
//! ```
#![expect(unnameable_types, reason = "the hidden sides of the options, which are sealed, and a frame")]

mod dense;
mod floats;
mod form;
mod ints;
mod layout;
mod place;
mod repack;
mod value;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
mod vector;
mod window;
mod word;

use core::fmt;
use core::marker::PhantomData;

pub use floats::{DynFloatBits, FloatBits, FloatWidth, Floats};
pub use ints::{BitWidth, Bits, BitsBy, DropSign, DynBits, Ints, KeepSign, Overflow, Refuse, Saturate, SignBit, Wrap};

use crate::BlobPerLeaf;
use crate::sealed::Sealed;

/// Integers and `bool` in `B` bits each, with a blob for each leaf.
///
/// ```text
/// value of leaf i at position r:   blob i, bits r * bits .. (r + 1) * bits
/// blob_size:                       ceil(n * bits / 8) + 15 bytes
/// ```
///
/// Bits are counted from the lowest bit of the first byte, on every target: bit `b` of a blob is bit `b % 8` of byte
/// `b / 8`, and a value's lowest bit comes first. The 15 bytes at the end of a blob are unused; they allow reads of 16
/// bytes from the start of any value. They are never changed, and neither is any other bit that belongs to no value.
///
/// All leaves have the same number of bits: `B` is [`Bits<N>`](Bits), or [`DynBits`] for a number that is known at run
/// time. Leaves other than integers of up to 64 bits and `bool` are refused: store them in another layout, by `Split`.
///
/// # Signs
///
/// | `S` | signed leaves | range of `bits` bits |
/// |---|---|---|
/// | [`KeepSign`] | in two's complement, at least 2 bits | `-2^(bits-1)` to `2^(bits-1) - 1` |
/// | [`DropSign`] | as unsigned ones, if `bits` is less than the type has | 0 to `2^bits - 1` |
///
/// Unsigned leaves have 0 to `2^bits - 1` in both cases, a `bool` 0 and 1.
///
/// # Values that do not fit
///
/// | `O` | `set` | `try_set` |
/// |---|---|---|
/// | [`Refuse`] | panics, as an index out of range does, and writes nothing of this leaf | [`ValueError`](layout_core::ValueError) |
/// | [`Saturate`] | stores the nearest value that fits | the same |
/// | [`Wrap`] | stores the low `bits` bits: the value modulo `2^bits` | the same |
///
/// If [`Refuse`] refuses one of several lanes, the lanes before it may have been written.
///
/// # Threads
///
/// Neighbors share bytes. So slots that write stay on their thread, and views cannot be split for writing: code that
/// would write from two threads does not compile. Leaves are read and written by value, and give no references.
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedIntSoA, Bits};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Hit {
///     channel: u16,
///     charge: i32,
/// }
///
/// let mut hits = alloc::<Hit, BitPackedIntSoA<Bits<12>>, _>(1000)?;
/// hits.set(3, Hit { channel: 4095, charge: -2048 });
/// assert_eq!(hits.load(3), Hit { channel: 4095, charge: -2048 });
///
/// // 1500 bytes a leaf, instead of 2000 and 4000.
/// assert_eq!(hits.mapping().blob_size(0), 1000 * 12 / 8 + 15);
///
/// let error = hits.at_mut(3).channel.try_set(4096).unwrap_err();
/// assert_eq!(error.to_string(), "value 4096 does not fit leaf `channel`, which stores 0 to 4095");
/// # Ok::<(), ViewError>(())
/// ```
///
/// With a number of bits that is known at run time:
///
/// ```
/// use layout::bits::{BitPackedIntSoA, DynBits, KeepSign, Wrap};
/// use layout::prelude::*;
///
/// let bits = 7;
/// let layout = BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits(bits));
/// let mut view = View::zeroed(Mapped::<i8, _, _>::with(extents!(dyn 3), layout, RowMajor)?)?;
/// for (i, value) in [63, 64, -65].into_iter().enumerate() {
///     view.set(i, value);
/// }
/// assert_eq!(view.to_vec(), [63, -64, 63]);
///
/// let layout = BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits(9));
/// let error = Mapped::<i8, _, _>::with(extents!(dyn 3), layout, RowMajor).unwrap_err();
/// assert_eq!(error.to_string(), "leaf `i8` was to be stored in 9 bits; allowed are 2 to 8");
/// # Ok::<(), ViewError>(())
/// ```
pub type BitPackedIntSoA<B, S = KeepSign, O = Refuse> = BitPacked<Ints<B, S, O>, BlobPerLeaf>;

/// Integers and `bool` in `B` bits each, element by element in one blob.
///
/// ```text
/// value of leaf i at position r:   bits (r * leaves + i) * bits and so on
/// blob_size:                       ceil(n * leaves * bits / 8) + 15 bytes
/// ```
///
/// Everything else is the same as in [`BitPackedIntSoA`].
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedIntAoS, Bits, DropSign, Saturate};
/// use layout::prelude::*;
///
/// let mapping = Mapped::<[u8; 3], _, BitPackedIntAoS<Bits<5>, DropSign, Saturate>>::new(extents!(dyn 4))?;
/// let mut bytes = [0; 23];
/// let mut view = View::from_bytes(mapping, &mut bytes[..])?;
/// view.set(0, [1, 2, 255]);
/// assert_eq!(view.load(0), [1, 2, 31]);
/// assert_eq!(bytes[..2], [0b_010_00001, 0b_0_11111_00]); // 1, 2 and 31, the lowest bits first
/// # Ok::<(), ViewError>(())
/// ```
pub type BitPackedIntAoS<B, S = KeepSign, O = Refuse> = BitPacked<Ints<B, S, O>, Interleaved>;

/// Floats with fewer bits of exponent and mantissa, with a blob for each leaf.
///
/// A value has `1 + exponent + mantissa` bits. From the lowest bit, they are mantissa, exponent and sign, as in IEEE 754. Bits are placed
/// as in [`BitPackedIntSoA`]. `F` is [`FloatBits<E, M>`](FloatBits), or [`DynFloatBits`] for numbers known at run time. Leaves may be `f32`
/// and `f64`, and with feature `half` also `f16` and `bf16`. Neither exponent nor mantissa can have more bits than in the leaf.
///
/// | value | stored as |
/// |---|---|
/// | a number of the format | itself, subnormal numbers and both zeros too |
/// | another number | the nearest one; of two, that with an even last bit |
/// | one that rounds to more than the largest | infinity |
/// | infinity | infinity |
/// | NaN | NaN, with the upper bits of its payload; a quiet one if those are zero |
///
/// Reading is exact. No value is refused: `try_set` stores the same value as `set`.
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedFloatSoA, FloatBits};
/// use layout::prelude::*;
///
/// // Half precision: 16 bits each.
/// let mut view = alloc::<f32, BitPackedFloatSoA<FloatBits<5, 10>>, _>(4)?;
/// for (i, value) in [0.1, 1.0e-7, 65519.0, 65520.0].into_iter().enumerate() {
///     view.set(i, value);
/// }
/// assert_eq!(view.to_vec(), [0.099975586, 1.1920929e-7, 65504.0, f32::INFINITY]);
/// # Ok::<(), ViewError>(())
/// ```
pub type BitPackedFloatSoA<F> = BitPacked<Floats<F>, BlobPerLeaf>;

/// Floats with fewer bits of exponent and mantissa, element by element in one blob.
///
/// Values are stored as in [`BitPackedFloatSoA`], and placed as in [`BitPackedIntAoS`].
///
/// # Examples
///
/// ```
/// use layout::bits::{BitPackedFloatAoS, DynFloatBits};
/// use layout::prelude::*;
///
/// let layout = BitPackedFloatAoS::new(DynFloatBits { exponent: 6, mantissa: 9 });
/// let mut view = View::zeroed(Mapped::<[f64; 3], _, _>::with(extents!(dyn 100), layout, RowMajor)?)?;
/// view.set(7, [1.0, -0.5, 3.25]);
/// assert_eq!(view.load(7), [1.0, -0.5, 3.25]);
/// assert_eq!(view.mapping().blob_size(0), 100 * 3 * 2 + 15);
/// # Ok::<(), ViewError>(())
/// ```
pub type BitPackedFloatAoS<F> = BitPacked<Floats<F>, Interleaved>;

/// A bit-packed layout: `V` is the form of the values with their number of bits, and `A` their order.
///
/// Use it by the names [`BitPackedIntSoA`], [`BitPackedIntAoS`], [`BitPackedFloatSoA`] and [`BitPackedFloatAoS`].
pub struct BitPacked<V, A> {
    form: V,
    order: PhantomData<A>,
}

/// One blob, with the leaves of an element one after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interleaved;

/// The order of bit-packed values: [`BlobPerLeaf`] or [`Interleaved`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no order of bit-packed values",
    note = "use `BitPackedIntSoA`, `BitPackedIntAoS`, `BitPackedFloatSoA` or `BitPackedFloatAoS` of `layout::bits`"
)]
pub trait BitOrder: Sealed + Default {
    #[doc(hidden)]
    const SEPARATE: bool;
}

options!(BitOrder::SEPARATE: bool; BlobPerLeaf = true, Interleaved = false);

impl<B: BitWidth, S: SignBit, O: Overflow, A> BitPacked<Ints<B, S, O>, A> {
    /// Makes the layout with this number of bits for each value.
    #[must_use]
    pub const fn new(bits: B) -> Self {
        Self { form: Ints::new(bits), order: PhantomData }
    }
}

impl<F: FloatWidth, A> BitPacked<Floats<F>, A> {
    /// Makes the layout with these numbers of bits for each value.
    #[must_use]
    pub const fn new(bits: F) -> Self {
        Self { form: Floats::new(bits), order: PhantomData }
    }
}

of_parts!([V, A] BitPacked<V, A> { form: V; order });

impl<V: fmt::Debug, A: fmt::Debug + Default> fmt::Debug for BitPacked<V, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BitPacked<{:?}, {:?}>", self.form, A::default())
    }
}
