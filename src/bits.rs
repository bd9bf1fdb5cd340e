//! Bit-packed layouts: integers and floats of any number of bits.
//!
//! The guide's chapter "Bit packing" compares them.
//!
//! * Integers: [`BitPackedIntSoA`], [`BitPackedIntAoS`]. The [`BitWidth`] is [`Bits`] or [`DynBits`], the [`SignBit`] is [`KeepSign`] or
//!   [`DropSign`], and the policy for [`Overflow`] is [`Refuse`], [`Saturate`] or [`Wrap`].
//! * Floats: [`BitPackedFloatSoA`], [`BitPackedFloatAoS`]. The [`FloatWidth`] is [`FloatBits`] or [`DynFloatBits`].
//! * All four are names of [`BitPacked`], whose values are [`Ints`] or [`Floats`]. The [`BitOrder`] is
//!   [`BlobPerLeaf`](crate::options::BlobPerLeaf) or [`Interleaved`].
//!
//! # Examples
//!
//! ```
//! use layout::bits::{BitPackedIntSoA, Bits};
//! use layout::{Mapped, Mapping, SoA, extents};
//!
//! let whole = Mapped::<u16, _, SoA>::new(extents!(dyn 6400))?;
//! let packed = Mapped::<u16, _, BitPackedIntSoA<Bits<12>>>::new(extents!(dyn 6400))?;
//! assert!(packed.blob_size(0) < whole.blob_size(0) * 4 / 5);
//! # Ok::<(), layout::error::ExtentsError>(())
//! ```

#[doc(inline)]
pub use layout_mappings::{
    BitOrder, BitPacked, BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, BitWidth, Bits,
    DropSign, DynBits, DynFloatBits, FloatBits, FloatWidth, Floats, Interleaved, Ints, KeepSign, Overflow, Refuse,
    Saturate, SignBit, Wrap,
};
