//! The structs of DLPack 1, as C has them.

use core::ffi::c_void;

use layout_core::{LeafKind, LeafTable, Record};

/// The version that is written; tensors of each version with the same first number are read.
pub(super) const VERSION: Version = Version { major: 1, minor: 0 };
/// Main memory.
pub(super) const CPU: i32 = 1;
/// The flag of a tensor that must not be written.
pub(super) const READ_ONLY: u64 = 1;

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Device {
    pub(super) kind: i32,
    pub(super) number: i32,
}

/// The type of an element.
#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct DataType {
    pub(super) code: u8,
    pub(super) bits: u8,
    pub(super) lanes: u16,
}

#[repr(C)]
pub(super) struct TensorFields {
    pub(super) data: *mut c_void,
    pub(super) device: Device,
    pub(super) rank: i32,
    pub(super) data_type: DataType,
    pub(super) shape: *mut i64,
    /// In elements; null for row-major order.
    pub(super) strides: *mut i64,
    pub(super) byte_offset: u64,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub(super) struct Managed {
    pub(super) version: Version,
    pub(super) context: *mut c_void,
    pub(super) deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    pub(super) flags: u64,
    pub(super) tensor: TensorFields,
}

impl DataType {
    /// The type of a record that is one leaf; `None` if DLPack has none.
    pub(super) fn of<T: Record>() -> Option<Self> {
        use LeafKind as K;
        let leaf = LeafTable::of::<T>().leaf(0);
        let code = match leaf.kind() {
            K::I8 | K::I16 | K::I32 | K::I64 | K::Isize => 0,
            K::U8 | K::U16 | K::U32 | K::U64 | K::Usize => 1,
            K::F16 | K::F32 | K::F64 => 2,
            K::Bf16 => 4,
            K::Bool => 6,
            _ => return None,
        };
        Some(Self { code, bits: u8::try_from(8 * leaf.size()).ok()?, lanes: 1 })
    }

    /// The type in the text of an error.
    pub(super) fn shown(self) -> String {
        let name = match self.code {
            0 => "int",
            1 => "uint",
            2 => "float",
            4 => "bfloat",
            5 => "complex",
            6 => "bool",
            code => return format!("type {code} of {} bits", self.bits),
        };
        let lanes = if self.lanes == 1 { String::new() } else { format!(" x {}", self.lanes) };
        format!("{name}{}{lanes}", self.bits)
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use core::mem::offset_of;

    use super::*;

    /// The numbers of a C compiler, for `dlpack.h` on 64-bit machines.
    #[test]
    fn structs_are_those_of_c() {
        assert_eq!((size_of::<TensorFields>(), size_of::<Managed>()), (48, 80));
        assert_eq!((offset_of!(Managed, context), offset_of!(Managed, deleter)), (8, 16));
        assert_eq!((offset_of!(Managed, flags), offset_of!(Managed, tensor)), (24, 32));
        assert_eq!((offset_of!(TensorFields, device), offset_of!(TensorFields, rank)), (8, 16));
        assert_eq!((offset_of!(TensorFields, data_type), offset_of!(TensorFields, shape)), (20, 24));
        assert_eq!((offset_of!(TensorFields, strides), offset_of!(TensorFields, byte_offset)), (32, 40));
    }
}
