//! Stores in memory of the program, and stores that move to other memory.

use core::error::Error;
use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use layout_core::{Bytes, BytesMut, Record, RecordLayout};

use super::Store;
use crate::error::StoreError;
use crate::geometry::{DimOrdering, IntoShape, StoreRank, Transform};
use crate::memory::{Memory, Region, StoreTarget, Take};
use crate::root::Root;
use crate::runtime::Runtime;

/// A store in memory that the program gave; see [`Runtime::attach`].
pub struct Attached<R, D, L, B> {
    store: Store<R, D, L>,
    memory: PhantomData<fn() -> B>,
}

/// Memory that does not fit a store, given back, and why not.
pub struct AttachError<B> {
    /// The memory.
    pub memory: B,
    /// Why it does not fit.
    pub error: StoreError,
}

impl Runtime {
    /// A store in memory of the program, with its dimensions in this order; all blobs of the record layout lie one after
    /// another. It may be written, and counts as written. With several locales each gives memory with the same contents.
    ///
    /// The memory belongs to the store until [`Attached::detach`] gives it back.
    ///
    /// # Errors
    ///
    /// Where extents or ordering are none, or the bytes are too few, not aligned, or no values of their leaves' types. The
    /// error has the memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::AoS;
    /// use layout_store::{DimOrdering, Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let columns: Vec<u8> = vec![1, 2, 3, 4, 5, 6];
    /// let attached = rt.attach::<u8, AoS, _, _>([3, 2], &DimOrdering::Fortran, columns)?;
    /// assert_eq!(attached.store().to_vec()?, [1, 4, 2, 5, 3, 6]);
    /// attached.store().project(0, 1)?.fill(0)?;
    /// assert_eq!(attached.detach()?, [1, 0, 3, 4, 0, 6]);
    /// assert!(attached.store().fill(1).unwrap_err().to_string().contains("has been detached"));
    ///
    /// let short = rt.attach::<u32, AoS, _, _>(100, &DimOrdering::C, vec![0; 10]).unwrap_err();
    /// assert_eq!(short.memory.len(), 10);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn attach<R, L, X, B>(
        &self,
        extents: X,
        ordering: &DimOrdering,
        memory: B,
    ) -> Result<Attached<R, X::Rank, L, B>, AttachError<B>>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
        B: BytesMut + Send + 'static,
    {
        self.attached(extents, ordering, memory, Some(Memory::given_mut))
    }

    /// A store in memory of the program that is only read.
    ///
    /// # Errors
    ///
    /// As [`attach`](Self::attach).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::AoS;
    /// use layout_store::{DimOrdering, Runtime};
    ///
    /// static TABLE: [u8; 4] = [1, 2, 3, 4];
    /// let rt = Runtime::new()?;
    /// let table = rt.attach_read_only::<u8, AoS, _, _>([2, 2], &DimOrdering::C, &TABLE[..])?;
    /// assert_eq!(table.store().get([1, 0])?, 3);
    /// assert!(table.store().fill(1).unwrap_err().to_string().contains("to be read only"));
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn attach_read_only<R, L, X, B>(
        &self,
        extents: X,
        ordering: &DimOrdering,
        memory: B,
    ) -> Result<Attached<R, X::Rank, L, B>, AttachError<B>>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
        B: Bytes + Send + 'static,
    {
        self.attached(extents, ordering, memory, None)
    }

    fn attached<R, L, X, B>(
        &self,
        extents: X,
        ordering: &DimOrdering,
        memory: B,
        given: Option<Take<B>>,
    ) -> Result<Attached<R, X::Rank, L, B>, AttachError<B>>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
        B: Bytes + Send + 'static,
    {
        let shape = || {
            let extents = extents.into_shape()?;
            Ok((Transform::identity(extents)?, ordering.fastest_first(extents.len())?))
        };
        let (transform, fastest_first) = match shape() {
            Ok(shape) => shape,
            Err(error) => return Err(AttachError { memory, error }),
        };
        let region = Region::attached::<R, L, B>(transform.extents(), &fastest_first, memory, given)
            .map_err(|(memory, error)| AttachError { memory, error: error.into() })?;
        let root = Root::of::<R, L>(&self.inner, region, self.inner.next_root());
        root.written_everywhere();
        Ok(Attached { store: Store::of(root, Arc::new(transform)), memory: PhantomData })
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, B: 'static> Attached<R, D, L, B> {
    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store<R, D, L> {
        &self.store
    }

    /// Waits until nobody uses the store, and gives the memory back. Views of the store are refused from then on.
    ///
    /// What a failed task was to write is in there as the task left it; the next fence tells of the failure.
    ///
    /// # Errors
    ///
    /// Where it was detached before, or from inside a task; with several locales, where a task failed that was to write it.
    pub fn detach(&self) -> Result<B, StoreError> {
        let several = self.store.root.runtime.net.is_some();
        let access = self.store.access("detach", (several, true))?;
        let memory = self.store.root.region.detach().and_then(|memory| memory.downcast::<B>().ok());
        drop(access);
        memory.map(|memory| *memory).ok_or(StoreError::Detached { task: "detach".to_owned(), argument: None })
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Waits for the elements of the store underneath, and moves all of them to other memory: to a file, so that main
    /// memory is free, or back.
    ///
    /// # Errors
    ///
    /// Where the memory was given by the program, there is none for the target, some elements were never written, or a
    /// task failed that was to write some.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, StoreTarget};
    ///
    /// let rt = Runtime::builder().memory_limit(1000 * 8).build()?;
    /// let first: Store<f64, _> = rt.create_from_fn(1000, |at| at[0] as f64)?;
    /// assert!(rt.create::<f64, layout::SoA, _>(1000).is_err());
    /// first.offload_to(&StoreTarget::File(std::env::temp_dir()))?;
    /// let second: Store<f64, _> = rt.create(1000)?;
    /// second.copy_from(&first)?;
    /// assert_eq!(second.get([999])?, 999.0);
    /// assert!(first.offload_to(&StoreTarget::Main).is_err()); // memory is full
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn offload_to(&self, target: &StoreTarget) -> Result<(), StoreError> {
        let extents = self.root.region.extents();
        let root: Store<R, crate::geometry::DynRank, L> =
            Store::of(self.root.clone(), Arc::new(Transform::identity(extents)?));
        let access = root.access("offload_to", (true, true))?;
        let moved = self.root.region.relocate(target, &self.root.runtime.budget);
        drop(access);
        Ok(moved?)
    }
}

impl<R, D, L, B> fmt::Debug for Attached<R, D, L, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in {}", self.store, core::any::type_name::<B>())
    }
}

impl<B> fmt::Display for AttachError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl<B> fmt::Debug for AttachError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl<B> Error for AttachError<B> {}

/// Drops the memory.
impl<B> From<AttachError<B>> for StoreError {
    fn from(error: AttachError<B>) -> Self {
        error.error
    }
}
