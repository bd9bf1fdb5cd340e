//! Arguments that tasks contribute to.

use std::sync::{Arc, OnceLock};

use layout_core::{
    ArrayExtents, Extents, IndexArray, IntoIndex, Mapped, Owned, Portable, Rank, Record, RecordLayout, RowMajor, View,
    ViewError, zip,
};

use super::argument::Source;
use super::arguments::{Argument, At, Combine, Once, Placed, sealed};
use super::constrain::Handle;
use super::elements::Elements;
use super::plan::{Described, Manual, Plan};
use super::reduction::Reduction;
use crate::error::StoreError;
use crate::geometry::{Point, Rect, StoreRank, Transform};
use crate::graph::{Cause, TaskBodyError};
use crate::locale::{Parts, size_of_packed};
use crate::memory::{Budget, Charge, Region, row_major, try_row_major};
use crate::partition::Access;
use crate::sync::Mutex;

/// What one task body contributes: a view that owns the values for its tile.
pub type Contributions<R, D, L> =
    Owned<Mapped<R, ArrayExtents<usize, <<D as StoreRank>::Rank as Rank>::Dynamic<usize>>, L, RowMajor>>;

/// What one task body contributes, and the memory that it counts for.
type Counted<R, D, L> = (Contributions<R, D, L>, Charge);

/// Where the contributions of one task body are kept.
type Slot<R, D, L> = Mutex<Option<Counted<R, D, L>>>;

/// The contributions of all task bodies, on a locale that may use so much memory.
struct Slots<R: Record, D: StoreRank, L: RecordLayout<R>> {
    slots: Vec<Slot<R, D, L>>,
    budget: Arc<Budget>,
}

/// A contribution of these extents, of which no value is written yet.
fn contributions<R: Record, D: StoreRank, L: RecordLayout<R> + Default>(
    extents: D::Array,
    budget: &Arc<Budget>,
) -> Result<Counted<R, D, L>, StoreError> {
    let shape = ArrayExtents::from_array(extents).map_err(ViewError::from)?;
    let mapping = Mapped::with(shape, L::default(), RowMajor).map_err(ViewError::from)?;
    let charge = budget.charge(shape.volume().unwrap_or(usize::MAX).saturating_mul(size_of::<R>()))?;
    Ok((View::zeroed(mapping)?, charge))
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Parts for Slots<R, D, L> {
    /// The extents, and the values row by row; nothing where there is no contribution.
    fn give(&self, number: usize, _: usize, _: bool, message: &mut Vec<u8>) -> usize {
        let Some((view, _charge)) = self.slots[number].lock().take() else { return 0 };
        view.extents().as_ref().iter().for_each(|extent| extent.write(message));
        row_major(view.extents(), |index| view.load(index).write(message));
        view.len() * size_of_packed::<R>()
    }

    fn put(&self, number: usize, contribution: &mut &[u8]) -> Result<(), Cause> {
        if contribution.is_empty() {
            return Ok(());
        }
        let mut extents = <D::Array as IndexArray>::ZERO;
        for extent in extents.as_mut() {
            *extent = usize::read(contribution)?;
        }
        let bytes = contribution.len();
        let needed = extents.product().and_then(|volume| volume.checked_mul(size_of_packed::<R>()));
        if needed != Some(bytes) {
            return Err(TaskBodyError::new(format!("a contribution of extents {extents:?} in {bytes} bytes")).into());
        }
        let (mut view, charge) = contributions::<R, D, L>(extents, &self.budget)?;
        try_row_major(extents, |index| -> Result<(), Cause> {
            view.set(index, R::read(contribution)?);
            Ok(())
        })?;
        *self.slots[number].lock() = Some((view, charge));
        Ok(())
    }
}

/// An argument that tasks contribute to; see [`reduce`].
pub struct Reduce<R: Record, D: StoreRank, L: RecordLayout<R>, O> {
    elements: Elements<R, D, L>,
    manual: Option<Manual>,
    op: O,
    contributions: Arc<Slots<R, D, L>>,
}

/// An argument to whose elements the task contributes by `op`; tiles of different points may overlap.
///
/// The closure gets a [`Reducer`]. What all points contributed is combined with the store in the order of colours. Where
/// several indices are one element, as in a promoted dimension, it gets the contributions to all of them.
///
/// Contributions count as memory of stores until they are combined.
///
/// # Examples
///
/// ```
/// use layout_store::{Runtime, Store, Sum, broadcast, read, reduce};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let values: Store<i64, _> = rt.create_from_fn(100, |index| index[0] % 3)?;
/// let counts: Store<i64, _> = rt.create(3)?;
/// counts.fill(0)?;
/// rt.task("histogram")
///     .args((read(&values), reduce(&counts, Sum)))
///     .constrain(|(_, counts)| [broadcast(counts)])
///     .launch(|_, (values, mut counts)| values.values().for_each(|value| counts.reduce(value as usize, 1)))?;
/// assert_eq!(counts.to_vec()?, [34, 33, 33]);
/// # Ok::<(), layout_store::StoreError>(())
/// ```
#[must_use]
pub fn reduce<S: Source, O: Reduction<S::Record>>(source: &S, op: O) -> Reduce<S::Record, S::Rank, S::Layout, O> {
    let (elements, manual) = source.source();
    let budget = elements.root.locale.budget.clone();
    Reduce { elements, manual, op, contributions: Arc::new(Slots { slots: Vec::new(), budget }) }
}

/// What a task body gets for an argument that it contributes to.
pub struct Reducer<'a, R: Record, D: StoreRank, L: RecordLayout<R>, O> {
    buffer: &'a mut Contributions<R, D, L>,
    op: &'a O,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R>, O: Reduction<R>> Reducer<'_, R, D, L, O> {
    /// Contributes a value to the element at an index of the tile.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the tile.
    #[inline]
    pub fn reduce<I: IntoIndex<usize, D::Rank, Array = D::Array>>(&mut self, index: I, value: R) {
        let index = index.into_index();
        let before = self.buffer.load(index);
        self.buffer.set(index, self.op.combine(before, value));
    }

    /// The number of elements of the tile along each dimension.
    #[must_use]
    pub fn extents(&self) -> D::Array {
        self.buffer.extents()
    }

    /// What this task body contributed so far: where it contributed nothing, the identity.
    pub fn contributions(&mut self) -> &mut Contributions<R, D, L> {
        self.buffer
    }
}

/// The contributions of a task body while it runs.
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct HeldBuffer<'r, R: Record, D: StoreRank, L: RecordLayout<R>, O> {
    buffer: Contributions<R, D, L>,
    charge: Charge,
    op: &'r O,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, O: Reduction<R>> sealed::Sealed for Reduce<R, D, L, O> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, O: Reduction<R>> Argument for Reduce<R, D, L, O> {
    type Given<'a> = Reducer<'a, R, D, L, O>;
    type Handle<'a> = Handle<'a, R, D, L>;
    type Held<'r> = HeldBuffer<'r, R, D, L, O>;

    fn describe(&self) -> Result<Described, StoreError> {
        Ok(self.elements.described(Access::Reduce, self.manual.clone()))
    }

    fn handle(&self, number: usize) -> Handle<'_, R, D, L> {
        Handle { number, elements: &self.elements }
    }

    fn prepare(&mut self, points: Placed<'_>) {
        self.contributions = Arc::new(Slots {
            slots: (0..points.count()).map(|_| Mutex::new(None)).collect(),
            budget: self.elements.root.locale.budget.clone(),
        });
    }

    fn hold(&self, rect: &Rect, _: At<'_>) -> Result<HeldBuffer<'_, R, D, L, O>, Cause> {
        let mut extents = D::Array::ZERO;
        let first = <D::Array as IndexArray>::RANK - rect.rank();
        extents.as_mut()[..first].fill(1);
        for (dim, extent) in rect.extents().iter().enumerate() {
            extents.as_mut()[first + dim] = usize::try_from(*extent).unwrap_or(0);
        }
        let identity = self.op.identity();
        let (mut buffer, charge) = contributions::<R, D, L>(extents, &self.contributions.budget)?;
        buffer.fill(identity);
        Ok(HeldBuffer { buffer, charge, op: &self.op })
    }

    fn give<'a>(held: &'a mut HeldBuffer<'_, R, D, L, O>) -> Result<Reducer<'a, R, D, L, O>, Cause> {
        Ok(Reducer { buffer: &mut held.buffer, op: held.op })
    }

    fn keep(&self, held: HeldBuffer<'_, R, D, L, O>, number: usize) -> Result<(), Cause> {
        *self.contributions.slots[number].lock() = Some((held.buffer, held.charge));
        Ok(())
    }

    fn combine(&self, plan: &Plan, number: usize) -> Option<Combine> {
        let (elements, op, contributions) = (self.elements.clone(), self.op.clone(), self.contributions.clone());
        let transform = &self.elements.transform;
        let hull = transform.root_rect(plan.parts[number].rects.hull());
        let rects = plan.parts[number].rects.clone();
        let place = Arc::<OnceLock<Arc<Region>>>::default();
        let at = place.clone();
        let work = move || {
            for (rect, contribution) in rects.iter().zip(&contributions.slots) {
                let Some((buffer, _charge)) = contribution.lock().take() else { continue };
                let mut hold = elements.hold(&rect, true, at.get().map(|region| &**region))?;
                for part in parts(&elements.transform, &rect) {
                    let mut target = hold.view_mut::<R, D, L>(Some(&elements.transform), &part)?;
                    if part == rect {
                        zip((&mut target, &buffer))
                            .for_each(|(mut to, from)| op.combine(R::load(&to), R::load(&from)).store(&mut to));
                        continue;
                    }
                    let first = <D::Array as IndexArray>::RANK - rect.rank();
                    row_major(target.extents(), |index| {
                        let mut from = index;
                        for dim in 0..rect.rank() {
                            // Within the tile, whose indices fit.
                            from.as_mut()[first + dim] += usize::try_from(part.lo()[dim] - rect.lo()[dim]).unwrap_or(0);
                        }
                        target.set(index, op.combine(target.load(index), buffer.load(from)));
                    });
                }
            }
            Ok(())
        };
        let body: Arc<dyn crate::graph::Body> = Arc::new(Once { what: "combine contributions", work });
        let claim = Some((self.elements.root.clone(), self.elements.root.storage.reach(&hull)));
        Some(Combine { body, parts: self.contributions.clone(), everywhere: false, claim, place, node: None })
    }
}

/// The parts of a box in which no element has two indices: one for each index along dimensions along which nothing changes.
fn parts(transform: &Transform, rect: &Rect) -> impl Iterator<Item = Rect> {
    let imaginary = |dim| transform.is_imaginary(dim);
    let (lo, hi) = (rect.lo(), rect.hi());
    let dims = 0..rect.rank();
    let ends = dims.clone().map(|dim| if imaginary(dim) { hi[dim] } else { lo[dim] + 1 }).collect();
    let part = move |at: Point| {
        let ends = dims.clone().map(|dim| if imaginary(dim) { at[dim] + 1 } else { hi[dim] }).collect();
        Rect::new(at, ends)
    };
    let empty = rect.is_empty();
    Rect::new(lo, ends).points().filter(move |_| !empty).map(part)
}
