//! Particles in a periodic box of fixed charges: `cargo run --release -p layout-prk --bin prk_pic -- STEPS SIDE PARTICLES K M MODE [..] [LAYOUT]`.
//!
//! Particles are records, in the layout `AoS`, `SoA` (unless another one is named) or `AoSoA`. They are dealt out by number and stay on
//! their locale; each locale has all charges, as each thread has in the reference for shared memory. So no step sends anything.

#![expect(clippy::cast_possible_truncation, reason = "places lie in the box, and counts are those of memory")]

use std::process::ExitCode;
use std::sync::Arc;

use layout::array::ArrayError;
use layout::store::{Dim, Runtime, Store, Sum, TaskBodyError, broadcast, read, update};
use layout::{AoS, AoSoA, Lanes, Record, RecordLayout, SoA, most_lanes};
use prk::{Clock, Outcome, Work, timed};

/// The number of particles that move together.
const LANES: usize = most_lanes::<Particle>();

/// A particle, and from where and how fast it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Particle {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) v_x: f64,
    pub(crate) v_y: f64,
    pub(crate) charge: f64,
    x0: f64,
    y0: f64,
    /// It moves `2 * k + 1` cells along x in a step, and `m` cells along y.
    k: i64,
    m: i64,
}

/// The charges at the corners of cells, column by column: positive ones in even columns, negative ones in odd columns.
pub(crate) fn charge(column: usize) -> f64 {
    if column.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// The largest distance of a particle from where it should be.
const EPSILON: f64 = 1e-6;

impl Particle {
    /// A particle in the middle of a cell, with a charge by which it moves on by whole cells.
    fn new([column, row]: [usize; 2], [k, m]: [i64; 2]) -> Self {
        let (x0, y0) = (column as f64 + 0.5, row as f64 + 0.5);
        let squared: f64 = 0.5;
        let base = 1.0 / (2.0 * (0.5 / squared.sqrt()) / squared);
        let charge = charge(column) * (2 * k + 1) as f64 * base;
        Self { x: x0, y: y0, v_x: 0.0, v_y: m as f64, charge, x0, y0, k, m }
    }

    /// Returns `true` if the particle is where it should be after so many steps.
    pub(crate) fn is_right(&self, steps: usize, side: usize) -> bool {
        let (steps, side) = (steps as f64, side as f64);
        let along_x = steps * (2 * self.k + 1) as f64;
        let sign = (self.charge * charge(self.x0 as usize)).signum();
        let (x, y) = (self.x0 + sign * along_x, self.y0 + steps * self.m as f64);
        (self.x - x.rem_euclid(side)).abs() <= EPSILON && (self.y - y.rem_euclid(side)).abs() <= EPSILON
    }
}

/// The charges of a box of so many cells on each side.
struct Charges<'a> {
    corners: &'a [f64],
    side: usize,
}

impl<'a> Charges<'a> {
    /// Charges of `(side + 1) * (side + 1)` corners.
    fn new(corners: &'a [f64], side: usize) -> Self {
        assert!(corners.len() == (side + 1) * (side + 1), "the charges of all corners");
        Self { corners, side }
    }

    /// The accelerations of particles. Their places are in the box, so that the least index is never needed; with it, no access can fail.
    #[inline(always)]
    fn acceleration<const W: usize>(&self, [x, y]: [Lanes<f64, W>; 2], charge: Lanes<f64, W>) -> [Lanes<f64, W>; 2] {
        let (column, row) = (x.floor().max(0.0), y.floor().max(0.0));
        let (right, up) = (x - column, y - row);
        let first = (column * (self.side + 1) as f64 + row).to_array();
        let corner = |steps: usize| {
            Lanes::from_fn(|lane| self.corners[(first[lane] as usize).wrapping_add(steps).min(self.corners.len() - 1)])
        };
        let pull = |at: Lanes<f64, W>, dx: Lanes<f64, W>, dy: Lanes<f64, W>| {
            let squared = dx * dx + dy * dy;
            let force = charge * at / (squared * squared.sqrt());
            [force * dx, force * dy]
        };
        let (left, down) = (Lanes::splat(1.0) - right, Lanes::splat(1.0) - up);
        let [near, above] = [pull(corner(0), right, up), pull(corner(1), right, down)];
        let [beside, across] = [pull(corner(self.side + 1), left, up), pull(corner(self.side + 2), left, down)];
        [near[0] + above[0] - beside[0] - across[0], near[1] - above[1] + beside[1] - across[1]]
    }

    /// Places and velocities one step later.
    #[inline(always)]
    fn step<const W: usize>(
        &self,
        place: [Lanes<f64, W>; 2],
        velocity: [Lanes<f64, W>; 2],
        charge: Lanes<f64, W>,
    ) -> ([Lanes<f64, W>; 2], [Lanes<f64, W>; 2]) {
        let side = self.side as f64;
        let acceleration = self.acceleration(place, charge);
        let moved = |dim: usize| {
            let far = place[dim] + velocity[dim] + acceleration[dim] * 0.5;
            far - (far / side).floor() * side
        };
        ([moved(0), moved(1)], [velocity[0] + acceleration[0], velocity[1] + acceleration[1]])
    }
}

/// The placement of particles at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// Each column has so many times the particles of the one before it.
    Geometric { factor: f64 },
    /// As the square of a cosine, with one period.
    Sinusoidal,
    /// By a line that falls.
    Linear { slope: f64, offset: f64 },
    /// Alike in a part: its first and last columns and rows.
    Patch { columns: [usize; 2], rows: [usize; 2] },
}

/// The random numbers of the reference, by which both place alike.
struct Dice(u64);

impl Dice {
    fn next(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 % bound
    }

    /// A count, this one on average.
    fn count(&mut self, mean: f64) -> u64 {
        if mean >= 1.0 {
            let [one, other] = [0; 2].map(|_| self.next(u64::MAX) as f64 / u64::MAX as f64);
            let normal = (-2.0 * one.ln()).sqrt() * (core::f64::consts::TAU * other).cos();
            return (normal * 0.15 * mean + mean + 0.5) as u64;
        }
        self.next(u64::from(u32::MAX));
        u64::from(self.next(u64::from(u32::MAX)) <= u64::from((mean * f64::from(u32::MAX)) as u32))
    }
}

/// The layouts that a run can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Layout {
    AoS,
    SoA,
    AoSoA,
}

/// The arguments of a run.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) steps: usize,
    /// The cells on each side of the box.
    pub(crate) side: usize,
    pub(crate) particles: usize,
    pub(crate) k: i64,
    pub(crate) m: i64,
    pub(crate) mode: Mode,
    pub(crate) layout: Layout,
}

/// The most cells on each side of the box: all cells take 8 GiB.
const MOST_CELLS: usize = 1 << 15;

impl Problem {
    /// The number of the first particle of each cell, column by column, and at the end the number of particles.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no memory for so many cells, or if there are no particles, or more than can be counted.
    fn starts(&self) -> Result<Vec<u64>, String> {
        let (side, particles) = (self.side as f64, self.particles as f64);
        let mut dice = Dice(27_182_818_285);
        let mean = |column: usize| {
            let at = column as f64;
            match self.mode {
                // All columns alike is what the sum of the series comes to.
                Mode::Geometric { factor: 1.0 } => particles / (side * side),
                Mode::Geometric { factor } => {
                    particles * ((1.0 - factor) / (1.0 - factor.powf(side))) / side * factor.powf(at)
                }
                Mode::Sinusoidal => {
                    let cosine = (at * (core::f64::consts::PI / side)).cos();
                    2.0 * cosine * cosine * particles / (side * side)
                }
                Mode::Linear { slope, offset } => {
                    let step = 1.0 / side;
                    let all = offset * side - slope * 0.5 * step * side * (side - 1.0);
                    particles * ((offset - slope * step * at) / all) / side
                }
                Mode::Patch { columns, rows } => {
                    let cells = (columns[1] - columns[0] + 1) * (rows[1] - rows[0] + 1);
                    particles / cells as f64
                }
            }
        };
        let is_in = |column: usize, row: usize| match self.mode {
            Mode::Patch { columns, rows } => {
                (columns[0]..=columns[1]).contains(&column) && (rows[0]..=rows[1]).contains(&row)
            }
            _ => true,
        };
        let mut starts = Vec::new();
        starts.try_reserve_exact(self.side * self.side + 1).map_err(|error| format!("Grid size: {error}"))?;
        let mut placed = 0_u64;
        for column in 0..self.side {
            let mean = mean(column);
            for row in 0..self.side {
                starts.push(placed);
                let count = dice.count(mean);
                let count = if is_in(column, row) { count } else { 0 };
                placed = placed.checked_add(count).ok_or("Number of particles: too many to be counted")?;
            }
        }
        if placed == 0 {
            return Err("no particles are placed: give more of them, or another initialization mode".to_owned());
        }
        starts.push(placed);
        Ok(starts)
    }

    /// Deals out the particles to cells.
    pub(crate) fn placed(&self) -> Result<Placed, String> {
        let Self { side, k, m, .. } = *self;
        Ok(Placed { starts: self.starts()?.into(), side, k, m })
    }

    fn parsed(given: &[String]) -> Result<Self, String> {
        let mut given = given.iter();
        let (is_count, any) = (|count: &usize| *count > 0, |_: &f64| true);
        let is_side = |side: &usize| (2..=MOST_CELLS).contains(side) && side.is_multiple_of(2);
        let steps = number("Number of time steps", given.next(), &count_values(), is_count)?;
        let side = number("Grid size", given.next(), &side_values(), is_side)?;
        let particles = number("Number of particles", given.next(), &count_values(), is_count)?;
        let k = number("Particle charge semi-increment", given.next(), &charge_values(), |k: &i32| *k >= 0)?;
        let m = number("Vertical velocity", given.next(), VELOCITY, |_: &i32| true)?;
        let (k, m) = (i64::from(k), i64::from(m));
        let mode = match given.next().map(String::as_str) {
            Some("GEOMETRIC") => {
                let is_factor = |factor: &f64| *factor > 0.0 && factor.is_finite();
                let factor = number("Attenuation factor", given.next(), "a number above 0", is_factor)?;
                Mode::Geometric { factor }
            }
            Some("SINUSOIDAL") => Mode::Sinusoidal,
            Some("LINEAR") => {
                let [slope, offset] =
                    ["Negative slope", "Offset"].map(|name| number(name, given.next(), "a number", any));
                let (slope, offset) = (slope?, offset?);
                if !(offset > 0.0 && offset >= slope) {
                    return Err(format!("a line from {offset} by {slope} gives negative numbers of particles"));
                }
                Mode::Linear { slope, offset }
            }
            Some("PATCH") => {
                let is_bound = |bound: &usize| *bound <= side + 1;
                let bounds = ["Left", "Right", "Bottom", "Top"].map(|name| number(name, given.next(), BOUND, is_bound));
                let [left, right, bottom, top] = bounds;
                let (columns, rows) = ([left?, right?], [bottom?, top?]);
                if [columns, rows].iter().any(|[first, last]| first >= last) {
                    return Err(format!(
                        "a patch of columns {columns:?} and rows {rows:?}: give Left below Right, and Bottom below Top"
                    ));
                }
                Mode::Patch { columns, rows }
            }
            Some(other) => return Err(format!("Initialization mode: `{other}`, and allowed is {MODES}")),
            None => return Err("Initialization mode is missing".to_owned()),
        };
        let layout = match given.next().map(String::as_str) {
            None | Some("SoA") => Layout::SoA,
            Some("AoS") => Layout::AoS,
            Some("AoSoA") => Layout::AoSoA,
            Some(other) => return Err(format!("Layout: `{other}`, and allowed is one of AoS, SoA, AoSoA")),
        };
        if let Some(more) = given.next() {
            return Err(format!("`{more}` is one argument more than there are"));
        }
        Ok(Self { steps, side, particles, k, m, mode, layout })
    }

    fn lines(&self, placed: &Placed) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("Grid size", self.side.to_string()),
            ("Number of particles requested", self.particles.to_string()),
            ("Number of time steps", self.steps.to_string()),
        ];
        let mode = "Initialization mode";
        match self.mode {
            Mode::Geometric { factor } => {
                lines.extend([(mode, "GEOMETRIC".to_owned()), ("  Attenuation factor", format!("{factor:.6}"))]);
            }
            Mode::Sinusoidal => lines.push((mode, "SINUSOIDAL".to_owned())),
            Mode::Linear { slope, offset } => {
                let [slope, offset] = [slope, offset].map(|number| format!("{number:.6}"));
                lines.extend([(mode, "LINEAR".to_owned()), ("  Negative slope", slope), ("  Offset", offset)]);
            }
            Mode::Patch { columns: [left, right], rows: [bottom, top] } => {
                let bounds = format!("{left}, {right}, {bottom}, {top}");
                lines.extend([(mode, "PATCH".to_owned()), ("  Bounding box", bounds)]);
            }
        }
        lines.extend([
            ("Particle charge semi-increment", self.k.to_string()),
            ("Vertical velocity", self.m.to_string()),
            ("Layout", format!("{:?}", self.layout)),
            ("Number of particles placed", placed.count().to_string()),
        ]);
        lines
    }
}

/// All particles, by their numbers.
#[derive(Clone)]
pub(crate) struct Placed {
    /// As [`Problem::starts`].
    starts: Arc<[u64]>,
    side: usize,
    k: i64,
    m: i64,
}

impl Placed {
    pub(crate) fn count(&self) -> usize {
        self.starts[self.side * self.side] as usize
    }

    pub(crate) fn particle(&self, number: usize) -> Particle {
        let cell = self.starts.partition_point(|start| *start <= number as u64) - 1;
        Particle::new([cell / self.side, cell % self.side], [self.k, self.m])
    }
}

/// The number in an argument; `allowed` says in words which numbers `is_allowed` takes.
fn number<T: core::str::FromStr>(
    name: &str,
    given: Option<&String>,
    allowed: &str,
    is_allowed: impl Fn(&T) -> bool,
) -> Result<T, String> {
    let text = given.ok_or_else(|| format!("{name} is missing"))?;
    text.parse().ok().filter(is_allowed).ok_or_else(|| format!("{name}: `{text}`, and allowed is {allowed}"))
}

fn in_layout<L>(rt: &Runtime, clock: Clock, problem: &Problem, placed: &Placed) -> Result<Outcome, ArrayError>
where
    L: RecordLayout<Particle> + Default,
{
    let Problem { steps, side, .. } = *problem;
    let (count, placed) = (placed.count(), placed.clone());
    let particles: Store<Particle, Dim<1>, L> = rt.create_from_fn(count, move |at| placed.particle(at[0] as usize))?;
    let corners = (side + 1) * (side + 1);
    let charges: Store<f64, Dim<1>> =
        rt.create_from_fn(corners as i64, move |at| charge(at[0] as usize / (side + 1)))?;
    let seconds = timed(rt, clock, steps, || {
        let task = rt.task("move").args((update(&particles), read(&charges))).constrain(|(_, all)| broadcast(all));
        task.launch(move |_, (mut particles, charges)| {
            let charges = charges.into_slice().ok_or_else(|| TaskBodyError::new("charges do not lie side by side"))?;
            let charges = Charges::new(charges, side);
            particles.for_each_lanes_masked_mut::<LANES>(|mut p, _| {
                let (place, velocity) = ([p.x.get(), p.y.get()], [p.v_x.get(), p.v_y.get()]);
                let ([x, y], [v_x, v_y]) = charges.step(place, velocity, p.charge.get());
                p.x.set(x);
                p.y.set(y);
                p.v_x.set(v_x);
                p.v_y.set(v_y);
            });
            Ok(())
        })?;
        Ok(())
    })?;
    let wrong = rt.task("check").args((read(&particles),)).reduce(Sum, move |_, (particles,)| {
        Ok((0..particles.len()).filter(|at| !particles.load(*at).is_right(steps + 1, side)).count() as u64)
    })?;
    Ok(Outcome { found: wrong.get()? as f64, expected: 0.0, work: Work::Particles(count as f64), seconds })
}

/// Runs the kernel in the layout of the problem, on its particles.
pub(crate) fn pic(rt: &Runtime, clock: Clock, problem: &Problem, placed: &Placed) -> Result<Outcome, ArrayError> {
    match problem.layout {
        Layout::AoS => in_layout::<AoS>(rt, clock, problem, placed),
        Layout::SoA => in_layout::<SoA>(rt, clock, problem, placed),
        Layout::AoSoA => in_layout::<AoSoA<8>>(rt, clock, problem, placed),
    }
}

const USAGE: &str = "<Number of time steps> <Grid size> <Number of particles> <Particle charge semi-increment> <Vertical velocity> \
    <Initialization mode> [AoS, SoA or AoSoA]\n\
    modes: GEOMETRIC <Attenuation factor>; SINUSOIDAL; LINEAR <Negative slope> <Offset>; PATCH <Left> <Right> <Bottom> <Top>";

/// The values of the arguments, in words.
fn count_values() -> String {
    prk::values(&(1..=usize::MAX))
}

fn side_values() -> String {
    format!("an even number, 2 to {MOST_CELLS}")
}

fn charge_values() -> String {
    prk::values(&(0..=i32::MAX as usize))
}

const VELOCITY: &str = "a whole number, -2147483648 to 2147483647";
const BOUND: &str = "a whole number, 0 to one more than the grid size";
const MODES: &str = "one of GEOMETRIC, SINUSOIDAL, LINEAR, PATCH";

fn main() -> ExitCode {
    const TITLE: &str = "Particle-in-Cell execution on 2D grid";
    let given: Vec<String> = std::env::args().skip(1).collect();
    prk::end_when_closed();
    if prk::ask_for_help(&given) {
        return prk::help(
            TITLE,
            &format!(
                "{USAGE}\n  Number of time steps, Number of particles: {}\n  Grid size: {}\n  \
                 Particle charge semi-increment: {}\n  Vertical velocity: {VELOCITY}\n  Attenuation factor: a number above 0\n  \
                 Negative slope, Offset: numbers; Offset is above 0, and not less than Negative slope\n  \
                 Left, Right, Bottom, Top: {BOUND}; Left is below Right, and Bottom below Top\n  \
                 Layout: AoS, SoA, AoSoA, or nothing for SoA",
                count_values(),
                side_values(),
                charge_values()
            ),
        );
    }
    match Problem::parsed(&given).and_then(|problem| Ok((problem.placed()?, problem))) {
        Ok((placed, problem)) => {
            let lines = problem.lines(&placed);
            prk::on_locales(TITLE, &lines, |rt| pic(rt, prk::wall, &problem, &placed))
        }
        Err(error) => prk::refused(&error, USAGE),
    }
}
