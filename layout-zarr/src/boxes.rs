//! Boxes of arrays of any rank: blocks one after another, and copies of bytes.

/// Calls `f` with the start and the extents of each block of `side` in `extents`, the last dimension fastest; the last blocks may be
/// smaller. There is one block without dimensions, and none without elements.
pub(crate) fn each_block<E>(
    extents: &[usize],
    side: &[usize],
    mut f: impl FnMut(&[usize], &[usize]) -> Result<(), E>,
) -> Result<(), E> {
    if extents.contains(&0) {
        return Ok(());
    }
    let mut start = vec![0; extents.len()];
    loop {
        let shape: Vec<usize> = (0..extents.len()).map(|dim| side[dim].min(extents[dim] - start[dim])).collect();
        f(&start, &shape)?;
        // The next start, as a counter counts.
        let Some(dim) = (0..extents.len()).rev().find(|dim| side[*dim] < extents[*dim] - start[*dim]) else {
            return Ok(());
        };
        start[dim] += side[dim];
        start[dim + 1..].fill(0);
    }
}

/// The bytes of an array, its extents, and the start of a box in it.
type Place<'p, B> = (B, &'p [usize], &'p [usize]);

/// Copies a box of `count` entries of `size` bytes from one array to another one; both have the last dimension fastest.
pub(crate) fn copy_box(to: Place<'_, &mut [u8]>, from: Place<'_, &[u8]>, count: &[usize], size: usize) {
    let Some((row, rows)) = count.split_last() else {
        to.0[..size].copy_from_slice(&from.0[..size]);
        return;
    };
    let position = |(extents, start): (&[usize], &[usize]), at: &[usize]| {
        let all = (0..extents.len()).map(|dim| (extents[dim], start[dim] + at.get(dim).copied().unwrap_or(0)));
        all.fold(0, |position, (extent, at)| position * extent + at) * size
    };
    let (bytes, ones) = (row * size, vec![1; rows.len()]);
    let done = each_block(rows, &ones, |at, _| {
        let (target, source) = (position((to.1, to.2), at), position((from.1, from.2), at));
        to.0[target..target + bytes].copy_from_slice(&from.0[source..source + bytes]);
        Ok::<(), core::convert::Infallible>(())
    });
    match done {
        Ok(()) => {}
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_a_partition() {
        let mut seen = [0; 35];
        each_block(&[5, 7], &[2, 3], |start, shape| {
            for (i, j) in (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j))) {
                seen[7 * (start[0] + i) + start[1] + j] += 1;
            }
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(seen, [1; 35]);
        let count = |extents: &[usize], side: &[usize]| {
            let mut count = 0;
            each_block(extents, side, |_, _| {
                count += 1;
                Ok::<(), ()>(())
            })
            .unwrap();
            count
        };
        assert_eq!((count(&[], &[]), count(&[3, 0], &[1, 1]), count(&[4], &[9])), (1, 0, 1));
    }

    #[test]
    fn boxes_are_copied() {
        let from: Vec<u8> = (0..24).collect();
        let mut to = [255; 6];
        copy_box((&mut to, &[3, 2], &[1, 0]), (&from, &[3, 8], &[1, 5]), &[2, 2], 1);
        assert_eq!(to, [255, 255, 13, 14, 21, 22]);
        let mut to = [0; 4];
        copy_box((&mut to, &[1, 1], &[0, 0]), (&from, &[2, 3], &[1, 2]), &[1, 1], 4);
        assert_eq!(to, [20, 21, 22, 23]);
    }
}
