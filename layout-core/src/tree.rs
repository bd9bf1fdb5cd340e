//! The record tree: the structure of a record, known at compile time.
//!
//! `#[derive(Record)]` writes a record as a constant [`Node`]. A mapping places the leaves of that tree, which are
//! numbered in declaration order. A [`LeafTable`] lists the leaves flat, so a mapping's offsets are constant
//! expressions over plain arrays.

use core::any::TypeId;
use core::fmt;

use crate::leaf::{Leaf, LeafKind};
use crate::leaf_table::LeafTable;

/// The most leaves a record may have.
pub const MAX_LEAVES: usize = 4096;

/// A node of a record tree.
///
/// # Examples
///
/// ```
/// use layout::Record;
/// use layout::record::Node;
///
/// let Node::Array { len, .. } = <[f32; 4]>::TREE else { panic!("an array") };
/// assert_eq!(*len, 4);
/// assert_eq!(<[f32; 4]>::TREE.leaves(), 4);
/// ```
#[derive(Debug)]
pub enum Node {
    /// A leaf: one value.
    Leaf(LeafNode),
    /// A struct: its fields, in declaration order.
    Branch {
        /// The fields, in declaration order.
        fields: &'static [FieldNode],
        /// Leaves below this node.
        leaves: usize,
        /// Size in bytes of the struct as the compiler lays it out.
        size: usize,
    },
    /// An array of `len` equal sub-trees.
    Array {
        /// The tree of one element.
        element: &'static Node,
        /// The number of elements.
        len: usize,
    },
    /// Leaves that a layout stores in place of a record's own, and the tree of that record; see [`Stored`](crate::Stored).
    List(&'static LeafTable, &'static Node),
}

/// A leaf of a record tree: one value of plain data.
///
/// # Examples
///
/// ```
/// use layout::Record;
/// use layout::record::Node;
///
/// let Node::Leaf(leaf) = u16::TREE else { panic!("a leaf") };
/// assert_eq!((leaf.size(), leaf.align(), leaf.type_name()), (2, 2, "u16"));
/// ```
#[derive(Clone, Copy)]
pub struct LeafNode(&'static LeafType);

/// The properties of a leaf's type. A program has one for each type, however many leaves have that type.
struct LeafType {
    size: usize,
    align: usize,
    any_bits: bool,
    kind: LeafKind,
    is_valid: unsafe fn(*const u8) -> bool,
    type_name: fn() -> &'static str,
    type_id: fn() -> TypeId,
}

/// A field of a [`Node::Branch`].
///
/// # Examples
///
/// ```
/// use layout::Record;
/// use layout::record::Node;
///
/// #[derive(Clone, Copy, Record)]
/// struct Pair(f32, u8);
///
/// let Node::Branch { fields, size, .. } = Pair::TREE else { panic!("a struct") };
/// assert_eq!((fields[1].name(), fields[1].node().leaves(), *size), ("1", 1, 8));
/// ```
#[derive(Debug)]
pub struct FieldNode {
    name: &'static str,
    offset: usize,
    node: &'static Node,
}

impl FieldNode {
    /// Describes a field by its name, its byte offset in the struct, and its tree.
    pub(crate) const fn new(name: &'static str, offset: usize, node: &'static Node) -> Self {
        Self { name, offset, node }
    }

    /// The field's name; a tuple field's name is its number.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns `true` if the field has this name; `==` of strings is not allowed in constants.
    pub(crate) const fn has_name(&self, name: &str) -> bool {
        let (own, name) = (self.name.as_bytes(), name.as_bytes());
        let mut i = 0;
        while i < own.len() && i < name.len() && own[i] == name[i] {
            i += 1;
        }
        i == own.len() && i == name.len()
    }

    /// The field's offset in bytes.
    pub(crate) const fn offset(&self) -> usize {
        self.offset
    }

    /// The field's tree.
    #[must_use]
    pub const fn node(&self) -> &'static Node {
        self.node
    }
}

impl LeafNode {
    /// Describes a leaf of type `T`.
    #[must_use]
    pub const fn of<T: Leaf>() -> Self {
        Self(
            const {
                &LeafType {
                    size: size_of::<T>(),
                    align: align_of::<T>(),
                    any_bits: T::ANY_BITS,
                    kind: T::KIND,
                    is_valid: crate::leaf::is_valid::<T>,
                    type_name: core::any::type_name::<T>,
                    type_id: TypeId::of::<T>,
                }
            },
        )
    }

    /// The standard type that the leaf is, as a [`LeafKind`].
    #[inline(always)]
    #[must_use]
    pub const fn kind(&self) -> LeafKind {
        self.0.kind
    }

    /// Size in bytes.
    #[inline(always)]
    #[must_use]
    pub const fn size(&self) -> usize {
        self.0.size
    }

    /// Alignment in bytes.
    #[inline(always)]
    #[must_use]
    pub const fn align(&self) -> usize {
        self.0.align
    }

    /// Returns `true` if every bit pattern is a value of the leaf's type.
    #[inline(always)]
    #[must_use]
    pub const fn any_bits(&self) -> bool {
        self.0.any_bits
    }

    /// Returns `true` if bytes of zero are known to be a value of the leaf's type.
    #[cfg(feature = "alloc")]
    pub(crate) const fn is_zeroable(&self) -> bool {
        self.0.any_bits || self.0.kind.is(LeafKind::Bool) || self.0.kind.is(LeafKind::Char)
    }

    /// The name of the leaf's type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        (self.0.type_name)()
    }

    /// The `TypeId` of the leaf's type.
    #[must_use]
    pub fn type_id(&self) -> TypeId {
        (self.0.type_id)()
    }

    /// Returns `true` if both leaves have the same type.
    #[inline]
    pub(crate) fn is_same_type(&self, other: &Self) -> bool {
        // Equal function addresses mean equal types, without a call.
        core::ptr::fn_addr_eq(self.0.type_id, other.0.type_id) || self.type_id() == other.type_id()
    }

    /// Returns `true` if the slice is long enough and its first bytes are a value of the leaf's type.
    #[must_use]
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        // SAFETY: there are as many bytes as the leaf has.
        bytes.len() >= self.0.size && unsafe { self.is_valid(bytes.as_ptr()) }
    }

    /// Returns `true` if the bytes at `bytes` are a value of the leaf's type.
    ///
    /// # Safety
    ///
    /// `bytes` points to [`size`](Self::size) initialized, readable bytes, at any alignment.
    #[must_use]
    pub unsafe fn is_valid(&self, bytes: *const u8) -> bool {
        // SAFETY: the caller vouches for `size` readable bytes, which is all `is_valid` asks for.
        self.0.any_bits || unsafe { (self.0.is_valid)(bytes) }
    }
}

impl fmt::Debug for LeafNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeafNode")
            .field("type", &self.type_name())
            .field("size", &self.0.size)
            .field("align", &self.0.align)
            .finish()
    }
}

impl Node {
    /// The tree of a record that is one leaf of type `T`.
    #[must_use]
    pub const fn leaf<T: Leaf>() -> Self {
        Self::Leaf(LeafNode::of::<T>())
    }

    /// The tree of the struct `R` with these fields.
    #[must_use]
    pub const fn branch<R>(fields: &'static [FieldNode]) -> Self {
        let mut leaves = 0;
        let mut i = 0;
        while i < fields.len() {
            leaves = sum(leaves, fields[i].node.leaves());
            i += 1;
        }
        Self::Branch { fields, leaves, size: size_of::<R>() }
    }

    /// The tree of an array of `len` elements.
    #[must_use]
    pub const fn array(element: &'static Node, len: usize) -> Self {
        Self::Array { element, len }
    }

    /// The number of leaves below this node.
    #[must_use]
    pub const fn leaves(&self) -> usize {
        match self {
            Self::Leaf(_) => 1,
            Self::Branch { leaves, .. } => *leaves,
            Self::Array { element, len } => match element.leaves().checked_mul(*len) {
                Some(leaves) => leaves,
                None => panic!("a record has at most 4096 leaves: make a large array a leaf of its own"),
            },
            Self::List(table, _) => table.count(),
        }
    }

    /// The number of fields of a struct, or of elements of an array.
    #[must_use]
    pub const fn children(&self) -> usize {
        match self {
            Self::Branch { fields, .. } => fields.len(),
            Self::Array { len, .. } => *len,
            Self::Leaf(_) | Self::List(..) => 0,
        }
    }

    /// The number of the first leaf of child `child`, counted from this node's own first leaf.
    ///
    /// # Panics
    ///
    /// Panics if there is no such child; in a constant this is a compile error.
    #[must_use]
    pub const fn first_leaf(&self, child: usize) -> usize {
        match self {
            Self::Leaf(_) => panic!("a leaf has no fields"),
            Self::Branch { fields, .. } => {
                assert!(child < fields.len(), "no such field");
                let mut leaf = 0;
                let mut i = 0;
                while i < child {
                    leaf += fields[i].node.leaves();
                    i += 1;
                }
                leaf
            }
            Self::Array { element, len } => {
                assert!(child < *len, "array index out of range: the index is not below the array's length");
                element.leaves() * child
            }
            Self::List(..) => panic!("a list of leaves has no fields"),
        }
    }

    /// Size in bytes as the compiler lays the type out.
    pub(crate) const fn native_size(&self) -> usize {
        match self {
            Self::Leaf(leaf) => leaf.size(),
            Self::Branch { size, .. } => *size,
            Self::Array { element, len } => element.native_size() * *len,
            Self::List(..) => 0,
        }
    }

    /// The name of leaf number `leaf`: `pos.x`, `flags[2]`. A number that is out of range has the name `?`. For a stored leaf it is
    /// the name of the record's leaf that it stands for.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::Record;
    ///
    /// assert_eq!(<[[f32; 3]; 2]>::TREE.leaf_name(4).to_string(), "[1][1]");
    /// ```
    #[must_use]
    pub fn leaf_name(&'static self, leaf: usize) -> LeafName {
        match self {
            Self::List(table, tree) if leaf < table.count() => LeafName { tree, leaf: table.origin(leaf) },
            _ => LeafName { tree: self, leaf },
        }
    }
}

/// The name of a leaf, for display: `pos.x`, `flags[2]`. If the record is itself the leaf, the name is that of its type.
///
/// # Examples
///
/// ```
/// use layout::Record;
///
/// let name = <[u8; 4]>::TREE.leaf_name(2);
/// assert_eq!((name.to_string(), name.number()), ("[2]".to_owned(), 2));
/// ```
#[derive(Clone, Copy)]
pub struct LeafName {
    tree: &'static Node,
    leaf: usize,
}

impl LeafName {
    /// The number of the leaf, in declaration order.
    #[must_use]
    pub fn number(self) -> usize {
        self.leaf
    }
}

impl PartialEq for LeafName {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.tree, other.tree) && self.leaf == other.leaf
    }
}

impl Eq for LeafName {}

impl fmt::Debug for LeafName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for LeafName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut node, mut leaf, mut separator) = (self.tree, self.leaf, "");
        if leaf >= node.leaves() {
            return f.write_str("?");
        }
        loop {
            match node {
                Node::Leaf(leaf) if core::ptr::eq(node, self.tree) => return f.write_str(leaf.type_name()),
                Node::Leaf(_) | Node::List(..) => return Ok(()),
                Node::Branch { fields, .. } => {
                    let mut field = 0;
                    while leaf >= fields[field].node.leaves() {
                        leaf -= fields[field].node.leaves();
                        field += 1;
                    }
                    write!(f, "{separator}{}", fields[field].name)?;
                    node = fields[field].node;
                }
                Node::Array { element, .. } => {
                    write!(f, "[{}]", leaf / element.leaves())?;
                    leaf %= element.leaves();
                    node = element;
                }
            }
            separator = ".";
        }
    }
}

/// The sum. Overflow panics, which in a constant is a compile error.
pub(crate) const fn sum(a: usize, b: usize) -> usize {
    match a.checked_add(b) {
        Some(sum) => sum,
        None => panic!("a record has more bytes or leaves than `usize` can count"),
    }
}
