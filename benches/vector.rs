//! Vectors of particles that grow: `RecordVec` beside a `Vec` of structs, a `Vec` for each field, and the vectors of
//! other crates.
//!
//! `cargo bench --bench vector`; with `-- ratio`, only the ratios of `RecordVec` to the vector written by hand.

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

use criterion::{Criterion, Throughput};
use kernels::Particle;
use layout::{AoS, AoSoA, RecordLayout, RecordVec, SoA};
use peers::{Peer, derived, leaves, particle, particles, soars};
use soa_rs::Soa;

/// A vector of particles.
trait Vector {
    fn empty() -> Self;
    fn push(&mut self, particle: Particle);
    fn total(&self) -> f32;
    fn all(&self) -> Vec<Particle>;
}

/// What not all vectors of other crates have.
trait Change: Vector + Clone {
    fn take(&mut self, index: usize);
    fn keep_heavy(&mut self);
    fn sort(&mut self);
}

impl<L: RecordLayout<Particle> + Default> Vector for RecordVec<Particle, L> {
    fn empty() -> Self {
        Self::new()
    }

    #[inline(always)]
    fn push(&mut self, particle: Particle) {
        self.push(particle);
    }

    fn total(&self) -> f32 {
        self.values().map(|p| p.mass).sum()
    }

    fn all(&self) -> Vec<Particle> {
        self.to_vec()
    }
}

impl<L: RecordLayout<Particle> + Default> Change for RecordVec<Particle, L> {
    fn take(&mut self, index: usize) {
        self.remove(index);
    }

    fn keep_heavy(&mut self) {
        self.retain(|p| p.mass > 0.5);
    }

    fn sort(&mut self) {
        self.sort_by(|a, b| a.mass.total_cmp(&b.mass));
    }
}

impl Vector for Vec<Particle> {
    fn empty() -> Self {
        Self::new()
    }

    #[inline(always)]
    fn push(&mut self, particle: Particle) {
        self.push(particle);
    }

    fn total(&self) -> f32 {
        self.iter().map(|p| p.mass).sum()
    }

    fn all(&self) -> Vec<Particle> {
        self.clone()
    }
}

impl Change for Vec<Particle> {
    fn take(&mut self, index: usize) {
        self.remove(index);
    }

    fn keep_heavy(&mut self) {
        self.retain(|p| p.mass > 0.5);
    }

    fn sort(&mut self) {
        self.sort_by(|a, b| a.mass.total_cmp(&b.mass));
    }
}

/// A `Vec` for each leaf, by hand.
#[derive(Clone)]
struct Columns([Vec<f32>; 7]);

impl Vector for Columns {
    fn empty() -> Self {
        Self(Default::default())
    }

    #[inline(always)]
    fn push(&mut self, particle: Particle) {
        for (column, value) in self.0.iter_mut().zip(leaves(&particle)) {
            column.push(value);
        }
    }

    fn total(&self) -> f32 {
        self.0[6].iter().sum()
    }

    fn all(&self) -> Vec<Particle> {
        (0..self.0[6].len()).map(|i| particle(core::array::from_fn(|leaf| self.0[leaf][i]))).collect()
    }
}

impl Change for Columns {
    fn take(&mut self, index: usize) {
        for column in &mut self.0 {
            column.remove(index);
        }
    }

    fn keep_heavy(&mut self) {
        let len = self.0[6].len();
        let mut kept = 0;
        for i in 0..len {
            if self.0[6][i] > 0.5 {
                for column in &mut self.0 {
                    column[kept] = column[i];
                }
                kept += 1;
            }
        }
        for column in &mut self.0 {
            column.truncate(kept);
        }
    }

    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.0[6].len()).collect();
        order.sort_by(|a, b| self.0[6][*a].total_cmp(&self.0[6][*b]));
        for column in &mut self.0 {
            *column = order.iter().map(|i| column[*i]).collect();
        }
    }
}

impl Vector for derived::BodyVec {
    fn empty() -> Self {
        Self::new()
    }

    #[inline(always)]
    fn push(&mut self, particle: Particle) {
        self.push((&particle).into());
    }

    fn total(&self) -> f32 {
        self.iter().map(|p| *p.mass).sum()
    }

    fn all(&self) -> Vec<Particle> {
        self.particles()
    }
}

impl Vector for Soa<soars::Body> {
    fn empty() -> Self {
        Self::new()
    }

    #[inline(always)]
    fn push(&mut self, particle: Particle) {
        self.push((&particle).into());
    }

    fn total(&self) -> f32 {
        self.iter().map(|p| *p.mass).sum()
    }

    fn all(&self) -> Vec<Particle> {
        self.particles()
    }
}

#[inline(never)]
fn pushed<V: Vector>(from: &[Particle]) -> V {
    let mut vector = V::empty();
    for particle in from {
        vector.push(*particle);
    }
    vector
}

/// A name, and what is done to a copy of a vector.
type Step<V> = (&'static str, fn(&mut V));

fn changes<V: Change>() -> [Step<V>; 4] {
    [("copy", |_| {}), ("retain", V::keep_heavy), ("remove", |v| v.take(100)), ("sort", V::sort)]
}

/// `RecordVec` beside the vector by hand.
fn ratios<V: Change, H: Change>(layout: &str, from: &[Particle]) {
    let name = |what: &str| format!("{what} {} {layout}", from.len());
    ratio::print(
        &name("push"),
        &mut (),
        |()| drop(black_box(pushed::<V>(black_box(from)))),
        |()| drop(black_box(pushed::<H>(black_box(from)))),
    );
    let (vector, hand) = (pushed::<V>(from), pushed::<H>(from));
    ratio::print(
        &name("total"),
        &mut (),
        |()| _ = black_box(black_box(&vector).total()),
        |()| _ = black_box(black_box(&hand).total()),
    );
    for ((what, change), (_, by_hand)) in changes::<V>().into_iter().zip(changes::<H>()) {
        ratio::print(
            &name(what),
            &mut (),
            |()| change(black_box(&mut vector.clone())),
            |()| by_hand(black_box(&mut hand.clone())),
        );
    }
}

fn peer<V: Vector>(criterion: &mut Criterion, name: &str, from: &[Particle]) {
    let vector: V = pushed(from);
    assert!(vector.all() == from, "{name}: not the same particles");
    let mut group = criterion.benchmark_group(format!("vector/{}", from.len()));
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Elements(from.len() as u64));
    group.bench_function(format!("push/{name}"), |b| b.iter(|| pushed::<V>(black_box(from))));
    group.bench_function(format!("total/{name}"), |b| b.iter(|| black_box(&vector).total()));
}

fn all<V: Change>(criterion: &mut Criterion, name: &str, from: &[Particle]) {
    peer::<V>(criterion, name, from);
    let vector: V = pushed(from);
    let mut group = criterion.benchmark_group(format!("vector/{}", from.len()));
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for ((what, change), (_, model)) in changes::<V>().into_iter().zip(changes::<Vec<Particle>>()) {
        let (mut changed, mut expected) = (vector.clone(), from.to_vec());
        change(&mut changed);
        model(&mut expected);
        assert!(changed.all() == expected, "{name}, {what}: not the same particles");
        group.bench_function(format!("{what}/{name}"), |b| b.iter(|| change(black_box(&mut vector.clone()))));
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for count in if cfg!(debug_assertions) { [256, 1024] } else { [1 << 14, 1 << 20] } {
        let from = &particles(count)[..];
        if ratio::wanted() {
            ratios::<RecordVec<Particle, AoS>, Vec<Particle>>("AoS", from);
            ratios::<RecordVec<Particle, SoA>, Columns>("SoA", from);
        }
        all::<RecordVec<Particle, AoS>>(&mut criterion, "AoS", from);
        all::<Vec<Particle>>(&mut criterion, "Vec of structs", from);
        all::<RecordVec<Particle, SoA>>(&mut criterion, "SoA", from);
        all::<Columns>(&mut criterion, "Vec for each field", from);
        all::<RecordVec<Particle, AoSoA<16>>>(&mut criterion, "AoSoA16", from);
        peer::<derived::BodyVec>(&mut criterion, "soa_derive", from);
        peer::<Soa<soars::Body>>(&mut criterion, "soa-rs", from);
    }
    criterion.final_summary();
}
