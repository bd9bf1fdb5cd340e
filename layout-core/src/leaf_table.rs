//! Leaf tables: the leaves of a record, listed flat.

use core::fmt;

use crate::record::Record;
use crate::sized;
use crate::tree::{LeafNode, MAX_LEAVES, Node, sum};

/// The leaves of a record in declaration order, with the properties of all leaves together that layouts need.
///
/// A table takes 24 bytes, and 16 bytes and one relocation for each leaf, where the number of leaves is padded to the
/// next power of two. The properties of a leaf's type are stored once for each type: 56 bytes and three relocations.
///
/// `LeafTable<[LeafEntry; N]>` has room for `N` leaves; a reference to it coerces to a reference to `LeafTable`.
///
/// # Examples
///
/// ```
/// use layout::record::{LeafEntry, LeafTable};
///
/// assert_eq!(size_of::<LeafTable<[LeafEntry; 8]>>(), 8 * 16 + 24);
/// assert_eq!(size_of_val(LeafTable::of::<[f32; 7]>()), 8 * 16 + 24);
/// ```
#[derive(Clone, Copy)]
pub struct LeafTable<L: ?Sized = [LeafEntry]> {
    /// The sum of the sizes of all leaves.
    size: usize,
    count: u32,
    max_align: u32,
    /// The greatest common divisor of the sizes of all leaves.
    size_gcd: u32,
    any_bits: bool,
    /// `true` if there is a struct with these leaves.
    is_struct: bool,
    leaves: L,
}

/// An entry of a [`LeafTable`].
#[derive(Clone, Copy)]
pub struct LeafEntry {
    /// `None` in the entries that pad a table.
    leaf: Option<LeafNode>,
    /// The sum of the sizes of the leaves before this one.
    packed: u32,
    /// The leaf's offset in the struct; for a leaf that a layout stores, the number of the record's leaf that it stands for.
    from: u32,
}

/// Converts a number of bytes to the type that tables use.
const fn narrow(bytes: usize) -> u32 {
    assert!(bytes as u64 <= u32::MAX as u64, "a record has less than 4 GiB");
    #[expect(clippy::cast_possible_truncation, reason = "asserted above")]
    {
        bytes as u32
    }
}

impl LeafTable {
    /// The leaves of `R`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::record::LeafTable;
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
            const TABLE: &'static LeafTable = match R::TREE {
                Node::List(table, _) => table,
                tree => sized!(len(tree), N => LeafTable::<[LeafEntry; N]>::flatten(tree)),
            };
        }
        Table::<R>::TABLE
    }
}

const fn len(tree: &Node) -> usize {
    assert!(tree.leaves() <= MAX_LEAVES, "a record has at most 4096 leaves: make a large array a leaf of its own");
    tree.leaves()
}

impl<const N: usize> LeafTable<[LeafEntry; N]> {
    /// A table without leaves, with room for `N`; [`append`](Self::append) adds leaves.
    pub const EMPTY: Self = Self {
        size: 0,
        count: 0,
        max_align: 1,
        size_gcd: 0,
        any_bits: true,
        is_struct: false,
        leaves: [LeafEntry { leaf: None, packed: 0, from: 0 }; N],
    };

    /// Appends a leaf that a layout stores in place of leaf number `origin` of the [`Origin`](Record::Origin).
    ///
    /// # Panics
    ///
    /// Panics if the table already has `N` leaves.
    pub const fn append(&mut self, leaf: LeafNode, origin: usize) {
        assert!((self.count as usize) < N, "there is no room for another leaf");
        let entry = LeafEntry { leaf: Some(leaf), packed: narrow(self.size), from: narrow(origin) };
        self.leaves[self.count as usize] = entry;
        self.count += 1;
        self.size = sum(self.size, leaf.size());
        if narrow(leaf.align()) > self.max_align {
            self.max_align = narrow(leaf.align());
        }
        let mut rest = narrow(leaf.size());
        while rest != 0 {
            (self.size_gcd, rest) = (rest, self.size_gcd % rest);
        }
        self.any_bits &= leaf.any_bits();
    }

    const fn flatten(tree: &Node) -> Self {
        let mut table = Self::EMPTY;
        table.push(tree, 0);
        table.is_struct = true;
        table
    }

    /// Appends the leaves below a node that lies at `offset` in the struct.
    const fn push(&mut self, node: &Node, offset: usize) {
        match node {
            Node::List(..) => panic!("a list of leaves is no part of a record"),
            Node::Leaf(leaf) => self.append(*leaf, offset),
            Node::Branch { fields, .. } => {
                let mut i = 0;
                while i < fields.len() {
                    self.push(fields[i].node(), offset + fields[i].offset());
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
}

impl LeafTable {
    /// The number of leaves.
    #[inline(always)]
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns `true` if there is a struct with these leaves, at their native offsets.
    #[inline(always)]
    #[must_use]
    pub const fn is_struct(&self) -> bool {
        self.is_struct
    }

    /// Leaf number `leaf`.
    ///
    /// # Panics
    ///
    /// Panics if `leaf` is not below [`count`](Self::count).
    #[inline(always)]
    #[must_use]
    pub const fn leaf(&self, leaf: usize) -> LeafNode {
        match self.leaves[leaf].leaf {
            Some(leaf) => leaf,
            None => panic!("leaf number out of range"),
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
        assert!(leaf < self.count(), "leaf number out of range");
        if self.is_struct { leaf } else { self.leaves[leaf].from as usize }
    }

    /// The byte offset of leaf `leaf` in the record as the compiler lays it out.
    ///
    /// # Panics
    ///
    /// Panics if `leaf` is not below [`count`](Self::count), or if there is [no struct](Self::is_struct).
    #[inline(always)]
    #[must_use]
    pub const fn native_offset(&self, leaf: usize) -> usize {
        assert!(leaf < self.count(), "leaf number out of range");
        assert!(self.is_struct, "leaves that a layout stores have no offset in a struct");
        self.leaves[leaf].from as usize
    }

    /// The sum of the sizes of all leaves: the bytes of an element without padding.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::Record;
    /// use layout::record::LeafTable;
    ///
    /// #[derive(Clone, Copy, Record)]
    /// struct Hit { channel: u16, time: u64 }
    ///
    /// let table = LeafTable::of::<Hit>();
    /// assert_eq!((table.packed(), size_of::<Hit>()), (10, 16));
    /// assert_eq!(table.packed_size(1), 2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn packed(&self) -> usize {
        self.size
    }

    /// The sum of the sizes of the first `leaves` leaves: their packed size in bytes.
    #[inline(always)]
    #[must_use]
    pub const fn packed_size(&self, leaves: usize) -> usize {
        if leaves < self.count() { self.leaves[leaves].packed as usize } else { self.size }
    }

    /// The largest alignment of a leaf in bytes; one for a record without leaves.
    #[inline(always)]
    #[must_use]
    pub const fn max_align(&self) -> usize {
        self.max_align as usize
    }

    /// The greatest common divisor of the leaf sizes in bytes; zero for a record without leaves.
    #[inline(always)]
    #[must_use]
    pub const fn size_gcd(&self) -> usize {
        self.size_gcd as usize
    }

    /// Returns `true` if every bit pattern is a value of every leaf.
    #[inline(always)]
    #[must_use]
    pub const fn any_bits(&self) -> bool {
        self.any_bits
    }
}

impl fmt::Debug for LeafTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.count()).map(|leaf| self.leaf(leaf))).finish()
    }
}
