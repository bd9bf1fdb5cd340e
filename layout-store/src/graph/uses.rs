//! Who uses which elements of a root store: where the edges of the graph come from.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::node::{Edge, Node};
use crate::rect::Rect;

/// One argument of a launch: which elements each of its points uses.
pub(crate) struct Use {
    write: bool,
    hull: Rect,
    points: SmallVec<[(Rect, Arc<Node>); 1]>,
    /// Whether the points together use every element of the hull.
    complete: bool,
}

/// The uses of a root store, oldest first, and which elements have been written.
pub(crate) struct Uses {
    whole: Rect,
    entries: VecDeque<Use>,
    /// Disjoint boxes of elements that were written.
    written: Vec<Rect>,
    full: bool,
    /// At how many entries they are looked through for ones that are done.
    limit: usize,
}

/// Fewer entries than this are not looked through.
const FEW: usize = 16;

impl Use {
    /// Boxes of writers are disjoint.
    pub(crate) fn new(write: bool, points: SmallVec<[(Rect, Arc<Node>); 1]>) -> Self {
        let mut parts = points.iter().map(|(rect, _)| rect);
        let first = parts.next().copied().unwrap_or(Rect::of(crate::point::Point::EMPTY));
        let hull = parts.fold(first, |hull, rect| hull.hull(rect));
        let volume = points.iter().fold(0_i64, |sum, (rect, _)| sum.saturating_add(rect.volume()));
        Self { write, hull, points, complete: write && volume == hull.volume() }
    }

    fn is_well(&self) -> bool {
        self.points.iter().all(|(_, node)| node.is_well())
    }
}

impl Uses {
    pub(crate) fn new(whole: Rect) -> Self {
        Self { whole, entries: VecDeque::new(), written: Vec::new(), full: whole.is_empty(), limit: FEW }
    }

    /// Makes `node`, point `number` of its launch, wait for all that it must wait for to use `rect`.
    pub(crate) fn order(&self, rect: &Rect, (read, write): (bool, bool), number: usize, node: &Arc<Node>) {
        if rect.is_empty() {
            return;
        }
        let edge = if read { Edge::Data } else { Edge::Order };
        // What remains of the box whose last writer was not met yet.
        let mut rest: SmallVec<[Rect; 4]> = smallvec![*rect];
        for entry in self.entries.iter().rev() {
            if !(write || entry.write) || !rest.iter().any(|rect| rect.overlaps(&entry.hull)) {
                continue;
            }
            let edge = if entry.write { edge } else { Edge::Order };
            // Tiles like those of the launch before: its point of this number is the only one of them to wait for.
            let same = entry.points.get(number).filter(|(tile, _)| entry.write && tile == rect);
            let others = if same.is_some() { &[][..] } else { &entry.points[..] };
            for (tile, first) in same.into_iter().chain(others) {
                if !rest.iter().any(|rect| rect.overlaps(tile)) {
                    continue;
                }
                node.after(first, edge);
                if entry.write {
                    rest = rest.iter().flat_map(|rect| rect.without(tile)).collect();
                }
            }
            if rest.is_empty() {
                return;
            }
        }
    }

    /// An element of `rect` that was never written, as the first index of a box of them.
    pub(crate) fn unwritten(&self, rect: &Rect) -> Option<Rect> {
        if self.full || rect.is_empty() {
            return None;
        }
        let mut rest = vec![*rect];
        for part in &self.written {
            rest = rest.iter().flat_map(|rect| rect.without(part)).collect();
        }
        rest.first().copied()
    }

    /// Takes note of one more use, the newest.
    pub(crate) fn push(&mut self, entry: Use) {
        if entry.write {
            if entry.complete {
                self.note_written(&entry.hull);
                // Whoever comes after these waits for the new ones, which wait for them.
                self.entries.retain(|old| !entry.hull.covers(&old.hull));
            } else {
                entry.points.iter().for_each(|(rect, _)| self.note_written(rect));
            }
        }
        self.entries.push_back(entry);
        if self.entries.len() >= self.limit {
            self.forget();
            self.limit = (2 * self.entries.len()).max(FEW);
        }
    }

    /// Takes note that elements were written.
    pub(crate) fn note_written(&mut self, rect: &Rect) {
        if self.full {
            return;
        }
        let mut fresh = vec![*rect];
        for part in &self.written {
            fresh = fresh.iter().flat_map(|rect| rect.without(part)).collect();
        }
        self.written.extend(fresh);
        let volume = self.written.iter().fold(0_i64, |sum, rect| sum.saturating_add(rect.volume()));
        self.full = volume == self.whole.volume();
        if self.full {
            self.written = vec![self.whole];
        }
    }

    /// Drops what nobody has to wait for any more.
    fn forget(&mut self) {
        self.entries.retain(|entry| entry.write || entry.points.iter().any(|(_, node)| !node.is_done()));
        // A writer that is done is dropped only if none is before it: of what failed before it, it may have healed a part.
        while self.entries.front().is_some_and(Use::is_well) {
            self.entries.pop_front();
        }
    }
}
