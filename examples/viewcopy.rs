//! Copies between all pairs of layouts: `cargo run --release --example viewcopy [-- ELEMENTS]`.
//!
//! Each pair is copied by a naive loop over the elements, by `copy_from`, and, as bytes, by `memcpy`, in turns. GB/s counts the bytes
//! that are read and written. Each copy is compared with its source.

mod arguments;

use core::hint::black_box;
use std::time::Instant;

use layout::prelude::*;
use layout::record::LeafTable;

/// The events: 48 MiB in each layout.
const ELEMENTS: usize = 1 << 20;
/// The most events: 3 GiB in each layout, which is more than caches hold.
const MOST: usize = 1 << 26;
/// Each copy runs so often, and the fastest run counts.
const RUNS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

/// An event of a detector: leaves of four sizes.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Event {
    number: u64,
    pos: Vec3,
    momentum: Vec3,
    energy: f32,
    charge: i32,
    hits: u16,
    quality: u8,
    good: bool,
}

#[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
fn event(i: usize) -> Event {
    let x = i as f32;
    let (pos, momentum) = (Vec3 { x, y: -x, z: 0.5 * x }, Vec3 { x: 1.0, y: x, z: 2.0 });
    let charge = i as i32 % 3 - 1;
    Event {
        number: i as u64,
        pos,
        momentum,
        energy: x,
        charge,
        hits: i as u16,
        quality: i as u8,
        good: !i.is_multiple_of(7),
    }
}

/// GB/s of each work, which reads and writes so many bytes: that of its fastest run. The works run in turns.
fn rates<const N: usize>(bytes: usize, mut works: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..RUNS {
        for (best, work) in best.iter_mut().zip(&mut works) {
            let start = Instant::now();
            work();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best.map(|seconds| 2.0 * bytes as f64 * 1e-9 / seconds)
}

/// The rates of the naive loop, of `copy_from`, and of `memcpy` from one of these pieces of memory to the other.
fn copies<From, To>(elements: usize, (from, to): (&[u8], &mut [u8])) -> Result<[f64; 3], Box<dyn core::error::Error>>
where
    From: RecordLayout<Event> + Default,
    To: RecordLayout<Event> + Default,
{
    let source = alloc_from_fn::<Event, From, _>(elements, |[i]| event(i))?;
    let mut naive = alloc::<Event, To, _>(elements)?;
    let mut copy = alloc::<Event, To, _>(elements)?;
    let mut by_loop = || {
        for i in 0..elements {
            naive.set(i, source.load(i));
        }
        black_box(&mut naive);
    };
    let mut by_copy = || {
        copy.copy_from(&source).expect("the extents are equal");
        black_box(&mut copy);
    };
    let mut by_memcpy = || {
        to.copy_from_slice(black_box(from));
        black_box(&mut *to);
    };
    let rates = rates(from.len(), [&mut by_loop, &mut by_copy, &mut by_memcpy]);
    if naive != source || copy != source {
        return Err("a copy differs from its source".into());
    }
    Ok(rates)
}

/// Prints a row for each pair of the layouts.
macro_rules! pairs {
    ($elements:ident, $bytes:ident; $($layout:ty),+) => { pairs!(@ $elements $bytes [$($layout),+] [$($layout),+]) };
    (@ $elements:ident $bytes:ident [$($from:ty),+] $to:tt) => {$(
        pairs!(@from $elements $bytes $from, $to);
    )+};
    (@from $elements:ident $bytes:ident $from:ty, [$($to:ty),+]) => {$(
        let [naive, copy, memcpy] = copies::<$from, $to>($elements, (&$bytes.0, &mut $bytes.1))?;
        println!(
            "{:<10} -> {:<10}{naive:>10.2}{copy:>12.2}{memcpy:>10.2}{:>12.2}",
            stringify!($from).replace(' ', ""), stringify!($to).replace(' ', ""), copy / memcpy
        );
    )+};
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
    let leaves = LeafTable::of::<Event>();
    let size = (0..leaves.count()).map(|leaf| leaves.leaf(leaf).size()).sum::<usize>();
    let mut bytes = (vec![7_u8; elements * size], vec![0_u8; elements * size]);
    println!("events: {elements}, of {} leaves and {size} bytes each", leaves.count());
    println!("{:<24}{:>10}{:>12}{:>10}{:>12}", "GB/s", "naive", "copy_from", "memcpy", "/ memcpy");
    pairs!(elements, bytes; AoS, SoA, AoSoA<8>, AoSoA<32>);
    println!("all copies are right");
    Ok(())
}
