//! Scans: each element combined with all before it.
//!
//! ```text
//! totals    each tile combines its elements, of each line by itself: one total for each line and tile
//! scan      each tile starts with the totals of the tiles before it on the same line, and goes on element by element
//! ```
//!
//! A line is all elements, in the order of the domain, or the elements along an axis. If tiles do not lie one after another on a line, as
//! in a cyclic distribution, the elements are scanned in other tiles and then assigned.

use layout_core::{IndexArray, Record, RecordLayout};
use layout_domain::Index;
use layout_mappings::SoA;
use layout_store::{
    Constraint, Dim, OwnMap, Point, Rect, Reduction, Rule, Store, StoreRank, Tile, TileMap, TileMut, read, write,
};

use crate::loops::copy;
use crate::ordered::{Cuts, Ordered, ordered};
use crate::{Array, ArrayError};

/// The parameters of [`Array::scan_from`]: the reduction, the line, and whether an element is part of its own result.
///
/// # Examples
///
/// ```
/// use layout::array::{Array, Scan};
/// use layout::domain::{Block, Domain, Targets};
/// use layout::store::{Max, Runtime, Sum};
///
/// let rt = Runtime::new()?;
/// let grid = Domain::new([1..=2, 1..=3]);
/// let map = Block::over(&grid, Targets::all(1)?)?;
/// let a: Array<i64, 2> = Array::from_values(&rt, &grid, map.clone(), &[3, 1, 4, 1, 5, 9])?;
/// let b: Array<i64, 2> = Array::new(&rt, &grid, map)?;
/// b.scan_from(&a, Scan::inclusive(Sum))?;
/// assert_eq!(b.to_vec()?, [3, 4, 8, 9, 14, 23]);
/// b.scan_from(&a, Scan::exclusive(Sum).along(1))?;
/// assert_eq!(b.to_vec()?, [0, 3, 4, 0, 1, 6]);
/// b.scan_from(&a, Scan::inclusive(Max).along(0))?;
/// assert_eq!(b.to_vec()?, [3, 1, 4, 3, 5, 9]);
/// # Ok::<(), layout::array::ArrayError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Scan<O> {
    op: O,
    axis: Option<usize>,
    exclusive: bool,
}

impl<O> Scan<O> {
    /// An inclusive scan: each element becomes the combination of all elements up to and including itself.
    pub fn inclusive(op: O) -> Self {
        Self { op, axis: None, exclusive: false }
    }

    /// An exclusive scan: each element becomes the combination of all elements before it, and the first one the identity.
    pub fn exclusive(op: O) -> Self {
        Self { op, axis: None, exclusive: true }
    }

    /// Scans each line along an axis separately, instead of all elements in the order of the domain.
    pub fn along(self, axis: usize) -> Self {
        Self { axis: Some(axis), ..self }
    }
}

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Sets each element to a [`Scan`] of another array of the same shape, position by position; returns at once.
    ///
    /// Elements are combined in order, so the reduction need not be commutative. If it is exactly associative, as a sum of integers is, the
    /// result is the same for any distribution and number of locales.
    ///
    /// Elements of `other` that lie on other locales are sent to the elements of this array, in messages as
    /// [`Array::assign`] sends them. The
    /// totals of tiles are sent, too: one record for each line and each tile before. That is all if the tiles of this array are boxes
    /// between cuts along the axis, or, without an axis, slabs, each with all elements between its first and its last one; blocks of a
    /// one-dimensional array are both. Otherwise all elements need memory once more, spread over all locales: elements are scanned there
    /// and sent to their owners. The latter holds, too, if [elements of this array share bytes](Store::shares_bytes).
    ///
    /// # Errors
    ///
    /// Returns an error if shapes differ, there is no such axis, the arrays have elements in common, or elements of `other` are unwritten.
    pub fn scan_from<K, J, O>(&self, other: &Array<R, N, K, J>, scan: Scan<O>) -> Result<(), ArrayError>
    where
        K: RecordLayout<R> + Default,
        J: Index,
        O: Reduction<R>,
    {
        self.domain.same_shape(&other.domain)?;
        self.operand(("scan", 1), other)?;
        if let Some(axis) = scan.axis.filter(|axis| *axis >= N) {
            return Err(ArrayError::Axis { axis, rank: N });
        }
        if self.domain.is_empty() {
            return Ok(());
        }
        if N == 0 {
            // One element, and none before it.
            let Scan { op, exclusive, .. } = scan;
            self.write().zip(other.read()).named("scan").for_each(move |_, (mut to, from)| {
                scanned::<R, Dim<N>, L, K, O>(&mut to, &from, (None, exclusive), &op, &mut [op.identity()]);
            })?;
            return Ok(());
        }
        if self.store.shares_bytes() {
            // One task body would write all tiles, and start with the totals of all.
            return self.by_soa(|aside| aside.scan_from(other, scan));
        }
        let work = ordered(&self.runtime(), (&self.store, &self.tiles), scan.axis)?;
        let aside = work.tiles != self.tiles;
        let written = work.store.clone();
        launch(work, &other.store, scan)?;
        if aside { copy((&self.store, &self.tiles), &written) } else { Ok(()) }
    }
}

/// Scans the elements of a store into ordered tiles.
fn launch<R, const N: usize, L, K, O>(
    work: Ordered<R, N, L>,
    from: &Store<R, Dim<N>, K>,
    scan: Scan<O>,
) -> Result<(), ArrayError>
where
    R: Record,
    K: RecordLayout<R> + Default,
    L: RecordLayout<R> + Default,
    O: Reduction<R>,
    Dim<N>: StoreRank,
{
    let (Ordered { store, tiles, cuts }, Scan { op, axis, exclusive }) = (work, scan);
    let rt = store.runtime();
    let parts = i64::try_from(cuts.count()).unwrap_or(i64::MAX);
    let lines = if axis.is_some() { store.extents() } else { Point::splat(N, 1) };
    // Unlike results, totals need not fit the layout of the array.
    let totals: Store<R, Dim<N>, SoA> = rt.create(lines.with(cuts.dim(), parts))?.into_rank()?;
    let lead = |argument| tiles.iter().map(move |tiling| Constraint::Cut { argument, tiling: tiling.clone() });
    let follow = |follower, before| Constraint::Follow { source: 0, follower, map: totals_of(&cuts, axis, before) };
    if parts > 1 {
        let op = op.clone();
        rt.task("scan totals")
            .args((read(from), write(&totals)))
            .constrain(|_| lead(0).chain([follow(1, false)]).map(Rule::from).collect::<Vec<_>>())
            .launch(move |_, (from, mut totals)| {
                let mut sums = vec![op.identity(); totals.len()];
                combine::<R, Dim<N>, K, O>(&from, axis, &op, &mut sums);
                each_of_line(totals.extents(), axis, |at, line| totals.set(at, sums[line]));
            })?;
    }
    rt.task("scan")
        .args((write(&store), read(from), read(&totals)))
        .constrain(|_| {
            let align = Constraint::Align(0, 1);
            lead(0).chain([align, follow(2, true)]).map(Rule::from).collect::<Vec<_>>()
        })
        .launch(move |_, (mut to, from, before)| {
            let mut sums = vec![op.identity(); lines_of(to.extents(), axis)];
            combine::<R, Dim<N>, SoA, O>(&before, axis, &op, &mut sums);
            scanned::<R, Dim<N>, L, K, O>(&mut to, &from, (axis, exclusive), &op, &mut sums);
        })?;
    Ok(())
}

/// Combines the elements of each line into its total.
fn combine<R, D, L, O>(from: &Tile<'_, R, D, L>, axis: Option<usize>, op: &O, sums: &mut [R])
where
    R: Record,
    D: StoreRank,
    L: RecordLayout<R>,
    O: Reduction<R>,
{
    each_of_line(from.extents(), axis, |at, line| sums[line] = op.combine(sums[line], from.load(at)));
}

/// Writes the total of each line so far and combines it with the next element; an inclusive scan combines first.
fn scanned<R, D, L, K, O>(
    to: &mut TileMut<'_, R, D, L>,
    from: &Tile<'_, R, D, K>,
    (axis, exclusive): (Option<usize>, bool),
    op: &O,
    sums: &mut [R],
) where
    R: Record,
    D: StoreRank,
    L: RecordLayout<R>,
    K: RecordLayout<R>,
    O: Reduction<R>,
{
    each_of_line(from.extents(), axis, |at, line| {
        let before = sums[line];
        let after = op.combine(before, from.load(at));
        sums[line] = after;
        to.set(at, if exclusive { before } else { after });
    });
}

/// The number of lines: one without an axis, else one for each index of the other dimensions.
fn lines_of<A: IndexArray>(extents: A, axis: Option<usize>) -> usize {
    let others = |axis| (0..A::RANK).filter(move |dim| *dim != axis).map(|dim| extents.as_ref()[dim]);
    axis.map_or(1, |axis| others(axis).product())
}

/// Calls `f` with each index below these extents, the last dimension fastest, and the number of its line.
#[inline]
fn each_of_line<A: IndexArray>(extents: A, axis: Option<usize>, mut f: impl FnMut(A, usize)) {
    let sides = extents.as_ref();
    let Some(last) = A::RANK.checked_sub(1) else { return f(extents, 0) };
    let rows: usize = sides[..last].iter().product();
    // The number of lines side by side along dimensions after the axis, and the extent of the axis.
    let (inner, along) = axis.map_or((1, 1), |axis| (sides[axis + 1..].iter().product(), sides[axis]));
    let step = usize::from(axis.is_some_and(|axis| axis != last));
    let mut at = A::ZERO;
    for row in 0..rows {
        let mut rest = row;
        for dim in (0..last).rev() {
            at.as_mut()[dim] = rest % sides[dim];
            rest /= sides[dim];
        }
        let line = match axis {
            None => 0,
            Some(axis) if axis == last => row,
            Some(_) => {
                let number: usize = row * sides[last];
                number / (along * inner).max(1) * inner + number % inner.max(1)
            }
        };
        for place in 0..sides[last] {
            at.as_mut()[last] = place;
            f(at, line + step * place);
        }
    }
}

/// A map from a tile to its totals or, with `before`, to the totals of the tiles before it on its lines.
fn totals_of(cuts: &Cuts, axis: Option<usize>, before: bool) -> TileMap {
    let cuts = cuts.clone();
    TileMap::Own(OwnMap::new(move |tile: &Rect| {
        let part = cuts.part(tile);
        let (start, end) = if before { (0, part) } else { (part, part + 1) };
        let lines = if axis.is_some() { *tile } else { Rect::of(Point::splat(tile.rank(), 1)) };
        let (lo, hi, steps) = (lines.lo(), lines.hi(), lines.steps());
        let rect = Rect::new(lo.with(cuts.dim(), start), hi.with(cuts.dim(), end));
        let stepped = (0..tile.rank()).filter(|dim| *dim != cuts.dim() && steps[*dim] > 1);
        stepped.fold(rect, |rect, dim| rect.step(dim, steps[dim]))
    }))
}
