//! Ranks: numbers of dimensions as types, and lists with an entry for each dimension.

use layout_core::{Dim, IndexArray, IntoIndex, Rank};

use super::{MAX_RANK, Point, TransformError};

/// A number of dimensions that is known only at run time.
///
/// A task sees such a store in six dimensions; the first ones have extent 1.
///
/// # Examples
///
/// ```
/// use layout::store::{DynRank, Runtime, Store};
///
/// let rt = Runtime::new()?;
/// let extents: &[i64] = &[3, 4];
/// let store: Store<f64, DynRank> = rt.create(extents)?;
/// assert_eq!(store.rank(), 2);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DynRank;

/// The rank of a store: [`Dim`] of 0 to 6, or [`DynRank`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no rank of a store",
    note = "give `Dim<0>` to `Dim<6>`, or `DynRank`"
)]
pub trait StoreRank: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The number of dimensions, if the type knows it.
    const RANK: Option<usize>;
    /// The rank of the views that task bodies get.
    type Rank: Rank<Array = Self::Array>;
    /// An index of these views.
    type Array: IndexArray + IntoIndex<usize, Self::Rank, Array = Self::Array>;
}

/// Ranks to which a dimension can be added: 0 to 5, and [`DynRank`].
#[diagnostic::on_unimplemented(message = "a store of rank `{Self}` cannot get one more dimension: six are the most")]
pub trait Promotable: StoreRank {
    /// The rank with one more dimension.
    type Promoted: StoreRank;
}

/// Ranks from which a dimension can be removed: 1 to 6, and [`DynRank`].
#[diagnostic::on_unimplemented(message = "a store of rank `{Self}` has no dimension to project")]
pub trait Projectable: StoreRank {
    /// The rank with one dimension fewer.
    type Projected: StoreRank;
}

/// Ranks of which a dimension can be cut into the extents `E`: an array for [`Dim`], any list for [`DynRank`].
#[diagnostic::on_unimplemented(
    message = "a dimension of a store of rank `{Self}` cannot be cut into `{E}`",
    note = "give an array with one to six extents, so that no more than six dimensions result"
)]
pub trait Delinearizable<E>: StoreRank {
    /// The rank of the result.
    type Delinearized: StoreRank;
}

/// An index or an extent in a program: any integer. Stores count in `i64`.
///
/// Literals need no type: since all integers, including `i32`, implement the trait, the compiler chooses `i32` for a literal.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store};
///
/// let rt = Runtime::new()?;
/// let values = vec![1.0, 2.0, 3.0];
/// let store: Store<f64, _> = rt.create_from(values.len(), &values)?;
/// let last: u8 = 2;
/// assert_eq!(store.get([last])?, 3.0);
/// assert_eq!(store.slice(0, 1, values.len())?.to_vec()?, [2.0, 3.0]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index and no extent of a store",
    note = "give integers of any type: a number (`1000`), an array (`[64, 64]`), or for `DynRank` a slice or a `Point`"
)]
pub trait Coordinate: Copy + sealed::Coordinate {
    /// The number as `i64`; the nearest `i64` if it does not fit. No store has such an index or such an extent.
    fn coordinate(self) -> i64;
}

macro_rules! coordinates {
    ($($integer:ty)+) => {$(
        impl sealed::Coordinate for $integer {}

        impl Coordinate for $integer {
            #[inline]
            fn coordinate(self) -> i64 {
                #[allow(unused_comparisons, reason = "some types have no numbers below zero")]
                let nearest = if self < 0 { i64::MIN } else { i64::MAX };
                i64::try_from(self).unwrap_or(nearest)
            }
        }
    )+};
}

coordinates!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// A list with an entry for each dimension of rank `D`: an array of `N` for [`Dim<N>`](Dim), any list for [`DynRank`]. Indices and extents
/// (`T` is `i64`) are integers of any type; numbers of dimensions are `usize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list with an entry for each dimension of rank `{D}`",
    note = "give an array with one integer for each dimension; for `DynRank`, any array, slice or `Point`"
)]
pub trait Coordinates<D, T> {
    /// The entries.
    fn entries(&self) -> impl Iterator<Item = T>;
}

/// Extents of a new store: a number, an array, or, for [`DynRank`], a slice or [`Point`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as the extents of a store",
    note = "give an integer of any type (`1000`), an array (`[64, 64]`), or for `DynRank` a slice or a `Point`"
)]
pub trait IntoShape {
    /// The rank.
    type Rank: StoreRank;

    /// The extents.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than six.
    fn into_shape(self) -> Result<Point, TransformError>;
}

/// The entries of a list as a point.
pub(crate) fn point_of(mut values: impl Iterator<Item = i64>) -> Result<Point, TransformError> {
    let point: Point = values.by_ref().take(MAX_RANK).collect();
    match values.count() {
        0 => Ok(point),
        more => Err(TransformError::Rank { what: "a list", rank: MAX_RANK + more }),
    }
}

/// The entries of a list of integers.
fn coordinates<T: Coordinate>(values: &[T]) -> impl Iterator<Item = i64> {
    values.iter().map(|value| value.coordinate())
}

macro_rules! ranks {
    ($($n:literal $(+ $more:literal)? $(- $less:literal)? [$($k:literal => $to:literal),*];)+) => {$(
        impl sealed::Sealed for Dim<$n> {}

        impl StoreRank for Dim<$n> {
            const RANK: Option<usize> = Some($n);
            type Rank = Self;
            type Array = [usize; $n];
        }

        $(impl Promotable for Dim<$n> {
            type Promoted = Dim<$more>;
        })?

        $(impl Projectable for Dim<$n> {
            type Projected = Dim<$less>;
        })?

        $(impl<T: Coordinate> Delinearizable<[T; $k]> for Dim<$n> {
            type Delinearized = Dim<$to>;
        })*

        impl Coordinates<Dim<$n>, usize> for [usize; $n] {
            fn entries(&self) -> impl Iterator<Item = usize> {
                self.iter().copied()
            }
        }

        impl Coordinates<DynRank, usize> for [usize; $n] {
            fn entries(&self) -> impl Iterator<Item = usize> {
                self.iter().copied()
            }
        }
    )+};
}

/// Implementations for arrays of integers. An empty array has no type to infer, so it gets a fixed type.
macro_rules! arrays {
    ($($n:literal [$($generic:tt)*] $integer:ty;)+) => {$(
        impl<$($generic)*> Coordinates<Dim<$n>, i64> for [$integer; $n] {
            fn entries(&self) -> impl Iterator<Item = i64> {
                coordinates(self)
            }
        }

        impl<$($generic)*> Coordinates<DynRank, i64> for [$integer; $n] {
            fn entries(&self) -> impl Iterator<Item = i64> {
                coordinates(self)
            }
        }

        impl<$($generic)*> IntoShape for [$integer; $n] {
            type Rank = Dim<$n>;

            fn into_shape(self) -> Result<Point, TransformError> {
                Ok(coordinates(&self).collect())
            }
        }
    )+};
}

arrays! {
    0 [] i64;
    1 [T: Coordinate] T;
    2 [T: Coordinate] T;
    3 [T: Coordinate] T;
    4 [T: Coordinate] T;
    5 [T: Coordinate] T;
    6 [T: Coordinate] T;
}

ranks! {
    0 + 1 [];
    1 + 2 - 0 [1 => 1, 2 => 2, 3 => 3, 4 => 4, 5 => 5, 6 => 6];
    2 + 3 - 1 [1 => 2, 2 => 3, 3 => 4, 4 => 5, 5 => 6];
    3 + 4 - 2 [1 => 3, 2 => 4, 3 => 5, 4 => 6];
    4 + 5 - 3 [1 => 4, 2 => 5, 3 => 6];
    5 + 6 - 4 [1 => 5, 2 => 6];
    6 - 5 [1 => 6];
}

impl sealed::Sealed for DynRank {}

impl StoreRank for DynRank {
    const RANK: Option<usize> = None;
    type Rank = Dim<MAX_RANK>;
    type Array = [usize; MAX_RANK];
}

impl Promotable for DynRank {
    type Promoted = Self;
}

impl Projectable for DynRank {
    type Projected = Self;
}

impl<E: Coordinates<DynRank, i64>> Delinearizable<E> for DynRank {
    type Delinearized = Self;
}

impl<T: Coordinate> Coordinates<DynRank, i64> for &[T] {
    fn entries(&self) -> impl Iterator<Item = i64> {
        coordinates(self)
    }
}

impl<T: Coordinate> Coordinates<DynRank, i64> for Vec<T> {
    fn entries(&self) -> impl Iterator<Item = i64> {
        coordinates(self)
    }
}

impl Coordinates<DynRank, usize> for &[usize] {
    fn entries(&self) -> impl Iterator<Item = usize> {
        self.iter().copied()
    }
}

impl Coordinates<DynRank, usize> for Vec<usize> {
    fn entries(&self) -> impl Iterator<Item = usize> {
        self.iter().copied()
    }
}

impl Coordinates<DynRank, i64> for Point {
    fn entries(&self) -> impl Iterator<Item = i64> {
        self.iter().copied()
    }
}

impl<T: Coordinate> Coordinates<Dim<1>, i64> for T {
    fn entries(&self) -> impl Iterator<Item = i64> {
        core::iter::once(self.coordinate())
    }
}

impl<T: Coordinate> IntoShape for T {
    type Rank = Dim<1>;

    fn into_shape(self) -> Result<Point, TransformError> {
        Ok([self.coordinate()].into())
    }
}

impl IntoShape for Point {
    type Rank = DynRank;

    fn into_shape(self) -> Result<Point, TransformError> {
        Ok(self)
    }
}

impl<T: Coordinate> IntoShape for &[T] {
    type Rank = DynRank;

    fn into_shape(self) -> Result<Point, TransformError> {
        point_of(coordinates(self))
    }
}

#[expect(unnameable_types, reason = "seals traits: users name them, and implement none of them")]
pub(super) mod sealed {
    /// Seals `StoreRank` and `BySize`, whose answers memory safety relies on.
    pub trait Sealed {}

    /// Seals `Coordinate`: a type of the program's own would take literals for itself.
    pub trait Coordinate {}
}
