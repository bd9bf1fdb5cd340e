//! Boxes of elements in files, in six dimensions; the first ones have extent 1.

use core::ops::Range;

use crate::geometry::{MAX_RANK, Point};

/// An index, or extents, in six dimensions.
pub(crate) type Extents = [usize; MAX_RANK];

/// Widens an index or extents to six dimensions; the first ones are `fill`.
pub(crate) fn widened(point: &Point, fill: usize) -> Extents {
    let mut wide = [fill; MAX_RANK];
    let first = MAX_RANK - point.len();
    point.iter().enumerate().for_each(|(dim, at)| wide[first + dim] = usize::try_from(*at).unwrap_or(0));
    wide
}

/// Cuts a box of these extents into boxes, row by row. Each has at most `most` elements, and is as long as that allows along the last
/// dimensions.
pub(crate) fn blocks(extents: Extents, most: usize) -> impl Iterator<Item = [Range<usize>; MAX_RANK]> {
    // A box is all of the dimensions after `cut`, a part of dimension `cut`, and one index of the dimensions before.
    let (mut cut, mut inner) = (MAX_RANK - 1, 1_usize);
    while cut > 0 && inner.saturating_mul(extents[cut]) <= most {
        inner = inner.saturating_mul(extents[cut]);
        cut -= 1;
    }
    let length = (most / inner.max(1)).clamp(1, extents[cut].max(1));
    let is_empty = extents.contains(&0);
    let counts = core::array::from_fn(|dim| match dim {
        _ if is_empty => 0,
        dim if dim < cut => extents[dim],
        dim if dim == cut => extents[dim].div_ceil(length),
        _ => 1,
    });
    indices(counts).map(move |at| {
        core::array::from_fn(|dim| match dim {
            dim if dim < cut => at[dim]..at[dim] + 1,
            dim if dim == cut => at[dim] * length..((at[dim] + 1) * length).min(extents[dim]),
            dim => 0..extents[dim],
        })
    })
}

/// The rows of a box in a file of elements of extents `file`: the length of the rows, and for each row the number of its first element in
/// the file. All rows are equally long, and in the order of the elements of the box. The box starts at `origin` and has, along each
/// dimension, `extents` indices with step `every`.
pub(crate) fn runs(
    file: Extents,
    (origin, every): (Extents, Extents),
    extents: Extents,
) -> (usize, impl Iterator<Item = u64>) {
    // Dimensions after `last` are complete.
    let mut last = MAX_RANK - 1;
    while last > 0 && extents[last] == file[last] {
        last -= 1;
    }
    // Along a dimension with steps, each index is a row of its own.
    last += usize::from(every[last] > 1);
    let is_empty = extents.contains(&0);
    let length = extents[last..].iter().product();
    let counts = core::array::from_fn(|dim| {
        if is_empty {
            0
        } else if dim < last {
            extents[dim]
        } else {
            1
        }
    });
    let starts = indices(counts).map(move |at| {
        let place = |number: u64, dim: usize| number * file[dim] as u64 + (origin[dim] + at[dim] * every[dim]) as u64;
        (0..MAX_RANK).fold(0, place)
    });
    (length, starts)
}

/// All indices below these extents, the last dimension fastest.
fn indices(extents: Extents) -> impl Iterator<Item = Extents> {
    (0..extents.iter().product()).map(move |mut number: usize| {
        let mut at = [0; MAX_RANK];
        for dim in (0..MAX_RANK).rev() {
            (at[dim], number) = (number % extents[dim], number / extents[dim]);
        }
        at
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Blocks have all elements in order, and none is too large; their rows are the places of the elements.
        #[test]
        fn blocks_are_all_elements_in_order(
            sides in prop::array::uniform6((0..4_usize, 0..3_usize, 0..3_usize, 1..3_usize)),
            most in 1..30_usize,
        ) {
            let (extents, origin, every) = (sides.map(|side| side.0), sides.map(|side| side.1), sides.map(|side| side.3));
            let file: Extents = core::array::from_fn(|dim| origin[dim] + extents[dim] * every[dim] + sides[dim].2);
            let number = |at: Extents| (0..MAX_RANK).fold(0, |number, dim| number * file[dim] as u64 + at[dim] as u64);
            let mut found = Vec::new();
            for block in blocks(extents, most) {
                let own: Extents = core::array::from_fn(|dim| block[dim].len());
                let volume: usize = own.iter().product();
                prop_assert!((1..=most).contains(&volume));
                let start = core::array::from_fn(|dim| origin[dim] + block[dim].start * every[dim]);
                let (length, starts) = runs(file, (start, every), own);
                let before = found.len();
                starts.for_each(|start| found.extend(start..start + length as u64));
                prop_assert_eq!(found.len() - before, volume);
            }
            let moved = |at: Extents| core::array::from_fn(|dim| origin[dim] + at[dim] * every[dim]);
            prop_assert!(found.into_iter().eq(indices(extents).map(|at| number(moved(at)))));
        }
    }

    #[test]
    fn few_blocks_and_rows_are_made() {
        assert_eq!(blocks([1, 1, 1, 1, 100, 100], 10_000).count(), 1);
        assert_eq!(blocks([1, 1, 1, 1, 100, 100], 2_500).count(), 4);
        assert_eq!(blocks([1, 1, 1, 1, 0, 100], 10).count(), 0);
        assert_eq!(runs([1, 1, 1, 8, 9, 10], ([0, 0, 0, 2, 0, 0], [1; 6]), [1, 1, 1, 3, 9, 10]).0, 270);
    }
}
