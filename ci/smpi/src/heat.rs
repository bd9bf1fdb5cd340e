//! Heat in a plate, by a five-point stencil over stores. The plate starts as a wave, which fades at a known rate.

use core::f64::consts::PI;
use core::mem::swap;

use layout::array::ArrayError;
use layout::store::{Max, Point, Runtime, Store, bloat_faces, dense, read, write};
use prk::{Clock, Kernel, LAYOUTS, Outcome, Work, count, from, timed};

/// The part of the differences to its four neighbors that a point takes over in a step.
const RATE: f64 = 0.2;
/// The number of half waves along each side.
const WAVES: f64 = 3.0;

fn heat(rt: &Runtime, clock: Clock, arguments: &[usize]) -> Result<Outcome, ArrayError> {
    let [steps, order] = *arguments else { unreachable!("two arguments") };
    let half = WAVES * PI / (order - 1) as f64;
    let wave: Vec<f64> = (0..order).map(|at| (half * at as f64).sin()).collect();
    let exact = |at: Point, fading: f64| fading * wave[at[0] as usize] * wave[at[1] as usize];
    let mut old: Store<f64, _> = rt.create_from_fn([order as i64; 2], |at| exact(at, 1.0))?;
    let mut new: Store<f64, _> = rt.create([order as i64; 2])?;
    new.fill(0.0)?;
    let seconds = timed(rt, clock, steps, || {
        // The part inside the rim. Index `i` there is `i + 1` of the plate, and its neighbors are `i` to `i + 2`.
        let inside = new.slice(0, 1, -1)?.slice(1, 1, -1)?;
        rt.task("step")
            .args((read(&old), write(&inside)))
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
                    count(7 * rows * columns);
                })
            })?;
        swap(&mut old, &mut new);
        Ok(())
    })?;
    // The first step does not count in the time.
    let fading = (1.0 - 8.0 * RATE * (half / 2.0).sin().powi(2)).powf((steps + 1) as f64);
    let error = rt.task("error").args((read(&old),)).reduce(Max, move |task, (old,)| {
        let [top, left] = [0, 1].map(|d| task.rect(0).lo()[d]);
        let [rows, columns] = old.extents();
        let mut most = 0.0_f64;
        for i in 0..rows {
            for j in 0..columns {
                let at = [top + i as i64, left + j as i64];
                // What is no number is infinitely far off.
                let off = (old.get([i, j]) - fading * wave[at[0] as usize] * wave[at[1] as usize]).abs();
                most = most.max(off.min(f64::INFINITY));
            }
        }
        Ok(most)
    })?;
    let points = ((order - 2) * (order - 2)) as f64;
    Ok(Outcome { found: error.get()?, expected: 0.0, work: Work::Flops(7.0 * points), seconds })
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "Heat in a plate",
    arguments: &[("Number of steps", None, from(1)), ("Points along a side", None, from(3))],
    check: |_| Ok(()),
    runs: [heat; LAYOUTS.len()],
};
