//! Arguments that task bodies read and write.

use core::marker::PhantomData;
use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::arguments::{Argument, At, sealed};
use super::constrain::Handle;
use super::elements::{Elements, Types};
use super::order::{Order, OrderPolicy, TileAlone};
use super::plan::{Described, Manual};
use crate::error::StoreError;
use crate::geometry::{DimOrdering, Rect, StoreRank, Transform};
use crate::graph::Cause;
use crate::memory::{Hold, Tile, TileMut};
use crate::partition::Access;

/// A source of an argument: a store, which the constraints cut, or a partition, of which each point of the launch gets a tile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a store nor a partition of one",
    note = "give a reference to a `Store`, or to a `StorePartition` or one with `.by(projection)` for a launch over a domain"
)]
pub trait Source {
    /// The record.
    type Record: Record;
    /// The rank.
    type Rank: StoreRank;
    /// The record layout.
    type Layout: RecordLayout<Self::Record> + Default;

    #[doc(hidden)]
    fn source(&self) -> (ElementsOf<Self>, Option<Manual>);
}

/// The elements of a source: of the store, or of the store that was partitioned.
type ElementsOf<S> = Elements<<S as Source>::Record, <S as Source>::Rank, <S as Source>::Layout>;

/// An argument that task bodies read; see [`read`].
pub struct Read<R, D, L> {
    elements: Elements<R, D, L>,
    manual: Option<Manual>,
    order: Option<Arc<Order>>,
}

/// An argument that task bodies write; see [`write`](crate::write) and [`update`].
pub struct Write<R, D, L, const UPDATE: bool> {
    elements: Elements<R, D, L>,
    manual: Option<Manual>,
    order: Option<Arc<Order>>,
}

/// Makes an argument that the task reads.
///
/// The closure gets a view of the tile, to read.
#[must_use]
pub fn read<S: Source>(source: &S) -> Read<S::Record, S::Rank, S::Layout> {
    let (elements, manual) = source.source();
    Read { elements, manual, order: None }
}

/// Makes an argument that the task writes, every element of it, without reading old values.
///
/// The task must write all of its tile: an element that it leaves out has some earlier value, and with several locales not the same one on
/// each. Old values are neither waited for nor sent. For a task that writes only some elements, use [`update`].
///
/// The closure gets a mutable view of the tile. The tiles of different points have no element in common, and no element has two indices: a
/// store with promoted or broadcast dimensions is refused, except for tiles with one index along them. (In Legate the last write wins
/// there, which can be any of them on several threads.) [`Store::fill`](crate::Store::fill) and [`reduce`](crate::reduce) accept such
/// stores.
///
/// If elements [share bytes](crate::Store::shares_bytes), as in bit-packed layouts, the task has one point, which gets all elements of each
/// argument, whatever constraints and partitions say.
#[must_use]
pub fn write<S: Source>(source: &S) -> Write<S::Record, S::Rank, S::Layout, false> {
    Write::of(source)
}

/// Makes an argument that the task reads and writes.
///
/// The closure gets a mutable view of the tile, with the same conditions as for [`write()`].
#[must_use]
pub fn update<S: Source>(source: &S) -> Write<S::Record, S::Rank, S::Layout, true> {
    Write::of(source)
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, const UPDATE: bool> Write<R, D, L, UPDATE> {
    pub(crate) fn of(source: &impl Source<Record = R, Rank = D, Layout = L>) -> Self {
        let (elements, manual) = source.source();
        Self { elements, manual, order: None }
    }
}

/// A tile that is held while a task body runs.
#[doc(hidden)]
pub struct HeldTile<'r, R, D, L> {
    hold: Hold<'r>,
    transform: &'r Transform,
    rect: Rect,
    /// The elements in the order that was asked for, if the memory of the store has another order.
    alone: Option<Box<TileAlone>>,
    types: Types<R, D, L>,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> HeldTile<'_, R, D, L> {
    /// The bytes of memory for this copy.
    fn relaid(&self) -> usize {
        self.alone.as_ref().map_or(0, |alone| alone.bytes())
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Elements<R, D, L> {
    fn held<'r>(
        &'r self,
        rect: &Rect,
        (reads, writes): (bool, bool),
        order: Option<&Order>,
        at: At<'r>,
    ) -> Result<HeldTile<'r, R, D, L>, Cause> {
        let hold = self.hold(rect, writes, at.region())?;
        let alone = match order {
            None => None,
            Some(order) => {
                order.tile_alone::<R, D, L>(&self.root, (&hold, at.region()), (&self.transform, rect), reads)?
            }
        };
        Ok(HeldTile { hold, transform: &self.transform, rect: *rect, alone, types: PhantomData })
    }
}

impl<R, D, L> Elements<R, D, L> {
    pub(super) fn described(&self, access: Access, manual: Option<Manual>) -> Described {
        let (locale, root) = (self.root.locale.clone(), Some(self.root.clone()));
        let (transform, call) = (self.transform.clone(), access.call());
        let (placement, order, target, owners) = (None, None, None, None);
        Described { locale, root, transform, access, call, manual, placement, order, target, owners }
    }
}

impl<R, D, L> Read<R, D, L> {
    /// Elements that are read, cut by the launch.
    pub(super) fn of(elements: &Elements<R, D, L>) -> Self {
        Self { elements: elements.clone(), manual: None, order: None }
    }

    /// Asks for memory in which the dimensions of the view have this order.
    ///
    /// The order is that of the dimensions of the store that was given, after all its transforms: [`DimOrdering::C`] of a transposed store
    /// is Fortran order of its root. The memory is laid out for the elements of the root, so
    ///
    /// * a dimension along which nothing changes (promoted, broadcast) has stride 0,
    /// * of a delinearized dimension the inner ones stay the faster ones,
    /// * dimensions that are projected away may lie anywhere.
    ///
    /// Strides count elements: in bytes, each is multiplied by the size of a record in `AoS`, and by the size of the leaf in `SoA`.
    ///
    /// A copy has the elements of the tile that the point gets. Its bytes count against [`memory_limit`](crate::Builder::memory_limit)
    /// while the task body runs, and [`ProfileEntry::relaid`](crate::ProfileEntry::relaid) reports them. The store keeps its order: if many
    /// launches ask for one order, [create](crate::Runtime::create_ordered) the store in that order.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::Mapping;
    /// use layout::store::{DimOrdering, OrderPolicy, Runtime, Store, StoreError, read};
    ///
    /// let rt = Runtime::builder().pieces(1).profile(true).build()?;
    /// let grid: Store<f64, _> = rt.create_from_fn([4, 6], |at| at[0] as f64)?; // rows of 6
    /// let columns = grid.transpose([1, 0])?; // 6 by 4
    /// // How many bytes it is from an element to the next one, in each dimension.
    /// let strides = |order, policy| {
    ///     let task = rt.task("look").args((read(&columns).ordered(order, policy),));
    ///     let strides = task.map(|_, (view,)| {
    ///         let [first, down, right] = [[0, 0], [1, 0], [0, 1]].map(|at| view.mapping().place_of(at, 0).offset);
    ///         Ok([down - first, right - first])
    ///     })?;
    ///     Ok::<_, StoreError>(strides.get()?[0])
    /// };
    /// assert_eq!(strides(DimOrdering::Fortran, OrderPolicy::InPlace)?, [8, 48]);
    /// assert_eq!(strides(DimOrdering::C, OrderPolicy::Ordered)?, [32, 8]);
    /// assert!(matches!(strides(DimOrdering::C, OrderPolicy::InPlace), Err(StoreError::Order { .. })));
    /// rt.fence()?;
    /// assert_eq!(rt.profile().entries()[0].relaid, 4 * 6 * 8); // one copy
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn ordered(self, ordering: DimOrdering, policy: OrderPolicy) -> Self {
        let order = Some(Order::new(ordering, policy, &self.elements.transform));
        Self { order, ..self }
    }
}

impl<R, D, L, const UPDATE: bool> Write<R, D, L, UPDATE> {
    /// Asks for memory in which the dimensions of the view have this order; see [`Read::ordered`].
    ///
    /// A copy goes back to the store when the task body is done, unless the task body fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{DimOrdering, OrderPolicy, Runtime, Store, update};
    ///
    /// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
    /// let grid: Store<f64, _> = rt.create_from_fn([8, 8], |at| at[0] as f64)?;
    /// rt.task("prefix sums down the columns")
    ///     .args((update(&grid).ordered(DimOrdering::Fortran, OrderPolicy::Exact),))
    ///     .launch(|_, (mut tile,)| {
    ///         let [rows, columns] = tile.extents();
    ///         for j in 0..columns {
    ///             // Down a column elements are neighbors.
    ///             for i in 1..rows {
    ///                 tile.set([i, j], tile.get([i, j]) + tile.get([i - 1, j]));
    ///             }
    ///         }
    ///     })?;
    /// assert_eq!(grid.get([3, 5])?, 0.0 + 1.0 + 2.0 + 3.0);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn ordered(self, ordering: DimOrdering, policy: OrderPolicy) -> Self {
        let order = Some(Order::new(ordering, policy, &self.elements.transform));
        Self { order, ..self }
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> sealed::Sealed for Read<R, D, L> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Argument for Read<R, D, L> {
    type Given<'a> = Tile<'a, R, D, L>;
    type Handle<'a> = Handle<'a, R, D, L>;
    type Held<'r> = HeldTile<'r, R, D, L>;

    fn describe(&self) -> Result<Described, StoreError> {
        Ok(Described { order: self.order.clone(), ..self.elements.described(Access::Read, self.manual.clone()) })
    }

    fn handle(&self, number: usize) -> Handle<'_, R, D, L> {
        Handle { number, elements: &self.elements }
    }

    fn hold<'r>(&'r self, rect: &Rect, at: At<'r>) -> Result<HeldTile<'r, R, D, L>, Cause> {
        self.elements.held(rect, (true, false), self.order.as_deref(), at)
    }

    fn give<'a>(held: &'a mut HeldTile<'_, R, D, L>) -> Result<Tile<'a, R, D, L>, Cause> {
        match &mut held.alone {
            None => Ok(held.hold.view::<R, D, L>(Some(held.transform), &held.rect)?),
            Some(alone) => alone.view::<R, D, L>(),
        }
    }

    fn relaid(held: &HeldTile<'_, R, D, L>) -> usize {
        held.relaid()
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, const UPDATE: bool> sealed::Sealed
    for Write<R, D, L, UPDATE>
{
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, const UPDATE: bool> Argument for Write<R, D, L, UPDATE> {
    type Given<'a> = TileMut<'a, R, D, L>;
    type Handle<'a> = Handle<'a, R, D, L>;
    type Held<'r> = HeldTile<'r, R, D, L>;

    fn describe(&self) -> Result<Described, StoreError> {
        let access = if UPDATE { Access::Update } else { Access::Write };
        Ok(Described { order: self.order.clone(), ..self.elements.described(access, self.manual.clone()) })
    }

    fn handle(&self, number: usize) -> Handle<'_, R, D, L> {
        Handle { number, elements: &self.elements }
    }

    fn hold<'r>(&'r self, rect: &Rect, at: At<'r>) -> Result<HeldTile<'r, R, D, L>, Cause> {
        self.elements.held(rect, (UPDATE, true), self.order.as_deref(), at)
    }

    fn give<'a>(held: &'a mut HeldTile<'_, R, D, L>) -> Result<TileMut<'a, R, D, L>, Cause> {
        match &mut held.alone {
            None => Ok(held.hold.view_mut::<R, D, L>(Some(held.transform), &held.rect)?),
            Some(alone) => alone.view_mut::<R, D, L>(),
        }
    }

    fn relaid(held: &HeldTile<'_, R, D, L>) -> usize {
        held.relaid()
    }

    fn keep(&self, mut held: HeldTile<'_, R, D, L>, _: usize) -> Result<(), Cause> {
        if let Some(alone) = &mut held.alone {
            let source = alone.view::<R, D, L>()?;
            held.hold.view_mut::<R, D, L>(Some(held.transform), &held.rect)?.copy_from(&source)?;
        }
        Ok(())
    }
}
