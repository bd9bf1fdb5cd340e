//! Launching: from a plan to nodes in the graph.

use std::sync::Arc;

use smallvec::SmallVec;

use super::plan::{Described, Plan};
use crate::error::StoreError;
use crate::graph::{Node, Use};
use crate::partition::Access;
use crate::rect::Rect;
use crate::root::Root;

/// What the points of a launch do with one root.
pub(crate) struct Claim {
    pub(crate) root: Arc<Root>,
    /// For each point, elements of the root.
    pub(crate) rects: SmallVec<[Rect; 1]>,
    pub(crate) read: bool,
    pub(crate) write: bool,
}

/// Makes nodes wait for what they must wait for, and later ones for them.
///
/// Launches are put into the graph one after another: the caller holds the program lock.
pub(crate) fn enlist(claims: &[Claim], nodes: &[Arc<Node>]) {
    for claim in claims {
        let mut uses = claim.root.uses.lock();
        for (number, (rect, node)) in claim.rects.iter().zip(nodes).enumerate() {
            uses.order(rect, (claim.read, claim.write), number, node);
        }
        uses.push(Use::new(claim.write, claim.rects.iter().copied().zip(nodes.iter().cloned()).collect()));
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
        let rects: SmallVec<[Rect; 1]> =
            plan.rects[number].iter().map(|rect| root.region.reach(&argument.transform.root_rect(rect))).collect();
        let reads = argument.access != Access::Write;
        if reads {
            let uses = root.uses.lock();
            if let Some(rect) = rects.iter().find_map(|rect| uses.unwritten(rect)) {
                return Err(StoreError::Uninitialised { task: task.to_owned(), argument: number, rect });
            }
        }
        if argument.access == Access::Reduce {
            continue;
        }
        let write = argument.access >= Access::Write;
        if write {
            let imaginary = |dim: &usize| {
                argument.transform.is_imaginary(*dim) && plan.rects[number].iter().any(|rect| rect.extents()[*dim] > 1)
            };
            if let Some(dim) = (0..argument.transform.rank()).find(imaginary) {
                return Err(StoreError::Promoted { task: task.to_owned(), argument: number, dim });
            }
            // Tiles of one tiling are disjoint.
            if plan.tilings[number].is_none()
                && let Some((first, second, rect)) = first_overlap(&rects, &rects, true)
            {
                let colors = Box::new([first, second].map(|number| plan.domain.nth(number)));
                return Err(StoreError::Overlap { task: task.to_owned(), argument: number, colors, rect: rect.into() });
            }
        }
        let claim = Claim { root: root.clone(), rects, read: reads, write };
        for (other, earlier) in &claims {
            if !Arc::ptr_eq(&earlier.root, &claim.root) || !(write || earlier.write) {
                continue;
            }
            if let Some((at, there, rect)) = first_overlap(&claim.rects, &earlier.rects, false) {
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

/// Two points, one of each list, whose boxes overlap; not the same point, if these are one list.
fn first_overlap(a: &[Rect], b: &[Rect], one_list: bool) -> Option<(usize, usize, Rect)> {
    a.iter().enumerate().find_map(|(i, first)| {
        let others = b.iter().enumerate().skip(if one_list { i + 1 } else { 0 });
        let mut overlaps = others.filter(|(_, second)| first.overlaps(second));
        overlaps.next().map(|(j, second)| (i, j, first.intersection(second)))
    })
}
