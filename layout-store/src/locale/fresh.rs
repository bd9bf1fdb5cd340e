//! The newest versions in the instances of this locale: launch by launch while only launches use a root, and box by box otherwise.
//!
//! ```text
//! acts     the launches since all was written, each with its tiles and the instances of its points
//! taken    the copies for a launch after certain acts, and the places of its messages: the next launch after the same acts finds them
//! parts    boxes and the instances that have them: made of the acts when a box is asked for
//! ```
//!
//! Launches in a loop repeat the same acts, with the same tiles in the same instances, and then need no boxes.

use std::sync::Arc;

use smallvec::SmallVec;

use super::instances::{Move, Place, Places, place_of};
use super::ledger::{Made, Message};
use super::versions::{Owned, Versions};
use crate::geometry::Rect;
use crate::graph::Tiles;
use crate::memory::Region;

/// The contents of the instances of this locale.
#[derive(Default)]
pub(super) struct Fresh {
    acts: Acts,
    parts: Versions,
    /// The newest last.
    taken: Vec<Arc<Taken>>,
}

/// An act of points of this locale on a root.
#[derive(Clone)]
struct Act {
    what: What,
    tiles: Arc<Tiles>,
    places: Places,
}

#[derive(Clone)]
enum What {
    /// Each point wrote its tile.
    Wrote,
    /// Each point got its tile, after these messages, if there were some.
    Read(Option<Messages>),
}

type Acts = SmallVec<[Act; 2]>;
/// The messages to this locale, point by point, and then those from it.
type Messages = Arc<[Message]>;

/// The number of acts that are kept; if there are more, they become parts.
const MOST: usize = 32;
/// The number of launches for which the exchange on this locale is kept.
pub(super) const MOST_KEPT: usize = 8;

/// The work on this locale by which its points get their tiles.
pub(crate) struct Taken {
    acts: Acts,
    by: Act,
    /// For each message the instance that has its elements, or gets them.
    pub(super) at: Regions,
    /// The copies from one instance to another.
    pub(super) moves: Box<[Move]>,
}

/// The memory of each message.
pub(super) type Regions = Arc<[Option<Arc<Region>>]>;

impl PartialEq for Act {
    /// Returns `true` if the lists are the same ones.
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

    /// Records the act in parts. Returns, in the order of points, the elements that each lacked and other instances have, and these
    /// instances.
    fn apply(&self, parts: &mut Versions) -> Vec<(usize, Vec<Owned>)> {
        let tiles = &self.tiles;
        let What::Read(messages) = &self.what else {
            let one_box = self.tiles.are_all_of(self.tiles.hull());
            if one_box {
                parts.written(self.tiles.hull(), None);
            }
            let mut own = self.places.iter().peekable();
            for (number, rect) in tiles.iter().enumerate().filter(|_| !one_box) {
                let place = own.next_if(|(own, _)| *own == number);
                parts.written(&rect, place.map(|(_, place)| place.number));
            }
            own.filter(|(number, _)| !tiles.rect(*number).is_empty())
                .for_each(|(number, place)| parts.arrived(&tiles.rect(*number), place.number));
            return Vec::new();
        };
        let mut received = messages.iter().flat_map(|all| all.iter()).take_while(|message| !message.sent).peekable();
        let take = |(point, place): &(usize, Place)| {
            while let Some(message) = received.next_if(|message| message.point == *point) {
                message.tiles.iter().for_each(|rect| parts.arrived(&rect, place.number));
            }
            (*point, parts.fetch(&tiles.rect(*point), place.number))
        };
        self.places.iter().map(take).collect()
    }

    fn region(&self, point: usize) -> Option<Arc<Region>> {
        place_of(&self.places, point).map(|place| place.region.clone())
    }
}

impl Fresh {
    /// Returns `true` if an instance may have scattered elements.
    pub(super) fn has_scattered(&self, one: usize) -> bool {
        self.parts.has_scattered(one)
    }

    /// The boxes, with the instances that have them.
    pub(super) fn parts(&mut self) -> &mut Versions {
        for act in core::mem::take(&mut self.acts) {
            act.apply(&mut self.parts);
        }
        &mut self.parts
    }

    /// Records that tiles, which may be all of the root, were written: those of points of this locale in these instances, and all others on
    /// other locales.
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

    /// The work by which points that read tiles get them, after these messages; `from` returns the memory of an instance.
    pub(super) fn read(
        &mut self,
        (tiles, places): (&Arc<Tiles>, &Places),
        messages: Option<&Messages>,
        from: impl Fn(usize) -> Option<Arc<Region>>,
    ) -> Option<(Arc<Taken>, Made)> {
        let is_same = |act: &Act| Arc::ptr_eq(&act.tiles, tiles) && Arc::ptr_eq(&act.places, places);
        if messages.is_none()
            && let Some(known) = self.acts.iter().rposition(is_same)
            && !self.acts[known + 1..].iter().any(|act| act.wrote() && act.tiles.hull().overlaps(tiles.hull()))
        {
            return None;
        }
        let by = Act { what: What::Read(messages.cloned()), tiles: tiles.clone(), places: places.clone() };
        let known = self.taken.iter().find(|taken| taken.by == by && taken.acts == self.acts).cloned();
        let taken = known.map(|taken| (taken, Made::Before)).unwrap_or_else(|| {
            let (acts, mut made) = (self.acts.clone(), Versions::default());
            let parts = if acts.is_empty() { &mut self.parts } else { &mut made };
            acts.iter().for_each(|act| drop(act.apply(parts)));
            let mut moves = Vec::new();
            for (point, fetched) in by.apply(parts) {
                let moved = |(rects, number): Owned| Some(Move::new(&rects, from(number)?, by.region(point)?));
                moves.extend(fetched.into_iter().filter_map(moved));
            }
            let region = |message: &Message| match message.sent {
                true => from(parts.first_owner(&message.tiles.rect(0))?),
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
            (taken, Made::Now)
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

    /// Returns `true` if an instance has any elements, or may have.
    pub(super) fn counts_on(&self, one: usize, within: &Rect) -> bool {
        let has = |act: &Act| act.places.iter().any(|(_, place)| place.number == one);
        self.acts.iter().any(has) || self.parts.counts_on(one, within)
    }

    /// Forgets everything that depends on instances that may be removed.
    pub(super) fn forget(&mut self) {
        self.taken.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use layout_mappings::SoA;
    use proptest::prelude::*;

    use super::*;

    const SIDE: i64 = 12;
    const INSTANCES: usize = 3;

    fn line(lo: i64, hi: i64) -> Rect {
        Rect::new([lo].into(), [hi].into())
    }

    /// A list of tiles, a list of places, and the elements of points that nobody has.
    type Missing = (usize, usize, Vec<(usize, i64)>);

    /// Lists of tiles: all by fours and by threes, with margins, all but the border, and some, the last ones between others.
    fn lists() -> [Arc<Tiles>; 6] {
        let all = Rect::of([SIDE].into());
        let cut = |side: i64, margin: i64| {
            let tile = |at: i64| line(at * side - margin, (at + 1) * side + margin).intersection(&all);
            (0..SIDE / side).map(tile).collect::<Tiles>()
        };
        let inner = [line(1, 4), line(4, 8), line(8, 11)].into_iter().collect();
        let some = [line(0, 2), line(9, 10), line(5, 7)].into_iter().collect();
        let between = [line(2, 4), line(8, 9)].into_iter().collect();
        [cut(4, 0), cut(3, 0), cut(4, 1), inner, some, between].map(Arc::new)
    }

    fn regions() -> [Arc<Region>; INSTANCES] {
        core::array::from_fn(|_| Arc::new(Region::planned::<f64, SoA>(Rect::of([SIDE].into()), &[0]).unwrap()))
    }

    /// All points of a list but one are here, in other instances each time.
    fn places(tiles: &Tiles, list: usize, regions: &[Arc<Region>; INSTANCES]) -> [Places; 2] {
        [0, 1].map(|turn| {
            let here = (0..tiles.len()).filter(|point| *point != (list + turn) % tiles.len());
            let place = |point: usize| {
                let number = (point + turn) % INSTANCES;
                (point, Place { number, region: regions[number].clone() })
            };
            here.map(place).collect()
        })
    }

    /// An act of a launch with a list of tiles: it writes or reads them, in instances with a number. Or boxes are asked for.
    #[derive(Clone, Debug)]
    enum Did {
        Write(usize, usize),
        Read(usize, usize),
        Parts,
    }

    fn did() -> impl Strategy<Value = Did> {
        let some = (0..6_usize, 0..2_usize);
        prop_oneof![
            4 => some.clone().prop_filter("tiles that overlap", |(list, _)| *list != 2).prop_map(|(list, at)| Did::Write(list, at)),
            6 => some.prop_map(|(list, at)| Did::Read(list, at)),
            1 => Just(Did::Parts),
        ]
    }

    proptest! {
        /// Each element that an instance lacks comes to it once: from one that has the newest version, or by a message.
        #[test]
        fn what_an_instance_lacks_comes_once(done in prop::collection::vec(did(), 1..40)) {
            let regions = regions();
            let number_of = |region: &Arc<Region>| regions.iter().position(|other| Arc::ptr_eq(region, other)).unwrap();
            let lists = lists();
            // The same places have the same list.
            let places: Vec<[Places; 2]> =
                lists.iter().enumerate().map(|(list, tiles)| places(tiles, list, &regions)).collect();
            let mut fresh = Fresh::default();
            // The instances that have each element.
            let mut has: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); 12];
            let mut known: HashMap<Missing, Messages> = HashMap::new();
            let at = |rect: &Rect| rect.points().map(|at| usize::try_from(at[0]).unwrap()).collect::<Vec<_>>();
            for did in done {
                match did {
                    Did::Parts => {
                        for to in 0..INSTANCES {
                            let mut lacking = BTreeSet::new();
                            for (rects, from) in fresh.parts().lacking(&Rect::of([SIDE].into()), to) {
                                for element in rects.iter().flat_map(at) {
                                    prop_assert!(has[element].contains(&from) && lacking.insert(element));
                                }
                            }
                            let lacks = |element: &usize| !has[*element].is_empty() && !has[*element].contains(&to);
                            prop_assert_eq!(lacking, (0..has.len()).filter(lacks).collect::<BTreeSet<_>>());
                        }
                    }
                    Did::Write(list, turn) => {
                        let tiles = &lists[list];
                        tiles.iter().flat_map(|rect| at(&rect)).for_each(|element| has[element].clear());
                        for (point, place) in places[list][turn].iter() {
                            for element in at(&tiles.rect(*point)) {
                                has[element].insert(place.number);
                            }
                        }
                        let all = tiles.are_all_of(&Rect::of([SIDE].into()));
                        fresh.written_tiles((tiles, all), &places[list][turn]);
                    }
                    Did::Read(list, turn) => {
                        let (tiles, here) = (&lists[list], &places[list][turn]);
                        let mut missing: Vec<(usize, i64)> = Vec::new();
                        for (point, _) in here.iter() {
                            let nobody = at(&tiles.rect(*point)).into_iter().filter(|element| has[*element].is_empty());
                            for element in nobody.map(|element| i64::try_from(element).unwrap()) {
                                if !missing.iter().any(|(_, other)| *other == element) {
                                    missing.push((*point, element));
                                }
                            }
                        }
                        let message = |&(point, element): &(usize, i64)| {
                            let tiles = Tiles::one(line(element, element + 1)).into();
                            Message { sent: false, peer: 1, point, number: 0, tiles, bytes: 8, first: 0, parcel: Default::default() }
                        };
                        let messages = (!missing.is_empty()).then(|| {
                            let made = || missing.iter().map(message).collect();
                            known.entry((list, turn, missing.clone())).or_insert_with(made).clone()
                        });
                        let taken = fresh.read((tiles, here), messages.as_ref(), |number| Some(regions[number].clone()));
                        let mut moved = HashMap::new();
                        for Move { tiles, from, to } in taken.iter().flat_map(|(taken, _)| taken.moves.iter()) {
                            for element in tiles.iter().flat_map(|rect| at(&rect)) {
                                let twice = moved.insert((element, number_of(to)), number_of(from));
                                prop_assert!(twice.is_none(), "{} comes twice", element);
                            }
                        }
                        for (at, (point, _)) in missing.iter().enumerate() {
                            let to = here.iter().find(|(other, _)| other == point).unwrap().1.number;
                            let region = taken.as_ref().and_then(|(taken, _)| taken.at[at].as_ref());
                            prop_assert_eq!(region.map(number_of), Some(to));
                        }
                        for (point, place) in here.iter() {
                            for element in at(&tiles.rect(*point)) {
                                let arrives = missing.contains(&(*point, i64::try_from(element).unwrap()));
                                if !has[element].contains(&place.number) && !arrives {
                                    let from = moved.remove(&(element, place.number));
                                    prop_assert!(from.is_some_and(|from| has[element].contains(&from)), "{}: {:?}", element, from);
                                }
                                has[element].insert(place.number);
                            }
                        }
                        prop_assert!(moved.is_empty(), "{:?} are moved in vain", moved);
                    }
                }
                for number in 0..INSTANCES {
                    let counts = fresh.counts_on(number, &Rect::of([SIDE].into()));
                    prop_assert!(counts || has.iter().all(|has| !has.contains(&number)));
                }
            }
        }
    }

    /// A launch after the same acts has the same work as before; elements in the instance are not fetched.
    #[test]
    fn a_launch_after_the_same_acts_takes_the_same() {
        let (lists, regions, mut fresh) = (lists(), regions(), Fresh::default());
        let places: Vec<[Places; 2]> = (0..6).map(|list| places(&lists[list], list, &regions)).collect();
        let write = |fresh: &mut Fresh, (list, turn): (usize, usize)| {
            fresh.written_tiles((&lists[list], true), &places[list][turn]);
        };
        // `None` if there is no work; else whether it was computed now.
        let read = |fresh: &mut Fresh, (list, turn): (usize, usize), messages: Option<&Messages>| {
            let taken =
                fresh.read((&lists[list], &places[list][turn]), messages, |number| Some(regions[number].clone()));
            taken.map(|(_, made)| made == Made::Now)
        };
        let tiles = || Arc::new(Tiles::one(line(4, 5)));
        let messages = || -> Messages {
            [Message {
                sent: true,
                peer: 1,
                point: 0,
                number: 1,
                tiles: tiles(),
                bytes: 8,
                first: 0,
                parcel: Default::default(),
            }]
            .into()
        };
        let (some, others) = (messages(), messages());
        for (written, taken, messages) in [
            ((0, 0), (2, 0), None),
            ((0, 0), (2, 0), Some(&some)),
            ((0, 0), (2, 0), Some(&others)),
            ((0, 0), (3, 0), None),
            ((0, 0), (2, 1), None),
            ((0, 1), (2, 0), None),
            ((1, 0), (2, 0), None),
        ] {
            for is_new in [true, false, false] {
                write(&mut fresh, written);
                assert_eq!(read(&mut fresh, taken, messages), Some(is_new), "{written:?}, {taken:?}");
            }
        }
        // An act after a message differs from one without a message.
        for (messages, is_new) in
            [(None, true), (Some(&some), true), (Some(&others), true), (Some(&some), false), (None, false)]
        {
            write(&mut fresh, (0, 0));
            read(&mut fresh, (2, 0), messages);
            assert_eq!(read(&mut fresh, (3, 0), None), Some(is_new));
        }
        write(&mut fresh, (0, 0));
        assert_eq!(read(&mut fresh, (0, 0), None), None, "it was written there");
        read(&mut fresh, (2, 0), None);
        read(&mut fresh, (3, 0), None);
        assert_eq!(read(&mut fresh, (2, 0), None), None, "it was read there");
    }

    #[test]
    fn so_many_acts_and_launches_are_kept() {
        let (lists, regions, mut fresh) = (lists(), regions(), Fresh::default());
        let places = places(&lists[0], 0, &regions);
        fresh.written_tiles((&lists[0], true), &places[0]);
        for count in 2..=MOST + 1 {
            let messages: Messages = [].into();
            fresh.read((&lists[0], &places[0]), Some(&messages), |_| None);
            assert_eq!(fresh.acts.len(), if count <= MOST { count } else { 0 });
        }
        for count in 1..=MOST_KEPT + 3 {
            fresh.taken.clear();
            for _ in 0..count {
                fresh.written_tiles((&lists[0], true), &places[0]);
                let messages: Messages = [].into();
                fresh.read((&lists[0], &places[0]), Some(&messages), |_| None);
            }
            assert_eq!(fresh.taken.len(), count.min(MOST_KEPT));
        }
    }
}
