//! Types of elements in numpy, and the conversion of their leaves to those of a record.

use layout_core::{LeafKind, LeafNode, LeafTable, MAX_LEAVES, Node, Record};

use super::error::FileError;
use super::literal::Literal;

/// The type of the elements in a file: the place of each leaf.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dtype {
    leaves: Vec<FileLeaf>,
    /// The bytes of an element.
    size: usize,
}

/// A leaf of an element in a file.
#[derive(Clone, Debug, PartialEq)]
struct FileLeaf {
    /// As in a record: `pos.x`, `flags[2]`.
    name: String,
    /// The kind and the size: `f4`, `u2`.
    code: String,
    /// `true` if the bytes have the other byte order than this machine.
    swapped: bool,
    offset: usize,
    size: usize,
}

/// A leaf that is moved from an element of a file to an element without padding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moved {
    from: usize,
    to: usize,
    size: usize,
    swapped: bool,
}

/// The mark of this machine's byte order.
const NATIVE: char = if cfg!(target_endian = "little") { '<' } else { '>' };

/// The kind and the size of a leaf in numpy.
fn code(leaf: &LeafNode) -> Option<String> {
    use LeafKind as K;
    let letter = match leaf.kind() {
        K::U8 | K::U16 | K::U32 | K::U64 | K::Usize | K::Char => 'u',
        K::I8 | K::I16 | K::I32 | K::I64 | K::Isize => 'i',
        K::F16 | K::F32 | K::F64 => 'f',
        K::Bool => 'b',
        _ => return None,
    };
    Some(format!("{letter}{}", leaf.size()))
}

/// The name of leaf number `leaf` of a record; empty if the record is the leaf itself.
fn leaf_name<R: Record>(leaf: usize) -> String {
    match R::TREE {
        Node::Leaf(_) => String::new(),
        tree => tree.leaf_name(leaf).to_string(),
    }
}

/// The lengths of nested arrays, and the innermost element.
fn arrays(mut node: &'static Node) -> (Vec<i64>, &'static Node) {
    let mut lens = Vec::new();
    while let Node::Array { element, len } = node {
        lens.push(i64::try_from(*len).unwrap_or(i64::MAX));
        node = element;
    }
    (lens, node)
}

/// The literal of a node that is not an array.
fn descr(node: &'static Node) -> Literal {
    let field = |name: &str, node| {
        let (lens, inner) = arrays(node);
        let shape = (!lens.is_empty()).then(|| Literal::Tuple(lens.into_iter().map(Literal::Number).collect()));
        Literal::Tuple([Literal::Text(name.to_owned()), descr(inner)].into_iter().chain(shape).collect())
    };
    match node {
        Node::Branch { fields, .. } => {
            Literal::List(fields.iter().map(|each| field(each.name(), each.node())).collect())
        }
        Node::Leaf(leaf) => {
            let mark = if leaf.size() > 1 { NATIVE } else { '|' };
            Literal::Text(format!("{mark}{}", code(leaf).unwrap_or_default()))
        }
        Node::Array { .. } | Node::List(_) => Literal::List(Vec::new()),
    }
}

/// The numpy type of the elements of a store, and the last dimensions, which a record that is an array adds.
pub(super) fn own<R: Record>() -> Result<(Literal, Vec<i64>), FileError> {
    let table = LeafTable::of::<R>();
    let mut leaves = (0..table.count()).map(|leaf| (leaf, table.leaf(leaf)));
    if let Some((number, leaf)) = leaves.find(|(_, leaf)| code(leaf).is_none()) {
        return Err(FileError::NoDtype { leaf: leaf_name::<R>(number), what: leaf.type_name().to_owned() });
    }
    if table.count() == 0 {
        return Err(FileError::NoDtype { leaf: String::new(), what: core::any::type_name::<R>().to_owned() });
    }
    let (lens, inner) = arrays(R::TREE);
    Ok((descr(inner), lens))
}

impl Dtype {
    /// Parses the literal of an element, in an array of these lengths.
    pub(super) fn parse(literal: &Literal, lens: &[i64]) -> Result<Self, String> {
        let mut dtype = Self { leaves: Vec::new(), size: 0 };
        dtype.size = dtype.array("", literal, lens, 0)?;
        Ok(dtype)
    }

    /// Adds the leaves of an array in an element, from this byte on; returns the number of its bytes.
    fn array(&mut self, name: &str, literal: &Literal, lens: &[i64], start: usize) -> Result<usize, String> {
        let Some((len, inner)) = lens.split_first() else { return self.leaves_of(name, literal, start) };
        let len = usize::try_from(*len).map_err(|_| format!("`{name}` is an array of {len}"))?;
        let mut size = 0;
        for at in 0..len {
            size += self.array(&format!("{name}[{at}]"), literal, inner, start + size)?;
            // Padding has no leaves; no element that is read repeats it.
            if self.leaves.len() > MAX_LEAVES || at > MAX_LEAVES {
                return Err(format!("an element has more than {MAX_LEAVES} leaves"));
            }
        }
        Ok(size)
    }

    fn leaves_of(&mut self, name: &str, literal: &Literal, start: usize) -> Result<usize, String> {
        match literal {
            Literal::Text(text) => self.leaf(name, text, start),
            Literal::List(fields) => {
                let mut size = 0;
                for field in fields {
                    let (own, kind, lens) = match field {
                        Literal::Tuple(parts) => match &parts[..] {
                            [Literal::Text(own), kind] => (own, kind, &[][..]),
                            [Literal::Text(own), kind, Literal::Tuple(lens)] => (own, kind, &lens[..]),
                            [Literal::Text(own), kind, len @ Literal::Number(_)] => {
                                (own, kind, core::slice::from_ref(len))
                            }
                            _ => return Err(format!("`{field}` is no field")),
                        },
                        _ => return Err(format!("`{field}` is no field")),
                    };
                    let len = |len: &Literal| match len {
                        Literal::Number(len) => Ok(*len),
                        _ => Err(format!("`{field}` is no field")),
                    };
                    let lens = lens.iter().map(len).collect::<Result<Vec<_>, _>>()?;
                    let name = if name.is_empty() { own.clone() } else { format!("{name}.{own}") };
                    size += self.array(&name, kind, &lens, start + size)?;
                }
                Ok(size)
            }
            _ => Err(format!("`{literal}` is no type")),
        }
    }

    /// Adds a leaf, or padding, which has no name.
    fn leaf(&mut self, name: &str, text: &str, start: usize) -> Result<usize, String> {
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
        // The limits keep sums of sizes from overflowing.
        if size > 1 << 32 || start > 1 << 48 {
            return Err(none());
        }
        let is_padding = code.starts_with('V') && (name.is_empty() || name.ends_with('.'));
        if !is_padding {
            let swapped = size > 1 && mark != NATIVE && matches!(mark, '<' | '>');
            self.leaves.push(FileLeaf { name: name.to_owned(), code: code.to_owned(), swapped, offset: start, size });
        }
        Ok(size)
    }

    /// The bytes of an element.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The places of the leaves of a record in an element of the file; `None` if they are those of an element without padding. Leaves are
    /// found by their names, in any order.
    ///
    /// # Errors
    ///
    /// The difference, if the element is not this record.
    pub(crate) fn moved<R: Record>(&self) -> Result<Option<Vec<Moved>>, String> {
        let table = LeafTable::of::<R>();
        let (mut moved, mut to) = (Vec::with_capacity(table.count()), 0);
        for number in 0..table.count() {
            let (name, leaf) = (leaf_name::<R>(number), table.leaf(number));
            let found = self.leaves.iter().find(|found| found.name == name);
            let Some(found) = found else { return Err(format!("leaf `{name}` is missing")) };
            let expected = code(&leaf).unwrap_or_default();
            if found.code != expected {
                let what = leaf.type_name();
                return Err(format!("leaf `{name}` is `{}`, and `{expected}` is needed for `{what}`", found.code));
            }
            moved.push(Moved { from: found.offset, to, size: found.size, swapped: found.swapped });
            to += leaf.size();
        }
        let is_known = |found: &&FileLeaf| (0..table.count()).any(|number| leaf_name::<R>(number) == found.name);
        if self.leaves.len() != table.count() {
            let more = self.leaves.iter().find(|found| !is_known(found));
            return Err(
                more.map_or("a leaf is there twice".to_owned(), |more| format!("there is a leaf `{}`", more.name))
            );
        }
        let is_packed = self.size == to && moved.iter().all(|leaf| leaf.from == leaf.to && !leaf.swapped);
        Ok((!is_packed).then_some(moved))
    }
}

impl Moved {
    /// Copies the leaf from an element of a file.
    pub(crate) fn copy(&self, from: &[u8], to: &mut [u8]) {
        let to = &mut to[self.to..][..self.size];
        to.copy_from_slice(&from[self.from..][..self.size]);
        if self.swapped {
            to.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, lens: &[i64]) -> Result<Dtype, String> {
        Dtype::parse(&Literal::parse(text).unwrap(), lens)
    }

    #[test]
    fn records_have_the_types_of_numpy() {
        let texts =
            |own: Result<(Literal, Vec<i64>), FileError>| own.map(|(text, lens)| (text.to_string(), lens)).unwrap();
        let (mark, more) = (NATIVE, Vec::new());
        assert_eq!(texts(own::<f64>()), (format!("'{mark}f8'"), more.clone()));
        assert_eq!(texts(own::<bool>()), ("'|b1'".to_owned(), more.clone()));
        assert_eq!(texts(own::<char>()), (format!("'{mark}u4'"), more));
        assert_eq!(texts(own::<[[i16; 3]; 2]>()), (format!("'{mark}i2'"), vec![2, 3]));
        let refused = own::<[u128; 2]>().unwrap_err().to_string();
        assert!(refused.starts_with("numpy has no type for leaf `[0]` of type `u128`"), "{refused}");
    }

    #[test]
    fn leaves_are_found_by_name() {
        let same = parsed("'=f4'", &[2]).unwrap();
        assert_eq!((same.size(), same.moved::<[f32; 2]>()), (8, Ok(None)));
        let other = if NATIVE == '<' { '>' } else { '<' };
        let swapped = parsed(&format!("'{other}u2'"), &[]).unwrap().moved::<u16>().unwrap().unwrap();
        let mut bytes = [0; 2];
        swapped[0].copy(&[1, 2], &mut bytes);
        assert_eq!(bytes, [2, 1]);
        let one = parsed("'|u1'", &[]).unwrap();
        assert_eq!(one.moved::<u8>(), Ok(None));
        assert_eq!(one.moved::<i8>(), Err("leaf `` is `u1`, and `i1` is needed for `i8`".to_owned()));
        assert_eq!(one.moved::<[u8; 2]>(), Err("leaf `[0]` is missing".to_owned()));
        assert_eq!(parsed("'|u1'", &[2]).unwrap().moved::<u8>(), Err("leaf `` is missing".to_owned()));
    }

    #[test]
    fn what_is_no_type_is_refused() {
        let refused = [
            ("'|O'", "type `|O` has no known size"),
            ("''", "type `` has no known size"),
            ("'<f'", "type `<f` has no known size"),
            ("'<fx'", "type `<fx` has no known size"),
            ("'<ü4'", "type `<ü4` has no known size"),
            ("'|V99999999999'", "type `|V99999999999` has no known size"),
            ("7", "`7` is no type"),
            ("[7]", "`7` is no field"),
            ("[('a',)]", "`('a',)` is no field"),
            ("[('a', '<f4', '3')]", "`('a', '<f4', '3')` is no field"),
            ("[('a', '<f4', (-1,))]", "`a` is an array of -1"),
            ("[('a', '<f4', ('x',))]", "`('a', '<f4', ('x',))` is no field"),
            ("[('a', '<f4', (1000000000,))]", "an element has more than 4096 leaves"),
            ("[('a', [], (1000000000,))]", "an element has more than 4096 leaves"),
        ];
        for (text, why) in refused {
            assert_eq!(parsed(text, &[]).unwrap_err(), why, "{text}");
        }
    }
}
