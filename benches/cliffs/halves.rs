//! Two parts of one view: halves by `split_at`, and neighbors by two slices.

use core::hint::black_box;

use layout::{BlobsMut, Lanes, Mapping, StridedLinearization, View, alloc_from_fn, zip};

use crate::butterfly::{butterfly, columns, step};
use crate::cells::{Block, Cell, Columns, Hand, cell};
use crate::class;
use crate::table::Table;

pub(crate) trait Halves: Hand {
    /// Butterflies of element `k` and element `middle + k`, `count` of them.
    fn halves(&mut self, middle: usize, count: usize);
}

impl Halves for Vec<Cell> {
    #[inline(never)]
    fn halves(&mut self, middle: usize, count: usize) {
        let (low, high) = self.split_at_mut(middle);
        for (x, y) in low[..count].iter_mut().zip(&mut high[..count]) {
            let (p, q) = ((x.a, x.b), (y.a, y.b));
            (x.a, x.b, y.a, y.b) = step!(p, q);
        }
    }
}

impl Halves for Columns {
    #[inline(never)]
    fn halves(&mut self, middle: usize, count: usize) {
        let ((xa, ya), (xb, yb)) = (self.a.split_at_mut(middle), self.b.split_at_mut(middle));
        columns(&mut xa[..count], &mut xb[..count], &mut ya[..count], &mut yb[..count]);
    }
}

/// In pieces that lie in one block of each half.
impl<const L: usize> Halves for Vec<Block<L>>
where
    Self: Hand,
{
    #[inline(never)]
    fn halves(&mut self, middle: usize, count: usize) {
        let mut k = 0;
        while k < count {
            let (b, j, c, i) = (k / L, k % L, (middle + k) / L, (middle + k) % L);
            let n = (L - j).min(L - i).min(count - k);
            if b == c {
                let Block { a: aa, b: bb } = &mut self[b];
                let ((xa, ya), (xb, yb)) = (aa.split_at_mut(i), bb.split_at_mut(i));
                columns(&mut xa[j..j + n], &mut xb[j..j + n], &mut ya[..n], &mut yb[..n]);
            } else {
                let (low, high) = self.split_at_mut(c);
                let (x, y) = (&mut low[b], &mut high[0]);
                columns(&mut x.a[j..j + n], &mut x.b[j..j + n], &mut y.a[i..i + n], &mut y.b[i..i + n]);
            }
            k += n;
        }
    }
}

#[inline(never)]
fn plain<M, B>(view: &mut View<M, B>, middle: usize)
where
    M: Mapping<Record = Cell, Linearization: StridedLinearization<[usize; 1]>>,
    M::Extents: layout::Extents<Array = [usize; 1], Rank = layout::Dim<1>>,
    B: BlobsMut,
{
    let (mut x, mut y) = view.split_at(0, middle).expect("within the view");
    zip((&mut x, &mut y)).for_each(|(mut x, mut y)| {
        butterfly!(x, y: f32);
    });
}

#[inline(never)]
fn lanes<const W: usize, M, B>(view: &mut View<M, B>, middle: usize)
where
    M: Mapping<Record = Cell, Linearization: StridedLinearization<[usize; 1]>>,
    M::Extents: layout::Extents<Array = [usize; 1], Rank = layout::Dim<1>>,
    B: BlobsMut,
{
    let (mut x, mut y) = view.split_at(0, middle).expect("within the view");
    zip((&mut x, &mut y)).for_each_lanes::<W>(
        |(mut x, mut y)| {
            butterfly!(x, y: Lanes<f32, W>);
        },
        |(mut x, mut y)| {
            butterfly!(x, y: f32);
        },
    );
}

fn layout<H: Halves>(table: &mut Table, middle: usize) {
    let count = 2 * middle;
    let make = || alloc_from_fn::<Cell, H::Layout, _>(count, |[i]| cell(i)).expect("a small view");
    macro_rules! class {
        ($name:expr, $kernel:expr) => {{
            let name = format!("halves {} {middle} {}", $name, H::NAME);
            class(
                table,
                &name,
                || (make(), H::new(count)),
                |all| $kernel(black_box(&mut all.0), black_box(middle)),
                |all| black_box(&mut all.1).halves(black_box(middle), black_box(middle)),
                |all| (all.0.to_vec(), all.1.cells(count)),
            );
        }};
    }
    class!("plain", plain);
    class!("lanes 8", lanes::<8, _, _>);
    class!("lanes 16", lanes::<16, _, _>);
}

pub(crate) fn run(table: &mut Table) {
    for middle in [512, 500, 499] {
        layout::<Vec<Cell>>(table, middle);
        layout::<Columns>(table, middle);
        layout::<Vec<Block<8>>>(table, middle);
        layout::<Vec<Block<16>>>(table, middle);
        layout::<Vec<Block<32>>>(table, middle);
    }
}
