//! Particles by hand: in a vector of records, and in a vector for each field.

use layout_array::ArrayError;
use layout_store::Runtime;
use prk::{Clock, LAYOUTS, Outcome, Run, Work};

use crate::ByHand;
use crate::threads::{on_threads, parts, timed};

#[expect(dead_code, reason = "a program of its own, with a main function")]
#[path = "../../examples/prk/pic.rs"]
mod kernel;

use kernel::{Layout, Mode, Particle, Placed, Problem, charge, pic};

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

fn placed(problem: &Problem) -> Placed {
    problem.placed().unwrap_or_else(|error| panic!("{error}"))
}

fn run(rt: &Runtime, clock: Clock, problem: Problem) -> Result<Outcome, ArrayError> {
    pic(rt, clock, &problem, &placed(&problem))
}

/// The charges of a box of so many cells on each side.
struct Charges<'a> {
    corners: &'a [f64],
    side: usize,
}

impl Charges<'_> {
    /// The acceleration of a particle. Its place is in the box, so that the least index is never needed; with it, no access can fail.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "places lie in the box")]
    fn acceleration(&self, [x, y]: [f64; 2], charge: f64) -> [f64; 2] {
        let (column, row) = (x as u32, y as u32);
        let (right, up) = (x - f64::from(column), y - f64::from(row));
        let first = column as usize * (self.side + 1) + row as usize;
        let corner = |steps: usize| self.corners[(first + steps).min(self.corners.len() - 1)];
        let pull = |at: f64, dx: f64, dy: f64| {
            let squared = dx * dx + dy * dy;
            let force = charge * at / (squared * squared.sqrt());
            [force * dx, force * dy]
        };
        let (left, down) = (1.0 - right, 1.0 - up);
        let [near, above] = [pull(corner(0), right, up), pull(corner(1), right, down)];
        let [beside, across] = [pull(corner(self.side + 1), left, up), pull(corner(self.side + 2), left, down)];
        [near[0] + above[0] - beside[0] - across[0], near[1] - above[1] + beside[1] - across[1]]
    }

    /// A place and a velocity one step later.
    #[inline(always)]
    fn step(&self, place: [f64; 2], velocity: [f64; 2], charge: f64) -> ([f64; 2], [f64; 2]) {
        let side = self.side as f64;
        let acceleration = self.acceleration(place, charge);
        let moved = |dim: usize| {
            let far = place[dim] + velocity[dim] + 0.5 * acceleration[dim];
            far - (far / side).floor() * side
        };
        ([moved(0), moved(1)], [velocity[0] + acceleration[0], velocity[1] + acceleration[1]])
    }
}

/// Records side by side where the library has them so, and else columns.
fn by_hand(threads: usize, clock: Clock, problem: Problem) -> Outcome {
    let Problem { steps, side, .. } = problem;
    let placed = placed(&problem);
    let mut particles: Vec<Particle> = (0..placed.count()).map(|number| placed.particle(number)).collect();
    let corners: Vec<f64> = (0..(side + 1) * (side + 1)).map(|at| charge(at / (side + 1))).collect();
    let charges = Charges { corners: &corners, side };
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
