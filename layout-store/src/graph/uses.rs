//! The uses of elements of a root store, from which the edges of the graph follow.

use core::cmp::Reverse;
use core::slice;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::elsewhere::Elsewhere;
use super::node::{Edge, Node, Nodes};
use super::overlaps::{Known, Overlaps};
use super::tiles::Tiles;
use super::written::Written;
use crate::geometry::{Boxes, MAX_RANK, Point, Rect};
use crate::partition::Placement;

/// The elements that the points of a launch use. For reads, the points of each launch with these tiles.
#[derive(Clone)]
struct Use {
    write: bool,
    /// `true` if nothing was written since, so that the box is the box around all tiles.
    whole: bool,
    tiles: Arc<Tiles>,
    launches: SmallVec<[Launch; 1]>,
}

/// The number of a launch, which is higher for newer ones, and its nodes.
type Launch = (u64, Nodes);

/// One argument of a launch: the elements that each of its points uses.
#[derive(Clone, Copy)]
struct Entry<'u> {
    number: u64,
    write: bool,
    tiles: &'u Arc<Tiles>,
    /// The result of [`Nodes::of_tiles`].
    nodes: (&'u [Arc<Node>], usize),
}

impl<'u> Entry<'u> {
    /// The node of the tile with a number.
    fn node(&self, tile: usize) -> &'u Arc<Node> {
        &self.nodes.0[tile & self.nodes.1]
    }
}

/// The uses of a root store, each in the smallest box around its tiles, without elements that were written since; and the elements that
/// were written.
///
/// Reads are kept separately: a new read does not look at them, however many there are.
pub(crate) struct Uses {
    writes: Boxes<Use>,
    reads: Boxes<Use>,
    next: u64,
    written: Written,
    /// The elements that were written on other locales. A use of such elements that failed no longer matters here: whoever reads them waits
    /// for the message that brings them again.
    elsewhere: Elsewhere,
    /// The number of launches, and the number from which on they are searched for launches that are done.
    count: usize,
    limit: usize,
    /// The known overlaps, after there was a launch with several points.
    overlaps: Option<Box<Known>>,
}

/// Fewer launches than this are not searched.
const FEW: usize = 16;
/// The number of launches that are searched without heap memory.
const LOOKED: usize = 2 * FEW;
/// A part is cut from a strided box only if at most this number of boxes is left, and so are scattered boxes from another one. Otherwise
/// nodes also wait for older writers of these elements, unless newer ones have written all of their elements again.
const MOST_PARTS: u64 = 64;
/// Uses around elements; a launch that reads margins on all sides needs no heap memory.
type Around<'u> = SmallVec<[Entry<'u>; 24]>;
/// If there are more uses than this, each tile of a launch searches for its own.
const MANY: usize = 4;
/// Elements that are written again are cut from the box of a use if at most this number of boxes is left: those around a block.
const MOST_AROUND: u64 = 2 * MAX_RANK as u64;

impl Use {
    fn is_well(&self) -> bool {
        self.launches.iter().all(|(_, nodes)| nodes.iter().all(|node| node.is_well()))
    }

    fn is_done(&self) -> bool {
        self.launches.iter().all(|(_, nodes)| nodes.iter().all(|node| node.is_done()))
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.launches.iter().map(|(number, nodes)| Entry {
            number: *number,
            write: self.write,
            tiles: &self.tiles,
            nodes: nodes.of_tiles(),
        })
    }
}

impl Uses {
    /// No uses of a root of these extents.
    pub(crate) fn new(extents: Point) -> Self {
        let (writes, reads, written) = (Boxes::default(), Boxes::default(), Written::new(extents));
        let elsewhere = Elsewhere::default();
        Self { writes, reads, next: 0, written, elsewhere, count: 0, limit: FEW, overlaps: None }
    }

    /// Makes nodes wait for all nodes that they must wait for. Each node uses the tile of its number, or one node uses all.
    pub(crate) fn order(&mut self, tiles: &Arc<Tiles>, (read, write): (bool, bool), nodes: &Nodes) {
        let edge = if read { Edge::Data } else { Edge::Order };
        let Self { writes, reads, overlaps, elsewhere, .. } = self;
        let (nodes, mask) = nodes.of_tiles();
        // In a chain of launches, the last one wrote the same tiles, and waits for everything before it.
        if let Some(last) = writes.only_mut().filter(|last| last.whole && Arc::ptr_eq(&last.tiles, tiles))
            && (!write || reads.is_empty())
            && !elsewhere.is_newer(last.launches[0].0)
        {
            let (before, before_mask) = last.launches[0].1.of_tiles();
            let points = tiles.rects().iter().enumerate().filter(|(_, rect)| !rect.is_empty());
            points.for_each(|(number, _)| nodes[number & mask].after(&before[number & before_mask], edge));
            return;
        }
        let (mut all, mut own) = (Around::new(), Around::new());
        newest_first(writes, reads, (&tiles.hull, write), &mut all);
        if all.is_empty() {
            return;
        }
        if tiles.scattered && order_scattered((&all, elsewhere), tiles, edge, &nodes[0]) {
            return;
        }
        let several = tiles.rects().len() > 1;
        let mut found = Found::new();
        if several {
            let cut = all.iter().filter(|entry| entry.tiles.rects().len() > 1).take(MANY);
            let overlaps = overlaps.get_or_insert_default();
            found.extend(cut.filter_map(|entry| Some((entry.number, overlaps.of(tiles, entry.tiles)?))));
        }
        for (number, rect) in tiles.rects().iter().enumerate().filter(|(_, rect)| !rect.is_empty()) {
            let node = &nodes[number & mask];
            if several && all.len() > MANY {
                newest_first(writes, reads, (rect, write), &mut own);
                order((&own, &found, elsewhere), rect, edge, (number, node));
            } else {
                order((&all, &found, elsewhere), rect, edge, (number, node));
            }
        }
    }

    /// Returns `true` if all writers of some elements are done without errors and, for a write, all readers are done.
    pub(crate) fn is_settled(&self, rect: &Rect, write: bool) -> bool {
        let mut settled = true;
        self.writes.for_each_overlapping(rect, |_, _, known| settled &= known.is_well());
        if write && settled {
            self.reads.for_each_overlapping(rect, |_, _, known| settled &= known.is_done());
        }
        settled
    }

    /// A box of unwritten elements in a box, if there are any.
    pub(crate) fn unwritten(&self, rect: &Rect) -> Option<Rect> {
        self.written.gap(rect)
    }

    /// A box of unwritten elements of a tile, if there are any.
    pub(crate) fn unwritten_of(&self, tiles: &Tiles) -> Option<Rect> {
        self.unwritten(&tiles.hull)?;
        tiles.iter().find_map(|rect| self.unwritten(&rect))
    }

    /// Records one more use, the newest. Tiles that are written are disjoint.
    pub(crate) fn push(&mut self, write: bool, tiles: &Arc<Tiles>, nodes: &Nodes) {
        if tiles.hull.is_empty() {
            return;
        }
        self.next += 1;
        let launch = (self.next, nodes.clone());
        if write && tiles.full {
            if self.reads.is_empty()
                && let Some(last) = self.writes.only_mut().filter(|last| last.whole && Arc::ptr_eq(&last.tiles, tiles))
            {
                last.launches[0] = launch;
                return;
            }
            // Later nodes wait for the new ones, which wait for these.
            for entries in [&mut self.writes, &mut self.reads] {
                for old in entries.overlapping(&tiles.hull) {
                    let (left, were) = supersede(entries, old, &tiles.hull);
                    self.count = self.count + left - were;
                }
            }
        }
        if write && tiles.scattered {
            // The new node waits for the old one, which wrote the same elements.
            let same = |known: &Use| known.whole && Arc::ptr_eq(&known.tiles, tiles);
            let old = self.writes.overlapping(&tiles.hull).into_iter().find(|old| same(self.writes.get(*old).1));
            if let Some((_, known)) = old.and_then(|old| self.writes.remove(old)) {
                self.count -= known.launches.len();
            }
        }
        self.count += 1;
        let alike = |known: &&mut Use| !write && known.whole && Arc::ptr_eq(&known.tiles, tiles);
        if let Some(known) = self.reads.few_mut().find(alike) {
            known.launches.push(launch);
        } else {
            let entry = Use { write, whole: true, tiles: tiles.clone(), launches: smallvec![launch] };
            let entries = if write { &mut self.writes } else { &mut self.reads };
            entries.insert(tiles.hull, entry);
        }
        if self.count >= self.limit {
            self.forget();
            self.limit = (2 * self.count).max(FEW);
        }
    }

    /// Records that the elements of all tiles were written.
    pub(crate) fn note_tiles(&mut self, tiles: &Tiles) {
        if tiles.full {
            self.note_written(&tiles.hull);
        } else {
            tiles.iter().for_each(|rect| self.note_written(&rect));
        }
    }

    /// The number of the newest use.
    pub(crate) fn newest(&self) -> u64 {
        self.next
    }

    /// Records the tiles that a launch wrote after the use with a number, and the locales of its points, seen from the locale `here`. The
    /// uses of the launch itself come before: otherwise each launch would look for what was written elsewhere since.
    pub(crate) fn note_elsewhere(&mut self, after: u64, tiles: &Arc<Tiles>, (placement, here): (&Placement, usize)) {
        // Nothing that was not used here can have failed here.
        if after > 0 {
            self.elsewhere.note(after, tiles, (placement, here));
        }
    }

    /// Records that elements were written.
    pub(crate) fn note_written(&mut self, rect: &Rect) {
        self.written.note(rect);
    }

    /// Drops uses that no node has to wait for any more.
    fn forget(&mut self) {
        self.reads.values_mut().for_each(|known| {
            known.launches.retain(|(_, nodes)| !nodes.iter().all(|node| node.is_done()));
        });
        let read: SmallVec<[usize; LOOKED]> =
            self.reads.iter().filter(|(.., known)| known.launches.is_empty()).map(|(at, ..)| at).collect();
        for at in read {
            self.reads.remove(at);
        }
        let mut written: SmallVec<[(u64, usize); LOOKED]> =
            self.writes.iter().map(|(at, _, known)| (known.launches[0].0, at)).collect();
        written.sort_unstable();
        // A writer that is done is dropped only if there is no older one that is not, or that failed, beside it: it may have written again a
        // part of the elements of one that failed, of which readers look at all tiles. Any writer that is done is dropped if all of its
        // elements were written again: of one that is well, by writers that are known here.
        let mut kept: SmallVec<[Rect; LOOKED]> = SmallVec::new();
        for (_, at) in written {
            let (_, known) = self.writes.get(at);
            let hull = *known.tiles.hull();
            let goes = match known.is_well() {
                true => !kept.iter().any(|kept| kept.overlaps(&hull)) || self.is_again(at, None),
                false => known.is_done() && self.is_again(at, Some(&self.elsewhere)),
            };
            if goes {
                self.writes.remove(at);
            } else if !known.is_well() {
                kept.push(hull);
            }
        }
        self.count = self.writes.len() + self.reads.iter().map(|(.., known)| known.launches.len()).sum::<usize>();
    }

    /// Returns `true` if all elements of a writer were written again by newer ones, here or, if it is given, elsewhere.
    fn is_again(&self, at: usize, elsewhere: Option<&Elsewhere>) -> bool {
        let (rect, known) = self.writes.get(at);
        let number = known.launches[0].0;
        let mut newer: SmallVec<[&Tiles; 2]> = SmallVec::new();
        self.writes.for_each_overlapping(rect, |_, _, other| {
            if other.launches[0].0 > number {
                newer.push(&other.tiles);
            }
        });
        let mut again = true;
        known.tiles.for_each_overlapping(rect, |_, tile| {
            again =
                again && are_all_of(&rect.intersection(tile), &newer, elsewhere.map(|elsewhere| (elsewhere, number)));
        });
        again
    }
}

/// Cuts a box that was written again from the box of an old use, if few boxes are left. For a tile with a margin, the margin is left, which
/// a message then removes. Returns the new and the old number of launches.
///
/// The corners of a margin are left for good if messages bring only its sides. Reads of one such box are one use, or a loop would leave
/// boxes for each of its steps under way.
fn supersede(entries: &mut Boxes<Use>, old: usize, by: &Rect) -> (usize, usize) {
    let (rect, known) = entries.get(old);
    let were = known.launches.len();
    let mut rest = SmallVec::<[(Rect, Use); 2]>::new();
    if !by.covers(rect) {
        let Some(parts) = rect.parts_without(by, MOST_AROUND) else { return (were, were) };
        rest.extend(parts.map(|part| (part, Use { whole: false, ..known.clone() })));
        // Boxes become more only if they become much smaller, so they stay few.
        if rest.len() > 1 && rect.volume() > 2 * rect.intersection(by).volume() {
            return (were, were);
        }
    }
    let left = rest.len() * were;
    entries.remove(old);
    for (part, known) in rest {
        let alike = |other: &Use| !known.write && !other.whole && Arc::ptr_eq(&other.tiles, &known.tiles);
        match entries.equal_mut(&part, alike) {
            Some(other) => other.launches.extend(known.launches),
            None => _ = entries.insert(part, known),
        }
    }
    (left, were)
}

/// The overlaps of the tiles of a launch with those of some uses, by the numbers of the uses.
type Found = SmallVec<[(u64, Arc<Overlaps>); MANY]>;

/// Finds the uses around some elements for which a read, or a write, of these elements waits.
fn newest_first<'u>(
    writes: &'u Boxes<Use>,
    reads: &'u Boxes<Use>,
    (rect, write): (&Rect, bool),
    uses: &mut Around<'u>,
) {
    uses.clear();
    writes.for_each_overlapping(rect, |_, _, known| uses.extend(known.entries()));
    if write {
        reads.for_each_overlapping(rect, |_, _, known| uses.extend(known.entries()));
    }
    uses.sort_unstable_by_key(|entry| Reverse(entry.number));
    uses.dedup_by_key(|entry| entry.number);
}

/// Makes a node wait for uses, the newest first, to use all of many boxes, if the newest writer wrote all of them, or nobody wrote any of
/// them. Otherwise returns `false`, and each box has to be ordered by itself.
fn order_scattered(
    (entries, elsewhere): (&[Entry<'_>], &Elsewhere),
    tiles: &Arc<Tiles>,
    edge: Edge,
    node: &Arc<Node>,
) -> bool {
    let readers = entries.iter().take_while(|entry| !entry.write).count();
    let writer = entries.get(readers);
    if let Some(writer) = writer {
        let is_full = writer.tiles.are_all_of(&writer.tiles.hull) && writer.tiles.hull.covers(&tiles.hull);
        let mut since = false;
        if edge == Edge::Data {
            elsewhere.for_each_since(writer.number, &tiles.hull, |_| since = true);
        }
        if since || !is_full && !Arc::ptr_eq(writer.tiles, tiles) {
            return false;
        }
    }
    for entry in entries[..readers].iter().chain(writer) {
        let edge = if entry.write { edge } else { Edge::Order };
        // All scattered boxes are those of one node, which is waited for once.
        let mut is_met = false;
        entry.tiles.for_each_overlapping(&tiles.hull, |number, rect| {
            let first = entry.node(number);
            if !(is_met && entry.tiles.scattered) && tiles.overlaps(rect) {
                is_met = true;
                node.after(first, edge);
            }
        });
    }
    true
}

/// Makes point `number` of a launch wait for uses, the newest first, to use `rect`.
fn order(
    (entries, found, elsewhere): (&[Entry<'_>], &Found, &Elsewhere),
    rect: &Rect,
    edge: Edge,
    (number, node): (usize, &Arc<Node>),
) {
    // The rest of the box whose last writer was not found yet; first, the whole box.
    let mut rest: Option<SmallVec<[Rect; 4]>> = None;
    // Newer tiles, of which some were not cut from the rest.
    let mut newer: SmallVec<[&Tiles; 2]> = SmallVec::new();
    for entry in entries {
        let edge = if entry.write { edge } else { Edge::Order };
        let since = (edge == Edge::Data && elsewhere.is_newer(entry.number)).then_some((elsewhere, entry.number));
        let is_newest = newer.is_empty() && since.is_none();
        let known = found.iter().find(|(other, _)| *other == entry.number).map(|(_, overlaps)| overlaps);
        if let (Some(overlaps), None, true) = (known, &rest, is_newest)
            && (!entry.write || overlaps.cover(number))
        {
            overlaps.with(number).for_each(|first| node.after(entry.node(first), edge));
            if entry.write {
                return;
            }
            continue;
        }
        // The tiles equal those of an earlier launch, so its point with this number is the only one to wait for.
        if entry.write && is_newest && entry.tiles.rects().get(number) == Some(rect) {
            node.after(entry.node(number), edge);
            return;
        }
        let (mut met, mut common) = (SmallVec::<[Rect; 8]>::new(), 0_i64);
        let mut last: Option<&Arc<Node>> = None;
        // One node has all scattered tiles. If it is waited for, further ones change nothing, since none is cut from the rest.
        let mut is_met = false;
        entry.tiles.for_each_overlapping(rect, |first, tile| {
            if entry.tiles.scattered && is_met && (!entry.write || met.len() as u64 > MOST_PARTS) {
                return;
            }
            let parts = rest.as_deref().unwrap_or(slice::from_ref(rect));
            let mut parts = parts.iter().filter(|part| part.overlaps(tile)).peekable();
            if parts.peek().is_some() {
                let (first, whole, mut edge) = (entry.node(first), edge, edge);
                if !is_newest
                    && edge == Edge::Data
                    && !first.is_well()
                    && !last.is_some_and(|last| Arc::ptr_eq(last, first))
                {
                    let are_again =
                        |since| parts.clone().all(|part| are_all_of(&part.intersection(tile), &newer, since));
                    // A newer writer waits for this one, whose failure no longer matters.
                    if !newer.is_empty() && are_again(None) {
                        return;
                    }
                    if since.is_some() && are_again(since) {
                        edge = Edge::Order;
                    }
                }
                node.after(first, edge);
                is_met |= edge == whole;
                if edge == Edge::Data {
                    last = Some(first);
                }
                if entry.write {
                    common = common.saturating_add(rect.intersection(tile).volume());
                    met.push(*tile);
                }
            }
        });
        if met.is_empty() {
            continue;
        }
        // This is the whole box, since tiles that are written are disjoint.
        if rest.is_none() && !entry.tiles.scattered && common == rect.volume() {
            return;
        }
        // As many parts would be left.
        if entry.tiles.scattered && met.len() as u64 > MOST_PARTS {
            newer.push(entry.tiles);
            continue;
        }
        let (rest, mut stays) = (rest.get_or_insert_with(|| smallvec![*rect]), false);
        for tile in met {
            let mut at = 0;
            while at < rest.len() {
                // Most boxes are apart from the tile, and stay in their places; the rest of a box that is not goes to the end.
                let overlaps = rest[at].overlaps(&tile);
                let parts = if overlaps { rest[at].parts_without(&tile, MOST_PARTS) } else { None };
                match parts {
                    Some(parts) => {
                        rest.swap_remove(at);
                        rest.extend(parts);
                    }
                    None => {
                        stays |= overlaps;
                        at += 1;
                    }
                }
            }
        }
        if rest.is_empty() {
            return;
        }
        if stays {
            newer.push(entry.tiles);
        }
    }
}

/// Returns `true` if tiles, and those that were written elsewhere since the use with a number, have all elements of a box.
fn are_all_of(rect: &Rect, newer: &[&Tiles], since: Option<(&Elsewhere, u64)>) -> bool {
    let (mut parts, mut volume) = (SmallVec::<[Rect; 4]>::new(), 0_i64);
    let mut meets = |tile: &Rect| {
        let part = rect.intersection(tile);
        volume = volume.saturating_add(part.volume());
        parts.push(part);
    };
    newer.iter().for_each(|tiles| tiles.for_each_overlapping(rect, |_, tile| meets(tile)));
    since.iter().for_each(|(elsewhere, number)| elsewhere.for_each_since(*number, rect, &mut meets));
    if volume < rect.volume() {
        return false;
    }
    parts.contains(rect) || {
        let mut written = Written::new(rect.hi());
        parts.iter().for_each(|part| written.note(part));
        written.gap(rect).is_none()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::fault::Cause;
    use super::super::node::Body;
    use super::*;

    /// A node that does nothing.
    struct Nothing;

    impl Body for Nothing {
        fn run(&self, _: usize) -> Result<(), Cause> {
            Ok(())
        }

        fn label(&self, _: usize) -> (String, Point) {
            (String::new(), Point::EMPTY)
        }
    }

    const SIDE: i64 = 12;

    /// A launch: a grid of tiles that may be shifted, with a margin if it only reads.
    #[derive(Clone, Debug)]
    struct Launch {
        tile: [i64; 2],
        shift: [i64; 2],
        access: (bool, bool),
        margin: i64,
        /// Every so many elements of each tile; or, instead of tiles, a point for each element of such a box, with all elements at that
        /// distance.
        steps: ([i64; 2], bool),
        /// `true` if one point has all tiles, some of which overlap.
        scattered: bool,
        /// The number of launched nodes that run before the launch.
        run: usize,
    }

    fn launch() -> impl Strategy<Value = Launch> {
        let access = prop_oneof![Just((true, false)), Just((false, true)), Just((true, true))];
        let tile = prop_oneof![Just([SIDE, SIDE]), Just([3, 4]), Just([1, SIDE]), Just([SIDE, 2]), Just([2, 2])];
        let steps = prop_oneof![2 => Just(([1, 1], false)), 3 => ([1..4_i64, 1..6_i64], any::<bool>())];
        let scattered = prop_oneof![3 => Just(false), 1 => Just(true)];
        let numbers = (tile, [0..3_i64, 0..3_i64], access, 0..3_i64, steps, scattered, 0..40_usize);
        numbers.prop_map(|(tile, shift, access, margin, steps, scattered, run)| Launch {
            tile,
            shift,
            access,
            margin: if access.1 && !scattered { 0 } else { margin },
            steps,
            scattered,
            run,
        })
    }

    impl Launch {
        fn rects(&self) -> Vec<Rect> {
            let whole = Rect::of([SIDE, SIDE].into());
            let ([a, b], interleaved) = self.steps;
            let sparse = |rect: Rect| rect.step(0, a).step(1, b);
            if interleaved {
                return Rect::of([a, b].into()).points().map(|lo| sparse(Rect::new(lo, whole.hi()))).collect();
            }
            let colors = Rect::of([0, 1].map(|dim| SIDE / self.tile[dim] + 1).into());
            let tile = |color: Point| {
                let lo = [0, 1].map(|dim| color[dim] * self.tile[dim] - self.shift[dim]);
                let hi = [0, 1].map(|dim| lo[dim] + self.tile[dim] + self.margin);
                sparse(Rect::new(lo.map(|at| at - self.margin).into(), hi.into()).intersection(&whole))
            };
            colors.points().map(tile).collect()
        }
    }

    /// Returns `true` if `node` waits for `first`, directly or not.
    fn comes_after(node: usize, first: usize, waits: &HashMap<usize, Vec<usize>>) -> bool {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if node == first {
                return true;
            }
            open.extend(waits.get(&node).into_iter().flatten().filter(|before| **before >= first));
        }
        false
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// If two points use a common element and one of them writes it, the later point waits for the earlier one, unless that is done;
        /// and no point waits for one without a common element.
        #[test]
        fn points_wait_for_those_that_they_must_wait_for(launches in prop::collection::vec(launch(), 1..12)) {
            let mut uses = Uses::new([SIDE, SIDE].into());
            // All points so far, by the numbers of their nodes: the boxes that each uses, and whether it writes.
            let mut points: Vec<(Vec<Rect>, bool, Arc<Node>)> = Vec::new();
            let common = |a: &[Rect], b: &[Rect]| a.iter().any(|a| b.iter().any(|b| a.overlaps(b)));
            let mut waits: HashMap<usize, Vec<usize>> = HashMap::new();
            // Equal launches have the same list of tiles, as launches of one plan have.
            let mut known: HashMap<(Vec<Rect>, bool), Arc<Tiles>> = HashMap::new();
            let mut ran = 0;
            for launch in launches {
                for _ in 0..launch.run {
                    if let Some((.., node)) = points.get(ran) {
                        ran += 1;
                        if node.released() {
                            node.run(&mut SmallVec::new());
                        }
                    }
                }
                let rects = launch.rects();
                let first = points.len();
                let node = |number: usize| Node::new(0, number, Arc::new(Nothing));
                let (tiles, nodes): (Arc<Tiles>, Nodes) = if launch.scattered {
                    let node = node(first);
                    points.push((rects.clone(), launch.access.1, node.clone()));
                    let tiles = known.entry((rects.clone(), true)).or_insert_with(|| Tiles::scattered(&rects).into());
                    (tiles.clone(), Nodes::One(node))
                } else {
                    let nodes: Nodes = (0..rects.len()).map(|at| node(first + at)).collect();
                    points.extend(rects.iter().zip(&*nodes).map(|(rect, node)| (vec![*rect], launch.access.1, node.clone())));
                    (known.entry((rects.clone(), false)).or_insert_with(|| Arc::new(rects.into_iter().collect())).clone(), nodes)
                };
                uses.order(&tiles, launch.access, &nodes);
                uses.push(launch.access.1, &tiles, &nodes);
                for (earlier, (.., node)) in points[..first].iter().enumerate() {
                    for later in node.followers() {
                        waits.entry(later).or_default().push(earlier);
                    }
                }
                for later in first..points.len() {
                    let before = waits.get_mut(&later).map(core::mem::take).unwrap_or_default();
                    waits.insert(later, before);
                    for earlier in 0..first {
                        let ((rects, write, _), (others, wrote, done)) = (&points[later], &points[earlier]);
                        let must = (*write || *wrote) && common(rects, others) && !done.is_done();
                        if must {
                            prop_assert!(comes_after(later, earlier, &waits), "{rects:?} after {others:?}");
                        }
                    }
                    for earlier in &waits[&later] {
                        let ((rects, write, _), (others, wrote, _)) = (&points[later], &points[*earlier]);
                        let must = (*write || *wrote) && common(rects, others);
                        prop_assert!(must, "{rects:?} need not wait for {others:?}");
                    }
                }
            }
        }
    }

    /// Records a use of boxes, one for each node, and makes the nodes wait for earlier ones.
    fn used(uses: &mut Uses, write: bool, tiles: Tiles, nodes: Vec<Arc<Node>>) {
        let (tiles, nodes): (_, Nodes) = (Arc::new(tiles), nodes.into_iter().collect());
        uses.order(&tiles, (true, write), &nodes);
        uses.push(write, &tiles, &nodes);
    }

    fn line(lo: i64, hi: i64) -> Rect {
        Rect::new([lo].into(), [hi].into())
    }

    /// Uses that are done are not searched by later launches.
    #[test]
    fn uses_that_are_done_are_dropped_as_others_come() {
        for write in [false, true] {
            let mut uses = Uses::new([2000].into());
            for number in 0..1000 {
                // None covers another one.
                let node = Node::new(0, number, Arc::new(Nothing));
                let at = i64::try_from(number).unwrap();
                used(&mut uses, write, Tiles::one(line(at, at + 2)), vec![node.clone()]);
                assert!(node.released());
                node.run(&mut SmallVec::new());
            }
            let launches = |known: &Boxes<Use>| known.iter().map(|(.., known)| known.launches.len()).sum::<usize>();
            let left = launches(&uses.reads) + launches(&uses.writes);
            assert!(left <= 2 * FEW && left == uses.count, "{left} uses");
        }
    }

    /// The tile of a stencil with its margin: after the tile was written, only the margin of the read is left, and nothing after messages
    /// came for the margin.
    #[test]
    fn what_is_written_again_goes_from_older_uses() {
        let mut uses = Uses::new([10].into());
        let next = |uses: &mut Uses, write, rect| {
            let node = Node::new(0, usize::try_from(uses.next).unwrap(), Arc::new(Nothing));
            used(uses, write, Tiles::one(rect), vec![node]);
            [&uses.writes, &uses.reads].map(|entries| entries.iter().map(|(_, rect, _)| *rect).collect::<Vec<_>>())
        };
        next(&mut uses, false, line(0, 10));
        assert_eq!(next(&mut uses, true, line(1, 9)), [vec![line(1, 9)], vec![line(0, 1), line(9, 10)]]);
        assert_eq!(next(&mut uses, true, line(0, 1)), [vec![line(1, 9), line(0, 1)], vec![line(9, 10)]]);
        assert_eq!(next(&mut uses, true, line(9, 10))[1], []);
        // A small part that leaves two boxes removes nothing.
        assert_eq!(next(&mut uses, true, line(4, 5))[0][0], line(1, 9));
    }

    /// The corners of a margin, which no message brings, are one box each, however many steps are under way.
    #[test]
    fn reads_of_one_corner_are_one_use() {
        let mut uses = Uses::new([10, 10].into());
        let rect = |lo: [i64; 2], hi: [i64; 2]| Arc::new(Tiles::one(Rect::new(lo.into(), hi.into())));
        let (all, own) = (rect([0, 0], [10, 10]), rect([1, 1], [9, 9]));
        let sides =
            [([0, 1], [1, 9]), ([9, 1], [10, 9]), ([1, 0], [9, 1]), ([1, 9], [9, 10])].map(|(lo, hi)| rect(lo, hi));
        let steps = 100;
        for _ in 0..steps {
            for (write, tiles) in [(false, &all), (true, &own)].into_iter().chain(sides.iter().map(|side| (true, side)))
            {
                let nodes = Nodes::One(Node::new(0, usize::try_from(uses.next).unwrap(), Arc::new(Nothing)));
                uses.order(tiles, (true, write), &nodes);
                uses.push(write, tiles, &nodes);
            }
        }
        assert_eq!((uses.writes.len(), uses.reads.len()), (5, 4));
        // A write of a corner waits for all of them.
        assert!(uses.reads.iter().all(|(.., known)| known.launches.len() == steps));
    }

    /// The same half twice has as many elements as the whole.
    #[test]
    fn boxes_of_one_point_that_overlap_are_not_taken_for_all() {
        let mut uses = Uses::new([4].into());
        let nodes: Vec<_> = (0..4).map(|number| Node::new(0, number, Arc::new(Nothing))).collect();
        let halves = [line(0, 2), line(2, 4)];
        used(&mut uses, true, halves.into_iter().collect(), nodes[..2].to_vec());
        used(&mut uses, true, Tiles::scattered(&[halves[0]; 2]), vec![nodes[2].clone(); 2]);
        used(&mut uses, false, Tiles::one(line(0, 4)), vec![nodes[3].clone()]);
        assert_eq!(nodes[1].followers(), [3]);
        assert_eq!(nodes[2].followers().last(), Some(&3));
    }

    /// A message of thousands of elements, in each step of a loop, is one use of one node, and each node waits for it once.
    #[test]
    fn scattered_boxes_are_one_use() {
        const COUNT: i64 = 1000;
        let mut uses = Uses::new([2 * COUNT].into());
        let scattered: Vec<Rect> = (0..COUNT).map(|at| line(2 * at, 2 * at + 1)).collect();
        let scattered = Arc::new(Tiles::scattered(&scattered));
        let nodes: Vec<_> = (0..4).map(|number| Node::new(0, number, Arc::new(Nothing))).collect();
        used(&mut uses, true, Tiles::one(line(0, 2 * COUNT)), vec![nodes[0].clone()]);
        for node in &nodes[1..3] {
            let node = Nodes::One(node.clone());
            uses.order(&scattered, (false, true), &node);
            uses.push(true, &scattered, &node);
        }
        assert_eq!((uses.writes.len(), uses.count), (2, 2));
        used(&mut uses, false, Tiles::one(line(0, 2 * COUNT)), vec![nodes[3].clone()]);
        assert_eq!([0, 1, 2].map(|at| nodes[at].followers()), [vec![1, 3], vec![2], vec![3]]);
    }

    /// Runs a node whose body fails, or one that does nothing.
    fn ran(number: usize, fails: bool) -> Arc<Node> {
        struct Fails;
        impl Body for Fails {
            fn run(&self, _: usize) -> Result<(), Cause> {
                Err(super::super::fault::TaskBodyError::new("no").into())
            }

            fn label(&self, _: usize) -> (String, Point) {
                (String::new(), Point::EMPTY)
            }
        }
        let body: Arc<dyn Body> = if fails { Arc::new(Fails) } else { Arc::new(Nothing) };
        let node = Node::new(0, number, body);
        assert!(node.released());
        node.run(&mut SmallVec::new());
        node
    }

    /// A use that failed goes when all of its elements were written again, piece by piece, and so do the uses after it.
    #[test]
    fn uses_that_failed_are_dropped_when_all_is_written_again() {
        const COUNT: i64 = 1000;
        let mut uses = Uses::new([2 * COUNT].into());
        let scattered: Vec<Rect> = (0..COUNT).map(|at| line(2 * at, 2 * at + 1)).collect();
        let push = |uses: &mut Uses, rects: &[Rect], fails: bool| {
            let node = ran(usize::try_from(uses.next).unwrap(), fails);
            uses.push(true, &Tiles::scattered(rects).into(), &Nodes::One(node));
        };
        push(&mut uses, &scattered, true);
        for part in scattered.chunks(10).cycle().take(99) {
            push(&mut uses, part, false);
        }
        assert_eq!(uses.count, 100, "ten elements are still invalid");
        for part in scattered.chunks(10).cycle().skip(99).take(200) {
            push(&mut uses, part, false);
        }
        assert!(uses.count <= 2 * FEW, "{} uses", uses.count);
    }

    /// Elements that a launch writes elsewhere are not newer than its own uses, or each launch would look for them.
    #[test]
    fn a_launch_is_no_older_than_what_it_writes_elsewhere() {
        let mut uses = Uses::new([40].into());
        let tiles: Arc<Tiles> = (0..4).map(|at| line(10 * at, 10 * at + 10)).collect::<Tiles>().into();
        for number in 0..3 {
            let after = uses.newest();
            assert!(!uses.elsewhere.is_newer(after));
            uses.push(true, &tiles, &Nodes::One(ran(number, false)));
            uses.note_elsewhere(after, &tiles, (&Placement::each(4), 0));
        }
        assert_eq!((uses.elsewhere.is_newer(uses.newest()), uses.elsewhere.is_newer(2)), (false, true));
    }

    /// A use that failed matters no more where another locale wrote since.
    #[test]
    fn what_is_written_elsewhere_is_valid_here_when_it_comes() {
        let is_canceled = |uses: &mut Uses, rect: Rect| {
            let node = Node::new(0, 9, Arc::new(Nothing));
            uses.order(&Tiles::one(rect).into(), (true, false), &Nodes::One(node.clone()));
            assert!(node.released());
            node.run(&mut SmallVec::new());
            !node.is_well()
        };
        let mut uses = Uses::new([40].into());
        uses.push(true, &Tiles::one(line(0, 20)).into(), &Nodes::One(ran(0, true)));
        // The first tile of ten elements is of this locale, whose point did not run yet.
        let tiles: Arc<Tiles> = (0..4).map(|at| line(10 * at, 10 * at + 10)).collect::<Tiles>().into();
        uses.note_elsewhere(uses.newest(), &tiles, (&Placement::each(4), 0));
        let canceled = [line(0, 5), line(5, 15), line(10, 20), line(12, 40)].map(|rect| is_canceled(&mut uses, rect));
        assert_eq!(canceled, [true, true, false, false]);
        // A message for it fails.
        uses.push(true, &Tiles::one(line(14, 16)).into(), &Nodes::One(ran(1, true)));
        let canceled = [line(10, 14), line(10, 15), line(16, 20)].map(|rect| is_canceled(&mut uses, rect));
        assert_eq!(canceled, [false, true, false]);
    }
}
