//! BabelStream's kernels over views: `cargo run --release --example stream [-- ELEMENTS]`.
//!
//! Three arrays of `f64` are the fields of one record, in four layouts, beside loops by hand over three vectors. One thread.
//! GB/s counts the bytes that a kernel reads and writes, as BabelStream does. The last row writes past the caches, with
//! `stream_from_fn`: slower while the arrays fit a last-level cache, and faster beyond it, so give ELEMENTS that fit yours and
//! others that do not (33554432 is 256 MiB for each array). Results are compared with the values that they must have.

mod arguments;

use core::hint::black_box;
use std::time::Instant;

use layout::prelude::*;

/// The elements of each array: 32 MiB.
const ELEMENTS: usize = 4 << 20;
/// The most elements: 2 GiB for each array, which is more than caches hold.
const MOST: usize = 1 << 28;
/// Each kernel runs so often, and the fastest run counts.
const RUNS: usize = 12;
/// The factor of `mul` and `triad`.
const SCALAR: f64 = 0.4;
/// The first values of the three arrays.
const START: Triple = Triple { a: 0.1, b: 0.2, c: 0.0 };

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Triple {
    a: f64,
    b: f64,
    c: f64,
}

/// The kernels, with the number of arrays that each one reads and writes.
const KERNELS: [(&str, usize); 5] = [("copy", 2), ("mul", 2), ("add", 3), ("triad", 3), ("dot", 2)];

/// The shortest time of each kernel in seconds; and the sum, which must be right.
struct Times {
    seconds: [f64; 5],
    dot: f64,
}

impl Times {
    fn new() -> Self {
        Self { seconds: [f64::INFINITY; 5], dot: 0.0 }
    }

    fn time<T>(&mut self, kernel: usize, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = black_box(work());
        self.seconds[kernel] = self.seconds[kernel].min(start.elapsed().as_secs_f64());
        result
    }

    /// GB/s of each kernel over arrays of so many elements.
    fn rates(&self, elements: usize) -> [f64; 5] {
        let mut rates = self.seconds;
        for (rate, (_, arrays)) in rates.iter_mut().zip(KERNELS) {
            *rate = (arrays * elements * size_of::<f64>()) as f64 * 1e-9 / *rate;
        }
        rates
    }
}

/// The kernels over any layout: a record of three leaves is three arrays.
fn views<L: RecordLayout<Triple> + Default>(elements: usize) -> Result<Times, ViewError> {
    let mut view = alloc_from_fn::<Triple, L, _>(elements, |_| START)?;
    let mut times = Times::new();
    for _ in 0..RUNS {
        times.time(0, || view.for_each_mut(|mut t| t.c.set(t.a.get())));
        times.time(1, || view.for_each_mut(|mut t| t.b.set(SCALAR * t.c.get())));
        times.time(2, || view.for_each_mut(|mut t| t.c.set(t.a.get() + t.b.get())));
        times.time(3, || view.for_each_mut(|mut t| t.a.set(t.b.get() + SCALAR * t.c.get())));
        times.dot = times.time(4, || sum_of_products(&view));
    }
    check(&view.load(0), &view.load(elements - 1), times.dot, elements);
    Ok(times)
}

/// The sum of `a` times `b`, in eight lanes, since the compiler may not reorder a sum of floats.
fn sum_of_products<M: Mapping<Record = Triple>>(view: &View<M, impl Blobs>) -> f64 {
    let mut sums = Lanes::<f64, 8>::splat(0.0);
    view.for_each_lanes_masked(|t, mask| sums += mask.select(t.a.get() * t.b.get(), Lanes::splat(0.0)));
    sums.sum()
}

/// The same with every write past the caches. The arrays are views of their own, since a leaf of a record in AoS lies
/// between others in one cache line.
fn streamed(elements: usize) -> Result<Times, ViewError> {
    let array = |value| alloc_from_fn::<f64, SoA, _>(elements, |_| value);
    let (mut a, mut b, mut c) = (array(START.a)?, array(START.b)?, array(START.c)?);
    let mut times = Times::new();
    for _ in 0..RUNS {
        // Checked once, so that accesses by index need no checks of their own.
        for array in [&a, &b, &c] {
            array.assert_extents([elements]);
        }
        times.time(0, || c.stream_from_fn(|[i]| a.get(i)));
        times.time(1, || b.stream_from_fn(|[i]| SCALAR * c.get(i)));
        times.time(2, || c.stream_from_fn(|[i]| a.get(i) + b.get(i)));
        times.time(3, || a.stream_from_fn(|[i]| b.get(i) + SCALAR * c.get(i)));
        times.dot = times.time(4, || {
            let mut sums = Lanes::<f64, 8>::splat(0.0);
            zip((&a, &b)).for_each_lanes_masked(|(a, b), mask| {
                sums += mask.select(a.get() * b.get(), Lanes::splat(0.0));
            });
            sums.sum()
        });
    }
    let at = |i| Triple { a: a.get(i), b: b.get(i), c: c.get(i) };
    check(&at(0), &at(elements - 1), times.dot, elements);
    Ok(times)
}

/// The same by hand.
fn by_hand(elements: usize) -> Times {
    let [mut a, mut b, mut c] = [START.a, START.b, START.c].map(|value| vec![value; elements]);
    let mut times = Times::new();
    for _ in 0..RUNS {
        times.time(0, || c.iter_mut().zip(&a).for_each(|(c, a)| *c = *a));
        times.time(1, || b.iter_mut().zip(&c).for_each(|(b, c)| *b = SCALAR * c));
        times.time(2, || c.iter_mut().zip(&a).zip(&b).for_each(|((c, a), b)| *c = a + b));
        times.time(3, || a.iter_mut().zip(&b).zip(&c).for_each(|((a, b), c)| *a = b + SCALAR * c));
        times.dot = times.time(4, || {
            let mut sums = [0.0; 8];
            // Arrays, since the compiler makes no vectors of slices whose length it does not know.
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
            for (a, b) in a.iter().zip(b) {
                (0..8).for_each(|k| sums[k] += a[k] * b[k]);
            }
            for (sum, (a, b)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
                *sum += a * b;
            }
            sums.iter().sum()
        });
    }
    let at = |i: usize| Triple { a: a[i], b: b[i], c: c[i] };
    check(&at(0), &at(elements - 1), times.dot, elements);
    times
}

/// Panics unless the arrays have the values that the kernels give, and the sum is right.
fn check(first: &Triple, last: &Triple, dot: f64, elements: usize) {
    let mut right = START;
    for _ in 0..RUNS {
        right.c = right.a;
        right.b = SCALAR * right.c;
        right.c = right.a + right.b;
        right.a = right.b + SCALAR * right.c;
    }
    assert_eq!((*first, *last), (right, right));
    let sum = right.a * right.b * elements as f64;
    assert!(((dot - sum) / sum).abs() < 1e-9, "the sum of products is {dot}, and {sum} is right");
}

fn main() -> std::process::ExitCode {
    let read = |given: &[std::ffi::OsString]| match given {
        [] => Some(ELEMENTS),
        [elements] => elements.to_str()?.parse().ok().filter(|elements| (1..=MOST).contains(elements)),
        _ => None,
    };
    arguments::run(&format!("give ELEMENTS, 1 to {MOST}, or nothing for {ELEMENTS}"), read, run)
}

fn run(elements: usize) -> Result<(), Box<dyn core::error::Error>> {
    let rows = [
        ("by hand", by_hand(elements)),
        ("SoA", views::<SoA>(elements)?),
        ("SoASingle", views::<SoASingle>(elements)?),
        ("AoSoA<8>", views::<AoSoA<8>>(elements)?),
        ("AoS", views::<AoS>(elements)?),
        ("SoA, past the caches", streamed(elements)?),
    ];
    let bytes = elements * size_of::<f64>();
    let size = if bytes < 1 << 20 { format!("{bytes} bytes") } else { format!("{:.1} MiB", bytes as f64 / 1048576.0) };
    println!("GB/s, one thread, three arrays of {size}");
    print!("{:<22}", "");
    KERNELS.iter().for_each(|(name, _)| print!("{name:>8}"));
    println!();
    for (name, times) in &rows {
        print!("{name:<22}");
        times.rates(elements).iter().for_each(|rate| print!("{rate:>8.2}"));
        println!();
    }
    println!("all results are right");
    Ok(())
}
