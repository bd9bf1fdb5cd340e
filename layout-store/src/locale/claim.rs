//! Claims: what the points of a launch do with a root, and how that orders them.

use std::sync::Arc;

use super::Root;
use crate::geometry::Runs;
use crate::graph::{Node, Tiles};

/// What the points of a launch do with one root.
pub(crate) struct Claim {
    pub(crate) root: Arc<Root>,
    /// For each point, elements of the root.
    pub(crate) tiles: Arc<Tiles>,
    pub(crate) read: bool,
    pub(crate) write: bool,
    /// Which elements of the tiles count as written then, if some were not before: fewer than all where elements share bytes.
    pub(crate) wrote: Option<Arc<Tiles>>,
    /// What is read, where that is less than the tiles.
    pub(crate) runs: Option<Arc<Runs>>,
}

impl Claim {
    pub(crate) fn new(root: &Arc<Root>, tiles: impl Into<Arc<Tiles>>, (read, write): (bool, bool)) -> Self {
        Self { root: root.clone(), tiles: tiles.into(), read, write, wrote: None, runs: None }
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
        claim.wrote.iter().for_each(|wrote| uses.note_tiles(wrote));
    }
}
