//! Fluid in a box whose lid moves (D2Q9): a step of the cells of a tile, one text for every layout, and the task that takes it.

#[expect(dead_code, reason = "the `lattice_boltzmann` example uses them all")]
#[path = "../lattice_boltzmann/kernel.rs"]
pub(crate) mod flow;

use core::array;

use flow::{DIRECTIONS, Value, equilibrium, moments};
use layout::prelude::*;
use layout::store::{Dim, Launched, Runtime, Store, StoreError, bloat, broadcast_axes, dense, read, write};

/// The distance that the lid moves to the right in a step, in cells.
pub(crate) const LID: f32 = 0.1;

/// Cells that collide at a time.
const LANES: usize = layout::least_lanes::<Cell>();
/// The direction against each one.
const BACK: [usize; 9] = [0, 3, 4, 1, 2, 7, 8, 5, 6];

/// A cell: how much fluid rests, and how much moves in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Cell {
    pub(crate) f: [f32; 9],
}

impl Cell {
    /// Fluid at rest.
    pub(crate) fn rest() -> Self {
        Self { f: equilibrium(1.0, [0.0; 2]) }
    }
}

/// The cells of a store in any layout.
pub(crate) type Cells<L> = Store<Cell, Dim<2>, L>;

/// A grid of cells in any layout.
pub(crate) trait Grid: MappingOf<Cell, 2, Linearization: StridedLinearization<[usize; 2]>> {}
impl<M> Grid for M where M: MappingOf<Cell, 2, Linearization: StridedLinearization<[usize; 2]>> {}

/// A step towards what collisions lead to.
#[inline(always)]
fn collide<V: Value>(f: [V; 9], rate: f32) -> [V; 9] {
    let (density, velocity) = moments(f);
    let goal = equilibrium(density, velocity);
    array::from_fn(|k| f[k] + V::from(rate) * (goal[k] - f[k]))
}

/// The numbers that stream into a cell. `old` ends where the box ends: a wall sends fluid back, and the lid also pushes it.
fn into_cell(old: &View<impl Grid, impl Blobs>, [i, j]: [usize; 2]) -> [f32; 9] {
    let [rows, columns] = old.extents();
    array::from_fn(|k| {
        let [down, right] = DIRECTIONS[k];
        match (i.checked_add_signed(-down), j.checked_add_signed(-right)) {
            (Some(row), Some(column)) if row < rows && column < columns => old.load([row, column]).f[k],
            (row, _) => {
                let pushed = if row.is_none() { LID * right as f32 / 6.0 } else { 0.0 };
                old.load([i, j]).f[BACK[k]] + pushed
            }
        }
    })
}

/// One step of the cells of a tile, from the same cells and their neighbors, where the tile starts at index `at`.
pub(crate) fn step(
    old: &View<impl Grid, impl Blobs>,
    new: &mut View<impl Grid, impl BlobsMut>,
    at: [usize; 2],
    rate: f32,
) {
    let (extents, ends) = (new.extents(), old.extents());
    // The cells that have all neighbors.
    let [inner_rows, inner_columns] = array::from_fn(|dim| {
        let last = extents[dim] - usize::from(at[dim] + extents[dim] == ends[dim]);
        usize::from(at[dim] == 0).min(last)..last
    });
    let comes = |k: usize| {
        let [down, right] = DIRECTIONS[k];
        let from = |start: usize, by: isize| start.wrapping_add_signed(-by);
        let (row, column) = (from(at[0] + inner_rows.start, down), from(at[1] + inner_columns.start, right));
        old.slice((row..row + inner_rows.len(), column..column + inner_columns.len()))
    };
    if !inner_rows.is_empty() && !inner_columns.is_empty() {
        let (a, b, c, d, e) = (comes(0), comes(1), comes(2), comes(3), comes(4));
        let (f, g, h, i) = (comes(5), comes(6), comes(7), comes(8));
        let mut to = new.slice_mut((inner_rows.clone(), inner_columns.clone()));
        zip((&mut to, &a, &b, &c, &d, &e, &f, &g, &h, &i)).for_each_lanes_masked::<LANES>(
            |(mut to, a, b, c, d, e, f, g, h, i), _| {
                macro_rules! comes {
                    ($($direction:ident $k:literal)*) => { [$($direction.f.element::<$k>().get()),*] };
                }
                let f = collide(comes!(a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8), rate);
                (0..9).for_each(|k| to.f.at_mut(k).set(f[k]));
            },
        );
    }
    for i in 0..extents[0] {
        // Of a row at the rim all cells, of others both ends.
        let skip = if inner_rows.contains(&i) { inner_columns.clone() } else { 0..0 };
        for j in (0..skip.start).chain(skip.end..extents[1]) {
            new.set([i, j], Cell { f: collide(into_cell(old, [at[0] + i, at[1] + j]), rate) });
        }
    }
}

/// One step of all cells, a point of the launch for each tile.
pub(crate) fn launch<L: RecordLayout<Cell> + Default>(
    rt: &Runtime,
    old: &Cells<L>,
    new: &Cells<L>,
    rate: f32,
) -> Result<Launched, StoreError> {
    rt.task("step")
        .args((read(old), write(new)))
        // Rows stay whole: nine numbers are streamed from there, and each end of a row costs.
        .constrain(|(old, new)| [bloat(new, old, [1, 1], [1, 1]), broadcast_axes(new, [1])])
        .launch(move |task, (old, new)| {
            let at = task.offset(1, 0);
            dense!((old, mut new) => step(&old, &mut new, at, rate));
        })
}
