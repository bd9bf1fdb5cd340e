//! Elements: the part of a root that a store or an argument refers to.

use core::marker::PhantomData;
use std::sync::Arc;

use layout_core::{IndexArray, Invariant, Record, RecordLayout};

use super::agree::agree;
use super::launcher::Launcher;
use crate::error::StoreError;
use crate::geometry::{DimOrdering, Point, Rect, StoreRank, Transform};
use crate::graph::{Cause, caught};
use crate::locale::{Access, Agree, Locale, Root, Touch, access, look_at_once, write_at_once};
use crate::memory::{Hold, Region, StoreTarget};

/// The record, rank and layout, without a value of them.
pub(crate) type Types<R, D, L> = Invariant<(R, D, L)>;

/// This number of bytes is written in less time than a launch takes.
const SHORT: usize = 1 << 10;

/// The elements of a root, as records `R` in layout `L`, through a transform of rank `D`.
#[doc(hidden)]
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

    /// Takes hold of the elements at the indices `rect`: in an instance, or in the memory of all elements.
    pub(crate) fn hold<'r>(&'r self, rect: &Rect, write: bool, at: Option<&'r Region>) -> Result<Hold<'r>, Cause> {
        self.root.hold(&self.transform.root_rect(rect), write, at)
    }
}

impl<R, D, L> Clone for Elements<R, D, L> {
    fn clone(&self) -> Self {
        Self::of(self.root.clone(), self.transform.clone())
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Elements<R, D, L> {
    /// The elements of a new store, which are unwritten, with a root of this number.
    pub(crate) fn new_in(
        locale: &Arc<Locale>,
        extents: Point,
        root: u64,
        agree: Agree<'_>,
    ) -> Result<Self, StoreError> {
        let transform = Transform::shared(extents)?;
        let root = Root::new::<R, L>(locale, extents, (&DimOrdering::C, &StoreTarget::Main), root, agree)?;
        Ok(Self::of(root, transform))
    }

    /// Waits until a call of the program can use the elements, and keeps later tasks away from them.
    pub(crate) fn access(
        &self,
        launcher: &Arc<Launcher>,
        call: &'static str,
        access_to: (bool, bool),
    ) -> Result<Access<'_>, StoreError> {
        let rect = self.transform.root_rect(&Rect::of(self.transform.extents()));
        access(&self.root, &rect, call, access_to, (Touch::Elements, &|memory, here| agree(launcher, memory, here)))
    }

    /// [`access`](Self::access) to read on one locale.
    pub(crate) fn access_on(
        &self,
        launcher: &Arc<Launcher>,
        call: &'static str,
        locale: usize,
    ) -> Result<Access<'_>, StoreError> {
        let rect = self.transform.root_rect(&Rect::of(self.transform.extents()));
        let touch = Touch::ElementsOn(locale);
        access(&self.root, &rect, call, (true, false), (touch, &|memory, here| agree(launcher, memory, here)))
    }

    /// [`access`](Self::access) to all elements of the root, and to the memory that has them.
    pub(crate) fn access_in_place(&self, call: &'static str) -> Result<Access<'_>, StoreError> {
        let all = Rect::of(self.root.extents());
        // It takes no memory.
        access(&self.root, &all, call, (true, true), (Touch::Memory, &|_, _| Ok(())))
    }

    /// The element at an index, if no wait is needed.
    pub(crate) fn get_at_once(&self, index: &Point) -> Result<Option<R>, StoreError> {
        let one = |at: &Point| Rect::new(*at, at.iter().map(|at| at + 1).collect());
        look_at_once(&self.root, &one(&self.transform.root_index(*index)), "get", || {
            let rect = one(index);
            let hold = self.hold(&rect, false, None).ok()?;
            let view = hold.view::<R, D, L>(Some(&self.transform), &rect).ok()?;
            Some(view.load(<D::Array as IndexArray>::ZERO))
        })
    }

    /// Sets all elements to a value, if no wait is needed and it takes less time than a launch; returns whether it did.
    pub(crate) fn fill_at_once(&self, launcher: &Launcher, value: R) -> Result<bool, StoreError> {
        let volume = self.transform.volume();
        let elements = usize::try_from(volume).unwrap_or(usize::MAX);
        let is_short = elements.saturating_mul(self.root.element) <= SHORT;
        // A launch would record its tiles or its time.
        let is_cut = launcher.pieces > 1 && volume >= launcher.min_chunk;
        if !is_short || is_cut || launcher.recorder.is_some() {
            return Ok(false);
        }
        let rect = Rect::of(self.transform.extents());
        let fill = || {
            let mut hold = self.hold(&rect, true, None)?;
            hold.view_mut::<R, D, L>(Some(&self.transform), &rect)?.fill(value);
            Ok(())
        };
        write_at_once(&self.root, &self.transform.root_rect(&rect), || caught(fill).is_ok())
    }
}
