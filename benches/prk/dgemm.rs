//! The product of matrices by hand, in tiles that are copied.

use prk::{Clock, Outcome, Work};

use crate::threads::{on_threads, part, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/dgemm.rs"]
mod kernel;

pub(crate) use kernel::KERNEL;

/// The side of a tile: three of them lie in the nearest cache.
const TILE: usize = 32;

type Tile = [[f64; TILE]; TILE];

/// The tile of a matrix at a row and a column, with zeros past the end.
fn tile(matrix: &[f64], n: usize, [row, column]: [usize; 2]) -> Tile {
    let mut tile = [[0.0; TILE]; TILE];
    let width = TILE.min(n - column);
    for (to, from) in tile.iter_mut().zip(matrix[row * n..].chunks(n)) {
        to[..width].copy_from_slice(&from[column..][..width]);
    }
    tile
}

pub(crate) fn by_hand(threads: usize, clock: Clock, arguments: &[usize]) -> Outcome {
    let [iterations, n, ..] = *arguments else { unreachable!("three arguments") };
    let a: Vec<f64> = (0..n * n).map(|at| (at % n) as f64).collect();
    let b = a.clone();
    let mut c = vec![0.0; n * n];
    let seconds = timed(clock, iterations, || {
        on_threads(parts(&mut c, n, threads).into_iter().enumerate(), |(thread, c)| {
            let (a, rows) = (&a[part(n, threads, thread).start * n..], c.len() / n);
            for column in (0..n).step_by(TILE) {
                for middle in (0..n).step_by(TILE) {
                    let right = tile(&b, n, [middle, column]);
                    for row in (0..rows).step_by(TILE) {
                        let left = tile(a, n, [row, middle]);
                        let mut product: Tile = [[0.0; TILE]; TILE];
                        for (product, left) in product.iter_mut().zip(&left) {
                            for (left, right) in left.iter().zip(&right) {
                                for (product, right) in product.iter_mut().zip(right) {
                                    *product += left * right;
                                }
                            }
                        }
                        for (c, product) in c[row * n..].chunks_mut(n).zip(&product) {
                            c[column..].iter_mut().zip(product).for_each(|(c, product)| *c += product);
                        }
                    }
                }
            }
        });
    });
    let side = n as f64;
    let expected = 0.25 * side.powi(3) * (side - 1.0).powi(2) * (iterations + 1) as f64;
    Outcome { found: c.iter().sum(), expected, work: Work::Flops(2.0 * side.powi(3)), seconds }
}
