//! The contributions of task bodies to a store, until they are combined or sent.

use std::sync::Arc;

use layout_core::{
    ArrayExtents, Codec, Extents, IndexArray, Mapped, Owned, Rank, Record, RecordLayout, RowMajor, ViewError,
    zeroed_or, zip,
};
use layout_mappings::SoA;
use smallvec::SmallVec;

use super::elements::Elements;
use super::reduction::Reduction;
use crate::geometry::{Rect, StoreRank};
use crate::graph::{Cause, TaskBodyError};
use crate::locale::{Owners, Parts};
use crate::memory::{Budget, Charge, Region, row_major, try_row_major};
use crate::sync::Mutex;

/// The contributions of one task body: a view that owns the values for its tile.
pub type Contributions<R, D, L> =
    Owned<Mapped<R, ArrayExtents<usize, <<D as StoreRank>::Rank as Rank>::Dynamic<usize>>, L, RowMajor>>;

/// The contributions of one task body, and the memory that they count for.
pub(super) type Counted<R, D> = (Contributions<R, D, SoA>, Charge);

/// Contributions to some indices; no value is written yet. They have a layout that stores every value, unlike that of some stores, since
/// neither the identity of a reduction nor a part of a sum has to fit the store. Until then they are zeros, or `value` if zero is none.
pub(super) fn contributions<R: Record, D: StoreRank>(
    rect: &Rect,
    budget: &Arc<Budget>,
    value: impl FnOnce() -> Result<R, Cause>,
) -> Result<Counted<R, D>, Cause> {
    let shape = ArrayExtents::from_array(extents_of::<D>(rect)).map_err(ViewError::from)?;
    let mapping = Mapped::with(shape, SoA::default(), RowMajor).map_err(ViewError::from)?;
    let charge = budget.charge(shape.volume().unwrap_or(usize::MAX).saturating_mul(size_of::<R>()))?;
    Ok((zeroed_or(mapping, value)?, charge))
}

/// The extents of a view of some indices; 1 along the first dimensions, if the view has more dimensions.
fn extents_of<D: StoreRank>(rect: &Rect) -> D::Array {
    let mut extents = D::Array::ZERO;
    let first = <D::Array as IndexArray>::RANK - rect.rank();
    extents.as_mut()[..first].fill(1);
    for (dim, extent) in rect.extents().iter().enumerate() {
        extents.as_mut()[first + dim] = usize::try_from(*extent).unwrap_or(0);
    }
    extents
}

/// Maps an index in a part of a box to its place in the box. Both may have steps.
fn place_in<D: StoreRank>(part: &Rect, rect: &Rect) -> impl Fn(D::Array) -> D::Array + use<D> {
    let (rank, mut start, mut every) = (<D::Array as IndexArray>::RANK, D::Array::ZERO, D::Array::ZERO);
    every.as_mut().fill(1);
    let (steps, of_part) = (rect.steps(), part.steps());
    for dim in 0..rect.rank() {
        // Indices within a tile fit a `usize`.
        let place = |distance: i64| usize::try_from(distance / steps[dim]).unwrap_or(0);
        start.as_mut()[rank - rect.rank() + dim] = place(part.lo()[dim] - rect.lo()[dim]);
        every.as_mut()[rank - rect.rank() + dim] = place(of_part[dim]);
    }
    move |index| {
        let mut from = index;
        for ((from, start), every) in from.as_mut().iter_mut().zip(start.as_ref()).zip(every.as_ref()) {
            *from = start + *from * every;
        }
        from
    }
}

/// Calls `f` for each index of a part of a box, row by row, with its place in the part and its place in the box.
fn for_each_place<D: StoreRank>(part: &Rect, rect: &Rect, mut f: impl FnMut(D::Array, D::Array)) {
    let place = place_in::<D>(part, rect);
    row_major(extents_of::<D>(part), |index| f(index, place(index)));
}

/// Contributions to some indices, and the number of users that still need them.
struct Piece<R: Record, D: StoreRank> {
    rect: Rect,
    left: usize,
    values: Arc<Counted<R, D>>,
}

/// Contributions to these indices.
type Taken<R, D> = (Rect, Arc<Counted<R, D>>);

/// The contributions of a point: one piece if it ran on this locale, otherwise one for each tile of this locale.
type Pieces<R, D> = SmallVec<[Piece<R, D>; 1]>;

/// The contributions of all points of a launch to one argument, as far as this locale has them.
pub(super) struct Contributed<R: Record, D: StoreRank, L: RecordLayout<R>> {
    points: Vec<Mutex<Pieces<R, D>>>,
    elements: Elements<R, D, L>,
    owners: Arc<Owners>,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Contributed<R, D, L> {
    /// No contributions yet.
    pub(super) fn new(elements: Elements<R, D, L>, owners: Arc<Owners>) -> Self {
        let points = (0..owners.rects.len()).map(|_| Mutex::default()).collect();
        Self { points, elements, owners }
    }

    /// Keeps the contributions of a point that ran here.
    pub(super) fn keep(&self, point: usize, values: Counted<R, D>) {
        // Each tile of this locale takes them, and each message to another locale.
        let users = |(locale, tiles): (usize, usize)| if locale == self.owners.here { tiles } else { 1 };
        let all = || self.owners.locales_of(point).into_iter().map(users).sum();
        let left = if self.owners.is_one() { 1 } else { all() };
        if left > 0 {
            self.points[point].lock().push(Piece { rect: self.owners.rects.rect(point), left, values: values.into() });
        }
    }

    /// Takes the contributions of a point to some indices; the piece may have more. The last user gets the memory itself.
    fn take(&self, point: usize, part: &Rect) -> Option<Taken<R, D>> {
        let mut pieces = self.points[point].lock();
        let at = pieces.iter().position(|piece| piece.rect.covers(part))?;
        let piece = &mut pieces[at];
        piece.left -= 1;
        if piece.left > 0 {
            return Some((piece.rect, piece.values.clone()));
        }
        let piece = pieces.swap_remove(at);
        Some((piece.rect, piece.values))
    }

    /// Combines the contributions of all points to a tile with its elements, which lie in this memory if no locale has the whole store.
    pub(super) fn combine(&self, op: &impl Reduction<R>, tile: usize, at: Option<&Region>) -> Result<(), Cause> {
        let transform = &self.elements.transform;
        let has_promoted = (0..transform.rank()).any(|dim| transform.is_imaginary(dim));
        let mut come = self.owners.points_of(tile).filter_map(|point| {
            let part = self.owners.part(point, tile);
            Some((part, self.take(point, &part)?))
        });
        if !<L::Codec as Codec<R, L>>::KEEPS_BITS {
            return self.combine_aside(op, &come.collect::<Vec<_>>(), at);
        }
        come.try_for_each(|(part, (rect, values))| {
            let (values, _charge) = &*values;
            let mut hold = self.elements.hold(&part, true, at)?;
            let mut add = |part: &Rect| -> Result<(), Cause> {
                let mut target = hold.view_mut::<R, D, L>(Some(transform), part)?;
                if *part == rect {
                    zip((&mut target, values))
                        .for_each(|(mut to, from)| op.combine(R::load(&to), R::load(&from)).store(&mut to));
                } else {
                    for_each_place::<D>(part, &rect, |index, from| {
                        target.set(index, op.combine(target.load(index), values.load(from)));
                    });
                }
                Ok(())
            };
            // Most views show each element only once.
            if has_promoted { transform.parts_of(&part).try_for_each(|part| add(&part)) } else { add(&part) }
        })
    }

    /// Combines contributions as [`combine`](Self::combine) does, in memory of their own, so that the layout of the store gets only the final
    /// value of each element.
    fn combine_aside(
        &self,
        op: &impl Reduction<R>,
        come: &[(Rect, Taken<R, D>)],
        at: Option<&Region>,
    ) -> Result<(), Cause> {
        let transform = &self.elements.transform;
        let hull = come.iter().map(|(part, _)| *part).reduce(|all, part| all.hull(&part));
        // If several indices are one element, the first one has its sum.
        let Some(once) = hull.and_then(|hull| transform.parts_of(&hull).next()) else { return Ok(()) };
        let (rank, first) = (transform.rank(), <D::Array as IndexArray>::RANK - transform.rank());
        let promoted: &SmallVec<[usize; 4]> = &(0..rank).filter(|dim| transform.is_imaginary(*dim)).collect();
        let place_of = |part: &Rect| {
            let place = place_in::<D>(part, &once);
            move |index| {
                let mut place = place(index);
                promoted.iter().for_each(|dim| place.as_mut()[first + dim] = 0);
                place
            }
        };
        let value = || {
            let (part, (rect, values)) = &come[0];
            Ok(values.0.load(place_in::<D>(part, rect)(D::Array::ZERO)))
        };
        let (mut sums, _charge) = contributions::<R, D>(&once, &self.elements.root.locale.budget, value)?;
        for (part, _) in come {
            let (hold, place) = (self.elements.hold(part, false, at)?, place_of(part));
            let from = hold.view::<R, D, L>(Some(transform), part)?;
            row_major(extents_of::<D>(part), |index| sums.set(place(index), from.load(index)));
        }
        for (part, (rect, values)) in come {
            let place = place_of(part);
            for_each_place::<D>(part, rect, |index, from| {
                let to = place(index);
                sums.set(to, op.combine(sums.load(to), values.0.load(from)));
            });
        }
        for (part, _) in come {
            let mut hold = self.elements.hold(part, true, at)?;
            // A view that is written shows each element only once.
            for part in transform.parts_of(part) {
                let (mut to, place) = (hold.view_mut::<R, D, L>(Some(transform), &part)?, place_of(&part));
                row_major(extents_of::<D>(&part), |index| to.set(index, sums.load(place(index))));
            }
        }
        Ok(())
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Parts for Contributed<R, D, L> {
    /// Writes the values for each tile of the other locale, row by row.
    fn give(&self, number: usize, to: usize, message: &mut Vec<u8>) -> usize {
        let Some((rect, values)) = self.take(number, &self.owners.rects.rect(number)) else { return 0 };
        let before = message.len();
        for part in self.owners.parts_for(number, to) {
            for_each_place::<D>(&part, &rect, |_, from| values.0.load(from).write(message));
        }
        message.len() - before
    }

    fn put(&self, number: usize, contribution: &mut &[u8]) -> Result<(), Cause> {
        let elements = || self.owners.parts_for(number, self.owners.here).map(|part| part.volume()).sum::<i64>();
        let needed = usize::try_from(elements()).unwrap_or(usize::MAX).saturating_mul(self.owners.element);
        if needed != contribution.len() {
            let (store, bytes) = (self.elements.root.id, contribution.len());
            let text = format!("a contribution to store {store} in {bytes} bytes instead of {needed}");
            return Err(TaskBodyError::new(text).into());
        }
        for rect in self.owners.parts_for(number, self.owners.here) {
            let value = || Ok(R::read(&mut &**contribution)?);
            let (mut view, charge) = contributions::<R, D>(&rect, &self.elements.root.locale.budget, value)?;
            try_row_major(extents_of::<D>(&rect), |index| -> Result<(), Cause> {
                view.set(index, R::read(contribution)?);
                Ok(())
            })?;
            self.points[number].lock().push(Piece { rect, left: 1, values: (view, charge).into() });
        }
        Ok(())
    }
}
