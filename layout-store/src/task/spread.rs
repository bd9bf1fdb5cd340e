//! Values of new stores: each locale writes its part.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::agree::agree;
use super::elements::Elements;
use super::launcher::Launcher;
use super::plan::{Cut, Plan};
use crate::error::StoreError;
use crate::geometry::{Point, Rect, StoreRank};
use crate::locale::Place;
use crate::memory::set_row_major;
use crate::partition::{Access, Placement};

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Elements<R, D, L> {
    /// Writes all elements of a new store, which nobody uses yet; if no locale has the whole, those of this locale. `records` returns the
    /// elements of a box, row by row.
    pub(crate) fn write_new<I: Iterator<Item = R>>(
        &self,
        launcher: &Arc<Launcher>,
        records: impl Fn(&Rect) -> I,
    ) -> Result<(), StoreError> {
        let parts = self.parts_here(launcher)?;
        if let Some(divided) = self.root.divided() {
            let refused = parts.iter().find_map(|(_, place)| place.as_ref()?.region.why_refused().cloned());
            let bytes = divided.form.size(Rect::of(self.root.extents()));
            agree(launcher, (bytes, &divided.form.target()), refused.map(StoreError::from))?;
        }
        parts.iter().try_for_each(|(rect, place)| self.set_all(rect, place.as_ref(), records(rect)))
    }

    /// [`write_new`](Self::write_new) with the records of all elements, row by row.
    pub(crate) fn write_records(&self, launcher: &Arc<Launcher>, records: &[R]) -> Result<(), StoreError> {
        let whole = Rect::of(self.transform.extents());
        let number = |at: Point| {
            let number = at.iter().zip(&*whole.hi()).fold(0, |number, (at, extent)| number * extent + at);
            usize::try_from(number).unwrap_or(usize::MAX)
        };
        self.write_new(launcher, |rect| {
            let (all, some) = if *rect == whole { (records, None) } else { (&[][..], Some(rect.points())) };
            all.iter().copied().chain(some.into_iter().flatten().map(|at| records[number(at)]))
        })
    }

    /// Writes a new store, which nobody uses yet: the boxes of points that are placed on this locale, or, with `whole`, all boxes on each
    /// locale.
    pub(crate) fn write_boxes(
        &self,
        (boxes, placement): (&[Rect], &Placement),
        whole: bool,
        list: impl Fn(usize) -> Vec<R>,
    ) -> Result<(), StoreError> {
        let locale = &self.root.locale;
        let spread = self.root.spread(&Arc::new(boxes.iter().copied().collect()), placement);
        let here: Vec<usize> = if whole {
            self.root.written_everywhere();
            (0..boxes.len()).collect()
        } else {
            self.root.uses.lock().note_written(&Rect::of(self.transform.extents()));
            if !self.root.is_divided() {
                let at = |(number, rect): (usize, &Rect)| (*rect, placement.locale(number), None);
                self.root.written_at(boxes.iter().enumerate().map(at));
            }
            placement.points_of(locale.number).collect()
        };
        for number in here.into_iter().filter(|number| !boxes[*number].is_empty()) {
            let at = spread.iter().find(|(part, _)| part.covers(&boxes[number])).map(|(_, at)| at);
            self.set_all(&boxes[number], at, list(number).into_iter())?;
        }
        Ok(())
    }

    /// The boxes of a new store on this locale, which are those that a task would write here, with their instances, if no locale has the
    /// whole. All elements count as written.
    fn parts_here(&self, launcher: &Arc<Launcher>) -> Result<Vec<(Rect, Option<Place>)>, StoreError> {
        let whole = Rect::of(self.transform.extents());
        let is_planned = self.root.locale.planned.is_some();
        if !self.root.is_divided() {
            self.root.written_everywhere();
            return Ok(if is_planned { Vec::new() } else { vec![(whole, None)] });
        }
        let plan = Plan::of("new values", launcher, &[self.described(Access::Write, None)], &Cut::Auto(&[]), None)?;
        self.root.uses.lock().note_written(&whole);
        let placement = plan.placement("new values", &[], None, &self.root.locale)?;
        let parts = self.root.spread(&plan.parts[0].root, &placement);
        Ok(parts.into_iter().map(|(rect, place)| (rect, Some(place))).collect())
    }

    fn set_all(&self, rect: &Rect, place: Option<&Place>, records: impl Iterator<Item = R>) -> Result<(), StoreError> {
        let region = place.map(|place| &*place.region);
        if let Some(error) = region.and_then(|region| region.why_refused()) {
            return Err(error.clone().into());
        }
        let mut hold = self.hold(rect, true, region).map_err(|_| StoreError::Nested)?;
        let mut view = hold.view_mut::<R, D, L>(Some(&self.transform), rect)?;
        set_row_major::<R, D, L>(&mut view, records);
        Ok(())
    }
}
