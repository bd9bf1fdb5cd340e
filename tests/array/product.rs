//! Products of matrices and vectors, against three nested loops.

use layout::AoS;
use layout_array::{Array, ArrayError};
use layout_domain::{Block, Domain, StridedRange, Targets};
use layout_store::Runtime;

use crate::maps::{MAPS, builder, map};
use crate::{LOCALES, on};

fn element([i, j]: [i64; 2]) -> i64 {
    (13 * i + 5 * j) % 11 - 4
}

fn along(count: i64, start: i64, stride: i64) -> StridedRange {
    let range = StridedRange::from(start..start + count * stride.abs());
    range.by(stride.into()).expect("a stride").align(start)
}

/// The sums of products, in the order of the domains.
fn serial(a: &Domain<2>, b: &Domain<2>) -> Vec<i64> {
    let [rows, inner] = *a.dims();
    let [_, columns] = *b.dims();
    let sum = |i: i64, j: i64| {
        let pairs = inner.iter().zip(b.dims()[0].iter());
        pairs.map(|(left, right)| element([i, left]) * element([right, j])).sum::<i64>()
    };
    rows.iter().flat_map(|i| columns.iter().map(move |j| (i, j))).map(|(i, j)| sum(i, j)).collect()
}

fn multiplied(rt: &Runtime, (one, other): (usize, usize)) -> Result<(), ArrayError> {
    for (rows, inner, columns) in [(5, 7, 4), (1, 1, 1), (2, 0, 3), (0, 4, 2), (3, 300, 2), (1, 5, 9), (6, 1, 1)] {
        for (start, stride) in [(1, 1), (-3, 2), (0, -1)] {
            let a = Domain::new([along(rows, start, stride), along(inner, 5, 1)]);
            let b = Domain::new([along(inner, start, stride), along(columns, 0, 3)]);
            let what = format!("{a} times {b} on {} locales, maps {one} and {other}", rt.locales());
            let left: Array<i64, 2> = Array::from_fn(rt, &a, map(one, rt.locales())?, element)?;
            let right: Array<i64, 2, AoS> = Array::from_fn(rt, &b, map(other, rt.locales())?, element)?;
            let to = Domain::new([along(rows, 2, 1), along(columns, -7, 2)]);
            let product: Array<i64, 2> = Array::filled(rt, &to, map(other, rt.locales())?, 77)?;
            let expected = serial(&a, &b);
            product.matmul_from(&left, &right)?;
            assert_eq!(product.to_vec()?, expected, "{what}");
            // The transposed product is that of the transposed matrices; it is set through a view whose columns lie in memory.
            product.fill(77)?;
            let turned = product.transpose([1, 0])?;
            turned.matmul_from(&right.transpose([1, 0])?, &left.transpose([1, 0])?)?;
            assert_eq!(product.to_vec()?, expected, "transposed, {what}");

            let x: Array<i64, 1> = Array::from_fn(rt, &Domain::new([b.dims()[0]]), map(other, rt.locales())?, |[i]| i)?;
            let y: Array<i64, 1> = Array::filled(rt, &Domain::from(0..rows), map(one, rt.locales())?, 7)?;
            let row =
                |i: i64| a.dims()[1].iter().zip(b.dims()[0].iter()).map(|(j, x)| element([i, j]) * x).sum::<i64>();
            let expected: Vec<i64> = a.dims()[0].iter().map(row).collect();
            y.matvec_from(&left, &x)?;
            assert_eq!(y.to_vec()?, expected, "{what}");
            let columns: Array<i64, 2> =
                Array::new(rt, &Domain::new([a.dims()[1], a.dims()[0]]), map(one, rt.locales())?)?;
            columns.assign(&left.transpose([1, 0])?)?;
            y.fill(7)?;
            y.matvec_from(&columns.transpose([1, 0])?, &x)?;
            assert_eq!(y.to_vec()?, expected, "by columns, {what}");
        }
    }
    Ok(())
}

#[test]
fn products_are_those_of_three_loops() {
    for locales in LOCALES {
        for one in [locales % MAPS, (locales + 1) % MAPS] {
            on(builder(locales), (one, (one + locales) % MAPS), multiplied);
        }
    }
}

/// Parts of larger matrices, whose rows have gaps between them, and floating-point numbers.
#[test]
fn parts_of_matrices_are_multiplied() -> Result<(), ArrayError> {
    let rt = Runtime::builder().threads(1).pieces(3).min_chunk(1).build()?;
    let whole = Domain::new([0..20, 0..20]);
    let blocks = || Block::over(&whole, Targets::all(1)?);
    let number = |at| element(at) as f64 / 4.0;
    let all: Array<f64, 2> = Array::from_fn(&rt, &whole, blocks()?, number)?;
    let to: Array<f64, 2> = Array::filled(&rt, &whole, blocks()?, 0.5)?;
    let (a, b) = (Domain::new([2..=9, 3..=7]), Domain::new([5..=9, 11..=19]));
    let place = Domain::new([4..=11, 1..=9]);
    to.slice(&place)?.matmul_from(&all.slice(&a)?, &all.slice(&b)?)?;
    let products = serial(&a, &b).into_iter().map(|sum| sum as f64 / 16.0);
    assert_eq!(to.slice(&place)?.to_vec()?, products.collect::<Vec<_>>());
    to.slice(&place)?.fill(0.5)?;
    assert_eq!(to.to_vec()?, [0.5; 400]);
    Ok(())
}

/// With blocks in a square grid, a locale is sent the rows and columns of its block that are not its own.
#[test]
fn a_product_sends_rows_and_columns_of_blocks() {
    fn sent(rt: &Runtime, (): ()) -> Result<(u64, u64), ArrayError> {
        let square = Domain::new([0..64, 0..64]);
        let blocks = Block::over(&square, Targets::all(4)?)?;
        let a: Array<f64, 2> = Array::from_fn(rt, &square, blocks.clone(), |at| element(at) as f64)?;
        let c: Array<f64, 2> = Array::new(rt, &square, blocks)?;
        rt.fence()?;
        let before = rt.traffic();
        c.matmul_from(&a, &a)?;
        rt.fence()?;
        let after = rt.traffic();
        Ok((after.messages - before.messages, after.bytes - before.bytes))
    }
    // To the neighbor in the row, and to that in the column: a block of 32 by 32.
    let each = on(builder(4).pieces(4), (), sent);
    assert_eq!(each, [(2, 2 * 8 * 32 * 32); 4]);
}

#[test]
fn shapes_that_do_not_fit_are_refused() -> Result<(), ArrayError> {
    let rt = Runtime::new()?;
    let matrix =
        |rows: i64, columns: i64| Array::<f64, 2>::filled(&rt, &Domain::new([0..rows, 0..columns]), map(1, 1)?, 3.0);
    let vector = |len: i64| Array::<f64, 1>::filled(&rt, &Domain::from(0..len), map(1, 1)?, 3.0);
    let (a, b, c) = (matrix(2, 3)?, matrix(3, 4)?, matrix(2, 4)?);
    for (to, left, right) in [(&c, &a, &a), (&a, &a, &b), (&b, &a, &b), (&c, &b, &a)] {
        let refused = to.matmul_from(left, right);
        assert!(matches!(refused, Err(ArrayError::Product { .. })), "{refused:?}");
    }
    let square = matrix(2, 2)?;
    let refused = square.matmul_from(&matrix(2, 2)?, &square);
    assert!(matches!(refused, Err(ArrayError::Overlap { .. })), "{refused:?}");
    for (rows, columns) in [(2, 2), (3, 3)] {
        let refused = vector(rows)?.matvec_from(&a, &vector(columns)?);
        assert!(matches!(refused, Err(ArrayError::Product { .. })), "{refused:?}");
    }
    assert_eq!((c.to_vec()?, square.to_vec()?), (vec![3.0; 8], vec![3.0; 4]));
    Ok(())
}
