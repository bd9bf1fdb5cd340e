//! The cluster: all-pairs forces through every layout, beside hand-written loops, timed and compared.

use std::time::Instant;

use layout::{AoS, AoSoA, BlobsMut, RecordLayout, SoA, SoASingle, View, ViewError, alloc_from_fn};
use serde::Serialize;

use super::hand::{self, Block, Hand, Soa, Width};
use super::kernels::{Particle, Particles, UNROLL, Vec3, move_lanes, move_loop, update_lanes, update_loop};
use super::timing;

/// The hand-written blocks hold whole blocks only, of at most so many particles.
pub(crate) const BLOCK: usize = 32;

/// Fewer rounds would say little.
pub(crate) const FEWEST_ROUNDS: usize = 9;

const MOST_ROUNDS: usize = 101;

/// The bytes of all copies of the particles: addresses change times by several percent, so there are many copies, used in
/// turns.
const LIMIT_BYTES: usize = 1 << 26;

/// The time that rounds may take, if their number is not given.
const SECONDS: f64 = 8.0;

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Access {
    Loop,
    Lanes,
}

const ACCESSES: [Access; 2] = [Access::Loop, Access::Lanes];

/// Particles in some layout, through views or by hand.
trait Subject {
    fn update(&mut self, access: Access, count: usize);
    fn shift(&mut self, access: Access);
    /// The names of the widths of its loops with lanes.
    fn widths(&self) -> Vec<&'static str>;
    fn particles(&self) -> Vec<Particle>;
}

/// The widths of the loops with lanes over views: as by hand, every width is tried, and the best one is timed.
const fn widths<M: Particles, B: BlobsMut>() -> [Width<View<M, B>>; 3] {
    const fn width<const N: usize, M: Particles, B: BlobsMut>(name: &'static str) -> Width<View<M, B>> {
        Width { name, update: update_lanes::<N, UNROLL, M, B>, shift: move_lanes::<N, M, B> }
    }
    [width::<8, M, B>("8 lanes"), width::<16, M, B>("16 lanes"), width::<32, M, B>("32 lanes")]
}

struct Viewed<V> {
    view: V,
    widths: Widths,
}

impl<M: Particles, B: BlobsMut> Subject for Viewed<View<M, B>> {
    fn update(&mut self, access: Access, count: usize) {
        match access {
            Access::Loop => update_loop(&mut self.view, count),
            Access::Lanes => (widths::<M, B>()[self.widths.update].update)(&mut self.view, count),
        }
    }

    fn shift(&mut self, access: Access) {
        match access {
            Access::Loop => move_loop(&mut self.view),
            Access::Lanes => (widths::<M, B>()[self.widths.shift].shift)(&mut self.view),
        }
    }

    fn widths(&self) -> Vec<&'static str> {
        widths::<M, B>().map(|width| width.name).to_vec()
    }

    fn particles(&self) -> Vec<Particle> {
        (0..self.view.len()).map(|i| self.view.load(i)).collect()
    }
}

struct Handwritten<H> {
    data: H,
    count: usize,
    widths: Widths,
}

impl<H: Hand> Subject for Handwritten<H> {
    fn update(&mut self, access: Access, count: usize) {
        match access {
            Access::Loop => self.data.update_loop(count),
            Access::Lanes => (hand::widths::<H>()[self.widths.update].update)(&mut self.data, count),
        }
    }

    fn shift(&mut self, access: Access) {
        match access {
            Access::Loop => self.data.move_loop(),
            Access::Lanes => (hand::widths::<H>()[self.widths.shift].shift)(&mut self.data),
        }
    }

    fn widths(&self) -> Vec<&'static str> {
        hand::widths::<H>().map(|width| width.name).to_vec()
    }

    fn particles(&self) -> Vec<Particle> {
        self.data.particles(self.count)
    }
}

/// The numbers of the widths with which loops with lanes update and move.
#[derive(Clone, Copy, Default)]
struct Widths {
    update: usize,
    shift: usize,
}

type Make = fn(&[Particle], Widths) -> Result<Box<dyn Subject>, ViewError>;

fn view<L: RecordLayout<Particle> + Default>(
    particles: &[Particle],
    widths: Widths,
) -> Result<Box<dyn Subject>, ViewError> {
    Ok(Box::new(Viewed { view: alloc_from_fn::<Particle, L, _>(particles.len(), |[i]| particles[i])?, widths }))
}

fn by_hand<H: Hand + 'static>(particles: &[Particle], widths: Widths) -> Result<Box<dyn Subject>, ViewError> {
    Ok(Box::new(Handwritten { data: H::new(particles), count: particles.len(), widths }))
}

/// The layouts: name, view, and the number of the hand-written loops in [`HANDS`] that it is measured against.
const VIEWS: [(&str, Make, usize); 6] = [
    ("AoS", view::<AoS>, 0),
    ("SoA", view::<SoA>, 1),
    ("SoASingle", view::<SoASingle>, 1),
    ("AoSoA8", view::<AoSoA<8>>, 2),
    ("AoSoA16", view::<AoSoA<16>>, 3),
    ("AoSoA32", view::<AoSoA<32>>, 4),
];

const HANDS: [Make; 5] = [
    by_hand::<Vec<Particle>>,
    by_hand::<Soa>,
    by_hand::<Vec<Block<8>>>,
    by_hand::<Vec<Block<16>>>,
    by_hand::<Vec<Block<32>>>,
];

/// One line of the table.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) layout: &'static str,
    pub(crate) access: Access,
    pub(crate) update_ms: f64,
    pub(crate) update_ratio_hand: f64,
    pub(crate) update_ratio_best: f64,
    pub(crate) move_us: f64,
    pub(crate) move_ratio_hand: f64,
    pub(crate) bit_identical: bool,
}

/// The differences between the times of equal candidates, as fractions; by [`Access`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) update: f64,
    pub(crate) shift: f64,
}

/// The measurements, and the number of particles and rounds.
pub(crate) struct Outcome {
    pub(crate) rows: Vec<Row>,
    pub(crate) spreads: [Spread; 2],
    pub(crate) rounds: usize,
    /// The particles that were timed: whole blocks of them.
    pub(crate) timed: usize,
    /// The particles whose velocities were updated in a slice; by [`Access`].
    pub(crate) outer: [usize; 2],
    pub(crate) repeats: usize,
    /// For each layout, its name and the best widths of its loops with lanes, of the update and of the move: through views, and by hand.
    pub(crate) widths: [Vec<(&'static str, [&'static str; 2])>; 2],
}

/// The settings of a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) particles: usize,
    pub(crate) rounds: Option<usize>,
    /// `true` if loops with lanes are timed over the whole outer index.
    pub(crate) full: bool,
}

/// Particles in the unit cube, the same ones in every run.
fn cluster(count: usize) -> Vec<Particle> {
    let mut state = 1u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The upper 24 bits: as many as a number of this type holds.
        (state >> 40) as f32 / (1u32 << 24) as f32
    };
    let particle = |_| Particle {
        pos: Vec3 { x: uniform(), y: uniform(), z: uniform() },
        vel: Vec3 { x: uniform() / 10.0, y: uniform() / 10.0, z: uniform() / 10.0 },
        mass: uniform() / 100.0,
    };
    (0..count).map(particle).collect()
}

/// The bits of all numbers after two steps, in which the first `count` particles get new velocities.
fn two_steps(mut subject: Box<dyn Subject>, access: Access, count: usize) -> Vec<[u32; 7]> {
    for _ in 0..2 {
        subject.update(access, count);
        subject.shift(access);
    }
    let bits = |p: Particle| [p.pos.x, p.pos.y, p.pos.z, p.vel.x, p.vel.y, p.vel.z, p.mass].map(f32::to_bits);
    subject.particles().into_iter().map(bits).collect()
}

/// Compares every view with the plain loop over structs; by layout and access.
///
/// Panics if a hand-written loop differs from it: then there is nothing to compare with.
fn verify(start: &[Particle], timed: usize, mut done: impl FnMut()) -> Result<[[bool; 2]; 6], ViewError> {
    // No multiple of the lanes, so that some particles are left over.
    let count = start.len().min(203);
    let expected = two_steps(HANDS[0](start, Widths::default())?, Access::Loop, count);
    let mut identical = [[false; 2]; 6];
    for ((_, make, _), identical) in VIEWS.into_iter().zip(&mut identical) {
        *identical = [two_steps(make(start, Widths::default())?, Access::Loop, count) == expected, true];
        for width in each_width(make, start)? {
            identical[1] &= two_steps(width, Access::Lanes, count) == expected;
        }
        done();
    }
    let (start, count) = (&start[..timed], timed.min(2 * BLOCK));
    let expected = two_steps(HANDS[0](start, Widths::default())?, Access::Loop, count);
    for make in HANDS {
        let lanes = each_width(make, start)?.into_iter().map(|width| two_steps(width, Access::Lanes, count));
        for given in lanes.chain([two_steps(make(start, Widths::default())?, Access::Loop, count)]) {
            assert!(given == expected, "a hand-written loop gives other numbers than the one over structs");
        }
    }
    done();
    Ok(identical)
}

/// The particles once for each width of the loops with lanes.
fn each_width(make: Make, start: &[Particle]) -> Result<Vec<Box<dyn Subject>>, ViewError> {
    let widths = make(start, Widths::default())?.widths().len();
    (0..widths).map(|width| make(start, Widths { update: width, shift: width })).collect()
}

/// The widths with which loops with lanes are the fastest, of `count` updates and of a move; and their names.
fn best_widths(make: Make, start: &[Particle], count: usize) -> Result<(Widths, [&'static str; 2]), ViewError> {
    let mut subjects = each_width(make, start)?;
    let names = subjects[0].widths();
    let mut best = |work: &mut dyn FnMut(&mut dyn Subject)| {
        let slice = |_, width: usize| {
            subjects[width].shift(Access::Lanes);
            timing::seconds(|| work(&mut *subjects[width]))
        };
        let times = timing::take_turns(names.len(), FEWEST_ROUNDS, slice, || ());
        let medians: Vec<f64> = times.into_iter().map(timing::median).collect();
        (0..names.len()).min_by(|a, b| medians[*a].total_cmp(&medians[*b])).unwrap_or(0)
    };
    let update = best(&mut |subject| subject.update(Access::Lanes, count));
    let shift = best(&mut |subject| (0..8).for_each(|_| subject.shift(Access::Lanes)));
    Ok((Widths { update, shift }, [names[update], names[shift]]))
}

/// Verifies and times all layouts. `progress` is told how much is done of how much.
pub(crate) fn run(plan: Plan, progress: impl Fn(usize, usize)) -> Result<Outcome, ViewError> {
    let start = cluster(plan.particles);
    let timed = plan.particles / BLOCK * BLOCK;
    let verified = core::cell::Cell::new(0);
    let identical = verify(&start, timed, || {
        verified.set(verified.get() + 1);
        progress(verified.get(), 7 + 2 * FEWEST_ROUNDS);
    })?;

    // Slices of a few milliseconds: long for the clock, short for the noise.
    let outer = |part: usize, pairs: usize| (timed / part).min(pairs / timed) / BLOCK * BLOCK;
    let outer = [outer(256, 1 << 21).max(BLOCK), outer(64, 1 << 22).max(BLOCK)];
    let outer = [outer[0], if plan.full { timed } else { outer[1] }];
    let repeats = ((1 << 19) / timed).clamp(1, 32);

    // For each candidate its own best widths.
    let best = |make: Make| best_widths(make, &start[..timed], outer[1]);
    let [of_views, of_hands] = [VIEWS.map(|(_, make, _)| make).as_slice(), HANDS.as_slice()]
        .map(|makes| makes.iter().map(|make| best(*make)).collect::<Result<Vec<_>, _>>());
    let (of_views, of_hands) = (of_views?, of_hands?);
    // Every hand-written candidate is there twice, as a control; what is compared runs next to each other.
    let sets = (LIMIT_BYTES / (16 * size_of::<Particle>() * timed)).clamp(1, 8);
    let (mut views, mut hands) = ([0; 6], [(0, 0); 5]);
    let mut subjects = Vec::new();
    for _ in 0..sets {
        let mut set = Vec::new();
        for (own, make_hand) in HANDS.into_iter().enumerate() {
            for (layout, (_, make, theirs)) in VIEWS.into_iter().enumerate() {
                if theirs == own {
                    views[layout] = set.len();
                    set.push(make(&start[..timed], of_views[layout].0)?);
                }
            }
            hands[own] = (set.len(), set.len() + 1);
            set.push(make_hand(&start[..timed], of_hands[own].0)?);
            set.push(make_hand(&start[..timed], of_hands[own].0)?);
        }
        subjects.push(set);
    }

    // Four kinds of work, one after another in each round: what is compared runs within a fraction of it.
    let count = subjects[0].len();
    let mut slice = |round: usize, candidate: usize| {
        let (subject, access) = (&mut subjects[round % sets][candidate % count], candidate / count % 2);
        // Once for the caches, which all the others filled with their own data.
        subject.shift(ACCESSES[access]);
        if candidate / count < 2 {
            timing::seconds(|| subject.update(ACCESSES[access], outer[access])) / outer[access] as f64
        } else {
            let work = || (0..repeats).for_each(|_| subject.shift(ACCESSES[access]));
            timing::seconds(work) / repeats as f64
        }
    };
    let began = Instant::now();
    timing::take_turns(4 * count, 1, &mut slice, || ());
    let seconds = began.elapsed().as_secs_f64();
    let affordable = (FEWEST_ROUNDS..=MOST_ROUNDS).rev().find(|rounds| *rounds as f64 * seconds <= SECONDS);
    let rounds = plan.rounds.or(affordable).unwrap_or(FEWEST_ROUNDS);
    let finished = core::cell::Cell::new(0);
    let times = timing::take_turns(4 * count, rounds, slice, || {
        finished.set(finished.get() + 1);
        progress(7 + finished.get(), 7 + rounds);
    });

    let update = |access: usize, subject: usize| times[access * count + subject].as_slice();
    let shift = |access: usize, subject: usize| times[(2 + access) * count + subject].as_slice();
    let medians = hands.map(|(hand, _)| timing::median(update(1, hand).iter().copied()));
    let best = (0..5).min_by(|a, b| medians[*a].total_cmp(&medians[*b])).unwrap_or(0);
    let mut rows = Vec::new();
    for (layout, (name, _, own)) in VIEWS.into_iter().enumerate() {
        for (access, kind) in ACCESSES.into_iter().enumerate() {
            let (view, hand) = (views[layout], hands[own].0);
            let scale = plan.particles as f64 / timed as f64;
            rows.push(Row {
                layout: name,
                access: kind,
                update_ms: timing::median(update(access, view).iter().copied()) * timed as f64 * scale * scale * 1e3,
                update_ratio_hand: timing::ratio(update(access, view), update(access, hand)),
                update_ratio_best: timing::ratio(update(access, view), update(1, hands[best].0)),
                move_us: timing::median(shift(access, view).iter().copied()) * scale * 1e6,
                move_ratio_hand: timing::ratio(shift(access, view), shift(access, hand)),
                bit_identical: identical[layout][access],
            });
        }
    }
    let spreads = [0, 1].map(|access| Spread {
        update: timing::spread(hands.map(|(a, b)| (update(access, b), update(access, a)))),
        shift: timing::spread(hands.map(|(a, b)| (shift(access, b), shift(access, a)))),
    });
    let names = ["AoS", "SoA", "AoSoA8", "AoSoA16", "AoSoA32"];
    let of_views = VIEWS.iter().zip(of_views).map(|((name, ..), (_, widths))| (*name, widths)).collect();
    let of_hands = names.into_iter().zip(of_hands).map(|(name, (_, widths))| (name, widths)).collect();
    Ok(Outcome { rows, spreads, rounds, timed, outer, repeats, widths: [of_views, of_hands] })
}
