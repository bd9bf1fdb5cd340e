//! The advisor is given one linearization, and not a list.

use layout::inspect::{Advisor, Kernel};
use layout::choice::layouts;
use layout::prelude::*;

#[derive(Clone)]
struct Nothing;

impl Kernel<f32, DynExtents<2>> for Nothing {
    fn run<M: Mapping<Record = f32, Extents = DynExtents<2>>, B: BlobsMut>(&mut self, _: &mut View<M, B>) {}
}

layouts! { struct Layouts of f32 = [SoA]; }

fn main() {
    let grid = alloc::<f32, SoA, _>([4, 4]).unwrap();
    let _ = Advisor::new(Layouts).linearizations::<Morton>().advise(&grid, &Nothing);
}
