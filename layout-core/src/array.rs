//! Slots of an array inside a record; a run-time index may choose an element.

use core::fmt;
use core::marker::PhantomData;

use crate::path::{Child, Naming, Path, Select, assert_exists, slots_of};
use crate::record::{Access, AccessMut, Borrowed, Field, Record, Scalar};
use crate::tree::Node;

/// The accessor of an array `[T; N]` inside a record.
///
/// [`at`](Self::at) and [`at_mut`](Self::at_mut) choose an element at run time, [`element`](Self::element)
/// and [`element_mut`](Self::element_mut) at compile time.
///
/// The elements may be leaves or branches. An index at run time finds a leaf through a table; an index at compile time
/// is a constant offset.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let mut view = alloc::<[[u32; 2]; 3], SoA, _>(5)?;
/// let mut slots = view.at_mut(4);
/// for i in 0..slots.len() {
///     slots.at_mut(i).element_mut::<1>().set(10 * i as u32);
/// }
/// assert_eq!(slots.load(), [[0, 0], [0, 10], [0, 20]]);
/// assert_eq!(view.at(4).at(2).at(1).get(), 20);
/// # Ok::<(), ViewError>(())
/// ```
#[repr(transparent)]
pub struct ArraySlots<A, P> {
    access: A,
    path: PhantomData<P>,
}

/// The slots of element `I` of the array at `P`.
type ElementSlots<A, P, const I: usize> = <<Child<P, I> as Path>::Type as Record>::Slots<A, Child<P, I>>;

/// The slots of the place `P`.
#[cfg_attr(not(unoptimized), inline(always))]
fn bind<A: Copy, P: Path>(access: A) -> <P::Type as Record>::Slots<A, P> {
    <P::Type as Record>::bind(access)
}

impl<A: Copy, P: Path> ArraySlots<A, P> {
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) fn new(access: A) -> Self {
        Self { access, path: PhantomData }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) fn access(&self) -> A {
        self.access
    }

    /// The number of elements.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub const fn len(&self) -> usize {
        match <P::Type as Record>::TREE {
            Node::Array { len, .. } => *len,
            _ => 0,
        }
    }

    /// Returns `true` if the array has no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<P: Path> ArraySlots<Naming, P> {
    /// The path of element `I`; an index that is out of range does not compile.
    #[must_use]
    pub const fn element<const I: usize>(&self) -> ElementSlots<Naming, P, I>
    where
        P::Type: Field<I>,
    {
        const { assert_exists::<Child<P, I>>() };
        slots_of::<Child<P, I>>()
    }
}

impl<A: Access, P: Path<Root = A::Record>> ArraySlots<A, P> {
    /// The read-only slots of element `I`; an index that is out of range does not compile.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn element<const I: usize>(&self) -> ElementSlots<Borrowed<'_, A>, P, I>
    where
        P::Type: Field<I>,
    {
        const { assert_exists::<Child<P, I>>() };
        // SAFETY: the leaves are those of the element itself.
        bind::<_, Child<P, I>>(unsafe { Borrowed::new(self.access, 0) })
    }

    /// The writable slots of element `I`; an index that is out of range does not compile.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn element_mut<'s, const I: usize>(&'s mut self) -> ElementSlots<Borrowed<'s, A, &'s mut ()>, P, I>
    where
        A: AccessMut,
        P::Type: Field<I>,
    {
        const { assert_exists::<Child<P, I>>() };
        // SAFETY: the leaves are those of the element itself.
        bind::<_, Child<P, I>>(unsafe { Borrowed::new(self.access, 0) })
    }

    /// The read-only slots of element `index`.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below the array's length.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    #[track_caller]
    pub fn at(&self, index: usize) -> ElementSlots<Borrowed<'_, A>, P, 0>
    where
        P::Type: Field<0>,
    {
        bind::<_, Child<P, 0>>(self.element_at(index))
    }

    /// The writable slots of element `index`.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below the array's length.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    #[track_caller]
    pub fn at_mut<'s>(&'s mut self, index: usize) -> ElementSlots<Borrowed<'s, A, &'s mut ()>, P, 0>
    where
        A: AccessMut,
        P::Type: Field<0>,
    {
        bind::<_, Child<P, 0>>(self.element_at(index))
    }

    /// The access through which the paths of element 0 reach element `index`.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub(crate) fn element_at<'s, K>(&self, index: usize) -> Borrowed<'s, A, K> {
        // A constant, since the compiler does not fold walks over the tree, and would walk it at each access.
        let (len, leaves) = const {
            let Node::Array { element, len } = <P::Type as Record>::TREE else { panic!("slots of an array") };
            (*len, element.leaves())
        };
        assert!(index < len, "index {index} is out of range for an array of length {len}");
        // SAFETY: `index` is below the length, and the elements of an array have equal trees, one after
        // another: the leaf that many leaves after one of element 0 is its twin in element `index`.
        unsafe { Borrowed::new(self.access, index * leaves) }
    }
}

impl<A: Scalar, P: Path<Root = A::Record>> ArraySlots<A, P> {
    /// Reads the whole array.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn load<T: Record, const N: usize>(&self) -> [T; N]
    where
        P: Path<Type = [T; N]>,
    {
        Record::load(self)
    }

    /// Writes the whole array.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn store<T: Record, const N: usize>(&mut self, value: [T; N])
    where
        A: AccessMut,
        P: Path<Type = [T; N]>,
    {
        value.store(self);
    }
}

impl<A: Scalar, P, T: Record + fmt::Debug, const N: usize> fmt::Debug for ArraySlots<A, P>
where
    P: Path<Root = A::Record, Type = [T; N]>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load().fmt(f)
    }
}

impl<P: Path> Select for ArraySlots<Naming, P> {
    type Path = P;
}
