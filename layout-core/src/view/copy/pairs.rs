//! Pairs of leaves: for each leaf of the target, the leaf that is copied to it.

use core::marker::PhantomData;

use crate::leaf_table::LeafTable;
use crate::path::Root;
use crate::record::{AccessMut, Record, Scalar};
use crate::sealed::Sealed;
use crate::selection::find_field;
use crate::sized;
use crate::tree::Node;

/// The number for no leaf; a record has at most 4096 leaves.
pub(super) const NONE: u16 = u16::MAX;

/// The leaves of a record `F` that are copied to leaves of a record `T`.
pub(super) trait Pairs<T: Record, F: Record> {
    /// For each leaf of `T`, the number of the leaf of `F` that is copied to it, or [`NONE`].
    const SOURCES: &'static [u16];
    /// `true` if [`copy`](Self::copy) only loads and stores leaves, so that the compiler vectorizes a loop over elements.
    const WHOLE: bool;

    /// Copies one element.
    ///
    /// # Safety
    ///
    /// The leaves of each pair are of one type.
    unsafe fn copy<A: Scalar + AccessMut<Record = T>, B: Scalar<Record = F>>(
        to: &mut T::Slots<A, Root<T>>,
        from: &F::Slots<B, Root<F>>,
    );
}

/// Each leaf is copied to itself, in one record.
pub(super) struct Same;

impl<R: Record> Pairs<R, R> for Same {
    #[expect(clippy::cast_possible_truncation, reason = "a record has at most 4096 leaves")]
    const SOURCES: &'static [u16] = sized!(LeafTable::of::<R>().count(), N => {
        let (mut sources, mut leaf) = ([0; N], 0);
        while leaf < N {
            sources[leaf] = leaf as u16;
            leaf += 1;
        }
        sources
    });
    const WHOLE: bool = true;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn copy<A: Scalar + AccessMut<Record = R>, B: Scalar<Record = R>>(
        to: &mut R::Slots<A, Root<R>>,
        from: &R::Slots<B, Root<R>>,
    ) {
        R::load(from).store(to);
    }
}

/// The choice of fields that [`View::copy_fields_from`](crate::View::copy_fields_from) copies: [`AllFields`],
/// [`TargetFields`], [`SourceFields`] or [`SharedFields`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which fields are copied",
    note = "use `AllFields`, `TargetFields`, `SourceFields` or `SharedFields` of `layout::part`"
)]
pub trait FieldChoice: Sealed {
    /// `true` if the target may have leaves that the source lacks.
    #[doc(hidden)]
    const TARGET_MAY_KEEP: bool;
    /// `true` if the source may have leaves that the target lacks.
    #[doc(hidden)]
    const SOURCE_MAY_KEEP: bool;
}

macro_rules! choices {
    ($($(#[$doc:meta])+ $choice:ident $target:literal $source:literal;)+) => {$(
        $(#[$doc])+
        ///
        /// # Examples
        ///
        /// See [`View::copy_fields_from`](crate::View::copy_fields_from).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $choice;

        impl FieldChoice for $choice {
            const TARGET_MAY_KEEP: bool = $target;
            const SOURCE_MAY_KEEP: bool = $source;
        }
    )+};
}

choices! {
    /// Copies all fields of both records, which must have the same fields, in any order.
    AllFields false false;
    /// Copies all fields of the target's record. The source may have other fields too.
    TargetFields false true;
    /// Copies all fields of the source's record. The target may have other fields too, which keep their values.
    SourceFields true false;
    /// Copies the fields that both records have. Both may have other fields; those of the target keep their values.
    SharedFields true true;
}

/// Pairs of leaves with equal paths in two records, as the choice `C` allows.
pub(super) struct ByPath<C>(PhantomData<C>);

impl<C: FieldChoice> ByPath<C> {
    /// Fails to compile if the records have no field in common, if the choice does not allow the fields that are left over, or if leaves of a
    /// pair differ in size, alignment or valid bytes.
    #[track_caller]
    pub(super) const fn assert_fields<T: Record, F: Record>() {
        if let Some(fault) = Of::<T, F, C>::FAULT {
            fault.fail();
        }
    }

    /// Checks that the leaves of each pair are of one type.
    ///
    /// Types that differ in size, alignment or valid bytes already fail to compile. Other types cannot be compared in constants yet.
    ///
    /// # Panics
    ///
    /// Panics if the leaves of a pair differ in type.
    pub(super) fn assert_types<T: Record, F: Record>() {
        for (to, from) in pairs(Of::<T, F, C>::SOURCES) {
            let (target, source) = (LeafTable::of::<T>().leaf(to), LeafTable::of::<F>().leaf(from));
            assert!(
                target.is_same_type(&source),
                "field `{}` is `{}` in the target and `{}` in the source",
                T::TREE.leaf_name(to),
                target.type_name(),
                source.type_name()
            );
        }
    }
}

impl<T: Record, F: Record, C: FieldChoice> Pairs<T, F> for ByPath<C> {
    const SOURCES: &'static [u16] = Of::<T, F, C>::SOURCES;
    const WHOLE: bool = false;

    #[inline]
    unsafe fn copy<A: Scalar + AccessMut<Record = T>, B: Scalar<Record = F>>(
        to: &mut T::Slots<A, Root<T>>,
        from: &F::Slots<B, Root<F>>,
    ) {
        let (mut target, source) = (T::load(to), F::load(from));
        let (target_leaves, source_leaves) = (LeafTable::of::<T>(), LeafTable::of::<F>());
        for (leaf, other) in pairs(Of::<T, F, C>::SOURCES) {
            let bytes = (&raw mut target).cast::<u8>().wrapping_add(target_leaves.native_offset(leaf));
            let others = (&raw const source).cast::<u8>().wrapping_add(source_leaves.native_offset(other));
            // SAFETY: `Record` promises that the leaves lie there in the structs, and the caller that they are of one
            // type, whose size this is.
            unsafe { bytes.copy_from_nonoverlapping(others, target_leaves.leaf(leaf).size()) };
        }
        target.store(to);
    }
}

/// The constants of a choice of fields for two records.
struct Of<T, F, C>(PhantomData<(T, F, C)>);

impl<T: Record, F: Record, C: FieldChoice> Of<T, F, C> {
    const SOURCES: &'static [u16] = sized!(T::TREE.leaves(), N => Table::<N>::of(T::TREE, F::TREE).sources);
    const FAULT: &'static Option<Fault> = sized!(T::TREE.leaves(), N => Table::<N>::of(T::TREE, F::TREE).fault(
        if C::TARGET_MAY_KEEP { 0 } else { T::TREE.leaves() },
        if C::SOURCE_MAY_KEEP { 0 } else { F::TREE.leaves() },
    ));
}

/// Iterates over the pairs: a leaf of the target, and a leaf of the source.
fn pairs(sources: &[u16]) -> impl Iterator<Item = (usize, usize)> {
    sources.iter().enumerate().filter(|(_, from)| **from != NONE).map(|(to, from)| (to, usize::from(*from)))
}

/// Why fields cannot be copied: the name of a field, unless it is the record itself, and the rest of a sentence.
struct Fault {
    field: &'static str,
    rest: &'static str,
}

impl Fault {
    /// Fails to compile, with one text.
    #[track_caller]
    const fn fail(&self) -> ! {
        let quote = if self.field.is_empty() { "" } else { "`" };
        let texts = [quote, self.field, quote, self.rest];
        let (mut text, mut len, mut part) = ([0; 512], 0, 0);
        while part < texts.len() {
            let (bytes, mut k) = (texts[part].as_bytes(), 0);
            while k < bytes.len() && len < text.len() {
                text[len] = bytes[k];
                (len, k) = (len + 1, k + 1);
            }
            part += 1;
        }
        match core::str::from_utf8(text.split_at(len).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("{}", self.rest),
        }
    }
}

/// The name that was found first.
const fn first(before: Option<&'static str>, name: &'static str) -> Option<&'static str> {
    if before.is_some() { before } else { Some(name) }
}

/// The sources of the target's leaves, and the number of leaves that have one. For errors: the first field that has different types in the
/// two records, and the first one that has leaves that only the target or only the source has. The name of the record itself is empty.
struct Table<const N: usize> {
    count: usize,
    sources: [u16; N],
    differs: Option<&'static str>,
    alone: [Option<&'static str>; 2],
}

impl<const N: usize> Table<N> {
    const fn of(to: &'static Node, from: &'static Node) -> Self {
        let mut table = Self { count: 0, sources: [NONE; N], differs: None, alone: [None; 2] };
        table.push("", (to, 0), (from, 0));
        table
    }

    /// The fault, if any, where at least so many leaves of the target and of the source must go together.
    const fn fault(&self, of_target: usize, of_source: usize) -> Option<Fault> {
        let (field, rest) = match (self.differs, self.alone) {
            (Some(field), _) if field.is_empty() => ("", "the two records have different types"),
            (Some(field), _) => (field, " has different types in the two records"),
            _ if self.count == 0 => ("", "the records have no field in common"),
            (_, [Some(field), _]) if self.count < of_target => (
                field,
                " of the target is not in the source, or not whole: choose `SourceFields` or `SharedFields` to keep its values",
            ),
            (_, [_, Some(field)]) if self.count < of_source => (
                field,
                " of the source is not in the target, or not whole: choose `TargetFields` or `SharedFields` to leave it out",
            ),
            _ if self.count < of_target || self.count < of_source => ("", "the records have different fields"),
            _ => return None,
        };
        Some(Fault { field, rest })
    }

    /// Adds the pairs of leaves below two nodes with the same path, which ends with that name, and whose first leaves have these numbers.
    #[expect(clippy::cast_possible_truncation, reason = "a record has at most 4096 leaves")]
    const fn push(
        &mut self,
        name: &'static str,
        (to, to_leaf): (&'static Node, usize),
        (from, from_leaf): (&'static Node, usize),
    ) {
        match (to, from) {
            (Node::Leaf(target), Node::Leaf(source)) => {
                if target.size() != source.size()
                    || target.align() != source.align()
                    || target.any_bits() != source.any_bits()
                {
                    self.differs = first(self.differs, name);
                }
                self.sources[to_leaf] = from_leaf as u16;
                self.count += 1;
            }
            (Node::Branch { fields, .. }, Node::Branch { fields: others, .. }) => {
                let mut i = 0;
                while i < fields.len() {
                    let (name, node) = (fields[i].name(), fields[i].node());
                    match find_field(Some(from), name) {
                        Some(j) => self.push(
                            name,
                            (node, to_leaf + to.first_leaf(i)),
                            (others[j].node(), from_leaf + from.first_leaf(j)),
                        ),
                        None => self.lacks(0, name, node.leaves()),
                    }
                    i += 1;
                }
                let mut j = 0;
                while j < others.len() {
                    if find_field(Some(to), others[j].name()).is_none() {
                        self.lacks(1, others[j].name(), others[j].node().leaves());
                    }
                    j += 1;
                }
            }
            (Node::Array { element, len }, Node::Array { element: other, len: others }) => {
                let mut i = 0;
                while i < *len && i < *others {
                    let (to_leaf, from_leaf) = (to_leaf + i * element.leaves(), from_leaf + i * other.leaves());
                    self.push(name, (element, to_leaf), (other, from_leaf));
                    i += 1;
                }
                self.lacks(0, name, len.saturating_sub(*others) * element.leaves());
                self.lacks(1, name, others.saturating_sub(*len) * other.leaves());
            }
            // A leaf on one side and a struct on the other: the leaves below have other paths.
            _ => {
                self.lacks(0, name, to.leaves());
                self.lacks(1, name, from.leaves());
            }
        }
    }

    /// Notes the field if so many of its leaves are in the target alone (0), or in the source alone (1).
    const fn lacks(&mut self, side: usize, name: &'static str, leaves: usize) {
        if leaves > 0 {
            self.alone[side] = first(self.alone[side], name);
        }
    }
}
