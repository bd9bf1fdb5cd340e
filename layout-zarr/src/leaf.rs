//! The leaves of records: their names and types in a checkpoint, and the Zarr data types that hold them.

use layout_core::{LeafKind, LeafNode, LeafTable, Node, Record};
use layout_interop::integers::integer_kind;
use serde::{Deserialize, Serialize};

use crate::manifest::METADATA;
use crate::view::MARK;

/// A leaf of a record, as a checkpoint names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Leaf {
    /// `pos.x`, `flags[2]`; empty if the record is that leaf.
    pub(crate) name: String,
    /// The Rust type, without modules: `f32`, `Option<NonZero<u8>>`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The Zarr data type of the array; `16 x uint8` of an array with one more dimension, that of the bytes of the leaf.
    pub(crate) data_type: String,
}

impl Leaf {
    /// All leaves of a record, in declaration order.
    pub(crate) fn all<R: Record>() -> Vec<Self> {
        let table = LeafTable::of::<R>();
        let leaf = |number| Self::of(name::<R>(number), &table.leaf(number));
        (0..table.count()).map(leaf).collect()
    }

    fn of(name: String, leaf: &LeafNode) -> Self {
        Self { name, kind: short(leaf.type_name()), data_type: data_type(leaf) }
    }

    /// The Zarr data type, and the extent of the dimension of bytes, if the array has one.
    pub(crate) fn array_type(&self) -> (&str, Option<u64>) {
        match self.data_type.split_once(BYTES) {
            Some((count, _)) => ("uint8", count.parse().ok()),
            None => (&self.data_type, None),
        }
    }

    /// The name of the array of the leaf. No two leaves of a record have the same one.
    pub(crate) fn array(&self) -> String {
        let name = self.name.replace('[', ".").replace(']', "");
        match name.strip_prefix('.').unwrap_or(&name) {
            "" => "value".to_owned(),
            // Zarr keeps `__` for itself; the others are those of files beside the arrays. A name with `-` gets one more.
            name if name.starts_with("__") || name.starts_with('-') || [METADATA, MARK].contains(&name) => {
                format!("-{name}")
            }
            name => name.to_owned(),
        }
    }
}

fn name<R: Record>(leaf: usize) -> String {
    match R::TREE {
        Node::Leaf(_) => String::new(),
        tree => tree.leaf_name(leaf).to_string(),
    }
}

/// The name of a type without the modules that lead there.
fn short(name: &str) -> String {
    let mut short = String::new();
    // Of each name in the path, its first letter in `short`.
    let mut start = 0;
    for letter in name.chars() {
        match letter {
            ':' => short.truncate(start),
            _ => {
                short.push(letter);
                if !(letter.is_alphanumeric() || letter == '_') {
                    start = short.len();
                }
            }
        }
    }
    short
}

/// After the number of bytes of a leaf.
const BYTES: &str = " x uint8";

/// Types that not every reader of Zarr has are the bytes that they have in memory.
fn data_type(leaf: &LeafNode) -> String {
    use LeafKind as K;
    let bits = 8 * leaf.size();
    match integer_kind(leaf) {
        K::U8 | K::U16 | K::U32 | K::U64 | K::Usize | K::Char => format!("uint{bits}"),
        K::I8 | K::I16 | K::I32 | K::I64 | K::Isize => format!("int{bits}"),
        K::F16 | K::F32 | K::F64 => format!("float{bits}"),
        K::Bf16 => "uint16".to_owned(),
        K::Bool => "bool".to_owned(),
        _ => format!("{}{BYTES}", leaf.size()),
    }
}

/// A record in the text of an error.
pub(crate) fn shown(leaves: &[Leaf]) -> String {
    const MOST: usize = 16;
    match leaves {
        [leaf] if leaf.name.is_empty() => leaf.kind.clone(),
        _ => {
            let each = leaves.iter().take(MOST).map(|leaf| format!("{}: {}", leaf.name, leaf.kind));
            let more = if leaves.len() > MOST { format!(", .. {} leaves", leaves.len()) } else { String::new() };
            format!("{{{}{more}}}", each.collect::<Vec<_>>().join(", "))
        }
    }
}

/// The first difference between the leaves of a checkpoint and those of the program, in whatever order they are.
pub(crate) fn difference(found: &[Leaf], expected: &[Leaf]) -> Option<String> {
    let named = |leaves: &[Leaf], name: &str| leaves.iter().find(|leaf| leaf.name == name).cloned();
    for leaf in expected {
        match named(found, &leaf.name) {
            None => return Some(format!("the checkpoint has no leaf `{}`", leaf.name)),
            Some(other) if other != *leaf => {
                let shown = |leaf: &Leaf| format!("`{}` ({})", leaf.kind, leaf.data_type);
                return Some(format!("leaf `{}` is {}, and {} is needed", leaf.name, shown(&other), shown(leaf)));
            }
            Some(_) => {}
        }
    }
    let more = found.iter().find(|leaf| named(expected, &leaf.name).is_none());
    match more {
        Some(more) => Some(format!("the checkpoint has a leaf `{}`", more.name)),
        None if found.len() != expected.len() => Some("the checkpoint has a leaf twice".to_owned()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use core::num::{NonZeroI8, NonZeroI128, NonZeroU32};

    use super::*;

    #[test]
    fn types_are_named_without_modules() {
        assert_eq!(short("core::option::Option<core::num::nonzero::NonZero<u32>>"), "Option<NonZero<u32>>");
        assert_eq!(short("(a::B, [c::d::E; 3])"), "(B, [E; 3])");
        let texts = |leaves: Vec<Leaf>| leaves.into_iter().map(|leaf| (leaf.name.clone(), leaf.kind, leaf.data_type));
        let own = |name: &str, kind: &str, data: &str| (name.to_owned(), kind.to_owned(), data.to_owned());
        assert!(texts(Leaf::all::<f64>()).eq([own("", "f64", "float64")]));
        assert!(texts(Leaf::all::<[bool; 2]>()).eq([own("[0]", "bool", "bool"), own("[1]", "bool", "bool")]));
        assert!(texts(Leaf::all::<NonZeroU32>()).eq([own("", "NonZero<u32>", "uint32")]));
        assert!(texts(Leaf::all::<Option<NonZeroI8>>()).eq([own("", "Option<NonZero<i8>>", "int8")]));
        assert!(texts(Leaf::all::<NonZeroI128>()).eq([own("", "NonZero<i128>", "16 x uint8")]));
        assert!(texts(Leaf::all::<u128>()).eq([own("", "u128", "16 x uint8")]));
    }

    #[test]
    fn arrays_have_names_that_zarr_allows() {
        let array = |name: &str| Leaf { name: name.into(), kind: String::new(), data_type: String::new() }.array();
        let names = ["", "[2]", "pos.x", "flags[2]", "a[1].b[0]", "__x", "-__x", "-", MARK].map(array);
        let arrays = ["value", "2", "pos.x", "flags.2", "a.1.b.0", "-__x", "--__x", "--", "-layout-zarr.partial"];
        assert_eq!(names, arrays);
    }
}
