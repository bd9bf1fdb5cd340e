//! Unbound stores: their extents are known after a task has emitted to them.

use core::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use layout_core::{Dim, Record, RecordLayout};
use layout_mappings::SoA;

use super::arguments::{Argument, At, Combine, Combiners, Following, Placed, sealed};
use super::elements::Elements;
use super::kept::KeptList;
use super::launcher::Launcher;
use super::plan::{Described, Manual, Plan};
use super::routed::Routed;
use crate::error::StoreError;
use crate::geometry::{Coordinates, Point, Rect, StoreRank, Transform, point_of};
use crate::graph::{Cause, Node, TaskBodyError};
use crate::locale::Locale;
use crate::partition::{Placement, Tiling};
use crate::sync::{AtomicBool, Mutex, Ordering};

/// A store whose extents are not known before a task has emitted its elements.
///
/// In one dimension, each task body appends any number of elements. In more dimensions, each task body emits a box, and the boxes are put
/// together like the points of the launch: in a grid, or, if the launch has another number of dimensions, one after another along the first
/// dimension.
///
/// # Examples
///
/// ```
/// use layout::store::{Dim, Runtime, Store, Unbound, emit, read};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let numbers: Store<i64, _> = rt.create_from_fn(100, |index| index[0])?;
/// let squares: Unbound<i64> = rt.unbound();
/// rt.task("squares").args((read(&numbers), emit(&squares))).launch(|_, (numbers, mut squares)| {
///     for number in numbers.values().filter(|number| (1..=4).contains(number)) {
///         squares.push(number * number);
///     }
/// })?;
/// assert_eq!(squares.store()?.to_vec()?, [1, 4, 9, 16]);
///
/// let grid: Unbound<i64, Dim<2>> = rt.unbound();
/// rt.task("grid").over([2, 2])?.args((emit(&grid),)).launch(|task, (grid,)| {
///     let [i, j] = [task.point()[0], task.point()[1]];
///     grid.bind([1 + i, 2], vec![10 * i + j; (2 + 2 * i) as usize])
/// })?;
/// assert_eq!(grid.store()?.to_vec()?, [0, 0, 1, 1, 10, 10, 11, 11, 10, 10, 11, 11]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub struct Unbound<R, D = Dim<1>, L = SoA> {
    pub(super) inner: Arc<Shared<R, D, L>>,
}

pub(super) struct Shared<R, D, L> {
    pub(super) launcher: Arc<Launcher>,
    emission: Mutex<Option<Emission<R>>>,
    /// `true` once a task that emits was launched: set and read under the lock of the program.
    emits: Arc<AtomicBool>,
    pub(super) asked: Mutex<Asked>,
    /// The node after which the store exists, once it was asked for.
    pub(super) bound: Mutex<Option<Arc<Node>>>,
    pub(super) elements: OnceLock<Elements<R, D, L>>,
    /// Elements that were sent to points, as if each point had emitted the elements that it received, once the store was asked for.
    pub(super) collected: OnceLock<Unbound<R, D, L>>,
}

/// The users of the elements.
#[derive(Default)]
pub(super) struct Asked {
    /// Tasks take the elements by point, so they stay.
    pub(super) by_point: bool,
    /// The elements are in a store, or will be.
    pub(super) in_store: bool,
    /// The error of the locale that has no memory for its part of the store.
    pub(super) refused: Option<StoreError>,
}

/// The launch of a task that emits.
pub(super) struct Emission<R> {
    pub(super) domain: Rect,
    /// The locales of its points.
    pub(super) placement: Placement,
    pub(super) kept: Kept<R>,
}

impl<R> Clone for Emission<R> {
    fn clone(&self) -> Self {
        Self { domain: self.domain, placement: self.placement.clone(), kept: self.kept.clone() }
    }
}

/// The place of the elements.
pub(super) enum Kept<R> {
    /// Each point has the elements that it emitted.
    Own(Arc<Lists<R>>),
    /// Each point has the elements that were sent to it.
    Sent(Arc<Routed<R>>),
}

impl<R> Clone for Kept<R> {
    fn clone(&self) -> Self {
        match self {
            Self::Own(lists) => Self::Own(lists.clone()),
            Self::Sent(routed) => Self::Sent(routed.clone()),
        }
    }
}

impl<R> Emission<R> {
    /// The description of an argument of a launch over the same points, each of which takes the elements of the same point.
    pub(super) fn describe(&self, call: &'static str, locale: &Arc<Locale>) -> Result<Described, StoreError> {
        let colors = self.domain.hi();
        let tiling = Arc::new(Tiling::new(colors, Point::splat(colors.len(), 1), None)?);
        let (manual, transform) = (Some(Manual { tiling, projection: None }), Arc::new(Transform::identity(colors)?));
        let values = Described::values(call, locale, Some(self.placement.clone()))?;
        Ok(Described { manual, transform, ..values })
    }

    /// Makes a point wait for the point of the same number only, or for all points that may have sent to it.
    pub(super) fn follow(&self, point: Following<'_>) {
        match &self.kept {
            Kept::Own(lists) => lists.0[point.number()].node.get().iter().for_each(|first| point.after(first)),
            Kept::Sent(routed) => routed.follow(point),
        }
    }
}

impl<R, D, L> Drop for Shared<R, D, L> {
    fn drop(&mut self) {
        self.elements.get().iter().for_each(|elements| elements.root.let_go());
    }
}

impl<R, D, L> Shared<R, D, L> {
    /// Records the launch that emits.
    pub(super) fn set_emission(&self, emission: Emission<R>) {
        self.emits.store(true, Ordering::Relaxed);
        *self.emission.lock() = Some(emission);
    }

    /// The launch that emits.
    pub(super) fn emission(&self) -> Result<Emission<R>, StoreError> {
        self.emission.lock().clone().ok_or(StoreError::Unbound)
    }

    /// [`emission`](Self::emission) for a task that takes the elements by point, so that they stay.
    pub(super) fn by_point(&self) -> Result<Emission<R>, StoreError> {
        let emission = self.emission()?;
        let mut asked = self.asked.lock();
        if asked.in_store && !asked.by_point {
            return Err(StoreError::Moved);
        }
        asked.by_point = true;
        Ok(emission)
    }
}

impl<R, D, L> Unbound<R, D, L> {
    pub(crate) fn new(launcher: &Arc<Launcher>) -> Self {
        let launcher = launcher.clone();
        let (emission, emits) = (Mutex::default(), Arc::default());
        let (asked, bound) = (Mutex::default(), Mutex::default());
        Self {
            inner: Arc::new(Shared {
                launcher,
                emission,
                emits,
                asked,
                bound,
                elements: OnceLock::new(),
                collected: OnceLock::new(),
            }),
        }
    }

    /// Returns `true` if no task that emits to it was launched yet.
    #[must_use]
    pub fn is_unbound(&self) -> bool {
        self.inner.emission.lock().is_none()
    }

    /// The description of an argument that emits to it.
    pub(super) fn describe(&self, values: Result<Described, StoreError>) -> Result<Described, StoreError> {
        if !self.is_unbound() {
            return Err(StoreError::Bound);
        }
        Ok(Described { target: Some(self.inner.emits.clone()), ..values? })
    }

    /// The launcher of that task.
    pub(crate) fn launcher(&self) -> &Arc<Launcher> {
        &self.inner.launcher
    }
}

impl<R, D, L> Clone for Unbound<R, D, L> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

/// The elements that one task body emitted: a box, row by row.
#[doc(hidden)]
pub struct List<R> {
    /// The extents; in one dimension, the extent is the number of elements.
    pub(super) extents: Option<Point>,
    pub(super) elements: Vec<R>,
}

/// A [`List`] whose memory is counted.
pub(super) struct OwnList<R> {
    pub(super) extents: Option<Point>,
    pub(super) elements: KeptList<R>,
}

impl<R> OwnList<R> {
    /// Keeps a list, if there is memory for it.
    pub(super) fn new(list: List<R>, locale: &Locale) -> Result<Self, StoreError> {
        Ok(Self { extents: list.extents, elements: KeptList::new(list.elements, locale)? })
    }
}

impl<R> Default for OwnList<R> {
    fn default() -> Self {
        Self { extents: None, elements: KeptList::default() }
    }
}

impl<R> Default for List<R> {
    fn default() -> Self {
        Self { extents: None, elements: Vec::new() }
    }
}

/// The elements that each task body emitted.
pub(super) struct Lists<R>(pub(super) Vec<Own<R>>);

/// The elements of one task body, and its node, if it runs here.
pub(super) struct Own<R> {
    pub(super) list: Mutex<OwnList<R>>,
    node: OnceLock<Arc<Node>>,
}

impl<R> Default for Own<R> {
    fn default() -> Self {
        Self { list: Mutex::default(), node: OnceLock::new() }
    }
}

/// An argument to which task bodies emit; see [`emit`].
pub struct Emit<R: Record, D, L> {
    target: Unbound<R, D, L>,
    contributions: Arc<Lists<R>>,
    placement: Option<Placement>,
}

/// Makes an argument to which each task body appends any number of elements, or a box of elements.
///
/// The closure gets an [`Emitter`]. The elements of a task body count against [`memory_limit`](crate::Builder::memory_limit) from its end
/// on, until they are taken or the [`Unbound`] is dropped. If there is no memory left, the point fails with [`StoreError::Kept`], which
/// names the locale.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, Unbound, emit, read};
///
/// let rt = Runtime::builder().pieces(3).min_chunk(1).build()?;
/// let numbers: Store<i64, _> = rt.create_from_fn(9, |at| at[0])?;
/// let odd: Unbound<i64> = rt.unbound();
/// rt.task("odd").args((read(&numbers), emit(&odd))).launch(|_, (numbers, mut odd)| {
///     odd.extend(numbers.values().filter(|number| number % 2 == 1));
/// })?;
/// assert_eq!(odd.store()?.to_vec()?, [1, 3, 5, 7]); // of the first tile first
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[must_use]
pub fn emit<R: Record, D, L>(target: &Unbound<R, D, L>) -> Emit<R, D, L> {
    Emit { target: target.clone(), contributions: Arc::new(Lists(Vec::new())), placement: None }
}

/// The emitter of a task body, for an argument to which it emits.
pub struct Emitter<'a, R, D = Dim<1>> {
    emitted: &'a mut List<R>,
    rank: PhantomData<D>,
}

impl<R> Emitter<'_, R> {
    /// Appends an element.
    pub fn push(&mut self, element: R) {
        self.emitted.elements.push(element);
    }
}

impl<R, D> Emitter<'_, R, D> {
    /// Emits a list.
    pub(super) fn take(self, elements: Vec<R>) {
        self.emitted.elements = elements;
    }
}

impl<R> Extend<R> for Emitter<'_, R> {
    fn extend<I: IntoIterator<Item = R>>(&mut self, elements: I) {
        self.emitted.elements.extend(elements);
    }
}

impl<R, D: StoreRank> Emitter<'_, R, D> {
    /// Emits a box of elements, the last dimension fastest. The task body can emit only one box.
    ///
    /// # Errors
    ///
    /// Returns an error if the number of elements differs from that of the box.
    pub fn bind(self, extents: impl Coordinates<D, i64>, elements: Vec<R>) -> Result<(), TaskBodyError> {
        let extents = point_of(extents.entries())?;
        let needed = Transform::identity(extents).map_err(StoreError::from)?.volume();
        if i64::try_from(elements.len()) != Ok(needed) {
            let needed = usize::try_from(needed).unwrap_or(usize::MAX);
            return Err(StoreError::Records { given: elements.len(), needed, extents }.into());
        }
        *self.emitted = List { extents: Some(extents), elements };
        Ok(())
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> sealed::Sealed for Emit<R, D, L> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Argument for Emit<R, D, L> {
    type Given<'a> = Emitter<'a, R, D>;
    type Handle<'a> = PhantomData<&'a ()>;
    type Held<'r> = List<R>;

    fn describe(&self) -> Result<Described, StoreError> {
        self.target.describe(Described::values("emit", &self.target.launcher().locale, None))
    }

    fn handle(&self, _: usize) -> PhantomData<&()> {
        PhantomData
    }

    fn prepare(&mut self, points: Placed<'_>) {
        self.placement = Some(points.placement().clone());
        self.contributions = Arc::new(Lists((0..points.count()).map(|_| Own::default()).collect()));
    }

    fn hold(&self, _: &Rect, _: At<'_>) -> Result<List<R>, Cause> {
        Ok(List::default())
    }

    fn give<'a>(held: &'a mut List<R>) -> Result<Emitter<'a, R, D>, Cause> {
        Ok(Emitter { emitted: held, rank: PhantomData })
    }

    fn keep(&self, held: List<R>, number: usize) -> Result<(), Cause> {
        *self.contributions.0[number].list.lock() = OwnList::new(held, &self.target.launcher().locale)?;
        Ok(())
    }

    fn combine(&mut self, plan: &Plan, _: u32, _: &Combiners) -> Option<Combine> {
        let (domain, lists) = (plan.domain, self.contributions.clone());
        let placement = self.placement.clone()?;
        let kept = Kept::Own(lists);
        self.target.inner.set_emission(Emission { domain, placement, kept });
        None
    }

    fn follow(&self, point: Following<'_>) {
        let _ = self.contributions.0[point.number()].node.set(point.node().clone());
    }
}
