//! A task in lanes takes a power of two.

use layout::constant::Constant;
use layout::constant::LanesTask;
use layout::constant::with_lanes;

struct Three;

impl Constant for Three {
    const VALUE: usize = 3;
}

struct Width;

impl LanesTask for Width {
    type Output = usize;
    fn run<const W: usize>(self) -> usize {
        W
    }
}

fn main() {
    with_lanes::<Three, _>(Width);
}
