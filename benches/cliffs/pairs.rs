//! Two views of equal extents: plain loops and lanes, in the first-level cache.

use core::hint::black_box;

use layout::{Blobs, BlobsMut, Lanes, Mapping, View, alloc_from_fn, zip};
use wide::{f32x8, f32x16};

use crate::cells::{Block, Cell, Columns, Hand, cell};
use crate::class;
use crate::table::Table;

/// One step for a pair of numbers, or of lanes of them.
macro_rules! step {
    ($y:ident, $x:ident) => {
        ($y.0 * 0.5 + $x.1, $y.1 * 0.5 - $x.0)
    };
}

pub(crate) trait Pair: Hand {
    fn pair(y: &mut Self, x: &Self);
}

impl Pair for Vec<Cell> {
    #[inline(never)]
    fn pair(y: &mut Self, x: &Self) {
        for (y, x) in y.iter_mut().zip(x) {
            let (at, from) = ((y.a, y.b), (x.a, x.b));
            (y.a, y.b) = step!(at, from);
        }
    }
}

impl Pair for Columns {
    #[inline(never)]
    fn pair(y: &mut Self, x: &Self) {
        for (((ya, yb), xa), xb) in y.a.iter_mut().zip(&mut y.b).zip(&x.a).zip(&x.b) {
            let (at, from) = ((*ya, *yb), (*xa, *xb));
            (*ya, *yb) = step!(at, from);
        }
    }
}

macro_rules! blocks {
    ($($n:literal $Vector:ident $w:literal;)+) => {$(
        impl Pair for Vec<Block<$n>> {
            #[inline(never)]
            fn pair(y: &mut Self, x: &Self) {
                for (y, x) in y.iter_mut().zip(x) {
                    for j in (0..$n).step_by($w) {
                        let load = |from: &[f32; $n]| $Vector::new(*from[j..].first_chunk::<$w>().expect("in range"));
                        let (at, from) = ((load(&y.a), load(&y.b)), (load(&x.a), load(&x.b)));
                        let (a, b) = step!(at, from);
                        y.a[j..j + $w].copy_from_slice(&a.to_array());
                        y.b[j..j + $w].copy_from_slice(&b.to_array());
                    }
                }
            }
        }
    )+};
}

blocks! { 8 f32x8 8; 16 f32x16 16; 32 f32x16 16; }

#[inline(never)]
fn plain<M: Mapping<Record = Cell>, B: BlobsMut, C: Blobs>(y: &mut View<M, B>, x: &View<M, C>) {
    zip((&mut *y, x)).for_each(|(mut y, x)| {
        let (at, from) = ((y.a.get(), y.b.get()), (x.a.get(), x.b.get()));
        let (a, b) = step!(at, from);
        y.a.set(a);
        y.b.set(b);
    });
}

#[inline(never)]
fn lanes<const W: usize, M: Mapping<Record = Cell>, B: BlobsMut, C: Blobs>(y: &mut View<M, B>, x: &View<M, C>) {
    zip((&mut *y, x)).for_each_lanes::<W>(
        |(mut y, x)| {
            let (at, from): ((Lanes<f32, W>, _), (_, _)) = ((y.a.get(), y.b.get()), (x.a.get(), x.b.get()));
            let (a, b) = step!(at, from);
            y.a.set(a);
            y.b.set(b);
        },
        |(mut y, x)| {
            let (at, from) = ((y.a.get(), y.b.get()), (x.a.get(), x.b.get()));
            let (a, b) = step!(at, from);
            y.a.set(a);
            y.b.set(b);
        },
    );
}

#[inline(never)]
fn masked<const W: usize, M: Mapping<Record = Cell>, B: BlobsMut, C: Blobs>(y: &mut View<M, B>, x: &View<M, C>) {
    zip((&mut *y, x)).for_each_lanes_masked::<W>(|(mut y, x), _| {
        let (at, from) = ((y.a.get(), y.b.get()), (x.a.get(), x.b.get()));
        let (a, b) = step!(at, from);
        y.a.set(a);
        y.b.set(b);
    });
}

fn layout<H: Pair>(table: &mut Table, count: usize) {
    let make = || alloc_from_fn::<Cell, H::Layout, _>(count, |[i]| cell(i)).expect("a small view");
    macro_rules! class {
        ($name:expr, $kernel:expr) => {{
            let name = format!("pairs {} {count} {}", $name, H::NAME);
            class(
                table,
                &name,
                || (make(), make(), H::new(count), H::new(count)),
                |all| $kernel(black_box(&mut all.0), black_box(&all.1)),
                |all| H::pair(black_box(&mut all.2), black_box(&all.3)),
                |all| (all.0.to_vec(), all.2.cells(count)),
            );
        }};
    }
    class!("plain", plain);
    // As wide as the loops by hand.
    if H::NAME == "AoSoA8" {
        class!("lanes 8", lanes::<8, _, _, _>);
    }
    class!("lanes 16", lanes::<16, _, _, _>);
    class!("masked lanes 16", masked::<16, _, _, _>);
}

pub(crate) fn run(table: &mut Table) {
    for count in [1024, 1003] {
        layout::<Vec<Cell>>(table, count);
        layout::<Columns>(table, count);
        layout::<Vec<Block<8>>>(table, count);
        layout::<Vec<Block<16>>>(table, count);
        layout::<Vec<Block<32>>>(table, count);
    }
}
