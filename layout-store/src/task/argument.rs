//! Arguments that are read and written.

use core::marker::PhantomData;
use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::arguments::{Argument, sealed};
use super::constrain::Handle;
use super::plan::{Described, Manual};
use crate::error::StoreError;
use crate::geometry::{Point, Rect, StoreRank, Transform};
use crate::graph::{Cause, LeafError};
use crate::memory::{Hold, Tile, TileMut};
use crate::partition::Access;
use crate::store::{Store, StorePartition};

/// What can be an argument: a store, cut as the constraints say, or a partition, of which each point of the launch gets a
/// tile.
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
    fn source(&self) -> (StoreOf<Self>, Option<Manual>);
}

/// The store that a source is, or is a partition of.
type StoreOf<S> = Store<<S as Source>::Record, <S as Source>::Rank, <S as Source>::Layout>;

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Source for Store<R, D, L> {
    type Record = R;
    type Rank = D;
    type Layout = L;

    fn source(&self) -> (Self, Option<Manual>) {
        (self.clone(), None)
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Source for StorePartition<R, D, L> {
    type Record = R;
    type Rank = D;
    type Layout = L;

    fn source(&self) -> (Store<R, D, L>, Option<Manual>) {
        (self.store.clone(), Some(Manual { tiling: self.tiling.clone(), projection: None }))
    }
}

/// A partition with the colour that each point of a launch gets; see [`StorePartition::by`].
pub struct Projected<R, D, L> {
    partition: StorePartition<R, D, L>,
    projection: Arc<dyn Fn(Point) -> Point + Send + Sync>,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> StorePartition<R, D, L> {
    /// This partition, of which point `p` of a launch gets the tile of colour `projection(p)`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Point, Runtime, Store, read, write};
    ///
    /// let rt = Runtime::new()?;
    /// let from: Store<i64, _> = rt.create_from_fn(6, |index| index[0])?;
    /// let to: Store<i64, _> = rt.create(6)?;
    /// let (from, tiles) = (from.partition_by_tiling([2])?, to.partition_by_tiling([2])?);
    /// rt.task("reverse tiles")
    ///     .args((read(&from.by(|point| Point::from([2 - point[0]]))), write(&tiles)))
    ///     .over([3])?
    ///     .launch(|_, (from, mut to)| Ok(to.copy_from(&from)?))?;
    /// assert_eq!(to.to_vec()?, [4, 5, 2, 3, 0, 1]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn by(&self, projection: impl Fn(Point) -> Point + Send + Sync + 'static) -> Projected<R, D, L> {
        Projected { partition: self.clone(), projection: Arc::new(projection) }
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Source for Projected<R, D, L> {
    type Record = R;
    type Rank = D;
    type Layout = L;

    fn source(&self) -> (Store<R, D, L>, Option<Manual>) {
        let tiling = self.partition.tiling.clone();
        (self.partition.store.clone(), Some(Manual { tiling, projection: Some(self.projection.clone()) }))
    }
}

/// An argument that is read; see [`read`].
pub struct Read<R, D, L> {
    store: Store<R, D, L>,
    manual: Option<Manual>,
}

/// An argument that is written; see [`write`](crate::write) and [`update`].
pub struct Write<R, D, L, const UPDATE: bool> {
    store: Store<R, D, L>,
    manual: Option<Manual>,
}

/// An argument that the task reads.
///
/// The closure gets a view of the tile, to be read.
#[must_use]
pub fn read<S: Source>(source: &S) -> Read<S::Record, S::Rank, S::Layout> {
    let (store, manual) = source.source();
    Read { store, manual }
}

/// An argument that the task writes, every element of it, without reading what was there.
///
/// The task must write all of its tile: an element that it leaves out holds any earlier value, and with several locales not
/// the same one on each. What was there is neither waited for nor sent. A task that writes some elements is given
/// [`update`].
///
/// The closure gets a mutable view of the tile. The tiles of different points share no element, and no element has two
/// indices: a store with promoted or broadcast dimensions is refused, but for tiles with one index along them. (Legate
/// lets the last write win there, which on several threads is any of them.) [`Store::fill`] and [`reduce`](crate::reduce)
/// take such stores.
#[must_use]
pub fn write<S: Source>(source: &S) -> Write<S::Record, S::Rank, S::Layout, false> {
    let (store, manual) = source.source();
    Write { store, manual }
}

/// An argument that the task reads and writes.
///
/// The closure gets a mutable view of the tile, of which the same holds as with [`write()`].
#[must_use]
pub fn update<S: Source>(source: &S) -> Write<S::Record, S::Rank, S::Layout, true> {
    let (store, manual) = source.source();
    Write { store, manual }
}

/// A tile that is held while a leaf runs.
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct HeldTile<'r, R, D, L> {
    hold: Hold<'r>,
    transform: &'r Transform,
    rect: Rect,
    types: crate::store::Types<R, D, L>,
}

impl<R, D, L> Store<R, D, L> {
    /// Takes hold of the elements at the indices `rect`.
    pub(crate) fn hold(&self, rect: &Rect, write: bool) -> Result<Hold<'_>, Cause> {
        self.root.region.hold(&self.transform.root_rect(rect), write).ok_or_else(|| {
            // The graph orders whatever uses common elements, so that this is never seen.
            Cause::Error(LeafError::new(format!("{rect} of a store is in use: an error of the runtime itself")))
        })
    }

    fn held(&self, rect: &Rect, write: bool) -> Result<HeldTile<'_, R, D, L>, Cause> {
        Ok(HeldTile { hold: self.hold(rect, write)?, transform: &self.transform, rect: *rect, types: PhantomData })
    }

    pub(super) fn described(&self, access: Access, manual: Option<Manual>) -> Described {
        let (runtime, root) = (self.root.runtime.clone(), Some(self.root.clone()));
        Described { runtime, root, transform: self.transform.clone(), access, manual }
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> sealed::Sealed for Read<R, D, L> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Argument for Read<R, D, L> {
    type Given<'a> = Tile<'a, R, D, L>;
    type Handle<'a> = Handle<'a, R, D, L>;
    type Held<'r> = HeldTile<'r, R, D, L>;

    fn describe(&self) -> Result<Described, StoreError> {
        Ok(self.store.described(Access::Read, self.manual.clone()))
    }

    fn handle(&self, number: usize) -> Handle<'_, R, D, L> {
        Handle { number, store: &self.store }
    }

    fn hold(&self, rect: &Rect) -> Result<HeldTile<'_, R, D, L>, Cause> {
        self.store.held(rect, false)
    }

    fn give<'a>(held: &'a mut HeldTile<'_, R, D, L>) -> Result<Tile<'a, R, D, L>, Cause> {
        Ok(held.hold.view::<R, D, L>(held.transform, &held.rect)?)
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
        Ok(self.store.described(access, self.manual.clone()))
    }

    fn handle(&self, number: usize) -> Handle<'_, R, D, L> {
        Handle { number, store: &self.store }
    }

    fn hold(&self, rect: &Rect) -> Result<HeldTile<'_, R, D, L>, Cause> {
        self.store.held(rect, true)
    }

    fn give<'a>(held: &'a mut HeldTile<'_, R, D, L>) -> Result<TileMut<'a, R, D, L>, Cause> {
        Ok(held.hold.view_mut::<R, D, L>(held.transform, &held.rect)?)
    }
}
