//! The ledger of a root: it records which locales have which elements, equally on every locale, in time that does not grow with the number
//! of locales.
//!
//! ```text
//! acts     the writes and reads, launch by launch: tiles, and the locales of their points, the oldest first
//! plans    the exchanges for a launch after certain acts: the next launch after the same acts finds them
//! parts    boxes and their locales, one by one
//! ```
//!
//! 1. An act takes a few words, however many points the launch had: its list of tiles is shared. A query finds the tiles that overlap a
//!    box, and the locales of their points by arithmetic.
//! 2. One function computes the elements that a point lacks of a tile that another locale wrote: [`piece`]. The receiver calls it for the
//!    tiles that its points overlap, the sender for the points that its tiles overlap. So both agree on each message without knowing
//!    anything about other locales.
//! 3. The first act is a launch that wrote everything. A later one that wrote a box, tile by tile, hides the elements that it covers. A
//!    launch that wrote everything again is the only act from then on.
//! 4. A plan depends only on acts, tiles and placements, which are the same on each locale. So a plan that is found is the plan that would
//!    be made.
//! 5. A write of the program, on each locale or on the locales of the elements, is an act of a box.
//! 6. No other locale knows the elements that points reach through an image: locales ask each other for them (`asked`), and this is no act.
//! 7. A fence that returns an error ends all reads of divided stores: elements may not have come, and only their receiver knows which.
//! 8. All other writes and reads, and one act more than the limit, turn all acts into parts, by repeating each of them, one point after
//!    another. From then on there are parts, and no acts, until everything is written again.

use core::cmp::Reverse;
use core::mem::{replace, take};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::flow::{PARCEL, messages};
use super::fresh::MOST_KEPT;
use super::versions::{Owned, Versions};
use crate::geometry::{Rect, RunList, Transform};
use crate::graph::Tiles;
use crate::partition::Placement;

/// The elements of a root that each locale has.
#[derive(Default)]
pub(crate) struct Ledger {
    acts: Acts,
    parts: Versions,
    /// Elements that were asked for and came, the newest last, until some of them are written.
    asked: Vec<asked::AskedFor>,
    /// The number of reads of scattered elements.
    runs: u64,
    /// The newest last.
    plans: Vec<Arc<ExchangePlan>>,
}

/// The use of a root by a launch.
#[derive(Clone)]
struct Act {
    what: What,
    tiles: Arc<Tiles>,
    placement: Placement,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Each point wrote its tile.
    Wrote,
    /// Each locale wrote everything, alike.
    WroteAlike,
    /// Each point got its tile.
    Read,
}

type Acts = SmallVec<[Act; 2]>;

/// The number of acts that are kept; more become parts. A step of a program writes a few parts of a store, such as the inner elements and
/// the faces of a cube. Both sides of a message count alike.
const MOST: usize = 32;
/// The largest number of tiles of a write of the program that still becomes acts.
const MOST_RENEWED: usize = 4;

/// Disjoint boxes of elements.
type Rest = SmallVec<[Rect; 2]>;

/// The elements for which a locale asks the others.
type Others = Arc<dyn Fn(usize) -> Vec<Piece> + Send + Sync>;

/// Elements that a point lacks and one locale has, and that were written together.
#[derive(Clone)]
pub(super) struct Piece {
    /// The point that lacks them.
    pub(super) point: usize,
    pub(super) rects: Box<[Rect]>,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The exchange of locales for a launch that reads tiles of a root after certain acts.
pub(crate) struct ExchangePlan {
    acts: Acts,
    tiles: Arc<Tiles>,
    placement: Placement,
    /// The bytes of an element.
    element: usize,
    /// The bytes that all locales send, after they were asked for.
    bytes: OnceLock<u64>,
    /// The elements for which each locale asks others, if a locale only plans and asks nobody.
    others: Option<Others>,
    /// The messages to this locale, point by point, and then those from it.
    pub(super) messages: Arc<[Message]>,
}

/// The time when a plan was made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// For an earlier launch.
    Before,
    Now,
}

/// A message of elements from one locale to another one.
pub(super) struct Message {
    /// `true` if this locale sends it, `false` if it receives it.
    pub(super) sent: bool,
    /// The other locale.
    pub(super) peer: usize,
    /// The point that lacks the elements.
    pub(super) point: usize,
    /// The number of the message among those from one to the other: both count alike.
    pub(super) number: usize,
    pub(super) tiles: Arc<Tiles>,
    pub(super) bytes: u64,
    /// The place in the list of the first message of its parcel.
    pub(super) first: usize,
    /// The parcel, if this is its first message.
    pub(super) parcel: Parcel,
}

/// Small messages from one locale to another that travel together. Each has elements of its own, or its own fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parcel {
    /// The number of messages.
    pub(super) count: usize,
    pub(super) bytes: u64,
}

/// Puts neighboring small messages from one locale to another into parcels. Both locales do it alike, since they have the messages between
/// them in the same order.
fn put_into_parcels(messages: &mut [Message]) {
    let mut newest: BTreeMap<(bool, usize), usize> = BTreeMap::new();
    for at in 0..messages.len() {
        let Message { sent, peer, bytes, .. } = messages[at];
        let newest = newest.entry((sent, peer)).or_insert(at);
        if messages[*newest].parcel.bytes + bytes > PARCEL {
            *newest = at;
        }
        messages[at].first = *newest;
        let parcel = &mut messages[*newest].parcel;
        (parcel.count, parcel.bytes) = (parcel.count + 1, parcel.bytes + bytes);
    }
}

/// The messages of some pieces to and from a locale: those that it receives, in order, and then those that it sends to each other locale,
/// in order. Elements have `element` bytes.
pub(super) fn messages_of(pieces: impl IntoIterator<Item = Piece>, me: usize, element: usize) -> Arc<[Message]> {
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let message = |Piece { point, rects, from, to }| {
        let (sent, count) = (from == me, counts.entry((from, to)).or_default());
        let split = messages(element, rects).map(|rects| {
            *count += 1;
            let (peer, number, bytes) = (if sent { to } else { from }, *count, bytes_of(&rects, element));
            let (tiles, first, parcel) = (Tiles::scattered(&rects).into(), 0, Parcel::default());
            Message { sent, peer, point, number, tiles, bytes, first, parcel }
        });
        split.collect::<Vec<_>>()
    };
    let own = pieces.into_iter().filter(|piece| [piece.from, piece.to].contains(&me));
    let mut own: Vec<Piece> = own.collect();
    // The messages of a parcel are admitted one right after another (`flow`).
    own.sort_by_key(|piece| (piece.to != me).then_some(piece.to));
    let mut messages: Vec<Message> = own.into_iter().flat_map(message).collect();
    put_into_parcels(&mut messages);
    messages.into()
}

/// The bytes of the elements in some disjoint boxes; elements have `element` bytes.
pub(super) fn bytes_of(rects: &[Rect], element: usize) -> u64 {
    let elements: i64 = rects.iter().map(Rect::volume).sum();
    u64::try_from(elements).unwrap_or(0) * element as u64
}

impl Act {
    fn wrote(&self) -> bool {
        self.what != What::Read
    }

    fn is(&self, tiles: &Arc<Tiles>, placement: &Placement) -> bool {
        self.what != What::WroteAlike && Arc::ptr_eq(&self.tiles, tiles) && self.placement == *placement
    }
}

impl PartialEq for Act {
    /// Returns `true` if the acts are the same, with the same list of tiles or the same box.
    fn eq(&self, other: &Self) -> bool {
        // Equal placements have the same number of tiles.
        let [one, more] = [&self.tiles, &other.tiles];
        let is_same_box = || one.len() == 1 && one.hull() == more.hull();
        self.what == other.what && self.placement == other.placement && (Arc::ptr_eq(one, more) || is_same_box())
    }
}

/// Removes a box from some boxes.
fn take_out(rest: &mut Rest, rect: &Rect) {
    if rest.iter().any(|part| part.overlaps(rect)) {
        *rest = rest.iter().flat_map(|part| part.without(rect)).collect();
    }
}

/// Calls `f` for the points of a locale whose tiles overlap a box, and perhaps for other points of it.
fn for_each_point_of(
    (tiles, placement): (&Tiles, &Placement),
    locale: usize,
    rect: &Rect,
    mut f: impl FnMut(usize, &Rect),
) {
    if tiles.are_deep() {
        return placement.points_of(locale).for_each(|point| f(point, &tiles.rect(point)));
    }
    tiles.for_each_overlapping(rect, |point, tile| {
        if placement.locale(point) == locale {
            f(point, tile);
        }
    });
}

/// The elements of a box that tile `tile` of act `at` wrote and that locale `to` lacks.
fn piece(acts: &[Act], (at, tile): (usize, usize), rect: &Rect, to: usize) -> Rest {
    let common = rect.intersection(&acts[at].tiles.rect(tile));
    let mut rest: Rest = (!common.is_empty()).then_some(common).into_iter().collect();
    for later in &acts[at + 1..] {
        if rest.is_empty() {
            break;
        }
        if later.wrote() {
            take_out(&mut rest, later.tiles.hull());
            continue;
        }
        for_each_point_of((&later.tiles, &later.placement), to, &common, |_, tile| take_out(&mut rest, tile));
    }
    rest
}

/// Calls `f` for each tile that overlaps a box and was written by another locale than `to`, the newest acts first, and the tiles of an act
/// by their numbers; `f` gets the act, the tile, and the writer.
fn for_each_of_others(acts: &[Act], rect: &Rect, to: usize, mut f: impl FnMut((usize, usize), usize)) {
    for (at, act) in acts.iter().enumerate().rev().filter(|(_, act)| act.what == What::Wrote) {
        let mut tiles: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        act.tiles.for_each_overlapping(rect, |tile, _| {
            let from = act.placement.locale(tile);
            if from != to {
                tiles.push((tile, from));
            }
        });
        tiles.sort_unstable();
        tiles.into_iter().for_each(|(tile, from)| f((at, tile), from));
    }
}

impl ExchangePlan {
    /// A plan that no other launch has: the messages of this locale, and the bytes of all locales.
    pub(super) fn once(
        (tiles, placement): (&Arc<Tiles>, &Placement),
        (messages, bytes): (Arc<[Message]>, u64),
        element: usize,
    ) -> Self {
        let (acts, tiles, placement) = (Acts::new(), tiles.clone(), placement.clone());
        Self { acts, tiles, placement, element, bytes: bytes.into(), others: None, messages }
    }

    /// Returns `true` if this is the plan of a launch that reads these tiles after these acts.
    fn is(&self, acts: &Acts, tiles: &Arc<Tiles>, placement: &Placement) -> bool {
        Arc::ptr_eq(&self.tiles, tiles) && self.placement == *placement && self.acts == *acts
    }

    /// The elements of a tile that a point receives.
    fn piece(&self, point: usize, tile: (usize, usize)) -> Rest {
        let (rect, to) = (&self.tiles.rect(point), self.placement.locale(point));
        let mut rest = piece(&self.acts, tile, rect, to);
        if !rest.is_empty() {
            // Elements that an earlier point of that locale gets need not be sent again.
            for_each_point_of((&self.tiles, &self.placement), to, rect, |number, tile| {
                if number < point {
                    take_out(&mut rest, tile);
                }
            });
        }
        rest
    }

    /// Returns `true` if the tile of a point that was written last has all elements that the point reads, on the locale of the point.
    fn has_own(&self, point: usize) -> bool {
        let Some(act) = self.acts.iter().rfind(|act| act.wrote()).filter(|act| act.what == What::Wrote) else {
            return false;
        };
        let covers = |tile: &Rect| tile.covers(&self.tiles.rect(point));
        point < act.tiles.len()
            && covers(&act.tiles.rect(point))
            && act.placement.locale(point) == self.placement.locale(point)
    }

    /// Calls `f` for all elements that a point receives, with their sender.
    fn received(&self, point: usize, mut f: impl FnMut(usize, Rest)) {
        if self.has_own(point) {
            return;
        }
        for_each_of_others(&self.acts, &self.tiles.rect(point), self.placement.locale(point), |tile, from| {
            let rest = self.piece(point, tile);
            if !rest.is_empty() {
                f(from, rest);
            }
        });
    }

    /// The pieces that the points of a locale receive, point by point; then the pieces that it sends, to each other locale in the order in
    /// which that one receives them.
    fn pieces_of(&self, me: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for point in self.placement.points_of(me) {
            self.received(point, |from, rest| {
                pieces.push(Piece { point, rects: rest.into_vec().into(), from, to: me });
            });
        }
        let mut asked: SmallVec<[(usize, Reverse<usize>, usize); 8]> = SmallVec::new();
        for (at, act) in self.acts.iter().enumerate().filter(|(_, act)| act.what == What::Wrote) {
            for tile in act.placement.points_of(me) {
                self.tiles.for_each_overlapping(&act.tiles.rect(tile), |point, _| {
                    if self.placement.locale(point) != me {
                        asked.push((point, Reverse(at), tile));
                    }
                });
            }
        }
        asked.sort_unstable();
        for (point, Reverse(act), tile) in asked {
            let rest = self.piece(point, (act, tile));
            if !rest.is_empty() {
                pieces.push(Piece { point, rects: rest.into_vec().into(), from: me, to: self.placement.locale(point) });
            }
        }
        pieces
    }

    /// The bytes that all locales send together, in time that grows with the points of the launch.
    pub(super) fn bytes(&self) -> u64 {
        *self.bytes.get_or_init(|| {
            if let Some(others) = &self.others {
                let all = (0..self.placement.locales()).flat_map(|locale| others(locale));
                return all.map(|piece| bytes_of(&piece.rects, self.element)).sum();
            }
            let mut elements = 0;
            for point in 0..self.tiles.len() {
                self.received(point, |_, rest| elements += rest.iter().map(Rect::volume).sum::<i64>());
            }
            u64::try_from(elements).unwrap_or(0).saturating_mul(self.element as u64)
        })
    }
}

impl Ledger {
    /// Records that only these locales have the newest version of `rect`; the list may be empty.
    pub(crate) fn written(&mut self, rect: &Rect, owners: impl IntoIterator<Item = usize>) {
        self.outdate(rect);
        self.settle().written(rect, owners);
    }

    /// Records that each of `locales` locales wrote a box, alike; the box may be `all` of the root.
    pub(super) fn written_alike(&mut self, tiles: &Arc<Tiles>, all: bool, locales: usize) {
        self.outdate(tiles.hull());
        let act = Act { what: What::WroteAlike, tiles: tiles.clone(), placement: Placement::each(locales) };
        if all {
            self.begin(act);
        } else if self.acts.is_empty() {
            self.parts.written(tiles.hull(), 0..locales);
        } else {
            self.push_upon(act);
        }
    }

    /// Records the writers of some disjoint tiles, which may be all of the root.
    pub(super) fn written_tiles(&mut self, tiles: &Arc<Tiles>, all: bool, placement: &Placement) {
        self.outdate(tiles.hull());
        let act = || Act { what: What::Wrote, tiles: tiles.clone(), placement: placement.clone() };
        if all {
            self.begin(act());
        } else if !self.acts.is_empty() && tiles.are_all_of(tiles.hull()) {
            self.push_upon(act());
        } else {
            let parts = self.settle();
            for (number, rect) in tiles.iter().enumerate() {
                parts.written(&rect, [placement.locale(number)]);
            }
        }
    }

    /// The exchange that gives all points of a launch their tiles; after it they have them. `None` if they have them already. Elements have
    /// `element` bytes.
    pub(super) fn read(
        &mut self,
        (tiles, placement): (&Arc<Tiles>, &Placement),
        (me, element): (usize, usize),
    ) -> Option<(Arc<ExchangePlan>, Made)> {
        if self.acts.is_empty() {
            return Some((self.read_parts((tiles, placement), (me, element)).into(), Made::Now));
        }
        // Elements that were written or read by these tiles are where they are needed, unless some of them were written since.
        let known = self.acts.iter().rposition(|act| act.is(tiles, placement));
        let since = |act: &Act| act.wrote() && act.tiles.hull().overlaps(tiles.hull());
        if known.is_some_and(|known| !self.acts[known + 1..].iter().any(since))
            || self.acts.iter().all(|act| act.what == What::WroteAlike)
        {
            return None;
        }
        let known = self.plans.iter().find(|plan| plan.is(&self.acts, tiles, placement)).cloned();
        let plan = known.map(|plan| (plan, Made::Before)).unwrap_or_else(|| {
            let (acts, tiles, placement) = (self.acts.clone(), tiles.clone(), placement.clone());
            let (bytes, messages) = (OnceLock::new(), Arc::from([]));
            let mut plan = ExchangePlan { acts, tiles, placement, element, bytes, others: None, messages };
            plan.messages = messages_of(plan.pieces_of(me), me, element);
            let plan = Arc::new(plan);
            self.keep(&plan);
            (plan, Made::Now)
        });
        self.push(Act { what: What::Read, tiles: tiles.clone(), placement: placement.clone() });
        Some(plan)
    }

    /// [`read`](Self::read) point by point: a plan that is used once.
    fn read_parts(
        &mut self,
        (tiles, placement): (&Arc<Tiles>, &Placement),
        (me, element): (usize, usize),
    ) -> ExchangePlan {
        let (mut pieces, mut bytes) = (Vec::new(), 0);
        for (point, rect) in tiles.iter().enumerate() {
            let to = placement.locale(point);
            for (rects, from) in self.parts.fetch(&rect, to) {
                bytes += bytes_of(&rects, element);
                if [from, to].contains(&me) {
                    pieces.push(Piece { point, rects, from, to });
                }
            }
        }
        ExchangePlan::once((tiles, placement), (messages_of(pieces, me, element), bytes), element)
    }

    fn keep(&mut self, plan: &Arc<ExchangePlan>) {
        if self.plans.len() == MOST_KEPT {
            self.plans.remove(0);
        }
        self.plans.push(plan.clone());
    }

    /// This act writes everything.
    fn begin(&mut self, act: Act) {
        self.parts.clear();
        self.acts.clear();
        self.acts.push(act);
    }

    /// This act writes a box.
    fn push_upon(&mut self, act: Act) {
        // Hidden elements are no longer sent or received. The first act stays, since it has all elements that the others do not have.
        let (mut first, hull) = (true, *act.tiles.hull());
        self.acts.retain(|act| replace(&mut first, false) || !hull.covers(act.tiles.hull()));
        self.push(act);
    }

    /// Forgets all reads, so that their elements are sent again.
    pub(super) fn forget_reads(&mut self) {
        self.acts.retain(|act| act.wrote());
        self.asked.clear();
        self.parts.forget_fetched();
    }

    fn push(&mut self, act: Act) {
        self.acts.push(act);
        if self.acts.len() > MOST {
            self.settle();
        }
    }

    /// Turns all acts into parts.
    pub(super) fn settle(&mut self) -> &mut Versions {
        for Act { what, tiles, placement } in take(&mut self.acts) {
            for (number, rect) in tiles.iter().enumerate() {
                match what {
                    What::Wrote => self.parts.written(&rect, [placement.locale(number)]),
                    What::WroteAlike => self.parts.written(&rect, 0..placement.count()),
                    What::Read => drop(self.parts.fetch(&rect, placement.locale(number))),
                }
            }
        }
        &mut self.parts
    }

    /// The elements of a box that a locale lacks, and the locales that have them.
    pub(super) fn lacking(&self, rect: &Rect, to: usize) -> Vec<Owned> {
        if self.acts.is_empty() {
            return self.parts.lacking(rect, to);
        }
        let mut lacking = Vec::new();
        for_each_of_others(&self.acts, rect, to, |tile, from| {
            let rest = piece(&self.acts, tile, rect, to);
            if !rest.is_empty() {
                lacking.push((rest.into_vec().into(), from));
            }
        });
        lacking
    }

    /// Returns `true` if locales lack more than this number of elements of a box, summed over these locales. Looks at no more locales than
    /// it must: each takes time that grows with the number of tiles.
    pub(super) fn lack_more(&self, most: i64, rect: &Rect, mut locales: impl Iterator<Item = usize>) -> bool {
        let count =
            |to: usize| self.lacking(rect, to).iter().flat_map(|(rects, _)| rects).map(Rect::volume).sum::<i64>();
        let mut left = most;
        locales.any(|to| {
            left = left.saturating_sub(count(to));
            left < 0
        })
    }

    /// Records that only one of the locales that had each part of a box has its newer version; returns the parts with these locales.
    pub(super) fn renewed(&mut self, rect: &Rect) -> Vec<(Rect, usize)> {
        self.outdate(rect);
        match self.writers_of(rect) {
            Some(parts) => {
                for (part, locale) in &parts {
                    self.written_tiles(&Tiles::one(*part).into(), false, &Placement::one(*locale));
                }
                parts
            }
            None => self.settle().renewed(rect),
        }
    }

    /// The parts of a box that tiles of acts have, the newest acts first, with their writers; `None` if there are many, or no acts.
    fn writers_of(&self, rect: &Rect) -> Option<Vec<(Rect, usize)>> {
        let (mut rest, mut parts) = (Rest::from_iter([*rect]), Vec::new());
        for act in self.acts.iter().rev().filter(|act| act.wrote()) {
            for left in &rest {
                let found = parts.len();
                act.tiles.for_each_overlapping(left, |tile, tile_rect| {
                    let locale = if act.what == What::Wrote { act.placement.locale(tile) } else { 0 };
                    parts.push((tile_rect.intersection(left), locale));
                });
                if parts.len() > MOST_RENEWED {
                    return None;
                }
                // Each locale finds them in this order.
                parts[found..].sort_unstable_by_key(|(part, _)| part.lo());
            }
            take_out(&mut rest, act.tiles.hull());
        }
        rest.is_empty().then_some(parts)
    }

    /// The tiles of the newest launch that wrote all of a box, and the placement of its points. `None` if every locale wrote the box, or if
    /// its parts were written separately.
    pub(super) fn written_together(&self, rect: &Rect) -> Option<(Arc<Tiles>, Placement)> {
        let act = self.acts.iter().rfind(|act| act.wrote() && act.tiles.hull().covers(rect))?;
        (act.what == What::Wrote).then(|| (act.tiles.clone(), act.placement.clone()))
    }

    /// The number of one more read of scattered elements.
    pub(super) fn count_runs(&mut self) -> u64 {
        self.runs += 1;
        self.runs
    }

    /// See [`Versions::fetch_runs`].
    pub(super) fn fetch_runs(
        &mut self,
        runs: Vec<Arc<RunList>>,
        view: (&Arc<Transform>, &Rect),
        to: (usize, u64),
    ) -> Vec<Owned> {
        self.settle().fetch_runs(runs, view, to)
    }
}

mod asked;
#[cfg(test)]
mod tests;
