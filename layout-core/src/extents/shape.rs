//! Shapes: tuples of static and dynamic extents, and their ranks.

use super::ArrayExtents;
use super::index::{IndexArray, IndexType};
use super::kept::Keep;
use crate::error::ExtentsError;
use crate::sealed::Sealed;

/// A dynamic extent, known only at run time.
///
/// # Examples
///
/// ```
/// use layout::{ArrayExtents, Dyn};
///
/// assert_eq!(size_of::<ArrayExtents<u32, (Dyn, Dyn)>>(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dyn;

/// The static extent `N`, known by type.
///
/// # Examples
///
/// ```
/// use layout::{ArrayExtents, Extents, Static};
///
/// let tile = ArrayExtents::<usize, (Static<16>, Static<16>)>::new([16, 16]).unwrap();
/// assert_eq!((tile.array(), size_of_val(&tile)), ([16, 16], 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Static<const N: usize>;

/// The rank `N`: the number of dimensions, as a type.
///
/// # Examples
///
/// ```
/// use layout::Dim;
/// use layout::index::{IndexArray, Rank};
///
/// assert_eq!(<<Dim<3> as Rank>::Array as IndexArray>::RANK, 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim<const N: usize>;

/// A rank from 0 to 8. [`Dim`] implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no rank: views have 0 to 8 dimensions",
    note = "give at most 8 extents"
)]
pub trait Rank: Sealed + Copy + Send + Sync + 'static {
    /// `[usize; N]`.
    type Array: IndexArray;
    /// The shape of this rank with all extents dynamic.
    type Dynamic<I: IndexType>: Shape<I, Rank = Self, Array = Self::Array>;
}

/// Extents of rank `N` that are all dynamic.
///
/// # Examples
///
/// ```
/// use layout::{DynExtents, Extents};
///
/// assert_eq!(DynExtents::<2>::new([3, 4]).unwrap().array(), [3, 4]);
/// ```
pub type DynExtents<const N: usize, I = usize> = super::ArrayExtents<I, <Dim<N> as Rank>::Dynamic<I>>;

/// One extent of a shape: [`Dyn`] or [`Static`].
#[diagnostic::on_unimplemented(message = "`{Self}` is no extent", note = "an extent is `Dyn` or `Static<N>`")]
pub trait Extent<I: IndexType>: Sealed + Copy + Send + Sync + 'static {
    /// The stored form of the extent: the number if it is dynamic, else nothing.
    type Stored: Copy + Send + Sync + 'static;
    /// The extent, or `None` if it is dynamic.
    const KNOWN: Option<usize>;
    /// The stored form of a static extent, which is checked here; `None` for a dynamic one.
    #[doc(hidden)]
    const STORED: Option<Self::Stored>;
    /// The form in which views with this extent store the number of positions, if views with the other extents store it as `K`.
    #[doc(hidden)]
    type Keep<K: Keep>: Keep;

    /// Stores a checked extent.
    fn store(extent: I) -> Self::Stored;

    /// The extent.
    fn get(stored: Self::Stored) -> usize;
}

impl<I: IndexType> Extent<I> for Dyn {
    type Stored = I;
    const KNOWN: Option<usize> = None;
    const STORED: Option<I> = None;
    type Keep<K: Keep> = usize;

    #[inline(always)]
    fn store(extent: I) -> I {
        extent
    }

    #[inline(always)]
    fn get(stored: I) -> usize {
        stored.to_usize()
    }
}

impl<I: IndexType, const N: usize> Extent<I> for Static<N> {
    type Stored = ();
    const KNOWN: Option<usize> = Some(N);
    const STORED: Option<()> = {
        assert!(N <= I::MAX && N <= isize::MAX.cast_unsigned(), "a static extent must fit the index type and `isize`");
        Some(())
    };
    type Keep<K: Keep> = K;

    #[inline(always)]
    fn store(_: I) {}

    #[inline(always)]
    fn get((): ()) -> usize {
        N
    }
}

/// A tuple of 0 to 8 [`Extent`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no shape",
    note = "a shape is a tuple of up to 8 extents, each `Dyn` or `Static<N>`, for example `(Dyn, Static<256>)`"
)]
pub trait Shape<I: IndexType>: Sealed + Copy + Send + Sync + 'static {
    /// The number of dimensions, as a type.
    type Rank: Rank<Array = Self::Array>;
    /// `[usize; N]`.
    type Array: IndexArray;
    /// `[I; N]`.
    type Values: Copy + AsRef<[I]>;
    /// The dynamic extents.
    type Stored: Copy + Send + Sync + 'static;
    /// The same extents in reverse order.
    type Reversed: Shape<I, Rank = Self::Rank, Array = Self::Array>;
    /// The shape with one more extent at its end; the shape itself for rank 8.
    type With<X: Extent<I>>: Shape<I>;
    /// The first extent; `Dyn` for rank 0.
    type First: Extent<I>;
    /// The shape without its first extent.
    type Rest: Shape<I>;
    /// `true` if all extents are static.
    const STATIC: bool;
    /// The stored form if all extents are static.
    #[doc(hidden)]
    const STORED: Option<Self::Stored>;
    /// The form in which views with these extents store the number of positions.
    #[doc(hidden)]
    type Keep: Keep;

    /// Converts each value to `usize`; a negative value becomes larger than `isize::MAX`.
    fn to_array(values: Self::Values) -> Self::Array;

    /// Checks the extents and stores the dynamic ones.
    ///
    /// # Errors
    ///
    /// Returns an error if an extent differs from the static one, or does not fit `I` or `isize`.
    fn store(extents: Self::Array) -> Result<Self::Stored, ExtentsError>;

    /// The extents.
    fn array(stored: &Self::Stored) -> Self::Array;
}

/// Checks one extent against its static value and the index type.
#[inline]
fn check<I: IndexType, X: Extent<I>>(dimension: usize, extent: usize) -> Result<I, ExtentsError> {
    match X::KNOWN {
        Some(fixed) if fixed != extent => {
            return Err(ExtentsError::Static { dimension, given: extent.to_i128(), fixed });
        }
        _ => {}
    }
    match I::from_usize(extent) {
        Some(value) if extent <= isize::MAX.cast_unsigned() => Ok(value),
        _ => Err(ExtentsError::Extent { dimension, given: extent.to_i128() }),
    }
}

macro_rules! shapes {
    ($($n:literal ($($x:ident $d:tt),*) ($($reversed:ident),*) [$($dyn:ident),*];)+) => {$(
        impl Rank for Dim<$n> {
            type Array = [usize; $n];
            type Dynamic<I: IndexType> = ($($dyn,)*);
        }

        impl ArrayExtents<usize, ($($dyn,)*)> {
            /// Makes dynamic extents of `usize`, also in constants.
            ///
            /// # Panics
            ///
            /// Panics if a value is larger than `isize::MAX`; in a constant this is a compile error.
            ///
            /// # Examples
            ///
            /// ```
            /// use layout::{DynExtents, Extents};
            ///
            /// const SCREEN: DynExtents<2> = DynExtents::<2>::constant([1080, 1920]);
            /// assert_eq!(SCREEN.array(), [1080, 1920]);
            /// ```
            #[must_use]
            #[track_caller]
            pub const fn constant(extents: [usize; $n]) -> Self {
                $(assert!(extents[$d] <= isize::MAX.cast_unsigned(), "an extent is at most `isize::MAX`");)*
                let _ = extents;
                Self { stored: ($(extents[$d],)*) }
            }
        }

        #[allow(unused_variables, clippy::unused_unit, reason = "rank 0 has nothing to store")]
        #[allow(non_snake_case, reason = "a variable for each extent, of its type's name")]
        #[allow(irrefutable_let_patterns, reason = "rank 0 has no extent to be dynamic")]
        impl<I: IndexType, $($x: Extent<I>),*> Shape<I> for ($($x,)*) {
            type Rank = Dim<$n>;
            type Array = [usize; $n];
            type Values = [I; $n];
            type Stored = ($($x::Stored,)*);
            type Reversed = ($($reversed,)*);
            type With<X: Extent<I>> = shapes!(@with X $($x)*);
            type First = shapes!(@first $($x)*);
            type Rest = shapes!(@rest $($x)*);
            const STATIC: bool = true $(&& $x::KNOWN.is_some())*;
            const STORED: Option<Self::Stored> = {
                if let ($(Some($x),)*) = ($($x::STORED,)*) { Some(($($x,)*)) } else { None }
            };
            type Keep = shapes!(@keep I $($x)*);

            fn to_array(values: [I; $n]) -> [usize; $n] {
                values.map(I::to_usize)
            }

            #[inline]
            fn store(extents: [usize; $n]) -> Result<Self::Stored, ExtentsError> {
                Ok(($($x::store(check::<I, $x>($d, extents[$d])?),)*))
            }

            #[inline(always)]
            fn array(stored: &Self::Stored) -> [usize; $n] {
                [$($x::get(stored.$d)),*]
            }
        }
    )+};
    (@with $new:ident A B C D F G H J) => { Self };
    (@with $new:ident $($x:ident)*) => { ($($x,)* $new,) };
    (@first) => { Dyn };
    (@first $x:ident $($rest:ident)*) => { $x };
    (@rest) => { () };
    (@rest $x:ident $($rest:ident)*) => { ($($rest,)*) };
    (@keep $i:ident) => { () };
    (@keep $i:ident $x:ident $($rest:ident)*) => { <$x as Extent<$i>>::Keep<shapes!(@keep $i $($rest)*)> };
}

shapes! {
    0 () () [];
    1 (A 0) (A) [Dyn];
    2 (A 0, B 1) (B, A) [Dyn, Dyn];
    3 (A 0, B 1, C 2) (C, B, A) [Dyn, Dyn, Dyn];
    4 (A 0, B 1, C 2, D 3) (D, C, B, A) [Dyn, Dyn, Dyn, Dyn];
    5 (A 0, B 1, C 2, D 3, F 4) (F, D, C, B, A) [Dyn, Dyn, Dyn, Dyn, Dyn];
    6 (A 0, B 1, C 2, D 3, F 4, G 5) (G, F, D, C, B, A) [Dyn, Dyn, Dyn, Dyn, Dyn, Dyn];
    7 (A 0, B 1, C 2, D 3, F 4, G 5, H 6) (H, G, F, D, C, B, A) [Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn];
    8 (A 0, B 1, C 2, D 3, F 4, G 5, H 6, J 7) (J, H, G, F, D, C, B, A)
      [Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn];
}
