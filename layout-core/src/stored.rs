//! What a layout stores in place of a record: a list of leaves that it makes at compile time, for a layout inside it.

use core::fmt;
use core::marker::PhantomData;

use crate::leaf_table::LeafTable;
use crate::path::Path;
use crate::portable::{Portable, PortableError};
use crate::record::{AccessMut, Record, Scalar};
use crate::tree::Node;

/// Leaves that a layout stores in place of those of a record.
///
/// A layout around another, such as `Split` or `Projected`, hands on other leaves than the record has: some of them, or
/// leaves of other types. It lists them here, and asks the inner layout to be one of [`Stored<Self>`](Stored).
///
/// # Examples
///
/// The other way round: what a layout that reverses the leaves of a record stores. [`sized!`](crate::sized) keeps the
/// table as small as the record.
///
/// ```
/// use layout_core::{LeafEntry, LeafTable, Record, Stored, StoredLeaves, sized};
/// use std::marker::PhantomData;
///
/// struct Reversed<R>(PhantomData<fn() -> R>);
///
/// impl<R: Record> StoredLeaves for Reversed<R> {
///     type Of = R;
///     const TABLE: &'static LeafTable = sized!(LeafTable::of::<R>().count(), N => {
///         let (all, mut table) = (LeafTable::of::<R>(), LeafTable::<[LeafEntry; N]>::EMPTY);
///         let mut leaf = all.count();
///         while leaf > 0 {
///             leaf -= 1;
///             table.append(all.leaf(leaf), all.origin(leaf));
///         }
///         table
///     });
/// }
///
/// let table = LeafTable::of::<Stored<Reversed<[u16; 3]>>>();
/// assert_eq!((table.count(), table.origin(0), table.is_struct()), (3, 2, false));
/// ```
pub trait StoredLeaves: 'static {
    /// The record in whose place the leaves are stored.
    type Of: Record;
    /// The leaves that are stored, appended one by one: the table of a record, which is that of a struct, does not compile.
    ///
    /// ```compile_fail,E0080
    /// # use layout_core::{LeafTable, Stored, StoredLeaves};
    /// struct All;
    ///
    /// impl StoredLeaves for All {
    ///     type Of = [u64; 4];
    ///     const TABLE: &'static LeafTable = LeafTable::of::<[u64; 4]>();
    /// }
    ///
    /// LeafTable::of::<Stored<All>>();
    /// ```
    const TABLE: &'static LeafTable;
}

/// The record of the leaves that `T` lists: what the layout inside another one is a layout of.
///
/// No view is one of these.
pub struct Stored<T>(PhantomData<fn() -> T>);

// SAFETY: the tree is a list, which has no fields. Slots are a marker and reach nothing; there is no struct with these
// leaves, as `LeafTable::is_struct` says, whoever made the list.
unsafe impl<T: StoredLeaves> Record for Stored<T> {
    const TREE: &'static Node = {
        assert!(
            !T::TABLE.is_struct(),
            "a layout stores leaves that it lists by `LeafTable::append`, not those of a struct"
        );
        &Node::List(T::TABLE)
    };
    type Origin = <T::Of as Record>::Origin;
    type Slots<A: Copy, P: Path<Type = Self>> = PhantomData<(A, P)>;

    fn bind<A: Copy, P: Path<Type = Self>>(_: A) -> Self::Slots<A, P> {
        PhantomData
    }

    fn load<A: Scalar, P: Path<Root = A::Record, Type = Self>>(_: &Self::Slots<A, P>) -> Self {
        Self(PhantomData)
    }

    fn store<A: Scalar + AccessMut, P: Path<Root = A::Record, Type = Self>>(self, _: &mut Self::Slots<A, P>) {}
}

impl<T: StoredLeaves> Portable for Stored<T> {
    fn write(&self, _: &mut impl Extend<u8>) {}

    fn read(_: &mut &[u8]) -> Result<Self, PortableError> {
        Ok(Self(PhantomData))
    }
}

copied!([T] Stored<T>);

impl<T> fmt::Debug for Stored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stored")
    }
}
