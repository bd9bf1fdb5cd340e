//! Emitted elements as an argument of a later launch over the same points.

use layout_core::{ArrayExtents, Extents, IndexArray, Mapped, Record, RecordLayout, RowMajor, View};

use super::arguments::{Argument, At, Following, sealed};
use super::contributed::Contributions;
use super::emit::{Emission, Kept, Unbound};
use super::plan::Described;
use crate::error::StoreError;
use crate::geometry::{Point, Rect, StoreRank};
use crate::graph::Cause;
use crate::memory::{Charge, row_major};
use crate::sync::Mutex;

/// An argument of emitted elements; see [`emitted`].
pub struct Emitted<R: Record, D, L> {
    source: Unbound<R, D, L>,
    emission: Mutex<Option<Emission<R>>>,
}

/// Makes an argument of the elements that the same point of an earlier launch [emitted](crate::emit), or that were [sent](crate::send) to
/// it. Each task body gets a view of them, in the layout of the unbound store.
///
/// For emitted elements, a point waits only for the same point of the earlier launch, which ran on the same locale; it does not wait for
/// other points or for their sizes, and nothing is sent. For sent elements, a point waits for all points. The launch is over the points of
/// the earlier one: other stores are given as partitions with the same number of tiles, or whole. For any other constraint, make a
/// [store](Unbound::store) of the elements, which waits for all points.
///
/// A store takes the elements with it, unless a task that gets them by point was launched before. After that, no task can get them by
/// point.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, StoreError, Unbound, emit, emitted, read};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let numbers: Store<i64, _> = rt.create_from_fn(20, |at| at[0])?;
/// let odd: Unbound<i64> = rt.unbound();
/// rt.task("odd").args((read(&numbers), emit(&odd))).launch(|_, (numbers, mut odd)| {
///     odd.extend(numbers.values().filter(|number| number % 2 == 1));
/// })?;
/// let sums = rt.task("sums").args((emitted(&odd),)).map(|_, (odd,)| Ok((odd.len(), odd.values().sum::<i64>())))?;
/// assert_eq!(sums.get()?, [(2, 4), (3, 21), (2, 24), (3, 51)]);
/// assert_eq!(odd.store()?.volume(), 10);
///
/// let squares: Unbound<i64> = rt.unbound();
/// rt.task("squares").over([2])?.args((emit(&squares),)).launch(|task, (mut to,)| to.push(task.point()[0]))?;
/// squares.store()?;
/// let late = rt.task("late").args((emitted(&squares),)).launch(|_, _| ());
/// assert!(matches!(late, Err(StoreError::Moved)));
/// # Ok::<(), StoreError>(())
/// ```
#[must_use]
pub fn emitted<R: Record, D, L>(source: &Unbound<R, D, L>) -> Emitted<R, D, L> {
    Emitted { source: source.clone(), emission: Mutex::default() }
}

impl<R: Record, D, L> Emitted<R, D, L> {
    /// The elements of a known launch.
    pub(super) fn of(source: &Unbound<R, D, L>, emission: Emission<R>) -> Self {
        Self { source: source.clone(), emission: Mutex::new(Some(emission)) }
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Emitted<R, D, L> {
    /// A view of elements in a box, or of a list without extents.
    fn held(
        &self,
        sides: Option<Point>,
        count: usize,
        mut elements: impl Iterator<Item = R>,
    ) -> Result<HeldList<R, D, L>, Cause> {
        let sides = sides.unwrap_or_else(|| Point::from([i64::try_from(count).unwrap_or(i64::MAX)]));
        let mut extents = D::Array::ZERO;
        let first = <D::Array as IndexArray>::RANK - sides.len();
        extents.as_mut()[..first].fill(usize::from(count > 0));
        for (dim, side) in sides.iter().enumerate() {
            extents.as_mut()[first + dim] = usize::try_from(*side).unwrap_or(0);
        }
        let budget = &self.source.launcher().locale.budget;
        let charge = budget.charge(count.saturating_mul(size_of::<R>()))?;
        let mapping = Mapped::with(ArrayExtents::from_array(extents)?, L::default(), RowMajor)?;
        let mut view: Contributions<R, D, L> = View::zeroed(mapping)?;
        row_major(extents, |at| elements.next().iter().for_each(|element| view.set(at, *element)));
        Ok(HeldList { view, _charge: charge })
    }
}

/// Elements of a point in the layout of the unbound store, and the memory that they count for.
#[doc(hidden)]
pub struct HeldList<R: Record, D: StoreRank, L: RecordLayout<R>> {
    view: Contributions<R, D, L>,
    _charge: Charge,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> sealed::Sealed for Emitted<R, D, L> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Argument for Emitted<R, D, L> {
    type Given<'a> = &'a Contributions<R, D, L>;
    type Handle<'a> = ();
    type Held<'r> = HeldList<R, D, L>;

    fn describe(&self) -> Result<Described, StoreError> {
        let mut emission = self.emission.lock();
        if emission.is_none() {
            *emission = Some(self.source.inner.by_point()?);
        }
        emission.as_ref().ok_or(StoreError::Unbound)?.describe("emitted", &self.source.launcher().locale)
    }

    fn handle(&self, _: usize) {}

    fn follow(&self, point: Following<'_>) {
        self.emission.lock().iter().for_each(|emission| emission.follow(point));
    }

    fn hold(&self, _: &Rect, at: At<'_>) -> Result<HeldList<R, D, L>, Cause> {
        let emission = self.emission.lock().clone().ok_or(StoreError::Unbound)?;
        match &emission.kept {
            Kept::Own(lists) => {
                let list = lists.0[at.number()].list.lock();
                let elements = &list.elements.values;
                self.held(list.extents, elements.len(), elements.iter().copied())
            }
            Kept::Sent(routed) => self.held(None, routed.count_of(at.number()), routed.values_of(at.number())),
        }
    }

    fn give(held: &mut HeldList<R, D, L>) -> Result<&Contributions<R, D, L>, Cause> {
        Ok(&held.view)
    }
}
