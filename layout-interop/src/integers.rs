//! The integers that other libraries have in place of `NonZero` integers.

use core::any::TypeId;
use core::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, NonZeroUsize,
};

use layout_core::{LeafKind, LeafNode};

/// The type of a leaf.
type Id = fn() -> TypeId;

/// `NonZero` integers, `Option`s of them, and the integers that have their bytes.
const NON_ZERO: [(Id, Id, LeafKind); 12] = {
    macro_rules! rows {
        ($($leaf:ty = $kind:ident),+) => {
            [$((TypeId::of::<$leaf>, TypeId::of::<Option<$leaf>>, LeafKind::$kind)),+]
        };
    }
    rows!(
        NonZeroU8 = U8,
        NonZeroU16 = U16,
        NonZeroU32 = U32,
        NonZeroU64 = U64,
        NonZeroU128 = U128,
        NonZeroUsize = Usize,
        NonZeroI8 = I8,
        NonZeroI16 = I16,
        NonZeroI32 = I32,
        NonZeroI64 = I64,
        NonZeroI128 = I128,
        NonZeroIsize = Isize
    )
};

/// The kind of a leaf; of `NonZero` integers and `Option`s of them, the kind of the integer with their bytes.
#[must_use]
pub fn integer_kind(leaf: &LeafNode) -> LeafKind {
    let id = leaf.type_id();
    let integer = NON_ZERO.iter().find(|(plain, optional, _)| plain() == id || optional() == id);
    integer.map_or(leaf.kind(), |(_, _, kind)| *kind)
}

/// Returns `true` for `Option`s of `NonZero` integers, whose `None` has the bytes of zero.
#[cfg(feature = "arrow")]
pub(crate) fn is_optional(leaf: &LeafNode) -> bool {
    let id = leaf.type_id();
    leaf.kind() == LeafKind::Other && NON_ZERO.iter().any(|(_, optional, _)| optional() == id)
}
