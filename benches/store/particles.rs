//! Particles in cells: each step moves particles by the field of their cells, and computes the field from where they are.
#![expect(clippy::cast_possible_truncation, reason = "numbers of cells are small")]

use layout_store::{
    ImageHint, Runtime, Store, StoreError, Sum, align, bloat, broadcast, image, read, reduce, update, write,
};

use crate::clock::{Figures, Time, best_of};

const PARTICLES: i64 = 100_000;
const CELLS: i64 = 10_000;
const STEPS: usize = 4;
const ROUNDS: usize = 30;

/// The particles and the field: the same steps on vectors.
struct Vectors {
    cells: Vec<i64>,
    speeds: Vec<i64>,
    charge: Vec<i64>,
    field: Vec<i64>,
}

/// The next cell of a particle in this cell and of this speed.
fn next(cell: i64, speed: i64) -> i64 {
    (cell + speed).rem_euclid(CELLS)
}

/// The speed after a field has changed it.
fn pushed(speed: i64, field: i64) -> i64 {
    (speed + field) % 16
}

fn first_cell(number: i64) -> i64 {
    number * CELLS / PARTICLES
}

fn first_speed(number: i64) -> i64 {
    number * 7919 % 31 - 15
}

impl Vectors {
    fn new() -> Self {
        Self {
            cells: (0..PARTICLES).map(first_cell).collect(),
            speeds: (0..PARTICLES).map(first_speed).collect(),
            charge: vec![0; CELLS as usize],
            field: vec![1; CELLS as usize],
        }
    }

    fn step(&mut self) {
        for (cell, speed) in self.cells.iter_mut().zip(&mut self.speeds) {
            *speed = pushed(*speed, self.field[*cell as usize]);
            *cell = next(*cell, *speed);
        }
        self.charge.fill(0);
        for cell in &self.cells {
            self.charge[*cell as usize] += 1;
        }
        let last = self.charge.len() - 1;
        for (i, field) in self.field.iter_mut().enumerate() {
            *field = self.charge[(i + 1).min(last)] - self.charge[i.saturating_sub(1)];
        }
    }
}

/// Steps on so many locales, on stores cut into so many pieces: with images or with the whole field at each point.
fn steps(locales: usize, pieces: usize, seen: Option<ImageHint>) -> Result<(Time, Vec<i64>), StoreError> {
    let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1);
    // The locales take the same steps, and the first one looks at the clocks.
    builder.simulate(|rt| steps_on(rt, seen))?.swap_remove(0)
}

/// Steps on one of several locales.
fn steps_on(rt: &Runtime, seen: Option<ImageHint>) -> Result<(Time, Vec<i64>), StoreError> {
    let cells: Store<i64, _> = rt.create_from_fn(PARTICLES, |at| first_cell(at[0]))?;
    let speeds: Store<i64, _> = rt.create_from_fn(PARTICLES, |at| first_speed(at[0]))?;
    let charge: Store<i64, _> = rt.create(CELLS)?;
    let field: Store<i64, _> = rt.create(CELLS)?;
    field.fill(1)?;
    let step = || -> Result<(), StoreError> {
        rt.task("push")
            .args((update(&cells), update(&speeds), read(&field)))
            .constrain(|(cells, speeds, field)| {
                [align(cells, speeds), seen.map_or_else(|| broadcast(field), |hint| image(cells, field, hint))]
            })
            .launch(|task, (mut cells, mut speeds, field)| {
                let start = task.rect(2).lo()[0];
                for i in 0..cells.len() {
                    let cell = cells.get(i);
                    let speed = pushed(speeds.get(i), field.get((cell - start) as usize));
                    speeds.set(i, speed);
                    cells.set(i, next(cell, speed));
                }
            })?;
        charge.fill(0)?;
        rt.task("deposit")
            .args((read(&cells), reduce(&charge, Sum)))
            .constrain(|(cells, charge)| seen.map_or_else(|| broadcast(charge), |hint| image(cells, charge, hint)))
            .launch(|task, (cells, mut charge)| {
                let start = task.rect(1).lo()[0];
                for i in 0..cells.len() {
                    charge.reduce((cells.get(i) - start) as usize, 1);
                }
            })?;
        rt.task("field")
            .args((read(&charge), write(&field)))
            .constrain(|(charge, field)| [bloat(field, charge, [1], [1])])
            .launch(|task, (charge, mut field)| {
                let [start] = task.offset(1, 0);
                for i in 0..field.len() {
                    let at = i + start;
                    field.set(i, charge.get((at + 1).min(charge.len() - 1)) - charge.get(at.saturating_sub(1)));
                }
            })?;
        Ok(())
    };
    let time = best_of(ROUNDS, || {
        (0..STEPS).for_each(|_| step().unwrap());
        rt.fence().unwrap();
    });
    Ok((time, field.to_vec()?))
}

/// Particles in cells through images.
pub(crate) fn lines(figures: &mut Figures) -> Result<(), StoreError> {
    let mut vectors = Vectors::new();
    let by_hand = best_of(ROUNDS, || (0..STEPS).for_each(|_| vectors.step()));
    let each = |time: Time| time.cpu * 1e3 / STEPS as f64;
    figures.line("particles on vectors, a step", "ms", each(by_hand), f64::INFINITY);
    let mut times = Vec::new();
    let (bounds, precise) = (Some(ImageHint::MinMax), Some(ImageHint::Precise));
    let cases = [
        ("image", 1, 1, bounds),
        ("image", 1, 4, bounds),
        ("precise image", 1, 4, precise),
        ("broadcast", 1, 4, None),
        ("image", 2, 4, bounds),
        ("precise image", 2, 4, precise),
        ("broadcast", 2, 4, None),
    ];
    for (name, locales, pieces, seen) in cases {
        let (time, field) = steps(locales, pieces, seen)?;
        assert_eq!(field, vectors.field, "{name} on {locales} locales at {pieces} pieces");
        let what = format!("particles by {name}, {locales} x {pieces} pieces, a step");
        figures.line(&what, "ms", each(time), f64::INFINITY);
        times.push(time);
    }
    let cpu = |one: usize, other: usize| times[one].cpu / times[other].cpu;
    figures.line("particles by image, 4 pieces / 1", "", cpu(1, 0), 2.0);
    // What a program waits for, and what both locales do together: threads that look for work among it.
    let wall = times[4].wall / times[0].wall;
    figures.line("particles by image, 2 locales / 1 piece, elapsed", "", wall, 2.0);
    figures.line("particles by image, 2 locales / 1 piece, CPU", "", cpu(4, 0), 4.0);
    figures.line("particles by precise image, 2 locales / 1, CPU", "", cpu(5, 2), 3.0);
    Ok(())
}
