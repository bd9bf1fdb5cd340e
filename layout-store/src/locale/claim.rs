//! Claims: what the points of a launch do with a root, and how that orders them.

use std::sync::Arc;

use super::asked::Asked;
use super::instances::{Divided, Move, Places, Purpose, place_of};
use super::{Locale, Place, Root};
use crate::geometry::{Rect, Runs};
use crate::graph::{Nodes, Tiles};
use crate::partition::Placement;

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
    /// The instances of points that run here, where no locale has all of the root.
    pub(crate) places: Option<Places>,
    /// What locales asked each other for, where each knows the tiles of its own points alone.
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
            places: None,
            asked: None,
        }
    }
}

impl Claim {
    /// The instance in which a point that runs here has its elements.
    pub(crate) fn place(&self, point: usize) -> Option<&Place> {
        place_of(self.places.as_ref()?, point)
    }
}

/// Finds instances for what points use that run here, and makes those that are not there, which may wait for memory. Gives
/// what is to be copied to those that grew, and of which root.
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
    // Homes first: what is read beside them is their margin. Places are given out when nothing grows any more.
    let mut grown = Vec::new();
    for written in [true, false] {
        for claim in claims.iter().filter(|claim| claim.write == written) {
            let Some(divided) = claim.root.divided().filter(|divided| known(claim, divided).is_none()) else {
                continue;
            };
            let purpose = if written { purpose } else { Purpose::Cache };
            let moves = divided.cover(&boxes(claim), purpose, locale);
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
pub(super) fn runs_of(runs: &Runs, points: impl Iterator<Item = usize>) -> Vec<Arc<[Rect]>> {
    points.filter_map(|point| runs.at(point).cloned()).collect()
}

/// Makes nodes wait for what they must wait for, and later ones for them.
///
/// Launches are put into the graph one after another: the caller holds the program lock.
pub(crate) fn enlist(claims: &[Claim], nodes: &Nodes) {
    for claim in claims {
        let mut uses = claim.root.uses.lock();
        uses.order(&claim.tiles, (claim.read, claim.write), nodes);
        uses.push(claim.write, &claim.tiles, nodes);
        claim.wrote.iter().for_each(|wrote| uses.note_tiles(wrote));
    }
}
