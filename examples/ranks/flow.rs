//! Fluid in a box whose ends meet (D3Q19), in blocks on all locales: a wave of velocity that fades at the rate of its viscosity.

use core::f32::consts::TAU;

use layout::array::{ArrayError, HaloArray};
use layout::domain::{Block, Domain, Stencil, Targets};
use layout::store::{Runtime, Sum, dense};
use layout::{Record, RecordLayout};

/// The directions in which fluid moves: none, to the six faces of a cell, and to its twelve edges.
const DIRECTIONS: [[isize; 3]; 19] = [
    [0, 0, 0],
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
    [-1, -1, 0],
    [1, -1, 0],
    [-1, 1, 0],
    [1, 0, 1],
    [-1, 0, -1],
    [1, 0, -1],
    [-1, 0, 1],
    [0, 1, 1],
    [0, -1, -1],
    [0, 1, -1],
    [0, -1, 1],
];
/// The speed at the crest of the wave, in cells a step.
const SPEED: f32 = 0.02;
/// The rate at which collisions change a cell in a step, and the viscosity that follows from the rate.
const RATE: f32 = 1.2;
pub(crate) const VISCOSITY: f64 = (1.0 / RATE as f64 - 0.5) / 3.0;

/// A cell: how much fluid moves in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Cell {
    f: [f32; 19],
}

/// The cells of the box, in blocks.
pub(crate) type Cells<L> = HaloArray<Cell, 3, L>;

/// The result of all steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    /// The fluid of a cell, on average.
    density: f64,
    /// The viscosity by which the wave fades.
    pub(crate) viscosity: f64,
    /// The number of cells along each dimension.
    side: usize,
    steps: u32,
    /// The bytes that this locale sent in a step.
    pub(crate) sent: u64,
}

/// Density and velocity.
fn moments(f: &[f32; 19]) -> (f32, [f32; 3]) {
    let (mut density, mut momentum) = (0.0, [0.0; 3]);
    for (f, direction) in f.iter().zip(DIRECTIONS) {
        density += f;
        momentum.iter_mut().zip(direction).for_each(|(sum, along)| *sum += along as f32 * f);
    }
    (density, momentum.map(|momentum| momentum / density))
}

/// The equilibrium to which collisions lead.
fn equilibrium(density: f32, velocity: [f32; 3]) -> [f32; 19] {
    let square: f32 = velocity.iter().map(|v| v * v).sum();
    DIRECTIONS.map(|direction| {
        let weight = [1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0][direction.iter().filter(|along| **along != 0).count()];
        let along: f32 = velocity.iter().zip(direction).map(|(v, along)| v * along as f32).sum();
        weight * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square)
    })
}

fn collide(f: [f32; 19]) -> Cell {
    let (density, velocity) = moments(&f);
    let goal = equilibrium(density, velocity);
    Cell { f: core::array::from_fn(|k| f[k] + RATE * (goal[k] - f[k])) }
}

/// The wave: it moves along the diagonal of the box, and fluid moves across.
fn wave(at: [i64; 3], side: usize) -> f32 {
    (TAU * at.iter().sum::<i64>() as f32 / side as f32).sin()
}

/// The direction in which fluid moves.
const ACROSS: [f32; 3] = [core::f32::consts::FRAC_1_SQRT_2, -core::f32::consts::FRAC_1_SQRT_2, 0.0];

/// The share of its height that the wave loses in a step, if that is little. The wave lies along all three dimensions.
fn fading(side: usize) -> f64 {
    VISCOSITY * 3.0 * f64::from(TAU / side as f32).powi(2)
}

/// Returns an error if the wave does not show the viscosity: it has too few cells, has not yet come to fade evenly, or is so low that it
/// is lost in the rounding of numbers.
pub(crate) fn check_measurable(side: usize, steps: u32) -> Result<(), String> {
    let given = format!("cells: {side}, steps: {steps}: the wave does not show the viscosity");
    if side < 8 || steps < 8 {
        return Err(format!("{given}: take 8 cells and 8 steps at least"));
    }
    // The height has fallen to 2 % then.
    let most = (4.0 / fading(side)).floor();
    if f64::from(steps) > most {
        return Err(format!("{given}: it is too low; take {most:.0} steps at most, or more cells"));
    }
    Ok(())
}

/// The fluid in all cells, and the height of the wave, for each cell.
fn sums<L>(cells: &Cells<L>, side: usize) -> Result<[f64; 2], ArrayError>
where
    L: RecordLayout<Cell> + Default,
{
    let sums = cells.read().named("sums").reduce(Sum, move |chunk, (cells,)| {
        let mut sums = [0.0; 2];
        for (index, cell) in chunk.domain().iter().zip(cells.to_vec()) {
            let (density, velocity) = moments(&cell.f);
            let across: f32 = velocity.iter().zip(ACROSS).map(|(v, along)| v * along).sum();
            sums[0] += f64::from(density);
            // The square of a wave is one half on average.
            sums[1] += 2.0 * f64::from(across * wave(index, side));
        }
        Ok(sums)
    })?;
    Ok(sums.get()?.map(|sum| sum / (side * side * side) as f64))
}

/// Takes steps of a box of `side` cells along each dimension. [`check_measurable`] says how many of them show the viscosity.
pub(crate) fn run<L>(rt: &Runtime, side: usize, steps: u32) -> Result<(Cells<L>, Flow), ArrayError>
where
    L: RecordLayout<Cell> + Default,
{
    let domain = Domain::new([0..side, 0..side, 0..side]).with_type()?;
    let blocks = Block::over(&domain, Targets::all(rt.locales())?)?;
    let stencil = Stencil::new(blocks, [1, 1, 1]).periodic();
    let start = move |at| Cell { f: equilibrium(1.0, ACROSS.map(|along| SPEED * along * wave(at, side))) };
    let mut now: Cells<L> = HaloArray::from_fn(rt, &domain, stencil.clone(), start)?;
    let mut next: Cells<L> = HaloArray::filled(rt, &domain, stencil, Cell { f: [0.0; 19] })?;
    rt.fence()?;
    let (before, half) = (rt.traffic().bytes, steps / 2);
    let mut height = 0.0;
    for step in 0..steps {
        if step == half {
            [_, height] = sums(&now, side)?;
        }
        now.update_halo()?;
        next.write().zip(now.read_halo()).named("stream and collide").for_each(|_, (next, now)| {
            dense!((now, mut next) => {
                let [planes, rows, columns] = next.extents();
                now.assert_extents([planes + 2, rows + 2, columns + 2]);
                for i in 0..planes {
                    for j in 0..rows {
                        for k in 0..columns {
                            // The halo is one cell wide: the cell itself is at [i + 1, j + 1, k + 1].
                            macro_rules! streamed {
                                ($($q:literal)*) => {
                                    [$({
                                        let [a, b, c] = const { DIRECTIONS[$q] };
                                        let back = |at: usize, along: isize| (at + 1).wrapping_add_signed(-along);
                                        now.at([back(i, a), back(j, b), back(k, c)]).f.element::<$q>().get()
                                    }),*]
                                };
                            }
                            next.set([i, j, k], collide(streamed!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18)));
                        }
                    }
                }
            })
        })?;
        now.swap(&mut next)?;
    }
    rt.fence()?;
    let sent = (rt.traffic().bytes - before) / u64::from(steps.max(1));

    let [density, end] = sums(&now, side)?;
    let viscosity = VISCOSITY * (height / end).ln() / (fading(side) * f64::from(steps - half));
    Ok((now, Flow { density, viscosity, side, steps, sent }))
}

impl Flow {
    /// Asserts that no fluid was lost, and that the wave fades as it should. The error of the method falls with the square of the side; each
    /// step rounds numbers, and the more cells a wave has, the less of it fades in a step.
    pub(crate) fn check(&self) {
        let rounding = f64::from(f32::EPSILON);
        let lost = (self.density - 1.0).abs();
        assert!(lost < 1e-6 + rounding * f64::from(self.steps), "the density is {}", self.density);
        let off = (self.viscosity / VISCOSITY - 1.0).abs();
        let allowed = 10.0 / (self.side * self.side) as f64 + 2.0 * rounding / fading(self.side);
        assert!(off < allowed, "the viscosity is {}, and {VISCOSITY} by the rate of collisions", self.viscosity);
    }
}
