//! Instances: memory on this locale for boxes of a root, if no locale has the whole root.
//!
//! ```text
//! home     a box of the elements that this locale writes, with a margin around it: the widest margin that was asked for
//! cache    a box of other elements that its points read or write
//! fresh    the instance with the newest version of each element; if no instance has it, another locale does (`Root::versions`)
//! ```
//!
//! 1. Each argument of each point is in one instance: the oldest that covers its box. Nodes keep the memory that they were given, so the
//!    list may change while they wait.
//! 2. A home grows if that adds at most half of the elements that the locale writes there. It keeps its number. Everything that is fresh in
//!    it is copied, part by part, so that each part fails separately.
//!    If there is no memory for that, the home stays as it is, and the box gets an instance of its own: for a read a cache, for a write
//!    one without memory.
//! 3. A cache grows in the same way, if that adds at most half of the elements of the box that is read; and it takes in the caches that it
//!    covers. So caches take a few times the memory of their elements at most, in a loop over windows that overlap, too. Caches of scattered
//!    elements, and of elements in use, stay as they are.
//! 4. An instance in which nothing is fresh is removed from the list; its memory is freed with the last node that has it. A cache is idle
//!    first, for a few writes: a loop that writes elements and reads them again finds the memory of the last read. Where memory has a limit,
//!    others may need it, and no cache is idle.

use core::any::TypeId;
use std::sync::Arc;

use super::Locale;
use super::fresh::{Fresh, MOST_KEPT, Regions, Taken};
use super::ledger::{Made, Message};
use super::versions::Owned;
use crate::error::StoreError;
use crate::geometry::{Point, Rect, RunList, Runs, maximal, push_one};
use crate::graph::{Cause, TaskBodyError, Tiles};
use crate::memory::{Budget, Form, Hold, MemoryError, Region, Room, StoreTarget};
use crate::partition::Placement;
use crate::sync::Mutex;

/// The memory of a root on this locale.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one in a root, and most are whole: those take no allocation more"
)]
pub(crate) enum Storage {
    /// One memory for all elements.
    Whole(Region),
    /// Memory in instances.
    Divided(Box<Divided>),
}

impl Storage {
    /// The extents of the root.
    pub(crate) fn extents(&self) -> Point {
        match self {
            Self::Whole(region) => region.rect().hi(),
            Self::Divided(divided) => divided.form.extents(),
        }
    }

    /// Returns `true` if a step of the root leads to the next element in memory.
    pub(crate) fn is_dense(&self, step: &Point) -> bool {
        match self {
            Self::Whole(region) => region.stride_of(step) == 1,
            Self::Divided(divided) => {
                let mut moves = step.iter().enumerate().filter(|(_, step)| **step != 0);
                moves.next().is_some_and(|(dim, step)| *step == 1 && divided.form.is_fastest(dim))
                    && moves.next().is_none()
            }
        }
    }

    /// The dimensions of the root in their order in memory, the fastest first.
    pub(crate) fn fastest_first(&self) -> Vec<usize> {
        match self {
            Self::Whole(region) => region.fastest_first(),
            Self::Divided(divided) => divided.form.fastest_first(),
        }
    }

    /// Returns `true` if elements share bytes, so that no two tiles can be written at once.
    pub(crate) fn is_joined(&self) -> bool {
        matches!(self, Self::Whole(region) if region.is_joined())
    }

    /// All elements that share bytes with those in `rect`.
    pub(crate) fn reach(&self, rect: &Rect) -> Rect {
        match self {
            Self::Whole(region) => region.reach(rect),
            Self::Divided(_) => *rect,
        }
    }

    /// The bytes of main memory on this locale.
    pub(crate) fn main_memory(&self) -> usize {
        let mut sum = 0;
        self.for_each(|bytes, _, _| sum += bytes);
        sum
    }

    /// Calls `f` for each memory, with its bytes, the number of its elements that are a home (if it is one), and the number of all.
    pub(crate) fn for_each(&self, mut f: impl FnMut(usize, Option<i64>, i64)) {
        match self {
            Self::Whole(region) => f(region.main_memory(), Some(1), 1),
            Self::Divided(divided) => divided.for_each(|region, home| {
                f(region.main_memory(), home.map(|home| home.volume()), region.rect().volume());
            }),
        }
    }

    /// The place of the memory; `None` if the memory is the program's.
    pub(crate) fn target(&self) -> Option<StoreTarget> {
        match self {
            Self::Whole(region) => region.target(),
            Self::Divided(divided) => Some(divided.form.target()),
        }
    }

    /// Other memory for all elements on this locale, if they can be moved; none for parts that are there.
    pub(crate) fn room(&self, target: &StoreTarget, budget: &Arc<Budget>) -> Result<Vec<Room>, MemoryError> {
        match self {
            Self::Whole(region) => Ok(vec![region.room(target, budget)?]),
            Self::Divided(divided) if divided.form.target() == *target => Ok(Vec::new()),
            Self::Divided(divided) => {
                let mut rooms = Vec::new();
                divided.try_for_each(|region| region.room(target, budget).map(|room| rooms.push(room)))?;
                Ok(rooms)
            }
        }
    }

    /// Moves all elements to other memory, if there are no holds.
    pub(crate) fn move_to(&self, target: &StoreTarget, rooms: Vec<Room>) -> Result<(), MemoryError> {
        let mut rooms = rooms.into_iter();
        let mut moves = |region: &Region| rooms.next().map_or(Ok(()), |room| region.move_to(room));
        match self {
            Self::Whole(region) => moves(region),
            Self::Divided(divided) => {
                divided.try_for_each(moves)?;
                divided.form.set_target(target);
                Ok(())
            }
        }
    }

    /// Gives memory for written elements room for a margin, from now on.
    pub(crate) fn reserve(&self, low: Point, high: Point) {
        if let Self::Divided(divided) = self {
            divided.form.reserve(low, high);
        }
    }

    /// Allows the memory to be read as another record and layout from now on; see [`Region::accept`].
    pub(crate) fn accept(&self, types: TypeId) {
        match self {
            Self::Whole(region) => region.accept(types),
            Self::Divided(divided) => {
                divided.form.accept(types);
                divided.for_each(|region, _| region.accept(types));
            }
        }
    }
}

/// The memory of a root, if no locale has the whole root.
pub(crate) struct Divided {
    pub(crate) form: Form,
    instances: Mutex<Instances>,
}

/// An instance, as nodes keep it.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) number: usize,
    pub(crate) region: Arc<Region>,
}

impl Place {
    /// Returns `true` if this memory is not an instance.
    pub(crate) fn is_aside(&self) -> bool {
        self.number == ASIDE
    }
}

/// The number of memory that is not an instance.
const ASIDE: usize = usize::MAX;

/// The instances of the points of this locale, by the numbers of the points.
pub(crate) type Places = Arc<[(usize, Place)]>;

/// The instance of a point.
pub(crate) fn place_of(places: &Places, point: usize) -> Option<&Place> {
    let at = places.binary_search_by_key(&point, |(number, _)| *number).ok()?;
    Some(&places[at].1)
}

/// The purpose of an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Points of this locale write to it.
    Home,
    /// Points of this locale read from it.
    Cache,
    /// Contributions are combined there with the elements of this locale. Earlier tasks are already counted, so nobody may wait for them.
    Combined,
}

/// Elements that are copied from one instance to another.
#[derive(Clone)]
pub(crate) struct Move {
    pub(crate) tiles: Arc<Tiles>,
    pub(crate) from: Arc<Region>,
    pub(crate) to: Arc<Region>,
}

impl Move {
    pub(super) fn new(rects: &[Rect], from: Arc<Region>, to: Arc<Region>) -> Self {
        Self { tiles: Tiles::scattered(rects).into(), from, to }
    }
}

#[derive(Default)]
struct Instances {
    /// The oldest first.
    list: Vec<Instance>,
    next: usize,
    fresh: Fresh,
    /// The places of points of launches, by their tiles, the newest last; valid until the list changes.
    places: Vec<(Arc<Tiles>, Placement, Places)>,
}

struct Instance {
    place: Place,
    /// The box of written elements, without the margin; `None` for a cache.
    home: Option<Rect>,
    /// The number of writes to the root after which nothing was fresh in it.
    idle: u8,
}

/// The number of writes for which a cache is idle. A step of a loop may write the elements several times.
const MOST_IDLE: u8 = 4;

impl Instance {
    fn rect(&self) -> Rect {
        self.place.region.rect()
    }

    fn is_there(&self) -> bool {
        self.place.region.why_refused().is_none()
    }
}

/// Returns `true` if a box has at most half of a number of elements more than this number.
fn is_narrow(hull: &Rect, own: i64) -> bool {
    hull.volume() <= own.saturating_add(own / 2)
}

impl Instances {
    fn get(&self, number: usize) -> Option<&Instance> {
        self.list.iter().find(|instance| instance.place.number == number)
    }

    /// The oldest instance that covers a box and has memory, or else, if they may, an idle one that is not much larger.
    fn covering(&self, rect: &Rect, idle: bool) -> Option<&Instance> {
        let mut covering = self.list.iter().filter(|instance| instance.is_there() && instance.rect().covers(rect));
        let fits = |instance: &&Instance| idle && is_narrow(&instance.rect(), rect.volume());
        covering.clone().find(|instance| instance.idle == 0).or_else(|| covering.find(fits))
    }

    /// The instance of a box; without memory if there was not enough.
    fn find(&self, rect: &Rect) -> Option<&Instance> {
        self.covering(rect, true).or_else(|| self.list.iter().find(|instance| instance.rect().covers(rect)))
    }

    /// The home that grows if a box is needed, or else, if they may, the cache, and its new box: its margin has at most half of the number of
    /// its own elements, or of those of the box.
    fn that_grows(&self, rect: &Rect, caches: bool) -> Option<(usize, Rect)> {
        let grown = |own: &dyn Fn(&Instance) -> Option<i64>| {
            self.list.iter().enumerate().find_map(|(at, instance)| {
                let (own, hull) = (own(instance)?, instance.rect().hull(rect));
                let grows = instance.is_there() && instance.idle == 0 && is_narrow(&hull, own);
                (grows && instance.rect().overlaps(rect)).then_some((at, hull))
            })
        };
        let home = grown(&|instance| Some(instance.home?.volume()));
        home.or_else(|| grown(&|instance| self.is_plain_cache(instance).then(|| rect.volume())).filter(|_| caches))
    }

    /// Returns `true` for a cache with memory that has boxes only. Scattered elements are one copy, which fails with any of them, and which
    /// may have others between them.
    fn is_plain_cache(&self, instance: &Instance) -> bool {
        instance.home.is_none() && instance.is_there() && !self.fresh.has_scattered(instance.place.number)
    }

    /// Removes the caches that this instance covers, and returns the copies of their elements to it.
    fn take_in(&mut self, number: usize) -> Vec<Move> {
        let Some(Place { region: to, .. }) = self.get(number).map(|instance| instance.place.clone()) else {
            return Vec::new();
        };
        let is_covered = |instance: &&Instance| {
            self.is_plain_cache(instance) && instance.place.number != number && to.rect().covers(&instance.rect())
        };
        let covered: Vec<Place> = self.list.iter().filter(is_covered).map(|instance| instance.place.clone()).collect();
        let mut moves = Vec::new();
        for Place { number: old, region: from } in covered {
            self.list.retain(|instance| instance.place.number != old);
            let parts = self.fresh.parts();
            moves.extend(parts.parts_of(old).iter().map(|rects| Move::new(rects, from.clone(), to.clone())));
            parts.pass_on(old, number);
        }
        moves
    }

    fn moves(&self, fetched: Vec<Owned>, to: &Arc<Region>) -> Vec<Move> {
        let known = |(rects, from): Owned| Some(Move::new(&rects, self.get(from)?.place.region.clone(), to.clone()));
        fetched.into_iter().filter_map(known).collect()
    }

    /// Instances with these numbers get elements, and are not idle any more.
    fn wake(&mut self, is: impl Fn(usize) -> bool) {
        let idle = self.list.iter_mut().filter(|instance| instance.idle > 0 && is(instance.place.number));
        idle.for_each(|instance| instance.idle = 0);
    }

    /// Before a change of the list: forgets everything that depends on single instances.
    fn changes(&mut self) {
        self.places.clear();
        self.fresh.forget();
    }
}

impl Divided {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, instances: Mutex::default() }
    }

    /// Memory for a box. If necessary, waits for all tasks that may free some; the caller must not have counted nodes for it then. If there
    /// is not enough memory even then, a region with the error.
    fn region(&self, rect: Rect, locale: &Locale, wait: bool) -> Arc<Region> {
        let region = self.form.region(rect, &locale.budget);
        let limited = matches!(region.why_refused(), Some(MemoryError::Limit { .. }));
        // The next call that waits reports a wait in vain.
        let again = limited && wait && locale.may_wait() && locale.wait_for_all().is_ok();
        Arc::new(if again { self.form.region(rect, &locale.budget) } else { region })
    }

    /// Memory for a box that is not shared.
    pub(crate) fn aside(&self, rect: Rect, locale: &Locale) -> Place {
        Place { number: ASIDE, region: self.region(rect, locale, true) }
    }

    /// Makes instances, or lets them grow, so that each box is in one. Returns the copies to those that grew.
    ///
    /// If elements of the root are in use by the program, nothing grows for a read: all elements of what grows are copied, which waits for the
    /// end of a use of some of them.
    pub(crate) fn cover(&self, boxes: &[Rect], (purpose, in_use): (Purpose, bool), locale: &Locale) -> Vec<Move> {
        let (wait, is_read) = (purpose != Purpose::Combined, purpose == Purpose::Cache);
        let lacks = |rect: &Rect| self.instances.lock().covering(rect, is_read).is_none();
        let lacking = maximal(boxes.iter().filter(|rect| lacks(rect)).copied());
        let mut moves = Vec::new();
        for rect in lacking.into_iter().filter(lacks) {
            let grown = if is_read && in_use { None } else { self.instances.lock().that_grows(&rect, is_read) };
            // No lock is held during the wait for memory. Instances change with operations, one after another.
            let alone = if purpose == Purpose::Home { self.form.home(rect) } else { rect };
            let is_there = |region: &Region| region.why_refused().is_none();
            // What is read need not be a margin, so nobody waits for the memory of a larger box.
            let larger = grown.map(|(at, hull)| (at, self.region(hull, locale, wait && !is_read)));
            let larger = larger.filter(|(_, region)| !is_read || is_there(region));
            let (at, region) = match larger {
                Some((at, region)) => (Some(at).filter(|_| is_there(&region)), region),
                None => (None, self.region(alone, locale, wait)),
            };
            let instances = &mut *self.instances.lock();
            instances.changes();
            let has_memory = is_there(&region);
            let number = if let Some(at) = at {
                let place = &mut instances.list[at].place;
                let from = core::mem::replace(&mut place.region, region.clone());
                let parts = instances.fresh.parts().parts_of(place.number);
                moves.extend(parts.iter().map(|rects| Move::new(rects, from.clone(), region.clone())));
                place.number
            } else {
                instances.next += 1;
                let home = (purpose != Purpose::Cache).then_some(rect);
                let place = Place { number: instances.next - 1, region };
                push_one(&mut instances.list, Instance { place, home, idle: 0 });
                instances.next - 1
            };
            if is_read && !in_use && has_memory {
                moves.extend(instances.take_in(number));
            }
        }
        moves
    }

    /// The instance of a box.
    pub(crate) fn find(&self, rect: &Rect) -> Option<Place> {
        self.instances.lock().find(rect).map(|instance| instance.place.clone())
    }

    /// The instance that has these scattered elements, or may have them.
    pub(crate) fn find_runs(&self, rect: &Rect, runs: &[Arc<RunList>], all: &Runs) -> Option<Place> {
        let mut instances = self.instances.lock();
        let known = instances.fresh.parts().with_runs(runs, &all.transform).and_then(|number| instances.get(number));
        let known = known.filter(|instance| instance.is_there() && instance.rect().covers(rect));
        known.or_else(|| instances.find(rect)).map(|instance| instance.place.clone())
    }

    /// The places of points of this locale with these tiles, if they are known.
    pub(super) fn places(&self, tiles: &Arc<Tiles>, placement: &Placement) -> Option<Places> {
        let instances = self.instances.lock();
        let is = |(of, placed, _): &&(Arc<Tiles>, Placement, Places)| Arc::ptr_eq(of, tiles) && placed == placement;
        instances.places.iter().find(is).map(|(.., places)| places.clone())
    }

    /// Keeps the places of points with these tiles, if all have memory.
    pub(super) fn keep_places(&self, tiles: &Arc<Tiles>, placement: &Placement, places: &Places) {
        let mut instances = self.instances.lock();
        if places.iter().all(|(_, place)| place.region.why_refused().is_none()) {
            if instances.places.len() == MOST_KEPT {
                instances.places.remove(0);
            }
            push_one(&mut instances.places, (tiles.clone(), placement.clone(), places.clone()));
        }
    }

    /// The instance with the newest version of a box that was written together.
    pub(crate) fn source(&self, rect: &Rect) -> Option<Place> {
        let mut instances = self.instances.lock();
        let number = instances.fresh.parts().first_owner(rect)?;
        instances.get(number).map(|instance| instance.place.clone())
    }

    /// The work by which points of this locale that read tiles get them, after these messages; `None` if there is none.
    pub(super) fn read(
        &self,
        tiles: &Arc<Tiles>,
        places: &Places,
        messages: Option<&Arc<[Message]>>,
    ) -> Option<(Arc<Taken>, Made)> {
        let instances = &mut *self.instances.lock();
        instances.wake(|number| places.iter().any(|(_, place)| place.number == number));
        let Instances { list, fresh, .. } = instances;
        let from = |number| {
            let instance = list.iter().find(|instance| instance.place.number == number);
            instance.map(|instance| instance.place.region.clone())
        };
        fresh.read((tiles, places), messages, from)
    }

    /// The memory from which messages are sent, and the memory to which all others go.
    pub(super) fn regions(&self, messages: &[Message], to: Option<&Place>) -> Regions {
        let region = |message: &Message| match message.sent {
            true => self.source(&message.tiles.rect(0)).map(|place| place.region),
            false => to.map(|place| place.region.clone()),
        };
        messages.iter().map(region).collect()
    }

    /// The elements of a box that other instances have and this one lacks; after this it has them.
    fn fetch(&self, rect: &Rect, place: &Place) -> Vec<Move> {
        let mut instances = self.instances.lock();
        let fetched = instances.fresh.parts().fetch(rect, place.number);
        instances.moves(fetched, &place.region)
    }

    /// [`fetch`](Self::fetch) for scattered elements in a box, which come from other locales: elements that this locale has are copied as
    /// whole boxes, rather than as many small ones.
    /// This is the read of scattered elements with the number `now`.
    pub(crate) fn fetch_runs(
        &self,
        runs: Vec<Arc<RunList>>,
        rect: &Rect,
        all: &Runs,
        (place, now): (&Place, u64),
    ) -> Vec<Move> {
        let moves = self.fetch(rect, place);
        let instances = &mut *self.instances.lock();
        instances.wake(|number| number == place.number);
        instances.fresh.parts().remember(runs, (&all.transform, rect), (place.number, now));
        moves
    }

    /// The instance that has the newest version of a whole box.
    pub(crate) fn having(&self, rect: &Rect) -> Option<Place> {
        let Instances { list, fresh, .. } = &mut *self.instances.lock();
        let parts = fresh.parts();
        let has = |instance: &&Instance| {
            let covers = instance.is_there() && instance.rect().covers(rect);
            covers && parts.lacking(rect, instance.place.number).is_empty()
        };
        list.iter().find(has).map(|instance| instance.place.clone())
    }

    /// Copies of the elements of a box in instances to memory that is not recorded.
    pub(crate) fn show(&self, rect: &Rect, to: &Arc<Region>) -> Vec<Move> {
        let mut instances = self.instances.lock();
        let lacking = instances.fresh.parts().lacking(rect, ASIDE);
        instances.moves(lacking, to)
    }

    /// Records that boxes are written: in this instance of this locale or, without one, on another locale.
    pub(crate) fn written(&self, written: impl Iterator<Item = (Rect, Option<usize>)>) {
        let mut instances = self.instances.lock();
        let parts = instances.fresh.parts();
        written.for_each(|(rect, number)| parts.written(&rect, number));
    }

    /// Records that disjoint tiles, which may be all of the root, are written: those of points of this locale in these instances, and all
    /// others on other locales.
    pub(crate) fn written_tiles(&self, tiles: (&Arc<Tiles>, bool), places: &Places) {
        self.instances.lock().fresh.written_tiles(tiles, places);
    }

    /// After a write: removes instances in which nothing is fresh, and caches that were idle for long.
    pub(crate) fn sweep(&self, budget: &Budget) {
        let instances = &mut *self.instances.lock();
        for instance in &mut instances.list {
            let counts = instances.fresh.counts_on(instance.place.number, &instance.rect());
            instance.idle = if counts { 0 } else { instance.idle + 1 };
        }
        let unlimited = budget.least_limit() == usize::MAX;
        let goes = |instance: &Instance| {
            let may_be_idle = unlimited && instance.home.is_none() && instance.is_there();
            instance.idle > if may_be_idle { MOST_IDLE } else { 0 }
        };
        if instances.list.iter().any(goes) {
            instances.list.retain(|instance| !goes(instance));
            instances.changes();
        }
    }

    /// Removes caches without memory: the elements that were sent to them did not come.
    pub(super) fn forget_refused(&self) {
        let instances = &mut *self.instances.lock();
        let is_lost = |instance: &Instance| instance.home.is_none() && !instance.is_there();
        if instances.list.iter().any(is_lost) {
            let lost: Vec<Instance> = instances.list.extract_if(.., |instance| is_lost(instance)).collect();
            lost.iter().for_each(|lost| instances.fresh.parts().forget(lost.place.number));
            instances.changes();
        }
    }

    /// Calls `f` for the memory of each instance that has some, until `f` fails.
    pub(crate) fn try_for_each<E>(&self, f: impl FnMut(&Region) -> Result<(), E>) -> Result<(), E> {
        let instances = self.instances.lock();
        let with_memory = instances.list.iter().filter(|instance| instance.is_there());
        with_memory.map(|instance| &*instance.place.region).try_for_each(f)
    }

    /// Calls `f` for the memory of each instance, with the box that points write there.
    pub(crate) fn for_each(&self, mut f: impl FnMut(&Region, Option<Rect>)) {
        self.instances.lock().list.iter().for_each(|instance| f(&instance.place.region, instance.home));
    }
}

/// Takes a hold on the elements in a box; on failure, returns the error of the memory, or of the runtime.
pub(crate) fn hold<'r>(region: &'r Region, rect: &Rect, write: bool) -> Result<Hold<'r>, Cause> {
    region.hold(rect, write).ok_or_else(|| why_not_held(region, rect))
}

/// [`hold`] on the elements in all boxes, some of which are not empty.
pub(super) fn hold_tiles<'r>(region: &'r Region, tiles: &Tiles, write: bool) -> Result<Hold<'r>, Cause> {
    let held = tiles.list().map_or_else(|| region.hold(tiles.hull(), write), |list| region.hold_list(list, write));
    held.ok_or_else(|| why_not_held(region, tiles.hull()))
}

fn why_not_held(region: &Region, rect: &Rect) -> Cause {
    match region.why_refused() {
        Some(error) => StoreError::from(error.clone()).into(),
        // The graph orders all uses of common elements, so this never happens.
        None => {
            let text = format!("{rect} of a store is in use: an error of the runtime itself");
            Cause::Error(TaskBodyError::new(text))
        }
    }
}
