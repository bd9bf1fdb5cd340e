//! The Arrow type of each leaf.

use core::any::TypeId;
use core::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, NonZeroUsize,
};

use arrow_schema::DataType;
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

/// The Arrow type of a leaf. The values have the bytes of the leaf, except those of `Boolean`, which are bits.
pub(super) fn data_type(leaf: &LeafNode) -> DataType {
    let id = leaf.type_id();
    let integer = NON_ZERO.iter().find(|(plain, optional, _)| plain() == id || optional() == id);
    match integer.map_or(leaf.kind(), |(_, _, kind)| *kind) {
        LeafKind::U8 => DataType::UInt8,
        LeafKind::U16 => DataType::UInt16,
        LeafKind::U32 | LeafKind::Char => DataType::UInt32,
        LeafKind::U64 => DataType::UInt64,
        LeafKind::I8 => DataType::Int8,
        LeafKind::I16 => DataType::Int16,
        LeafKind::I32 => DataType::Int32,
        LeafKind::I64 => DataType::Int64,
        LeafKind::F16 => DataType::Float16,
        LeafKind::F32 => DataType::Float32,
        LeafKind::F64 => DataType::Float64,
        LeafKind::Bool => DataType::Boolean,
        LeafKind::Usize if leaf.size() == 8 => DataType::UInt64,
        LeafKind::Isize if leaf.size() == 8 => DataType::Int64,
        LeafKind::Usize if leaf.size() == 4 => DataType::UInt32,
        LeafKind::Isize if leaf.size() == 4 => DataType::Int32,
        // Arrow counts these bytes by `i32`; a batch with a larger leaf is refused.
        _ if leaf.size() > 0 => DataType::FixedSizeBinary(i32::try_from(leaf.size()).unwrap_or(i32::MAX)),
        _ => DataType::Null,
    }
}

/// Returns `true` for `Option`s of `NonZero`: zero is their `None`, and a null of Arrow.
pub(super) fn is_optional(leaf: &LeafNode) -> bool {
    let id = leaf.type_id();
    leaf.kind() == LeafKind::Other && NON_ZERO.iter().any(|(_, optional, _)| optional() == id)
}
