//! Views: every way to reach elements, the same for every layout.
//!
//! `inline` uses neither heap nor standard library; the other parts own memory.

#[cfg(feature = "alloc")]
mod access;
#[cfg(feature = "alloc")]
mod bulk;
#[cfg(feature = "alloc")]
mod disjoint;
mod extents;
#[cfg(feature = "alloc")]
mod fields;
#[cfg(all(feature = "alloc", feature = "half"))]
mod half;
mod inline;
#[cfg(feature = "alloc")]
mod iterate;
#[cfg(feature = "alloc")]
mod lanes_along;
#[cfg(feature = "alloc")]
mod lanes_masked;
mod large;
#[cfg(feature = "alloc")]
mod memory;
#[cfg(feature = "alloc")]
mod records;
#[cfg(feature = "alloc")]
mod slices;
mod traits;
#[cfg(feature = "alloc")]
mod zips;

use layout::Record;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

/// Leaves of many sizes, a branch, and arrays: of leaves, and of arrays of branches.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    id: u16,
    pos: Vec3,
    mass: f64,
    alive: bool,
    bins: [u32; 4],
    grid: [[Vec3; 2]; 3],
}

/// The cell with the number `n`: another number is another value in every leaf but `alive`.
#[cfg(feature = "alloc")]
fn cell(n: usize) -> Cell {
    let n = u16::try_from(n).expect("tests have few cells");
    let vec3 = |k: u16| {
        let x = f32::from(n) + f32::from(k) / 32.0;
        Vec3 { x, y: -x, z: x + 0.5 }
    };
    Cell {
        id: n,
        pos: vec3(0),
        mass: f64::from(n) * 0.25,
        alive: n.is_multiple_of(3),
        bins: [0, 1, 2, 3].map(|k| 1000 * u32::from(n) + k),
        grid: [1, 2, 3].map(|row| [vec3(2 * row), vec3(2 * row + 1)]),
    }
}

/// Runs a check of type `fn<L>()` with every record layout.
#[cfg(feature = "alloc")]
macro_rules! for_layouts {
    ($check:ident) => {
        for_layouts!(@ $check:
            layout::AoS, layout::AoS<layout::Packed>, layout::AoS<layout::Aligned, layout::MinPadding>,
            layout::AoS<layout::Aligned, layout::DecreasingAlignment>, layout::AoS<layout::Aligned, layout::Native>,
            layout::SoA, layout::SoASingle, layout::SoASingle<layout::LeafAligned>, layout::SoASingle<layout::Packed>,
            layout::AoSoA<1>, layout::AoSoA<3>, layout::AoSoA<8>, layout::AoSoA<8, layout::Packed>, layout::AoSoA<64>
        )
    };
    (@ $check:ident: $($layout:ty),+) => {{ $($check::<$layout>();)+ }};
}
#[cfg(feature = "alloc")]
use for_layouts;
