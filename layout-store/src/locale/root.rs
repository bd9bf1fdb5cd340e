//! Roots: what handles of stores are handles to.

use core::any::Any;
use std::sync::{Arc, OnceLock};

use super::{Images, Locale, Versions};
use crate::error::StoreError;
use crate::geometry::{DimOrdering, DynRank, Point, Rect, Transform};
use crate::graph::{Cause, Engine, TaskBodyError, Tiles, Uses};
use crate::memory::{MemoryError, Region, StoreTarget, set_row_major};
use crate::partition::Tiling;
use crate::sync::{AtomicUsize, Mutex, Ordering};

use layout_core::{Record, RecordLayout};

/// A store as it was created: its memory, and who uses it.
pub(crate) struct Root {
    /// The size of a record in bytes.
    pub(crate) element: usize,
    pub(crate) region: Region,
    pub(crate) uses: Mutex<Uses>,
    /// The partition by which it was last written, and the view in which it was.
    pub(crate) key: Mutex<Option<(Arc<Transform>, Arc<Tiling>)>>,
    /// What its values are known to point to.
    pub(crate) images: Images,
    /// Which locale has the newest version of what, if there are several.
    pub(crate) versions: Mutex<Versions>,
    /// All elements as the tiles of one point, once a launch used them so.
    tiles: OnceLock<Arc<Tiles>>,
    /// How its elements are sent.
    pub(crate) mover: Mover,
    /// The bytes of main memory that go with it, and how many handles of it the program has.
    bytes: usize,
    handles: AtomicUsize,
    /// Its number: the same on every locale.
    pub(crate) id: u64,
    pub(crate) locale: Arc<Locale>,
}

/// How boxes of elements of a root become a message, and back: functions that know its record and layout.
pub(crate) struct Mover {
    pub(crate) pack: fn(&Root, &[Rect]) -> Result<Packed, Cause>,
    pub(crate) unpack: fn(&Root, &[Rect], Message) -> Result<(), Cause>,
}

/// A list of records, of a type that both sides know.
type Message = Box<dyn Any + Send>;
/// A message and its size in bytes.
type Packed = (Message, usize);

fn in_use() -> Cause {
    Cause::Error(TaskBodyError::new("elements to be sent are in use: an error of the runtime itself"))
}

impl Mover {
    fn of<R: Record, L: RecordLayout<R> + Default>() -> Self {
        Self {
            pack: |root, rects| {
                let mut records: Vec<R> = Vec::new();
                for rect in rects {
                    let hold = root.region.hold(rect, false).ok_or_else(in_use)?;
                    let (transform, shown) =
                        (Transform::of_box(root.region.extents(), rect)?, Rect::of(rect.extents()));
                    records.extend(hold.view::<R, DynRank, L>(&transform, &shown)?.to_vec());
                }
                let bytes = records.len() * size_of::<R>();
                Ok((Box::new(records), bytes))
            },
            unpack: |root, rects, message| {
                let records =
                    message.downcast::<Vec<R>>().map_err(|_| TaskBodyError::new("a message of another type"))?;
                let mut records = records.into_iter();
                for rect in rects {
                    let mut hold = root.region.hold(rect, true).ok_or_else(in_use)?;
                    let (transform, shown) =
                        (Transform::of_box(root.region.extents(), rect)?, Rect::of(rect.extents()));
                    let mut view = hold.view_mut::<R, DynRank, L>(&transform, &shown)?;
                    set_row_major::<R, DynRank, L>(&mut view, &mut records);
                }
                Ok(())
            },
        }
    }
}

impl Root {
    /// Takes note that every locale has written all elements, the same.
    pub(crate) fn written_everywhere(&self) {
        let whole = Rect::of(self.region.extents());
        self.uses.lock().note_written(&whole);
        self.note_written(&whole, 0..self.locale.count);
    }

    /// Takes note of which locales have the newest version, if there are several.
    pub(crate) fn note_written(&self, rect: &Rect, owners: impl IntoIterator<Item = usize>) {
        if self.locale.net.is_some() {
            self.versions.lock().written(rect, owners);
        }
    }

    /// A root of these extents that nobody has written.
    pub(crate) fn new<R: Record, L: RecordLayout<R> + Default>(
        locale: &Arc<Locale>,
        extents: Point,
        (ordering, target): (&DimOrdering, &StoreTarget),
        id: u64,
    ) -> Result<Arc<Self>, StoreError> {
        let fastest_first = ordering.fastest_first(extents.len())?;
        locale.wait_for_backlog()?;
        let new = || Region::new::<R, L>(extents, &fastest_first, (target, &locale.budget));
        let region = match new() {
            // Tasks that still run may give memory back.
            Err(MemoryError::Limit { .. }) if Engine::check_outside().is_ok() => {
                locale.wait_for_all()?;
                new()?
            }
            region => region?,
        };
        Ok(Self::of::<R, L>(locale, region, id))
    }

    /// A root in this memory.
    pub(crate) fn of<R: Record, L: RecordLayout<R> + Default>(
        locale: &Arc<Locale>,
        region: Region,
        id: u64,
    ) -> Arc<Self> {
        let bytes = region.main_memory();
        locale.budget.let_go(bytes);
        Arc::new(Self {
            bytes,
            handles: AtomicUsize::new(0),
            element: size_of::<R>(),
            uses: Mutex::new(Uses::new(region.extents())),
            region,
            key: Mutex::new(None),
            images: Images::default(),
            versions: Mutex::default(),
            tiles: OnceLock::new(),
            mover: Mover::of::<R, L>(),
            id,
            locale: locale.clone(),
        })
    }

    /// All elements as the tiles of one point.
    pub(crate) fn tiles(&self) -> &Arc<Tiles> {
        self.tiles.get_or_init(|| Tiles::one(Rect::of(self.region.extents())).into())
    }

    /// Counts one more handle of the program.
    pub(crate) fn take_up(&self) {
        if self.handles.fetch_add(1, Ordering::SeqCst) == 0 {
            self.locale.budget.take_up(self.bytes);
        }
    }

    /// Counts one handle of the program less: without any, the memory waits for tasks.
    pub(crate) fn let_go(&self) {
        if self.handles.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.locale.budget.let_go(self.bytes);
        }
    }

    /// The tiling by which it was last written, if that was through this view, or both views are slices that the same tiles
    /// cover.
    pub(crate) fn key_of(&self, transform: &Arc<Transform>) -> Option<Arc<Tiling>> {
        let key = self.key.lock();
        let (view, tiling) = key.as_ref()?;
        if view == transform {
            return Some(tiling.clone());
        }
        tiling.of_slice(&transform.start_in(view)?, transform.extents()).map(Arc::new)
    }

    /// Refuses what cannot be done with the memory: anything, if it is gone, and writing what is to be read only.
    pub(crate) fn check(&self, task: &str, argument: Option<usize>, write: bool) -> Result<(), StoreError> {
        if self.region.is_detached() {
            return Err(StoreError::Detached { task: task.to_owned(), argument });
        }
        if write && !self.region.is_writable() {
            return Err(StoreError::ReadOnly { task: task.to_owned(), argument });
        }
        Ok(())
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if self.handles.load(Ordering::SeqCst) == 0 {
            self.locale.budget.take_up(self.bytes);
        }
    }
}
