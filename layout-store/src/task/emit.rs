//! Unbound stores: their extent is known when a task has written them.

use core::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use layout_core::{Dim, Record, RecordLayout};
use layout_mappings::SoA;

use super::arguments::{Argument, At, Combine, Once, sealed};
use super::elements::Elements;
use super::launcher::Launcher;
use super::plan::{Described, Plan};
use crate::error::StoreError;
use crate::geometry::{Coordinates, Point, Rect, StoreRank, Transform, point_of};
use crate::graph::{Body, Cause, Engine, Node, TaskBodyError};
use crate::locale::Parts;
use crate::partition::Access;
use crate::sync::Mutex;

/// A store whose extents are not known before a task has emitted its elements.
///
/// In one dimension each task body appends as many elements as it likes. In more, each task body emits a box, and the
/// boxes are put together as the points of the launch are: in a grid, or, if the launch has another number of
/// dimensions, one after another along the first one.
///
/// # Examples
///
/// ```
/// use layout_store::{Dim, Runtime, Store, Unbound, emit, read};
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
/// # Ok::<(), layout_store::StoreError>(())
/// ```
pub struct Unbound<R, D = Dim<1>, L = SoA> {
    inner: Arc<Shared<R, D, L>>,
}

struct Shared<R, D, L> {
    launcher: Arc<Launcher>,
    /// The node after which the store is there.
    node: Mutex<Option<Arc<Node>>>,
    elements: OnceLock<Elements<R, D, L>>,
}

impl<R, D, L> Drop for Shared<R, D, L> {
    fn drop(&mut self) {
        self.elements.get().iter().for_each(|elements| elements.root.let_go());
    }
}

impl<R, D, L> Unbound<R, D, L> {
    pub(crate) fn new(launcher: &Arc<Launcher>) -> Self {
        let launcher = launcher.clone();
        Self { inner: Arc::new(Shared { launcher, node: Mutex::new(None), elements: OnceLock::new() }) }
    }

    /// Whether no task was launched yet that emits to it.
    #[must_use]
    pub fn is_unbound(&self) -> bool {
        self.inner.node.lock().is_none()
    }

    /// Waits for the task that emits to it, and gives the elements.
    pub(crate) fn elements(&self) -> Result<Elements<R, D, L>, StoreError> {
        Engine::check_outside()?;
        let node = self.inner.node.lock().clone().ok_or(StoreError::Unbound)?;
        self.launcher().locale.wait_for(&node)?;
        self.inner.elements.get().cloned().ok_or(StoreError::Unbound)
    }

    /// What launched, or will launch, that task.
    pub(crate) fn launcher(&self) -> &Arc<Launcher> {
        &self.inner.launcher
    }
}

impl<R, D, L> Clone for Unbound<R, D, L> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

/// What one task body emitted: a box of elements, row by row.
#[doc(hidden)]
#[derive(Clone)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct Emitted<R> {
    /// Of one dimension the extent is the number of elements.
    extents: Option<Point>,
    elements: Vec<R>,
}

impl<R> Default for Emitted<R> {
    fn default() -> Self {
        Self { extents: None, elements: Vec::new() }
    }
}

/// What each task body emitted.
struct Lists<R>(Vec<Mutex<Emitted<R>>>);

impl<R: Record> Parts for Lists<R> {
    fn give(&self, number: usize, _: usize, take: bool) -> (Box<dyn core::any::Any + Send>, usize) {
        let mut list = self.0[number].lock();
        let list = if take { core::mem::take(&mut *list) } else { list.clone() };
        let bytes = list.elements.len() * size_of::<R>();
        (Box::new(list), bytes)
    }

    fn put(&self, number: usize, contribution: Box<dyn core::any::Any + Send>) {
        if let Ok(list) = contribution.downcast::<Emitted<R>>() {
            *self.0[number].lock() = *list;
        }
    }
}

/// An argument that is emitted to; see [`emit`].
pub struct Emit<R: Record, D, L> {
    target: Unbound<R, D, L>,
    contributions: Arc<Lists<R>>,
}

/// An argument to which each task body appends as many elements as it likes, or a box of elements.
///
/// The closure gets an [`Emitter`].
///
/// # Examples
///
/// ```
/// use layout_store::{Runtime, Store, Unbound, emit, read};
///
/// let rt = Runtime::builder().pieces(3).min_chunk(1).build()?;
/// let numbers: Store<i64, _> = rt.create_from_fn(9, |at| at[0])?;
/// let odd: Unbound<i64> = rt.unbound();
/// rt.task("odd").args((read(&numbers), emit(&odd))).launch(|_, (numbers, mut odd)| {
///     odd.extend(numbers.values().filter(|number| number % 2 == 1));
/// })?;
/// assert_eq!(odd.store()?.to_vec()?, [1, 3, 5, 7]); // of the first tile first
/// # Ok::<(), layout_store::StoreError>(())
/// ```
#[must_use]
pub fn emit<R: Record, D, L>(target: &Unbound<R, D, L>) -> Emit<R, D, L> {
    Emit { target: target.clone(), contributions: Arc::new(Lists(Vec::new())) }
}

/// What a task body gets for an argument that it emits to.
pub struct Emitter<'a, R, D = Dim<1>> {
    emitted: &'a mut Emitted<R>,
    rank: PhantomData<D>,
}

impl<R> Emitter<'_, R> {
    /// Appends an element.
    pub fn push(&mut self, element: R) {
        self.emitted.elements.push(element);
    }
}

impl<R> Extend<R> for Emitter<'_, R> {
    fn extend<I: IntoIterator<Item = R>>(&mut self, elements: I) {
        self.emitted.elements.extend(elements);
    }
}

impl<R, D: StoreRank> Emitter<'_, R, D> {
    /// Emits a box of elements, the last dimension fastest: all that this task body emits.
    ///
    /// # Errors
    ///
    /// Where there are fewer or more elements than the box has.
    pub fn bind(self, extents: impl Coordinates<D, i64>, elements: Vec<R>) -> Result<(), TaskBodyError> {
        let extents = point_of(extents.entries())?;
        let needed = Transform::identity(extents).map_err(StoreError::from)?.volume();
        if i64::try_from(elements.len()) != Ok(needed) {
            let needed = usize::try_from(needed).unwrap_or(usize::MAX);
            return Err(StoreError::Records { given: elements.len(), needed, extents }.into());
        }
        *self.emitted = Emitted { extents: Some(extents), elements };
        Ok(())
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> sealed::Sealed for Emit<R, D, L> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Argument for Emit<R, D, L> {
    type Given<'a> = Emitter<'a, R, D>;
    type Handle<'a> = PhantomData<&'a ()>;
    type Held<'r> = Emitted<R>;

    fn describe(&self) -> Result<Described, StoreError> {
        if !self.target.is_unbound() {
            return Err(StoreError::Bound);
        }
        let transform = Arc::new(Transform::identity(Point::EMPTY)?);
        let locale = self.target.launcher().locale.clone();
        Ok(Described { locale, root: None, transform, access: Access::Read, manual: None, placement: None })
    }

    fn handle(&self, _: usize) -> PhantomData<&()> {
        PhantomData
    }

    fn prepare(&mut self, points: usize) {
        self.contributions = Arc::new(Lists((0..points).map(|_| Mutex::default()).collect()));
    }

    fn hold(&self, _: &Rect, _: At<'_>) -> Result<Emitted<R>, Cause> {
        Ok(Emitted::default())
    }

    fn give<'a>(held: &'a mut Emitted<R>) -> Result<Emitter<'a, R, D>, Cause> {
        Ok(Emitter { emitted: held, rank: PhantomData })
    }

    fn keep(&self, held: Emitted<R>, number: usize) {
        *self.contributions.0[number].lock() = held;
    }

    fn combine(&self, plan: &Plan, _: usize) -> Option<Combine> {
        let (target, contributions) = (self.target.inner.clone(), self.contributions.clone());
        let (root, domain) = (target.launcher.locale.next_root(), plan.domain);
        let work = move || {
            let parts: Vec<Emitted<R>> =
                contributions.0.iter().map(|part| core::mem::take(&mut *part.lock())).collect();
            let (extents, boxes) = together(D::RANK, domain, &parts)?;
            let elements = Elements::<R, D, L>::new_in(&target.launcher.locale, extents, root)?;
            elements.write_boxes(&target.launcher, boxes.iter().zip(parts.into_iter().map(|part| part.elements)))?;
            // Whoever has the target has a handle.
            elements.root.take_up();
            let _ = target.elements.set(elements);
            Ok(())
        };
        let body: Arc<dyn Body> = Arc::new(Once { what: "bind emitted elements", work });
        let shared = self.target.inner.clone();
        let node = move |node: &Arc<Node>| *shared.node.lock() = Some(node.clone());
        let parts = self.contributions.clone();
        Some(Combine { body, parts, everywhere: true, claim: None, place: Arc::default(), node: Some(Box::new(node)) })
    }
}

/// The extents of the store of all, and where the box of each point lies in it.
fn together<R>(rank: Option<usize>, domain: Rect, parts: &[Emitted<R>]) -> Result<(Point, Vec<Rect>), StoreError> {
    let bound = || parts.iter().find_map(|part| part.extents.map(|extents| extents.len()));
    let rank = rank.or_else(bound).unwrap_or(1);
    let extents_of = |part: &Emitted<R>| match part.extents {
        None if rank == 1 => i64::try_from(part.elements.len()).ok().map(|extent| Point::from([extent])),
        extents => extents,
    };
    let grid = domain.rank() == rank;
    let color = |number: usize, dim: usize| match (grid, dim) {
        (true, _) => usize::try_from(domain.nth(number)[dim] - domain.lo()[dim]).unwrap_or(0),
        (false, 0) => number,
        (false, _) => 0,
    };
    // For each dimension, how long the boxes of each colour are.
    let mut sizes: Vec<Vec<Option<i64>>> = (0..rank)
        .map(|dim| vec![None; if grid { usize::try_from(domain.extents()[dim]).unwrap_or(0) } else { parts.len() }])
        .collect();
    for (number, part) in parts.iter().enumerate() {
        let Some(extents) = extents_of(part) else { continue };
        if extents.len() != rank {
            return Err(StoreError::Rank { given: extents.len(), expected: rank });
        }
        for (dim, sizes) in sizes.iter_mut().enumerate() {
            let expected = *sizes[color(number, dim)].get_or_insert(extents[dim]);
            if expected != extents[dim] {
                return Err(StoreError::Emitted { point: domain.nth(number), extents, dim, expected });
            }
        }
    }
    // Where boxes of each colour start, and, last, where all end.
    let starts: Vec<Vec<i64>> = sizes
        .iter()
        .map(|sizes| {
            let ends = sizes.iter().scan(0, |end, size| {
                *end += size.unwrap_or(0);
                Some(*end)
            });
            core::iter::once(0).chain(ends).collect()
        })
        .collect();
    let mut boxes = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let corner = |after: usize| (0..rank).map(|dim| starts[dim][color(number, dim) + after]).collect();
        let place = Rect::new(corner(0), corner(1));
        if extents_of(part).is_none() && !place.is_empty() {
            let (extents, expected) = (Point::splat(rank, 0), place.extents()[0]);
            return Err(StoreError::Emitted { point: domain.nth(number), extents, dim: 0, expected });
        }
        boxes.push(place);
    }
    Ok((starts.iter().map(|starts| starts[starts.len() - 1]).collect(), boxes))
}
