//! A mapping is made from the array that `alloc` takes.

use layout::{AoS, Mapped};

fn main() {
    let (height, width) = (37, 53);
    let _ = Mapped::<f64, _, AoS>::new([height, width]);
}
