//! Paths: places in a record tree, as types.

use core::marker::PhantomData;

use crate::invariant::Invariant;
use crate::record::{Field, Record};
use crate::sealed::Sealed;

/// A place in the tree of the record `Root`: a leaf, or a branch with everything below it.
///
/// Only [`Root`] and [`Child`] are paths. The derive uses them in its slots and in `PATHS`, so user code names fields
/// and never writes numbers.
///
/// # Examples
///
/// ```
/// use layout::Path;
/// use layout::record::{Child, Root};
///
/// type Last = Child<Child<Root<[[f32; 2]; 3]>, 2>, 1>;
/// assert_eq!(Last::LEAF, 5);
/// ```
pub trait Path: Copy + Send + Sync + Sealed + 'static {
    /// The record that the path starts from.
    type Root: Record;
    /// The type at the end of the path.
    type Type: Record;
    /// The number of the place's first leaf, in declaration order of the root's leaves.
    const LEAF: usize;
    /// `true` if the place exists: an element of an array exists if its number is below the array's length.
    #[doc(hidden)]
    const EXISTS: bool = true;
}

/// Panics for a path to an element that an array does not have.
#[track_caller]
pub(crate) const fn assert_exists<P: Path>() {
    assert!(P::EXISTS, "array index out of range: the index is not below the array's length");
}

/// The whole record `R`.
///
/// # Examples
///
/// ```
/// assert_eq!(<layout::record::Root<[f32; 3]> as layout::Path>::LEAF, 0);
/// ```
pub struct Root<R>(Invariant<R>);

/// Field number `I` (or array element `I`) of the place `P`.
///
/// # Examples
///
/// ```
/// use layout::Path;
/// use layout::record::{Child, Root};
///
/// assert_eq!(Child::<Root<[f32; 3]>, 2>::LEAF, 2);
/// ```
pub struct Child<P, const I: usize>(Invariant<P>);

impl<R: Record> Path for Root<R> {
    type Root = R;
    type Type = R;
    const LEAF: usize = 0;
}

impl<P: Path, const I: usize> Path for Child<P, I>
where
    P::Type: Field<I>,
{
    type Root = P::Root;
    type Type = <P::Type as Field<I>>::Type;
    // Defined for every `I`, since the compiler also evaluates it for code that never runs.
    const LEAF: usize = P::LEAF + if Self::EXISTS { <P::Type as Record>::TREE.first_leaf(I) } else { 0 };
    const EXISTS: bool = P::EXISTS && I < <P::Type as Record>::TREE.children();
}

impl<P, const I: usize> Child<P, I> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

copied!([R] Root<R>);
copied!([P, const I: usize] Child<P, I>);

/// The access of a path value. It names a place and reaches no memory.
///
/// `Particle::PATHS.pos.x` is a slot over this access.
#[derive(Clone, Copy, Debug)]
pub struct Naming(());

/// A path value, such as `Particle::PATHS.pos.x`. It selects a leaf or a branch of the path's `Root`.
///
/// # Examples
///
/// ```
/// use layout::Path;
/// use layout::record::Select;
///
/// fn leaf<S: Select>(_: S) -> usize {
///     S::Path::LEAF
/// }
/// let array = layout::paths::<[f32; 4]>();
/// assert_eq!(leaf(array.element::<3>()), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no path value",
    note = "select a leaf or a branch with the record's `PATHS`, for example `Particle::PATHS.pos.x`"
)]
pub trait Select {
    /// The selected place.
    type Path: Path;
}

/// The path values of `R`: a struct with the record's own field names.
///
/// `#[derive(Record)]` also defines them as the constant `PATHS` of the record.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let mut view = alloc::<[u8; 3], SoA, _>(4)?;
/// view.field_mut(layout::paths::<[u8; 3]>().element::<2>()).fill(7);
/// assert_eq!(view.load(0), [0, 0, 7]);
/// # Ok::<(), ViewError>(())
/// ```
#[must_use]
pub const fn paths<R: Record>() -> R::Slots<Naming, Root<R>> {
    slots_of::<Root<R>>()
}

/// The path values below the place `P`.
pub(crate) const fn slots_of<P: Path>() -> <P::Type as Record>::Slots<Naming, P> {
    const {
        assert!(
            size_of::<<P::Type as Record>::Slots<Naming, P>>() == 0,
            "slots hold accesses and markers, and nothing else"
        );
    }
    let slots = core::ptr::NonNull::<<P::Type as Record>::Slots<Naming, P>>::dangling();
    // SAFETY: reading a zero-sized value from an aligned dangling pointer is allowed, and `Record`
    // promises that its slots are made of accesses and markers only, so that the zero-sized value
    // over the zero-sized access `Naming` exists and has no invariant of its own.
    unsafe { slots.read() }
}
