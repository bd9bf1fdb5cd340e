//! One view whose elements are changed in place: plain loops, iterators, indices and lanes, in the first-level cache and in memory.

use core::hint::black_box;

use layout::{BlobsMut, Lanes, Mapping, View, alloc_from_fn};
use wide::{f32x8, f32x16};

use crate::cells::{Block, Cell, Columns, Hand, cell};
use crate::class;
use crate::table::Table;

/// One step of two numbers, or of lanes of them: a rotation, which neither grows nor dies away.
macro_rules! step {
    ($a:expr, $b:expr) => {
        ($a * 0.6 + $b * 0.8, $b * 0.6 - $a * 0.8)
    };
}

pub(crate) trait Single: Hand {
    fn single(y: &mut Self);
}

impl Single for Vec<Cell> {
    #[inline(never)]
    fn single(y: &mut Self) {
        for y in y {
            (y.a, y.b) = step!(y.a, y.b);
        }
    }
}

impl Single for Columns {
    #[inline(never)]
    fn single(y: &mut Self) {
        for (a, b) in y.a.iter_mut().zip(&mut y.b) {
            (*a, *b) = step!(*a, *b);
        }
    }
}

macro_rules! blocks {
    ($($n:literal $Vector:ident $w:literal;)+) => {$(
        impl Single for Vec<Block<$n>> {
            #[inline(never)]
            fn single(y: &mut Self) {
                for y in y {
                    for j in (0..$n).step_by($w) {
                        let load = |from: &[f32; $n]| $Vector::new(*from[j..].first_chunk::<$w>().expect("in range"));
                        let (a, b) = step!(load(&y.a), load(&y.b));
                        y.a[j..j + $w].copy_from_slice(&a.to_array());
                        y.b[j..j + $w].copy_from_slice(&b.to_array());
                    }
                }
            }
        }
    )+};
}

blocks! { 8 f32x8 8; 16 f32x16 16; 32 f32x16 16; }

/// The kernel, on an element or on lanes of them.
macro_rules! kernel {
    ($y:ident) => {{
        let (a, b) = step!($y.a.get(), $y.b.get());
        $y.a.set(a);
        $y.b.set(b);
    }};
}

#[inline(never)]
fn plain<M: Mapping<Record = Cell>, B: BlobsMut>(y: &mut View<M, B>) {
    y.for_each_mut(|mut y| kernel!(y));
}

#[inline(never)]
fn indexed<M: Mapping<Record = Cell>, B: BlobsMut>(y: &mut View<M, B>) {
    y.for_each_indexed_mut(|_, mut y| kernel!(y));
}

#[inline(never)]
fn iter<M: Mapping<Record = Cell>, B: BlobsMut>(y: &mut View<M, B>) {
    y.iter_mut().for_each(|mut y| kernel!(y));
}

#[inline(never)]
fn loop_for<M: Mapping<Record = Cell>, B: BlobsMut>(y: &mut View<M, B>) {
    for mut y in y {
        kernel!(y);
    }
}

#[inline(never)]
fn lanes<const W: usize, M: Mapping<Record = Cell>, B: BlobsMut>(y: &mut View<M, B>) {
    y.for_each_lanes_mut::<W>(
        |mut y| {
            let (a, b): (Lanes<f32, W>, Lanes<f32, W>) = step!(y.a.get(), y.b.get());
            y.a.set(a);
            y.b.set(b);
        },
        |mut y| kernel!(y),
    );
}

fn layout<H: Single>(table: &mut Table, count: usize) {
    macro_rules! class {
        ($name:expr, $kernel:expr) => {{
            let name = format!("single {} {count} {}", $name, H::NAME);
            class(
                table,
                &name,
                || {
                    let view = alloc_from_fn::<Cell, H::Layout, _>(count, |[i]| cell(i)).expect("memory for a view");
                    (view, H::new(count))
                },
                |both| $kernel(black_box(&mut both.0)),
                |both| H::single(black_box(&mut both.1)),
                |both| (both.0.to_vec(), both.1.cells(count)),
            );
        }};
    }
    class!("plain", plain);
    class!("indexed", indexed);
    class!("iter", iter);
    class!("for", loop_for);
    // As wide as the loops by hand.
    if H::NAME == "AoSoA8" {
        class!("lanes 8", lanes::<8, _, _>);
    }
    class!("lanes 16", lanes::<16, _, _>);
}

pub(crate) fn run(table: &mut Table) {
    for count in [1024, 1003, 1 << 20] {
        layout::<Vec<Cell>>(table, count);
        layout::<Columns>(table, count);
        layout::<Vec<Block<8>>>(table, count);
        layout::<Vec<Block<16>>>(table, count);
        layout::<Vec<Block<32>>>(table, count);
    }
}
