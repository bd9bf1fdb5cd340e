//! Records, and the accesses that reach their leaves.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::array::ArraySlots;
use crate::bind::{Held, MOST, each, fill};
use crate::error::ValueError;
use crate::leaf::Leaf;
use crate::path::{Child, Path};
use crate::plain::{OTHER_SIZE, PlainData};
use crate::portable::Portable;
use crate::slot::Slot;
use crate::tree::{FieldNode, Node};

/// A struct whose leaves a mapping may place anywhere. Implement it with `#[derive(Record)]`.
///
/// # Safety
///
/// Implementors must ensure:
/// * [`TREE`](Self::TREE) describes the type: each stored field in declaration order, with its byte offset and the tree of
///   the type that it is stored as, and agrees with the [`Field`] impls;
/// * [`Slots`](Self::Slots) hold the slots of the fields, at their [`Child`](crate::Child) paths, and markers, and nothing
///   else, so that each leaf is reached by one of them;
/// * [`store`](Self::store) writes each leaf that the slots reach;
/// * [`bind`](Self::bind), where it is not the provided one, hands the access on to the fields and does not copy it elsewhere.
///
/// Callers may rely on: a path below `Root<Self>` names the leaf of `TREE` whose type is the path's.
///
/// # Examples
///
/// ```
/// use layout::Record;
///
/// assert_eq!(<[f32; 3]>::TREE.leaves(), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a record nor a leaf",
    label = "this type has no record tree",
    note = "a struct becomes a record by `#[derive(Clone, Copy, Record)]`; plain data becomes a leaf by adding `#[record(leaf)]`; for a generic parameter write the bound `T: Record`"
)]
pub unsafe trait Record: Portable + Copy + Send + Sync + 'static {
    /// The record's tree.
    const TREE: &'static Node;

    /// An uninitialized value, in which the derive measures the offsets of fields.
    #[doc(hidden)]
    const BYTES: MaybeUninit<Self> = MaybeUninit::uninit();

    /// The slot of a leaf, for [`bind`](Self::bind). The derive's output calls this function, so a `Slot` from elsewhere does not compile.
    #[doc(hidden)]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn slot<A: Copy, P: Path<Type = Self>>(access: A) -> Slot<A, P> {
        Slot::new(access)
    }

    /// The record that these leaves belong to: `Self`, except for [`Stored`](crate::Stored), which a layout makes from another record.
    type Origin: Record;

    /// A struct with this record's field names; its fields reach the leaves at `P` through `A`.
    type Slots<A: Copy, P: Path<Type = Self>>;

    /// Makes the slots of the place `P` for the element that `access` reaches.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn bind<A: Copy, P: Path<Type = Self>>(access: A) -> Self::Slots<A, P> {
        const {
            let (size, align) = (size_of::<Self::Slots<A, P>>(), align_of::<Self::Slots<A, P>>());
            assert!(size == Held::<Self>::COUNT * size_of::<A>(), "slots hold accesses and markers, and nothing else");
            assert!(size == 0 || align == align_of::<A>(), "slots hold accesses and markers, and nothing else");
            assert!(
                Held::<Self>::COUNT <= MOST * MOST,
                "a record has at most 4096 leaves: make a large array a leaf of its own"
            );
        }
        let mut slots = MaybeUninit::<Self::Slots<A, P>>::uninit();
        let first = slots.as_mut_ptr().cast::<A>();
        // A constant chooses the function, since the compiler also compiles a branch that is never taken.
        if let Some(fill) = const { only(Held::<Self>::COUNT > 16, fill::<Self, A> as unsafe fn(_, _, &usize)) } {
            // A variable, since the compiler would substitute a constant too early.
            let zero = 0;
            // SAFETY: slots have room for as many accesses.
            unsafe { fill(first, access, &zero) };
        } else {
            each!(I if I < Held::<Self>::COUNT => {
                // SAFETY: slots have room for as many accesses.
                unsafe { first.wrapping_add(I).write(access) };
            }; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        }
        // SAFETY: implementors promise that slots are made of the slots of the fields, and of markers, which have no bytes.
        // So each byte is one of an access: the size leaves no room for padding. As many accesses are written.
        unsafe { slots.as_ptr().read() }
    }

    /// Reads all leaves that the slots reach.
    fn load<A: Scalar, P: Path<Root = A::Record, Type = Self>>(slots: &Self::Slots<A, P>) -> Self;

    /// Writes all leaves that the slots reach.
    #[track_caller]
    fn store<A: Scalar + AccessMut, P: Path<Root = A::Record, Type = Self>>(self, slots: &mut Self::Slots<A, P>);
}

/// Field number `I` of a record, or element number `I` of an array. `#[derive(Record)]` writes one impl for each field.
///
/// The derive builds the tree from these impls. From a crate named by `#[record(crate = path)]` it takes only names: a
/// module in the place of `layout` can re-export other items, but the trait that is implemented is always this one.
///
/// # Safety
///
/// Implementors must ensure that [`Type`](Self::Type) has the tree of child `I` of `Record::TREE`, and that the field lies
/// at this offset and is of this type, or that both its own type and this type are [`PlainData`] and its own type has the
/// size [`SIZE`](Self::SIZE).
pub unsafe trait Field<const I: usize>: Record {
    /// The type that the field is stored as: its own, unless `#[record(as = Type)]` or `#[record(leaf)]` says otherwise.
    type Type: Record;
    /// The field's name: the name that `#[record(rename = "..")]` gives, or that of the struct's field; the number of a tuple field, and empty for an element of an array.
    const NAME: &'static str;
    /// The offset of the field in the struct, in bytes.
    const OFFSET: usize;

    /// The size of the field in the struct. The derive measures it where the field is stored as another type.
    #[doc(hidden)]
    const SIZE: usize = size_of::<Self::Type>();

    /// The field in the tree.
    #[doc(hidden)]
    const NODE: FieldNode = {
        assert!(Self::SIZE == size_of::<Self::Type>(), "{}", OTHER_SIZE);
        FieldNode::new(Self::NAME, Self::OFFSET, <Self::Type as Record>::TREE)
    };

    /// The field's own value, from the value that is stored. The derive's output calls this function and its inverse, so
    /// fields of other types do not compile.
    #[doc(hidden)]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn declared<F: PlainData>(stored: Self::Type) -> F
    where
        Self::Type: PlainData,
    {
        bytemuck::cast(stored)
    }

    /// The value that is stored, from the field's own.
    #[doc(hidden)]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn stored<F: PlainData>(declared: F) -> Self::Type
    where
        Self::Type: PlainData,
    {
        bytemuck::cast(declared)
    }

    /// The path of the field. The derive's output calls this function to check that its `Child` is this type.
    #[doc(hidden)]
    fn child<P: Path<Type = Self>>() -> Child<P, I> {
        Child::new()
    }
}

/// The way to reach the leaves of one element, or of several elements at once.
///
/// The access determines the type of a leaf's value: `T` for one element, [`Lanes<T, W>`](crate::Lanes) for `W`
/// elements.
pub trait Access: Copy {
    /// The record whose leaves this access reaches.
    type Record: Record;

    /// The type that a leaf of type `T` is read as.
    type Value<T: Leaf>: Copy;

    /// Reads the leaf `P`.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn read<P: Path<Root = Self::Record, Type: Leaf>>(self) -> Self::Value<P::Type> {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.read_further::<P>(0) }
    }

    /// Reads the leaf that lies `leaves` leaves after `P`.
    ///
    /// # Safety
    ///
    /// There is one, of the same type: `P` is a leaf of element 0 of an array, and the other its twin in an
    /// element whose index is in range.
    unsafe fn read_further<P: Path<Root = Self::Record, Type: Leaf>>(self, leaves: usize) -> Self::Value<P::Type>;
}

/// The access to one element of an array, while the array's slots are borrowed. Leaf `P` of element 0 stands for the
/// leaf at the same place in that element.
pub struct Borrowed<'s, A, K = &'s ()> {
    access: A,
    /// The distance of the element from element 0, in leaves.
    leaves: usize,
    borrow: PhantomData<(&'s (), K)>,
}

copied!([A: Copy, K] Borrowed<'_, A, K>);

impl<A: Copy, K> Borrowed<'_, A, K> {
    /// # Safety
    ///
    /// Whatever leaf is read or written through this has a twin of the same type, `leaves` leaves further.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) unsafe fn new(access: A, leaves: usize) -> Self {
        Self { access, leaves, borrow: PhantomData }
    }
}

impl<A: Access, K> Access for Borrowed<'_, A, K> {
    type Record = A::Record;
    type Value<T: Leaf> = A::Value<T>;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn read_further<P: Path<Root = A::Record, Type: Leaf>>(self, leaves: usize) -> A::Value<P::Type> {
        // SAFETY: the condition is the caller's, on top of the constructor's.
        unsafe { self.access.read_further::<P>(self.leaves + leaves) }
    }
}

impl<'s, A: AccessMut> AccessMut for Borrowed<'s, A, &'s mut ()> {
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn write_further<P: Path<Root = A::Record, Type: Leaf>>(self, leaves: usize, value: A::Value<P::Type>) {
        // SAFETY: the condition is the caller's, on top of the constructor's.
        unsafe { self.access.write_further::<P>(self.leaves + leaves, value) };
    }

    fn check<P: Path<Root = A::Record, Type: Leaf>>(
        self,
        leaves: usize,
        value: A::Value<P::Type>,
    ) -> Result<(), ValueError> {
        self.access.check::<P>(self.leaves + leaves, value)
    }
}

impl<A: Scalar, K> Scalar for Borrowed<'_, A, K> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn value<T: Leaf>(value: Self::Value<T>) -> T {
        A::value(value)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn wrap<T: Leaf>(value: T) -> Self::Value<T> {
        A::wrap(value)
    }
}

/// An [`Access`] that may write.
#[diagnostic::on_unimplemented(
    message = "these slots are to read from, and cannot be written",
    note = "take them by `at_mut`, `element_mut`, `for_each_mut` or the like, of a view whose blobs can be written"
)]
pub trait AccessMut: Access {
    /// Writes the leaf `P`.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    fn write<P: Path<Root = Self::Record, Type: Leaf>>(self, value: Self::Value<P::Type>) {
        // SAFETY: as for `read`.
        unsafe { self.write_further::<P>(0, value) };
    }

    /// Writes the leaf that lies `leaves` leaves after `P`.
    ///
    /// # Safety
    ///
    /// As [`read_further`](Access::read_further).
    #[track_caller]
    unsafe fn write_further<P: Path<Root = Self::Record, Type: Leaf>>(self, leaves: usize, value: Self::Value<P::Type>);

    /// Returns an error if the value cannot be stored in the leaf that lies `leaves` leaves after `P`.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout cannot store the value; never for physical leaves.
    fn check<P: Path<Root = Self::Record, Type: Leaf>>(
        self,
        leaves: usize,
        value: Self::Value<P::Type>,
    ) -> Result<(), ValueError> {
        let _ = (leaves, value);
        Ok(())
    }
}

/// An [`Access`] to one element; it can read whole branches.
pub trait Scalar: Access {
    /// Converts what this access reads into the leaf's value.
    fn value<T: Leaf>(value: Self::Value<T>) -> T;

    /// Converts a leaf's value into the form that this access reads.
    fn wrap<T: Leaf>(value: T) -> Self::Value<T>;
}

/// Implements [`Scalar`] for an access that reads each leaf as a value of the leaf's own type.
macro_rules! scalar {
    ([$($parameters:tt)*] $access:ty) => {
        impl<$($parameters)*> crate::record::Scalar for $access {
            #[cfg_attr(not(unoptimized), inline(always))]
            fn value<T: Leaf>(value: T) -> T {
                value
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn wrap<T: Leaf>(value: T) -> T {
                value
            }
        }
    };
}
pub(crate) use scalar;

// SAFETY: the tree is an array of the element's trees, all slots are the access and a marker, and the
// access is handed on to the elements only.
unsafe impl<T: Record, const N: usize> Record for [T; N] {
    const TREE: &'static Node = &Node::array(T::TREE, N);
    type Origin = Self;
    type Slots<A: Copy, P: Path<Type = Self>> = ArraySlots<A, P>;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn bind<A: Copy, P: Path<Type = Self>>(access: A) -> Self::Slots<A, P> {
        ArraySlots::new(access)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn load<A: Scalar, P: Path<Root = A::Record, Type = Self>>(slots: &Self::Slots<A, P>) -> Self {
        if N == 0 {
            return core::array::from_fn(|_| unreachable!("there is no element"));
        }
        let access = slots.access();
        let mut array = [load_element::<T, A, P, 0>(access); N];
        for_elements!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, I, N, load_element::<T, A, P, I> as fn(A) -> T,
            |load| array[I] = load(access));
        if let Some(load) = const { only(N > FIRST_ELEMENTS, load_further as fn(&Self::Slots<A, P>, &mut Self)) } {
            load(slots, &mut array);
        }
        array
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn store<A: Scalar + AccessMut, P: Path<Root = A::Record, Type = Self>>(self, slots: &mut Self::Slots<A, P>) {
        let access = slots.access();
        for_elements!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, I, N, store_element::<T, A, P, I> as fn(T, A),
            |store| store(self[I], access));
        if let Some(store) = const { only(N > FIRST_ELEMENTS, store_further as fn(Self, &mut Self::Slots<A, P>)) } {
            store(self, slots);
        }
    }
}

/// The number of array elements that are read and written by path; all further elements go by number. By path, a leaf's
/// place is a constant of the layout, which is 6 times faster than a number at run time.
const FIRST_ELEMENTS: usize = 16;

/// Runs `$do` for each of the listed elements that the array has, with a constant for the element's number and a
/// function for that constant.
///
/// A constant chooses the function, instead of a call below `if const { .. }`: the compiler walks everything that such a branch mentions,
/// even if it is dead. For an array of arrays that was 16 times 16 elements for each layout and access.
macro_rules! for_elements {
    ($($number:literal)*, $i:ident, $n:expr, $function:expr, |$chosen:ident| $do:expr) => {$({
        const $i: usize = $number;
        if let Some($chosen) = const { only($i < $n, $function) } {
            $do;
        }
    })*};
}
use for_elements;

const fn only<F: Copy>(condition: bool, function: F) -> Option<F> {
    if condition { Some(function) } else { None }
}

#[cfg_attr(not(unoptimized), inline(always))]
fn load_element<T: Record, A: Scalar, P: Path<Root = A::Record, Type: Field<I, Type = T>>, const I: usize>(
    access: A,
) -> T {
    T::load(&T::bind::<A, Child<P, I>>(access))
}

#[cfg_attr(not(unoptimized), inline(always))]
fn store_element<
    T: Record,
    A: Scalar + AccessMut,
    P: Path<Root = A::Record, Type: Field<I, Type = T>>,
    const I: usize,
>(
    value: T,
    access: A,
) {
    value.store(&mut T::bind::<A, Child<P, I>>(access));
}

/// Reads the elements from number [`FIRST_ELEMENTS`] on.
#[inline]
fn load_further<T: Record, A: Scalar, P: Path<Root = A::Record, Type = [T; N]>, const N: usize>(
    slots: &ArraySlots<A, P>,
    array: &mut [T; N],
) {
    for (i, value) in array.iter_mut().enumerate().skip(FIRST_ELEMENTS) {
        *value = T::load(&T::bind::<_, Child<P, 0>>(slots.element_at::<&()>(i)));
    }
}

/// Writes the elements from number [`FIRST_ELEMENTS`] on.
#[inline]
fn store_further<T: Record, A: Scalar + AccessMut, P: Path<Root = A::Record, Type = [T; N]>, const N: usize>(
    array: [T; N],
    slots: &mut ArraySlots<A, P>,
) {
    for (i, value) in array.into_iter().enumerate().skip(FIRST_ELEMENTS) {
        value.store(&mut T::bind::<_, Child<P, 0>>(slots.element_at::<&mut ()>(i)));
    }
}

// SAFETY: each child of an array's tree is the element's tree, and elements lie one after another; `first_leaf` refuses
// `I` out of range.
unsafe impl<T: Record, const N: usize, const I: usize> Field<I> for [T; N] {
    type Type = T;
    const NAME: &'static str = "";
    const OFFSET: usize = I * size_of::<T>();
}
