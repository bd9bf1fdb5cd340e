//! A struct of columns is viewed in a layout whose blobs are no columns of native values.

use layout::composed::Byteswap;
use layout::prelude::*;

#[derive(Clone, Copy, Record)]
#[record(columns)]
struct Point {
    x: f32,
    y: f32,
}

fn main() {
    let columns = PointColumns { x: &[1.0][..], y: &[2.0][..] };
    let _ = View::<Mapped<Point, DynExtents<1>, Byteswap<SoA>>, _>::from_columns(columns);
}
