//! An index of one dimension in an array of two.

use layout::array::Array;

fn element(array: &Array<f64, 2>) -> f64 {
    array.get([3]).unwrap()
}

fn main() {}
