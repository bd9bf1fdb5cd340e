//! The record tree: what a record consists of, known at compile time.
//!
//! `#[derive(Record)]` writes a record as a constant [`Node`]. The leaves of that tree, numbered in
//! declaration order, are what a mapping places in memory; [`LeafTable`] lists them flat, so that a
//! mapping's offsets are constant expressions over plain arrays.

use core::any::TypeId;
use core::fmt;

use crate::leaf::{Leaf, LeafKind};
use crate::record::Record;

/// The most leaves a record may have.
pub const MAX_LEAVES: usize = 4096;

/// A node of a record tree.
///
/// # Examples
///
/// ```
/// use layout_core::{Node, Record};
///
/// let Node::Array { len, .. } = <[f32; 4]>::TREE else { panic!("an array") };
/// assert_eq!(*len, 4);
/// assert_eq!(<[f32; 4]>::TREE.leaves(), 4);
/// ```
#[derive(Debug)]
pub enum Node {
    /// A place for one value.
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
    /// Leaves that a layout stores in place of a record's own; see [`Stored`](crate::Stored).
    List(&'static LeafTable),
}

/// A leaf of a record tree: one value of plain data.
///
/// # Examples
///
/// ```
/// use layout_core::{Node, Record};
///
/// let Node::Leaf(leaf) = u16::TREE else { panic!("a leaf") };
/// assert_eq!((leaf.size(), leaf.align(), leaf.type_name()), (2, 2, "u16"));
/// ```
#[derive(Clone, Copy)]
pub struct LeafNode {
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
/// use layout::{Node, Record};
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

    /// The field's name; tuple fields are named by their number.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
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
        Self {
            size: size_of::<T>(),
            align: align_of::<T>(),
            any_bits: T::ANY_BITS,
            kind: T::KIND,
            is_valid: crate::leaf::is_valid::<T>,
            type_name: core::any::type_name::<T>,
            type_id: TypeId::of::<T>,
        }
    }

    /// Which of the standard types the leaf is.
    #[inline(always)]
    #[must_use]
    pub const fn kind(&self) -> LeafKind {
        self.kind
    }

    /// Size in bytes.
    #[inline(always)]
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Alignment in bytes.
    #[inline(always)]
    #[must_use]
    pub const fn align(&self) -> usize {
        self.align
    }

    /// Whether every bit pattern is a value of the leaf's type.
    #[inline(always)]
    #[must_use]
    pub const fn any_bits(&self) -> bool {
        self.any_bits
    }

    /// The name of the leaf's type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        (self.type_name)()
    }

    /// Which type the leaf's type is.
    #[must_use]
    pub fn type_id(&self) -> TypeId {
        (self.type_id)()
    }

    /// Whether the first bytes of a slice are a value of the leaf's type; not if they are too few.
    #[must_use]
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        // SAFETY: there are as many bytes as the leaf has.
        bytes.len() >= self.size && unsafe { self.is_valid(bytes.as_ptr()) }
    }

    /// Whether the bytes at `bytes` are a value of the leaf's type.
    ///
    /// # Safety
    ///
    /// `bytes` points to [`size`](Self::size) initialized, readable bytes, at any alignment.
    #[must_use]
    pub unsafe fn is_valid(&self, bytes: *const u8) -> bool {
        // SAFETY: the caller vouches for `size` readable bytes, which is all `is_valid` asks for.
        self.any_bits || unsafe { (self.is_valid)(bytes) }
    }
}

impl fmt::Debug for LeafNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeafNode")
            .field("type", &self.type_name())
            .field("size", &self.size)
            .field("align", &self.align)
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
            Self::List(table) => table.count,
        }
    }

    /// The number of fields of a struct, or of elements of an array.
    #[must_use]
    pub const fn children(&self) -> usize {
        match self {
            Self::Branch { fields, .. } => fields.len(),
            Self::Array { len, .. } => *len,
            Self::Leaf(_) | Self::List(_) => 0,
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
            Self::List(_) => panic!("a list of leaves has no fields"),
        }
    }

    /// Size in bytes as the compiler lays the type out.
    const fn native_size(&self) -> usize {
        match self {
            Self::Leaf(leaf) => leaf.size,
            Self::Branch { size, .. } => *size,
            Self::Array { element, len } => element.native_size() * *len,
            Self::List(_) => 0,
        }
    }

    /// The name of leaf number `leaf`: `pos.x`, `flags[2]`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_core::Record;
    ///
    /// assert_eq!(<[[f32; 3]; 2]>::TREE.leaf_name(4).to_string(), "[1][1]");
    /// ```
    #[must_use]
    pub fn leaf_name(&'static self, leaf: usize) -> LeafName {
        LeafName { tree: self, leaf }
    }
}

/// The name of a leaf, to be shown: `pos.x`, `flags[2]`.
///
/// # Examples
///
/// ```
/// use layout_core::Record;
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
        loop {
            match node {
                Node::Leaf(_) => return Ok(()),
                Node::Branch { fields, .. } => {
                    let mut fields = fields.iter();
                    // A number that is out of range has no name.
                    let Some(field) = fields.find(|field| {
                        let found = leaf < field.node.leaves();
                        if !found {
                            leaf -= field.node.leaves();
                        }
                        found
                    }) else {
                        return f.write_str("?");
                    };
                    write!(f, "{separator}{}", field.name)?;
                    node = field.node;
                }
                Node::Array { element, .. } => {
                    write!(f, "[{}]", leaf / element.leaves())?;
                    leaf %= element.leaves();
                    node = element;
                }
                Node::List(_) => return write!(f, "{separator}{leaf}"),
            }
            separator = ".";
        }
    }
}

/// The sum; in a constant, one that overflows does not compile.
const fn sum(a: usize, b: usize) -> usize {
    match a.checked_add(b) {
        Some(sum) => sum,
        None => panic!("a record has more bytes or leaves than `usize` can count"),
    }
}

/// The leaves of a record as flat arrays, in declaration order.
#[derive(Clone, Copy)]
pub struct LeafTable {
    count: usize,
    leaves: [LeafNode; MAX_LEAVES],
    native: [usize; MAX_LEAVES],
    /// The sum of the sizes of the leaves before each.
    packed: [usize; MAX_LEAVES],
    /// The sum of the sizes of all leaves.
    size: usize,
    /// For leaves that a layout stores: the number of the record's leaf that each stands for.
    origin: [u16; MAX_LEAVES],
    /// Whether there is a struct with these leaves.
    native_struct: bool,
}

impl LeafTable {
    /// No leaves; more by [`append`](Self::append).
    pub const EMPTY: Self = {
        const NONE: LeafNode = LeafNode {
            size: 0,
            align: 1,
            any_bits: true,
            kind: LeafKind::Other,
            is_valid: |_| true,
            type_name: || "",
            type_id: TypeId::of::<()>,
        };
        Self {
            count: 0,
            leaves: [NONE; MAX_LEAVES],
            native: [0; MAX_LEAVES],
            packed: [0; MAX_LEAVES],
            size: 0,
            origin: [0; MAX_LEAVES],
            native_struct: false,
        }
    };

    /// Appends a leaf that a layout stores for another one, which is that of number `origin` in the
    /// [`Origin`](Record::Origin).
    ///
    /// # Panics
    ///
    /// Panics if there are 4096 already.
    pub const fn append(&mut self, leaf: LeafNode, origin: usize) {
        self.push(&Node::Leaf(leaf), self.size);
        self.origin[self.count - 1] = Self::number(origin);
    }

    /// The number of a leaf in two bytes.
    const fn number(leaf: usize) -> u16 {
        assert!(leaf < MAX_LEAVES, "leaf number out of range");
        #[expect(clippy::cast_possible_truncation, reason = "there are at most 4096")]
        {
            leaf as u16
        }
    }

    /// The number, in the [`Origin`](Record::Origin), of the leaf that leaf `leaf` is or stands for.
    ///
    /// # Panics
    ///
    /// Panics if `leaf` is not below [`count`](Self::count).
    #[inline(always)]
    #[must_use]
    pub const fn origin(&self, leaf: usize) -> usize {
        assert!(leaf < self.count, "leaf number out of range");
        self.origin[leaf] as usize
    }

    /// The leaves of `R`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_core::LeafTable;
    ///
    /// let table = LeafTable::of::<[u16; 3]>();
    /// assert_eq!(table.count(), 3);
    /// assert_eq!(table.leaf(2).size(), 2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn of<R: Record>() -> &'static Self {
        struct Table<R>(R);
        impl<R: Record> Table<R> {
            const TABLE: &'static LeafTable = &LeafTable::flatten(R::TREE);
        }
        Table::<R>::TABLE
    }

    const fn flatten(tree: &Node) -> Self {
        assert!(tree.leaves() <= MAX_LEAVES, "a record has at most 4096 leaves: make a large array a leaf of its own");
        if let Node::List(table) = tree {
            return **table;
        }
        let mut table = Self { native_struct: true, ..Self::EMPTY };
        table.push(tree, 0);
        table
    }

    const fn push(&mut self, node: &Node, offset: usize) {
        match node {
            Node::List(_) => panic!("a list of leaves is no part of a record"),
            Node::Leaf(leaf) => {
                assert!(self.count < MAX_LEAVES, "a layout stores at most 4096 leaves for a record");
                self.leaves[self.count] = *leaf;
                self.native[self.count] = offset;
                self.packed[self.count] = self.size;
                self.origin[self.count] = Self::number(self.count);
                self.size = sum(self.size, leaf.size);
                self.count += 1;
            }
            Node::Branch { fields, .. } => {
                let mut i = 0;
                while i < fields.len() {
                    self.push(fields[i].node, offset + fields[i].offset);
                    i += 1;
                }
            }
            Node::Array { element, len } => {
                let mut i = 0;
                while i < *len {
                    self.push(element, offset + i * element.native_size());
                    i += 1;
                }
            }
        }
    }

    /// The number of leaves.
    #[inline(always)]
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Whether there is a struct with these leaves, at their native offsets.
    #[must_use]
    pub const fn is_struct(&self) -> bool {
        self.native_struct
    }

    /// Leaf number `leaf`.
    ///
    /// # Panics
    ///
    /// Panics if `leaf` is not below [`count`](Self::count).
    #[inline(always)]
    #[must_use]
    pub const fn leaf(&self, leaf: usize) -> &LeafNode {
        assert!(leaf < self.count, "leaf number out of range");
        &self.leaves[leaf]
    }

    /// The byte offset of leaf `leaf` in the record as the compiler lays it out.
    ///
    /// # Panics
    ///
    /// Panics if `leaf` is not below [`count`](Self::count).
    #[inline(always)]
    #[must_use]
    pub const fn native_offset(&self, leaf: usize) -> usize {
        assert!(leaf < self.count, "leaf number out of range");
        self.native[leaf]
    }

    /// The sum of the sizes of the first `leaves` leaves: their packed size in bytes.
    #[inline(always)]
    #[must_use]
    pub const fn packed_size(&self, leaves: usize) -> usize {
        if leaves < self.count { self.packed[leaves] } else { self.size }
    }

    /// The largest alignment of a leaf in bytes; one for a record without leaves.
    #[must_use]
    pub const fn max_align(&self) -> usize {
        let mut align = 1;
        let mut i = 0;
        while i < self.count {
            if self.leaves[i].align > align {
                align = self.leaves[i].align;
            }
            i += 1;
        }
        align
    }

    /// The greatest common divisor of the leaf sizes in bytes; zero for a record without leaves.
    #[must_use]
    pub const fn size_gcd(&self) -> usize {
        let mut divisor = 0;
        let mut i = 0;
        while i < self.count {
            let (mut a, mut b) = (self.leaves[i].size, divisor);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            divisor = a;
            i += 1;
        }
        divisor
    }

    /// Whether every bit pattern is a value of every leaf.
    #[must_use]
    pub const fn any_bits(&self) -> bool {
        let mut i = 0;
        while i < self.count {
            if !self.leaves[i].any_bits {
                return false;
            }
            i += 1;
        }
        true
    }
}

impl fmt::Debug for LeafTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.leaves[..self.count]).finish()
    }
}
