//! The Arrow type of each leaf.

use arrow_schema::DataType;
use layout_core::{LeafKind, LeafNode};

use crate::integers::integer_kind;

/// The Arrow type of a leaf. The values have the bytes of the leaf, except those of `Boolean`, which are bits.
pub(super) fn data_type(leaf: &LeafNode) -> DataType {
    match integer_kind(leaf) {
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
