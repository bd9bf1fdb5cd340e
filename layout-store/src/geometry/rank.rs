//! Ranks: the number of dimensions as a type, and lists with an entry for each dimension.

use layout_core::{Dim, IndexArray, IntoIndex, Rank};

use super::{MAX_RANK, Point, TransformError};

/// A number of dimensions that is known at run time only.
///
/// A task sees such a store in six dimensions, of which the first ones have extent 1.
///
/// # Examples
///
/// ```
/// use layout_store::{DynRank, Runtime, Store};
///
/// let rt = Runtime::new()?;
/// let extents: &[i64] = &[3, 4];
/// let store: Store<f64, DynRank> = rt.create(extents)?;
/// assert_eq!(store.rank(), 2);
/// # Ok::<(), layout_store::StoreError>(())
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
    /// The rank of the views that tasks get.
    type Rank: Rank<Array = Self::Array>;
    /// An index of such a view.
    type Array: IndexArray + IntoIndex<usize, Self::Rank, Array = Self::Array>;
}

/// Ranks to which a dimension can be added: 0 to 5.
#[diagnostic::on_unimplemented(message = "a store of rank `{Self}` cannot get one more dimension: six are the most")]
pub trait Promotable: StoreRank {
    /// One more.
    type Promoted: StoreRank;
}

/// Ranks of which a dimension can be taken: 1 to 6.
#[diagnostic::on_unimplemented(message = "a store of rank `{Self}` has no dimension to project")]
pub trait Projectable: StoreRank {
    /// One less.
    type Projected: StoreRank;
}

/// Ranks of which a dimension can be cut into the extents `E`: an array for [`Dim`], any list for [`DynRank`].
#[diagnostic::on_unimplemented(
    message = "a dimension of a store of rank `{Self}` cannot be cut into `{E}`",
    note = "give an array with one to six extents, so that no more than six dimensions result"
)]
pub trait Delinearizable<E>: StoreRank {
    /// The rank that results.
    type Delinearized: StoreRank;
}

/// A list with an entry for each dimension of rank `D`: `[T; N]` for [`Dim<N>`](Dim), any list for [`DynRank`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of `{T}` with an entry for each dimension of rank `{D}`",
    note = "give an array with one number for each dimension; for `DynRank`, any array, slice or `Point`",
    note = "numbers are `i64`, as the indices and extents of stores are; those that name dimensions are `usize`"
)]
pub trait Coordinates<D, T> {
    /// The entries.
    fn entries(&self) -> &[T];
}

/// What can be given as the extents of a new store: a number, an array, or, for [`DynRank`], a slice or [`Point`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as the extents of a store",
    note = "give a number (`1000`), an array (`[64, 64]`), or for `DynRank` a slice or a `Point`",
    note = "extents are `i64`, and so are indices of stores; of other integers, `i64::try_from(n)?` makes one"
)]
pub trait IntoShape {
    /// The rank.
    type Rank: StoreRank;

    /// The extents.
    ///
    /// # Errors
    ///
    /// Where there are more than six.
    fn into_shape(self) -> Result<Point, TransformError>;
}

/// The entries of a list as a point.
pub(crate) fn point_of(values: &[i64]) -> Result<Point, TransformError> {
    Point::of(values).ok_or(TransformError::Rank { what: "a list", rank: values.len() })
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

        $(impl Delinearizable<[i64; $k]> for Dim<$n> {
            type Delinearized = Dim<$to>;
        })*

        impl<T> Coordinates<Dim<$n>, T> for [T; $n] {
            fn entries(&self) -> &[T] {
                self
            }
        }

        impl<T> Coordinates<DynRank, T> for [T; $n] {
            fn entries(&self) -> &[T] {
                self
            }
        }

        impl IntoShape for [i64; $n] {
            type Rank = Dim<$n>;

            fn into_shape(self) -> Result<Point, TransformError> {
                Ok(self.into())
            }
        }
    )+};
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

impl<E: AsRef<[i64]>> Delinearizable<E> for DynRank {
    type Delinearized = Self;
}

impl<T> Coordinates<DynRank, T> for &[T] {
    fn entries(&self) -> &[T] {
        self
    }
}

impl<T> Coordinates<DynRank, T> for Vec<T> {
    fn entries(&self) -> &[T] {
        self
    }
}

impl Coordinates<DynRank, i64> for Point {
    fn entries(&self) -> &[i64] {
        self
    }
}

impl Coordinates<Dim<1>, i64> for i64 {
    fn entries(&self) -> &[i64] {
        core::slice::from_ref(self)
    }
}

impl IntoShape for i64 {
    type Rank = Dim<1>;

    fn into_shape(self) -> Result<Point, TransformError> {
        Ok([self].into())
    }
}

impl IntoShape for Point {
    type Rank = DynRank;

    fn into_shape(self) -> Result<Point, TransformError> {
        Ok(self)
    }
}

impl IntoShape for &[i64] {
    type Rank = DynRank;

    fn into_shape(self) -> Result<Point, TransformError> {
        point_of(self)
    }
}

mod sealed {
    #[expect(unnameable_types, reason = "seals `StoreRank`, whose answers are relied on")]
    pub trait Sealed {}
}
