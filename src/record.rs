//! Records as trees: nodes, leaves and their types, and paths to them.
//!
//! [`Record`](trait@crate::Record), [`Leaf`](crate::Leaf), [`Path`](crate::Path), [`path!`](crate::path!) and
//! [`paths`](crate::paths()) are at the root.
//!
//! * Trees: a [`Node`] is a branch of [`FieldNode`]s, an array, or a [`LeafNode`]. A [`LeafTable`] lists the leaves, each as a
//!   [`LeafEntry`] with a [`LeafKind`]; a [`LeafSet`] has some of them, and [`LeafName`] displays one. There are at most [`MAX_LEAVES`].
//! * Types of fields: [`Field`]; [`PodLeaf`], [`PlainData`] and [`CheckedData`] for leaves of other crates' types; [`Portable`].
//! * Paths: [`Root`] and [`Child`] are the types, [`Select`] the values, and [`Naming`] is their access. A [`Selection`] is a path or
//!   a tuple of paths.
//!
//! # Examples
//!
//! ```
//! use layout::Record;
//! use layout::record::{LeafTable, Node};
//!
//! #[derive(Clone, Copy, Record)]
//! struct Sample { time: f64, hits: [u16; 3] }
//!
//! let Node::Branch { fields, .. } = Sample::TREE else { panic!("a struct is a branch") };
//! assert_eq!((fields[0].name(), fields[1].name()), ("time", "hits"));
//! assert_eq!(LeafTable::of::<Sample>().leaf(1).size(), 2);
//! ```

#[doc(inline)]
pub use layout_core::{
    CheckedData, Child, Field, FieldNode, LeafEntry, LeafKind, LeafName, LeafNode, LeafSet, LeafTable, MAX_LEAVES,
    Naming, Node, PlainData, PodLeaf, Portable, Root, Select, Selection,
};
