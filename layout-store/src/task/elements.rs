//! Elements: what a store, and what an argument, refers to.

use core::marker::PhantomData;
use std::sync::Arc;

use layout_core::{IndexArray, Record, RecordLayout};

use crate::error::StoreError;
use crate::geometry::{DimOrdering, Point, Rect, StoreRank, Transform};
use crate::graph::{Cause, Row, TaskBodyError};
use crate::locale::{Access, Locale, Root, access, at_once};
use crate::memory::{Hold, StoreTarget, Tile, set_row_major};

/// Record, rank and layout, of none of which there is a value.
pub(crate) type Types<R, D, L> = PhantomData<fn() -> (R, D, L)>;

/// The elements of a root, as records `R` in layout `L`, seen through a transform of rank `D`.
#[doc(hidden)]
#[expect(unnameable_types, reason = "part of a sealed trait")]
pub struct Elements<R, D, L> {
    pub(crate) root: Arc<Root>,
    pub(crate) transform: Arc<Transform>,
    types: Types<R, D, L>,
}

impl<R, D, L> Elements<R, D, L> {
    /// The elements of a root, through a transform whose rank is that of `D`.
    pub(crate) fn of(root: Arc<Root>, transform: Arc<Transform>) -> Self {
        Self { root, transform, types: PhantomData }
    }

    /// Takes hold of the elements at the indices `rect`.
    pub(crate) fn hold(&self, rect: &Rect, write: bool) -> Result<Hold<'_>, Cause> {
        self.root.region.hold(&self.transform.root_rect(rect), write).ok_or_else(|| {
            // The graph orders whatever uses common elements, so that this is never seen.
            Cause::Error(TaskBodyError::new(format!("{rect} of a store is in use: an error of the runtime itself")))
        })
    }
}

impl<R, D, L> Clone for Elements<R, D, L> {
    fn clone(&self) -> Self {
        Self::of(self.root.clone(), self.transform.clone())
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Elements<R, D, L> {
    /// The elements of a new store that nobody has written, with a root of this number.
    pub(crate) fn new_in(locale: &Arc<Locale>, extents: Point, root: u64) -> Result<Self, StoreError> {
        let transform = Transform::identity(extents)?;
        Ok(Self::of(
            Root::new::<R, L>(locale, extents, (&DimOrdering::C, &StoreTarget::Main), root)?,
            Arc::new(transform),
        ))
    }

    /// Writes all elements of a store that is new, and so in nobody's use, row by row.
    pub(crate) fn write_new(&self, records: impl Iterator<Item = R>) -> Result<(), StoreError> {
        let rect = Rect::of(self.transform.extents());
        let mut hold = self.hold(&rect, true).map_err(|_| StoreError::Nested)?;
        let mut view = hold.view_mut::<R, D, L>(&self.transform, &rect)?;
        set_row_major::<R, D, L>(&mut view, records);
        drop(hold);
        self.root.written_everywhere();
        Ok(())
    }

    /// Writes boxes of elements, row by row, that are all of a store that is new, and so in nobody's use.
    pub(crate) fn write_parts<'r>(&self, parts: impl Iterator<Item = (&'r Rect, Vec<R>)>) -> Result<(), StoreError> {
        for (rect, elements) in parts {
            let mut hold = self.hold(rect, true).map_err(|_| StoreError::Nested)?;
            let mut view = hold.view_mut::<R, D, L>(&self.transform, rect)?;
            set_row_major::<R, D, L>(&mut view, elements);
        }
        self.root.written_everywhere();
        Ok(())
    }

    /// Waits until the elements can be used by a call of the program, and keeps later tasks from them.
    pub(crate) fn access(&self, call: &'static str, access_to: (bool, bool)) -> Result<Access<'_>, StoreError> {
        let rect = self.transform.root_rect(&Rect::of(self.transform.extents()));
        access(&self.root, &rect, call, access_to)
    }

    /// The element at an index, if it need not be waited for.
    pub(crate) fn get_at_once(&self, index: &Point) -> Result<Option<R>, StoreError> {
        let one = |at: &Point| Rect::new(*at, at.iter().map(|at| at + 1).collect());
        at_once(&self.root, &one(&self.transform.root_index(*index)), "get", || {
            let rect = one(index);
            let hold = self.hold(&rect, false).ok()?;
            let view = hold.view::<R, D, L>(&self.transform, &rect).ok()?;
            Some(view.load(<D::Array as IndexArray>::ZERO))
        })
    }

    /// Waits for the elements in each of some boxes of indices, to find an image, and calls `f` for each.
    pub(crate) fn read_parts<T>(
        &self,
        rects: &[Rect],
        mut f: impl FnMut(Tile<'_, R, D, L>) -> T,
    ) -> Result<Vec<T>, StoreError> {
        let _clock = self.root.locale.engine.meter.clock(Row::Image);
        let access = self.access("image", (true, false))?;
        let mut results = Vec::with_capacity(rects.len());
        for rect in rects {
            let hold = self.hold(rect, false).map_err(|_| StoreError::Nested)?;
            results.push(f(hold.view::<R, D, L>(&self.transform, rect)?));
        }
        drop(access);
        Ok(results)
    }
}
