//! The schema of a record, and the comparison of a schema with it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use layout_core::{Node, Record};

use super::error::{BatchError, Difference, FieldMismatch};
use super::leaf::data_type;
use crate::integers::is_optional;

/// The name of the one column of a record that is a leaf, or an array as a list.
const VALUE: &str = "value";
/// The name of the items of lists, in all of Arrow.
pub(super) const ITEM: &str = Field::LIST_FIELD_DEFAULT_NAME;

/// The Arrow type of the arrays in a record. Both types are accepted on the way back.
///
/// # Examples
///
/// ```
/// use arrow_schema::DataType;
/// use layout::interop::arrow::{Arrays, schema};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { pos: [f32; 2] }
///
/// let fields = schema::<Hit>(Arrays::Fields);
/// assert!(matches!(fields.field(0).data_type(), DataType::Struct(elements) if elements.len() == 2));
/// let list = schema::<Hit>(Arrays::List);
/// assert!(matches!(list.field(0).data_type(), DataType::FixedSizeList(_, 2)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrays {
    /// `Struct` with a field for each element, named by its index: each element is a column already, and is not copied.
    #[default]
    Fields,
    /// `FixedSizeList`, which keeps the elements of one array together: the elements are copied.
    List,
}

/// The schema of batches of the record `R`.
///
/// Fields have the names of the record's fields. A record that is a leaf, or an array as a list, is one column `value`.
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::{Arrays, schema};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u16, good: bool }
///
/// let schema = schema::<Hit>(Arrays::Fields);
/// let columns: Vec<_> = schema.fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type())).collect();
/// assert_eq!(columns, ["channel: UInt16", "good: Boolean"]);
/// ```
#[must_use]
pub fn schema<R: Record>(arrays: Arrays) -> Schema {
    Schema::new(root(R::TREE, arrays))
}

/// The columns of a batch of records with this tree.
pub(super) fn root(tree: &'static Node, arrays: Arrays) -> Fields {
    match type_of(tree, arrays) {
        DataType::Struct(fields) => fields,
        _ => Fields::from(vec![field(VALUE, tree, arrays)]),
    }
}

/// Returns `true` if the record is the one column `value`, and not a column for each of its fields.
pub(super) fn is_value(tree: &Node, columns: &Fields) -> bool {
    let list = |column: &Field| column.name() == VALUE && matches!(column.data_type(), DataType::FixedSizeList(..));
    matches!(tree, Node::Leaf(_)) || matches!(tree, Node::Array { .. }) && matches!(&columns[..], [only] if list(only))
}

/// The children of a struct or of an array as a struct: names, trees, and the numbers of their first leaves.
pub(super) fn children(node: &'static Node) -> Vec<(String, &'static Node, usize)> {
    let mut first = 0;
    let mut next = |name: String, node: &'static Node| {
        let child = (name, node, first);
        first += node.leaves();
        child
    };
    match node {
        Node::Branch { fields, .. } => fields.iter().map(|field| next(field.name().to_owned(), field.node())).collect(),
        Node::Array { element, len } if element.leaves() > 0 => {
            (0..*len).map(|i| next(i.to_string(), element)).collect()
        }
        // Elements without leaves have nothing to write, however many there are.
        Node::Array { .. } | Node::Leaf(_) | Node::List(..) => Vec::new(),
    }
}

pub(super) fn field(name: &str, node: &'static Node, arrays: Arrays) -> FieldRef {
    let optional = matches!(node, Node::Leaf(leaf) if is_optional(leaf) || leaf.size() == 0);
    Arc::new(Field::new(name, type_of(node, arrays), optional))
}

/// The length of an array that can be a list of Arrow: one with leaves.
pub(super) fn list_len(node: &Node) -> Option<(&'static Node, i32)> {
    match node {
        Node::Array { element, len } if *len > 0 && element.leaves() > 0 => Some((element, i32::try_from(*len).ok()?)),
        _ => None,
    }
}

/// The numbers of the first leaves of all elements of arrays that begin at these leaves.
pub(super) fn firsts_of_elements(firsts: &[usize], element: &Node, len: usize) -> Vec<usize> {
    firsts.iter().flat_map(|first| (0..len).map(move |i| first + i * element.leaves())).collect()
}

fn type_of(node: &'static Node, arrays: Arrays) -> DataType {
    match (node, arrays, list_len(node)) {
        (Node::Leaf(leaf), ..) => data_type(leaf),
        (_, Arrays::List, Some((element, len))) => DataType::FixedSizeList(field(ITEM, element, arrays), len),
        _ => DataType::Struct(children(node).iter().map(|(name, node, _)| field(name, node, arrays)).collect()),
    }
}

/// Returns an error that lists all fields in which the columns differ from those of the record.
pub(super) fn check(tree: &'static Node, columns: &Fields) -> Result<(), BatchError> {
    let mut mismatches = Vec::new();
    if is_value(tree, columns) {
        compare_fields(&[(VALUE.to_owned(), tree, 0)], columns, "", &mut mismatches);
    } else {
        compare_fields(&children(tree), columns, "", &mut mismatches);
    }
    if mismatches.is_empty() { Ok(()) } else { Err(BatchError::Schema(mismatches)) }
}

/// Returns an error unless the items of a column of lists are records with this tree.
pub(super) fn check_items(tree: &'static Node, item: &DataType, column: &str) -> Result<(), BatchError> {
    let mut mismatches = Vec::new();
    compare(tree, item, column, &mut mismatches);
    if mismatches.is_empty() { Ok(()) } else { Err(BatchError::Schema(mismatches)) }
}

fn compare_fields(
    needed: &[(String, &'static Node, usize)],
    given: &Fields,
    path: &str,
    mismatches: &mut Vec<FieldMismatch>,
) {
    // Of several fields of one name, the first counts.
    let (mut places, mut extra) = (HashMap::with_capacity(given.len()), Vec::new());
    for (at, field) in given.iter().enumerate() {
        if places.contains_key(field.name().as_str()) {
            extra.push(at);
        } else {
            places.insert(field.name().as_str(), at);
        }
    }
    let (mut moved, mut missing) = (Vec::new(), false);
    for (at, (name, node, _)) in needed.iter().enumerate() {
        let field = format!("{path}{name}");
        if let Some(found) = places.remove(name.as_str()) {
            compare(node, given[found].data_type(), &field, mismatches);
            if found != at {
                moved.push(FieldMismatch { field, difference: Difference::Order { given: found, needed: at } });
            }
        } else {
            missing = true;
            let needed = shallow(&type_of(node, Arrays::Fields));
            mismatches.push(FieldMismatch { field, difference: Difference::Missing { needed } });
        }
    }
    extra.extend(places.into_values());
    extra.sort_unstable();
    // Places mean nothing where fields are missing or extra.
    if !missing && extra.is_empty() {
        mismatches.append(&mut moved);
    }
    for extra in extra {
        let (field, given) = (format!("{path}{}", given[extra].name()), shallow(given[extra].data_type()));
        mismatches.push(FieldMismatch { field, difference: Difference::Extra { given } });
    }
}

/// Compares the type of one field, whose path is `field`.
fn compare(node: &'static Node, given: &DataType, field: &str, mismatches: &mut Vec<FieldMismatch>) {
    match (node, given, list_len(node)) {
        (Node::Branch { .. } | Node::Array { .. }, DataType::Struct(fields), _) => {
            compare_fields(&children(node), fields, &format!("{field}."), mismatches);
        }
        (_, DataType::FixedSizeList(item, len), Some((element, needed))) if *len == needed => {
            compare(element, item.data_type(), &format!("{field}[]"), mismatches);
        }
        (Node::Leaf(leaf), given, _) if data_type(leaf) == *given => (),
        _ => {
            let (given, needed) = (shallow(given), shallow(&type_of(node, Arrays::Fields)));
            mismatches.push(FieldMismatch { field: field.to_owned(), difference: Difference::Type { given, needed } });
        }
    }
}

/// The name of a type, without those of its parts.
fn shallow(data_type: &DataType) -> String {
    match data_type {
        DataType::Struct(fields) => format!("Struct of {}", fields.len()),
        DataType::FixedSizeList(_, len) => format!("FixedSizeList of {len}"),
        DataType::List(_) => "List".to_owned(),
        DataType::LargeList(_) => "LargeList".to_owned(),
        DataType::Map(..) => "Map".to_owned(),
        DataType::Union(..) => "Union".to_owned(),
        DataType::Dictionary(..) => "Dictionary".to_owned(),
        other => other.to_string(),
    }
}
