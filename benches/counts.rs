//! Runs one kernel a number of times, for `cargo xtask test instructions`, which counts instructions under valgrind.
//!
//! `counts KERNEL WHO REPETITIONS`, with `WHO` one of `view` and `hand`.

#![allow(dead_code, reason = "the kernels of the n-body example are shared, and not all are counted")]

#[path = "../examples/nbody/hand.rs"]
mod hand;
#[path = "../examples/nbody/kernels.rs"]
mod kernels;
#[path = "kernels/stencil.rs"]
mod stencil;

use core::hint::black_box;
use std::process::ExitCode;

use hand::{Block, Hand, Soa};
use kernels::{Particle, Vec3, move_lanes, move_loop, update_lanes, update_loop};
use layout::{AoS, AoSoA, RecordLayout, SoA, alloc_from_fn, extents};
use wide::f32x8;

const SIDE: usize = 256;
/// The lanes of AVX2, which valgrind knows.
const W: usize = 8;

fn particles(count: usize) -> Vec<Particle> {
    let number = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 1000) as f32 / 1000.0;
    (0..count)
        .map(|i| Particle {
            pos: Vec3 { x: number(i, 0), y: number(i, 1), z: number(i, 2) },
            vel: Vec3 { x: number(i, 3), y: number(i, 4), z: number(i, 5) },
            mass: number(i, 6),
        })
        .collect()
}

/// The n-body kernel `kernel`, over the layout `L` or by hand.
fn nbody<L: RecordLayout<Particle> + Default, H: Hand>(kernel: &str, by_hand: bool, repetitions: usize) -> bool {
    // All pairs of few particles; or many particles, so that what is before and after the loop counts little.
    let count = if kernel.starts_with("update") { 1024 } else { 16384 };
    let start = particles(count);
    let mut view = alloc_from_fn::<Particle, L, _>(count, |[i]| start[i]).expect("a small view");
    let mut hand = H::new(&start);
    for _ in 0..repetitions {
        match (kernel, by_hand) {
            ("update_loop", false) => update_loop(&mut view, count),
            ("update_loop", true) => hand.update_loop(count),
            ("update_lanes", false) => update_lanes::<W, 0, _, _>(&mut view, count),
            ("update_lanes", true) => hand.update_lanes::<W, 1, f32x8>(count),
            ("move_loop", false) => move_loop(&mut view),
            ("move_loop", true) => hand.move_loop(),
            ("move_lanes", false) => move_lanes::<W, _, _>(&mut view),
            ("move_lanes", true) => hand.move_lanes::<W, f32x8>(),
            _ => return false,
        }
    }
    black_box((view, hand.particles(count)));
    true
}

fn stencil_dynamic(by_hand: bool, repetitions: usize) {
    let cell = |[i, j]: [usize; 2]| ((i * 31 + j * 17) % 97) as f32;
    let source = alloc_from_fn::<f32, SoA, _>([SIDE, SIDE], cell).expect("a small view");
    let mut target = source.clone();
    let (from, mut to) = (source.to_vec(), source.to_vec());
    for _ in 0..repetitions {
        if by_hand {
            stencil::hand_rows(black_box(&from), &mut to, black_box(SIDE));
        } else {
            stencil::view(black_box(&source), &mut target);
        }
    }
    black_box((target, to));
}

fn stencil_static(by_hand: bool, repetitions: usize) {
    let cell = |[i, j]: [usize; 2]| ((i * 31 + j * 17) % 97) as f32;
    let source = alloc_from_fn::<f32, SoA, _>(extents!(256, 256), cell).expect("a small view");
    let mut target = source.clone();
    let mut from = Box::new([[0.0; SIDE]; SIDE]);
    for (k, value) in source.to_vec().into_iter().enumerate() {
        from[k / SIDE][k % SIDE] = value;
    }
    let mut to = from.clone();
    for _ in 0..repetitions {
        if by_hand {
            stencil::hand_static(black_box(&*from), &mut to);
        } else {
            stencil::view(black_box(&source), &mut target);
        }
    }
    black_box((target, to));
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo bench` and `cargo test` pass options of their own; without a kernel there is nothing to do.
    let [kernel, who, repetitions] = arguments.as_slice() else { return ExitCode::SUCCESS };
    let (by_hand, repetitions) = (who == "hand", repetitions.parse().unwrap_or(0));
    let known = match kernel.split_once('/') {
        Some(("AoS", kernel)) => nbody::<AoS, Vec<Particle>>(kernel, by_hand, repetitions),
        Some(("SoA", kernel)) => nbody::<SoA, Soa>(kernel, by_hand, repetitions),
        Some(("AoSoA8", kernel)) => nbody::<AoSoA<8>, Vec<Block<8>>>(kernel, by_hand, repetitions),
        Some(("AoSoA16", kernel)) => nbody::<AoSoA<16>, Vec<Block<16>>>(kernel, by_hand, repetitions),
        Some(("AoSoA32", kernel)) => nbody::<AoSoA<32>, Vec<Block<32>>>(kernel, by_hand, repetitions),
        Some(("stencil", "dynamic")) => {
            stencil_dynamic(by_hand, repetitions);
            true
        }
        Some(("stencil", "static")) => {
            stencil_static(by_hand, repetitions);
            true
        }
        _ => false,
    };
    if known {
        ExitCode::SUCCESS
    } else {
        eprintln!("unknown kernel `{kernel}`: give LAYOUT/KERNEL or stencil/EXTENTS");
        ExitCode::from(2)
    }
}
