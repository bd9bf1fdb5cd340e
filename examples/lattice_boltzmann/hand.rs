//! The same flow by hand, in arrays of numbers, in an array of structs and in blocks: what the views are measured against.

use core::array;

use layout::Lanes;

use super::kernel::{Cell, DIRECTIONS, collide};

/// All cells one after another, as they lie in `AoS`.
pub(crate) struct Structs(Vec<Cell>);

impl Structs {
    pub(crate) fn new([height, width]: [usize; 2], start: impl Fn([usize; 2]) -> Cell) -> Self {
        Self((0..height * width).map(|k| start([k / width, k % width])).collect())
    }

    pub(crate) fn to_vec(&self) -> Vec<[f32; 9]> {
        self.0.iter().map(|cell| cell.numbers()).collect()
    }

    pub(crate) fn advance(&self, to: &mut Self, [height, width]: [usize; 2], inflow: [f32; 9], rate: f32) {
        for (i, to) in to.0.chunks_exact_mut(width).enumerate() {
            let row = |i: usize| &self.0[i % height * width..][..width];
            let rows = [row(i + height - 1), row(i), row(i + 1)];
            let from: [&[Cell]; 9] = array::from_fn(|k| rows[1_usize.wrapping_add_signed(-DIRECTIONS[k][0])]);
            // Each direction by its name, so that no cell is read whole.
            let stream = |[o, e, s, w, n, se, sw, nw, ne]: [&Cell; 9]| {
                [o.rest, e.f[0], s.f[1], w.f[2], n.f[3], se.f[4], sw.f[5], nw.f[6], ne.f[7]]
            };
            for j in 1..width - 1 {
                let [o, e, s, w, n, se, sw, nw, ne] = from;
                let cell =
                    stream([&o[j], &e[j - 1], &s[j], &w[j + 1], &n[j], &se[j - 1], &sw[j + 1], &nw[j + 1], &ne[j - 1]]);
                let [rest, f @ ..] = collide(cell, o[j].wall, rate);
                (to[j].rest, to[j].f) = (rest, f);
            }
            for j in [0, width - 1] {
                // From the left comes what flows in, from beyond the right end what is there.
                let cell = array::from_fn(|k| match j.checked_add_signed(-DIRECTIONS[k][1]) {
                    None => inflow[k],
                    Some(j) => from[k][j.min(width - 1)].numbers()[k],
                });
                let [rest, f @ ..] = collide(cell, rows[1][j].wall, rate);
                (to[j].rest, to[j].f) = (rest, f);
            }
        }
    }
}

/// Each number in an array of its own, as in `SoA`.
pub(crate) struct Arrays {
    f: [Vec<f32>; 9],
    wall: Vec<bool>,
}

impl Arrays {
    pub(crate) fn new([height, width]: [usize; 2], start: impl Fn([usize; 2]) -> Cell) -> Self {
        let cells: Vec<Cell> = (0..height * width).map(|k| start([k / width, k % width])).collect();
        let f = array::from_fn(|k| cells.iter().map(|cell| cell.numbers()[k]).collect());
        Self { f, wall: cells.iter().map(|cell| cell.wall).collect() }
    }

    pub(crate) fn to_vec(&self) -> Vec<[f32; 9]> {
        (0..self.wall.len()).map(|cell| self.f.each_ref().map(|f| f[cell])).collect()
    }

    pub(crate) fn advance(&self, to: &mut Self, [height, width]: [usize; 2], inflow: [f32; 9], rate: f32) {
        for i in 0..height {
            let (above, below) = ((i + height - 1) % height * width, (i + 1) % height * width);
            let [here, n] = [i * width, width - 2];
            let starts = [1 + here, here, 1 + above, 2 + here, 1 + below, above, 2 + above, 2 + below, below];
            // All directions but at both ends of the row, as slices of one length, so that nothing is checked inside.
            let from: [&[f32]; 9] = array::from_fn(|k| &self.f[k][starts[k]..][..n]);
            let wall = &self.wall[here + 1..][..n];
            let [a, b, c, d, e, f, g, h, o] = to.f.each_mut().map(|f| &mut f[here + 1..][..n]);
            for j in 0..n {
                let [p, q, r, s, t, u, v, w, x] = from;
                let cell = [p[j], q[j], r[j], s[j], t[j], u[j], v[j], w[j], x[j]];
                [a[j], b[j], c[j], d[j], e[j], f[j], g[j], h[j], o[j]] = collide(cell, wall[j], rate);
            }
            for j in [0, width - 1] {
                // The places in the row start `j - 1` after those above; from beyond its ends comes what streams in.
                let cell = array::from_fn(|k| match (k, j) {
                    (1 | 5 | 8, 0) => inflow[k],
                    (3 | 6 | 7, 1..) => self.f[k][starts[k] + j - 2],
                    _ => self.f[k][starts[k] + j - 1],
                });
                for (f, new) in to.f.iter_mut().zip(collide(cell, self.wall[here + j], rate)) {
                    f[here + j] = new;
                }
            }
        }
    }
}

/// Cells of a block.
const LANES: usize = 16;

/// Sixteen cells, each number of theirs in an array, as in `AoSoA<16>`.
#[derive(Clone, Copy)]
struct Block {
    f: [[f32; LANES]; 9],
    wall: [bool; LANES],
}

/// Cells in blocks. Each row starts with a block, and its last one has cells beyond the row.
pub(crate) struct Blocks(Vec<Block>);

impl Blocks {
    pub(crate) fn new([height, width]: [usize; 2], start: impl Fn([usize; 2]) -> Cell) -> Self {
        let block = |i: usize, first: usize| {
            let cells: [Cell; LANES] = array::from_fn(|lane| start([i, first + lane]));
            Block { f: array::from_fn(|k| cells.map(|cell| cell.numbers()[k])), wall: cells.map(|cell| cell.wall) }
        };
        Self((0..height).flat_map(|i| (0..width).step_by(LANES).map(move |j| block(i, j))).collect())
    }

    pub(crate) fn to_vec(&self, width: usize) -> Vec<[f32; 9]> {
        let row =
            |row: &[Block]| -> Vec<[f32; 9]> { (0..width).map(|j| row[j / LANES].f.map(|f| f[j % LANES])).collect() };
        self.0.chunks_exact(width.div_ceil(LANES)).flat_map(row).collect()
    }

    pub(crate) fn advance(&self, to: &mut Self, [height, width]: [usize; 2], inflow: [f32; 9], rate: f32) {
        let blocks = width.div_ceil(LANES);
        for (i, to) in to.0.chunks_exact_mut(blocks).enumerate() {
            let row = |i: usize| &self.0[i % height * blocks..][..blocks];
            let rows = [row(i + height - 1), row(i), row(i + 1)];
            for (b, to) in to.iter_mut().enumerate() {
                let from: [[f32; LANES]; 9] = array::from_fn(|k| {
                    let [down, right] = DIRECTIONS[k];
                    let row = rows[1_usize.wrapping_add_signed(-down)];
                    let mut f = row[b].f[k];
                    if right == 1 {
                        f.copy_within(..LANES - 1, 1);
                        f[0] = if b > 0 { row[b - 1].f[k][LANES - 1] } else { inflow[k] };
                    } else if right == -1 {
                        let end = (width - 1) % LANES;
                        f.copy_within(1.., 0);
                        if b + 1 < blocks {
                            f[LANES - 1] = row[b + 1].f[k][0];
                        } else {
                            f[end] = row[b].f[k][end];
                        }
                    }
                    f
                });
                // The vectors of the machine: the compiler makes none of a loop over the lanes.
                let new = collide(from.map(Lanes::from_array), Lanes::from_array(rows[1][b].wall), rate);
                to.f = new.map(Lanes::to_array);
            }
        }
    }
}
