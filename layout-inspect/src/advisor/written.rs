//! The values of a view, one leaf after another.

use core::marker::PhantomData;

use layout_core::{Access, AccessMut, Blobs, Leaf, Mapping, Path, Record, Root, Scalar, ValueError, View};

/// A visitor of values.
pub(super) trait Each {
    /// Takes the value of this leaf of an element.
    fn leaf<T: Leaf>(&self, leaf: usize, value: T);
}

/// Takes all leaves of all elements, in the order of indices: views in other linearizations are walked in other orders.
pub(super) fn for_each_leaf<M: Mapping, B: Blobs>(view: &View<M, B>, each: &impl Each) {
    let mut into = M::Record::bind::<_, Root<M::Record>>(Written { each, record: PhantomData });
    view.to_vec().into_iter().for_each(|record| record.store(&mut into));
}

/// An access that passes the values written to it to a visitor.
struct Written<'w, R, F> {
    each: &'w F,
    record: PhantomData<R>,
}

impl<R, F> Clone for Written<'_, R, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, F> Copy for Written<'_, R, F> {}

impl<R: Record, F: Each> Access for Written<'_, R, F> {
    type Record = R;
    type Value<T: Leaf> = T;

    fn read<P: Path<Root = R, Type: Leaf>>(self) -> P::Type {
        unreachable!("storing a record reads nothing")
    }

    unsafe fn read_further<P: Path<Root = R, Type: Leaf>>(self, _: usize) -> P::Type {
        unreachable!("storing a record reads nothing")
    }
}

impl<R: Record, F: Each> AccessMut for Written<'_, R, F> {
    fn write<P: Path<Root = R, Type: Leaf>>(self, value: P::Type) {
        self.each.leaf(P::LEAF, value);
    }

    unsafe fn write_further<P: Path<Root = R, Type: Leaf>>(self, leaves: usize, value: P::Type) {
        self.each.leaf(P::LEAF + leaves, value);
    }

    fn check<P: Path<Root = R, Type: Leaf>>(self, _: usize, _: P::Type) -> Result<(), ValueError> {
        Ok(())
    }
}

impl<R: Record, F: Each> Scalar for Written<'_, R, F> {
    fn value<T: Leaf>(value: T) -> T {
        value
    }

    fn wrap<T: Leaf>(value: T) -> T {
        value
    }
}
