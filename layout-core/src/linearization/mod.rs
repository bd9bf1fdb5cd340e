//! Linearizations: they turn an array index into a flat position.

mod contiguous;
mod exhaustive;
mod morton;
mod order;
mod padded;
mod permuted;
mod strided;
mod tiled;
mod transposed;
mod unique;
mod within;

use core::fmt;

pub use contiguous::{ColMajor, Ordered, RowMajor, fastest_first};
pub(crate) use exhaustive::is_exhaustive;
pub use morton::Morton;
pub use padded::PaddedRows;
pub use permuted::{Permuted, dimensions};
pub use strided::{First, Last, Nowhere, Side, Strided, UnitStride};
pub use tiled::Tiled;
pub use transposed::Transposed;
#[doc(hidden)]
pub use within::Within;

use crate::error::ExtentsError;
use crate::extents::IndexArray;

/// A linearization turns an index into a flat position, which a record layout turns into bytes.
///
/// `A` is `[usize; N]`. Iteration, lanes and slicing use the constants and [`stride`](Self::stride): a linearization of
/// your own gets the fast paths if it defines them. The guide of the facade shows two implementations, in the chapter
/// "Writing a linearization".
///
/// # Safety
///
/// Implementors must ensure, for extents that [`fit`](Self::fit) accepted and every index below them:
/// * [`position`](Self::position) is below [`span`](Self::span), linearizations that are equal give equal ones, and
///   [`position_unchecked`](Self::position_unchecked) gives that too;
/// * where [`is_unique`](Self::is_unique) answers true, no two indices have one position;
/// * if [`STRIDED`](Self::STRIDED), a step of one along a dimension moves the position by
///   [`stride`](Self::stride), and along dimension [`INNER`](Self::INNER), if there is one, by one;
/// * [`RUN`](Self::RUN) is not zero;
/// * if not [`STRIDED`](Self::STRIDED), and [`RUN`](Self::RUN) is more than one: a step of one along dimension [`INNER`](Self::INNER), which there
///   is, moves the position by one, except where that were a multiple of `RUN`; there it moves to any multiple of `RUN`;
/// * if [`EXHAUSTIVE`](Self::EXHAUSTIVE), walking all indices with the last entry of
///   [`nest`](Self::nest) innermost gives the positions 0, 1, 2 and so on up to the product of the extents;
/// * [`nest`](Self::nest) is a permutation of the dimensions, with [`INNER`](Self::INNER), if there is one, last;
/// * all of that holds if a value becomes one of a supertype.
///
/// Callers may rely on all of that.
///
/// # Examples
///
/// ```
/// use layout::{ColMajor, Linearization, RowMajor};
///
/// assert_eq!(RowMajor.position([3, 4], [1, 2]), 1 * 4 + 2);
/// assert_eq!(ColMajor.position([3, 4], [1, 2]), 2 * 3 + 1);
/// assert_eq!(Linearization::<[usize; 2]>::stride(&RowMajor, [3, 4], 0), 4);
/// assert_eq!(RowMajor.span([3, 4]), Some(12));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no linearization for indices of type `{A}`",
    note = "use `RowMajor`, `ColMajor`, `Ordered`, `PaddedRows`, `Tiled`, `Morton`, or `Strided` of the rank of the extents"
)]
pub unsafe trait Linearization<A: IndexArray>: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The dimension whose stride is one, at least within a [`RUN`](Self::RUN); `None` if the type does not determine one.
    const INNER: Option<usize>;
    /// `Some(true)` if positions are unique, `Some(false)` if they are not; `None` if the type does not determine it.
    const UNIQUE: Option<bool>;
    /// `true` if a walk over all indices in the order of [`nest`](Self::nest) gives the positions 0, 1, 2 and so on.
    const EXHAUSTIVE: bool;
    /// `true` if positions depend on the index by constant strides.
    const STRIDED: bool;
    /// The number of neighbors along [`INNER`](Self::INNER) after which positions jump: `usize::MAX` for never, 1 for
    /// always.
    const RUN: usize = if Self::STRIDED { usize::MAX } else { 1 };

    /// Fails to compile if the linearization is not for the rank of `A`.
    const CHECKED: () = ();

    /// Adapts the linearization to these extents.
    ///
    /// # Errors
    ///
    /// Returns an error if some index would have no position, or a position that does not fit `isize`;
    /// [`ExtentsError::unfit`] takes the reason in words.
    fn fit(self, extents: A) -> Result<Self, ExtentsError> {
        let _ = extents;
        Ok(self)
    }

    /// The number of positions that a record layout must provide, or `None` if it does not fit `isize`.
    fn span(&self, extents: A) -> Option<usize>;

    /// The position of an index. May be called for an index beyond the extents, and must not panic; the result is then not used.
    fn position(&self, extents: A, index: A) -> usize;

    /// The same as [`position`](Self::position), but without checks for overflow; such checks keep the compiler from
    /// seeing that neighbors are equally spaced.
    ///
    /// # Safety
    ///
    /// [`fit`](Self::fit) gave this linearization for these extents, which have a [`span`](Self::span), and the index is below
    /// them.
    #[inline(always)]
    unsafe fn position_unchecked(&self, extents: A, index: A) -> usize {
        self.position(extents, index)
    }

    /// The distance in positions of a step of one along `dimension`; meaningful only if [`STRIDED`](Self::STRIDED), and only if there is
    /// such a step: not along a dimension of one index.
    #[inline(always)]
    fn stride(&self, extents: A, dimension: usize) -> isize {
        let first = self.position(extents, A::ZERO);
        self.position(extents, A::ZERO.moved(dimension, 1)).wrapping_sub(first).cast_signed()
    }

    /// The dimensions in the order of the nested loops that walk memory best, outermost first. By default the last dimension is innermost.
    #[inline]
    fn nest(&self, extents: A) -> A {
        let _ = extents;
        A::ASCENDING
    }

    /// Returns `true` if no two indices share a position. By default, returns what [`UNIQUE`](Self::UNIQUE) says, and
    /// `false` if it says nothing.
    fn is_unique(&self, extents: A) -> bool {
        let _ = extents;
        matches!(Self::UNIQUE, Some(true))
    }
}

/// A linearization with a constant offset and constant strides, such as that of slices, transposed and permuted views.
///
/// # Examples
///
/// ```
/// use layout::author::Last;
/// use layout::{RowMajor, StridedLinearization};
///
/// fn sliced<L: StridedLinearization<[usize; 2], Unit = Last>>(_: L) -> &'static str {
///     "a slice by ranges keeps its last stride of one"
/// }
/// assert!(sliced(RowMajor).starts_with("a slice"));
/// ```
///
/// # Safety
///
/// Implementors must ensure that [`STRIDED`](Linearization::STRIDED) is true, and that the dimension on the side
/// [`Unit`](Self::Unit), if it names one, has a stride of one.
pub unsafe trait StridedLinearization<A: IndexArray>: Linearization<A> {
    /// The side on which the type knows the dimension of stride one to lie.
    type Unit: Side;
}

/// The strides along all dimensions.
#[inline(always)]
pub(crate) fn strides_of<A: IndexArray, L: Linearization<A>>(linearization: &L, extents: A) -> A::Strides {
    let mut strides = A::NO_STRIDES;
    for (dimension, stride) in strides.as_mut().iter_mut().enumerate() {
        *stride = linearization.stride(extents, dimension);
    }
    strides
}
