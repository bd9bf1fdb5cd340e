//! Arguments to which tasks contribute.

use std::sync::Arc;

use layout_core::{IntoIndex, Record, RecordLayout};
use layout_mappings::SoA;

use super::argument::Source;
use super::arguments::{Argument, At, By, Combine, Combiners, sealed};
use super::constrain::Handle;
use super::contributed::{Contributed, Contributions, contributions};
use super::elements::Elements;
use super::plan::{Described, Manual, Plan};
use super::reduction::Reduction;
use crate::error::StoreError;
use crate::geometry::{Point, Rect, StoreRank};
use crate::graph::{Body, Cause, Row, caught};
use crate::locale::{Places, place_of};
use crate::memory::Charge;
use crate::partition::{Access, Tiling};

/// An argument to which tasks contribute; see [`reduce`].
pub struct Reduce<R: Record, D: StoreRank, L: RecordLayout<R>, O> {
    elements: Elements<R, D, L>,
    manual: Option<Manual>,
    op: O,
    /// The tiles whose locales combine the contributions, if they are given.
    owners: Option<Arc<Tiling>>,
    /// The contributions, after the task is launched.
    contributed: Option<Arc<Contributed<R, D, L>>>,
}

/// Makes an argument to whose elements the task contributes by `op`; tiles of different points may overlap.
///
/// The closure gets a [`Reducer`]. The contributions of all points are combined with the store in the order of colors. If several indices
/// are one element, as in a promoted dimension, the element gets the contributions to all of them.
///
/// Contributions count as memory of stores until they are combined. They are kept as the record has them: a layout that stores other values,
/// such as [`ChangeType`](layout_mappings::ChangeType), gets only the final value of an element. For such a layout, and if elements share
/// bytes, the locale that combines contributions needs memory once more, for a record at each index of the box around all of them.
///
/// With several locales, the locales that have the elements combine the contributions: those of the tiles that
/// [`owned_by`](Reduce::owned_by) gives, or of the launch that last wrote all elements that get contributions, tile by tile, or else those
/// of a task that would only update the store. Each point sends each of these locales one message with the values for its tiles, and the
/// elements stay on their locales. One locale combines everything if elements share bytes; the first locale does if the argument has a [delinearized](crate::Store::delinearize) dimension.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, Sum, broadcast, read, reduce};
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
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[must_use]
pub fn reduce<S: Source, O: Reduction<S::Record>>(source: &S, op: O) -> Reduce<S::Record, S::Rank, S::Layout, O> {
    let (elements, manual) = source.source();
    Reduce { elements, manual, op, owners: None, contributed: None }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R>, O> Reduce<R, D, L, O> {
    /// Chooses the locales that combine the contributions, and have the elements afterwards: those of the tiles that a distribution gives,
    /// whichever launch wrote the elements before. Tiles that do not have each element of the argument once are ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::{Cyclic, Targets};
    /// use layout::store::{Distribution, Runtime, Store, StoreError, Sum, reduce};
    ///
    /// let back = Targets::of([1, 0])?;
    /// let own = Runtime::builder().locales(2).threads(1).whole_below(0).simulate(|rt| {
    ///     let counts: Store<i64, _> = rt.create(2)?;
    ///     counts.fill(0)?;
    ///     let cyclic = Distribution::map(Cyclic::new([0], back.clone()));
    ///     let tiles = rt.tiling([2].into(), &cyclic)?.expect("two elements");
    ///     let task = rt.task("count").args((reduce(&counts, Sum).owned_by(&tiles),)).over([2])?;
    ///     task.launch(|task, (mut counts,)| counts.reduce(task.point()[0] as usize, 1))?;
    ///     // Locale 1 has element 0.
    ///     counts.partition_by(&tiles)?.read_local(|own| own.iter().map(|(rect, _)| rect.lo()[0]).collect::<Vec<_>>())
    /// })?;
    /// assert_eq!(own.into_iter().collect::<Result<Vec<_>, StoreError>>()?, [[1], [0]]);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn owned_by(self, tiles: &Arc<Tiling>) -> Self {
        Self { owners: Some(tiles.clone()), ..self }
    }
}

/// The reducer of a task body, for an argument to which it contributes.
pub struct Reducer<'a, R: Record, D: StoreRank, O> {
    buffer: &'a mut Contributions<R, D, SoA>,
    op: &'a O,
}

impl<R: Record, D: StoreRank, O: Reduction<R>> Reducer<'_, R, D, O> {
    /// Contributes a value to the element at an index of the tile.
    ///
    /// # Panics
    ///
    /// Panics if the index is not in the tile.
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

    /// The contributions of this task body so far; the identity for elements without contributions.
    pub fn contributions(&mut self) -> &mut Contributions<R, D, SoA> {
        self.buffer
    }
}

/// The contributions of a task body while it runs.
#[doc(hidden)]
pub struct HeldBuffer<'r, R: Record, D: StoreRank, O> {
    buffer: Contributions<R, D, SoA>,
    charge: Charge,
    op: &'r O,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, O: Reduction<R>> sealed::Sealed for Reduce<R, D, L, O> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, O: Reduction<R>> Argument for Reduce<R, D, L, O> {
    type Given<'a> = Reducer<'a, R, D, O>;
    type Handle<'a> = Handle<'a, R, D, L>;
    type Held<'r> = HeldBuffer<'r, R, D, O>;

    fn describe(&self) -> Result<Described, StoreError> {
        Ok(Described { owners: self.owners.clone(), ..self.elements.described(Access::Reduce, self.manual.clone()) })
    }

    fn handle(&self, number: usize) -> Handle<'_, R, D, L> {
        Handle { number, elements: &self.elements }
    }

    fn hold(&self, rect: &Rect, _: At<'_>) -> Result<HeldBuffer<'_, R, D, O>, Cause> {
        let (mut buffer, charge) =
            contributions::<R, D>(rect, &self.elements.root.locale.budget, || Ok(self.op.identity()))?;
        buffer.fill(self.op.identity());
        Ok(HeldBuffer { buffer, charge, op: &self.op })
    }

    fn give<'a>(held: &'a mut HeldBuffer<'_, R, D, O>) -> Result<Reducer<'a, R, D, O>, Cause> {
        Ok(Reducer { buffer: &mut held.buffer, op: held.op })
    }

    fn keep(&self, held: HeldBuffer<'_, R, D, O>, number: usize) -> Result<(), Cause> {
        if let Some(contributed) = &self.contributed {
            contributed.keep(number, (held.buffer, held.charge));
        }
        Ok(())
    }

    fn combine(&mut self, _: &Plan, number: u32, owners: &Combiners) -> Option<Combine> {
        let owners = owners.0.iter().find(|owners| owners.argument == number)?.clone();
        let contributed = Arc::new(Contributed::new(self.elements.clone(), owners.clone()));
        self.contributed = Some(contributed.clone());
        let (parts, op) = (contributed.clone(), self.op.clone());
        let body = |first, places| -> Arc<dyn Body> { Arc::new(Combining { contributed, op, first, places }) };
        let root = self.elements.root.clone();
        Some(Combine { parts, by: By::Owners { root, owners, body: Box::new(body) } })
    }
}

/// The body of nodes that combine contributions with elements; each node combines one tile.
struct Combining<R: Record, D: StoreRank, L: RecordLayout<R>, O> {
    contributed: Arc<Contributed<R, D, L>>,
    op: O,
    /// The number of the node of the first tile.
    first: usize,
    /// The places of tiles, if no locale has the whole store.
    places: Option<Places>,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, O: Reduction<R>> Body for Combining<R, D, L, O> {
    fn run(&self, number: usize) -> Result<(), Cause> {
        let tile = number - self.first;
        let place = self.places.as_ref().and_then(|places| place_of(places, tile));
        caught(|| self.contributed.combine(&self.op, tile, place.map(|place| &*place.region)))
    }

    fn row(&self) -> Row {
        Row::Combine
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("combine contributions".to_owned(), Point::EMPTY)
    }
}
