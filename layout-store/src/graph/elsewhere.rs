//! Elements of a root that were written on other locales, which no use on this one shows.

use std::sync::Arc;

use super::tiles::Tiles;
use crate::geometry::Rect;
use crate::partition::Placement;

/// The tiles that launches wrote, of which those of other locales count; the newest last.
#[derive(Default)]
pub(super) struct Elsewhere {
    launches: Vec<Launch>,
}

struct Launch {
    /// The number of the newest use on this locale at that time.
    after: u64,
    tiles: Arc<Tiles>,
    placement: Placement,
    /// This locale.
    here: usize,
}

/// The largest number of launches that are kept. A step of a program writes a few parts of a store.
const MOST: usize = 32;

impl Elsewhere {
    /// Records the tiles of a launch and the locales of its points, seen from this locale, after the use with a number.
    pub(super) fn note(&mut self, after: u64, tiles: &Arc<Tiles>, (placement, here): (&Placement, usize)) {
        let is_again =
            |known: &Launch| Arc::ptr_eq(&known.tiles, tiles) || tiles.full && tiles.hull.covers(&known.tiles.hull);
        self.launches.retain(|known| !is_again(known));
        if self.launches.len() == MOST {
            self.launches.remove(0);
        }
        self.launches.push(Launch { after, tiles: tiles.clone(), placement: placement.clone(), here });
    }

    /// Returns `true` if launches after the use with a number may have written elements elsewhere.
    pub(super) fn is_newer(&self, number: u64) -> bool {
        self.launches.last().is_some_and(|newest| newest.after >= number)
    }

    /// Calls `f` for the tiles that overlap a box and were written elsewhere after the use with a number.
    pub(super) fn for_each_since(&self, number: u64, rect: &Rect, mut f: impl FnMut(&Rect)) {
        for launch in self.launches.iter().rev().take_while(|launch| launch.after >= number) {
            launch.tiles.for_each_overlapping(rect, |tile, part| {
                if launch.placement.locale(tile) != launch.here {
                    f(part);
                }
            });
        }
    }
}
