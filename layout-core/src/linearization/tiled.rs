//! Tiles: small blocks of neighbors in all dimensions, stored one after another.

use super::Linearization;
use crate::extents::IndexArray;

/// Tiles of `A` x `B` x ... elements, stored one after another: `Tiled<8, 8>` in two dimensions, `Tiled<4, 4, 4>` in three.
///
/// The tiles lie in row-major order, and so do the elements of each tile. Tiles at the edges are stored whole, and some
/// of their positions belong to no element. The position of `[a, b]` in extents `[x, y]` with tiles of `[A, B]` is
/// `((a / A) * ceil(y / B) + b / B) * (A * B) + (a % A) * B + b % B`.
///
/// ```text
/// Tiled<2, 4>, extents [4, 6]:     0  1  2  3 |  8  9  .  .
///                                  4  5  6  7 | 12 13  .  .
///                                 ------------+------------
///                                 16 17 18 19 | 24 25  .  .
///                                 20 21 22 23 | 28 29  .  .
/// ```
///
/// Neighbors along any dimension mostly lie in the same few cache lines. That is good for transpositions, convolutions
/// and other work along several dimensions. A row is walked in runs of the last tile size.
///
/// # Complexity
///
/// A position takes a division and a remainder for each dimension; for powers of two these are shifts and masks.
///
/// # Examples
///
/// ```
/// use layout::{Linearization, Tiled};
///
/// let tiled = Tiled::<2, 4>;
/// assert_eq!(tiled.position([4, 6], [1, 5]), 13);
/// assert_eq!(tiled.position([4, 6], [3, 2]), 22);
/// assert_eq!(tiled.span([4, 6]), Some(4 * 8));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tiled<
    const A: usize,
    const B: usize = 0,
    const C: usize = 0,
    const D: usize = 0,
    const E: usize = 0,
    const F: usize = 0,
    const G: usize = 0,
    const H: usize = 0,
>;

impl<
    const A: usize,
    const B: usize,
    const C: usize,
    const D: usize,
    const E: usize,
    const F: usize,
    const G: usize,
    const H: usize,
> Tiled<A, B, C, D, E, F, G, H>
{
    const SIZES: [usize; 8] = [A, B, C, D, E, F, G, H];
}

// SAFETY: an index is given by its tile and the place in it, both numbered in mixed radix without gaps: positions are
// below the number of tiles times the elements of one, which is the span, and unique. Tiles and their rows start at
// multiples of the last size, and count up from there along the last dimension.
unsafe impl<
    I: IndexArray,
    const A: usize,
    const B: usize,
    const C: usize,
    const D: usize,
    const E: usize,
    const F: usize,
    const G: usize,
    const H: usize,
> Linearization<I> for Tiled<A, B, C, D, E, F, G, H>
{
    const INNER: Option<usize> = I::RANK.checked_sub(1);
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = false;
    const RUN: usize = if I::RANK == 0 { 1 } else { Self::SIZES[I::RANK - 1] };
    const CHECKED: () = {
        let mut dimension = 0;
        while dimension < 8 {
            assert!(
                (Self::SIZES[dimension] > 0) == (dimension < I::RANK),
                "`Tiled` must list one size for each dimension of the extents, none of them zero"
            );
            dimension += 1;
        }
    };

    #[inline(always)]
    fn span(&self, extents: I) -> Option<usize> {
        let () = <Self as Linearization<I>>::CHECKED;
        let mut span = 1usize;
        for (extent, size) in extents.as_ref().iter().zip(Self::SIZES) {
            // An extent of zero makes the product zero, however large the other extents are.
            if *extent == 0 {
                return Some(0);
            }
            span = span.saturating_mul(extent.div_ceil(size)).saturating_mul(size);
        }
        isize::try_from(span).is_ok().then_some(span)
    }

    #[inline(always)]
    fn position(&self, extents: I, index: I) -> usize {
        let () = <Self as Linearization<I>>::CHECKED;
        let sizes = Self::SIZES;
        let (extents, index) = (extents.as_ref(), index.as_ref());
        let (mut tile, mut within) = (0usize, 0usize);
        for dimension in 0..I::RANK {
            let size = sizes[dimension];
            tile = tile.wrapping_mul(extents[dimension].div_ceil(size)).wrapping_add(index[dimension] / size);
            within = within.wrapping_mul(size).wrapping_add(index[dimension] % size);
        }
        let volume = sizes[..I::RANK].iter().fold(1, |volume: usize, size| volume.wrapping_mul(*size));
        tile.wrapping_mul(volume).wrapping_add(within)
    }
}
