//! Records that are elements of arrays of `ndarray`: leaves, and arrays of leaves.

use layout_core::{ArraySlots, Child, Field, IndexArray, Leaf, Naming, Node, Path, Record, Root, Slot};
use ndarray::{Dimension, IxDyn};

/// An index of a view, `[usize; N]`, with the dimension type of `ndarray` for it: `Ix0` to `Ix6`, else `IxDyn`.
#[doc(hidden)]
pub trait ArrayIndex: IndexArray {
    type Dim: Dimension;
}

macro_rules! array_index {
    ($($rank:literal => $dim:ty),+) => {$(
        impl ArrayIndex for [usize; $rank] {
            type Dim = $dim;
        }
    )+};
}

array_index!(0 => ndarray::Ix0, 1 => ndarray::Ix1, 2 => ndarray::Ix2, 3 => ndarray::Ix3, 4 => ndarray::Ix4);
array_index!(5 => ndarray::Ix5, 6 => ndarray::Ix6, 7 => IxDyn, 8 => IxDyn);

/// A record that is one leaf, or an array of such records.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a leaf nor an array of leaves, and no element of an array of ndarray",
    note = "convert each leaf by itself: `view.field(Particle::PATHS.mass).into_ndarray()`"
)]
pub trait LeafArray: Record {
    /// The type of the leaves.
    type Leaf: Leaf;
    /// The first leaf.
    type First: Path<Root = Self, Type = Self::Leaf>;
    /// The dimension type `D` with one more axis for each array.
    type Dim<D: Dimension>: Dimension;

    /// The leaves of all records, in order.
    fn leaves(records: Vec<Self>) -> Vec<Self::Leaf>;
}

impl<R: Record, T: Leaf, F: Path<Root = R, Type = T>> LeafArray for R
where
    R::Slots<Naming, Root<R>>: LeafAxes<Place = Root<R>, Leaf = T, First = F>,
{
    type Leaf = T;
    type First = F;
    type Dim<D: Dimension> = <R::Slots<Naming, Root<R>> as LeafAxes>::Dim<D>;

    fn leaves(records: Vec<R>) -> Vec<T> {
        <R::Slots<Naming, Root<R>> as LeafAxes>::leaves(records)
    }
}

/// The path values of a [`LeafArray`]. Path values of leaves and of arrays have different types, by which the compiler tells the impls
/// apart; records do not tell them apart.
///
/// ```compile_fail,E0277
/// use layout::Record;
/// use layout::interop::ndarray::LeafAxes;
/// use layout::record::{Child, Naming, Root};
///
/// #[derive(Clone, Copy, Record)]
/// struct One { a: u32 }
///
/// // Another leaf than the first one.
/// impl LeafAxes for <One as Record>::Slots<Naming, Child<Root<[One; 3]>, 0>> {
///     type Place = Child<Root<[One; 3]>, 0>;
///     type Leaf = u32;
///     type First = Child<Child<Root<[One; 3]>, 2>, 0>;
///     type Dim<D: ndarray::Dimension> = D;
///     fn leaves(records: Vec<One>) -> Vec<u32> {
///         records.iter().map(|one| one.a).collect()
///     }
/// }
/// ```
#[doc(hidden)]
pub trait LeafAxes: sealed::Sealed {
    type Place: Path;
    type Leaf: Leaf;
    type First: Path;
    type Dim<D: Dimension>: Dimension;
    fn leaves(records: Vec<<Self::Place as Path>::Type>) -> Vec<Self::Leaf>;
}

impl<P: Path<Type: Leaf>> LeafAxes for Slot<Naming, P> {
    type Place = P;
    type Leaf = P::Type;
    type First = P;
    type Dim<D: Dimension> = D;

    fn leaves(records: Vec<P::Type>) -> Vec<P::Type> {
        records
    }
}

impl<P, T, const N: usize> LeafAxes for ArraySlots<Naming, P>
where
    P: Path<Type = [T; N]>,
    T: Record,
    [T; N]: Field<0, Type = T>,
    T::Slots<Naming, Child<P, 0>>: LeafAxes<Place = Child<P, 0>>,
{
    type Place = P;
    type Leaf = <T::Slots<Naming, Child<P, 0>> as LeafAxes>::Leaf;
    type First = <T::Slots<Naming, Child<P, 0>> as LeafAxes>::First;
    type Dim<D: Dimension> = <T::Slots<Naming, Child<P, 0>> as LeafAxes>::Dim<D::Larger>;

    fn leaves(records: Vec<[T; N]>) -> Vec<Self::Leaf> {
        <T::Slots<Naming, Child<P, 0>> as LeafAxes>::leaves(records.into_flattened())
    }
}

/// Only these two have [`LeafAxes`].
mod sealed {
    use super::{ArraySlots, Naming, Slot};

    #[expect(unnameable_types, reason = "its implementors are listed here")]
    pub trait Sealed {}
    impl<P> Sealed for Slot<Naming, P> {}
    impl<P> Sealed for ArraySlots<Naming, P> {}
}

/// The lengths of the arrays that a record is.
pub(super) fn lens(mut node: &'static Node) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let Node::Array { element, len } = node else { return None };
        node = element;
        Some(*len)
    })
}
