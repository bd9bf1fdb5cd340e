//! The local part of a store, for the program: the elements that a task on this locale would get if it only updated the store.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::agree::agree;
use super::checks::claims;
use super::elements::Elements;
use super::launcher::Launcher;
use super::plan::{Cut, Plan};
use crate::error::StoreError;
use crate::geometry::{Rect, StoreRank, maximal};
use crate::graph::Engine;
use crate::locale::{Place, access_here, place_of};
use crate::memory::Hold;
use crate::partition::{Access, Constraint, Placement, Tiling};

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Elements<R, D, L> {
    /// Waits until the local elements can be used, and gives them to `f`: boxes of indices, in order, each in one instance, with holds of
    /// their elements. A tiling, if given, says which elements are local.
    pub(crate) fn with_local<T>(
        &self,
        launcher: &Arc<Launcher>,
        (call, write): (&'static str, bool),
        tiling: Option<&Arc<Tiling>>,
        f: impl FnOnce(Vec<(Rect, Hold<'_>)>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        Engine::check_outside()?;
        let (root, locale) = (&self.root, &self.root.locale);
        if locale.planned.is_some() {
            return Err(StoreError::OnlyPlanned);
        }
        root.check(call, None, write)?;
        let whole = self.transform.root_rect(&Rect::of(self.transform.extents()));
        if let Some(rect) = root.uses.lock().unwritten(&whole) {
            return Err(StoreError::Uninitialized { task: call.to_owned(), argument: None, rect: rect.into() });
        }
        // The part does not depend on the access.
        let given = tiling.map(|tiling| Constraint::Cut { argument: 0, tiling: tiling.clone() }.into());
        let cut = Cut::Auto(given.as_slice());
        let plan = Plan::of(call, launcher, &[self.described(Access::Update, None)], &cut, None)?;
        let described = [self.described(if write { Access::Update } else { Access::Read }, None)];
        let placement = match locale.net {
            None => Placement::first(plan.points),
            Some(_) => plan.placement(call, &described, None, locale)?,
        };
        let part = &plan.parts[0];
        let key = part.key(&described[0], &placement);
        let claim = claims(call, &described, &plan, &placement)?.swap_remove(0);
        let (access, places) =
            access_here(root, claim, (&placement, key), call, &|memory, here| agree(launcher, memory, here))?;
        let mut parts: Vec<(Option<&Place>, Vec<Rect>)> = Vec::new();
        for point in placement.points_of(locale.number) {
            let (rect, place) = (part.rects.rect(point), places.as_ref().and_then(|places| place_of(places, point)));
            let same = |known: &&mut (Option<&Place>, _)| known.0.map(|at| at.number) == place.map(|at| at.number);
            match parts.iter_mut().find(same) {
                _ if rect.is_empty() => {}
                Some((_, rects)) => rects.push(rect),
                None => parts.push((place, vec![rect])),
            }
        }
        let boxes =
            parts.into_iter().flat_map(|(place, rects)| joined(rects).into_iter().map(move |rect| (rect, place)));
        let mut boxes: Vec<_> = boxes.collect();
        boxes.sort_by_key(|(rect, _)| rect.lo());
        let holds = boxes.into_iter().map(|(rect, place)| {
            let hold = self.hold(&rect, write, place.map(|place| &*place.region));
            Ok((rect, hold.map_err(|_| StoreError::Nested)?))
        });
        let result = holds.collect::<Result<_, _>>().and_then(f);
        drop(access);
        result
    }
}

/// Disjoint boxes, with neighbors joined.
fn joined(rects: Vec<Rect>) -> Vec<Rect> {
    let joined = maximal(rects.iter().copied());
    let volume = |rects: &[Rect]| rects.iter().map(Rect::volume).sum::<i64>();
    if volume(&joined) == volume(&rects) { joined } else { rects }
}
