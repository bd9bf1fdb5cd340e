//! The same flow by hand, in arrays of numbers: what the views are measured against.

use core::array;

use super::kernel::{Cell, collide};

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
