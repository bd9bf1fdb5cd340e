//! Stored leaves: a list of leaves that a layout makes at compile time, and hands to a layout inside it in place of a record.

use core::fmt;
use core::marker::PhantomData;

use crate::invariant::Invariant;
use crate::leaf_table::LeafTable;
use crate::path::Path;
use crate::portable::{Portable, PortableError};
use crate::record::{AccessMut, Record, Scalar};
use crate::tree::Node;

/// The leaves that a layout stores in place of a record's own leaves.
///
/// A layout around another one, such as `Split` or `Projected`, passes on other leaves than the record has: some of them, or leaves of
/// other types. It lists them here, and requires the inner layout to be a layout of [`Stored<Self>`](Stored).
///
/// # Examples
///
/// A layout that stores the leaves of a record in reverse order lists them as follows. [`sized!`](crate::sized) keeps
/// the table as small as the record.
///
/// ```
/// use layout::Record;
/// use layout::author::{Stored, StoredLeaves, sized};
/// use layout::record::{LeafEntry, LeafTable};
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
    /// The record whose leaves are replaced.
    type Of: Record;
    /// The stored leaves, appended one by one. The table of a struct does not compile here.
    ///
    /// ```compile_fail,E0080
    /// # use layout::author::{Stored, StoredLeaves};
    /// # use layout::record::LeafTable;
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

/// The record made of the leaves that `T` lists; the layout inside another layout is a layout of this record.
///
/// There are no views of it.
pub struct Stored<T>(Invariant<T>);

// SAFETY: the tree is a list, which has no fields. Slots are a marker and reach nothing; there is no struct with these
// leaves, as `LeafTable::is_struct` says, whoever made the list.
unsafe impl<T: StoredLeaves> Record for Stored<T> {
    const TREE: &'static Node = {
        assert!(
            !T::TABLE.is_struct(),
            "a layout stores leaves that it lists by `LeafTable::append`, not those of a struct"
        );
        &Node::List(T::TABLE, <Self::Origin as Record>::TREE)
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
