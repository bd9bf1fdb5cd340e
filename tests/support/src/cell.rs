//! A record with leaves of many sizes, and each record layout in turn.

use layout::Record;

/// Three leaves in a row.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[expect(missing_docs, reason = "they are what they are called")]
pub struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

/// Leaves of many sizes, a branch, and arrays: of leaves, and of arrays of branches.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
#[expect(missing_docs, reason = "they are what they are called")]
pub struct Cell {
    pub id: u16,
    pub pos: Vec3,
    pub mass: f64,
    pub alive: bool,
    pub bins: [u32; 4],
    pub grid: [[Vec3; 2]; 3],
}

/// The cell with the number `n`: another number is another value in every leaf but `alive`.
///
/// # Panics
/// If `n` is above 65,535.
#[must_use]
pub fn cell(n: usize) -> Cell {
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
#[macro_export]
macro_rules! for_layouts {
    ($check:ident) => {
        $crate::for_layouts!(@ $check:
            layout::AoS, layout::AoS<layout::Packed>, layout::AoS<layout::Aligned, layout::options::MinPadding>,
            layout::AoS<layout::Aligned, layout::options::DecreasingAlignment>, layout::AoS<layout::Aligned, layout::Native>,
            layout::SoA, layout::SoASingle, layout::SoASingle<layout::options::LeafAligned>, layout::SoASingle<layout::Packed>,
            layout::AoSoA<1>, layout::AoSoA<3>, layout::AoSoA<8>, layout::AoSoA<8, layout::Packed>, layout::AoSoA<64>
        )
    };
    (@ $check:ident: $($layout:ty),+) => {{ $($check::<$layout>();)+ }};
}
