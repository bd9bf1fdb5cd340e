//! The 5-point stencil: one text for every view, and the loops that a specialist would write by hand.

use layout::{Blobs, BlobsMut, MappingOf, View};

/// Writes the mean of each inner cell of `source` and its four neighbors to `target`.
#[inline(never)]
pub(crate) fn view<M, N>(source: &View<M, impl Blobs>, target: &mut View<N, impl BlobsMut>)
where
    M: MappingOf<f32, 2>,
    N: MappingOf<f32, 2>,
{
    let [height, width] = source.extents();
    target.assert_extents([height, width]);
    assert!(height > 0 && width > 0, "without a cell there is no inner one: the bounds below would wrap");
    for i in 1..height - 1 {
        for j in 1..width - 1 {
            let sum = source.get([i, j])
                + source.get([i - 1, j])
                + source.get([i + 1, j])
                + source.get([i, j - 1])
                + source.get([i, j + 1]);
            target.set([i, j], 0.2 * sum);
        }
    }
}

/// By hand, for extents known at run time: slices of rows.
#[inline(never)]
pub(crate) fn hand_rows(source: &[f32], target: &mut [f32], width: usize) {
    let rows = source
        .chunks_exact(width)
        .zip(source[width..].chunks_exact(width))
        .zip(source[2 * width..].chunks_exact(width));
    for (((above, row), below), to) in rows.zip(target[width..].chunks_exact_mut(width)) {
        let (above, row, below, to) = (&above[..width], &row[..width], &below[..width], &mut to[..width]);
        for j in 1..width - 1 {
            to[j] = 0.2 * (row[j] + above[j] + below[j] + row[j - 1] + row[j + 1]);
        }
    }
}

/// By hand, for extents known at compile time.
#[inline(never)]
pub(crate) fn hand_static<const H: usize, const W: usize>(source: &[[f32; W]; H], target: &mut [[f32; W]; H]) {
    for i in 1..H - 1 {
        for j in 1..W - 1 {
            let sum = source[i][j] + source[i - 1][j] + source[i + 1][j] + source[i][j - 1] + source[i][j + 1];
            target[i][j] = 0.2 * sum;
        }
    }
}
