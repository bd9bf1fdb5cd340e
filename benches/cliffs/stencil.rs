//! A 7-point stencil in three dimensions: by index, by zip of seven shifted slices, with lanes, with a test for the border.

use core::hint::black_box;

use layout::{Blobs, BlobsMut, Dim, Extents, Mapping, StridedLinearization, View, alloc_from_fn, extents, zip};

use crate::cells::{Block, Cell, Columns, Hand, cell};
use crate::class;
use crate::table::Table;

const SIDE: [usize; 3] = [18, 18, 66];
/// Cells that no cache holds.
const LARGE: [usize; 3] = [18, 130, 1026];

/// The argument of a kernel: cells in three dimensions, in any layout.
trait Grid:
    Mapping<
        Record = Cell,
        Extents: Extents<Index = usize, Array = [usize; 3], Rank = Dim<3>>,
        Linearization: StridedLinearization<[usize; 3]>,
    >
{
}

impl<M> Grid for M where
    M: Mapping<
            Record = Cell,
            Extents: Extents<Index = usize, Array = [usize; 3], Rank = Dim<3>>,
            Linearization: StridedLinearization<[usize; 3]>,
        >
{
}

#[inline(always)]
fn point(c: f32, neighbors: [f32; 6]) -> f32 {
    let [n, s, w, e, u, d] = neighbors;
    c * 0.5 + ((n + s) + (w + e) + (u + d)) * 0.0625
}

/// By hand: rows where the layout has them, else by index.
trait Points: Hand {
    fn inner(&mut self, from: &Self, side: [usize; 3]);
    /// All elements: those at the border keep what they are.
    fn all(&mut self, from: &Self, side: [usize; 3]);
}

macro_rules! rows {
    ($Hand:ty, |$hand:ident, $k:ident| $value:expr, |$to:ident, $i:ident| $place:expr) => {
        impl Points for $Hand {
            #[inline(never)]
            fn inner(&mut self, $hand: &Self, [x, y, z]: [usize; 3]) {
                let $to = self;
                for i in 1..x - 1 {
                    for j in 1..y - 1 {
                        let row = (i * y + j) * z;
                        let at = |$k: usize| $value;
                        for k in 1..z - 1 {
                            let $i = row + k;
                            let value = point(
                                at($i),
                                [at($i - y * z), at($i + y * z), at($i - z), at($i + z), at($i - 1), at($i + 1)],
                            );
                            $place = value;
                        }
                    }
                }
            }

            #[inline(never)]
            fn all(&mut self, $hand: &Self, [x, y, z]: [usize; 3]) {
                let $to = self;
                for i in 0..x {
                    for j in 0..y {
                        let row = (i * y + j) * z;
                        let at = |$k: usize| $value;
                        let border = i == 0 || i == x - 1 || j == 0 || j == y - 1;
                        for k in 0..z {
                            let $i = row + k;
                            let value = if border || k == 0 || k == z - 1 {
                                at($i)
                            } else {
                                point(
                                    at($i),
                                    [at($i - y * z), at($i + y * z), at($i - z), at($i + z), at($i - 1), at($i + 1)],
                                )
                            };
                            $place = value;
                        }
                    }
                }
            }
        }
    };
}

rows!(Vec<Cell>, |from, k| from[k].a, |to, i| to[i].a);
rows!(Vec<Block<8>>, |from, k| from[k / 8].a[k % 8], |to, i| to[i / 8].a[i % 8]);
rows!(Vec<Block<16>>, |from, k| from[k / 16].a[k % 16], |to, i| to[i / 16].a[i % 16]);

impl Points for Columns {
    #[inline(never)]
    fn inner(&mut self, from: &Self, [x, y, z]: [usize; 3]) {
        for i in 1..x - 1 {
            for j in 1..y - 1 {
                inner_row(&mut self.a, &from.a, (i * y + j) * z + 1, z - 2, y * z, z);
            }
        }
    }

    #[inline(never)]
    fn all(&mut self, from: &Self, [x, y, z]: [usize; 3]) {
        for i in 0..x {
            for j in 0..y {
                let row = (i * y + j) * z;
                if i == 0 || i == x - 1 || j == 0 || j == y - 1 {
                    self.a[row..row + z].copy_from_slice(&from.a[row..row + z]);
                } else {
                    self.a[row] = from.a[row];
                    inner_row(&mut self.a, &from.a, row + 1, z - 2, y * z, z);
                    self.a[row + z - 1] = from.a[row + z - 1];
                }
            }
        }
    }
}

/// `len` points from number `start` on, whose neighbors are `plane` and `row` elements away.
#[inline(always)]
fn inner_row(to: &mut [f32], from: &[f32], start: usize, len: usize, plane: usize, row: usize) {
    let part = |start: usize| &from[start..start + len];
    let (c, w, e, u, d) = (part(start), part(start - row), part(start + row), part(start - 1), part(start + 1));
    let (n, s) = (part(start - plane), part(start + plane));
    let to = &mut to[start..start + len];
    for k in 0..len {
        to[k] = point(c[k], [n[k], s[k], w[k], e[k], u[k], d[k]]);
    }
}

#[inline(never)]
fn by_index<M: Grid, B: BlobsMut, C: Blobs>(to: &mut View<M, B>, from: &View<M, C>) {
    let [x, y, z] = to.extents();
    from.assert_extents([x, y, z]);
    assert!(x > 1 && y > 1 && z > 1, "a border on both sides");
    for i in 0..x - 2 {
        for j in 0..y - 2 {
            for k in 0..z - 2 {
                let index = [i + 1, j + 1, k + 1];
                to.at_mut(index).a.set(point(from.at(index).a.get(), neighbors(from, index)));
            }
        }
    }
}

#[inline(never)]
fn by_range<M: Grid, B: BlobsMut, C: Blobs>(to: &mut View<M, B>, from: &View<M, C>) {
    let [x, y, z] = to.extents();
    from.assert_extents([x, y, z]);
    to.for_each_in_mut((1..x - 1, 1..y - 1, 1..z - 1), |index, mut to| {
        to.a.set(point(from.at(index).a.get(), neighbors(from, index)));
    });
}

macro_rules! zipped {
    ($to:ident, $from:ident, |$zip:ident| $walk:expr) => {{
        let [x, y, z] = $from.extents();
        let (i, j, k) = (1..x - 1, 1..y - 1, 1..z - 1);
        let mut to = $to.slice_mut((i.clone(), j.clone(), k.clone()));
        let c = $from.slice((i.clone(), j.clone(), k.clone()));
        let (n, s) = ($from.slice((..x - 2, j.clone(), k.clone())), $from.slice((2.., j.clone(), k.clone())));
        let (w, e) = ($from.slice((i.clone(), ..y - 2, k.clone())), $from.slice((i.clone(), 2.., k.clone())));
        let (u, d) = ($from.slice((i.clone(), j.clone(), ..z - 2)), $from.slice((i, j, 2..)));
        let $zip = zip((&mut to, &c, &n, &s, &w, &e, &u, &d));
        $walk
    }};
}

#[inline(never)]
fn by_zip<M: Grid, B: BlobsMut, C: Blobs>(to: &mut View<M, B>, from: &View<M, C>) {
    zipped!(to, from, |zip| zip.for_each(|(mut to, c, n, s, w, e, u, d)| {
        to.a.set(point(c.a.get(), [n.a.get(), s.a.get(), w.a.get(), e.a.get(), u.a.get(), d.a.get()]));
    }));
}

#[inline(never)]
fn by_lanes<const W: usize, M: Grid, B: BlobsMut, C: Blobs>(to: &mut View<M, B>, from: &View<M, C>) {
    zipped!(to, from, |zip| zip.for_each_lanes::<W>(
        |(mut to, c, n, s, w, e, u, d)| {
            let sum = (n.a.get() + s.a.get()) + (w.a.get() + e.a.get()) + (u.a.get() + d.a.get());
            to.a.set(c.a.get() * 0.5 + sum * 0.0625);
        },
        |(mut to, c, n, s, w, e, u, d)| {
            to.a.set(point(c.a.get(), [n.a.get(), s.a.get(), w.a.get(), e.a.get(), u.a.get(), d.a.get()]));
        },
    ));
}

#[inline(never)]
fn by_masked_lanes<const W: usize, M: Grid, B: BlobsMut, C: Blobs>(to: &mut View<M, B>, from: &View<M, C>) {
    zipped!(to, from, |zip| zip.for_each_lanes_masked::<W>(|(mut to, c, n, s, w, e, u, d), _| {
        let sum = (n.a.get() + s.a.get()) + (w.a.get() + e.a.get()) + (u.a.get() + d.a.get());
        to.a.set(c.a.get() * 0.5 + sum * 0.0625);
    }));
}

#[inline(always)]
fn neighbors<M: Grid, C: Blobs>(from: &View<M, C>, [i, j, k]: [usize; 3]) -> [f32; 6] {
    let at = |i, j, k| from.at([i, j, k]).a.get();
    [at(i - 1, j, k), at(i + 1, j, k), at(i, j - 1, k), at(i, j + 1, k), at(i, j, k - 1), at(i, j, k + 1)]
}

#[inline(never)]
fn by_slice<M: Grid, B: BlobsMut, C: Blobs>(to: &mut View<M, B>, from: &View<M, C>) {
    let [x, y, z] = to.extents();
    from.assert_extents([x, y, z]);
    to.slice_mut((1..x - 1, 1..y - 1, 1..z - 1)).for_each_indexed_mut(|[i, j, k], mut to| {
        let index = [i + 1, j + 1, k + 1];
        to.a.set(point(from.at(index).a.get(), neighbors(from, index)));
    });
}

#[inline(never)]
fn with_border<M: Grid, B: BlobsMut, C: Blobs>(to: &mut View<M, B>, from: &View<M, C>) {
    let [x, y, z] = to.extents();
    from.assert_extents([x, y, z]);
    to.for_each_indexed_mut(|[i, j, k], mut to| {
        let c = from.at([i, j, k]).a.get();
        if (1..x - 1).contains(&i) && (1..y - 1).contains(&j) && (1..z - 1).contains(&k) {
            to.a.set(point(c, neighbors(from, [i, j, k])));
        } else {
            to.a.set(c);
        }
    });
}

fn layout<H: Points>(table: &mut Table) {
    macro_rules! class {
        ($name:literal, $extents:expr, $kernel:expr, $hand:expr) => {
            class!($name, $extents, $kernel, $hand, SIDE)
        };
        ($name:literal, $extents:expr, $kernel:expr, $hand:expr, $side:expr) => {{
            let name = format!("stencil {} {}", $name, H::NAME);
            let count = $side.iter().product();
            let index = |[i, j, k]: [usize; 3]| (i * $side[1] + j) * $side[2] + k;
            let make = || alloc_from_fn::<Cell, H::Layout, _>($extents, |i| cell(index(i))).expect("there is memory");
            class(
                table,
                &name,
                || (make(), make(), H::new(count), H::new(count)),
                |all| $kernel(black_box(&mut all.0), black_box(&all.1)),
                |all| $hand(black_box(&mut all.2), black_box(&all.3), black_box($side)),
                |all| (all.0.to_vec(), all.2.cells(count)),
            );
        }};
    }
    class!("by index", SIDE, by_index, H::inner);
    class!("zip", SIDE, by_zip, H::inner);
    class!("zip, lanes 8", SIDE, by_lanes::<8, _, _, _>, H::inner);
    class!("zip, lanes 16", SIDE, by_lanes::<16, _, _, _>, H::inner);
    class!("zip, masked lanes 16", SIDE, by_masked_lanes::<16, _, _, _>, H::inner);
    class!("zip, masked lanes 16, large", LARGE, by_masked_lanes::<16, _, _, _>, H::inner, LARGE);
    class!("slice with get", SIDE, by_slice, H::inner);
    class!("border", SIDE, with_border, H::all);
    class!("index range", SIDE, by_range, H::inner);
    class!("static, by index", extents!(18, 18, 66), by_index, |to, from, _| H::inner(to, from, SIDE));
    class!("static, zip", extents!(18, 18, 66), by_zip, |to, from, _| H::inner(to, from, SIDE));
    class!("static, index range", extents!(18, 18, 66), by_range, |to, from, _| H::inner(to, from, SIDE));
    class!("static, border", extents!(18, 18, 66), with_border, |to, from, _| H::all(to, from, SIDE));
}

pub(crate) fn run(table: &mut Table) {
    layout::<Vec<Cell>>(table);
    layout::<Columns>(table);
    layout::<Vec<Block<8>>>(table);
    layout::<Vec<Block<16>>>(table);
}
