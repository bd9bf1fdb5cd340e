//! How many colours a store is cut into along each dimension.

use crate::point::Point;

/// The colours along each dimension, for `pieces` in all; `None` if there is nothing to cut.
///
/// Dimensions of extent 1 and those that `split` forbids stay whole. Of two that are left, the shorter gets the number of
/// colours, out of the divisors of `pieces`, that makes tiles nearly square; three and more get the prime factors of
/// `pieces`, largest first, each the dimension that has most left.
///
/// # Examples
///
/// ```
/// use layout_store::{Point, colors_for};
///
/// assert_eq!(colors_for([100].into(), &[true], 4), Some(Point::from([4])));
/// assert_eq!(colors_for([8, 12].into(), &[true; 2], 4), Some(Point::from([1, 4])));
/// assert_eq!(colors_for([8, 12].into(), &[true, false], 4), Some(Point::from([4, 1])));
/// assert_eq!(colors_for([1].into(), &[true], 4), None);
/// ```
///
/// # Panics
///
/// Panics if `split` has not an entry for each dimension.
#[must_use]
pub fn colors_for(extents: Point, split: &[bool], pieces: i64) -> Option<Point> {
    assert_eq!(extents.len(), split.len(), "an entry for each dimension");
    let dims: Vec<usize> = (0..extents.len()).filter(|dim| extents[*dim] != 1 && split[*dim]).collect();
    if pieces <= 1 || dims.is_empty() || extents.contains(&0) {
        return None;
    }
    let mut colors = Point::splat(extents.len(), 1);
    match dims[..] {
        [dim] => colors[dim] = extents[dim].min(pieces),
        [a, b] => {
            let (short, long) = if extents[a] <= extents[b] { (a, b) } else { (b, a) };
            let count = along_short(extents[short], extents[long], pieces);
            colors[short] = count;
            colors[long] = pieces / count;
        }
        _ => factors(&mut colors, extents, &dims, pieces),
    }
    Some(colors)
}

/// The colours along the shorter of two dimensions.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a root is a small number")]
fn along_short(short: i64, long: i64, pieces: i64) -> i64 {
    let n = (pieces as f64 * short as f64 / long as f64).sqrt();
    let (mut below, mut above) = ((n.floor() as i64).max(1), ((n - 1e-12).floor() as i64).max(1));
    while pieces % below != 0 {
        below -= 1;
    }
    while pieces % above != 0 {
        above += 1;
    }
    let longest = |count: i64| (short / count).max(long / (pieces / count));
    if longest(below) <= longest(above) { below } else { above }
}

/// Gives each prime factor of `pieces` to the dimension that has most left.
fn factors(colors: &mut Point, extents: Point, dims: &[usize], pieces: i64) {
    /// The last dimension, along which memory is contiguous, is not cut into less than this.
    const FEWEST: i64 = 32;

    let mut rest = pieces;
    let mut left: Vec<i64> = dims.iter().map(|dim| extents[*dim]).collect();
    for prime in [11, 7, 5, 3, 2] {
        while rest % prime == 0 {
            rest /= prime;
            let last = left.len() - 1;
            let allowed = (0..=last).filter(|k| *k != last || left[last] / prime >= FEWEST);
            // Of equals, the first.
            if let Some(most) = allowed.rev().max_by_key(|k| left[*k]) {
                colors[dims[most]] *= prime;
                left[most] /= prime;
            }
        }
    }
}
