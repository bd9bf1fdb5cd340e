//! Arguments that are read and written.

use core::marker::PhantomData;

use layout_core::{Record, RecordLayout};

use super::arguments::{Argument, At, sealed};
use super::constrain::Handle;
use super::elements::{Elements, Types};
use super::plan::{Described, Manual};
use crate::error::StoreError;
use crate::geometry::{Rect, StoreRank, Transform};
use crate::graph::Cause;
use crate::memory::{Hold, Tile, TileMut};
use crate::partition::Access;

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
    fn source(&self) -> (ElementsOf<Self>, Option<Manual>);
}

/// The elements of a source, or of what it is a partition of.
type ElementsOf<S> = Elements<<S as Source>::Record, <S as Source>::Rank, <S as Source>::Layout>;

/// An argument that is read; see [`read`].
pub struct Read<R, D, L> {
    elements: Elements<R, D, L>,
    manual: Option<Manual>,
}

/// An argument that is written; see [`write`](crate::write) and [`update`].
pub struct Write<R, D, L, const UPDATE: bool> {
    elements: Elements<R, D, L>,
    manual: Option<Manual>,
}

/// An argument that the task reads.
///
/// The closure gets a view of the tile, to be read.
#[must_use]
pub fn read<S: Source>(source: &S) -> Read<S::Record, S::Rank, S::Layout> {
    let (elements, manual) = source.source();
    Read { elements, manual }
}

/// An argument that the task writes, every element of it, without reading what was there.
///
/// The task must write all of its tile: an element that it leaves out holds any earlier value, and with several locales not
/// the same one on each. What was there is neither waited for nor sent. A task that writes some elements is given
/// [`update`].
///
/// The closure gets a mutable view of the tile. The tiles of different points share no element, and no element has two
/// indices: a store with promoted or broadcast dimensions is refused, but for tiles with one index along them. (Legate
/// lets the last write win there, which on several threads is any of them.) [`Store::fill`](crate::Store::fill) and
/// [`reduce`](crate::reduce) take such stores.
#[must_use]
pub fn write<S: Source>(source: &S) -> Write<S::Record, S::Rank, S::Layout, false> {
    Write::of(source)
}

/// An argument that the task reads and writes.
///
/// The closure gets a mutable view of the tile, of which the same holds as with [`write()`].
#[must_use]
pub fn update<S: Source>(source: &S) -> Write<S::Record, S::Rank, S::Layout, true> {
    Write::of(source)
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, const UPDATE: bool> Write<R, D, L, UPDATE> {
    pub(crate) fn of(source: &impl Source<Record = R, Rank = D, Layout = L>) -> Self {
        let (elements, manual) = source.source();
        Self { elements, manual }
    }
}

/// A tile that is held while a task body runs.
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct HeldTile<'r, R, D, L> {
    hold: Hold<'r>,
    transform: &'r Transform,
    rect: Rect,
    types: Types<R, D, L>,
}

impl<R, D, L> Elements<R, D, L> {
    fn held<'r>(&'r self, rect: &Rect, write: bool, at: At<'r>) -> Result<HeldTile<'r, R, D, L>, Cause> {
        Ok(HeldTile {
            hold: self.hold(rect, write, at.region())?,
            transform: &self.transform,
            rect: *rect,
            types: PhantomData,
        })
    }

    pub(super) fn described(&self, access: Access, manual: Option<Manual>) -> Described {
        let (locale, root) = (self.root.locale.clone(), Some(self.root.clone()));
        Described { locale, root, transform: self.transform.clone(), access, manual, placement: None }
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> sealed::Sealed for Read<R, D, L> {}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Argument for Read<R, D, L> {
    type Given<'a> = Tile<'a, R, D, L>;
    type Handle<'a> = Handle<'a, R, D, L>;
    type Held<'r> = HeldTile<'r, R, D, L>;

    fn describe(&self) -> Result<Described, StoreError> {
        Ok(self.elements.described(Access::Read, self.manual.clone()))
    }

    fn handle(&self, number: usize) -> Handle<'_, R, D, L> {
        Handle { number, elements: &self.elements }
    }

    fn hold<'r>(&'r self, rect: &Rect, at: At<'r>) -> Result<HeldTile<'r, R, D, L>, Cause> {
        self.elements.held(rect, false, at)
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
        Ok(self.elements.described(access, self.manual.clone()))
    }

    fn handle(&self, number: usize) -> Handle<'_, R, D, L> {
        Handle { number, elements: &self.elements }
    }

    fn hold<'r>(&'r self, rect: &Rect, at: At<'r>) -> Result<HeldTile<'r, R, D, L>, Cause> {
        self.elements.held(rect, true, at)
    }

    fn give<'a>(held: &'a mut HeldTile<'_, R, D, L>) -> Result<TileMut<'a, R, D, L>, Cause> {
        Ok(held.hold.view_mut::<R, D, L>(held.transform, &held.rect)?)
    }
}
