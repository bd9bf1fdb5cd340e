//! Extents are given where an array takes a domain.

use layout::array::Array;
use layout::domain::{Block, Domain, Targets};
use layout::store::Runtime;

fn main() {
    let rt = Runtime::new().unwrap();
    let block = Block::over(&Domain::new([0..3, 0..4]), Targets::all(1).unwrap()).unwrap();
    let _ = Array::<f64, 2>::from_fn(&rt, &[3, 4], block, |_| 0.0);
}
