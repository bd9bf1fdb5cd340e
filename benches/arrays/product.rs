//! The product of two matrices, beside the crate that multiplies its tiles, called directly.

use layout_array::{Array, ArrayError};
use layout_domain::{Block, Domain, Targets};
use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, Axis, s};

use crate::loops::{pool, runtime};
use crate::table::Table;
use crate::{THREADS, compared, timed};

/// At 0.8 of the speed of the crate.
const LIMIT: f64 = 1.0 / 0.8;
const SIDE: usize = 1024;

/// 1024 by 1024 numbers on one locale; the crate gets half of the rows on each thread.
pub(crate) fn squares(table: &mut Table) -> Result<(), ArrayError> {
    let name = "matmul of 1024 x 1024 f64, by ndarray";
    if !table.wants(name) {
        return Ok(());
    }
    let (rt, pool) = (runtime()?, pool());
    let square = Domain::new([0..SIDE as i64, 0..SIDE as i64]);
    let map = Block::over(&square, Targets::all(1)?)?;
    let element = |[i, j]: [i64; 2]| ((31 * i + 17 * j) % 97) as f64 / 8.0;
    let a: Array<f64, 2> = Array::from_fn(&rt, &square, map.clone(), element)?;
    let b: Array<f64, 2> = Array::from_fn(&rt, &square, map.clone(), move |[i, j]| element([j, 2 * i]))?;
    let c: Array<f64, 2> = Array::new(&rt, &square, map)?;
    let matrix = |array: &Array<f64, 2>| {
        Ok::<_, ArrayError>(Array2::from_shape_vec((SIDE, SIDE), array.to_vec()?).expect("as many elements"))
    };
    let (left, right, mut product) = (matrix(&a)?, matrix(&b)?, Array2::zeros((SIDE, SIDE)));
    let array = || {
        c.matmul_from(&a, &b)?;
        Ok(rt.fence()?)
    };
    let rows = SIDE / THREADS;
    let by_hand = || {
        pool.install(|| {
            product.axis_chunks_iter_mut(Axis(0), rows).into_par_iter().enumerate().for_each(|(number, mut part)| {
                let left = left.slice(s![number * rows..(number + 1) * rows, ..]);
                general_mat_mul(1.0, &left, &right, 0.0, &mut part);
            });
        });
        Ok(())
    };
    compared(table, (name, LIMIT), array, by_hand)?;
    if table.times() {
        println!("{:62} {:.1} GFLOP/s", "", 2.0 * (SIDE as f64).powi(3) / timed(1, array) / 1e9);
    }
    assert!(matrix(&c)? == product, "{name}: another product");
    Ok(())
}
