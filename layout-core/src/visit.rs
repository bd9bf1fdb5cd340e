//! The leaves of a record, one after another, each with its type.

use core::marker::PhantomData;

use crate::leaf::Leaf;
use crate::path::{Path, Root};
use crate::record::{Access, AccessMut, Record, scalar};

/// A visitor of the values of a record.
#[doc(hidden)]
pub trait LeafVisitor {
    /// Takes the value of this leaf.
    fn leaf<T: Leaf>(&self, leaf: usize, value: T);
}

/// Shows a visitor each leaf of a record.
#[doc(hidden)]
pub fn visit_leaves<R: Record>(record: R, visitor: &impl LeafVisitor) {
    record.store(&mut R::bind::<_, Root<R>>(Visited { visitor, record: PhantomData }));
}

/// An access that passes the values written to it to a visitor.
struct Visited<'v, R, V> {
    visitor: &'v V,
    record: PhantomData<R>,
}

copied!([R, V] Visited<'_, R, V>);

impl<R: Record, V: LeafVisitor> Access for Visited<'_, R, V> {
    type Record = R;
    type Value<T: Leaf> = T;

    unsafe fn read_further<P: Path<Root = R, Type: Leaf>>(self, _: usize) -> P::Type {
        unreachable!("storing a record reads nothing")
    }
}

impl<R: Record, V: LeafVisitor> AccessMut for Visited<'_, R, V> {
    unsafe fn write_further<P: Path<Root = R, Type: Leaf>>(self, leaves: usize, value: P::Type) {
        self.visitor.leaf(P::LEAF + leaves, value);
    }
}

scalar!([R: Record, V: LeafVisitor] Visited<'_, R, V>);
