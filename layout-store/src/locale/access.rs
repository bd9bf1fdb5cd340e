//! The program's own use of elements, between two nodes of the graph.

use std::sync::Arc;

use super::claim::{Claim, enlist};
use super::{Locale, Operation, Root, transfers};
use crate::error::StoreError;
use crate::geometry::{Point, Rect};
use crate::graph::{Body, Cause, Edge, Engine, Node, Tiles};

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

/// The time in which the program itself uses elements: later tasks wait for its end.
pub(crate) struct Access<'r> {
    locale: &'r Arc<Locale>,
    end: Arc<Node>,
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        self.locale.engine.end_use();
        self.locale.engine.start_here(&self.end);
    }
}

/// Takes a look at elements in a box if nobody has to be waited for and no other locale to be told: gives what `look` gives, or
/// `None`. Meanwhile nothing can be launched.
pub(crate) fn at_once<T>(
    root: &Root,
    rect: &Rect,
    call: &'static str,
    look: impl FnOnce() -> Option<T>,
) -> Result<Option<T>, StoreError> {
    Engine::check_outside()?;
    if root.locale.net.is_some() {
        return Ok(None);
    }
    let _program = root.locale.program.lock();
    root.check(call, None, false)?;
    let settled = {
        let uses = root.uses.lock();
        if let Some(rect) = uses.unwritten(rect) {
            return Err(StoreError::Uninitialised { task: call.to_owned(), argument: None, rect: rect.into() });
        }
        uses.is_settled(&root.region.reach(rect))
    };
    Ok(if settled { look() } else { None })
}

/// Waits until the elements in a box can be used by a call of the program, and keeps later tasks from them.
pub(crate) fn access<'r>(
    root: &'r Arc<Root>,
    rect: &Rect,
    call: &'static str,
    (read, write): (bool, bool),
) -> Result<Access<'r>, StoreError> {
    Engine::check_outside()?;
    let locale = &root.locale;
    let mut program = locale.program.lock();
    root.check(call, None, false)?;
    if read && let Some(rect) = root.uses.lock().unwritten(rect) {
        return Err(StoreError::Uninitialised { task: call.to_owned(), argument: None, rect: rect.into() });
    }
    let rect = root.region.reach(rect);
    let order = locale.operate(&mut program, || Operation::Access { call, store: root.id, rect, write })?;
    locale.admit(2)?;
    // Every locale sees all of it.
    let mut sent = Vec::new();
    if read && locale.net.is_some() {
        let tiles: Tiles = (0..locale.count).map(|_| rect).collect();
        let claim = Claim::new(root, tiles, (read, false));
        transfers(locale, order, &[claim], &|to| to, (&mut 2, &mut sent));
    }
    if write {
        root.images.forget();
        root.note_written(&rect, 0..locale.count);
    }
    let gate: Arc<dyn Body> = Arc::new(Gate);
    let (start, end) = (Node::new(order.number, 0, gate.clone()), Node::new(order.number, 1, gate));
    let tiles = Arc::new(Tiles::one(rect));
    root.uses.lock().order(&tiles, (read, write), core::slice::from_ref(&start));
    end.after(&start, Edge::Data);
    let claim = Claim::new(root, tiles, (read, write));
    // All that the end would wait for, the start waits for.
    enlist(&[claim], &[end.clone()].into());
    drop(program);
    let access = Access { locale, end };
    locale.engine.start_all(&sent);
    locale.engine.start_here(&start);
    let waited = locale.wait_for(&start);
    locale.engine.begin_use();
    waited.map(|()| access)
}
