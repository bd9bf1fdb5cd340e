//! The runtime: where stores are created and tasks are launched.

use std::sync::Arc;
use std::thread::available_parallelism;

use layout_core::{Record, RecordLayout};
use parking_lot::Mutex;

use crate::error::StoreError;
use crate::fault::TaskError;
use crate::graph::Engine;
use crate::ordering::DimOrdering;
use crate::point::Point;
use crate::rank::IntoShape;
use crate::rect::Rect;
use crate::root::Root;
use crate::store::Store;
use crate::task::TaskBuilder;
use crate::transform::Transform;

/// Stores with fewer elements than this are not cut, unless [`Builder::min_chunk`] says otherwise.
const MIN_CHUNK: i64 = 4096;

/// Where stores are created, and tasks launched.
///
/// Launches return at once. Their effects are those of running one after another in the order in which they were launched;
/// tasks that use no common element overlap in time. Dropping the runtime waits for what was launched.
///
/// # Examples
///
/// ```
/// use layout_store::{Runtime, Store, read, write};
///
/// let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build()?;
/// let x: Store<f64, _> = rt.create_from_fn(100, |index| index[0] as f64)?;
/// let y: Store<f64, _> = rt.create(100)?;
/// rt.task("double")
///     .args((read(&x), write(&y)))
///     .align_all()
///     .launch(|_, (x, mut y)| y.copy_from(&x).map(|()| y.update(|value| 2.0 * value)).map_err(Into::into))?;
/// assert_eq!(y.get([99])?, 198.0);
/// # Ok::<(), layout_store::StoreError>(())
/// ```
pub struct Runtime {
    pub(crate) inner: Arc<Inner>,
}

/// What stores and tasks know of their runtime.
pub(crate) struct Inner {
    pub(crate) engine: Arc<Engine>,
    /// The number of tiles that a store is cut into.
    pub(crate) pieces: i64,
    pub(crate) min_chunk: i64,
    /// The number of the next launch. Held while a launch is put into the graph, so that launches have one order.
    pub(crate) program: Mutex<u64>,
}

/// How a runtime is to be; see [`Runtime::builder`].
#[derive(Clone, Debug)]
pub struct Builder {
    threads: Option<usize>,
    pieces: Option<usize>,
    min_chunk: i64,
}

impl Builder {
    /// The number of threads that run tasks; by default as many as there are processors.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// The number of tiles that stores are cut into; by default as many as there are threads. Results may depend on it
    /// where rounding does, and on nothing else.
    #[must_use]
    pub fn pieces(mut self, pieces: usize) -> Self {
        self.pieces = Some(pieces);
        self
    }

    /// How many elements the largest argument of a task must have for the task to be cut; by default 4096.
    #[must_use]
    pub fn min_chunk(mut self, elements: i64) -> Self {
        self.min_chunk = elements;
        self
    }

    /// The runtime.
    ///
    /// # Errors
    ///
    /// Where a number is zero, or the threads cannot be started.
    pub fn build(self) -> Result<Runtime, StoreError> {
        let threads = self.threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        let pieces = self.pieces.unwrap_or(threads);
        for (what, given) in [("threads", threads), ("pieces", pieces)] {
            if given == 0 {
                return Err(StoreError::Count { what, given });
            }
        }
        Ok(Runtime {
            inner: Arc::new(Inner {
                engine: Engine::new(threads, 0)?,
                pieces: i64::try_from(pieces).unwrap_or(i64::MAX),
                min_chunk: self.min_chunk,
                program: Mutex::new(0),
            }),
        })
    }
}

impl Runtime {
    /// A runtime with a thread for each processor.
    ///
    /// # Errors
    ///
    /// Where the threads cannot be started.
    pub fn new() -> Result<Self, StoreError> {
        Self::builder().build()
    }

    /// A runtime with settings of one's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::Runtime;
    ///
    /// assert!(Runtime::builder().threads(2).pieces(8).build().is_ok());
    /// assert_eq!(Runtime::builder().threads(0).build().err().unwrap().to_string(), "0 threads; allowed are 1 or more");
    /// ```
    #[must_use]
    pub fn builder() -> Builder {
        Builder { threads: None, pieces: None, min_chunk: MIN_CHUNK }
    }

    /// A store of these extents, the last dimension fastest in memory. Nobody may read it before it was written.
    ///
    /// # Errors
    ///
    /// Where extents are negative or too large, or there is no memory, or zero is no value of a leaf.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{AoS, SoA};
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid = rt.create::<[f32; 3], AoS, _>([30, 40])?;
    /// let line: Store<f64, _> = rt.create(1000)?; // SoA, unless said otherwise
    /// assert_eq!((grid.volume(), line.volume()), (1200, 1000));
    /// assert!(line.to_vec().unwrap_err().to_string().contains("nobody wrote yet"));
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn create<R, L, X>(&self, extents: X) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        self.create_ordered(extents, &DimOrdering::C)
    }

    /// A store with its dimensions in another order in memory.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), and where the order does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{DimOrdering, Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let columns: Store<f64, _> = rt.create_ordered([30, 40], &DimOrdering::Fortran)?;
    /// columns.fill(1.0)?;
    /// assert_eq!(columns.read(|view| view.mapping().place_of([3, 0], 0).offset)?, 24);
    /// # use layout_core::Mapping;
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn create_ordered<R, L, X>(
        &self,
        extents: X,
        ordering: &DimOrdering,
    ) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let extents = extents.into_shape()?;
        let transform = Transform::identity(extents)?;
        Ok(Store::of(Root::new::<R, L>(&self.inner, extents, ordering)?, Arc::new(transform)))
    }

    /// A store with the element at each index that `f` gives for it.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn create_from_fn<R, L, X>(
        &self,
        extents: X,
        mut f: impl FnMut(Point) -> R,
    ) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let store = self.create(extents)?;
        let mut points = Rect::of(store.extents()).points();
        store.write_new(|| points.next().map(&mut f))?;
        Ok(store)
    }

    /// A store with these elements, last dimension fastest.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), and where there are fewer or more records than elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i32, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(store.get([1, 0])?, 3);
    /// let scalar: Store<i32, _> = rt.create_from([], &[7])?;
    /// assert_eq!(scalar.get([])?, 7);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn create_from<R, L, X>(&self, extents: X, records: &[R]) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let store = self.create(extents)?;
        let needed = usize::try_from(store.volume()).unwrap_or(usize::MAX);
        if records.len() != needed {
            return Err(StoreError::Records { given: records.len(), needed, extents: store.extents() });
        }
        let mut records = records.iter().copied();
        store.write_new(|| records.next())?;
        Ok(store)
    }

    /// A task, to be given arguments and launched.
    ///
    /// The name shows in errors.
    pub fn task(&self, name: impl Into<std::borrow::Cow<'static, str>>) -> TaskBuilder<'_, ()> {
        TaskBuilder::new(&self.inner, name.into())
    }

    /// Waits until everything that was launched is done.
    ///
    /// # Errors
    ///
    /// The first error of a task since the last fence: the first in the order of launches and points, not of time.
    pub fn fence(&self) -> Result<(), TaskError> {
        self.inner.engine.wait_for_all();
        self.inner.engine.take_fault().map_or(Ok(()), Err)
    }

    /// The number of tiles that a store is cut into.
    #[must_use]
    pub fn pieces(&self) -> usize {
        usize::try_from(self.inner.pieces).unwrap_or(usize::MAX)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.inner.engine.wait_for_all();
    }
}
