use layout::prelude::*;
use layout::One;

fn main() {
    let mapping = Mapped::<f64, _, One>::new(extents!(dyn 4)).unwrap();
    let mut view = View::constant(mapping, 1.0).unwrap();
    view.set(1, 2.0);
}
