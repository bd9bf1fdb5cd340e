//! Loops over sparse arrays: like loops over arrays, with the indices of the elements.

use core::ops::Range;
use std::borrow::Cow;
use std::sync::Arc;

use layout_core::{Portable, Record, RecordLayout};
use layout_domain::Index;
use layout_store::{Argument, Arguments, Future, Launched, Reduction, Returned, Task, TaskBodyError};

use super::SparseArray;
use super::indices::Indices;
use crate::loops::{ReadOf, WriteOf};
use crate::{Append, ArrayError, Loop};

/// A loop over the elements of sparse arrays that share their indices. Further arrays can be zipped to it before it is launched.
///
/// [`SparseArray::read`], [`SparseArray::write`] and [`SparseArray::update`] make it. The elements of a locale are cut into parts, and one
/// task runs for each part on that locale. The task body gets a view of the elements of each array, in the layout of that array, and the
/// [`SparseChunk`] with their indices. A part has whole *rows*: all elements of a locale whose indices differ only along the last
/// dimension. Nothing is sent.
///
/// To zip a dense array, use [`SparseArray::sample`], which collects its elements at the sparse indices.
///
/// # Examples
///
/// ```
/// use layout::array::SparseArray;
/// use layout::domain::{Block, Domain, SparseDomain, Targets};
/// use layout::store::{Runtime, Sum};
///
/// let rt = Runtime::new()?;
/// let matrix = Domain::new([1..=4, 1..=9]);
/// let mut filled = SparseDomain::new(&matrix);
/// filled.insert([[4, 2], [1, 5], [1, 3]])?;
/// let a: SparseArray<i64, 2> = SparseArray::new(&rt, &filled, Block::over(&matrix, Targets::all(1)?)?, 0)?;
/// a.write().for_each(|chunk, (mut a,)| {
///     for (k, [i, j]) in chunk.indices().iter().enumerate() {
///         a.set(k, 10 * i + j);
///     }
/// })?;
/// // The product of each row, and the sum of these.
/// let sum = a.read().reduce(Sum, |chunk, (a,)| {
///     Ok(chunk.rows().map(|(_, row)| row.map(|k| a.get(k)).product::<i64>()).sum::<i64>())
/// })?;
/// assert_eq!(sum.get()?, 13 * 15 + 42);
/// # Ok::<(), layout::array::ArrayError>(())
/// ```
#[must_use = "a loop does nothing before it is launched"]
pub struct SparseLoop<A, const N: usize, I: Index = i64> {
    inner: Loop<A, 1>,
    indices: Arc<Indices<N, I>>,
}

/// The chunk of a loop over sparse arrays that a task body runs for.
#[derive(Clone)]
pub struct SparseChunk<'a, const N: usize, I: Index = i64> {
    indices: Arc<Indices<N, I>>,
    task: &'a Task,
}

impl<const N: usize, I: Index> SparseChunk<'_, N, I> {
    /// The indices of the elements that the views show, in the order of the parent: element `k` of each view has index `k` of this slice.
    #[must_use]
    pub fn indices(&self) -> &[[I; N]] {
        &self.indices.own.as_slice()[self.places()]
    }

    /// The number of the element at an index in the views, if the chunk has it.
    #[must_use]
    pub fn order(&self, index: [I; N]) -> Option<usize> {
        let (places, at) = (self.places(), self.indices.own.order(index)?);
        places.contains(&at).then(|| at - places.start)
    }

    /// The rows, in order: the indices of each row, and the numbers of its elements in the views. Rows without elements are left out.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&[[I; N]], Range<usize>)> {
        let (places, own) = (self.places(), self.indices.own.as_slice());
        let rows = self.indices.rows_in(&places);
        self.indices.rows[rows.start..=rows.end]
            .windows(2)
            .map(move |row| (&own[row[0]..row[1]], row[0] - places.start..row[1] - places.start))
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &Task {
        self.task
    }

    /// The numbers of this locale's elements that the views show.
    pub(super) fn places(&self) -> Range<usize> {
        self.indices.in_tile(&self.task.rect(0))
    }
}

/// The chunk of a task.
pub(super) fn chunk<'a, const N: usize, I: Index>(
    indices: &Arc<Indices<N, I>>,
    task: &'a Task,
) -> SparseChunk<'a, N, I> {
    SparseChunk { indices: indices.clone(), task }
}

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> SparseArray<R, N, L, I> {
    /// A loop that reads the elements.
    pub fn read(&self) -> SparseLoop<ReadOf<R, 1, L>, N, I> {
        SparseLoop { inner: self.elements.read(), indices: self.indices.clone() }
    }

    /// A loop that writes all elements, without reading old values.
    pub fn write(&self) -> SparseLoop<WriteOf<R, 1, L, false>, N, I> {
        SparseLoop { inner: self.elements.write(), indices: self.indices.clone() }
    }

    /// A loop that reads and writes the elements.
    pub fn update(&self) -> SparseLoop<WriteOf<R, 1, L, true>, N, I> {
        SparseLoop { inner: self.elements.update(), indices: self.indices.clone() }
    }
}

impl<A: Arguments, const N: usize, I: Index> SparseLoop<A, N, I> {
    /// Gives the loop a name, which shows in errors, profiles and explanations.
    pub fn named(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self { inner: self.inner.named(name), ..self }
    }

    /// Zips this loop with another array: views show the elements at the same indices. Zips take up to eight arrays.
    ///
    /// The launch is refused with [`ArrayError::OtherIndices`] if the other array does not share its indices with this one.
    pub fn zip<B>(self, other: SparseLoop<(B,), N, I>) -> SparseLoop<A::Appended, N, I>
    where
        B: Argument,
        A: Append<B>,
    {
        let refused = (!Arc::ptr_eq(&self.indices, &other.indices)).then_some(ArrayError::OtherIndices);
        SparseLoop { inner: self.inner.refused(refused).zip(other.inner), indices: self.indices }
    }

    /// Launches the loop, and returns at once. The task body gets the chunk and a tuple of views, one of each array.
    ///
    /// # Errors
    ///
    /// Returns an error if arrays do not share their indices. Errors of the task body are returned by the next fence, and by calls that
    /// wait for the elements that the loop writes.
    pub fn for_each<F, T>(self, body: F) -> Result<Launched, ArrayError>
    where
        F: for<'a> Fn(SparseChunk<'a, N, I>, A::Given<'a>) -> T + Send + Sync + 'static,
        T: Returned,
    {
        let Self { inner, indices } = self;
        inner.launched(move |task, given| body(chunk(&indices, task), given))
    }

    /// Launches the loop and returns a future: each task body returns a value, and the values are combined in the order of chunks.
    ///
    /// # Errors
    ///
    /// The errors of [`for_each`](Self::for_each). Errors of the task body are returned by the future and by the next fence.
    pub fn reduce<F, T, O>(self, op: O, body: F) -> Result<Future<T>, ArrayError>
    where
        F: for<'a> Fn(SparseChunk<'a, N, I>, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Portable + Clone + Send + Sync + 'static,
        O: Reduction<T>,
    {
        let Self { inner, indices } = self;
        inner.reduced(op, move |task, given| body(chunk(&indices, task), given))
    }

    /// Launches the loop and returns a future of the values that the task bodies return, in the order of chunks.
    ///
    /// # Errors
    ///
    /// The errors of [`reduce`](Self::reduce).
    pub fn map<F, T>(self, body: F) -> Result<Future<Vec<T>>, ArrayError>
    where
        F: for<'a> Fn(SparseChunk<'a, N, I>, A::Given<'a>) -> Result<T, TaskBodyError> + Send + Sync + 'static,
        T: Portable + Clone + Send + Sync + 'static,
    {
        let Self { inner, indices } = self;
        inner.mapped(move |task, given| body(chunk(&indices, task), given))
    }
}
