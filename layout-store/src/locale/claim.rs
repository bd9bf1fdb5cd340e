//! Claims: the uses of a root by the points of a launch, and the order that follows.

use core::slice;
use std::sync::Arc;

use super::asked::Asked;
use super::instances::{Divided, Move, Places, Purpose, place_of};
use super::{Locale, Place, Root};
use crate::geometry::{Rect, RunList, Runs};
use crate::graph::{Nodes, Tiles};
use crate::partition::Placement;

/// Lists of tiles, each with a box for each point; the points need the elements of the boxes of all lists.
pub(crate) type Faces = Arc<[Arc<Tiles>]>;

/// The use of one root by the points of a launch.
pub(crate) struct Claim {
    pub(crate) root: Arc<Root>,
    /// The elements of the root for each point.
    pub(crate) tiles: Arc<Tiles>,
    pub(crate) read: bool,
    pub(crate) write: bool,
    /// The elements of the tiles that then count as written, if some were unwritten; fewer than all if elements share bytes.
    pub(crate) wrote: Option<Arc<Tiles>>,
    /// The elements that are read, if not all of the tiles.
    pub(crate) runs: Option<Arc<Runs>>,
    /// The elements that are read, if not all of the tiles: the tiles without their corners.
    pub(crate) faces: Option<Faces>,
    /// The instances of points that run on this locale, if no locale has the whole root.
    pub(crate) places: Option<Places>,
    /// The elements for which locales asked each other, if each knows only the tiles of its own points.
    pub(crate) asked: Option<Arc<Asked>>,
}

impl Claim {
    pub(crate) fn new(root: &Arc<Root>, tiles: impl Into<Arc<Tiles>>, (read, write): (bool, bool)) -> Self {
        Self {
            root: root.clone(),
            tiles: tiles.into(),
            read,
            write,
            wrote: None,
            runs: None,
            faces: None,
            places: None,
            asked: None,
        }
    }
}

impl Claim {
    /// Lists of tiles that have all elements that are read, if these are not scattered.
    pub(super) fn lists(&self) -> &[Arc<Tiles>] {
        self.faces.as_deref().unwrap_or(slice::from_ref(&self.tiles))
    }

    /// The instance with the elements of a point of this locale.
    pub(crate) fn place(&self, point: usize) -> Option<&Place> {
        place_of(self.places.as_ref()?, point)
    }
}

/// Finds instances for the points of this locale, and makes missing ones, which may wait for memory. Returns the copies to instances that
/// grew, with their roots.
pub(crate) fn settle(
    locale: &Locale,
    claims: &mut [Claim],
    (placement, purpose): (&Placement, Purpose),
) -> Vec<(Arc<Root>, Vec<Move>)> {
    let here = placement.points_of(locale.number);
    let boxes = |claim: &Claim| -> Vec<Rect> {
        let rects = here.clone().map(|point| claim.tiles.rect(point));
        // Scattered elements are sent to one instance, whichever point reads them.
        if claim.runs.is_some() { rects.reduce(|a, b| a.hull(&b)).into_iter().collect() } else { rects.collect() }
    };
    let known = |claim: &Claim, divided: &Divided| match claim.runs {
        Some(_) => None,
        None => divided.places(&claim.tiles, placement),
    };
    // Homes first, since elements that are read beside them are their margin. Places are assigned when no instance grows any more.
    let mut grown = Vec::new();
    for written in [true, false] {
        for claim in claims.iter().filter(|claim| claim.write == written) {
            let Some(divided) = claim.root.divided().filter(|divided| known(claim, divided).is_none()) else {
                continue;
            };
            let purpose = if written { purpose } else { Purpose::Cache };
            let moves = divided.cover(&boxes(claim), (purpose, claim.root.is_in_use()), locale);
            if !moves.is_empty() {
                grown.push((claim.root.clone(), moves));
            }
        }
    }
    for claim in claims {
        let Some(divided) = claim.root.divided() else { continue };
        let place = |rect: &Rect| {
            let place = match &claim.runs {
                Some(runs) => divided.find_runs(rect, &runs_of(runs, here.clone()), runs),
                None => divided.find(rect),
            };
            place.unwrap_or_else(|| unreachable!("an instance was made for {rect}"))
        };
        let make = || {
            let all = if claim.runs.is_some() { boxes(claim).first().map(place) } else { None };
            let of = |point| (point, all.clone().unwrap_or_else(|| place(&claim.tiles.rect(point))));
            let places: Places = here.clone().map(of).collect();
            locale.made_plan();
            if claim.runs.is_none() {
                divided.keep_places(&claim.tiles, placement, &places);
            }
            places
        };
        claim.places = Some(known(claim, divided).unwrap_or_else(make));
    }
    grown
}

/// The scattered elements of some points.
pub(super) fn runs_of(runs: &Runs, points: impl Iterator<Item = usize>) -> Vec<Arc<RunList>> {
    points.filter_map(|point| runs.at(point).cloned()).collect()
}

/// Makes nodes wait for earlier nodes, and later nodes wait for them.
///
/// Launches are put into the graph one after another: the caller holds the lock of the program.
pub(crate) fn enlist(claims: &[Claim], nodes: &Nodes) {
    for claim in claims {
        let mut uses = claim.root.uses.lock();
        uses.order(&claim.tiles, (claim.read, claim.write), nodes);
        uses.push(claim.write, &claim.tiles, nodes);
        claim.wrote.iter().for_each(|wrote| uses.note_tiles(wrote));
    }
}
