//! The elements of a store, from the program: these calls wait.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::Store;
use crate::error::StoreError;
use crate::geometry::{Coordinates, DimOrdering, IndexError, Point, Rect, StoreRank, Transform, point_of};
use crate::graph::{Body, Cause, Edge, Engine, Node, Tiles};
use crate::locale::transfers;
use crate::memory::{StoreTarget, Tile, TileMut, set_row_major};
use crate::root::Root;
use crate::runtime::Inner;
use crate::task::{Claim, enlist};

/// A node that does nothing: others wait for it, or it for others.
struct Gate;

impl Body for Gate {
    fn run(&self, _: usize) -> Result<(), Cause> {
        Ok(())
    }

    fn label(&self, _: usize) -> (String, Point) {
        ("access of the program".to_owned(), Point::EMPTY)
    }
}

/// The time in which the program itself uses elements: later tasks wait for its end.
pub(super) struct Access<'r> {
    runtime: &'r Arc<Inner>,
    end: Arc<Node>,
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        self.runtime.engine.end_use();
        self.runtime.engine.start(&self.end);
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// A new store that nobody has written, with a root of this number.
    pub(crate) fn new_in(runtime: &Arc<Inner>, extents: Point, root: u64) -> Result<Self, StoreError> {
        let transform = Transform::identity(extents)?;
        Ok(Self::of(
            Root::new::<R, L>(runtime, extents, (&DimOrdering::C, &StoreTarget::Main), root)?,
            Arc::new(transform),
        ))
    }

    /// Writes all elements of a store that is new, and so in nobody's use, row by row.
    pub(crate) fn write_new(&self, records: impl Iterator<Item = R>) -> Result<(), StoreError> {
        let rect = Rect::of(self.extents());
        let mut hold = self.hold(&rect, true).map_err(|_| StoreError::Nested)?;
        let mut view = hold.view_mut::<R, D, L>(&self.transform, &rect)?;
        set_row_major::<R, D, L>(&mut view, records);
        drop(hold);
        self.root.written_everywhere();
        Ok(())
    }

    /// Writes boxes of elements, row by row, that are all of a store that is new, and so in nobody's use.
    pub(crate) fn write_parts<'r>(&self, parts: impl Iterator<Item = (&'r Rect, Vec<R>)>) -> Result<(), StoreError> {
        for (rect, elements) in parts {
            let mut hold = self.hold(rect, true).map_err(|_| StoreError::Nested)?;
            let mut view = hold.view_mut::<R, D, L>(&self.transform, rect)?;
            set_row_major::<R, D, L>(&mut view, elements);
        }
        self.root.written_everywhere();
        Ok(())
    }

    /// Waits until the elements can be used by a call of the program, and keeps later tasks from them.
    pub(super) fn access(&self, call: &str, (read, write): (bool, bool)) -> Result<Access<'_>, StoreError> {
        Engine::check_outside()?;
        let runtime = &self.root.runtime;
        let rect = self.root.region.reach(&self.transform.root_rect(&Rect::of(self.extents())));
        let mut program = runtime.program.lock();
        self.root.check(call, None, false)?;
        if read && let Some(rect) = self.root.uses.lock().unwritten(&rect) {
            return Err(StoreError::Uninitialised { task: call.to_owned(), argument: None, rect });
        }
        let order = program.next(runtime, ("access", self.root.id, rect, write));
        runtime.engine.admit(2);
        // Every locale sees all of it.
        let mut sent = Vec::new();
        if read && runtime.net.is_some() {
            let tiles: Tiles = (0..runtime.locales).map(|_| rect).collect();
            let claim = Claim::new(&self.root, tiles, (read, false));
            transfers(runtime, order, &[claim], &|locale| locale, (&mut 2, &mut sent));
        }
        if write {
            self.root.images.forget();
            self.root.note_written(&rect, 0..runtime.locales);
        }
        let (start, end) = (Node::new(order, 0, Arc::new(Gate)), Node::new(order, 1, Arc::new(Gate)));
        let tiles = Arc::new(Tiles::one(rect));
        self.root.uses.lock().order(&tiles, (read, write), core::slice::from_ref(&start));
        end.after(&start, Edge::Data);
        let claim = Claim::new(&self.root, tiles, (read, write));
        // All that the end would wait for, the start waits for.
        enlist(&[claim], &[end.clone()].into());
        drop(program);
        let access = Access { runtime, end };
        runtime.engine.start_all(&sent);
        runtime.engine.start(&start);
        let waited = runtime.wait_for(&start);
        runtime.engine.begin_use();
        waited.map(|()| access)
    }

    /// Waits for the elements, and shows them to a closure.
    ///
    /// # Errors
    ///
    /// Where elements were never written, or a task failed that was to write some.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<f64, _> = rt.create_from_fn([2, 3], |index| index[1] as f64)?;
    /// assert_eq!(store.read(|view| view.get([1, 2]))?, 2.0);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn read<T>(&self, f: impl FnOnce(Tile<'_, R, D, L>) -> T) -> Result<T, StoreError> {
        self.read_by("read", f)
    }

    fn read_by<T>(&self, call: &str, f: impl FnOnce(Tile<'_, R, D, L>) -> T) -> Result<T, StoreError> {
        let rect = Rect::of(self.extents());
        let access = self.access(call, (true, false))?;
        let result = {
            let hold = self.hold(&rect, false).map_err(|_| StoreError::Nested)?;
            f(hold.view::<R, D, L>(&self.transform, &rect)?)
        };
        drop(access);
        Ok(result)
    }

    /// Waits until nobody uses the elements, and gives them to a closure to read and write.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), and where several indices are one element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from_fn(3, |index| index[0])?;
    /// store.update(|mut view| view.set(1, 10))?;
    /// assert_eq!(store.to_vec()?, [0, 10, 2]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn update<T>(&self, f: impl FnOnce(TileMut<'_, R, D, L>) -> T) -> Result<T, StoreError> {
        let rect = Rect::of(self.extents());
        self.root.check("update", None, true)?;
        let access = self.access("update", (true, true))?;
        let result = {
            let mut hold = self.hold(&rect, true).map_err(|_| StoreError::Nested)?;
            f(hold.view_mut::<R, D, L>(&self.transform, &rect)?)
        };
        drop(access);
        Ok(result)
    }

    /// Waits for the elements in each of some boxes of indices, to find an image, and calls `f` for each.
    pub(crate) fn read_parts<T>(
        &self,
        rects: &[Rect],
        mut f: impl FnMut(Tile<'_, R, D, L>) -> T,
    ) -> Result<Vec<T>, StoreError> {
        let access = self.access("image", (true, false))?;
        let mut results = Vec::with_capacity(rects.len());
        for rect in rects {
            let hold = self.hold(rect, false).map_err(|_| StoreError::Nested)?;
            results.push(f(hold.view::<R, D, L>(&self.transform, rect)?));
        }
        drop(access);
        Ok(results)
    }

    /// Waits for the elements, and gives all, last dimension fastest.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn to_vec(&self) -> Result<Vec<R>, StoreError> {
        self.read_by("to_vec", |view| view.to_vec())
    }

    /// Waits for the element at an index, and gives it.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), and where there is no such index.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(store.get([1, 0])?, 3);
    /// let error = store.get([2, 0]).unwrap_err().to_string();
    /// assert_eq!(error, "index [2, 0] is out of range for a store of extents [2, 2]");
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn get(&self, index: impl Coordinates<D, i64>) -> Result<R, StoreError> {
        let index = point_of(index.entries())?;
        if index.len() != self.rank() {
            return Err(StoreError::IndexRank { given: index.len(), expected: self.rank() });
        }
        if !Rect::of(self.extents()).contains(&index) {
            return Err(IndexError { index, extents: self.extents() }.into());
        }
        let at = self.transform.element(&index);
        let element: Store<R, layout_core::Dim<0>, L> = Store::of(self.root.clone(), Arc::new(at));
        element.read_by("get", |view| view.load([]))
    }
}
