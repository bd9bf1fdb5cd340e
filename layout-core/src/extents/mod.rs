//! Array extents: the number of elements along each dimension of a view.

mod index;
mod kept;
mod shape;

use core::fmt;

pub use index::{IndexArray, IndexType, IntoIndex};
pub(crate) use kept::{Keep, Viewed};
pub use shape::{Dim, Dyn, DynExtents, Extent, Rank, Shape, Static};

use crate::error::{ExtentsError, List};
use crate::sealed::Sealed;

/// The extents of an array: any mix of static and dynamic extents.
///
/// `I` is the integer type of indices; `S` is a tuple of [`Dyn`] and [`Static<N>`](Static), one for each
/// dimension, of rank 0 to 8. Only dynamic extents are stored: fully static extents are zero-sized.
///
/// # Examples
///
/// ```
/// use layout::{ArrayExtents, Dyn, Extents, Static, extents};
///
/// let grid: ArrayExtents<u32, (Dyn, Static<256>)> = extents!(u32: dyn 100, 256);
/// assert_eq!(grid.array(), [100, 256]);
/// assert_eq!(size_of_val(&grid), 4);
/// assert_eq!(size_of::<extents!(type 16, 16)>(), 0);
/// ```
pub struct ArrayExtents<I: IndexType, S: Shape<I>> {
    stored: S::Stored,
}

/// The extents of a view. [`ArrayExtents`] implements this trait.
///
/// # Examples
///
/// ```
/// use layout::{Extents, extents};
///
/// let grid = extents!(dyn 3, 4);
/// assert_eq!((grid.array(), grid.volume()), ([3, 4], Some(12)));
/// assert!(!<extents!(type dyn, 4)>::STATIC);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the extents of a mapping",
    note = "write `extents!(dyn n, dyn m)`; an extent without `dyn` is a constant, and part of the type",
    note = "`alloc` and `alloc_from_fn` make the mapping too, and take `[n, m]`"
)]
pub trait Extents: Sealed + Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The integer type of indices.
    type Index: IndexType;
    /// The shape: for each dimension, a static or dynamic extent.
    type Shape: Shape<Self::Index, Rank = Self::Rank, Array = Self::Array>;
    /// The number of dimensions, as a type.
    type Rank: Rank<Array = Self::Array>;
    /// `[usize; N]`, for indices and extents.
    type Array: IndexArray;
    /// The number of dimensions.
    const RANK: usize = <Self::Array as IndexArray>::RANK;
    /// `true` if all extents are static.
    const STATIC: bool = <Self::Shape as Shape<Self::Index>>::STATIC;

    /// The extents, in the order in which the user writes them.
    fn array(&self) -> Self::Array;

    /// Makes extents of this type with these values.
    ///
    /// # Errors
    ///
    /// Returns an error if a value differs from the static extent, or does not fit the index type.
    fn from_array(extents: Self::Array) -> Result<Self, ExtentsError>;

    /// The number of elements, or `None` if it does not fit `usize`.
    #[inline]
    fn volume(&self) -> Option<usize> {
        self.array().product()
    }
}

impl<I: IndexType, S: Shape<I>> ArrayExtents<I, S> {
    /// The value of extents that are all static. Evaluating this constant for other extents does not compile, nor if an
    /// extent does not fit the index type.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{ArrayExtents, Extents, Static, extents};
    ///
    /// const TILE: ArrayExtents<u8, (Static<16>, Static<8>)> = ArrayExtents::VALUE;
    /// const SAME: extents!(type u8: 16, 8) = extents!(u8: 16, 8);
    /// assert_eq!((TILE.array(), TILE), ([16, 8], SAME));
    /// ```
    ///
    /// ```compile_fail,E0080
    /// use layout::extents;
    ///
    /// let too_large = extents!(u8: 16, 256);
    /// ```
    pub const VALUE: Self = match S::STORED {
        Some(stored) => Self { stored },
        None => panic!("extents with a dynamic one have no constant value: use `new`, or `DynExtents::constant`"),
    };

    /// Makes extents with these values.
    ///
    /// # Errors
    ///
    /// Returns an error if a value differs from the static extent, is negative, or is larger than `isize::MAX`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::error::ExtentsError;
    /// use layout::{ArrayExtents, Dyn, Static};
    ///
    /// assert!(ArrayExtents::<i32, (Dyn, Static<3>)>::new([7, 3]).is_ok());
    /// assert!(matches!(
    ///     ArrayExtents::<i32, (Dyn, Static<3>)>::new([7, 4]),
    ///     Err(ExtentsError::Static { dimension: 1, given: 4, fixed: 3 })
    /// ));
    /// ```
    pub fn new(extents: S::Values) -> Result<Self, ExtentsError> {
        // The exact number, even if it does not fit `usize`.
        let exactly = |dimension: usize| extents.as_ref()[dimension].to_i128();
        let stored = S::store(S::to_array(extents)).map_err(|error| match error {
            ExtentsError::Extent { dimension, .. } => ExtentsError::Extent { dimension, given: exactly(dimension) },
            ExtentsError::Static { dimension, fixed, .. } => {
                ExtentsError::Static { dimension, given: exactly(dimension), fixed }
            }
            error => error,
        })?;
        Ok(Self { stored })
    }
}

/// Makes dynamic extents whose index type is that of the numbers.
///
/// A number or an array as the argument of [`alloc`](crate::alloc()) gives extents of `usize`. If several index types were
/// accepted there, an integer literal without a suffix would be an `i32`, and views would be limited to 2 GiB.
///
/// # Errors
///
/// Returns an error if a value is negative or larger than `isize::MAX`.
///
/// # Examples
///
/// ```
/// use layout::dyn_extents;
/// use layout::prelude::*;
///
/// let grid = alloc::<f32, SoA, _>(dyn_extents([64u32, 64])?)?;
/// let (i, j) = (2u32, 3u32);
/// assert_eq!(grid.get([i, j]), 0.0);
/// assert!(dyn_extents([3i64, -1]).is_err());
/// # Ok::<(), ViewError>(())
/// ```
pub fn dyn_extents<I: IndexType, const N: usize>(extents: [I; N]) -> Result<DynExtents<N, I>, ExtentsError>
where
    Dim<N>: Rank<Dynamic<I>: Shape<I, Values = [I; N]>>,
{
    DynExtents::<N, I>::new(extents)
}

impl<I: IndexType, S: Shape<I>> Extents for ArrayExtents<I, S> {
    type Index = I;
    type Shape = S;
    type Rank = S::Rank;
    type Array = S::Array;

    #[inline(always)]
    fn array(&self) -> S::Array {
        S::array(&self.stored)
    }

    #[inline]
    fn from_array(extents: S::Array) -> Result<Self, ExtentsError> {
        Ok(Self { stored: S::store(extents)? })
    }
}

copied!([I: IndexType, S: Shape<I>] ArrayExtents<I, S>);

impl<I: IndexType, J: IndexType, S: Shape<I>, T: Shape<J, Rank = S::Rank, Array = S::Array>>
    PartialEq<ArrayExtents<J, T>> for ArrayExtents<I, S>
{
    fn eq(&self, other: &ArrayExtents<J, T>) -> bool {
        self.array() == other.array()
    }
}

impl<I: IndexType, S: Shape<I>> Eq for ArrayExtents<I, S> {}

impl<I: IndexType, S: Shape<I>> fmt::Debug for ArrayExtents<I, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&List::of(self.array().as_ref()), f)
    }
}

/// Types that can be given as the extents of a new view: a number for one dimension, an array of numbers, or
/// [`ArrayExtents`].
///
/// # Examples
///
/// ```
/// use layout::index::IntoExtents;
/// use layout::{Extents, extents};
///
/// assert_eq!(1024.into_extents().unwrap().array(), [1024]);
/// assert_eq!([64, 32].into_extents().unwrap().array(), [64, 32]);
/// assert_eq!(extents!(dyn 64, 32).into_extents().unwrap().array(), [64, 32]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as array extents",
    note = "give a `usize` (`1024`), an array of them (`[64, 64]`), or `extents!(dyn n, 256)` for a mix of dynamic and static extents",
    note = "for another index type, give `extents!(u32: dyn n, 256)` or `dyn_extents([n, m])?`"
)]
pub trait IntoExtents {
    /// The type of the extents.
    type Extents: Extents;

    /// Converts to extents.
    ///
    /// # Errors
    ///
    /// Returns an error if a value is larger than `isize::MAX`.
    fn into_extents(self) -> Result<Self::Extents, ExtentsError>;
}

impl IntoExtents for usize {
    type Extents = DynExtents<1>;

    fn into_extents(self) -> Result<Self::Extents, ExtentsError> {
        Extents::from_array([self])
    }
}

impl<const N: usize> IntoExtents for [usize; N]
where
    Dim<N>: Rank<Array = [usize; N]>,
{
    type Extents = DynExtents<N>;

    fn into_extents(self) -> Result<Self::Extents, ExtentsError> {
        Extents::from_array(self)
    }
}

impl<I: IndexType, S: Shape<I>> IntoExtents for ArrayExtents<I, S> {
    type Extents = Self;

    fn into_extents(self) -> Result<Self, ExtentsError> {
        Ok(self)
    }
}

/// Makes array extents, as a value or as a type.
///
/// As a value, `dyn` marks a dynamic extent, and all other extents are constants: `extents!(dyn n, 256)`. As a type:
/// `extents!(type dyn, 256)`. The index type is `usize` unless another one is given first: `extents!(u32: dyn n, 256)`,
/// `extents!(type u32: dyn, 256)`. A value without dynamic extents is a constant.
///
/// # Panics
///
/// The value form panics if a dynamic extent is negative or larger than `isize::MAX`; [`ArrayExtents::new`] returns an
/// error instead.
///
/// # Examples
///
/// ```
/// use layout::{Extents, extents};
///
/// fn area(grid: extents!(type dyn, 256)) -> usize {
///     grid.volume().unwrap()
/// }
/// assert_eq!(area(extents!(dyn 100, 256)), 25_600);
/// ```
#[macro_export]
macro_rules! extents {
    (type) => { $crate::ArrayExtents<$crate::__private::usize, ()> };
    (type $index:ident : $($rest:tt)*) => { $crate::extents!(@type $index; [] $($rest)*) };
    (type $($rest:tt)*) => { $crate::extents!(@type $crate::__private::usize; [] $($rest)*) };
    (@type $index:ty; [$($done:tt)*]) => { $crate::ArrayExtents<$index, ($($done)*)> };
    (@type $index:ty; [$($done:tt)*] dyn $(, $($rest:tt)*)?) => {
        $crate::extents!(@type $index; [$($done)* $crate::Dyn,] $($($rest)*)?)
    };
    (@type $index:ty; [$($done:tt)*] $n:literal $(, $($rest:tt)*)?) => {
        $crate::extents!(@type $index; [$($done)* $crate::Static<$n>,] $($($rest)*)?)
    };
    (@type $index:ty; [$($done:tt)*] $n:path $(, $($rest:tt)*)?) => {
        $crate::extents!(@type $index; [$($done)* $crate::Static<{ $n }>,] $($($rest)*)?)
    };
    (@value $index:ty; static [$($kind:tt)*] [$($value:tt)*]) => {
        $crate::ArrayExtents::<$index, ($($kind)*)>::VALUE
    };
    (@value $index:ty; dyn [$($kind:tt)*] [$($value:tt)*]) => {
        // By a method: `Ok` and `Err` may be others where the macro is used.
        $crate::ArrayExtents::<$index, ($($kind)*)>::new([$($value)*])
            .unwrap_or_else(|error| $crate::__private::panic!("{error}"))
    };
    (@value $index:ty; $known:tt [$($kind:tt)*] [$($value:tt)*] dyn $n:expr $(, $($rest:tt)*)?) => {
        $crate::extents!(@value $index; dyn [$($kind)* $crate::Dyn,] [$($value)* $n,] $($($rest)*)?)
    };
    (@value $index:ty; $known:tt [$($kind:tt)*] [$($value:tt)*] $n:expr $(, $($rest:tt)*)?) => {
        $crate::extents!(@value $index; $known [$($kind)* $crate::Static<{ $n }>,] [$($value)* $n,] $($($rest)*)?)
    };
    ($index:ident : $($rest:tt)*) => { $crate::extents!(@value $index; static [] [] $($rest)*) };
    ($($rest:tt)*) => { $crate::extents!(@value $crate::__private::usize; static [] [] $($rest)*) };
}
