//! The kernel: flow on a lattice with nine directions (D2Q9), one text for every layout.

use core::ops::{Add, Div, Mul, Sub};

use layout::prelude::*;

/// The directions that fluid moves in, in rows and columns. The first is none: fluid at rest.
const DIRECTIONS: [[isize; 2]; 9] = [[0, 0], [0, 1], [1, 0], [0, -1], [-1, 0], [1, 1], [1, -1], [-1, -1], [-1, 1]];

/// A cell: how much fluid moves in each direction, and whether it is a wall.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Cell {
    pub(crate) f: [f32; 9],
    pub(crate) wall: bool,
}

/// One number or a lane vector: the physics does not ask which.
pub(crate) trait Value:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + From<f32>
{
    /// One condition, or one for each lane.
    type Condition: Copy;
    fn choose(condition: Self::Condition, yes: Self, no: Self) -> Self;
}

impl Value for f32 {
    type Condition = bool;
    #[inline(always)]
    fn choose(condition: bool, yes: Self, no: Self) -> Self {
        if condition { yes } else { no }
    }
}

impl<const N: usize> Value for Lanes<f32, N> {
    type Condition = Lanes<bool, N>;
    #[inline(always)]
    fn choose(condition: Lanes<bool, N>, yes: Self, no: Self) -> Self {
        Mask::from(condition).select(yes, no)
    }
}

/// Density, and velocity along rows and columns.
#[inline(always)]
pub(crate) fn moments<V: Value>(f: [V; 9]) -> (V, [V; 2]) {
    let density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
    let down = f[2] - f[4] + f[5] + f[6] - f[7] - f[8];
    let right = f[1] - f[3] + f[5] - f[6] - f[7] + f[8];
    (density, [down / density, right / density])
}

/// What collisions lead to.
#[inline(always)]
pub(crate) fn equilibrium<V: Value>(density: V, [down, right]: [V; 2]) -> [V; 9] {
    let still = V::from(1.0) - V::from(1.5) * (down * down + right * right);
    let part = |weight: f32, along: V| {
        density * V::from(weight) * (still + V::from(3.0) * along + V::from(4.5) * along * along)
    };
    let (zero, [rest, straight, diagonal]) = (V::from(0.0), [4.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0]);
    [
        part(rest, zero),
        part(straight, right),
        part(straight, down),
        part(straight, zero - right),
        part(straight, zero - down),
        part(diagonal, down + right),
        part(diagonal, down - right),
        part(diagonal, zero - down - right),
        part(diagonal, right - down),
    ]
}

/// A step towards it; off a wall, back where it came from.
#[inline(always)]
pub(crate) fn collide<V: Value>(f: [V; 9], wall: V::Condition, rate: f32) -> [V; 9] {
    let (density, velocity) = moments(f);
    let goal = equilibrium(density, velocity);
    let back = [f[0], f[3], f[4], f[1], f[2], f[7], f[8], f[5], f[6]];
    core::array::from_fn(|k| V::choose(wall, back[k], f[k] + V::from(rate) * (goal[k] - f[k])))
}

/// A grid of cells in any layout.
pub(crate) trait Grid: MappingOf<Cell, 2, Linearization: StridedLinearization<[usize; 2]>> {}
impl<M> Grid for M where M: MappingOf<Cell, 2, Linearization: StridedLinearization<[usize; 2]>> {}

/// What streams into a row of cells, on its way.
pub(crate) type Row = Owned<Mapped<Cell, DynExtents<1>, SoA>>;

/// Collects what streams into row `i` in direction `K`: from the left `inflow`, from the right what is there; above the
/// first row is the last.
fn stream<const K: usize>(from: &View<impl Grid, impl Blobs>, row: &mut Row, i: usize, inflow: [f32; 9]) {
    let ([height, width], [down, right]) = (from.extents(), DIRECTIONS[K]);
    let field = from.field(Cell::PATHS.f.element::<K>());
    let line = field.slice(((i + height).wrapping_add_signed(-down) % height, ..));
    let mut row = row.field_mut(Cell::PATHS.f.element::<K>());
    match right {
        1 => {
            row.slice_mut((1..,)).copy_from(&line.slice((..width - 1,))).expect("equal extents");
            row.set(0, inflow[K]);
        }
        -1 => {
            row.slice_mut((..width - 1,)).copy_from(&line.slice((1..,))).expect("equal extents");
            row.set(width - 1, line.get(width - 1));
        }
        _ => row.copy_from(&line).expect("equal extents"),
    }
}

/// One step: `to` becomes what `from` does next. Both have the same walls.
pub(crate) fn advance<M: Grid, B: BlobsMut>(
    from: &View<M, B>,
    to: &mut View<M, B>,
    row: &mut Row,
    inflow: [f32; 9],
    rate: f32,
) {
    macro_rules! stream_all {
        ($i:ident: $($k:literal)*) => { $(stream::<$k>(from, row, $i, inflow);)* };
    }
    // For the slots of one cell, and for those of a group.
    macro_rules! collide_all {
        ($($k:literal)*) => {
            |(mut to, from)| {
                let f = collide([$(from.f.element::<$k>().get()),*], to.wall.get(), rate);
                $(to.f.element_mut::<$k>().set(f[$k]);)*
            }
        };
    }
    for i in 0..from.extents()[0] {
        stream_all!(i: 0 1 2 3 4 5 6 7 8);
        zip((&mut to.slice_mut((i, ..)), &*row))
            .for_each_lanes::<16>(collide_all!(0 1 2 3 4 5 6 7 8), collide_all!(0 1 2 3 4 5 6 7 8));
    }
}
