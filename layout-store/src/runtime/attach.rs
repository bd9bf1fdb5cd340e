//! Stores in memory of the program.

use std::sync::Arc;

use layout_core::{Bytes, BytesMut, Record, RecordLayout};

use super::Runtime;
use crate::error::StoreError;
use crate::geometry::{DimOrdering, IntoShape, StoreRank, Transform};
use crate::graph::Engine;
use crate::locale::{Operation, Root, Storage};
use crate::memory::{Lent, Memory, Region, Take, lend};
use crate::store::{AttachError, Attached, Store};
use crate::task::Elements;

/// A store in memory that is lent. Its drop takes the memory back, also during a panic.
struct TakenBack<R: Record, D: StoreRank, L: RecordLayout<R> + Default>(Attached<R, D, L, Lent>);

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Drop for TakenBack<R, D, L> {
    fn drop(&mut self) {
        self.0.take_back();
    }
}

impl Runtime {
    /// Creates a store in memory of the program, with its dimensions in this order; all blobs of the record layout lie one after another.
    /// The store may be written, and counts as written. With several locales, each passes memory with the same contents.
    ///
    /// The memory belongs to the store until [`Attached::detach`] gives it back. To attach a `Vec` or `Box` of structs, wrap it in
    /// [`layout_core::Structs`]; to attach a mapped file, wrap it in [`FileBytes`](crate::FileBytes).
    ///
    /// # Errors
    ///
    /// Returns an error, which holds the memory, if
    ///
    /// * the extents or the ordering are not valid;
    /// * the bytes are too few or not aligned; or
    /// * the bytes are not valid values of the types of the leaves.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::AoS;
    /// use layout::store::{DimOrdering, Runtime, Store};
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
    /// # Ok::<(), layout::store::StoreError>(())
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

    /// Creates a store in memory of the program that is only read.
    ///
    /// # Errors
    ///
    /// The errors of [`attach`](Self::attach).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::AoS;
    /// use layout::store::{DimOrdering, Runtime};
    ///
    /// static TABLE: [u8; 4] = [1, 2, 3, 4];
    /// let rt = Runtime::new()?;
    /// let table = rt.attach_read_only::<u8, AoS, _, _>([2, 2], &DimOrdering::C, &TABLE[..])?;
    /// assert_eq!(table.store().get([1, 0])?, 3);
    /// assert!(table.store().fill(1).unwrap_err().to_string().contains("to be read only"));
    /// # Ok::<(), layout::store::StoreError>(())
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

    /// Creates a store in memory of the program that is borrowed while `f` runs. The store may be written, and counts as written. With
    /// several locales, each lends memory with the same contents.
    ///
    /// The call ends when `f` has ended and all tasks that use the store are done; a panic of `f` goes on then. After that, views of the
    /// store are refused, and the memory belongs to the program again. Elements that a failed task was to write are as the task left them;
    /// the next fence returns the error.
    ///
    /// # Errors
    ///
    /// The errors of [`attach`](Self::attach). Returns an error, too, if it is called in a task body, or in the closure of `read` or
    /// `update`: tasks that use the store may wait for the end of that closure.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::AoS;
    /// use layout::blob::Structs;
    /// use layout::store::{DimOrdering, Runtime, Sum, read};
    ///
    /// let rt = Runtime::new()?;
    /// let mut values = [1.0_f64, 2.0, 3.0];
    /// let sum = rt.lend::<f64, AoS, _, _, _>(3, &DimOrdering::C, &mut Structs::new(&mut values[..]), |store| {
    ///     store.slice(0, 0, 1)?.fill(10.0)?;
    ///     rt.task("sum").args((read(store),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>()))
    /// })??;
    /// assert_eq!(values, [10.0, 2.0, 3.0]); // written, though nobody waited for the task
    /// assert_eq!(sum.get()?, 15.0);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn lend<R, L, X, B, T>(
        &self,
        extents: X,
        ordering: &DimOrdering,
        memory: &mut B,
        f: impl FnOnce(&Store<R, X::Rank, L>) -> T,
    ) -> Result<T, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
        B: BytesMut + Send,
    {
        Engine::check_outside()?;
        if self.launcher.locale.engine.is_using() {
            return Err(StoreError::WaitsForItself);
        }
        lend(memory, |lent| {
            let attached = TakenBack(self.attach::<R, L, X, _>(extents, ordering, lent)?);
            Ok(f(attached.0.store()))
        })
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
        let locale = &self.launcher.locale;
        let shape = || {
            let extents = extents.into_shape()?;
            let shape = (Transform::identity(extents)?, ordering.fastest_first(extents.len())?);
            Ok((shape, locale.create(&|store| Operation::new::<R>(store, extents, None))?))
        };
        let ((transform, fastest_first), root) = match shape() {
            Ok(shape) => shape,
            Err(error) => return Err(AttachError { memory, error }),
        };
        let region = Region::attached::<R, L, B>(transform.extents(), &fastest_first, memory, given)
            .map_err(|(memory, error)| AttachError { memory, error: error.into() })?;
        let root = Root::of::<R, L>(locale, Storage::Whole(region), transform.extents(), root);
        root.written_everywhere();
        Ok(Attached::of(Store::of(Elements::of(root, Arc::new(transform)), self.launcher.clone())))
    }
}
