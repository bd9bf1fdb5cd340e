//! A matrix product by checked indices, the index of the sum in the innermost loop.

use core::hint::black_box;

use layout::{Blobs, BlobsMut, Dim, Extents, Mapping, SoA, View, alloc_from_fn};

use crate::row;
use crate::table::Table;

trait Matrix: Mapping<Record = f32, Extents: Extents<Index = usize, Array = [usize; 2], Rank = Dim<2>>> {}

impl<M: Mapping<Record = f32, Extents: Extents<Index = usize, Array = [usize; 2], Rank = Dim<2>>>> Matrix for M {}

#[inline(never)]
fn view<M: Matrix, B: BlobsMut, C: Blobs>(to: &mut View<M, B>, a: &View<M, C>, b: &View<M, C>) {
    let ([rows, depth], [_, columns]) = (a.extents(), b.extents());
    b.assert_extents([depth, columns]);
    to.assert_extents([rows, columns]);
    for i in 0..rows {
        for j in 0..columns {
            let mut sum = 0.0;
            for k in 0..depth {
                sum += a.get([i, k]) * b.get([k, j]);
            }
            to.set([i, j], sum);
        }
    }
}

#[inline(never)]
fn hand(to: &mut [f32], a: &[f32], b: &[f32], [rows, columns, depth]: [usize; 3]) {
    for i in 0..rows {
        for j in 0..columns {
            let mut sum = 0.0;
            for k in 0..depth {
                sum += a[i * depth + k] * b[k * columns + j];
            }
            to[i * columns + j] = sum;
        }
    }
}

pub(crate) fn run(table: &mut Table) {
    for side in [17, 64, 128] {
        let name = format!("matrix product, i j k, {side}");
        if !table.wants(&name) {
            continue;
        }
        let make = || alloc_from_fn::<f32, SoA, _>([side, side], |[i, j]| ((i * 7 + j * 3) % 11) as f32);
        let make = || make().expect("a small view");
        let mut all = ((make(), make(), make()), (make().to_vec(), make().to_vec(), make().to_vec()));
        view(&mut all.0.0, &all.0.1, &all.0.2);
        hand(&mut all.1.0, &all.1.1, &all.1.2, [side; 3]);
        assert!(all.0.0.to_vec() == all.1.0, "{name}");
        row(
            table,
            &name,
            &mut all,
            |((to, a, b), _)| view(black_box(to), black_box(a), black_box(b)),
            |(_, (to, a, b))| hand(black_box(to), black_box(a), black_box(b), black_box([side; 3])),
        );
    }
}
