//! Morton order: the bits of all indices, interleaved.

use super::Linearization;
use crate::extents::IndexArray;
use crate::spread::Spread;

/// Morton order, also called Z order: the bits of all indices are interleaved, and those of the last dimension are lowest.
///
/// The position of `[a, b]` is `... a2 b2 a1 b1 a0 b0` in bits, with `a0` the lowest bit of `a`. There is a position for each index of a
/// cube, whose side is the smallest power of two that no extent exceeds; positions outside the extents belong to no element.
///
/// ```text
/// extents [4, 4]:     0  1 |  4  5          extents [3, 4]:     0  1  4  5     span 16
///                     2  3 |  6  7                              2  3  6  7
///                    ------+------                              8  9 12 13
///                     8  9 | 12 13
///                    10 11 | 14 15
/// ```
///
/// Neighbors along all dimensions lie close together at every scale, whatever the sizes of the caches. Extents that are far from a cube or
/// from powers of two waste memory: a cube takes up to `2^rank` times the memory of its elements, and other shapes more. If all extents are
/// the same power of two, no position is wasted, and `for_each` walks straight through memory.
///
/// # Complexity
///
/// Spreading the bits takes a number of steps logarithmic in the width of `usize`, at most five for each dimension.
/// With the BMI2 instructions (x86-64-v3), it takes one step.
///
/// # Examples
///
/// ```
/// use layout::{Linearization, Morton};
///
/// assert_eq!(Morton.position([4, 4], [2, 3]), 0b1101);
/// assert_eq!(Morton.span([3, 5]), Some(8 * 8));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Morton;

// SAFETY: the entries of an index are below the side, a power of two: all their bits that may be set have a place of their
// own below `side ^ rank`, which is the span. So positions are unique and below it.
unsafe impl<A: IndexArray> Linearization<A> for Morton {
    const INNER: Option<usize> = A::RANK.checked_sub(1);
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = false;

    #[inline(always)]
    fn span(&self, extents: A) -> Option<usize> {
        if extents.product() == Some(0) {
            return Some(0);
        }
        let mut span = 1usize;
        let longest = extents.as_ref().iter().max().copied().unwrap_or(1);
        for _ in 0..A::RANK {
            span = span.checked_mul(longest.checked_next_power_of_two()?)?;
        }
        isize::try_from(span).is_ok().then_some(span)
    }

    #[inline(always)]
    fn position(&self, _: A, index: A) -> usize {
        let mut position = 0;
        for (dimension, entry) in index.as_ref().iter().enumerate() {
            position |= const { &Spread::by(A::RANK) }.spread(*entry) << (A::RANK - 1 - dimension);
        }
        position
    }
}
