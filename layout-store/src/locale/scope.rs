//! Scopes of a program in which no locale sends another one anything.
//!
//! All locales have the same knowledge of the elements of each (`ledger`), of the locales of points, and of contributions. So each refuses
//! the same operations, before it counts or writes anything, and asks no other locale. Earlier results, such as a plan from outside the
//! scope, decide nothing here: a launch that was planned before is checked again.

use std::sync::Arc;

use super::claim::{Claim, runs_of};
use super::{Locale, Owners, Root};
use crate::error::StoreError;
use crate::geometry::Rect;
use crate::partition::Placement;
use crate::sync::Ordering;

/// A scope of the program, until it is dropped.
pub(crate) struct Scope<'l>(Option<&'l Locale>);

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        if let Some(locale) = self.0 {
            locale.scopes.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The scopes of the program do not count until this is dropped.
pub(crate) struct Suspended<'l>(&'l Locale, usize);

impl Drop for Suspended<'_> {
    fn drop(&mut self) {
        self.0.scopes.fetch_add(self.1, Ordering::Relaxed);
    }
}

impl Locale {
    /// Lets the locales tell each other in a scope if memory was refused, which is no data.
    pub(crate) fn suspend_scopes(&self) -> Suspended<'_> {
        Suspended(self, self.scopes.swap(0, Ordering::Relaxed))
    }

    /// Begins a scope. In a task body, which sends nothing, it has no effect, since the program goes on meanwhile.
    pub(crate) fn begin_scope(&self) -> Scope<'_> {
        let begins = self.net.is_some() && self.is_program_thread();
        if begins {
            self.scopes.fetch_add(1, Ordering::Relaxed);
        }
        Scope(begins.then_some(self))
    }

    /// Returns `true` if the program is in a scope.
    pub(crate) fn is_in_scope(&self) -> bool {
        self.net.is_some() && self.scopes.load(Ordering::Relaxed) > 0
    }

    /// In a scope, returns an error for the operation with this name, which sends data of a store.
    pub(crate) fn check_scope(
        &self,
        operation: impl FnOnce() -> String,
        what: &'static str,
        store: Option<u64>,
    ) -> Result<(), StoreError> {
        if self.is_in_scope() {
            return Err(StoreError::NotLocal { operation: operation(), what, argument: None, store });
        }
        Ok(())
    }
}

impl Root {
    /// Returns `true` if one of some locales lacks elements of its box.
    pub(super) fn is_lacking(&self, boxes: impl IntoIterator<Item = (Rect, usize)>) -> bool {
        let versions = self.versions().lock();
        boxes.into_iter().any(|(rect, to)| !versions.lacking(&rect, to).is_empty())
    }
}

impl Claim {
    /// Returns `true` if elements are sent for the reads of the points.
    pub(crate) fn is_sent(&self, placement: &Placement) -> bool {
        if !self.read {
            return false;
        }
        if let Some(asked) = &self.asked {
            return asked.sends();
        }
        match &self.runs {
            Some(runs) => (0..placement.locales()).any(|to| {
                let own = runs_of(runs, placement.points_of(to));
                let own = own.iter().flat_map(|list| list.iter());
                self.root.is_lacking(own.map(|run| (runs.transform.root_rect(&run), to)))
            }),
            None => self.lists().iter().any(|tiles| {
                let tiles = tiles.iter().enumerate();
                self.root.is_lacking(tiles.map(|(point, rect)| (rect, placement.locale(point))))
            }),
        }
    }
}

impl Owners {
    /// Returns `true` if a point contributes to a tile that another locale combines, or a locale lacks elements to combine with.
    pub(crate) fn are_sent(&self, root: &Arc<Root>) -> bool {
        let elsewhere = |point: usize| {
            let ran = self.ran.locale(point);
            self.locales_of(point).into_iter().any(|(locale, _)| locale != ran)
        };
        (0..self.boxes.len()).any(elsewhere)
            || Claim::new(root, self.tiles.clone(), (true, true)).is_sent(&self.placement)
    }
}
