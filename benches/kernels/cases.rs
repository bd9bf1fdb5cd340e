//! One kernel of the n-body example in every layout, through views and by hand, and in other crates.

use core::hint::black_box;
use core::time::Duration;

use criterion::Criterion;
use layout::{AoS, AoSoA, Mapped, Owned, RecordLayout, SoA, SoASingle, alloc_from_fn};

use crate::hand::{Block, Hand, Soa};
use crate::kernels::Particle;
use crate::peers::{Arrays, DerivedSlices, Peer, Rows, derived, particles, soars};
use crate::ratio;

const PARTICLES: usize = if cfg!(debug_assertions) { 256 } else { 16384 };

/// The view of particles with the layout `L`.
type Particles<L> = Owned<Mapped<Particle, layout::DynExtents<1>, L>>;

/// A kernel over a view, and by hand.
pub(crate) struct Case<L: RecordLayout<Particle>, H> {
    pub(crate) access: &'static str,
    pub(crate) view: fn(&mut Particles<L>),
    pub(crate) hand: Box<dyn Fn(&mut H)>,
}

/// A kernel that is timed.
pub(crate) trait Kernel {
    const NAME: &str;

    /// The plain loop, and then the one with lanes beside each width of the loop by hand.
    fn cases<L: RecordLayout<Particle> + Default, H: Hand + 'static>() -> Vec<Case<L, H>>;

    fn peer(peer: &mut impl Peer);
}

struct Bench {
    criterion: Criterion,
    start: Vec<Particle>,
    expected: Vec<Particle>,
    ratios: bool,
}

impl Bench {
    fn time<K: Kernel>(&mut self, name: &str, mut work: impl FnMut()) {
        let mut group = self.criterion.benchmark_group(K::NAME);
        group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
        group.bench_function(name, |bencher| bencher.iter(&mut work));
    }

    fn layout<K: Kernel, L: RecordLayout<Particle> + Default, H: Hand + 'static>(&mut self, name: &str) {
        for Case { access, view: by_view, hand: by_hand } in K::cases::<L, H>() {
            let mut view = alloc_from_fn(PARTICLES, |[i]| self.start[i]).expect("a small view");
            let mut hand = H::new(&self.start);
            by_view(&mut view);
            by_hand(&mut hand);
            assert!(view.to_vec() == self.expected, "{name} {access}, through views");
            assert!(hand.particles(PARTICLES) == self.expected, "{name} {access}, by hand");
            if self.ratios {
                let mut both = (&mut view, &mut hand);
                let name = format!("{} {name} {access}", K::NAME);
                ratio::print(&name, &mut both, |both| by_view(black_box(both.0)), |both| by_hand(black_box(both.1)));
            } else {
                self.time::<K>(&format!("{name}/{access}/view"), || by_view(black_box(&mut view)));
                self.time::<K>(&format!("{name}/{access}/hand"), || by_hand(black_box(&mut hand)));
            }
        }
    }

    fn layouts<K: Kernel>(&mut self) {
        self.layout::<K, AoS, Vec<Particle>>("AoS");
        self.layout::<K, SoA, Soa>("SoA");
        self.layout::<K, SoASingle, Soa>("SoASingle");
        self.layout::<K, AoSoA<8>, Vec<Block<8>>>("AoSoA8");
        self.layout::<K, AoSoA<16>, Vec<Block<16>>>("AoSoA16");
        self.layout::<K, AoSoA<32>, Vec<Block<32>>>("AoSoA32");
    }

    fn peer<K: Kernel, P: Peer>(&mut self, name: &str) {
        let mut peer = P::new(&self.start);
        K::peer(&mut peer);
        assert!(peer.particles() == self.expected, "{name}");
        self.time::<K>(name, || K::peer(black_box(&mut peer)));
    }
}

/// Ratios of views to hand-written loops if they are wanted, then the benchmarks.
pub(crate) fn run<K: Kernel>() {
    let start = particles(PARTICLES);
    let mut expected = start.clone();
    (K::cases::<AoS, Vec<Particle>>()[0].hand)(&mut expected);
    let mut bench = Bench { criterion: Criterion::default().configure_from_args(), start, expected, ratios: false };
    if ratio::wanted() {
        bench.ratios = true;
        bench.layouts::<K>();
        bench.ratios = false;
    }
    bench.layouts::<K>();
    bench.peer::<K, derived::BodyVec>("soa_derive/iter");
    bench.peer::<K, DerivedSlices>("soa_derive/slices");
    bench.peer::<K, soa_rs::Soa<soars::Body>>("soa-rs/iter");
    bench.peer::<K, Rows>("ndarray/7xN");
    bench.peer::<K, Arrays>("ndarray/7 arrays");
    bench.criterion.final_summary();
}
