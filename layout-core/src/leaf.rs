//! Leaves: the types of single values in memory.

use core::marker::PhantomData;
use core::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, NonZeroUsize,
};

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::columns::leaf_columns;
use crate::path::Path;
use crate::record::{AccessMut, Record, Scalar};
use crate::slot::Slot;

/// A type of plain data that can be a leaf of a record tree.
///
/// All integers and floats, `bool`, `char`, the `NonZero` integers and `Option`s of them are leaves; with feature
/// `half` also `f16` and `bf16`. A type of your own becomes a leaf by `#[derive(Record)] #[record(leaf)]`, if it
/// implements bytemuck's [`NoUninit`] and [`CheckedBitPattern`]. A field of any type that is [`Pod`](bytemuck::Pod) is a
/// leaf by `#[record(leaf)]` on the field; see [`PodLeaf`](crate::PodLeaf).
///
/// # Safety
///
/// Implementors must ensure that `Record::TREE` is [`Node::leaf::<Self>()`](crate::Node::leaf), that
/// [`ANY_BITS`](Self::ANY_BITS) is true only if every bit pattern is a value of the type, and that
/// [`KIND`](Self::KIND) names the type itself or is [`Other`](LeafKind::Other).
///
/// # Examples
///
/// ```
/// use layout::Leaf;
///
/// assert!(f32::ANY_BITS);
/// assert!(!bool::ANY_BITS); // 2 is no `bool`
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no leaf",
    note = "a leaf is one value of plain data: an integer, a float, `bool`, `char`, `NonZero`, or a type with `#[derive(Record)] #[record(leaf)]`",
    note = "records of several leaves: `view.at(index).field.get()` reads one leaf, `view.load(index)` copies them all, and `view.at_mut(index).field.set(value)` writes one"
)]
#[rustfmt::skip] // The compiler shows the next line to those who forget the derives.
pub unsafe trait Leaf: Record + CheckedData { // on your own type: #[derive(bytemuck::NoUninit, bytemuck::CheckedBitPattern)]
    /// `true` if every bit pattern is a value of this type; bytes from outside then need no check.
    const ANY_BITS: bool = false;
    /// The standard type that this type is, for layouts that store numbers in another form.
    const KIND: LeafKind = LeafKind::Other;
}

/// A type whose bytes are initialized, and of which bytes can be checked to be a value: bytemuck's [`NoUninit`] and
/// [`CheckedBitPattern`]. A type with `#[record(leaf)]` must be one.
///
/// # Examples
///
/// ```
/// fn is_value<T: layout::record::CheckedData>(bytes: &[u8]) -> bool {
///     bytemuck::checked::try_from_bytes::<T>(bytes).is_ok()
/// }
/// assert!(is_value::<bool>(&[1]) && !is_value::<bool>(&[2]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a leaf: its bytes are not known to be plain data",
    label = "this type does not implement bytemuck's `NoUninit` and `CheckedBitPattern`",
    note = "add the crate `bytemuck` with its feature `derive`, and write `#[derive(bytemuck::NoUninit, bytemuck::CheckedBitPattern)]` beside `Record`, with `#[repr(C)]`, `#[repr(transparent)]` or `#[repr(u8)]`; if all bytes are values, `#[derive(bytemuck::Pod, bytemuck::Zeroable)]`"
)]
pub trait CheckedData: NoUninit + CheckedBitPattern + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<T: NoUninit + CheckedBitPattern + Send + Sync> CheckedData for T {}

/// The standard type that a leaf is, for comparison in constants.
///
/// # Examples
///
/// ```
/// use layout::Leaf;
/// use layout::record::LeafKind;
///
/// assert_eq!(u16::KIND, LeafKind::U16);
/// assert!(i8::KIND.is_integer() && i8::KIND.is_signed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is named as its type")]
pub enum LeafKind {
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    F16,
    Bf16,
    F32,
    F64,
    Bool,
    Char,
    /// Any other type.
    Other,
}

impl LeafKind {
    /// Returns `true` for integer types, signed or not.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::U128 | Self::Usize) || self.is_signed()
    }

    /// Returns `true` for signed integer types.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::I128 | Self::Isize)
    }

    /// Returns `true` if both are the same standard type; [`Other`](Self::Other) equals nothing, not even itself.
    #[must_use]
    pub const fn is(self, other: Self) -> bool {
        self as u8 == other as u8 && !matches!(self, Self::Other)
    }
}

/// Returns `true` if the bytes at `bytes` are a value of `T`.
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

/// Converts bytes into a value, for layouts that compute leaves. Returns `None` if the number of bytes is wrong, or if
/// they are not a value of `T`.
///
/// # Examples
///
/// ```
/// assert_eq!(layout::author::leaf_from_bytes::<u8>(&[7]), Some(7));
/// assert_eq!(layout::author::leaf_from_bytes::<bool>(&[7]), None);
/// ```
#[inline(always)]
#[must_use]
pub fn leaf_from_bytes<T: Leaf>(bytes: &[u8]) -> Option<T> {
    bytemuck::checked::try_pod_read_unaligned(bytes).ok()
}

/// The bytes of a value, for layouts that compute leaves.
///
/// # Examples
///
/// ```
/// assert_eq!(layout::author::leaf_bytes(&7_u8), [7]);
/// ```
#[inline(always)]
#[must_use]
pub fn leaf_bytes<T: Leaf>(value: &T) -> &[u8] {
    bytemuck::bytes_of(value)
}

macro_rules! leaves {
    ($any_bits:literal: $($leaf:ty $(= $kind:ident)?),+ $(,)?) => {$(
        // SAFETY: the tree is one leaf of the type itself, and `bind` hands the access to its slot only.
        unsafe impl Record for $leaf {
            const TREE: &'static crate::tree::Node = &crate::tree::Node::leaf::<Self>();
            type Origin = Self;
            type Slots<A: Copy, P: Path<Type = Self>> = Slot<A, P>;

            #[inline(always)]
            fn bind<A: Copy, P: Path<Type = Self>>(access: A) -> Slot<A, P> {
                Slot { access, path: PhantomData }
            }

            #[inline(always)]
            fn load<A: Scalar, P: Path<Root = A::Record, Type = Self>>(slots: &Slot<A, P>) -> Self {
                A::value(slots.get())
            }

            #[inline(always)]
            fn store<A: Scalar + AccessMut, P: Path<Root = A::Record, Type = Self>>(self, slots: &mut Slot<A, P>) {
                slots.set(A::wrap(self));
            }
        }

        // SAFETY: the tree is that leaf; the list below says which types have no invalid bit pattern.
        unsafe impl Leaf for $leaf {
            const ANY_BITS: bool = $any_bits;
            $(const KIND: LeafKind = LeafKind::$kind;)?
        }

        leaf_columns!($leaf);
    )+};
}

leaves!(true: u8 = U8, u16 = U16, u32 = U32, u64 = U64, u128 = U128, usize = Usize);
leaves!(true: i8 = I8, i16 = I16, i32 = I32, i64 = I64, i128 = I128, isize = Isize, f32 = F32, f64 = F64);
leaves!(false: bool = Bool, char = Char);
leaves!(false: NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize);
leaves!(false: NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize);
leaves!(true: Option<NonZeroU8>, Option<NonZeroU16>, Option<NonZeroU32>, Option<NonZeroU64>);
leaves!(true: Option<NonZeroU128>, Option<NonZeroUsize>, Option<NonZeroI8>, Option<NonZeroI16>);
leaves!(true: Option<NonZeroI32>, Option<NonZeroI64>, Option<NonZeroI128>, Option<NonZeroIsize>);
#[cfg(feature = "half")]
leaves!(true: half::f16 = F16, half::bf16 = Bf16);
