//! Leaves: the types of single values in memory.

use core::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, NonZeroUsize,
};

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::path::Path;
use crate::record::{Record, Scalar, ScalarMut};
use crate::slot::Slot;

/// Plain data that fills one place of a record tree.
///
/// All integers and floats, `bool`, `char`, the `NonZero` integers and options of them are leaves; with
/// feature `half` also `f16` and `bf16`. A type of your own becomes one by
/// `#[derive(Record)] #[record(leaf)]`, if `bytemuck` knows it as [`NoUninit`] and [`CheckedBitPattern`].
///
/// # Safety
///
/// Implementors must ensure that `Record::TREE` is [`Node::leaf::<Self>()`](crate::Node::leaf), and that
/// [`ANY_BITS`](Self::ANY_BITS) is true only if every bit pattern is a value of the type.
///
/// # Examples
///
/// ```
/// use layout_core::Leaf;
///
/// assert!(f32::ANY_BITS);
/// assert!(!bool::ANY_BITS); // 2 is no `bool`
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no leaf",
    note = "a leaf is one value of plain data: an integer, a float, `bool`, `char`, `NonZero`, or a type with `#[derive(Record)] #[record(leaf)]`"
)]
pub unsafe trait Leaf: Record + NoUninit + CheckedBitPattern + Send + Sync {
    /// Whether every bit pattern is a value of this type, so that bytes from outside need no check.
    const ANY_BITS: bool = false;
}

/// Whether the bytes at `bytes` are a value of `T`.
///
/// # Safety
///
/// `bytes` points to `size_of::<T>()` initialized, readable bytes, at any alignment.
pub(crate) unsafe fn is_valid<T: Leaf>(bytes: *const u8) -> bool {
    // SAFETY: the caller vouches for the bytes, and `T::Bits` has the size of `T` and is valid for any
    // bit pattern (contract of `CheckedBitPattern`).
    let bits = unsafe { bytes.cast::<T::Bits>().read_unaligned() };
    T::is_valid_bit_pattern(&bits)
}

macro_rules! leaves {
    ($any_bits:literal: $($leaf:ty),+ $(,)?) => {$(
        // SAFETY: the tree is one leaf of the type itself, and `bind` hands the access to its slot only.
        unsafe impl Record for $leaf {
            const TREE: &'static crate::tree::Node = &crate::tree::Node::leaf::<Self>();
            type Slots<A: Copy, P: Path<Type = Self>> = Slot<A, P>;

            #[inline(always)]
            fn bind<A: Copy, P: Path<Type = Self>>(access: A) -> Slot<A, P> {
                Slot::new(access)
            }

            #[inline(always)]
            fn load<A: Scalar, P: Path<Root = A::Record, Type = Self>>(slots: &Slot<A, P>) -> Self {
                A::value(slots.get())
            }

            #[inline(always)]
            fn store<A: ScalarMut, P: Path<Root = A::Record, Type = Self>>(self, slots: &mut Slot<A, P>) {
                slots.set(A::wrap(self));
            }
        }

        // SAFETY: the tree is that leaf; the list below says which types have no invalid bit pattern.
        unsafe impl Leaf for $leaf {
            const ANY_BITS: bool = $any_bits;
        }
    )+};
}

leaves!(true: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);
leaves!(false: bool, char);
leaves!(false: NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize);
leaves!(false: NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize);
leaves!(true: Option<NonZeroU8>, Option<NonZeroU16>, Option<NonZeroU32>, Option<NonZeroU64>);
leaves!(true: Option<NonZeroU128>, Option<NonZeroUsize>, Option<NonZeroI8>, Option<NonZeroI16>);
leaves!(true: Option<NonZeroI32>, Option<NonZeroI64>, Option<NonZeroI128>, Option<NonZeroIsize>);
#[cfg(feature = "half")]
leaves!(true: half::f16, half::bf16);
