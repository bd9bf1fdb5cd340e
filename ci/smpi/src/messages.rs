//! The cost of a message: grids that do nothing but send each other their sides. One more grid is one more message to each neighbor in a step,
//! and two more tasks.

use layout::array::{Array, ArrayError, HaloArray};
use layout::domain::{Block, Domain, Stencil, Targets};
use layout::store::Runtime;
use prk::{Clock, Kernel, LAYOUTS, Outcome, Work, from, timed};

fn messages(rt: &Runtime, clock: Clock, arguments: &[usize]) -> Result<Outcome, ArrayError> {
    let [steps, grids, order] = *arguments else { unreachable!("three arguments") };
    let order = order as i64;
    let inner = Domain::new([2..order - 2, 2..order - 2]);
    let blocks = Block::over(&inner, Targets::all(rt.locales())?)?;
    let around = Stencil::new(blocks.clone(), [2, 2]).without_corners();
    let grid = |_| HaloArray::<f64, 2>::from_fn(rt, &inner, around.clone(), |[i, j]| (i + j) as f64);
    let grids = (0..grids).map(grid).collect::<Result<Vec<_>, _>>()?;
    let read: Array<f64, 2> = Array::filled(rt, &inner, blocks, 0.0)?;
    let seconds = timed(rt, clock, steps, || {
        for grid in &grids {
            read.update().zip(grid.read_halo()).named("read").for_each(|_, _| Ok(()))?;
            grid.expanded().update().named("write").for_each(|_, _| Ok(()))?;
        }
        Ok(())
    })?;
    Ok(Outcome { found: 0.0, expected: 0.0, work: Work::Flops(1.0), seconds })
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "Messages",
    arguments: &[
        ("Number of steps", None, from(1)),
        ("Number of grids", None, from(1)),
        ("Points along a side", None, from(9)),
    ],
    check: |_| Ok(()),
    runs: [messages; LAYOUTS.len()],
};
