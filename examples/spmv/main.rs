//! A sparse system of equations, solved by conjugate gradients: `cargo run --release --example spmv -- [FILE]`.
//!
//! The file has a positive definite matrix in the Matrix Market format; the default is GR_30_30. Each of three locales has a part of
//! the rows. Image constraints find the entries and the parts of the vector that these rows need.
#![expect(clippy::cast_possible_truncation, reason = "indices and counts are small")]

#[path = "../arguments.rs"]
mod arguments;
mod matrix;

use core::error::Error;
use std::path::Path;
use std::process::ExitCode;

use layout::store::{ImageHint, Runtime, Store, StoreError, Sum, image, read, update, write};
use matrix::Matrix;

type Vector = Store<f64, layout::Dim<1>>;

/// A matrix in stores.
struct Sparse {
    rows: Store<[[i64; 1]; 2], layout::Dim<1>>,
    columns: Store<i64, layout::Dim<1>>,
    values: Vector,
}

impl Sparse {
    fn new(rt: &Runtime, matrix: &Matrix) -> Result<Self, StoreError> {
        let entries = matrix.values.len() as i64;
        Ok(Self {
            rows: rt.create_from(matrix.size, &matrix.rows)?,
            columns: rt.create_from(entries, &matrix.columns)?,
            values: rt.create_from(entries, &matrix.values)?,
        })
    }

    /// `product = matrix * vector`
    fn multiply(&self, rt: &Runtime, vector: &Vector, product: &Vector) -> Result<(), StoreError> {
        rt.task("multiply")
            .args((write(product), read(&self.rows), read(&self.columns), read(&self.values), read(vector)))
            .constrain(|(product, rows, columns, values, vector)| {
                [
                    layout::store::align(product, rows),
                    image(rows, columns, ImageHint::FirstLast),
                    image(rows, values, ImageHint::FirstLast),
                    image(columns, vector, ImageHint::Precise),
                ]
            })
            .launch(|task, (mut product, rows, columns, values, vector)| {
                let ([first], [shift]) = (task.origin(2), task.origin(4));
                for row in 0..product.len() {
                    let [from, to] = rows.load(row).map(|[at]| at as usize - first);
                    let entry = |k| values.get(k) * vector.get(columns.get(k) as usize - shift);
                    product.set(row, (from..to).map(entry).sum());
                }
            })?;
        Ok(())
    }
}

fn dot(rt: &Runtime, a: &Vector, b: &Vector) -> Result<f64, StoreError> {
    let sum = rt.task("dot").args((read(a), read(b))).align_all();
    sum.reduce(Sum, |_, (a, b)| Ok(a.values().zip(b.values()).map(|(a, b)| a * b).sum()))?.get()
}

/// `a = factor * a + other * b`
fn combine(rt: &Runtime, factor: f64, a: &Vector, other: f64, b: &Vector) -> Result<(), StoreError> {
    rt.task("combine").args((update(a), read(b))).align_all().launch(move |_, (mut a, b)| {
        layout::zip((&mut a, &b)).for_each(|(mut a, b)| a.set(factor * a.get() + other * b.get()))
    })?;
    Ok(())
}

/// The solution that a locale found.
struct Solution {
    /// The largest error of any component.
    error: f64,
    /// The norm of the residual at first and after each step.
    norms: Vec<f64>,
    /// The bytes that the locale sends for a product.
    sent: u64,
    /// The product of the last direction with the matrix on both sides, which is above zero for a positive definite matrix.
    curvature: f64,
}

/// Solves `matrix * x = matrix * ones`.
fn solve(rt: &Runtime, matrix: &Matrix) -> Result<Solution, StoreError> {
    let sparse = Sparse::new(rt, matrix)?;
    let [x, residual, direction, product]: [Result<Vector, _>; 4] = core::array::from_fn(|_| rt.create(matrix.size));
    let (x, residual, direction, product) = (x?, residual?, direction?, product?);
    x.fill(1.0)?;
    sparse.multiply(rt, &x, &residual)?;
    direction.copy_from(&residual)?;
    x.fill(0.0)?;
    let mut square = dot(rt, &residual, &residual)?;
    let (mut norms, mut curvature) = (vec![square.sqrt()], 1.0);
    while norms[norms.len() - 1] > 1e-12 * norms[0] && norms.len() < 1000 {
        sparse.multiply(rt, &direction, &product)?;
        curvature = dot(rt, &direction, &product)?;
        if curvature <= 0.0 {
            break;
        }
        let step = square / curvature;
        combine(rt, 1.0, &x, step, &direction)?;
        combine(rt, 1.0, &residual, -step, &product)?;
        let next = dot(rt, &residual, &residual)?;
        combine(rt, next / square, &direction, 1.0, &residual)?;
        square = next;
        norms.push(square.sqrt());
    }
    // The first products ask each other for the elements that they need, and later ones know them.
    rt.fence()?;
    let before = rt.traffic().bytes;
    sparse.multiply(rt, &direction, &product)?;
    rt.fence()?;
    let sent = rt.traffic().bytes - before;
    // What is no number is infinitely far off.
    let error = x.to_vec()?.iter().map(|x| (x - 1.0).abs().min(f64::INFINITY)).fold(0.0, f64::max);
    Ok(Solution { error, norms, sent, curvature })
}

fn main() -> ExitCode {
    let usage = "give a file with a matrix in the Matrix Market format, or nothing for GR_30_30";
    arguments::run(usage, |given: &[std::ffi::OsString]| (given.len() <= 1).then_some(()), |()| run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let matrix = match std::env::args_os().nth(1) {
        Some(file) => {
            let named = |error: &dyn Error| format!("{}: {error}", Path::new(&file).display());
            let text = std::fs::read_to_string(&file).map_err(|error| named(&error))?;
            Matrix::parse(&text).map_err(|error| named(&*error))?
        }
        None => Matrix::parse(include_str!("gr_30_30.mtx"))?,
    };
    println!("{0} by {0}, entries: {1}", matrix.size, matrix.values.len());

    let builder = Runtime::builder().locales(3).threads(1).pieces(6).min_chunk(1);
    let solved = builder.simulate(|rt| solve(rt, &matrix))?.into_iter().collect::<Result<Vec<_>, _>>()?;
    let Solution { error, norms, curvature, .. } = &solved[0];
    for (step, norm) in norms.iter().enumerate().filter(|(step, _)| step % 10 == 0 || step + 1 == norms.len()) {
        println!("  step {step:>3}: residual {norm:.3e}");
    }
    // Bits, because what is no number is not equal to itself.
    let bits = |norms: &[f64]| -> Vec<u64> { norms.iter().map(|norm| norm.to_bits()).collect() };
    for (locale, Solution { norms: theirs, sent, .. }) in solved.iter().enumerate() {
        assert_eq!(bits(theirs), bits(norms), "all locales compute the same");
        println!("locale {locale} sends {sent} bytes for a product, of {} that the vector has", 8 * matrix.size);
    }
    if *curvature <= 0.0 {
        return Err(
            format!("the matrix is not positive definite: d * matrix * d is {curvature:.3e} for a vector d").into()
        );
    }
    if *error >= 1e-8 {
        let steps = norms.len() - 1;
        return Err(format!(
            "no solution after {steps} steps: the matrix is not symmetric and positive definite, or nearly singular"
        )
        .into());
    }
    println!("off by {error:.1e} from the solution, which is 1 everywhere");
    Ok(())
}
