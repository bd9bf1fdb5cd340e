//! Vectors of particles that grow: `RecordVec` beside the vector that one writes by hand for the same layout, and beside
//! `soa_derive`.
//!
//! `cargo bench --bench vector` prints a line for each class: the time of `RecordVec` divided by that of the reference, the
//! reference divided by itself (A/A), and the limit. The results of both are compared first. The exit status is 1 if a limit
//! is missed. Words after `--` choose classes: `-- push AoSoA16`.

mod hand;
#[expect(dead_code, reason = "the kernels of the n-body example are shared, and they are timed elsewhere")]
#[path = "../../examples/nbody/kernels.rs"]
mod kernels;
#[expect(dead_code, reason = "the kernels of the peers are shared, and they are timed elsewhere")]
#[path = "../kernels/peers.rs"]
mod peers;
#[path = "../kernels/table.rs"]
mod table;

use core::hint::black_box;
use std::process::ExitCode;

use hand::{Blocks, Columns};
use kernels::{Particle, TIME_STEP};
use layout::{AoS, AoSoA, RecordLayout, RecordVec, SoA};
use peers::{Peer, derived, particles};
use table::{Table, timing::seconds};

/// `RecordVec` takes at most so many times as long as the vector by hand.
const BY_HAND: f64 = 1.10;
/// It is ahead of `soa_derive`.
const BY_PEER: f64 = 1.0;

/// A vector of particles.
trait Vector: Default {
    fn with_room(count: usize) -> Self;
    fn clear(&mut self);
    fn push(&mut self, particle: Particle);
    /// Adds the particles that an iterator gives, each of which is computed.
    fn extend(&mut self, from: &[Particle]);
    fn extend_from_slice(&mut self, from: &[Particle]);
    fn retain(&mut self, keep: impl Fn(f32) -> bool);
    /// Moves all particles, through the vector's mutable iterator.
    fn advance(&mut self);
    fn all(&self) -> Vec<Particle>;
}

/// The argument of `extend`: the particles of a slice, with one number changed.
fn heavier(from: &[Particle]) -> impl Iterator<Item = Particle> {
    from.iter().map(|p| Particle { mass: p.mass + 1.0, ..*p })
}

impl<L: RecordLayout<Particle> + Default> Vector for RecordVec<Particle, L> {
    fn with_room(count: usize) -> Self {
        Self::with_capacity(count)
    }

    fn clear(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn push(&mut self, particle: Particle) {
        self.push(particle);
    }

    fn extend(&mut self, from: &[Particle]) {
        Extend::extend(self, heavier(from));
    }

    fn extend_from_slice(&mut self, from: &[Particle]) {
        self.extend_from_slice(from);
    }

    fn retain(&mut self, keep: impl Fn(f32) -> bool) {
        self.retain(|p| keep(p.mass));
    }

    fn advance(&mut self) {
        self.iter_mut().for_each(|mut p| {
            p.pos.x += p.vel.x.get() * TIME_STEP;
            p.pos.y += p.vel.y.get() * TIME_STEP;
            p.pos.z += p.vel.z.get() * TIME_STEP;
        });
    }

    fn all(&self) -> Vec<Particle> {
        self.to_vec()
    }
}

impl Vector for Vec<Particle> {
    fn with_room(count: usize) -> Self {
        Self::with_capacity(count)
    }

    fn clear(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn push(&mut self, particle: Particle) {
        self.push(particle);
    }

    fn extend(&mut self, from: &[Particle]) {
        Extend::extend(self, heavier(from));
    }

    fn extend_from_slice(&mut self, from: &[Particle]) {
        self.extend_from_slice(from);
    }

    fn retain(&mut self, keep: impl Fn(f32) -> bool) {
        self.retain(|p| keep(p.mass));
    }

    fn advance(&mut self) {
        self.iter_mut().for_each(|p| {
            p.pos.x += p.vel.x * TIME_STEP;
            p.pos.y += p.vel.y * TIME_STEP;
            p.pos.z += p.vel.z * TIME_STEP;
        });
    }

    fn all(&self) -> Vec<Particle> {
        self.clone()
    }
}

impl Vector for derived::BodyVec {
    fn with_room(count: usize) -> Self {
        Self::with_capacity(count)
    }

    fn clear(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn push(&mut self, particle: Particle) {
        self.push((&particle).into());
    }

    fn extend(&mut self, from: &[Particle]) {
        Extend::extend(self, heavier(from).map(|p| derived::Body::from(&p)));
    }

    fn extend_from_slice(&mut self, from: &[Particle]) {
        Extend::extend(self, from.iter().map(derived::Body::from));
    }

    fn retain(&mut self, keep: impl Fn(f32) -> bool) {
        self.retain(|p| keep(*p.mass));
    }

    fn advance(&mut self) {
        self.iter_mut().for_each(|p| {
            *p.x += *p.vx * TIME_STEP;
            *p.y += *p.vy * TIME_STEP;
            *p.z += *p.vz * TIME_STEP;
        });
    }

    fn all(&self) -> Vec<Particle> {
        self.particles()
    }
}

/// A class: what it is called, what is done to a vector before without being timed, and what is timed.
type Class<V> = (&'static str, fn(&mut V, &[Particle]), fn(&mut V, &[Particle]));

fn classes<V: Vector>() -> [Class<V>; 10] {
    let empty: fn(&mut V, &[Particle]) = |v, _| v.clear();
    let none: fn(&mut V, &[Particle]) = |v, _| *v = V::default();
    let full: fn(&mut V, &[Particle]) = |v, from| {
        v.clear();
        v.extend_from_slice(from);
    };
    let push: fn(&mut V, &[Particle]) = |v, from| from.iter().for_each(|p| v.push(*p));
    [
        ("push with room", empty, push),
        ("push, growing", none, push),
        ("extend with room", empty, V::extend),
        ("extend", none, V::extend),
        ("extend_from_slice with room", empty, V::extend_from_slice),
        ("extend_from_slice", none, V::extend_from_slice),
        ("retain half", full, |v, _| v.retain(|mass| mass > 0.5)),
        ("retain most", full, |v, _| v.retain(|mass| mass > 0.02)),
        ("retain all", full, |v, _| v.retain(|mass| mass >= 0.0)),
        ("iter_mut", full, |v, _| v.advance()),
    ]
}

/// Each class of `V` beside the same of `H`.
fn compare<V: Vector, H: Vector>(table: &mut Table, layout: &str, by: &str, limit: f64, from: &[Particle]) {
    for ((class, before, change), (_, before_by, change_by)) in classes::<V>().into_iter().zip(classes::<H>()) {
        let name = format!("{class}, {layout} by {by}, {}", from.len());
        if !table.wants(&name) {
            continue;
        }
        let (mut vector, mut hand) = (V::with_room(from.len()), H::with_room(from.len()));
        before(&mut vector, from);
        before_by(&mut hand, from);
        change(&mut vector, from);
        change_by(&mut hand, from);
        assert!(vector.all() == hand.all(), "{name}: not the same particles");
        let from = || black_box(from);
        table.timed(&name, limit, |candidate, times| {
            let mut all = 0.0;
            for _ in 0..times {
                if candidate == 0 {
                    before(&mut vector, from());
                    all += seconds(|| change(black_box(&mut vector), from()));
                } else {
                    before_by(&mut hand, from());
                    all += seconds(|| change_by(black_box(&mut hand), from()));
                }
            }
            all
        });
    }
}

fn main() -> ExitCode {
    let mut table = Table::new();
    for count in if table.times() { [1 << 14, 1 << 20] } else { [100, 1000] } {
        let from = &particles(count)[..];
        compare::<RecordVec<Particle, AoS>, Vec<Particle>>(&mut table, "AoS", "hand", BY_HAND, from);
        compare::<RecordVec<Particle, SoA>, Columns>(&mut table, "SoA", "hand", BY_HAND, from);
        compare::<RecordVec<Particle, AoSoA<16>>, Blocks>(&mut table, "AoSoA16", "hand", BY_HAND, from);
        compare::<RecordVec<Particle, SoA>, derived::BodyVec>(&mut table, "SoA", "soa_derive", BY_PEER, from);
    }
    table.end()
}
