//! Allocation of views by their record, layout and extents.

use super::{Owned, OwnedIn, View};
use crate::blob::Allocate;
use crate::error::ViewError;
use crate::extents::{Extents, IntoExtents};
use crate::mapping::{Mapped, RecordLayout};
use crate::record::Record;

/// Allocation of views of a record, with the layout as the only type to write: `Particle::alloc::<SoA>(1000)`.
///
/// `X` is the type of the extents: a number, an array of numbers, or [`extents!`](crate::extents). All records implement this trait.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let grid = f64::alloc::<SoA>([3, 4])?;
/// assert_eq!(grid.get([2, 3]), 0.0);
/// assert_eq!(<[u8; 3]>::alloc::<AoS>(extents!(dyn 100, 256))?.len(), 25_600);
/// # Ok::<(), ViewError>(())
/// ```
pub trait Alloc<X: IntoExtents>: Record {
    /// Allocates a view in the layout `L`, in row-major order, with all bytes zero.
    ///
    /// # Errors
    ///
    /// Returns an error if the extents are too large, if zero is not a value of a leaf's type, or if there is not enough memory.
    fn alloc<L: RecordLayout<Self> + Default>(extents: X) -> Result<Owned<Mapped<Self, X::Extents, L>>, ViewError> {
        let () = Mapped::<Self, X::Extents, L>::CHECKED;
        alloc(extents)
    }

    /// Allocates a view in the layout `L`, and fills it: the element at each index is the result of `f` for that index.
    ///
    /// # Errors
    ///
    /// Returns an error if the extents are too large, or if there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = usize::alloc_from_fn::<SoA>([3, 4], |[i, j]| 10 * i + j)?;
    /// assert_eq!(view.get([2, 3]), 23);
    /// # Ok::<(), ViewError>(())
    /// ```
    fn alloc_from_fn<L: RecordLayout<Self> + Default>(
        extents: X,
        f: impl FnMut(<X::Extents as Extents>::Array) -> Self,
    ) -> Result<Owned<Mapped<Self, X::Extents, L>>, ViewError> {
        let () = Mapped::<Self, X::Extents, L>::CHECKED;
        alloc_from_fn(extents, f)
    }

    /// Allocates a view as [`alloc`](Self::alloc) does, in memory of the type `A`, such as `HugePages`.
    ///
    /// # Errors
    ///
    /// The same as [`alloc`](Self::alloc).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    /// use layout::blob::Heap;
    ///
    /// assert_eq!(f64::alloc_in::<SoA, Heap>([3, 4])?.get([2, 3]), 0.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[expect(clippy::type_complexity, reason = "a view has a record, extents, a layout and memory")]
    fn alloc_in<L, A>(extents: X) -> Result<OwnedIn<Mapped<Self, X::Extents, L>, A>, ViewError>
    where
        L: RecordLayout<Self> + Default,
        A: Allocate,
    {
        let () = Mapped::<Self, X::Extents, L>::CHECKED;
        View::zeroed_in::<A>(Mapped::new(extents.into_extents()?)?)
    }

    /// Allocates a view as [`alloc_from_fn`](Self::alloc_from_fn) does, in memory of the type `A`, such as `HugePages`.
    ///
    /// # Errors
    ///
    /// The same as [`alloc_from_fn`](Self::alloc_from_fn).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    /// use layout::blob::Heap;
    ///
    /// let view = usize::alloc_from_fn_in::<SoA, Heap>([3, 4], |[i, j]| 10 * i + j)?;
    /// assert_eq!(view.get([2, 3]), 23);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[expect(clippy::type_complexity, reason = "a view has a record, extents, a layout and memory")]
    fn alloc_from_fn_in<L, A>(
        extents: X,
        f: impl FnMut(<X::Extents as Extents>::Array) -> Self,
    ) -> Result<OwnedIn<Mapped<Self, X::Extents, L>, A>, ViewError>
    where
        L: RecordLayout<Self> + Default,
        A: Allocate,
    {
        let () = Mapped::<Self, X::Extents, L>::CHECKED;
        View::from_fn_in::<A>(Mapped::new(extents.into_extents()?)?, f)
    }
}

impl<R: Record, X: IntoExtents> Alloc<X> for R {}

/// Allocates a view of records `R` in the layout `L`, in row-major order, with all bytes zero.
///
/// The third type is that of the argument: write `_`, or use [`Alloc::alloc`], `R::alloc::<L>(extents)`.
///
/// # Errors
///
/// Returns an error if the extents are too large, if zero is not a value of a leaf's type, or if there is not enough memory.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let view = alloc::<f64, SoA, _>([3, 4])?;
/// assert_eq!(view.get([2, 3]), 0.0);
/// // One dimension of 100, and one of 256 that is known by type.
/// assert_eq!(alloc::<[u8; 3], AoS, _>(extents!(dyn 100, 256))?.len(), 25_600);
/// # Ok::<(), ViewError>(())
/// ```
pub fn alloc<R, L, Inferred>(extents: Inferred) -> Result<Owned<Mapped<R, Inferred::Extents, L>>, ViewError>
where
    R: Record,
    L: RecordLayout<R> + Default,
    Inferred: IntoExtents,
{
    let () = Mapped::<R, Inferred::Extents, L>::CHECKED;
    View::zeroed(Mapped::new(extents.into_extents()?)?)
}

/// Allocates a view of records `R` in the layout `L`, and fills it: the element at each index is the result of `f` for that index.
///
/// # Errors
///
/// Returns an error if the extents are too large, or if there is not enough memory.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let view = alloc_from_fn::<usize, SoA, _>([3, 4], |[i, j]| 10 * i + j)?;
/// assert_eq!(view.get([2, 3]), 23);
/// # Ok::<(), ViewError>(())
/// ```
pub fn alloc_from_fn<R, L, Inferred>(
    extents: Inferred,
    f: impl FnMut(<Inferred::Extents as Extents>::Array) -> R,
) -> Result<Owned<Mapped<R, Inferred::Extents, L>>, ViewError>
where
    R: Record,
    L: RecordLayout<R> + Default,
    Inferred: IntoExtents,
{
    let () = Mapped::<R, Inferred::Extents, L>::CHECKED;
    View::from_fn(Mapped::new(extents.into_extents()?)?, f)
}
