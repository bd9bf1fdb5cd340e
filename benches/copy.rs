//! Copies of particles between layouts: `copy_from`, by hand, and between `Vec` and the containers of other crates.
//!
//! `cargo bench --bench copy`; with `-- ratio`, only the ratios of views to hand-written loops. Columns by hand are
//! those of a view, so that they lie at the same addresses.

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
use layout::{AoS, AoSoA, DynExtents, Mapped, Owned, Record, RecordLayout, SoA, alloc, alloc_from_fn};
use ndarray::Array2;
use peers::{Peer, derived, leaves, particle, particles, soars};
use soa_rs::Soa;

type Particles<L> = Owned<Mapped<Particle, DynExtents<1>, L>>;
type Columns<'v> = [&'v [f32]; 7];
type ColumnsMut<'v> = [&'v mut [f32]; 7];

/// Sixteen particles, leaf by leaf.
#[derive(Clone)]
#[repr(align(64))]
struct Block([[f32; 16]; 7]);

const P: <Particle as Record>::Slots<layout::Naming, layout::Root<Particle>> = Particle::PATHS;

fn columns(view: &Particles<SoA>) -> Columns<'_> {
    [
        view.column(P.pos.x),
        view.column(P.pos.y),
        view.column(P.pos.z),
        view.column(P.vel.x),
        view.column(P.vel.y),
        view.column(P.vel.z),
        view.column(P.mass),
    ]
    .map(|column| column.expect("a column"))
}

fn columns_mut(view: &mut Particles<SoA>) -> ColumnsMut<'_> {
    let (x, y, z, vx, vy, vz, mass) = view.split((P.pos.x, P.pos.y, P.pos.z, P.vel.x, P.vel.y, P.vel.z, P.mass));
    [
        x.into_mut_slice(),
        y.into_mut_slice(),
        z.into_mut_slice(),
        vx.into_mut_slice(),
        vy.into_mut_slice(),
        vz.into_mut_slice(),
        mass.into_mut_slice(),
    ]
    .map(|column| column.expect("a column"))
}

#[inline(never)]
fn structs_to_columns(from: &[Particle], to: ColumnsMut<'_>) {
    let [x, y, z, vx, vy, vz, mass] = to;
    let to = x.iter_mut().zip(y).zip(z).zip(vx).zip(vy).zip(vz).zip(mass);
    for (p, ((((((x, y), z), vx), vy), vz), mass)) in from.iter().zip(to) {
        (*x, *y, *z) = (p.pos.x, p.pos.y, p.pos.z);
        (*vx, *vy, *vz) = (p.vel.x, p.vel.y, p.vel.z);
        *mass = p.mass;
    }
}

#[inline(never)]
fn columns_to_structs(from: Columns<'_>, to: &mut [Particle]) {
    let [x, y, z, vx, vy, vz, mass] = from;
    let from = x.iter().zip(y).zip(z).zip(vx).zip(vy).zip(vz).zip(mass);
    for (p, ((((((x, y), z), vx), vy), vz), mass)) in to.iter_mut().zip(from) {
        *p = particle([*x, *y, *z, *vx, *vy, *vz, *mass]);
    }
}

#[inline(never)]
fn columns_to_blocks(from: Columns<'_>, to: &mut [Block]) {
    let [x, y, z, vx, vy, vz, mass] = from.map(|column| column.as_chunks().0);
    let from = x.iter().zip(y).zip(z).zip(vx).zip(vy).zip(vz).zip(mass);
    for (block, ((((((x, y), z), vx), vy), vz), mass)) in to.iter_mut().zip(from) {
        block.0 = [*x, *y, *z, *vx, *vy, *vz, *mass];
    }
}

#[inline(never)]
fn blocks_to_columns(from: &[Block], to: ColumnsMut<'_>) {
    let [x, y, z, vx, vy, vz, mass] = to.map(|column| column.as_chunks_mut().0);
    let to = x.iter_mut().zip(y).zip(z).zip(vx).zip(vy).zip(vz).zip(mass);
    for (Block(from), ((((((x, y), z), vx), vy), vz), mass)) in from.iter().zip(to) {
        [*x, *y, *z, *vx, *vy, *vz, *mass] = *from;
    }
}

#[inline(never)]
fn columns_to_columns(from: Columns<'_>, to: ColumnsMut<'_>) {
    for (from, to) in from.into_iter().zip(to) {
        to.copy_from_slice(from);
    }
}

/// All particles in each layout, in views and by hand, and room for their copies.
struct Copies<'c> {
    particles: Vec<Particle>,
    group: Option<BenchmarkGroup<'c, WallTime>>,
}

impl Copies<'_> {
    fn view<L: RecordLayout<Particle> + Default>(&self) -> Particles<L> {
        alloc_from_fn(self.particles.len(), |[i]| self.particles[i]).expect("memory for the particles")
    }

    fn room<L: RecordLayout<Particle> + Default>(&self) -> Particles<L> {
        alloc::<Particle, L, _>(self.particles.len()).expect("memory for the particles")
    }

    fn time(&mut self, name: &str, mut work: impl FnMut()) {
        if let Some(group) = &mut self.group {
            group.bench_function(name, |b| b.iter(&mut work));
        }
    }

    /// A copy by views beside the same by hand, to `to`, which `read` gives the particles of.
    fn pair<From, To, T>(
        &mut self,
        name: &str,
        to: &mut T,
        mut hand: impl FnMut(&mut T),
        read: impl Fn(&T) -> Vec<Particle>,
    ) where
        From: RecordLayout<Particle> + Default,
        To: RecordLayout<Particle> + Default,
    {
        let (source, mut target) = (self.view::<From>(), self.room::<To>());
        target.copy_from(&source).expect("as many particles");
        hand(to);
        assert!(target.to_vec() == self.particles, "{name}, by views: not the same particles");
        assert!(read(to) == self.particles, "{name}, by hand: not the same particles");
        let mut copy = || black_box(&mut target).copy_from(black_box(&source)).expect("as many particles");
        if self.group.is_none() {
            let name = format!("copy {} {name}", self.particles.len());
            ratio::print(&name, to, |_| copy(), hand);
        } else {
            self.time(&format!("{name}/view"), copy);
            self.time(&format!("{name}/hand"), || hand(to));
        }
    }

    fn layouts(&mut self) {
        let zero = particle([0.0; 7]);
        let from = self.particles.clone();
        let source = self.view::<SoA>();
        let mut columns_to = self.room::<SoA>();
        let mut structs = vec![zero; from.len()];
        let mut blocks = vec![Block([[0.0; 16]; 7]); from.len() / 16];
        let to = &mut columns_to;
        let hand = |to: &mut Particles<SoA>| structs_to_columns(black_box(&from), columns_mut(black_box(to)));
        self.pair::<AoS, SoA, _>("AoS to SoA", to, hand, Owned::to_vec);
        let hand = |to: &mut Vec<_>| columns_to_structs(columns(black_box(&source)), black_box(to));
        self.pair::<SoA, AoS, _>("SoA to AoS", &mut structs, hand, Vec::clone);
        let hand = |to: &mut Vec<_>| columns_to_blocks(columns(black_box(&source)), black_box(to));
        self.pair::<SoA, AoSoA<16>, _>("SoA to AoSoA16", &mut blocks, hand, |blocks| {
            blocks.iter().flat_map(|Block(b)| (0..16).map(|k| particle(b.map(|column| column[k])))).collect()
        });
        to.fill(zero);
        let hand = |to: &mut Particles<SoA>| blocks_to_columns(black_box(&blocks), columns_mut(black_box(to)));
        self.pair::<AoSoA<16>, SoA, _>("AoSoA16 to SoA", to, hand, Owned::to_vec);
        to.fill(zero);
        let hand =
            |to: &mut Particles<SoA>| columns_to_columns(columns(black_box(&source)), columns_mut(black_box(to)));
        self.pair::<SoA, SoA, _>("SoA to SoA", to, hand, Owned::to_vec);
        // By hand, this is the copy of the same bytes that all others can be compared with.
        structs.fill(zero);
        let hand = |to: &mut Vec<Particle>| black_box(to).copy_from_slice(black_box(&from));
        self.pair::<AoS, AoS, _>("AoS to AoS", &mut structs, hand, Vec::clone);
    }

    /// Other crates: from a `Vec` of structs to their container, and back.
    fn peers(&mut self) {
        let from = self.particles.clone();
        let mut structs = Vec::with_capacity(from.len());

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
    for count in if cfg!(debug_assertions) { [256, 1024] } else { [1 << 14, 1 << 20] } {
        let particles = particles(count);
        if ratio::wanted() {
            Copies { particles: particles.clone(), group: None }.layouts();
        }
        let mut group = criterion.benchmark_group(format!("copy/{count}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Bytes((count * size_of::<Particle>()) as u64));
        let mut copies = Copies { particles, group: Some(group) };
        copies.layouts();
        copies.peers();
    }
    criterion.final_summary();
}
