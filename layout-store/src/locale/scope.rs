//! Scopes of a program in which no locale sends another one anything.
//!
//! All locales know alike who has what (`ledger`), where points run, and which of them contribute to what. So each refuses the same
//! operations, before it counts or writes anything, and asks no other locale. What is known of an operation outside of a scope, such
//! as a plan, decides nothing here: a launch that was planned before is looked at again.

use std::sync::Arc;

use super::claim::{Claim, runs_of};
use super::versions::reached;
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

impl Locale {
    /// Begins a scope. A task body, which sends nothing, begins none: the program goes on meanwhile.
    pub(crate) fn begin_scope(&self) -> Scope<'_> {
        let begins = self.net.is_some() && self.is_program_thread();
        if begins {
            self.scopes.fetch_add(1, Ordering::Relaxed);
        }
        Scope(begins.then_some(self))
    }

    /// Whether the program is in a scope.
    pub(crate) fn is_in_scope(&self) -> bool {
        self.net.is_some() && self.scopes.load(Ordering::Relaxed) > 0
    }

    /// Refuses an operation of this name, which sends something of a store, in a scope.
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
    /// Whether one of some locales lacks elements of its box.
    pub(super) fn is_lacking(&self, boxes: impl IntoIterator<Item = (Rect, usize)>) -> bool {
        let versions = self.versions().lock();
        boxes.into_iter().any(|(rect, to)| !versions.lacking(&rect, to).is_empty())
    }
}

impl Claim {
    /// Whether elements are sent so that points have what they read.
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
                self.root.is_lacking(reached(&own, &runs.transform).into_iter().map(|rect| (rect, to)))
            }),
            None => {
                let tiles = self.tiles.iter().enumerate();
                self.root.is_lacking(tiles.map(|(point, rect)| (rect, placement.locale(point))))
            }
        }
    }
}

impl Owners {
    /// Whether a point contributes to what another locale combines, or a locale lacks what it combines that with.
    pub(crate) fn are_sent(&self, root: &Arc<Root>) -> bool {
        let elsewhere = |point: usize| {
            let ran = self.ran.locale(point);
            self.locales_of(point).into_iter().any(|(locale, _)| locale != ran)
        };
        (0..self.boxes.len()).any(elsewhere)
            || Claim::new(root, self.tiles.clone(), (true, true)).is_sent(&self.placement)
    }
}
