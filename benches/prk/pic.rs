//! Particles by hand: in a vector of records, and in a vector for each field.

use layout_array::ArrayError;
use layout_store::Runtime;
use prk::{Clock, LAYOUTS, Outcome, Run, Work};

use crate::ByHand;
use crate::threads::{on_threads, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/pic.rs"]
mod kernel;

use kernel::{Charges, Layout, Mode, Particle, Problem, charge, pic};

/// The kernel in each layout.
pub(crate) const RUNS: [Run; LAYOUTS.len()] = [
    |rt, clock, arguments| run(rt, clock, problem(arguments, Layout::AoS)),
    |rt, clock, arguments| run(rt, clock, problem(arguments, Layout::SoA)),
    |rt, clock, arguments| run(rt, clock, problem(arguments, Layout::AoSoA)),
];

/// The loops by hand beside each layout: records side by side, and columns.
pub(crate) const BY_HAND: [ByHand; LAYOUTS.len()] = [
    |threads, clock, arguments| by_hand(threads, clock, problem(arguments, Layout::AoS)),
    |threads, clock, arguments| by_hand(threads, clock, problem(arguments, Layout::SoA)),
    |threads, clock, arguments| by_hand(threads, clock, problem(arguments, Layout::SoA)),
];

fn problem(arguments: &[usize], layout: Layout) -> Problem {
    let [steps, side, particles] = *arguments else { unreachable!("three arguments") };
    Problem { steps, side, particles, k: 1, m: 1, mode: Mode::Sinusoidal, layout }
}

fn run(rt: &Runtime, clock: Clock, problem: Problem) -> Result<Outcome, ArrayError> {
    pic(rt, clock, &problem, &problem.placed())
}

/// Records side by side where the library has them so, and else columns.
fn by_hand(threads: usize, clock: Clock, problem: Problem) -> Outcome {
    let Problem { steps, side, .. } = problem;
    let placed = problem.placed();
    let mut particles: Vec<Particle> = (0..placed.count()).map(|number| placed.particle(number)).collect();
    let corners: Vec<f64> = (0..(side + 1) * (side + 1)).map(|at| charge(at / (side + 1))).collect();
    let charges = Charges::new(&corners, side);
    let seconds = if problem.layout == Layout::AoS {
        timed(clock, steps, || {
            on_threads(parts(&mut particles, 1, threads), |particles| {
                for p in particles {
                    ([p.x, p.y], [p.v_x, p.v_y]) = charges.step([p.x, p.y], [p.v_x, p.v_y], p.charge);
                }
            });
        })
    } else {
        let fields: [fn(&Particle) -> f64; 5] = [|p| p.x, |p| p.y, |p| p.v_x, |p| p.v_y, |p| p.charge];
        let mut columns = fields.map(|field| particles.iter().map(field).collect::<Vec<f64>>());
        let seconds = timed(clock, steps, || {
            let mut columns = columns.each_mut().map(|column| parts(column, 1, threads).into_iter());
            let of_threads = (0..threads).map(|_| columns.each_mut().map(|parts| parts.next().expect("a part each")));
            on_threads(of_threads.collect::<Vec<_>>(), |[x, y, v_x, v_y, charge]| {
                let places = x.iter_mut().zip(y);
                let velocities = v_x.iter_mut().zip(v_y);
                for (((x, y), (v_x, v_y)), charge) in places.zip(velocities).zip(charge) {
                    ([*x, *y], [*v_x, *v_y]) = charges.step([*x, *y], [*v_x, *v_y], *charge);
                }
            });
        });
        let [x, y, ..] = columns;
        particles.iter_mut().zip(x.into_iter().zip(y)).for_each(|(p, place)| (p.x, p.y) = place);
        seconds
    };
    let wrong = particles.iter().filter(|particle| !particle.is_right(steps + 1, side)).count();
    Outcome { found: wrong as f64, expected: 0.0, work: Work::Particles(placed.count() as f64), seconds }
}
