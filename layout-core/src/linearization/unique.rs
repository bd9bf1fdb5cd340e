//! The decision whether strides give each index a position of its own.
//!
//! Two indices share a position if their differences, not all zero, sum to zero when multiplied by the strides.
//!
//! ```text
//! 1  a dimension whose stride exceeds all that the others reach has difference 0: it is left out
//! 2  so is one that must move by more than its extent to stay in step with the divisor of the other strides
//! 3  indices that are more than the positions between lowest and highest share one
//! 4  what is left is searched, largest stride first: the others' divisor and reach leave few differences to try
//! ```
//!
//! Strides of slices, tiles and permutations are decided by step 1. With two dimensions left, the search ends at its first step.

/// The most differences that are tried. Indices that need more tries, which takes many interlocking dimensions, count
/// as sharing a position.
const MOST: u32 = 1 << 16;

/// A dimension of extent two or more: the number of steps along it, and the distance of one step.
#[derive(Clone, Copy)]
struct Dimension {
    steps: i128,
    stride: i128,
}

impl Dimension {
    fn reach(self) -> i128 {
        self.steps.saturating_mul(self.stride)
    }
}

/// The total reach of several dimensions.
fn reach(dimensions: &[Dimension]) -> i128 {
    dimensions.iter().fold(0, |sum: i128, dimension| sum.saturating_add(dimension.reach()))
}

/// The greatest common divisor, and a factor by which `a` must be multiplied to equal it, modulo `b`.
fn divisor(a: i128, b: i128) -> (i128, i128) {
    let ((mut a, mut factor), (mut b, mut next)) = ((a, 1), (b, 0));
    while b != 0 {
        let quotient = a / b;
        (a, b) = (b, a - quotient * b);
        (factor, next) = (next, factor - quotient * next);
    }
    (a, factor)
}

/// The greatest common divisor of all strides; 0 without dimensions.
fn common(dimensions: &[Dimension]) -> i128 {
    dimensions.iter().fold(0, |common, dimension| divisor(common, dimension.stride).0)
}

/// Returns `true` if no two indices below the extents share a position, and `false` if they do or if the search takes too many tries.
///
/// # Complexity
///
/// Quadratic in the number of dimensions for all strides that slicing, tiling and permuting make. For other strides, at
/// most [`MOST`] differences are tried.
pub(super) fn is_unique(extents: &[usize], strides: &[isize]) -> bool {
    if extents.contains(&0) {
        return true;
    }
    let (mut dimensions, mut count) = ([Dimension { steps: 0, stride: 0 }; 8], 0);
    for (extent, stride) in extents.iter().zip(strides).filter(|(extent, _)| **extent > 1) {
        if *stride == 0 {
            return false;
        }
        // Both numbers fit.
        let wide = |number: usize| i128::try_from(number).unwrap_or(i128::MAX);
        dimensions[count] = Dimension { steps: wide(*extent - 1), stride: wide(stride.unsigned_abs()) };
        count += 1;
    }
    if count < 2 {
        // As in most views and tiles.
        return true;
    }
    let dimensions = &mut dimensions[..count];
    dimensions.sort_unstable_by_key(|dimension| dimension.stride);
    let left = leave_out(dimensions);
    let dimensions = &dimensions[..left];
    let indices = dimensions.iter().fold(1, |product: i128, dimension| product.saturating_mul(dimension.steps + 1));
    indices <= reach(dimensions).saturating_add(1) && !sums(dimensions, 0, true, &mut { MOST })
}

/// Removes dimensions whose difference must be 0, and returns the number of the remaining dimensions, which keep their order.
fn leave_out(dimensions: &mut [Dimension]) -> usize {
    let mut count = dimensions.len();
    'again: loop {
        for k in (0..count).rev() {
            dimensions[k..count].rotate_left(1);
            let (others, own) = (&dimensions[..count - 1], dimensions[count - 1]);
            let step = || common(others) / divisor(common(others), own.stride).0;
            if own.stride > reach(others) || step() > own.steps {
                count -= 1;
                continue 'again;
            }
            dimensions[k..count].rotate_right(1);
        }
        return count;
    }
}

/// Returns `true` if differences of these dimensions, sorted by stride, sum to `target`; with `all_zero`, only if not
/// all differences are zero.
fn sums(dimensions: &[Dimension], target: i128, all_zero: bool, left: &mut u32) -> bool {
    // Without dimensions all differences are zero.
    let Some((own, others)) = dimensions.split_last() else { return false };
    let (further, among) = (reach(others), common(others));
    // A divisor of all strides divides every sum.
    let (common, factor) = divisor(own.stride, among);
    if target % common != 0 {
        return false;
    }
    if others.is_empty() {
        let difference = target / own.stride;
        return difference.abs() <= own.steps && !(all_zero && difference == 0);
    }
    // Only differences for which the other dimensions can reach the rest ...
    let least = (target.saturating_sub(further)).div_euclid(own.stride).saturating_sub(1).max(-own.steps);
    let most = (target.saturating_add(further)).div_euclid(own.stride).min(own.steps);
    // ... of which, for a target of zero, only one sign must be tried ...
    let least = if all_zero { 0 } else { least };
    // ... and whose rest is a multiple of the common divisor.
    let step = among / common;
    let first = (target / common % step) * (factor % step);
    let mut difference = least + (first - least).rem_euclid(step);
    while difference <= most {
        if *left == 0 {
            return true;
        }
        *left -= 1;
        let missing = target - difference * own.stride;
        if missing.abs() <= further && sums(others, missing, all_zero && difference == 0, left) {
            return true;
        }
        difference += step;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Dimension, sums};

    #[test]
    fn a_search_that_takes_too_long_says_that_positions_are_shared() {
        // No two of the 27 sums are equal; to see that, differences of 0 and 2 along the last dimension are tried.
        let dimensions = [6, 10, 15].map(|stride| Dimension { steps: 2, stride });
        assert!(!sums(&dimensions, 0, true, &mut 100));
        assert!(sums(&dimensions, 0, true, &mut 1));
    }
}
