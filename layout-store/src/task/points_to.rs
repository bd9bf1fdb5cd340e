//! Records that point to elements of a store, and the boxes around what they point to.

use layout_core::{IndexArray, Record, RecordLayout};

use crate::error::StoreError;
use crate::geometry::{MAX_RANK, Point, Rect, StoreRank};
use crate::memory::Tile;
use crate::partition::ImageHint;

/// Records that point to elements of a store of rank `D`: an index, or a box of indices.
///
/// Implemented by `i64` for one dimension, `[i64; N]` for `N`, and `[[i64; N]; 2]`, the box from the first index up to, but
/// without, the second one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` points to no element of a store of rank `{D}`",
    note = "give `i64` for one dimension, `[i64; N]` for N dimensions, or `[[i64; N]; 2]` for boxes of indices"
)]
pub trait PointsTo<D>: Record {
    /// The indices that it points to.
    fn indices(&self) -> Rect;

    /// Widens a box by them.
    #[doc(hidden)]
    #[inline]
    fn widen(&self, around: &mut Around) {
        around.rect(&self.indices());
    }
}

/// The smallest box around some indices: all numbers, so that a loop over many indices stays in registers.
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a hidden method")]
pub struct Around {
    first: [i64; MAX_RANK],
    last: [i64; MAX_RANK],
}

impl Around {
    fn none() -> Self {
        Self { first: [i64::MAX; MAX_RANK], last: [i64::MIN; MAX_RANK] }
    }

    /// Widens it from one index to another.
    #[inline]
    fn span<const N: usize>(&mut self, first: [i64; N], last: [i64; N]) {
        for dim in 0..N {
            self.first[dim] = self.first[dim].min(first[dim]);
            self.last[dim] = self.last[dim].max(last[dim]);
        }
    }

    fn rect(&mut self, rect: &Rect) {
        if !rect.is_empty() {
            for dim in 0..rect.rank() {
                self.first[dim] = self.first[dim].min(rect.lo()[dim]);
                self.last[dim] = self.last[dim].max(rect.hi()[dim] - 1);
            }
        }
    }

    /// The box, of so many dimensions; without indices if there were none.
    fn finish(&self, rank: usize) -> Rect {
        if self.first[..rank].iter().zip(&self.last).any(|(first, last)| first > last) {
            return Rect::of(Point::splat(rank, 0));
        }
        let ends = self.last[..rank].iter().map(|last| last.saturating_add(1)).collect();
        Rect::new(self.first[..rank].iter().copied().collect(), ends)
    }
}

fn one(index: Point) -> Rect {
    Rect::new(index, index.iter().map(|at| at.saturating_add(1)).collect())
}

impl PointsTo<layout_core::Dim<1>> for i64 {
    fn indices(&self) -> Rect {
        one([*self].into())
    }

    #[inline]
    fn widen(&self, around: &mut Around) {
        around.span([*self], [*self]);
    }
}

macro_rules! points_to {
    ($($n:literal)+) => {$(
        impl PointsTo<layout_core::Dim<$n>> for [i64; $n] {
            fn indices(&self) -> Rect {
                one((*self).into())
            }

            #[inline]
            fn widen(&self, around: &mut Around) {
                around.span(*self, *self);
            }
        }

        impl PointsTo<layout_core::Dim<$n>> for [[i64; $n]; 2] {
            fn indices(&self) -> Rect {
                Rect::new(self[0].into(), self[1].into())
            }

            #[inline]
            fn widen(&self, around: &mut Around) {
                let [from, to] = self;
                if from.iter().zip(to).all(|(from, to)| from < to) {
                    around.span(*from, to.map(|to| to - 1));
                }
            }
        }
    )+};
}

points_to!(1 2 3 4 5 6);

/// The smallest box around what the values that a view shows point to, of `rank` dimensions.
pub(super) fn bounds_of<F, E, D, K>(view: Tile<'_, F, D, K>, hint: ImageHint, rank: usize) -> Result<Rect, StoreError>
where
    F: PointsTo<E>,
    D: StoreRank,
    K: RecordLayout<F> + Default,
{
    let ends = |view: &Tile<'_, F, D, K>| {
        let mut around = Around::none();
        if !view.is_empty() {
            let mut last = view.extents();
            last.as_mut().iter_mut().for_each(|extent| *extent -= 1);
            view.load(D::Array::ZERO).widen(&mut around);
            view.load(last).widen(&mut around);
        }
        around.finish(rank)
    };
    match hint {
        ImageHint::FirstLast => Ok(ends(&view)),
        ImageHint::FirstLastChecked => {
            let bounds = ends(&view);
            match view.iter().map(|value| F::load(&value).indices()).find(|indices| !bounds.covers(indices)) {
                Some(indices) => Err(StoreError::Image { indices: indices.into(), bounds: bounds.into() }),
                None => Ok(bounds),
            }
        }
        ImageHint::Precise | ImageHint::MinMax => {
            let mut around = Around::none();
            if view.has_unit_stride() {
                // Loops along the last dimension are vectorised.
                view.into_unit_stride()
                    .iter()
                    .for_each(|view| view.for_each(|value| F::load(&value).widen(&mut around)));
            } else {
                view.for_each(|value| F::load(&value).widen(&mut around));
            }
            Ok(around.finish(rank))
        }
    }
}
