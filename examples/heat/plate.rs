//! The plate: waves that fade at known rates, and the steps that compute them.

use core::f64::consts::PI;

use layout::Dim;
use layout::store::{Point, Runtime, Store, StoreError, bloat_faces, dense, read, write};

/// The temperature of each point.
pub(crate) type Plate = Store<f64, Dim<2>>;

/// The number of points along each side of the plate; the points at the rim stay at zero.
pub(crate) const N: i64 = 257;
/// The part of the differences to its four neighbors that a point takes over in a step.
const RATE: f64 = 0.2;
/// The numbers of half waves along each dimension, and the height of the wave.
const WAVES: [(f64, f64, f64); 3] = [(2.0, 1.0, 0.45), (3.0, 5.0, 0.35), (9.0, 8.0, 0.2)];

/// The temperature after some steps: exact, but for rounding.
pub(crate) fn exact(at: Point, steps: f64) -> f64 {
    let half = |waves: f64| waves * PI / (N - 1) as f64;
    let wave = |&(a, b, height): &(f64, f64, f64)| {
        let fading = 1.0 - 4.0 * RATE * ((half(a) / 2.0).sin().powi(2) + (half(b) / 2.0).sin().powi(2));
        height * fading.powf(steps) * (half(a) * at[0] as f64).sin() * (half(b) * at[1] as f64).sin()
    };
    WAVES.iter().map(wave).sum()
}

/// The plate at the start, and memory for the next step.
pub(crate) fn start(rt: &Runtime) -> Result<[Plate; 2], StoreError> {
    let [old, new] = [rt.create_from_fn([N, N], |at| exact(at, 0.0))?, rt.create([N, N])?];
    new.fill(0.0)?;
    Ok([old, new])
}

/// A step.
pub(crate) fn step(rt: &Runtime, old: &Plate, new: &Plate) -> Result<(), StoreError> {
    // The part inside the rim. Index `i` there is `i + 1` of the plate, and its neighbors are `i` to `i + 2`.
    let inside = new.slice(0, 1, -1)?.slice(1, 1, -1)?;
    rt.task("step")
        .args((read(old), write(&inside)))
        .constrain(|(old, inside)| [bloat_faces(inside, old, [0, 0], [2, 2], [1, 1])])
        .launch(|_, (old, inside)| {
            dense!((old, mut inside) => {
                let [rows, columns] = inside.extents();
                old.assert_extents([rows + 2, columns + 2]);
                for i in 0..rows {
                    for j in 0..columns {
                        let here = old.get([i + 1, j + 1]);
                        let [up, down] = [old.get([i, j + 1]), old.get([i + 2, j + 1])];
                        let [left, right] = [old.get([i + 1, j]), old.get([i + 1, j + 2])];
                        inside.set([i, j], here + RATE * (up + down + left + right - 4.0 * here));
                    }
                }
            })
        })?;
    Ok(())
}
