//! The cost of a message about the program: fences with nothing to wait for. On two ranks, each is a message there and one back.

use layout::array::ArrayError;
use layout::store::Runtime;
use prk::{Clock, Kernel, LAYOUTS, Outcome, Work, from, timed};

fn fences(rt: &Runtime, clock: Clock, arguments: &[usize]) -> Result<Outcome, ArrayError> {
    let [steps] = *arguments else { unreachable!("one argument") };
    let seconds = timed(rt, clock, steps, || Ok(rt.fence()?))?;
    Ok(Outcome { found: 0.0, expected: 0.0, work: Work::Flops(1.0), seconds })
}

pub(crate) const KERNEL: Kernel = Kernel {
    title: "Fences",
    arguments: &[("Number of steps", None, from(1))],
    check: |_| Ok(()),
    runs: [fences; LAYOUTS.len()],
};
