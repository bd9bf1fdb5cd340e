//! Copies between layouts: `copy_from` beside a plain copy of the same bytes, and the containers of other crates.
//!
//! `cargo bench --bench copy`; with `-- ratio`, only ratios to the plain copy, in the caches and far beyond them. Both
//! copy memory that was touched before.

#![expect(
    dead_code,
    reason = "the kernels of the n-body example and the peers are shared, and they are timed elsewhere"
)]

#[path = "../examples/nbody/kernels.rs"]
mod kernels;
#[path = "kernels/peers.rs"]
mod peers;
#[path = "kernels/ratio.rs"]
mod ratio;

use core::hint::black_box;
use core::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use kernels::Particle;
use layout::{AoS, AoSoA, DynExtents, Mapped, Owned, Packed, Record, RecordLayout, SoA, alloc, alloc_from_fn};
use ndarray::Array2;
use peers::{Peer, derived, leaves, particle, soars};
use soa_rs::Soa;

/// Twenty leaves of several sizes, 80 bytes: the first fields of an event of high-energy physics.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Event {
    id: i64,
    counts: [i32; 9],
    flags: [u8; 2],
    momenta: [f32; 8],
}

trait Sample: Record + PartialEq {
    fn sample(i: usize) -> Self;
}

/// Different numbers that every leaf represents exactly.
#[expect(clippy::cast_possible_truncation, reason = "the low bits are as good as any")]
fn number(i: usize, leaf: usize) -> u16 {
    (i * 31 + leaf) as u16
}

impl Sample for Particle {
    fn sample(i: usize) -> Self {
        particle(core::array::from_fn(|leaf| f32::from(number(i, leaf))))
    }
}

impl Sample for Event {
    fn sample(i: usize) -> Self {
        Self {
            id: i64::from(number(i, 0)) << 20,
            counts: core::array::from_fn(|k| -i32::from(number(i, k))),
            flags: number(i, 10).to_le_bytes(),
            momenta: core::array::from_fn(|k| f32::from(number(i, 12 + k))),
        }
    }
}

type View<R, L> = Owned<Mapped<R, DynExtents<1>, L>>;

/// Copies of so many elements.
struct Copies<'c> {
    len: usize,
    group: Option<BenchmarkGroup<'c, WallTime>>,
}

impl Copies<'_> {
    fn time(&mut self, name: &str, mut work: impl FnMut()) {
        if let Some(group) = &mut self.group {
            group.bench_function(name, |b| b.iter(&mut work));
        }
    }

    /// A copy between two layouts, and one of the same bytes.
    fn pair<R: Sample, From: RecordLayout<R> + Default, To: RecordLayout<R> + Default>(&mut self, name: &str) {
        let source: View<R, From> = alloc_from_fn::<R, From, _>(self.len, |[i]| R::sample(i)).expect("memory");
        let mut target: View<R, To> = alloc::<R, To, _>(self.len).expect("memory");
        target.copy_from(&source).expect("equal extents");
        for i in 0..self.len {
            assert!(target.load(i) == R::sample(i), "{name}: element {i}");
        }
        let mut copy = || black_box(&mut target).copy_from(black_box(&source)).expect("equal extents");
        if self.group.is_some() {
            return self.time(&format!("{name}/view"), copy);
        }
        let from = vec![1_u8; self.len * size_of::<R>()];
        let mut to = vec![2_u8; from.len()];
        let name = format!("copy {} {name}", self.len);
        ratio::print(&name, &mut to, |_| copy(), |to| black_box(to).copy_from_slice(black_box(&from)));
    }

    fn particles(&mut self) {
        self.pair::<Particle, AoS, SoA>("AoS to SoA");
        self.pair::<Particle, SoA, AoS>("SoA to AoS");
        self.pair::<Particle, SoA, AoSoA<16>>("SoA to AoSoA16");
        self.pair::<Particle, AoSoA<16>, SoA>("AoSoA16 to SoA");
        self.pair::<Particle, AoS, AoS>("AoS to AoS");
        self.pair::<Particle, SoA, SoA>("SoA to SoA");
        self.pair::<Particle, AoS, AoSoA<16>>("AoS to AoSoA16");
        self.pair::<Particle, AoSoA<16>, AoS>("AoSoA16 to AoS");
        self.pair::<Particle, AoSoA<16>, AoSoA<16>>("AoSoA16 to AoSoA16");
        self.pair::<Particle, AoSoA<8>, AoSoA<32>>("AoSoA8 to AoSoA32");
    }

    fn events(&mut self) {
        self.pair::<Event, AoS, SoA>("event, AoS to SoA");
        self.pair::<Event, SoA, AoS>("event, SoA to AoS");
        self.pair::<Event, SoA, AoS<Packed>>("event, SoA to packed AoS");
    }

    /// A plain copy of particles, and other crates: from a `Vec` of structs to their container, and back.
    fn peers(&mut self) {
        let from: Vec<Particle> = (0..self.len).map(Particle::sample).collect();
        let mut structs = from.clone();
        self.time("memory", || black_box(&mut structs).copy_from_slice(black_box(&from)));

        let mut bodies: derived::BodyVec = Peer::new(&from);
        assert!(bodies.particles() == from, "soa_derive");
        self.time("AoS to SoA/soa_derive", || {
            bodies.clear();
            bodies.extend(black_box(&from).iter().map(derived::Body::from));
            black_box(&mut bodies);
        });
        bodies = Peer::new(&from);
        self.time("SoA to AoS/soa_derive", || {
            structs.clear();
            let all = black_box(&bodies).iter();
            structs.extend(all.map(|b| particle([*b.x, *b.y, *b.z, *b.vx, *b.vy, *b.vz, *b.mass])));
            black_box(&mut structs);
        });

        let mut bodies: Soa<soars::Body> = Peer::new(&from);
        assert!(bodies.particles() == from, "soa-rs");
        self.time("AoS to SoA/soa-rs", || {
            bodies.clear();
            bodies.extend(black_box(&from).iter().map(soars::Body::from));
            black_box(&mut bodies);
        });
        bodies = Peer::new(&from);
        self.time("SoA to AoS/soa-rs", || {
            structs.clear();
            let all = black_box(&bodies).iter();
            structs.extend(all.map(|b| particle([*b.x, *b.y, *b.z, *b.vx, *b.vy, *b.vz, *b.mass])));
            black_box(&mut structs);
        });

        let rows = Array2::from_shape_fn((from.len(), 7), |(i, leaf)| leaves(&from[i])[leaf]);
        let mut columns = Array2::zeros((7, from.len()));
        columns.assign(&rows.t());
        assert!(columns.t() == rows, "ndarray");
        self.time("AoS to SoA/ndarray", || black_box(&mut columns).assign(&black_box(&rows).t()));
        black_box((structs, columns));
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    if ratio::wanted() {
        for len in [1 << 14, 1 << 24] {
            Copies { len, group: None }.particles();
        }
        for len in [1 << 12, 1 << 22] {
            Copies { len, group: None }.events();
        }
    }
    for len in if cfg!(debug_assertions) { [256, 1024] } else { [1 << 14, 1 << 20] } {
        let mut group = criterion.benchmark_group(format!("copy/{len}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Bytes((len * size_of::<Particle>()) as u64));
        let mut copies = Copies { len, group: Some(group) };
        copies.particles();
        copies.peers();
    }
    criterion.final_summary();
}
