//! Selections: sets of leaves of a record, chosen by type.

use crate::leaf_set::LeafSet;
use crate::path::Path;
use crate::record::Record;
use crate::tree::Node;

/// A set of leaves of the record `R`: a path, or a tuple of up to eight selections.
///
/// The macro [`path!`](crate::path!) makes the type of a path from field names.
///
/// # Examples
///
/// ```
/// use layout::record::Selection;
/// use layout::{Record, path};
///
/// #[derive(Clone, Copy, Record)]
/// struct Particle { pos: [f32; 3], vel: [f32; 3], mass: f32 }
///
/// type Hot = (path!(Particle, pos), path!(Particle, vel[2]));
/// assert_eq!(<Hot as Selection<Particle>>::LEAVES.count(), 4);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` selects no leaves of `{R}`",
    note = "select by `path!({R}, field)`, or by a tuple of such paths"
)]
pub trait Selection<R: Record>: 'static {
    /// The selected leaves.
    const LEAVES: LeafSet;
}

#[diagnostic::do_not_recommend]
impl<R: Record, P: Path<Root = R>> Selection<R> for P {
    const LEAVES: LeafSet = LeafSet::of::<P>();
}

macro_rules! tuples {
    ($(($($s:ident)*))+) => {$(
        impl<R: Record, $($s: Selection<R>),*> Selection<R> for ($($s,)*) {
            const LEAVES: LeafSet = LeafSet::EMPTY$(.or(&$s::LEAVES))*;
        }
    )+};
}

tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

/// The type of the path to a leaf or a branch, from its name: `path!(Particle, pos.x)`, `path!(Event, tracks[2].charge)`.
///
/// A name that the record does not have is a compile error. The record must be a type that uses no generic parameters of the surrounding
/// function or impl. For a tuple inside a tuple, separate the two numbers by a space: `path!(Pair, 0 .1)`.
///
/// # Examples
///
/// ```
/// use layout::{Path, Record, path};
///
/// #[derive(Clone, Copy, Record)]
/// struct Particle { pos: [f32; 2], mass: f32 }
///
/// assert_eq!(<path!(Particle, pos[1])>::LEAF, 1);
/// assert_eq!(<path!(Particle, mass)>::LEAF, 2);
/// assert_eq!(<path!([Particle; 2], [1].mass)>::LEAF, 5);
/// ```
#[macro_export]
macro_rules! path {
    ($record:ty, [$index:expr] $($path:tt)*) => {
        $crate::path!(
            @ ($record, [$index] $($path)*)
            [$crate::Root<$record>] [$crate::__private::Option::Some(<$record as $crate::Record>::TREE)]
            [$index] $($path)*
        )
    };
    ($record:ty, $($path:tt)+) => {
        $crate::path!(
            @ ($record, $($path)+)
            [$crate::Root<$record>] [$crate::__private::Option::Some(<$record as $crate::Record>::TREE)]
            . $($path)+
        )
    };
    (@ $whole:tt [$path:ty] [$node:expr] . $name:tt $($rest:tt)*) => {
        $crate::path!(
            @ $whole
            [$crate::Child<$path, { $crate::field_number(
                $node,
                $crate::__private::stringify!($name),
                $crate::__private::concat!(
                    "there is no field `", $crate::__private::stringify!($name), "`: path!",
                    $crate::__private::stringify!($whole),
                ),
            ) }>]
            [$crate::field_node($node, $crate::__private::stringify!($name))]
            $($rest)*
        )
    };
    (@ $whole:tt [$path:ty] [$node:expr] [$index:expr] $($rest:tt)*) => {
        $crate::path!(
            @ $whole
            [$crate::Child<$path, { $crate::element_number(
                $node,
                $index,
                $crate::__private::concat!(
                    "there is no element `[", $crate::__private::stringify!($index), "]`: path!",
                    $crate::__private::stringify!($whole),
                ),
            ) }>]
            [$crate::element_node($node, $index)]
            $($rest)*
        )
    };
    (@ $whole:tt [$path:ty] [$node:expr]) => { $path };
}

/// The number of the field with this name. Panics with the message `otherwise` if there is none.
///
/// Behind a mistake, which is reported there, there is no node, and the number is 0.
#[doc(hidden)]
#[must_use]
pub const fn field_number(node: Option<&Node>, name: &str, otherwise: &str) -> usize {
    match (node, find_field(node, name)) {
        (None, _) => 0,
        (_, Some(number)) => number,
        _ => panic!("{}", otherwise),
    }
}

/// The number of an array element. Panics with the message `otherwise` if the array does not have the element.
///
/// Behind a mistake, which is reported there, there is no node, and the number is 0.
#[doc(hidden)]
#[must_use]
pub const fn element_number(node: Option<&Node>, number: usize, otherwise: &str) -> usize {
    match node {
        None => 0,
        Some(Node::Array { len, .. }) if number < *len => number,
        _ => panic!("{}", otherwise),
    }
}

/// The tree of the field with this name.
#[doc(hidden)]
#[must_use]
pub const fn field_node(node: Option<&'static Node>, name: &str) -> Option<&'static Node> {
    match (node, find_field(node, name)) {
        (Some(Node::Branch { fields, .. }), Some(number)) => Some(fields[number].node()),
        _ => None,
    }
}

/// The tree of element number `number` of an array.
#[doc(hidden)]
#[must_use]
pub const fn element_node(node: Option<&'static Node>, number: usize) -> Option<&'static Node> {
    match node {
        Some(Node::Array { element, len }) if number < *len => Some(*element),
        _ => None,
    }
}

/// The number of the field with this name, which may be raw.
pub(crate) const fn find_field(node: Option<&Node>, name: &str) -> Option<usize> {
    let name = match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    };
    if let Some(Node::Branch { fields, .. }) = node {
        let mut i = 0;
        while i < fields.len() {
            if fields[i].has_name(name) {
                return Some(i);
            }
            i += 1;
        }
    }
    None
}
