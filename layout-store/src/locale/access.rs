//! The program's own use of elements, between two nodes of the graph.

use std::sync::Arc;

use super::claim::{Claim, enlist};
use super::exchange::{Exchanged, Outbound, exchange};
use super::history::Order;
use super::instances::{Divided, Move};
use super::ledger::{Piece, messages_of};
use super::{Locale, Operation, Place, Root, transfers};
use crate::error::StoreError;
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, Engine, Node, Nodes, Tiles};
use crate::memory::Region;
use crate::partition::Placement;

/// A node that does nothing: others wait for it, or it for others.
struct Gate;

impl Body for Gate {
    fn run(&self, _: usize) -> Result<(), Cause> {
        Ok(())
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("access of the program".to_owned(), Point::EMPTY)
    }
}

/// What a call of the program uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    /// The elements, which it sees.
    Elements,
    /// The memory in which they are.
    Memory,
}

/// The time in which the program itself uses elements: later tasks wait for its end.
pub(crate) struct Access<'r> {
    locale: &'r Arc<Locale>,
    root: &'r Root,
    /// Where no locale has the whole: the instance that shows the elements, or memory for the time of the access.
    shown: Option<Place>,
    /// What goes back to instances afterwards.
    back: Vec<Move>,
    end: Arc<Node>,
}

impl Access<'_> {
    /// The memory that shows the elements, where no locale has the whole.
    pub(crate) fn region(&self) -> Option<&Region> {
        self.shown.as_ref().map(|place| &*place.region)
    }
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        for Move { tiles, from, to } in &self.back {
            // Where there is no memory for the elements, whoever wrote them failed, and so did this access.
            let _ = (self.root.mover.copy)(from, to, tiles.rects());
        }
        self.locale.engine.end_use();
        self.locale.engine.start_here(&self.end);
    }
}

/// Takes a look at elements in a box if nobody has to be waited for and no other locale to be told: gives what `look` gives, or
/// `None`. Meanwhile nothing can be launched.
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
            return Err(StoreError::Uninitialised { task: call.to_owned(), argument: None, rect: rect.into() });
        }
        uses.is_settled(&root.storage.reach(rect), false)
    };
    Ok(if settled { look() } else { None })
}

/// Writes all elements in a box, as `write` does, if nobody has to be waited for and no other locale to be told, and says whether
/// it did. What `write` refuses, and what there is to refuse before it, is left to a launch.
pub(crate) fn write_at_once(root: &Root, rect: &Rect, write: impl FnOnce() -> bool) -> Result<bool, StoreError> {
    Engine::check_outside()?;
    if root.locale.net.is_some() || root.locale.planned.is_some() {
        return Ok(false);
    }
    let _program = root.locale.program.lock();
    // A launch would write by the tiles of the one before.
    if root.key.lock().is_some() || !root.uses.lock().is_settled(&root.storage.reach(rect), true) || !write() {
        return Ok(false);
    }
    root.images.forget();
    root.uses.lock().note_written(rect);
    Ok(true)
}

/// Waits until the elements in a box can be used by a call of the program, and keeps later tasks from them.
pub(crate) fn access<'r>(
    root: &'r Arc<Root>,
    rect: &Rect,
    call: &'static str,
    (read, write): (bool, bool),
    touch: Touch,
) -> Result<Access<'r>, StoreError> {
    Engine::check_outside()?;
    let locale = &root.locale;
    if locale.planned.is_some() {
        return Err(StoreError::OnlyPlanned);
    }
    let mut program = locale.program.lock();
    root.check(call, None, false)?;
    if read && let Some(rect) = root.uses.lock().unwritten(rect) {
        return Err(StoreError::Uninitialised { task: call.to_owned(), argument: None, rect: rect.into() });
    }
    let rect = root.storage.reach(rect);
    let order = locale.operate(&mut program, || Operation::Access { call, store: root.id, rect, write })?;
    // Before anything is counted that would have to be done first.
    let instances = root.divided().filter(|_| touch == Touch::Elements);
    let shown = instances.map(|divided| shown_at((root, divided), &rect));
    locale.admit(2)?;
    // Every locale sees all of it.
    let (mut sent, mut back) = (Outbound::default(), Vec::new());
    match root.divided() {
        None if read && locale.net.is_some() => {
            let tiles: Tiles = (0..locale.count).map(|_| rect).collect();
            let claim = Claim::new(root, tiles, (read, false));
            transfers(locale, order, &[claim], &Placement::each(locale.count), (&mut sent, &mut Exchanged::default()));
        }
        Some(divided) => {
            shown.iter().for_each(|shown| show((root, divided), (&rect, shown), order, &mut sent));
        }
        None => {}
    }
    if write {
        root.images.forget();
        match (root.divided(), &shown) {
            (None, _) => root.written_alike(&rect),
            (Some(divided), Some(shown)) => back = renew((root, divided), &rect, shown),
            (Some(_), None) => {}
        }
    }
    let [start, end] = [0, 1].map(|number| locale.engine.nodes.alone(order.number, number, Gate));
    let tiles = Arc::new(Tiles::one(rect));
    root.uses.lock().order(&tiles, (read, write), &Nodes::One(start.clone()));
    end.after(&start, Edge::Data);
    let claim = Claim::new(root, tiles, (read, write));
    // All that the end would wait for, the start waits for.
    enlist(&[claim], &Nodes::One(end.clone()));
    drop(program);
    let refused = shown.as_ref().and_then(|shown| shown.region.why_refused()).cloned();
    let access = Access { locale, root, shown, back, end };
    locale.engine.start_new(sent.nodes);
    locale.engine.start_here(&start);
    let waited = locale.wait_for(&start);
    locale.engine.begin_use();
    waited?;
    refused.map_or(Ok(access), |error| Err(error.into()))
}

/// Where an access sees the elements of a box: in the instance that has them, or else in memory of which nobody takes note, so
/// that it takes none afterwards. It may wait for memory.
fn shown_at((root, divided): (&Root, &Divided), rect: &Rect) -> Place {
    let lacks = !root.versions().lock().lacking(rect, root.locale.number).is_empty();
    let having = if lacks { None } else { divided.having(rect) };
    having.unwrap_or_else(|| divided.aside(*rect, &root.locale))
}

/// Brings all elements of a box to each locale, for the time of an access.
fn show((root, divided): (&Arc<Root>, &Divided), (rect, place): (&Rect, &Place), order: Order, sent: &mut Outbound) {
    let locale = &root.locale;
    let mut pieces = Vec::new();
    for to in 0..locale.count {
        let lacking = root.versions().lock().lacking(rect, to);
        pieces.extend(lacking.into_iter().map(|(rects, from)| Piece { point: 0, rects, from, to }));
    }
    pieces.sort_by_key(|piece| piece.to != locale.number);
    let messages = messages_of(pieces, locale.number, root.element);
    let at = divided.regions(&messages, Some(place));
    let moves = if place.is_aside() { divided.show(rect, &place.region) } else { Vec::new() };
    exchange(locale, order, root, (Some(&messages), Some(at)), (moves, 2), sent);
}

/// Takes note that the program writes all elements of a box, alike on each locale: they stay where they were, and older
/// versions go. Gives what is to be copied there.
fn renew((root, divided): (&Root, &Divided), rect: &Rect, shown: &Place) -> Vec<Move> {
    let (mut back, mut written) = (Vec::new(), Vec::new());
    for (part, first) in root.versions().lock().renewed(rect) {
        let here = if first == root.locale.number { divided.source(&part) } else { None };
        written.push((part, here.as_ref().map(|place| place.number)));
        if let Some(to) = here.filter(|place| place.number != shown.number) {
            back.push(Move::new(&[part], shown.region.clone(), to.region));
        }
    }
    divided.written(written.into_iter());
    divided.sweep();
    back
}
