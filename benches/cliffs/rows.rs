//! Many short rows: all stages of a transform whose butterflies are 1 to 64 elements apart.

use core::hint::black_box;

use layout::{BlobsMut, Mapping, StridedLinearization, View, alloc_from_fn, zip};

use crate::butterfly::{butterfly, columns, step};
use crate::cells::{Block, Cell, Columns, Hand, cell};
use crate::class;
use crate::table::Table;

const COUNT: usize = 1024;

pub(crate) trait Stage: Hand {
    /// Butterflies `half` elements apart.
    fn stage(&mut self, half: usize);
}

impl Stage for Vec<Cell> {
    #[inline(never)]
    fn stage(&mut self, half: usize) {
        for part in self.chunks_exact_mut(2 * half) {
            let (low, high) = part.split_at_mut(half);
            for (x, y) in low.iter_mut().zip(high) {
                let (p, q) = ((x.a, x.b), (y.a, y.b));
                (x.a, x.b, y.a, y.b) = step!(p, q);
            }
        }
    }
}

impl Stage for Columns {
    #[inline(never)]
    fn stage(&mut self, half: usize) {
        for (a, b) in self.a.chunks_exact_mut(2 * half).zip(self.b.chunks_exact_mut(2 * half)) {
            let ((xa, ya), (xb, yb)) = (a.split_at_mut(half), b.split_at_mut(half));
            columns(xa, xb, ya, yb);
        }
    }
}

/// By index.
impl<const L: usize> Stage for Vec<Block<L>>
where
    Self: Hand,
{
    #[inline(never)]
    fn stage(&mut self, half: usize) {
        for start in (0..self.len() * L).step_by(2 * half) {
            for k in start..start + half {
                let (b, j, c, i) = (k / L, k % L, (k + half) / L, (k + half) % L);
                let (p, q) = ((self[b].a[j], self[b].b[j]), (self[c].a[i], self[c].b[i]));
                (self[b].a[j], self[b].b[j], self[c].a[i], self[c].b[i]) = step!(p, q);
            }
        }
    }
}

#[inline(never)]
fn stage<M, B>(view: &mut View<M, B>, half: usize)
where
    M: Mapping<Record = Cell, Linearization: StridedLinearization<[usize; 1]>>,
    M::Extents: layout::Extents<Index = usize, Array = [usize; 1], Rank = layout::Dim<1>>,
    B: BlobsMut,
{
    let [len] = view.extents();
    for start in (0..len).step_by(2 * half) {
        let mut part = view.slice_mut((start..start + 2 * half,));
        let (mut x, mut y) = part.split_at(0, half).expect("within the part");
        zip((&mut x, &mut y)).for_each(|(mut x, mut y)| {
            butterfly!(x, y: f32);
        });
    }
}

fn layout<H: Stage>(table: &mut Table, half: usize) {
    let name = format!("short rows, {half} apart {}", H::NAME);
    class(
        table,
        &name,
        || (alloc_from_fn::<Cell, H::Layout, _>(COUNT, |[i]| cell(i)).expect("a small view"), H::new(COUNT)),
        |all| stage(black_box(&mut all.0), black_box(half)),
        |all| black_box(&mut all.1).stage(black_box(half)),
        |all| (all.0.to_vec(), all.1.cells(COUNT)),
    );
}

pub(crate) fn run(table: &mut Table) {
    for half in [1, 2, 4, 8, 16, 32, 64] {
        layout::<Vec<Cell>>(table, half);
        layout::<Columns>(table, half);
        layout::<Vec<Block<8>>>(table, half);
        layout::<Vec<Block<32>>>(table, half);
    }
}
