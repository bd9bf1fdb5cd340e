//! Which instance of this locale has the newest version of what: launch by launch, as long as a root is used by launches alone, and
//! box by box otherwise.
//!
//! ```text
//! acts     the launches since all was written, each with its tiles and the instances of its points
//! taken    what was copied for a launch after certain acts, and where its messages lie: the next launch after the same acts finds it
//! parts    boxes and the instances that have them: what the acts come to, once somebody asks for a box
//! ```
//!
//! Launches in a loop do the same acts again and again, of the same tiles in the same instances, and then make no box.

use std::sync::Arc;

use smallvec::SmallVec;

use super::instances::{Move, Place, Places, place_of};
use super::ledger::Message;
use super::versions::{Owned, Versions};
use crate::geometry::Rect;
use crate::graph::Tiles;
use crate::memory::Region;

/// What instances of this locale have.
#[derive(Default)]
pub(super) struct Fresh {
    acts: Acts,
    parts: Versions,
    /// The newest last.
    taken: Vec<Arc<Taken>>,
}

/// What points of this locale did with a root.
#[derive(Clone)]
struct Act {
    what: What,
    tiles: Arc<Tiles>,
    places: Places,
}

#[derive(Clone)]
enum What {
    /// Each wrote its tile.
    Wrote,
    /// Each got its tile, after these messages, if there were some.
    Read(Option<Messages>),
}

type Acts = SmallVec<[Act; 2]>;
/// Messages to this locale, point by point, and then those from it.
type Messages = Arc<[Message]>;

/// So many acts are kept; of more, parts are made.
const MOST: usize = 8;
/// For so many launches what they take is kept.
pub(super) const MOST_KEPT: usize = 8;

/// What is done on this locale so that its points have their tiles.
pub(crate) struct Taken {
    acts: Acts,
    by: Act,
    /// For each message the instance where its elements lie, or come to.
    pub(super) at: Regions,
    /// What is copied from one instance to another.
    pub(super) moves: Box<[Move]>,
}

/// The memory of each of some messages.
pub(super) type Regions = Arc<[Option<Arc<Region>>]>;

impl PartialEq for Act {
    /// Whether the lists are the same ones.
    fn eq(&self, other: &Self) -> bool {
        let alike = match (&self.what, &other.what) {
            (What::Read(Some(one)), What::Read(Some(other))) => Arc::ptr_eq(one, other),
            (What::Read(None), What::Read(None)) | (What::Wrote, What::Wrote) => true,
            _ => false,
        };
        alike && Arc::ptr_eq(&self.tiles, &other.tiles) && Arc::ptr_eq(&self.places, &other.places)
    }
}

impl Act {
    fn wrote(&self) -> bool {
        matches!(self.what, What::Wrote)
    }

    /// Takes note of it in parts; gives, in the order of points, what each lacked that other instances have, and who.
    fn apply(&self, parts: &mut Versions) -> Vec<(usize, Vec<Owned>)> {
        let rects = &self.tiles.rects;
        let What::Read(messages) = &self.what else {
            let one_box = self.tiles.are_all_of(self.tiles.hull());
            if one_box {
                parts.written(self.tiles.hull(), None);
            }
            let mut own = self.places.iter().peekable();
            for (number, rect) in rects.iter().enumerate().filter(|_| !one_box) {
                let place = own.next_if(|(own, _)| *own == number);
                parts.written(rect, place.map(|(_, place)| place.number));
            }
            own.filter(|(number, _)| !rects[*number].is_empty())
                .for_each(|(number, place)| parts.arrived(&rects[*number], place.number));
            return Vec::new();
        };
        let mut received = messages.iter().flat_map(|all| all.iter()).take_while(|message| !message.sent).peekable();
        let take = |(point, place): &(usize, Place)| {
            while let Some(message) = received.next_if(|message| message.point == *point) {
                message.tiles.rects.iter().for_each(|rect| parts.arrived(rect, place.number));
            }
            (*point, parts.fetch(&rects[*point], place.number))
        };
        self.places.iter().map(take).collect()
    }

    fn region(&self, point: usize) -> Option<Arc<Region>> {
        place_of(&self.places, point).map(|place| place.region.clone())
    }
}

impl Fresh {
    /// Boxes and who has them.
    pub(super) fn parts(&mut self) -> &mut Versions {
        for act in core::mem::take(&mut self.acts) {
            act.apply(&mut self.parts);
        }
        &mut self.parts
    }

    /// Takes note that tiles, which may be all of the root, were written: those of points here in these instances, and the
    /// others elsewhere.
    pub(super) fn written_tiles(&mut self, (tiles, all): (&Arc<Tiles>, bool), places: &Places) {
        let act = Act { what: What::Wrote, tiles: tiles.clone(), places: places.clone() };
        if all {
            self.parts.clear();
            self.acts.clear();
        } else if self.acts.is_empty() || !tiles.are_all_of(tiles.hull()) {
            act.apply(self.parts());
            return;
        } else {
            self.acts.retain(|act| !tiles.hull().covers(act.tiles.hull()));
        }
        self.push(act);
    }

    /// What is done so that points that read tiles have them, after these messages; `from` gives the memory of an instance.
    pub(super) fn read(
        &mut self,
        (tiles, places): (&Arc<Tiles>, &Places),
        messages: Option<&Messages>,
        from: impl Fn(usize) -> Option<Arc<Region>>,
    ) -> Option<Arc<Taken>> {
        let is_same = |act: &Act| Arc::ptr_eq(&act.tiles, tiles) && Arc::ptr_eq(&act.places, places);
        if messages.is_none()
            && let Some(known) = self.acts.iter().rposition(is_same)
            && !self.acts[known + 1..].iter().any(|act| act.wrote() && act.tiles.hull().overlaps(tiles.hull()))
        {
            return None;
        }
        let by = Act { what: What::Read(messages.cloned()), tiles: tiles.clone(), places: places.clone() };
        let known = self.taken.iter().find(|taken| taken.by == by && taken.acts == self.acts).cloned();
        let taken = known.unwrap_or_else(|| {
            let (acts, mut made) = (self.acts.clone(), Versions::default());
            let parts = if acts.is_empty() { &mut self.parts } else { &mut made };
            acts.iter().for_each(|act| drop(act.apply(parts)));
            let mut moves = Vec::new();
            for (point, fetched) in by.apply(parts) {
                let moved = |(rects, number): Owned| Some(Move::new(&rects, from(number)?, by.region(point)?));
                moves.extend(fetched.into_iter().filter_map(moved));
            }
            let region = |message: &Message| match message.sent {
                true => from(parts.first_owner(&message.tiles.rects[0])?),
                false => by.region(message.point),
            };
            let at = messages.iter().flat_map(|all| all.iter()).map(region).collect();
            let taken = Arc::new(Taken { acts, by: by.clone(), at, moves: moves.into() });
            if !self.acts.is_empty() {
                if self.taken.len() == MOST_KEPT {
                    self.taken.remove(0);
                }
                self.taken.push(taken.clone());
            }
            taken
        });
        if !self.acts.is_empty() {
            self.push(by);
        }
        Some(taken)
    }

    fn push(&mut self, act: Act) {
        self.acts.push(act);
        if self.acts.len() > MOST {
            self.parts();
        }
    }

    /// Whether an instance has anything, or may have.
    pub(super) fn counts_on(&self, one: usize, within: &Rect) -> bool {
        let has = |act: &Act| act.places.iter().any(|(_, place)| place.number == one);
        self.acts.iter().any(has) || self.parts.counts_on(one, within)
    }

    /// Keeps nothing of instances that may go.
    pub(super) fn forget(&mut self) {
        self.taken.clear();
    }
}
