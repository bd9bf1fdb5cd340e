//! Pairs of leaves: for each leaf of the target, the leaf that is copied to it.

use core::marker::PhantomData;

use crate::leaf_table::LeafTable;
use crate::path::Root;
use crate::record::{AccessMut, Record, Scalar};
use crate::sealed::Sealed;
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

    #[inline(always)]
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
    /// The sources of all leaves. Fails to compile if the choice does not allow the fields that are left over.
    const fn sources<T: Record, F: Record>() -> &'static [u16] {
        struct Of<T, F, C>(PhantomData<(T, F, C)>);
        impl<T: Record, F: Record, C: FieldChoice> Of<T, F, C> {
            const SOURCES: &'static [u16] = sized!(T::TREE.leaves(), N => {
                let mut table = Table { count: 0, sources: [NONE; N] };
                table.push(T::TREE, 0, F::TREE, 0);
                assert!(table.count > 0, "the records have no field in common");
                assert!(
                    C::TARGET_MAY_KEEP || table.count == T::TREE.leaves(),
                    "the target has a field that the source lacks: choose `SourceFields` or `SharedFields` to keep its values"
                );
                assert!(
                    C::SOURCE_MAY_KEEP || table.count == F::TREE.leaves(),
                    "the source has a field that the target lacks: choose `TargetFields` or `SharedFields` to leave it out"
                );
                table.sources
            });
        }
        Of::<T, F, C>::SOURCES
    }

    /// Checks that the leaves of each pair are of one type.
    ///
    /// Types that differ in size, alignment or valid bytes already fail to compile. Other types cannot be compared in constants yet.
    ///
    /// # Panics
    ///
    /// Panics if the leaves of a pair differ in type.
    pub(super) fn assert_types<T: Record, F: Record>() {
        for (to, from) in pairs(const { Self::sources::<T, F>() }) {
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
    const SOURCES: &'static [u16] = Self::sources::<T, F>();
    const WHOLE: bool = false;

    #[inline]
    unsafe fn copy<A: Scalar + AccessMut<Record = T>, B: Scalar<Record = F>>(
        to: &mut T::Slots<A, Root<T>>,
        from: &F::Slots<B, Root<F>>,
    ) {
        let (mut target, source) = (T::load(to), F::load(from));
        let (target_leaves, source_leaves) = (LeafTable::of::<T>(), LeafTable::of::<F>());
        for (leaf, other) in pairs(const { Self::sources::<T, F>() }) {
            let bytes = (&raw mut target).cast::<u8>().wrapping_add(target_leaves.native_offset(leaf));
            let others = (&raw const source).cast::<u8>().wrapping_add(source_leaves.native_offset(other));
            // SAFETY: `Record` promises that the leaves lie there in the structs, and the caller that they are of one
            // type, whose size this is.
            unsafe { bytes.copy_from_nonoverlapping(others, target_leaves.leaf(leaf).size()) };
        }
        target.store(to);
    }
}

/// Iterates over the pairs: a leaf of the target, and a leaf of the source.
fn pairs(sources: &[u16]) -> impl Iterator<Item = (usize, usize)> {
    sources.iter().enumerate().filter(|(_, from)| **from != NONE).map(|(to, from)| (to, usize::from(*from)))
}

/// The sources of the target's leaves, and the number of leaves that have one.
struct Table<const N: usize> {
    count: usize,
    sources: [u16; N],
}

impl<const N: usize> Table<N> {
    /// Adds the pairs of leaves below two nodes with the same path, whose first leaves have these numbers.
    #[expect(clippy::cast_possible_truncation, reason = "a record has at most 4096 leaves")]
    const fn push(&mut self, to: &Node, to_leaf: usize, from: &Node, from_leaf: usize) {
        match (to, from) {
            (Node::Leaf(target), Node::Leaf(source)) => {
                assert!(
                    target.size() == source.size()
                        && target.align() == source.align()
                        && target.any_bits() == source.any_bits(),
                    "a field has different types in the two records"
                );
                self.sources[to_leaf] = from_leaf as u16;
                self.count += 1;
            }
            (Node::Branch { fields, .. }, Node::Branch { fields: others, .. }) => {
                let mut i = 0;
                while i < fields.len() {
                    let mut j = 0;
                    while j < others.len() {
                        if fields[i].has_name(others[j].name()) {
                            let (to_leaf, from_leaf) = (to_leaf + to.first_leaf(i), from_leaf + from.first_leaf(j));
                            self.push(fields[i].node(), to_leaf, others[j].node(), from_leaf);
                        }
                        j += 1;
                    }
                    i += 1;
                }
            }
            (Node::Array { element, len }, Node::Array { element: other, len: others }) => {
                let mut i = 0;
                while i < *len && i < *others {
                    self.push(element, to_leaf + i * element.leaves(), other, from_leaf + i * other.leaves());
                    i += 1;
                }
            }
            // A leaf on one side and a struct on the other: the leaves below have other paths.
            _ => {}
        }
    }
}
