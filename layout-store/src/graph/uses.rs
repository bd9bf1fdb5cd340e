//! Who uses which elements of a root store: where the edges of the graph come from.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::node::{Edge, Node};
use super::tiles::Tiles;
use crate::geometry::Rect;

/// One argument of a launch: which elements each of its points uses.
struct Use {
    write: bool,
    tiles: Arc<Tiles>,
    nodes: Arc<[Arc<Node>]>,
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
    fn is_well(&self) -> bool {
        self.nodes.iter().all(|node| node.is_well())
    }
}

impl Uses {
    pub(crate) fn new(whole: Rect) -> Self {
        Self { whole, entries: VecDeque::new(), written: Vec::new(), full: whole.is_empty(), limit: FEW }
    }

    /// Makes nodes, each of which uses the tile of its number, wait for all that they must wait for.
    pub(crate) fn order(&self, tiles: &Tiles, (read, write): (bool, bool), nodes: &[Arc<Node>]) {
        let concerns = |entry: &&Use| (write || entry.write) && tiles.hull.overlaps(&entry.tiles.hull);
        let entries: SmallVec<[&Use; 4]> = self.entries.iter().rev().filter(concerns).collect();
        let edge = if read { Edge::Data } else { Edge::Order };
        for (number, (rect, node)) in tiles.rects.iter().zip(nodes).enumerate() {
            order(&entries, rect, edge, (number, node));
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

    /// Elements of a tile that were never written.
    pub(crate) fn unwritten_of(&self, tiles: &Tiles) -> Option<Rect> {
        if self.full { None } else { tiles.rects.iter().find_map(|rect| self.unwritten(rect)) }
    }

    /// Takes note of one more use, the newest. Tiles that are written are disjoint.
    pub(crate) fn push(&mut self, write: bool, tiles: &Arc<Tiles>, nodes: &Arc<[Arc<Node>]>) {
        if write {
            if tiles.full {
                self.note_written(&tiles.hull);
                // Whoever comes after these waits for the new ones, which wait for them.
                self.entries.retain(|old| !tiles.hull.covers(&old.tiles.hull));
            } else {
                tiles.rects.iter().for_each(|rect| self.note_written(rect));
            }
        }
        self.entries.push_back(Use { write, tiles: tiles.clone(), nodes: nodes.clone() });
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
        self.entries.retain(|entry| entry.write || entry.nodes.iter().any(|node| !node.is_done()));
        // A writer that is done is dropped only if none is before it: of what failed before it, it may have healed a part.
        while self.entries.front().is_some_and(Use::is_well) {
            self.entries.pop_front();
        }
    }
}

/// Makes point `number` of a launch wait for uses, newest first, to use `rect`.
fn order(entries: &[&Use], rect: &Rect, edge: Edge, (number, node): (usize, &Arc<Node>)) {
    if rect.is_empty() {
        return;
    }
    // What remains of the box whose last writer was not met yet: at first, all.
    let mut rest: Option<SmallVec<[Rect; 4]>> = None;
    for entry in entries {
        let edge = if entry.write { edge } else { Edge::Order };
        // Tiles like those of the launch before: its point of this number is the only one of them to wait for.
        if entry.write && entry.tiles.rects.get(number) == Some(rect) {
            node.after(&entry.nodes[number], edge);
            return;
        }
        let rest = rest.get_or_insert_with(|| smallvec![*rect]);
        for (tile, first) in entry.tiles.rects.iter().zip(&*entry.nodes) {
            if !rest.iter().any(|rect| rect.overlaps(tile)) {
                continue;
            }
            node.after(first, edge);
            if entry.write {
                *rest = rest.iter().flat_map(|rect| rect.without(tile)).collect();
            }
        }
        if rest.is_empty() {
            return;
        }
    }
}
