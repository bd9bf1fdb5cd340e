//! Launching: from a plan to nodes in the graph.

use std::sync::Arc;

use smallvec::SmallVec;

use super::plan::{Described, Plan};
use crate::error::StoreError;
use crate::geometry::{Rect, Runs};
use crate::graph::{Node, Tiles};
use crate::partition::Access;
use crate::root::Root;

/// What the points of a launch do with one root.
pub(crate) struct Claim {
    pub(crate) root: Arc<Root>,
    /// For each point, elements of the root.
    pub(crate) tiles: Arc<Tiles>,
    pub(crate) read: bool,
    pub(crate) write: bool,
    /// What is read, where that is less than the tiles.
    pub(crate) runs: Option<Arc<Runs>>,
}

impl Claim {
    pub(crate) fn new(root: &Arc<Root>, tiles: impl Into<Arc<Tiles>>, (read, write): (bool, bool)) -> Self {
        Self { root: root.clone(), tiles: tiles.into(), read, write, runs: None }
    }
}

/// Makes nodes wait for what they must wait for, and later ones for them.
///
/// Launches are put into the graph one after another: the caller holds the program lock.
pub(crate) fn enlist(claims: &[Claim], nodes: &Arc<[Arc<Node>]>) {
    for claim in claims {
        let mut uses = claim.root.uses.lock();
        uses.order(&claim.tiles, (claim.read, claim.write), nodes);
        uses.push(claim.write, &claim.tiles, nodes);
    }
}

/// The claims of a launch, if it keeps the rules: what is read was written, tiles of what is written are disjoint, and no
/// two arguments are ways to an element that is written.
///
/// An argument that contributes to a reduction claims nothing: its leaves do not touch the store.
pub(super) fn claims(
    task: &str,
    arguments: &[Described],
    plan: &Plan,
) -> Result<SmallVec<[(usize, Claim); 4]>, StoreError> {
    let mut claims: SmallVec<[(usize, Claim); 4]> = SmallVec::new();
    for (number, argument) in arguments.iter().enumerate() {
        let Some(root) = &argument.root else { continue };
        let part = &plan.parts[number];
        root.check(task, Some(number), argument.access != Access::Read)?;
        let reads = argument.access != Access::Write;
        if reads {
            let uses = root.uses.lock();
            if let Some(rect) = uses.unwritten_of(&part.root) {
                return Err(StoreError::Uninitialised { task: task.to_owned(), argument: Some(number), rect });
            }
        }
        if argument.access == Access::Reduce {
            continue;
        }
        let write = argument.access >= Access::Write;
        if write {
            let imaginary = |dim: &usize| {
                argument.transform.is_imaginary(*dim) && part.rects.rects.iter().any(|rect| rect.extents()[*dim] > 1)
            };
            if let Some(dim) = (0..argument.transform.rank()).find(imaginary) {
                return Err(StoreError::Promoted { task: task.to_owned(), argument: number, dim });
            }
            if let Some((first, second, rect)) = part.overlap {
                let whole = Rect::of(argument.transform.extents());
                if part.rects.rects.iter().all(|rect| *rect == whole) {
                    return Err(StoreError::WrittenWhole { task: task.to_owned(), argument: number });
                }
                let colors = Box::new([first, second].map(|number| plan.domain.nth(number)));
                return Err(StoreError::Overlap { task: task.to_owned(), argument: number, colors, rect: rect.into() });
            }
        }
        // Whoever writes a box has all of it from then on.
        let runs = part.runs.clone().filter(|_| !write);
        let claim = Claim { runs, ..Claim::new(root, part.root.clone(), (reads, write)) };
        for (other, earlier) in &claims {
            if !Arc::ptr_eq(&earlier.root, &claim.root) || !(write || earlier.write) {
                continue;
            }
            if let Some((at, there, rect)) = claim.tiles.overlap(&earlier.tiles) {
                let (written, other, first, second) =
                    if write { (number, *other, at, there) } else { (*other, number, there, at) };
                let colors = Box::new([first, second].map(|number| plan.domain.nth(number)));
                return Err(StoreError::Aliased { task: task.to_owned(), written, other, colors, rect: rect.into() });
            }
        }
        claims.push((number, claim));
    }
    Ok(claims)
}
