//! Records that point to elements of a store, the boxes around these elements, and the exact indices.

use std::sync::Arc;

use layout_core::{Dim, IndexArray, Record, RecordLayout};

use crate::error::StoreError;
use crate::geometry::{Coordinate, DynRank, MAX_RANK, Marks, Point, Rect, RunList, StoreRank, runs_in};
use crate::locale::Reached;
use crate::memory::Tile;
use crate::partition::{ImageHint, PartitionError};

/// Records that point to elements of a store of rank `D`: an index, or a box of indices.
///
/// `i64` points to an element in one dimension, `[i64; N]` in `N` dimensions, and `[[i64; N]; 2]` to the box from the first index up to,
/// but not including, the second one; `usize` and `u32` can replace `i64`. Arrays also point to elements of stores of rank [`DynRank`]; if
/// the store has another number of dimensions, the launch is refused.
#[diagnostic::on_unimplemented(
    message = "`{Self}` points to no element of a store of rank `{D}`",
    note = "give `i64` for one dimension, `[i64; N]` for N dimensions, or `[[i64; N]; 2]` for boxes of indices"
)]
pub trait PointsTo<D>: Record {
    /// The indices to which the record points.
    fn indices(&self) -> Rect;

    /// Passes the indices on.
    #[doc(hidden)]
    #[inline]
    fn give<S: Spans>(&self, to: &mut S) {
        to.rect(&self.indices());
    }
}

/// A receiver of indices, value by value. It gets numbers if possible, so that a loop over many values stays in registers.
#[doc(hidden)]
pub trait Spans {
    /// Receives an index.
    fn one<const N: usize>(&mut self, index: [i64; N]);
    /// Receives all indices from one up to, but not including, another.
    fn span<const N: usize>(&mut self, from: [i64; N], to: [i64; N]);
    /// Receives a box of indices.
    fn rect(&mut self, rect: &Rect);
}

/// The smallest box around some indices.
struct Around {
    first: [i64; MAX_RANK],
    last: [i64; MAX_RANK],
    rank: usize,
    /// The number of dimensions of a box of another rank.
    other: Option<usize>,
}

impl Around {
    fn new(rank: usize) -> Self {
        Self { first: [i64::MAX; MAX_RANK], last: [i64::MIN; MAX_RANK], rank, other: None }
    }

    #[inline]
    fn widen<const N: usize>(&mut self, first: [i64; N], last: [i64; N]) {
        for dim in 0..N {
            self.first[dim] = self.first[dim].min(first[dim]);
            self.last[dim] = self.last[dim].max(last[dim]);
        }
    }

    /// The box; an empty one if there were no indices.
    fn finish(&self) -> Result<Rect, StoreError> {
        let rank = self.rank;
        if let Some(given) = self.other {
            return Err(PartitionError::Rank { what: "target index", given, rank }.into());
        }
        if self.first[..rank].iter().zip(&self.last).any(|(first, last)| first > last) {
            return Ok(Rect::of(Point::splat(rank, 0)));
        }
        let ends = self.last[..rank].iter().map(|last| last.saturating_add(1)).collect();
        Ok(Rect::new(self.first[..rank].iter().copied().collect(), ends))
    }
}

impl Spans for Around {
    #[inline]
    fn one<const N: usize>(&mut self, index: [i64; N]) {
        self.widen(index, index);
    }

    #[inline]
    fn span<const N: usize>(&mut self, from: [i64; N], to: [i64; N]) {
        if from.iter().zip(&to).all(|(from, to)| from < to) {
            self.widen(from, to.map(|to| to - 1));
        }
    }

    fn rect(&mut self, rect: &Rect) {
        if rect.rank() != self.rank {
            self.other = Some(rect.rank());
        } else if !rect.is_empty() {
            for dim in 0..rect.rank() {
                self.first[dim] = self.first[dim].min(rect.lo()[dim]);
                self.last[dim] = self.last[dim].max(rect.hi()[dim] - 1);
            }
        }
    }
}

impl Spans for Marks {
    #[inline]
    fn one<const N: usize>(&mut self, index: [i64; N]) {
        self.mark(index);
    }

    fn span<const N: usize>(&mut self, from: [i64; N], to: [i64; N]) {
        self.mark_all(&Rect::new(from.into(), to.into()));
    }

    fn rect(&mut self, rect: &Rect) {
        self.mark_all(rect);
    }
}

fn one(index: Point) -> Rect {
    Rect::new(index, index.iter().map(|at| at.saturating_add(1)).collect())
}

macro_rules! points_to {
    ($($rank:ty, $integer:ty: $($n:literal),+;)+) => {$($(
        impl PointsTo<$rank> for [$integer; $n] {
            fn indices(&self) -> Rect {
                one(self.map(Coordinate::coordinate).into())
            }

            #[inline]
            fn give<S: Spans>(&self, to: &mut S) {
                to.one(self.map(Coordinate::coordinate));
            }
        }

        impl PointsTo<$rank> for [[$integer; $n]; 2] {
            fn indices(&self) -> Rect {
                let [from, to] = self.map(|corner| corner.map(Coordinate::coordinate));
                Rect::new(from.into(), to.into())
            }

            #[inline]
            fn give<S: Spans>(&self, to: &mut S) {
                let [from, end] = self.map(|corner| corner.map(Coordinate::coordinate));
                to.span(from, end);
            }
        }
    )+)+};
    ($($integer:ty)+) => {
        $(impl PointsTo<Dim<1>> for $integer {
            fn indices(&self) -> Rect {
                one([self.coordinate()].into())
            }

            #[inline]
            fn give<S: Spans>(&self, to: &mut S) {
                to.one([self.coordinate()]);
            }
        })+

        points_to! {$(
            Dim<1>, $integer: 1;
            Dim<2>, $integer: 2;
            Dim<3>, $integer: 3;
            Dim<4>, $integer: 4;
            Dim<5>, $integer: 5;
            Dim<6>, $integer: 6;
            DynRank, $integer: 1, 2, 3, 4, 5, 6;
        )+}
    };
}

points_to!(i64 usize u32);

/// The smallest box around the elements, in a store of `rank` dimensions, to which the values of a view point.
pub(super) fn bounds_of<F, E, D, K>(view: &Tile<'_, F, D, K>, hint: ImageHint, rank: usize) -> Result<Rect, StoreError>
where
    F: PointsTo<E>,
    D: StoreRank,
    K: RecordLayout<F> + Default,
{
    let mut around = Around::new(rank);
    if view.is_empty() {
        return around.finish();
    }
    // The type of the values determines their rank, so one value speaks for all.
    let first = view.load(D::Array::ZERO);
    if first.indices().rank() != rank {
        around.rect(&first.indices());
        return around.finish();
    }
    let ends = |around: &mut Around| {
        let mut last = view.extents();
        last.as_mut().iter_mut().for_each(|extent| *extent -= 1);
        first.give(around);
        view.load(last).give(around);
        around.finish()
    };
    match hint {
        ImageHint::FirstLast => ends(&mut around),
        ImageHint::FirstLastChecked => {
            let bounds = ends(&mut around)?;
            match view.iter().map(|value| F::load(&value).indices()).find(|indices| !bounds.covers(indices)) {
                Some(indices) => Err(StoreError::Image { indices: indices.into(), bounds: bounds.into() }),
                None => Ok(bounds),
            }
        }
        ImageHint::Precise | ImageHint::MinMax => {
            give_all::<F, E, D, K>(view, &mut around);
            around.finish()
        }
    }
}

/// [`bounds_of`] for values that a function returns for the indices of a box, with the runs of the elements, in a store of these extents.
pub(super) fn reach_of<F: PointsTo<E>, E>(
    tile: &Rect,
    values: impl Fn(Point) -> F,
    hint: ImageHint,
    extents: Point,
) -> Result<Reached, StoreError> {
    let all = || tile.points().map(|at| values(at).indices());
    let around = |some: &mut dyn Iterator<Item = Rect>| {
        let mut around = Around::new(extents.len());
        some.for_each(|indices| around.rect(&indices));
        around.finish()
    };
    let last: Point = tile.hi().iter().map(|hi| hi - 1).collect();
    let mut ends = [tile.lo(), last].into_iter().filter(|_| !tile.is_empty()).map(|at| values(at).indices());
    let bounds = match hint {
        ImageHint::FirstLast => around(&mut ends)?,
        ImageHint::FirstLastChecked => {
            let bounds = around(&mut ends)?;
            match all().find(|indices| !bounds.covers(indices)) {
                Some(indices) => return Err(StoreError::Image { indices: indices.into(), bounds: bounds.into() }),
                None => bounds,
            }
        }
        ImageHint::MinMax | ImageHint::Precise => around(&mut all())?,
    };
    let runs = if hint == ImageHint::Precise { runs_in(all(), extents) } else { None };
    Ok(Reached { bounds, runs })
}

/// Passes on all indices to which the values of a view point.
fn give_all<F, E, D, K>(view: &Tile<'_, F, D, K>, to: &mut impl Spans)
where
    F: PointsTo<E>,
    D: StoreRank,
    K: RecordLayout<F> + Default,
{
    if view.has_unit_stride() {
        // Loops along the last dimension are vectorized.
        (*view).into_unit_stride().iter().for_each(|view| view.for_each(|value| F::load(&value).give(to)));
    } else {
        view.for_each(|value| F::load(&value).give(to));
    }
}

/// Up to this number of indices for each value, a bit for each index of a box takes less memory than a list of indices.
const MOST_MARKS: usize = 1024;

/// The elements, in a store of these extents, to which the values of a view point, without those that strided boxes leave out: disjoint
/// runs within `bounds`, in order. `None` if there are too many.
pub(super) fn runs_of<F, E, D, K>(view: &Tile<'_, F, D, K>, bounds: &Rect, extents: Point) -> Option<Arc<RunList>>
where
    F: PointsTo<E>,
    D: StoreRank,
    K: RecordLayout<F> + Default,
{
    let within = bounds.intersection(&Rect::of(extents));
    match Marks::new(within, view.len().saturating_mul(MOST_MARKS)) {
        Some(mut marks) => {
            give_all::<F, E, D, K>(view, &mut marks);
            Some(marks.runs().into())
        }
        None => runs_in(view.iter().map(|value| F::load(&value).indices()), extents),
    }
}
