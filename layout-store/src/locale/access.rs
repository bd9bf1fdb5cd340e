//! Uses of elements by the program itself, between two nodes of the graph.

use core::ops::Range;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use super::claim::{Claim, enlist, settle};
use super::exchange::{Exchanged, Outbound, copies, exchange};
use super::history::Order;
use super::instances::{Divided, Move, Places, Purpose};
use super::ledger::{Piece, messages_of};
use super::{Key, Locale, Operation, Place, Root, transfers};
use crate::error::StoreError;
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, Engine, EnlistedUse, Node, Nodes, Tiles};
use crate::memory::{Region, StoreTarget};
use crate::partition::Placement;

/// The body of a node that does nothing: other nodes wait for it, and it waits for others.
struct Gate;

impl Body for Gate {
    fn run(&self, _: usize) -> Result<(), Cause> {
        Ok(())
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("access of the program".to_owned(), Point::EMPTY)
    }
}

/// Returns an error if memory of this size at this place was refused on this locale, with this error, or on another one. It comes after
/// the operation was counted, and before anything else is: a refused call leaves the store as it was.
pub(crate) type Agree<'a> = &'a dyn Fn((usize, &StoreTarget), Option<StoreError>) -> Result<(), StoreError>;

/// The data that a call of the program uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    /// The elements, which are shown on every locale.
    Elements,
    /// The elements, which are shown on this locale only.
    ElementsOn(usize),
    /// The memory of the elements.
    Memory,
}

/// The time in which the program itself uses elements: later tasks wait for its end.
pub(crate) struct Access<'r> {
    locale: &'r Arc<Locale>,
    root: &'r Root,
    /// If no locale has the whole store: the instance that shows the elements, or memory for the duration of the access.
    shown: Option<Place>,
    /// The copies back to instances at the end.
    back: Vec<Move>,
    /// `true` if it is in [`Root::in_use`].
    in_use: bool,
    end: Arc<Node>,
    /// Dropped after the end was started.
    _enlisted: EnlistedUse<'r>,
}

impl Access<'_> {
    /// The memory that shows the elements, if no locale has the whole store.
    pub(crate) fn region(&self) -> Option<&Region> {
        self.shown.as_ref().map(|place| &*place.region)
    }
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        for Move { tiles, from, to } in &self.back {
            // Nothing else has these elements now.
            let _ = (self.root.mover.copy)(from, to, tiles);
        }
        if self.in_use {
            let (mut in_use, thread) = (self.root.in_use.lock(), thread::current().id());
            if let Some(newest) = in_use.iter().rposition(|other| other.thread == thread) {
                in_use.remove(newest);
            }
        }
        self.locale.engine.end_use();
        self.locale.engine.start_here(&self.end);
    }
}

/// Elements that the program uses.
pub(super) struct InUse {
    tiles: Arc<Tiles>,
    /// The locale that uses each tile; `None` if each locale uses all.
    placement: Option<Placement>,
    write: bool,
    /// The thread that uses them. Others wait for the end of this use.
    thread: ThreadId,
}

impl Access<'_> {
    /// Records what is used, for the program's uses within this one.
    fn known(mut self, tiles: impl Into<Arc<Tiles>>, placement: Option<Placement>, write: bool) -> Self {
        if self.locale.net.is_some() {
            let (tiles, thread) = (tiles.into(), thread::current().id());
            self.root.in_use.lock().push(InUse { tiles, placement, write, thread });
            self.in_use = true;
        }
        self
    }
}

/// Calls `look` for elements in a box, and returns its result, if there is nothing to wait for and no other locale to tell; otherwise
/// returns `None`. Nothing can be launched meanwhile.
pub(crate) fn look_at_once<T>(
    root: &Root,
    rect: &Rect,
    call: &'static str,
    look: impl FnOnce() -> Option<T>,
) -> Result<Option<T>, StoreError> {
    Engine::check_outside()?;
    if root.locale.net.is_some() || root.locale.planned.is_some() {
        return Ok(None);
    }
    let _program = root.locale.program.lock();
    root.check(call, None, false)?;
    let settled = {
        let uses = root.uses.lock();
        if let Some(rect) = uses.unwritten(rect) {
            return Err(StoreError::Uninitialized { task: call.to_owned(), argument: None, rect: rect.into() });
        }
        uses.is_settled(&root.storage.reach(rect), false)
    };
    Ok(if settled { look() } else { None })
}

/// Calls `write`, which writes all elements in a box, if there is nothing to wait for and no other locale to tell; returns whether it
/// wrote. If it did not, a launch does, and reports the errors.
pub(crate) fn write_at_once(root: &Root, rect: &Rect, write: impl FnOnce() -> bool) -> Result<bool, StoreError> {
    Engine::check_outside()?;
    if root.locale.net.is_some() || root.locale.planned.is_some() {
        return Ok(false);
    }
    let _program = root.locale.program.lock();
    // A launch would write by the tiles of the last one.
    if root.key.lock().is_some() || !root.uses.lock().is_settled(&root.storage.reach(rect), true) || !write() {
        return Ok(false);
    }
    root.images.forget();
    root.uses.lock().note_written(rect);
    Ok(true)
}

impl Touch {
    /// The locale that is shown the elements; `None` for each locale.
    fn on(self) -> Option<usize> {
        match self {
            Self::ElementsOn(locale) => Some(locale),
            Self::Elements | Self::Memory => None,
        }
    }

    /// The locales that are shown the elements.
    fn seen_on(self, locales: usize) -> Range<usize> {
        self.on().map_or(0..locales, |locale| locale..locale + 1)
    }
}

/// Waits until a call of the program can use the elements in a box, and makes later tasks wait for its end.
pub(crate) fn access<'r>(
    root: &'r Arc<Root>,
    rect: &Rect,
    call: &'static str,
    (read, write): (bool, bool),
    (touch, agree): (Touch, Agree<'_>),
) -> Result<Access<'r>, StoreError> {
    Engine::check_outside()?;
    let locale = &root.locale;
    if locale.planned.is_some() {
        return Err(StoreError::OnlyPlanned);
    }
    let mut program = locale.program.lock();
    root.check(call, None, false)?;
    if read && let Some(rect) = root.uses.lock().unwritten(rect) {
        return Err(StoreError::Uninitialized { task: call.to_owned(), argument: None, rect: rect.into() });
    }
    let rect = root.storage.reach(rect);
    if touch == Touch::Elements && root.is_divided() {
        let limit = locale.shown_limit;
        let needed = usize::try_from(rect.volume()).unwrap_or(usize::MAX).saturating_mul(root.element);
        if needed > limit {
            return Err(StoreError::ShownWhole { call, store: root.id, needed, limit });
        }
    }
    let (on, seen_on) = (touch.on(), touch.seen_on(locale.count));
    let shows = if root.is_divided() { touch != Touch::Memory } else { read };
    refuse_within(root, (shows, write || touch == Touch::Memory), [(rect, seen_on.clone())].into_iter())?;
    if locale.is_in_scope() && shows && root.is_lacking(seen_on.clone().map(|to| (rect, to))) {
        locale.check_scope(|| format!("`{call}`"), "elements", Some(root.id))?;
    }
    let order = locale.operate(&mut program, || Operation::Access { call, store: root.id, rect, write, on })?;
    let is_seen = seen_on.contains(&locale.number);
    let mut shown = None;
    if let Some(divided) = root.divided().filter(|_| touch != Touch::Memory) {
        // This comes before any node is counted that would have to be done first.
        shown = is_seen.then(|| shown_at((root, divided), &rect));
        let refused = shown.as_ref().and_then(|shown| shown.region.why_refused()).cloned();
        drop(program);
        agree((divided.form.size(rect), &divided.form.target()), refused.map(StoreError::from))?;
        program = locale.program.lock();
    }
    locale.admit(2)?;
    let (mut sent, mut back) = (Outbound::default(), Vec::new());
    let mut gates = Gates::new(root, (read, write), order);
    gates.moves = touch == Touch::Memory && root.is_divided();
    match root.divided() {
        None if read && locale.net.is_some() => {
            let (tiles, placement): (Tiles, _) = match on {
                Some(locale) => (Tiles::one(rect), Placement::one(locale)),
                None => (seen_on.map(|_| rect).collect(), Placement::each(locale.count)),
            };
            let claim = Claim::new(root, tiles, (read, false));
            transfers(locale, order, [(0, &claim)], &placement, (&mut sent, &mut Exchanged::default()));
        }
        Some(divided) if touch != Touch::Memory => {
            show((root, divided), (&rect, shown.as_ref()), seen_on, &gates, &mut sent);
        }
        _ => {}
    }
    gates.order(is_seen.then(|| Tiles::one(rect)));
    // The messages of this access brought what others had before.
    if write {
        root.images.forget();
        match (root.divided(), &shown) {
            (None, _) => root.written_alike(&rect),
            (Some(divided), Some(shown)) => back = renew((root, divided), &rect, shown),
            (Some(_), None) => {}
        }
    }
    drop(program);
    let access = gates.begin(sent, (shown, back))?;
    Ok(access.known(Tiles::one(rect), on.map(Placement::one), write || touch == Touch::Memory))
}

/// Waits until no task uses elements of a root, whether tasks failed or not. Tells no other locale.
pub(crate) fn wait_for_users(root: &Root) -> Result<(), StoreError> {
    let uses = |users: &Arc<Node>| root.uses.lock().order(root.tiles(), (false, true), &Nodes::One(users.clone()));
    wait_at_gate(&root.locale, 0, uses)
}

/// Waits at a gate of an operation, which `put` puts into the graph under the lock of the program.
fn wait_at_gate(locale: &Locale, operation: u64, put: impl FnOnce(&Arc<Node>)) -> Result<(), StoreError> {
    let gate = locale.engine.nodes.alone(operation, ALONE, Gate);
    locale.engine.count(1);
    {
        let _program = locale.program.lock();
        put(&gate);
    }
    locale.engine.start_here(&gate);
    locale.wait_for(&gate)
}

/// Waits until a call of the program can use the elements that points on this locale would use, and makes later tasks wait for its end.
/// Also returns the instances of the elements, if no locale has the whole store. Elements that are written count as written by these
/// points.
pub(crate) fn access_here<'r>(
    root: &'r Arc<Root>,
    mut claim: Claim,
    (placement, key): (&Placement, Option<Key>),
    call: &'static str,
    agree: Agree<'_>,
) -> Result<(Access<'r>, Option<Places>), StoreError> {
    let (locale, (read, write)) = (&root.locale, (claim.read, claim.write));
    let mut program = locale.program.lock();
    let rect = *claim.tiles.hull();
    let on = |(number, rect)| (rect, placement.locale(number)..placement.locale(number) + 1);
    refuse_within(root, (read, write), claim.tiles.iter().enumerate().map(on))?;
    if locale.is_in_scope() && claim.is_sent(placement) {
        locale.check_scope(|| format!("`{call}`"), "elements", Some(root.id))?;
    }
    let order = locale.operate(&mut program, || Operation::Access { call, store: root.id, rect, write, on: None })?;
    let claims = core::slice::from_mut(&mut claim);
    let grown = settle(locale, claims, (placement, Purpose::Home));
    if let Some(divided) = root.divided() {
        let mut moved = Outbound::default();
        grown.into_iter().for_each(|(root, moves)| copies(locale, order, &root, moves, (COPIES, &mut moved.nodes)));
        locale.engine.start_new(moved.nodes);
        let mut places = claims[0].places.iter().flat_map(|places| places.iter());
        let refused = places.find_map(|(_, place)| place.region.why_refused()).cloned();
        drop(program);
        // A part may have any size.
        let agreed = agree((usize::MAX, &divided.form.target()), refused.map(StoreError::from));
        agreed.inspect_err(|_| divided.sweep(&locale.budget))?;
        program = locale.program.lock();
    }
    locale.admit(2)?;
    let mut sent = Outbound::default();
    transfers(locale, order, [(0, &claims[0])], placement, (&mut sent, &mut Exchanged::default()));
    if write {
        root.images.forget();
        *root.key.lock() = key;
        if locale.net.is_some() {
            root.tiles_written(&claim.tiles, placement, claim.places.as_ref());
            root.written_elsewhere(&claim.tiles, placement);
        }
        root.divided().into_iter().for_each(|divided| divided.sweep(&locale.budget));
    }
    let here: Vec<Rect> = placement.points_of(locale.number).map(|point| claim.tiles.rect(point)).collect();
    let mut gates = Gates::new(root, (read, write), order);
    gates.order((!here.is_empty()).then(|| Tiles::scattered(&here)));
    drop(program);
    let access = gates.begin(sent, (None, Vec::new()))?;
    Ok((access.known(claim.tiles.clone(), Some(placement.clone()), write), claim.places))
}

/// Returns an error if a use of elements, in which this thread of the program is, and another one within it are on one of the locales, and one
/// of both writes, or elements are sent there. Such a locale would wait for itself, and the others, whose parts are others or empty, would go
/// on; all of them know that. The list has boxes and the locales that use each.
fn refuse_within(
    root: &Root,
    (read, write): (bool, bool),
    mut used: impl Iterator<Item = (Rect, Range<usize>)>,
) -> Result<(), StoreError> {
    let in_use = root.in_use.lock();
    if in_use.is_empty() {
        return Ok(());
    }
    let thread = thread::current().id();
    let is_in_use = |(rect, locales): (Rect, Range<usize>)| {
        let mut is_in_use = false;
        for other in in_use.iter().filter(|other| other.thread == thread) {
            other.tiles.for_each_overlapping(&rect, |tile, part| {
                let on = match other.placement.as_ref().map(|placement| placement.locale(tile)) {
                    Some(on) if locales.contains(&on) => on..on + 1,
                    Some(_) => return,
                    None => locales.clone(),
                };
                let common = part.intersection(&rect);
                is_in_use |= write || other.write || read && root.is_lacking(on.map(|to| (common, to)));
            });
        }
        is_in_use
    };
    if used.any(is_in_use) { Err(StoreError::WaitsForItself) } else { Ok(()) }
}

/// The nodes between which the program uses some elements, or none.
///
/// ```text
/// start    waits for the writers of the elements; for all users, if the elements are known to be valid
/// alone    waits for all users, if the program writes elements that were not known to be valid
/// end      runs when the program no longer uses the elements: later nodes wait for it
/// ```
///
/// A program that updates elements some of which are invalid gets an error. The end then counts as no write: it would fail, and all
/// elements of its box would become invalid.
struct Gates<'r> {
    root: &'r Arc<Root>,
    tiles: Option<Arc<Tiles>>,
    access: (bool, bool),
    order: Order,
    start: Arc<Node>,
    end: Arc<Node>,
    /// `true` if the end is not yet recorded as a write.
    checks: bool,
    /// `true` if instances only move, with elements that may be invalid.
    moves: bool,
    enlisted: EnlistedUse<'r>,
}

/// The numbers of the start and the end, of copies between instances, and of the node that waits for all users.
const START: usize = 0;
const END: usize = 1;
const COPIES: usize = 2;
const ALONE: usize = 3;

impl<'r> Gates<'r> {
    /// The gates of an access, for which the caller has counted two nodes. The caller holds the lock of the program.
    fn new(root: &'r Arc<Root>, access: (bool, bool), order: Order) -> Self {
        let [start, end] = [START, END].map(|number| root.locale.engine.nodes.alone(order.number, number, Gate));
        let enlisted = root.locale.engine.enlist_use();
        Self { root, tiles: None, access, order, start, end, checks: false, moves: false, enlisted }
    }

    /// Puts the gates before and after the use of some elements. The caller holds the lock of the program.
    fn order(&mut self, tiles: Option<Tiles>) {
        let root = self.root;
        self.tiles = tiles.map(Arc::new);
        let Some(tiles) = &self.tiles else { return };
        let is_valid = || root.locale.net.is_none() && root.uses.lock().is_settled(tiles.hull(), false);
        self.checks = self.access == (true, true) && !self.moves && !is_valid();
        if self.checks {
            root.uses.lock().order(tiles, (true, false), &Nodes::One(self.start.clone()));
        } else {
            self.enlist(&self.start);
        }
    }

    /// Makes a gate wait for all nodes for which the program must wait, and later nodes wait for the end.
    fn enlist(&self, first: &Arc<Node>) {
        if let Some(tiles) = &self.tiles {
            // A move waits for all users, and writes nothing.
            let (before, access) = if self.moves { ((false, true), (true, false)) } else { (self.access, self.access) };
            self.root.uses.lock().order(tiles, before, &Nodes::One(first.clone()));
            self.end.after(first, Edge::Data);
            // The gate waits for everything for which the end would wait.
            enlist(&[Claim::new(self.root, tiles.clone(), access)], &Nodes::One(self.end.clone()));
        }
    }

    /// Waits until the program can use the elements.
    fn begin(self, sent: Outbound, (shown, back): (Option<Place>, Vec<Move>)) -> Result<Access<'r>, StoreError> {
        let (root, locale) = (self.root, &self.root.locale);
        locale.engine.start_new(sent.nodes);
        locale.engine.start_here(&self.start);
        let waited = locale.wait_for(&self.start).and_then(|()| if self.checks { self.wait_alone() } else { Ok(()) });
        if let Err(error) = waited {
            // Nothing is copied back: the memory for the duration of the access may not have the elements yet.
            locale.engine.start_here(&self.end);
            return Err(error);
        }
        locale.engine.begin_use();
        Ok(Access { locale, root, shown, back, in_use: false, end: self.end, _enlisted: self.enlisted })
    }

    /// Waits for all users of elements that are valid.
    fn wait_alone(&self) -> Result<(), StoreError> {
        wait_at_gate(&self.root.locale, self.order.number, |alone| self.enlist(alone))
    }
}

/// The place in which an access sees the elements of a box: the instance that has them, or else memory that is not recorded, and is freed
/// afterwards. This may wait for memory.
fn shown_at((root, divided): (&Root, &Divided), rect: &Rect) -> Place {
    let lacks = !root.versions().lock().lacking(rect, root.locale.number).is_empty();
    let having = if lacks { None } else { divided.having(rect) };
    having.unwrap_or_else(|| divided.aside(*rect, &root.locale))
}

/// Brings all elements of a box to the locales that are shown them, for the duration of an access; on this locale, to this place, before
/// its start.
fn show(
    (root, divided): (&Arc<Root>, &Divided),
    (rect, place): (&Rect, Option<&Place>),
    seen_on: Range<usize>,
    gates: &Gates<'_>,
    sent: &mut Outbound,
) {
    let locale = &root.locale;
    let mut pieces = Vec::new();
    for to in seen_on {
        let lacking = root.versions().lock().lacking(rect, to);
        pieces.extend(lacking.into_iter().map(|(rects, from)| Piece { point: 0, rects, from, to }));
    }
    let messages = messages_of(pieces, locale.number, root.mover.element);
    let at = divided.regions(&messages, place);
    let aside = place.filter(|place| place.is_aside());
    let moves = aside.map_or_else(Vec::new, |place| divided.show(rect, &place.region));
    let start = aside.map(|_| &gates.start);
    exchange(locale, gates.order, root, (Some(&messages), Some(at), start), (moves, COPIES), sent);
}

/// Records that the program writes all elements of a box, alike on each locale: they stay on their locales, and older versions become
/// invalid. Returns the copies back to instances.
fn renew((root, divided): (&Root, &Divided), rect: &Rect, shown: &Place) -> Vec<Move> {
    let (mut back, mut written) = (Vec::new(), Vec::new());
    for (part, first) in root.versions().lock().renewed(rect) {
        let here = if first == root.locale.number { divided.source(&part) } else { None };
        root.written_elsewhere(&Tiles::one(part).into(), &Placement::one(first));
        written.push((part, here.as_ref().map(|place| place.number)));
        if let Some(to) = here.filter(|place| place.number != shown.number) {
            back.push(Move::new(&[part], shown.region.clone(), to.region));
        }
    }
    divided.written(written.into_iter());
    divided.sweep(&root.locale.budget);
    back
}
