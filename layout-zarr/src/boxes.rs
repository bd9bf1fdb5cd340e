//! Copies of boxes of bytes between arrays of any rank.

use layout_core::each_block;

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
    let done = each_block(&rows.to_vec(), &ones, false, |at, _| {
        let (target, source) = (position((to.1, to.2), &at), position((from.1, from.2), &at));
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
