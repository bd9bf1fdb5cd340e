//! Roots: the stores to which handles refer.

use std::sync::{Arc, OnceLock};

use super::access::InUse;
use super::instances::{Divided, Storage, hold};
use super::packing::Mover;
use super::{Agree, Images, Ledger, Locale, Place, Places, Purpose};
use crate::error::StoreError;
use crate::geometry::{DimOrdering, Point, Rect, Transform, maximal};
use crate::graph::{Cause, Engine, TaskBodyError, Tiles, Uses};
use crate::memory::{Form, Hold, MemoryError, Region, StoreTarget};
use crate::partition::{Placement, Tiling};
use crate::sync::{AtomicUsize, Mutex, Ordering};

use layout_core::{Record, RecordLayout};

/// A store as it was created: its memory, and its uses.
pub(crate) struct Root {
    /// The size of a record in bytes.
    pub(crate) element: usize,
    pub(crate) storage: Storage,
    pub(crate) uses: Mutex<Uses>,
    /// The partition by which it was last written.
    pub(crate) key: Mutex<Option<Key>>,
    /// The known images of its values.
    pub(crate) images: Images,
    /// The newest versions of its elements on locales, from the first question on; never with one locale.
    versions: OnceLock<Box<Mutex<Ledger>>>,
    /// All elements as the tiles of one point, after a launch used them so.
    tiles: OnceLock<Arc<Tiles>>,
    /// The uses of the program that last, from the oldest use to the newest, if there are several locales.
    pub(super) in_use: Mutex<Vec<InUse>>,
    /// The functions that send its elements.
    pub(crate) mover: &'static Mover,
    /// The bytes of its main memory, and the number of handles of the program.
    bytes: AtomicUsize,
    handles: AtomicUsize,
    /// Its number, which is the same on every locale.
    pub(crate) id: u64,
    /// Its number among the roots on this locale.
    known: AtomicUsize,
    pub(crate) locale: Arc<Locale>,
}

/// The last write of a root.
pub(crate) struct Key {
    /// The view, and the tiles of the view.
    pub(crate) view: Arc<Transform>,
    pub(crate) tiling: Arc<Tiling>,
    /// `true` if the tiles have all elements of the view.
    pub(crate) complete: bool,
    /// The locales of the tiles, if there are several locales.
    pub(crate) placement: Option<Placement>,
}

impl Key {
    fn tiling_in(&self, transform: &Arc<Transform>) -> Option<Arc<Tiling>> {
        if self.view == *transform {
            return Some(self.tiling.clone());
        }
        self.tiling.of_slice(&transform.start_in(&self.view)?, transform.extents()).map(Arc::new)
    }
}

impl Root {
    /// Records that every locale has written all elements, alike.
    pub(crate) fn written_everywhere(&self) {
        let whole = Rect::of(self.extents());
        self.uses.lock().note_written(&whole);
        if self.locale.net.is_some() {
            self.versions().lock().written_alike(self.tiles(), true, self.locale.count);
        }
    }

    /// Records that every locale has written a box, alike, if there are several locales.
    pub(crate) fn written_alike(&self, rect: &Rect) {
        if self.locale.net.is_some() {
            let tiles = Arc::new(Tiles::one(*rect));
            let all = tiles.are_all_of(&Rect::of(self.extents()));
            self.versions().lock().written_alike(&tiles, all, self.locale.count);
        }
    }

    /// Makes a root of these extents, whose elements are unwritten. If it is whole, the locales `agree` that each has memory for it.
    pub(crate) fn new<R: Record, L: RecordLayout<R> + Default>(
        locale: &Arc<Locale>,
        extents: Point,
        (ordering, target): (&DimOrdering, &StoreTarget),
        id: u64,
        agree: Agree<'_>,
    ) -> Result<Arc<Self>, StoreError> {
        let fastest_first = ordering.fastest_first(extents.len())?;
        locale.wait_for_backlog()?;
        if locale.divides::<R, L>(extents) {
            let form = Form::new::<R, L>(extents, fastest_first, target.clone())?;
            return Ok(Self::of::<R, L>(locale, Storage::Divided(Box::new(Divided::new(form))), extents, id));
        }
        let whole = Rect::of(extents);
        if locale.planned.is_some() {
            let region = Region::planned::<R, L>(whole, &fastest_first)?;
            return Ok(Self::of::<R, L>(locale, Storage::Whole(region), extents, id));
        }
        let new = || Region::new::<R, L>(whole, &fastest_first, (target, &locale.budget));
        let region = match new() {
            // Tasks that still run may free memory.
            Err(MemoryError::Limit { .. })
                if locale.may_wait() || locale.net.is_none() && Engine::check_outside().is_ok() =>
            {
                locale.wait_for_all().and_then(|()| Ok(new()?))
            }
            region => region.map_err(StoreError::from),
        };
        if locale.net.is_some() {
            let bytes = Region::size_of::<R, L>(whole, &fastest_first).unwrap_or(usize::MAX);
            agree((bytes, target), region.as_ref().err().cloned())?;
        }
        Ok(Self::of::<R, L>(locale, Storage::Whole(region?), extents, id))
    }

    /// Makes a root in this memory.
    pub(crate) fn of<R: Record, L: RecordLayout<R> + Default>(
        locale: &Arc<Locale>,
        storage: Storage,
        extents: Point,
        id: u64,
    ) -> Arc<Self> {
        let bytes = storage.main_memory();
        locale.budget.let_go(bytes);
        let root = Arc::new(Self {
            bytes: AtomicUsize::new(bytes),
            handles: AtomicUsize::new(0),
            element: size_of::<R>(),
            uses: Mutex::new(Uses::new(extents)),
            storage,
            key: Mutex::new(None),
            images: Images::default(),
            versions: OnceLock::new(),
            tiles: OnceLock::new(),
            in_use: Mutex::default(),
            mover: Mover::of::<R, L>(),
            id,
            known: AtomicUsize::new(0),
            locale: locale.clone(),
        });
        root.known.store(locale.known.insert(&root), Ordering::Relaxed);
        root
    }

    /// The newest versions of elements on locales.
    pub(super) fn versions(&self) -> &Mutex<Ledger> {
        self.versions.get_or_init(Box::default)
    }

    /// After a fence that returns an error on all locales: forgets all reads, since elements may not have come. The memory of a whole store is
    /// there, so its elements came.
    pub(super) fn forget_reads(&self) {
        let Some(divided) = self.divided() else { return };
        self.versions.get().into_iter().for_each(|versions| versions.lock().forget_reads());
        divided.forget_refused();
    }

    /// All elements as the tiles of one point.
    pub(crate) fn tiles(&self) -> &Arc<Tiles> {
        self.tiles.get_or_init(|| Tiles::one(Rect::of(self.extents())).into())
    }

    /// Counts one more handle of the program.
    pub(crate) fn take_up(&self) {
        if self.handles.fetch_add(1, Ordering::SeqCst) == 0 {
            self.locale.budget.take_up(self.bytes.load(Ordering::SeqCst));
        }
    }

    /// Counts one handle of the program less; without any, only tasks keep the memory.
    pub(crate) fn let_go(&self) {
        if self.handles.fetch_sub(1, Ordering::SeqCst) == 1 {
            if let Storage::Divided(_) = self.storage {
                self.count_memory();
            }
            self.locale.budget.let_go(self.bytes.load(Ordering::SeqCst));
        }
    }

    /// Returns `true` if the program uses elements.
    pub(crate) fn is_in_use(&self) -> bool {
        !self.in_use.lock().is_empty()
    }

    /// Counts the main memory of the elements anew, after it changed. The program has a handle.
    pub(crate) fn count_memory(&self) {
        self.bytes.store(self.storage.main_memory(), Ordering::SeqCst);
    }

    /// The memory of all elements, if there is one.
    pub(crate) fn whole(&self) -> Option<&Region> {
        match &self.storage {
            Storage::Whole(region) => Some(region),
            Storage::Divided(_) => None,
        }
    }

    /// The instances, if no locale has the whole root; `None` if launches are only planned.
    pub(crate) fn divided(&self) -> Option<&Divided> {
        match &self.storage {
            Storage::Divided(divided) if self.locale.planned.is_none() => Some(divided),
            Storage::Whole(_) | Storage::Divided(_) => None,
        }
    }

    /// Returns `true` if no locale has the whole root.
    pub(crate) fn is_divided(&self) -> bool {
        matches!(self.storage, Storage::Divided(_))
    }

    /// The memory to use: that of an instance, or of all elements.
    pub(crate) fn region<'r>(&'r self, at: Option<&'r Region>) -> Result<&'r Region, Cause> {
        let none = || TaskBodyError::new("elements of a store are in no instance: an error of the runtime itself");
        Ok(at.or_else(|| self.whole()).ok_or_else(none)?)
    }

    /// Takes a hold on the elements in a box.
    pub(crate) fn hold<'r>(&'r self, rect: &Rect, write: bool, at: Option<&'r Region>) -> Result<Hold<'r>, Cause> {
        hold(self.region(at)?, rect, write)
    }

    /// The extents.
    pub(crate) fn extents(&self) -> Point {
        self.storage.extents()
    }

    /// Divides a new store among the locales by the tiles that tasks would write: returns boxes around those of this locale, and their
    /// instances. Tiles are recorded one by one, since a box around many that cannot be joined may overlap those of others.
    pub(crate) fn spread(&self, tiles: &Arc<Tiles>, placement: &Placement) -> Vec<(Rect, Place)> {
        if !self.is_divided() {
            return Vec::new();
        }
        let mut here = Vec::new();
        if let Some(divided) = self.divided() {
            let boxes = maximal(placement.points_of(self.locale.number).map(|point| tiles.rect(point)));
            // The instances of a new store have nothing to copy.
            divided.cover(&boxes, (Purpose::Home, false), &self.locale);
            here.extend(boxes.iter().filter_map(|rect| Some((*rect, divided.find(rect)?))));
        }
        let place = |number: usize| {
            let (_, at) = here.iter().find(|(rect, _): &&(Rect, Place)| rect.covers(&tiles.rect(number)))?;
            Some((number, at.clone()))
        };
        let places: Places = placement.points_of(self.locale.number).filter_map(place).collect();
        self.tiles_written(tiles, placement, Some(&places));
        here
    }

    /// Returns `true` if locales lack more than this number of bytes of a box, as they are sent, summed over these locales.
    pub(crate) fn lack_more(&self, bytes: usize, rect: &Rect, locales: core::ops::Range<usize>) -> bool {
        let most = bytes.checked_div(self.mover.element).and_then(|most| i64::try_from(most).ok());
        most.is_some_and(|most| self.versions().lock().lack_more(most, rect, locales))
    }

    /// Records the locale that has written each of some boxes, and its instance if it was this locale.
    pub(crate) fn written_at(&self, written: impl Iterator<Item = (Rect, usize, Option<usize>)> + Clone) {
        if self.locale.net.is_none() {
            return;
        }
        let mut versions = self.versions().lock();
        written.clone().for_each(|(rect, locale, _)| versions.written(&rect, [locale]));
        drop(versions);
        if let Some(divided) = self.divided() {
            divided.written(written.map(|(rect, _, number)| (rect, number)));
        }
    }

    /// Records the locales that have written each of some disjoint tiles, and the instances of those of this locale, if there are
    /// instances.
    pub(crate) fn tiles_written(&self, tiles: &Arc<Tiles>, placement: &Placement, places: Option<&Places>) {
        let all = tiles.are_all_of(&Rect::of(self.extents()));
        self.versions().lock().written_tiles(tiles, all, placement);
        if let Some((divided, places)) = self.divided().zip(places) {
            divided.written_tiles((tiles, all), places);
        }
    }

    /// Records the locales that wrote each of some tiles after all uses on this one.
    pub(super) fn written_elsewhere(&self, tiles: &Arc<Tiles>, placement: &Placement) {
        let mut uses = self.uses.lock();
        let newest = uses.newest();
        uses.note_elsewhere(newest, tiles, (placement, self.locale.number));
    }

    /// The tiling by which it was last written, if the tiles have all elements of this view, and the write was through this view or both
    /// views are slices.
    pub(crate) fn key_of(&self, transform: &Arc<Transform>) -> Option<Arc<Tiling>> {
        let key = self.key.lock();
        let key = key.as_ref()?;
        // The tiles of a slice are complete, or there are none.
        if key.complete || key.view != *transform { key.tiling_in(transform) } else { None }
    }

    /// The locales of these tiles of a view, if it was last written by them.
    pub(crate) fn placement_of(&self, transform: &Arc<Transform>, tiling: &Tiling) -> Option<Placement> {
        let key = self.key.lock();
        let key = key.as_ref()?;
        if *key.tiling_in(transform)? == *tiling { key.placement.clone() } else { None }
    }

    /// Checks that the memory exists, and that a write is allowed.
    pub(crate) fn check(&self, task: &str, argument: Option<usize>, write: bool) -> Result<(), StoreError> {
        let Some(region) = self.whole() else { return Ok(()) };
        if region.is_detached() && region.why_refused().is_none() {
            return Err(StoreError::Detached { task: task.to_owned(), argument });
        }
        if write && !region.is_writable() {
            return Err(StoreError::ReadOnly { task: task.to_owned(), argument });
        }
        Ok(())
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        self.locale.known.remove(self.known.load(Ordering::Relaxed));
        if self.handles.load(Ordering::SeqCst) == 0 {
            self.locale.budget.take_up(self.bytes.load(Ordering::SeqCst));
        }
    }
}
