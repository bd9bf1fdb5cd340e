//! Slots: the accessors of one element's leaves, under the record's own field names.

use core::cmp::Ordering;
use core::fmt;
use core::iter::{Product, Sum};
use core::marker::PhantomData;
use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use crate::error::ValueError;
use crate::leaf::Leaf;
use crate::path::{Naming, Path, Select};
use crate::record::{Access, AccessMut, Scalar};

/// The accessor of one leaf of one element: [`get`](Self::get), [`set`](Self::set), `+=` and the other assignment operators.
///
/// A slot's value has the leaf's own type; slots from a traversal by lanes have [`Lanes`](crate::Lanes) of that type. A
/// slot is neither `Copy` nor `Clone`, since a mutable slot is the only way to its leaf.
///
/// A slot on either side of an operator stands for its value, and is moved; write `&slot` or `slot.get()` if it is used again. A slot
/// before `==` or `<` stands for its value too. Iterators of slots have a `sum` and a `product`, as iterators of values have.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let mut view = alloc::<f32, SoA, _>(3)?;
/// let mut slot = view.at_mut(1);
/// slot.set(2.0);
/// slot += 0.5;
/// slot *= 2.0;
/// assert_eq!(slot.get(), 5.0);
/// assert!(slot == 5.0 && 2.0 * &slot - 1.0 > slot.get());
/// assert_eq!(-&slot, -5.0);
/// assert_eq!(*view.at(1).as_ref(), 5.0); // by reference, where the layout aligns its leaves
/// assert_eq!(view.iter().sum::<f32>(), 5.0);
/// # Ok::<(), ViewError>(())
/// ```
#[repr(transparent)]
pub struct Slot<A, P> {
    pub(crate) access: A,
    pub(crate) path: PhantomData<P>,
}

impl<A: Copy, P> Slot<A, P> {
    /// The slot of the place `P`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) fn new(access: A) -> Self {
        Self { access, path: PhantomData }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) fn access(&self) -> A {
        self.access
    }
}

impl<A: Access, P: Path<Root = A::Record, Type: Leaf>> Slot<A, P> {
    /// Reads the value.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn get(&self) -> A::Value<P::Type> {
        self.access.read::<P>()
    }

    /// Writes the value.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn set(&mut self, value: A::Value<P::Type>)
    where
        A: AccessMut,
    {
        self.access.write::<P>(value);
    }

    /// Writes the value, or returns an error if the layout cannot store it.
    ///
    /// Layouts that store integers in fewer bits than their type has cannot store every value. The layout decides what
    /// [`set`](Self::set) does with such a value. A layout that converts values, such as `ChangeType`, stores the converted value: a
    /// conversion that loses digits or wraps is no error.
    ///
    /// # Errors
    ///
    /// Returns an error if the layout cannot store the value, or the value of one of the lanes; nothing is written then.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u8, SoA, _>(3)?;
    /// assert_eq!(view.at_mut(1).try_set(7), Ok(())); // bytes store every `u8`
    /// # Ok::<(), ViewError>(())
    /// ```
    #[inline]
    pub fn try_set(&mut self, value: A::Value<P::Type>) -> Result<(), ValueError>
    where
        A: AccessMut,
    {
        self.access.check::<P>(0, value)?;
        self.set(value);
        Ok(())
    }
}

// A leaf may stand wherever a struct may, so its slot has `load` and `store` too.
impl<A: Scalar, P: Path<Root = A::Record, Type: Leaf>> Slot<A, P> {
    /// Reads the value, as the `load` of a struct's slots does.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn load(&self) -> P::Type {
        A::value(self.get())
    }

    /// Writes the value, as the `store` of a struct's slots does.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn store(&mut self, value: P::Type)
    where
        A: AccessMut,
    {
        self.set(A::wrap(value));
    }
}

impl<P: Path> Select for Slot<Naming, P> {
    type Path = P;
}

impl<A: Access, P: Path<Root = A::Record, Type: Leaf>> fmt::Debug for Slot<A, P>
where
    A::Value<P::Type>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl<A: Access, P: Path<Root = A::Record, Type: Leaf>> fmt::Display for Slot<A, P>
where
    A::Value<P::Type>: fmt::Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// Compares the value of the leaf with a value.
impl<A: Access, P: Path<Root = A::Record, Type: Leaf>, V> PartialEq<V> for Slot<A, P>
where
    A::Value<P::Type>: PartialEq<V>,
{
    #[cfg_attr(not(unoptimized), inline(always))]
    fn eq(&self, value: &V) -> bool {
        self.get() == *value
    }
}

/// Compares the value of the leaf with a value.
impl<A: Access, P: Path<Root = A::Record, Type: Leaf>, V> PartialOrd<V> for Slot<A, P>
where
    A::Value<P::Type>: PartialOrd<V>,
{
    #[cfg_attr(not(unoptimized), inline(always))]
    fn partial_cmp(&self, value: &V) -> Option<Ordering> {
        self.get().partial_cmp(value)
    }
}

/// An operator of a slot and a value, and of a number and a slot.
macro_rules! operator {
    ($slot:ty: $operator:ident $apply:ident) => {
        impl<A, P, V> $operator<V> for $slot
        where
            A: Access,
            P: Path<Root = A::Record, Type: Leaf>,
            A::Value<P::Type>: $operator<V>,
        {
            type Output = <A::Value<P::Type> as $operator<V>>::Output;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn $apply(self, value: V) -> Self::Output {
                self.get().$apply(value)
            }
        }
    };
    ($number:ty, $slot:ty: $operator:ident $apply:ident) => {
        impl<A, P> $operator<$slot> for $number
        where
            A: Access<Value<$number> = $number>,
            P: Path<Root = A::Record, Type = $number>,
        {
            type Output = $number;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn $apply(self, slot: $slot) -> $number {
                self.$apply(slot.get())
            }
        }
    };
}

macro_rules! operators {
    ($($assign:ident $method:ident $operator:ident $apply:ident),+ $(,)?) => {$(
        operator!(Slot<A, P>: $operator $apply);
        operator!(&Slot<A, P>: $operator $apply);

        impl<A, P, V> $assign<V> for Slot<A, P>
        where
            A: AccessMut,
            P: Path<Root = A::Record, Type: Leaf>,
            A::Value<P::Type>: $operator<V, Output = A::Value<P::Type>>,
        {
            #[cfg_attr(not(unoptimized), inline(always))]
            #[track_caller]
            fn $method(&mut self, value: V) {
                self.set(self.get().$apply(value));
            }
        }
    )+};
}

operators! {
    AddAssign add_assign Add add, SubAssign sub_assign Sub sub, MulAssign mul_assign Mul mul,
    DivAssign div_assign Div div, RemAssign rem_assign Rem rem, BitAndAssign bitand_assign BitAnd bitand,
    BitOrAssign bitor_assign BitOr bitor, BitXorAssign bitxor_assign BitXor bitxor,
    ShlAssign shl_assign Shl shl, ShrAssign shr_assign Shr shr,
}

/// An operator of a slot alone.
macro_rules! unary {
    ($($slot:ty: $operator:ident $apply:ident),+ $(,)?) => {$(
        impl<A: Access, P: Path<Root = A::Record, Type: Leaf>> $operator for $slot
        where
            A::Value<P::Type>: $operator,
        {
            type Output = <A::Value<P::Type> as $operator>::Output;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn $apply(self) -> Self::Output {
                self.get().$apply()
            }
        }
    )+};
}

unary! { Slot<A, P>: Neg neg, &Slot<A, P>: Neg neg, Slot<A, P>: Not not, &Slot<A, P>: Not not }

macro_rules! operators_of {
    ($($number:ty)+: $operators:tt) => {
        $(operators_of!(@ $number: $operators);)+
    };
    (@ $number:ty: ($($operator:ident $apply:ident),+)) => {$(
        operator!($number, Slot<A, P>: $operator $apply);
        operator!($number, &Slot<A, P>: $operator $apply);
    )+};
}

/// The sum and the product of values, by an iterator over slots.
macro_rules! folds_of {
    ($($number:ty)+) => {$(
        folds_of!(@ $number: Sum sum);
        folds_of!(@ $number: Product product);
    )+};
    (@ $number:ty: $fold:ident $apply:ident) => {
        impl<A, P> $fold<Slot<A, P>> for $number
        where
            A: Access<Value<$number> = $number>,
            P: Path<Root = A::Record, Type = $number>,
        {
            #[inline]
            fn $apply<I: Iterator<Item = Slot<A, P>>>(slots: I) -> $number {
                slots.map(|slot| slot.get()).$apply()
            }
        }
    };
}

operators_of! { f32 f64: (Add add, Sub sub, Mul mul, Div div, Rem rem) }
operators_of! {
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize:
    (Add add, Sub sub, Mul mul, Div div, Rem rem, BitAnd bitand, BitOr bitor, BitXor bitxor)
}
folds_of! { f32 f64 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
