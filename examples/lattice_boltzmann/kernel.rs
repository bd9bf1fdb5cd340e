//! The kernel: flow on a lattice with nine directions (D2Q9), one text for every layout.

use core::ops::{Add, Div, Mul, Sub};

use layout::part::TargetFields;
use layout::prelude::*;

/// The directions that fluid moves in, in rows and columns. The first is none: fluid at rest.
pub(crate) const DIRECTIONS: [[isize; 2]; 9] =
    [[0, 0], [0, 1], [1, 0], [0, -1], [-1, 0], [1, 1], [1, -1], [-1, -1], [-1, 1]];

/// A cell: how much fluid rests, how much moves in each direction, and whether it is a wall.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Cell {
    pub(crate) rest: f32,
    pub(crate) f: [f32; 8],
    pub(crate) wall: bool,
}

impl Cell {
    /// All nine numbers, in the order of the directions.
    pub(crate) fn numbers(self) -> [f32; 9] {
        let [a, b, c, d, e, f, g, h] = self.f;
        [self.rest, a, b, c, d, e, f, g, h]
    }
}

/// The numbers that stream: the fields of a cell that its neighbors need.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Moving {
    f: [f32; 8],
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

/// The equilibrium to which collisions lead.
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

/// A row of cells with room at each end, from where fluid streams in: so much that the row starts where vectors do.
type Row = Owned<Mapped<Moving, DynExtents<1>, SoA>>;

/// Rows on their way: what streams into a row comes from the one above, from the row itself, and from the one below.
///
/// They are copies, so that the grid can change in place, which halves the memory that a step goes through. And whatever the
/// layout of the grid, cells shifted by one are neighbors in memory here, so that lanes of them are loaded at once.
pub(crate) struct Stream {
    /// Four rows of the grid that follow one another. While cells of the second one collide, the last one is copied.
    rows: [Row; 4],
    /// The first row of the grid, which the last one needs when it has changed.
    first: Row,
}

impl Stream {
    pub(crate) fn new(width: usize) -> Result<Self, ViewError> {
        let row = || alloc::<Moving, SoA, _>(width + 2 * LANES);
        Ok(Self { rows: [row()?, row()?, row()?, row()?], first: row()? })
    }
}

/// Copies row `i` of the grid.
fn take(row: &mut Row, grid: &View<impl Grid, impl Blobs>, i: usize, inflow: [f32; 8]) {
    let [_, width] = grid.extents();
    row.slice_mut((LANES..LANES + width,)).copy_fields_from(&grid.slice((i, ..)), TargetFields).expect("equal extents");
    close(row, width, inflow);
}

/// Sets both ends of a row: from the left comes what flows in, from the right what is there.
fn close(row: &mut Row, width: usize, inflow: [f32; 8]) {
    row.set(LANES - 1, Moving { f: inflow });
    row.set(LANES + width, row.load(LANES + width - 1));
}

/// One step of all cells.
pub(crate) fn advance(grid: &mut View<impl Grid, impl BlobsMut>, stream: &mut Stream, inflow: [f32; 8], rate: f32) {
    // For the slots of one cell of each view, and for those of a group.
    macro_rules! collide_all {
        ($($direction:ident $k:literal)*) => {
            |(mut to, mut copied, ahead, $($direction),*)| {
                $(copied.f.element_mut::<$k>().set(ahead.f.element::<$k>().get());)*
                let f = collide(
                    [to.rest.get(), $($direction.f.element::<$k>().get()),*],
                    to.wall.get(),
                    rate,
                );
                to.rest.set(f[0]);
                $(to.f.element_mut::<$k>().set(f[$k + 1]);)*
            }
        };
    }
    let [height, width] = grid.extents();
    for (k, row) in [height - 1, 0, 1].into_iter().enumerate() {
        take(&mut stream.rows[k], grid, row, inflow);
    }
    take(&mut stream.first, grid, 0, inflow);
    for i in 0..height {
        let Stream { rows: [rows @ .., copy], first } = stream;
        let comes = |k: usize| {
            let [down, right] = DIRECTIONS[k + 1];
            let start = LANES.wrapping_add_signed(-right);
            rows[1_usize.wrapping_add_signed(-down)].slice((start..start + width,))
        };
        let from = (comes(0), comes(1), comes(2), comes(3), comes(4), comes(5), comes(6), comes(7));
        // Row `i` and the row to copy. For the last two rows, that is one of the first two; it has changed and is not used.
        let ahead = (i + 2) % height;
        let (mut top, mut bottom) = grid.split_at(0, i.max(ahead)).expect("both are rows of the grid");
        let (mut to, ahead) = if i < ahead {
            (top.slice_mut((i, ..)), bottom.slice((0, ..)))
        } else {
            (bottom.slice_mut((0, ..)), top.slice((ahead, ..)))
        };
        let copied = &mut copy.slice_mut((LANES..LANES + width,));
        zip((&mut to, copied, &ahead, &from.0, &from.1, &from.2, &from.3, &from.4, &from.5, &from.6, &from.7))
            .for_each_lanes::<LANES>(
                collide_all!(a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7),
                collide_all!(a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7),
            );
        close(copy, width, inflow);
        if i + 2 == height {
            core::mem::swap(copy, first);
        }
        stream.rows.rotate_left(1);
    }
}

/// Cells that collide at a time.
const LANES: usize = layout::least_lanes::<Cell>();
