//! Conversions to arrays and files of other libraries, and back, beside `memcpy` of as many bytes.
//!
//! `cargo bench -p layout-interop --all-features --bench interop` prints, for about 64 MiB of records of 28 bytes: what a conversion
//! allocates, in parts of the bytes of all records; and its speed, as bytes of records a second and as a part of that of `memcpy`.
//! Medians of rounds by turns, one thread. A conversion that copies nothing has a time and no speed. Results are compared with the
//! records. With `-- short`, one round of 1 MiB.

use core::hint::black_box;
use std::time::Instant;

use layout::interop::arrow::{Arrays, Nulls, as_view, from_batch, into_batch, to_batch};
use layout::interop::ndarray::{IntoNdarray, IntoView, ToNdarray};
use layout::interop::npy::{map_npy, read_npy, read_npz, write_npy, write_npz};
use layout::prelude::*;
use layout::{DynExtents, Packed};
use support::counting::Counting;

#[global_allocator]
static COUNTING: Counting = Counting::new();

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: [f64; 2],
    mass: f32,
    id: u64,
}

/// The bytes of the leaves of a record.
const SIZE: usize = 28;

fn particle(i: usize) -> Particle {
    Particle { pos: [i as f64, 0.5], mass: 2.0, id: i as u64 }
}

type Memory<L> = Mapped<Particle, DynExtents<1>, L>;

/// The lines of the table.
struct Table {
    rounds: usize,
    len: usize,
    source: Vec<u8>,
    target: Vec<u8>,
}

impl Table {
    fn memcpy(&mut self) -> f64 {
        let start = Instant::now();
        self.target.copy_from_slice(black_box(&self.source));
        black_box(&mut self.target);
        start.elapsed().as_secs_f64()
    }

    /// A line: what `make` gives is converted by `convert`, and the result is compared by `is_right`.
    fn line<A, B>(
        &mut self,
        name: &str,
        mut make: impl FnMut() -> A,
        convert: impl Fn(A) -> B,
        is_right: impl Fn(B) -> bool,
    ) {
        let (mut times, mut copies, mut allocated) = (vec![], vec![], 0);
        for _ in 0..self.rounds {
            let input = make();
            copies.push(self.memcpy());
            let (_, before) = COUNTING.so_far();
            let start = Instant::now();
            let output = black_box(convert(black_box(input)));
            times.push(start.elapsed().as_secs_f64());
            allocated = COUNTING.so_far().1 - before;
            assert!(is_right(output), "{name}");
        }
        let (time, copy) = (median(times), median(copies));
        let bytes = (self.len * SIZE) as f64;
        let parts = allocated as f64 / bytes;
        if parts < 0.01 && time < copy / 10.0 {
            println!("{name:<44} {parts:>9.2} {:>7.1} us", time * 1e6);
        } else {
            println!("{name:<44} {parts:>9.2} {:>7.1} GB/s {:>6.2}", bytes / time / 1e9, copy / time);
        }
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let short = std::env::args().any(|argument| argument == "short");
    let (bytes, rounds) = if short { (1 << 20, 1) } else { (64 << 20, 9) };
    let len = bytes / SIZE;
    let mut table = Table { rounds, len, source: vec![1; len * SIZE], target: vec![0; len * SIZE] };
    let copy = table.memcpy();
    println!("{len} records of {SIZE} bytes; memcpy {:.1} GB/s", (len * SIZE) as f64 / copy / 1e9);
    println!("{:<44} {:>9} {:>12} {:>6}", "conversion", "allocated", "speed", "memcpy");

    let soa = || (0..len).map(particle).collect::<RecordVec<Particle, SoA>>();
    let aos = || (0..len).map(particle).collect::<RecordVec<Particle, AoS<Packed>>>();
    let middle = len / 2;

    let batch = into_batch(soa(), Arrays::Fields).unwrap();
    let rows = |rows| rows == len;
    table.line(
        "RecordVec<_, SoA> to RecordBatch",
        soa,
        |vec| into_batch(vec, Arrays::Fields).unwrap(),
        |to| rows(to.num_rows()),
    );
    table.line(
        "RecordVec<_, AoS> to RecordBatch",
        aos,
        |vec| into_batch(vec, Arrays::Fields).unwrap(),
        |to| rows(to.num_rows()),
    );
    let view = aos();
    let view = view.as_view();
    table.line(
        "view of AoS to RecordBatch",
        || &view,
        |view| to_batch(view, Arrays::Fields).unwrap(),
        |to| rows(to.num_rows()),
    );
    table.line(
        "RecordBatch to view of SoA",
        || &batch,
        |batch| as_view::<Particle>(batch, Nulls::Reject).unwrap(),
        |to| to.load(middle) == particle(middle),
    );
    table.line(
        "RecordBatch to RecordVec<_, AoS>",
        || &batch,
        |batch| from_batch::<Particle, AoS>(batch, Nulls::Reject).unwrap(),
        |to| to.load(middle) == particle(middle),
    );

    let vec = soa();
    let masses = vec.as_view();
    table.line(
        "leaf of SoA to ArrayView",
        || masses.field(Particle::PATHS.mass),
        |mass| mass.into_ndarray().unwrap().len(),
        rows,
    );
    let aligned = (0..len).map(particle).collect::<RecordVec<Particle, AoS>>();
    let aligned = aligned.as_view();
    let ids = || aligned.field(Particle::PATHS.id);
    table.line("leaf of AoS to ArrayView", ids, |id| id.into_ndarray().unwrap()[middle], |id| id == middle as u64);
    let array = ndarray::Array1::from_elem(len * SIZE / 8, 1.0_f64);
    table.line("Array to view", || array.clone(), |array| array.into_view().unwrap(), |view| view.get(middle) == 1.0);
    let numbers = alloc_from_fn::<f64, AoSoA<8>, _>(len * SIZE / 8, |[i]| i as f64).unwrap();
    table.line(
        "view of AoSoA<8> of f64 to Array",
        || &numbers,
        |numbers| numbers.to_ndarray(),
        |to| to[middle] == middle as f64,
    );

    let mut npy = Vec::new();
    write_npy(&view, &mut npy).unwrap();
    let mut npz = Vec::new();
    write_npz(&masses, &mut npz).unwrap();
    let room = || Vec::with_capacity(len * SIZE + 4096);
    table.line(
        "view of AoS to .npy",
        room,
        |mut to| {
            write_npy(&view, &mut to).unwrap();
            to
        },
        |to| to == npy,
    );
    table.line(
        "view of SoA to .npy",
        room,
        |mut to| {
            write_npy(&masses, &mut to).unwrap();
            to
        },
        |to| to == npy,
    );
    table.line(
        "view of SoA to .npz",
        room,
        |mut to| {
            write_npz(&masses, &mut to).unwrap();
            to
        },
        |to| to == npz,
    );
    table.line(
        "view of AoS to .npz",
        room,
        |mut to| {
            write_npz(&view, &mut to).unwrap();
            to
        },
        |to| to == npz,
    );
    table.line(
        ".npy to view of its bytes",
        || &npy[..],
        |file| map_npy::<Particle, DynExtents<1>, AoS<Packed>, layout::RowMajor>(file).unwrap().load(middle),
        |to| to == particle(middle),
    );
    table.line(
        ".npy to SoA",
        || &npy[..],
        |file| -> View<Memory<SoA>, _> { read_npy(file).unwrap() },
        |to| to.load(middle) == particle(middle),
    );
    table.line(
        ".npz to SoA",
        || &npz[..],
        |file| -> View<Memory<SoA>, _> { read_npz(file, 1 << 30).unwrap() },
        |to| to.load(middle) == particle(middle),
    );
}
