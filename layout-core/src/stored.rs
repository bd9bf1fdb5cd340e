//! What a layout stores in place of a record: a list of leaves that it makes at compile time, for a layout inside it.

use core::fmt;
use core::marker::PhantomData;

use crate::path::{Path, sealed};
use crate::record::{Record, Scalar, ScalarMut};
use crate::tree::{LeafTable, MAX_LEAVES, Node};

/// Leaves that a layout stores in place of those of a record.
///
/// A layout around another, such as `Split` or `Projected`, hands on other leaves than the record has: some of them, or
/// leaves of other types. It lists them here, and asks the inner layout to be one of [`Stored<Self>`](Stored).
///
/// # Safety
///
/// Implementors must ensure that for each leaf `i` of the record that is stored at all, [`NUMBERS[i]`](Self::NUMBERS) is
/// below the number of leaves of the table.
pub unsafe trait StoredLeaves: 'static {
    /// The record in whose place the leaves are stored.
    type Of: Record;
    /// The leaves that are stored.
    const TABLE: &'static LeafTable;
    /// For each leaf of the record the number of its (first) leaf in the table; `u16::MAX` if there is none.
    const NUMBERS: &'static [u16; MAX_LEAVES];
}

/// The record of the leaves that `T` lists: what the layout inside another one is a layout of.
///
/// No view is one of these.
pub struct Stored<T>(PhantomData<fn() -> T>);

/// The place in [`Stored<T>`](Stored) of the leaf of type `V` that is stored for leaf `P`; of its first leaf if there is
/// none for `P`.
///
/// That the leaf is of type `V` is for the layout to see to, where it reads or writes by this path.
#[allow(clippy::type_complexity, reason = "a marker")]
pub struct StoredAt<T, P, V>(PhantomData<fn() -> (T, P, V)>);

impl<T, P, V> sealed::Sealed for StoredAt<T, P, V> {}

impl<T: StoredLeaves, P: Path, V: Record> Path for StoredAt<T, P, V> {
    type Root = Stored<T>;
    type Type = V;
    // Total, since the compiler evaluates it for code that never runs, too.
    const LEAF: usize = if T::NUMBERS[P::LEAF] == u16::MAX { 0 } else { T::NUMBERS[P::LEAF] as usize };
}

// SAFETY: the tree is a list, which has no fields. Slots are a marker and reach nothing; there is no struct with these
// leaves, as `LeafTable::is_struct` says.
unsafe impl<T: StoredLeaves> Record for Stored<T> {
    const TREE: &'static Node = &Node::List(T::TABLE);
    type Origin = <T::Of as Record>::Origin;
    type Slots<A: Copy, P: Path<Type = Self>> = PhantomData<(A, P)>;

    fn bind<A: Copy, P: Path<Type = Self>>(_: A) -> Self::Slots<A, P> {
        PhantomData
    }

    fn load<A: Scalar, P: Path<Root = A::Record, Type = Self>>(_: &Self::Slots<A, P>) -> Self {
        Self(PhantomData)
    }

    fn store<A: ScalarMut, P: Path<Root = A::Record, Type = Self>>(self, _: &mut Self::Slots<A, P>) {}
}

impl<T> Clone for Stored<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Stored<T> {}

impl<T> fmt::Debug for Stored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stored")
    }
}

impl<T, P, V> Clone for StoredAt<T, P, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, P, V> Copy for StoredAt<T, P, V> {}
