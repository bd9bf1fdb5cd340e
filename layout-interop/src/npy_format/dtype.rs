//! The types of elements in files of NumPy: from a record and its layout, and from the text of a header.

use layout_core::{Codec, LeafKind, LeafNode, LeafPlace, LeafTable, MAX_LEAVES, Node, Position, Record, RecordLayout};

use super::error::DtypeError;
use super::literal::Literal;
use crate::integers::integer_kind;

/// The mark of this machine's byte order.
const NATIVE: char = if cfg!(target_endian = "little") { '<' } else { '>' };
/// The most dimensions of an array in NumPy.
const MOST_DIMENSIONS: usize = 64;
/// Types within types, at most: each makes the leaves of those within it again.
const DEEPEST: usize = 64;
/// The longest name of a leaf in bytes.
const LONGEST_NAME: usize = 1024;

/// The type of the elements of a file: the type and the offset of each leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Dtype {
    leaves: Vec<FileLeaf>,
    /// The bytes of an element.
    size: usize,
}

/// A leaf of an element of a file.
#[derive(Clone, Debug, PartialEq)]
struct FileLeaf {
    /// As in a record: `pos.x`, `flags[2]`.
    name: String,
    /// The kind and the size, without the mark of the byte order: `f4`, `u2`.
    code: String,
    /// `true` if the bytes have the other byte order than this machine.
    swapped: bool,
    offset: usize,
    size: usize,
}

impl FileLeaf {
    /// The leaf as a part of a field or an element of an array, which starts at byte `start`.
    fn within(&self, field: &str, start: usize) -> Self {
        let dot = if self.name.is_empty() || self.name.starts_with('[') { "" } else { "." };
        Self { name: format!("{field}{dot}{}", self.name), offset: start + self.offset, ..self.clone() }
    }
}

/// A leaf that is moved from an element of a file to an element without padding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    from: usize,
    to: usize,
    size: usize,
    swapped: bool,
}

/// Offsets of the leaves of a record in an element, if elements lie one after another in one blob.
pub struct Rows {
    /// The offset of each leaf.
    pub offsets: Vec<usize>,
    /// The distance of neighbors in bytes.
    pub size: usize,
}

impl Rows {
    /// Returns `true` if the layout stores elements one after another, without computed leaves.
    #[must_use]
    pub const fn exist<R: Record, L: RecordLayout<R>>() -> bool {
        let (places, count) = (L::PLACES, LeafTable::of::<R>().count());
        let mut leaf = 0;
        while leaf < count {
            if LeafPlace::of(places, leaf).stride != LeafPlace::of(places, 0).stride {
                return false;
            }
            leaf += 1;
        }
        let fits = LeafTable::of::<R>().packed_size(count) <= LeafPlace::of(places, 0).stride;
        L::BLOBS == 1
            && !<L::Position as Position>::HAS_BLOCKS
            && count > 0
            && fits
            && L::Codec::COMPUTED.is_empty()
            && L::UNIQUE
    }

    /// The offsets in a layout for which they [`exist`](Self::exist), by number of leaf.
    pub fn of<R: Record, L: RecordLayout<R>>(frame: L::Frame) -> Self {
        let offsets = L::PLACES.iter().enumerate().map(|(leaf, place)| L::base(frame, leaf) + place.start).collect();
        Self { offsets, size: L::PLACES[0].stride }
    }

    /// The offsets in an element without padding.
    pub fn packed<R: Record>() -> Self {
        let table = LeafTable::of::<R>();
        let offsets = (0..table.count()).map(|leaf| table.packed_size(leaf)).collect();
        Self { offsets, size: table.packed() }
    }
}

/// The kind and the size of a leaf in NumPy.
fn code(leaf: &LeafNode) -> Option<String> {
    use LeafKind as K;
    let letter = match integer_kind(leaf) {
        K::U8 | K::U16 | K::U32 | K::U64 | K::Usize | K::Char => 'u',
        K::I8 | K::I16 | K::I32 | K::I64 | K::Isize => 'i',
        K::F16 | K::F32 | K::F64 => 'f',
        K::Bool => 'b',
        _ => return None,
    };
    Some(format!("{letter}{}", leaf.size()))
}

/// A code with the mark of a byte order.
fn marked(code: &str, swapped: bool) -> String {
    let mark = match NATIVE {
        _ if code.ends_with('1') && code.len() == 2 => '|',
        '<' if swapped => '>',
        '>' if swapped => '<',
        native => native,
    };
    format!("{mark}{code}")
}

/// The name of leaf number `leaf` of a record; empty if the record is the leaf itself.
pub fn leaf_name<R: Record>(leaf: usize) -> String {
    match R::TREE {
        Node::Leaf(_) => String::new(),
        tree => tree.leaf_name(leaf).to_string(),
    }
}

/// The type of leaf number `leaf` of a record in NumPy.
fn leaf_code<R: Record>(leaf: usize) -> Result<String, DtypeError> {
    let node = LeafTable::of::<R>().leaf(leaf);
    code(&node).ok_or_else(|| DtypeError::NoDtype { leaf: leaf_name::<R>(leaf), record: node.type_name() })
}

/// The lengths of nested arrays, and the innermost element.
fn arrays(mut node: &'static Node) -> (Vec<usize>, &'static Node) {
    let mut lens = Vec::new();
    while let Node::Array { element, len } = node {
        lens.push(*len);
        node = element;
    }
    (lens, node)
}

/// The lengths of the arrays that a record is. They are the last dimensions of a file.
pub fn lens<R: Record>() -> Vec<usize> {
    arrays(R::TREE).0
}

/// Returns an error if a leaf of the record has no type in NumPy.
pub fn check<R: Record>() -> Result<(), DtypeError> {
    let count = LeafTable::of::<R>().count();
    if count == 0 {
        return Err(DtypeError::NoDtype { leaf: String::new(), record: core::any::type_name::<R>() });
    }
    (0..count).try_for_each(|leaf| leaf_code::<R>(leaf).map(|_| ()))
}

/// The literal for elements with leaves at these offsets; `None` if NumPy has no such literal. Leaves must be in the
/// order of the record, and the elements of arrays equally far apart.
pub fn descr<R: Record>(rows: &Rows) -> Option<Literal> {
    let (lens, inner) = arrays(R::TREE);
    let (literal, size) = nested(R::TREE, 0, &rows.offsets)?;
    let start = *rows.offsets.first()?;
    match literal {
        Literal::List(mut fields) if lens.is_empty() => {
            let rest = rows.size.checked_sub(size)?;
            fields.extend(padding(rest));
            // A part of a record has other leaves around it, which a file of the part does not have.
            (start == 0 && rest < LeafTable::of::<R>().max_align()).then_some(Literal::List(fields))
        }
        literal => (start == 0 && size == rows.size && inner.leaves() > 0).then_some(literal),
    }
}

/// The literal of the innermost element of a node whose first leaf is number `leaf`, and the size of the node, counted from
/// that leaf on.
fn nested(node: &'static Node, leaf: usize, offsets: &[usize]) -> Option<(Literal, usize)> {
    let start = *offsets.get(leaf)?;
    match node {
        Node::Leaf(leaf) => Some((Literal::Text(marked(&code(leaf)?, false)), leaf.size())),
        Node::Branch { fields, .. } => {
            let (mut literals, mut end, mut at) = (Vec::new(), start, leaf);
            for field in fields.iter().filter(|field| field.node().leaves() > 0) {
                literals.extend(padding(offsets[at].checked_sub(end)?));
                let (literal, size) = nested(field.node(), at, offsets)?;
                let lens = arrays(field.node()).0;
                let shape = (!lens.is_empty()).then(|| shape(&lens));
                let parts = [Literal::Text(field.name().to_owned()), literal];
                literals.push(Literal::Tuple(parts.into_iter().chain(shape).collect()));
                end = offsets[at] + size;
                at += field.node().leaves();
            }
            Some((Literal::List(literals), end - start))
        }
        Node::Array { element, len } => {
            let leaves = element.leaves();
            let (mut literal, size) = nested(element, leaf, offsets)?;
            let stride = if *len > 1 { offsets[leaf + leaves].checked_sub(start)? } else { size };
            match (&mut literal, stride.checked_sub(size)?) {
                (_, 0) => {}
                // Structs of the array have padding at their end.
                (Literal::List(fields), rest) if matches!(**element, Node::Branch { .. }) => {
                    fields.extend(padding(rest))
                }
                _ => return None,
            }
            let even = |at: usize| offsets[leaf + at] == offsets[leaf + at % leaves] + at / leaves * stride;
            (0..leaves * len).all(even).then_some((literal, stride.checked_mul(*len)?))
        }
        Node::List(..) => None,
    }
}

/// A field that has no name and is no leaf, if it has bytes.
fn padding(bytes: usize) -> Option<Literal> {
    (bytes > 0).then(|| Literal::Tuple(vec![Literal::Text(String::new()), Literal::Text(format!("|V{bytes}"))]))
}

/// The tuple of lengths.
pub fn shape(lens: &[usize]) -> Literal {
    Literal::Tuple(lens.iter().map(|len| Literal::Number(i64::try_from(*len).unwrap_or(i64::MAX))).collect())
}

impl Dtype {
    /// Parses the literal of an element, in an array of these lengths.
    pub fn parse(literal: &Literal, lens: &[usize]) -> Result<Self, String> {
        Self::array(literal, lens, &mut (DEEPEST * MAX_LEAVES))
    }

    /// The type of an array of elements; `work` is the number of leaves that may still be made, whether they are kept or not.
    fn array(literal: &Literal, lens: &[usize], work: &mut usize) -> Result<Self, String> {
        Self::of(literal, work)?.repeated(lens, work)
    }

    /// The type of an element that is no array.
    fn of(literal: &Literal, work: &mut usize) -> Result<Self, String> {
        match literal {
            Literal::Text(text) => Self::leaf(text),
            Literal::List(fields) => {
                let mut all = Self { leaves: Vec::new(), size: 0 };
                for field in fields {
                    all.append(field, work)?;
                }
                Ok(all)
            }
            _ => Err(format!("`{literal}` is no type")),
        }
    }

    /// Appends a field.
    fn append(&mut self, field: &Literal, work: &mut usize) -> Result<(), String> {
        let none = || format!("`{field}` is no field");
        let Literal::Tuple(parts) = field else { return Err(none()) };
        let (name, literal, lens) = match &parts[..] {
            [Literal::Text(name), literal] => (name, literal, &[][..]),
            [Literal::Text(name), literal, Literal::Tuple(lens)] => (name, literal, &lens[..]),
            [Literal::Text(name), literal, len @ Literal::Number(_)] => (name, literal, core::slice::from_ref(len)),
            _ => return Err(none()),
        };
        let len = |len: &Literal| match len {
            Literal::Number(len) => usize::try_from(*len).map_err(|_| none()),
            _ => Err(none()),
        };
        let lens = lens.iter().map(len).collect::<Result<Vec<_>, _>>()?;
        // Fields without a name are padding.
        let is_padding = name.is_empty() && matches!(literal, Literal::Text(text) if text.contains('V'));
        let own = Self::array(literal, &lens, work)?;
        if !is_padding {
            for leaf in &own.leaves {
                self.push(leaf.within(name, self.size), work)?;
            }
        }
        self.size = added(self.size, own.size)?;
        Ok(())
    }

    fn push(&mut self, leaf: FileLeaf, work: &mut usize) -> Result<(), String> {
        *work = if self.leaves.len() == MAX_LEAVES { None } else { work.checked_sub(1) }
            .ok_or_else(|| format!("an element has more than {MAX_LEAVES} leaves"))?;
        // With the limit above, a limit for all names: an array repeats those of its element.
        if leaf.name.len() > LONGEST_NAME {
            return Err(format!("the name of a leaf has more than {LONGEST_NAME} bytes"));
        }
        self.leaves.push(leaf);
        Ok(())
    }

    /// The array of such elements. The time and memory that it takes are bounded by the most leaves of a record.
    fn repeated(self, lens: &[usize], work: &mut usize) -> Result<Self, String> {
        if lens.is_empty() {
            return Ok(self);
        }
        if lens.len() > MOST_DIMENSIONS {
            return Err(format!(
                "a field is an array of {} dimensions, and {MOST_DIMENSIONS} are the most",
                lens.len()
            ));
        }
        let too_large = || "an element has more bytes than memory can have".to_owned();
        let count = lens.iter().try_fold(1_usize, |count, len| count.checked_mul(*len)).ok_or_else(too_large)?;
        let mut all = Self { leaves: Vec::new(), size: count.checked_mul(self.size).ok_or_else(too_large)? };
        if self.leaves.is_empty() {
            return Ok(all);
        }
        for number in 0..count {
            let mut index = String::new();
            let mut rest = number;
            for len in lens.iter().rev() {
                index.insert_str(0, &format!("[{}]", rest % len));
                rest /= len;
            }
            for leaf in &self.leaves {
                all.push(leaf.within(&index, number * self.size), work)?;
            }
        }
        added(all.size, 0)?;
        Ok(all)
    }

    fn leaf(text: &str) -> Result<Self, String> {
        let none = || format!("type `{text}` has no known size");
        let (mark, code) = match text.chars().next() {
            Some(mark @ ('<' | '>' | '|' | '=')) => (mark, &text[1..]),
            _ => ('=', text),
        };
        let digits = code.get(1..).ok_or_else(none)?;
        let size: usize = match &code[..1] {
            "b" | "i" | "u" | "f" | "c" | "V" | "S" => digits.parse().map_err(|_| none())?,
            "U" => digits.parse::<usize>().ok().and_then(|count| count.checked_mul(4)).ok_or_else(none)?,
            "M" | "m" => 8,
            _ => return Err(none()),
        };
        let size = added(size, 0).map_err(|_| none())?;
        let swapped = size > 1 && mark != NATIVE && matches!(mark, '<' | '>');
        let leaf = FileLeaf { name: String::new(), code: code.to_owned(), swapped, offset: 0, size };
        Ok(Self { leaves: vec![leaf], size })
    }

    /// The bytes of an element.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The leaves of a record, in the order of the record, with the offset of each leaf in an element of the file. Leaves are found by
    /// their names.
    ///
    /// # Errors
    ///
    /// The difference, if the element is not this record.
    pub fn moves<R: Record>(&self) -> Result<Vec<Moved>, DtypeError> {
        let table = LeafTable::of::<R>();
        let mut by_name = std::collections::HashMap::new();
        for leaf in &self.leaves {
            if by_name.insert(leaf.name.as_str(), leaf).is_some() {
                return Err(DtypeError::Unknown { field: leaf.name.clone() });
            }
        }
        let mut moves = Vec::with_capacity(table.count());
        for number in 0..table.count() {
            let name = leaf_name::<R>(number);
            let Some(found) = by_name.remove(name.as_str()) else {
                return Err(DtypeError::Missing { leaf: name, file: self.summary() });
            };
            let needed = leaf_code::<R>(number)?;
            if found.code != needed {
                return Err(found.mismatch::<R>(number, &needed));
            }
            let to = table.packed_size(number);
            moves.push(Moved { from: found.offset, to, size: found.size, swapped: found.swapped });
        }
        match self.leaves.iter().find(|leaf| by_name.contains_key(leaf.name.as_str())) {
            Some(more) => Err(DtypeError::Unknown { field: more.name.clone() }),
            None => Ok(moves),
        }
    }

    /// The same as [`moves`](Self::moves), or `None` if the elements are those of the record without padding.
    ///
    /// # Errors
    ///
    /// The difference, if the element is not this record.
    pub fn moved<R: Record>(&self) -> Result<Option<Vec<Moved>>, DtypeError> {
        let (moves, table) = (self.moves::<R>()?, LeafTable::of::<R>());
        let is_packed = self.size == table.packed() && moves.iter().all(|leaf| leaf.from == leaf.to && !leaf.swapped);
        Ok((!is_packed).then_some(moves))
    }

    /// Returns an error if a leaf of the record has the other byte order than this machine.
    ///
    /// # Errors
    ///
    /// The error is that for a leaf of another type.
    pub fn check_order<R: Record>(&self) -> Result<(), DtypeError> {
        let swapped = self.moves::<R>()?.iter().position(|leaf| leaf.swapped);
        let found = swapped.and_then(|number| {
            let name = leaf_name::<R>(number);
            Some((number, self.leaves.iter().find(|leaf| leaf.name == name)?))
        });
        found.map_or(Ok(()), |(number, leaf)| Err(leaf.mismatch::<R>(number, &leaf.code)))
    }

    /// Returns an error if the elements are not values of leaf number `leaf` of a record.
    pub fn check_single<R: Record>(&self, leaf: usize) -> Result<(), DtypeError> {
        let needed = leaf_code::<R>(leaf)?;
        match &self.leaves[..] {
            // With padding, the bytes of elements are not those of values.
            [only] if only.name.is_empty() && only.size == self.size && only.code == needed => Ok(()),
            [only] if only.name.is_empty() && only.size == self.size => Err(only.mismatch::<R>(leaf, &needed)),
            _ => Err(DtypeError::Missing { leaf: leaf_name::<R>(leaf), file: self.summary() }),
        }
    }

    /// Returns `true` if a leaf has the other byte order than this machine.
    pub fn is_swapped(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.swapped)
    }

    /// The first leaves, for a message.
    fn summary(&self) -> String {
        match &self.leaves[..] {
            [] => "no fields".to_owned(),
            [only] if only.name.is_empty() => format!("the value `{}`", marked(&only.code, only.swapped)),
            leaves => {
                let names: Vec<_> = leaves.iter().take(8).map(|leaf| format!("`{}`", leaf.name)).collect();
                let more = if leaves.len() > names.len() { ", ..." } else { "" };
                format!("{}{more}", names.join(", "))
            }
        }
    }
}

impl FileLeaf {
    /// The error for a leaf that has another type than leaf number `number` of the record.
    fn mismatch<R: Record>(&self, number: usize, needed: &str) -> DtypeError {
        DtypeError::Type {
            leaf: leaf_name::<R>(number),
            file: marked(&self.code, self.swapped),
            record: LeafTable::of::<R>().leaf(number).type_name(),
            needed: marked(needed, false),
        }
    }
}

impl Moved {
    /// The offset of the leaf in an element of the file.
    #[must_use]
    pub fn from(&self) -> usize {
        self.from
    }

    /// Copies the leaf from an element of a file to an element without padding.
    pub fn copy(&self, from: &[u8], to: &mut [u8]) {
        let to = &mut to[self.to..][..self.size];
        to.copy_from_slice(&from[self.from..][..self.size]);
        if self.swapped {
            to.reverse();
        }
    }
}

/// The literal of a leaf alone.
pub fn leaf_descr<R: Record>(leaf: usize) -> Result<Literal, DtypeError> {
    Ok(Literal::Text(marked(&leaf_code::<R>(leaf)?, false)))
}

/// The sum of sizes, at most 2^48, so that no later product of it with a number of leaves overflows.
fn added(a: usize, b: usize) -> Result<usize, String> {
    let sum = a.checked_add(b).filter(|sum| *sum as u64 <= 1 << 48);
    sum.ok_or_else(|| "an element has more bytes than memory can have".to_owned())
}
