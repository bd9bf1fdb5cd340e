//! Single elements, all elements, and the elements on this locale.

use layout_core::{Record, RecordLayout, check_records};
use layout_domain::{Domain, DomainError, Index, StridedRange};
use layout_store::{Dim, Reduce, Reduction, StoreError, StoreRank, Tile, TileMut, reduce};

use crate::loops::copy;
use crate::{Array, ArrayError};

/// An array that a call reads and does not write, checked by [`Array::operand`].
pub(crate) struct Operand {
    /// `true` if no launch that reads all of the array is refused because an element is unwritten.
    is_written: bool,
}

impl<R, const N: usize, L, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Checks an array that a call reads to write this one: it has no element in common with this array, and belongs to the same runtime.
    /// The task that reads the array, and the number of the argument, are for the error.
    pub(crate) fn operand<S, const M: usize, K, J: Index>(
        &self,
        (task, argument): (&str, usize),
        other: &Array<S, M, K, J>,
    ) -> Result<Operand, ArrayError>
    where
        Dim<M>: StoreRank,
    {
        if self.runtime() != other.runtime() {
            return Err(StoreError::Foreign { task: task.to_owned(), argument }.into());
        }
        if self.store.overlaps(&other.store) {
            let (written, read) = (self.domain.to_string(), other.domain.to_string());
            return Err(ArrayError::Overlap { written, read });
        }
        Ok(Operand { is_written: other.store.is_written() })
    }
}

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Waits for the element at an index and returns it on every locale; the owner sends it to the others.
    ///
    /// # Errors
    ///
    /// Returns an error if the domain does not have the index, the element is unwritten, or a task failed that was to write it.
    pub fn get(&self, index: [I; N]) -> Result<R, ArrayError> {
        let position = self.position(index)?;
        Ok(self.store.clone().into_dyn().get(position)?)
    }

    /// Writes the element at an index, on its owner; returns at once.
    ///
    /// # Errors
    ///
    /// Returns an error if the domain does not have the index, or the layout refuses the value; then nothing is written.
    pub fn put(&self, index: [I; N], value: R) -> Result<(), ArrayError> {
        self.one(index)?.fill(value)
    }

    /// Changes the element at an index by a function, which runs on the owner of the element; returns at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::{Array, ArrayError};
    /// use layout::domain::{Cyclic, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let counts = Runtime::builder().locales(3).threads(1).whole_below(0).simulate(|rt| {
    ///     let map = Cyclic::new([0], Targets::all(3)?);
    ///     let counts: Array<i64, 1> = Array::filled(rt, &Domain::from(0..=8), map, 7)?;
    ///     counts.at_owner([5], |count| count + 1)?;
    ///     rt.fence()?;
    ///     assert_eq!(rt.traffic().bytes, 0);
    ///     counts.get([5])
    /// })?;
    /// assert_eq!(counts.into_iter().collect::<Result<Vec<_>, ArrayError>>()?, [8, 8, 8]);
    /// # Ok::<(), ArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the domain does not have the index, or the element is unwritten.
    pub fn at_owner(&self, index: [I; N], f: impl Fn(R) -> R + Send + Sync + 'static) -> Result<(), ArrayError> {
        self.one(index)?.update().named("at_owner").for_each(move |_, (mut one,)| one.update(&f))?;
        Ok(())
    }

    /// The element at an index, as an array with one element.
    fn one(&self, index: [I; N]) -> Result<Self, ArrayError> {
        self.position(index)?;
        self.slice(&Domain::new(index.map(|at| StridedRange::from(at..=at))))
    }

    /// Sets all elements to a value; returns at once.
    ///
    /// # Errors
    ///
    /// Returns an error if it is called from inside a task, or if the layout refuses the value; then nothing is written.
    pub fn fill(&self, value: R) -> Result<(), ArrayError> {
        check_records::<R, L>(&[value])?;
        self.write().named("fill").for_each(move |_, (mut part,)| part.fill(value))?;
        Ok(())
    }

    /// Sets each element to the value of `f` for its index; returns at once. The owner of the element calls `f`.
    ///
    /// # Errors
    ///
    /// The errors of [`fill`](Self::fill).
    pub fn fill_from_fn(&self, f: impl Fn([I; N]) -> R + Send + Sync + 'static) -> Result<(), ArrayError> {
        self.write().named("fill_from_fn").for_each(move |chunk, (mut part,)| {
            let dims = *chunk.domain().dims();
            part.for_each_indexed_mut(|at, mut slots| {
                let at = at.as_ref();
                // A view shows as many elements as the chunk has indices.
                let index = core::array::from_fn(|dim| dims[dim].at(at[dim]).unwrap_or_default());
                f(index).store(&mut slots);
            });
        })?;
        Ok(())
    }

    /// Sets the elements to `values`, in the order of the domain. There are as many values as elements.
    pub(crate) fn put_all(&self, values: &[R]) -> Result<(), ArrayError> {
        let values: std::sync::Arc<[R]> = values.into();
        let shape = self.domain.shape();
        self.write().named("put_all").for_each(move |chunk, (mut part,)| {
            let (lo, steps) = (chunk.task().rect(0).lo(), chunk.task().rect(0).steps());
            part.for_each_indexed_mut(|at, mut slots| {
                let along = at.as_ref().iter().zip(lo.iter().zip(steps.iter()).zip(shape));
                let place = along.fold(0, |place, (at, ((lo, step), side))| {
                    let at = usize::try_from(*lo).unwrap_or(0) + at * usize::try_from(*step).unwrap_or(1);
                    place * side + at
                });
                values[place].store(&mut slots);
            });
        })?;
        Ok(())
    }

    /// Copies the elements of another array of the same shape, position by position; returns at once. The indices, distributions and
    /// layouts of the two arrays may differ.
    ///
    /// Only elements that change their locale are sent: up to 16 KiB from one locale to another in one message, and more in one message for
    /// each pair of a tile here and a tile there that have elements in common, where these are large. A tile is one box of a locale, or a
    /// part of one for a thread. The other array must not show elements of this one.
    ///
    /// # Errors
    ///
    /// Returns an error if shapes differ, the arrays have elements in common, or elements of `other` are unwritten.
    pub fn assign<K, J>(&self, other: &Array<R, N, K, J>) -> Result<(), ArrayError>
    where
        K: RecordLayout<R> + Default,
        J: Index,
    {
        self.domain.same_shape(&other.domain)?;
        if self.domain.is_empty() {
            return Ok(());
        }
        copy((&self.store, &self.tiles), &other.store)
    }

    /// Calls `f`, which reads the operands and writes this array by several launches, with the array to write. A launch after the first one
    /// may be refused inside [`Runtime::local`](layout_store::Runtime::local), and where elements of an operand are unwritten. Then `f` writes
    /// another array, as [`aside`](Self::aside) does: so an element of this array changes only if nothing is refused. A launch that needs
    /// more memory than a limit allows is refused later: a second array would need yet more.
    pub(crate) fn as_a_whole<const K: usize>(
        &self,
        operands: [Operand; K],
        f: impl FnOnce(&Self) -> Result<(), ArrayError>,
    ) -> Result<(), ArrayError> {
        if operands.iter().all(|operand| operand.is_written) && !self.runtime().is_local() {
            return f(self);
        }
        self.aside(f)
    }

    /// Makes an argument to whose elements a task contributes by `op`. Contributions are combined on the owners of the elements, whichever
    /// launch wrote the elements before.
    pub(crate) fn reduced<O: Reduction<R>>(&self, op: O) -> Reduce<R, Dim<N>, L, O> {
        let argument = reduce(&self.store, op);
        match &self.tiles {
            Some(tiles) => argument.owned_by(tiles),
            None => argument,
        }
    }

    /// Exchanges the elements of two arrays of the same shape.
    ///
    /// Two whole arrays exchange their memory, and nothing is copied if they have the same tiles; otherwise both get new memory, to which
    /// the elements are copied. Clones and views that were made of either array before still show the elements that they showed;
    /// they may share memory with the other array now, so neither write through them nor swap them: after a swap of such a clone with one of
    /// the two arrays, both arrays may be in one memory.
    ///
    /// If one of the arrays is a part of another one ([`slice`](Self::slice), [`pick`](Self::pick), a
    /// [replica](crate::Replicas::replica), the inside of a [`HaloArray`](crate::HaloArray)), all elements are copied, through memory for the
    /// elements of one array: afterwards, the arrays that the parts belong to show the exchanged elements. A slice of all elements is a part,
    /// too.
    ///
    /// # Errors
    ///
    /// Returns an error if shapes differ, elements that are copied are unwritten, or parts have elements in common.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(0..=3);
    /// let map = Block::over(&line, Targets::all(1)?)?;
    /// let mut now: Array<i64, 1> = Array::filled(&rt, &line, map.clone(), 1)?;
    /// let mut next: Array<i64, 1> = Array::filled(&rt, &line, map, 2)?;
    /// now.swap(&mut next)?;
    /// assert_eq!((now.get([0])?, next.get([0])?), (2, 1));
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn swap(&mut self, other: &mut Self) -> Result<(), ArrayError> {
        self.domain.same_shape(&other.domain)?;
        // On one locale the tiles of different distributions may be equal: what other handles show does not depend on tiles.
        if self.is_whole() && other.is_whole() {
            if self.tiles == other.tiles {
                core::mem::swap(&mut self.store, &mut other.store);
                return Ok(());
            }
            let (theirs, own) = (other.like(&other.domain)?, self.like(&self.domain)?);
            theirs.assign(self)?;
            own.assign(other)?;
            (self.store, other.store) = (own.store, theirs.store);
            return Ok(());
        }
        // In this order, whatever may be refused is refused before an element is written: the last assignment sends nothing.
        let aside = other.like(&other.domain)?;
        aside.assign(self)?;
        self.assign(other)?;
        other.assign(&aside)
    }

    /// Returns `true` if the array is no part of another one and shows the elements in their order.
    fn is_whole(&self) -> bool {
        !self.part && !self.store.is_transformed()
    }

    /// Replaces the domain and keeps the distribution. Elements whose indices are in both domains keep their values and their locales:
    /// nothing is sent. All other elements are unwritten. Views that were made before show the old elements.
    ///
    /// The elements of both domains are in memory until the copy is done.
    ///
    /// # Errors
    ///
    /// Returns an error if there is not enough memory, or elements in both domains are unwritten;
    /// [`DomainError::OwnedByNobody`](layout_domain::DomainError::OwnedByNobody) if the distribution has no owner for a new index, as that of
    /// a view by [`reindex`](Self::reindex) or [`pick`](Self::pick) has none.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(1..=4);
    /// let mut a: Array<i64, 1> = Array::from_fn(&rt, &line, Block::over(&line, Targets::all(1)?)?, |[i]| i)?;
    /// a.resize(&Domain::from(3..=6))?;
    /// a.slice(&Domain::from(5..=6))?.fill(0)?;
    /// assert_eq!(a.to_vec()?, [3, 4, 0, 0]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn resize(&mut self, domain: &Domain<N, I>) -> Result<(), ArrayError> {
        let resized = self.like(domain)?;
        let common = domain.intersect(&self.domain);
        resized.slice(&common)?.assign(&self.slice(&common)?)?;
        *self = resized;
        Ok(())
    }

    /// Replaces the distribution and keeps the domain. Elements keep their values; those that change their owner are sent once. Views that
    /// were made before show the old elements.
    ///
    /// A large array is moved in chunks, and the call waits for each chunk. Each locale needs memory for its elements before and after the
    /// call, for one chunk, and for one window of messages, of 1 MiB. A chunk is a sixteenth of the array, or 256 KiB if that is more.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new). Returns an error, too, if elements are unwritten.
    pub fn redistribute(
        &mut self,
        map: impl layout_domain::DomainMap<N, I> + Send + Sync + 'static,
    ) -> Result<(), ArrayError> {
        // The elements of a chunk have at most three copies besides the old and the new array: to be sent, set aside, and received.
        const COPIES: usize = 3;
        const PIECES: usize = 16 * COPIES;
        const LEAST: usize = (1 << 18) / COPIES;
        let moved = Self::new(&self.runtime(), &self.domain, map)?;
        let pieces = pieces(&self.domain, PIECES, LEAST / size_of::<R>().max(1))?;
        if pieces.len() < 2 {
            moved.assign(self)?;
        } else {
            for piece in pieces {
                let part = self.domain.undensify(&piece)?;
                // Elements that others read stay in their memory as long as the store does; so a store of its own holds each chunk until it
                // is sent.
                let (aside, to) = (self.like(&part)?, moved.slice(&part)?);
                aside.assign(&self.slice(&part)?)?;
                to.assign(&aside)?;
                drop(aside);
                // This only waits: a locale whose part has failed reports the error to readers of the elements.
                let _ = to.read_local(|_| ());
            }
        }
        *self = moved;
        Ok(())
    }

    /// Waits for the elements and returns all of them, in the order of the domain, on every locale.
    ///
    /// # Errors
    ///
    /// Returns an error if elements are unwritten, or a task failed that was to write some of them.
    pub fn to_vec(&self) -> Result<Vec<R>, ArrayError> {
        Ok(self.store.to_vec()?)
    }

    /// Waits for the elements and returns all of them with their indices, in the order of the domain, on one locale; `None` on all others.
    /// Only this locale needs memory for them.
    ///
    /// # Errors
    ///
    /// The errors of [`to_vec`](Self::to_vec). Returns an error, too, if there is no such locale.
    #[expect(clippy::type_complexity, reason = "a list of pairs, on one locale")]
    pub fn gather(&self, locale: usize) -> Result<Option<Vec<([I; N], R)>>, ArrayError> {
        let values = self.store.gather(locale)?;
        Ok(values.map(|values| self.domain.iter().zip(values).collect()))
    }

    /// Waits for the elements of this locale and shows them to a closure as a list of parts: each is a part of the domain, and a view of
    /// its elements, whose indices start at zero.
    ///
    /// # Errors
    ///
    /// The errors of [`to_vec`](Self::to_vec).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::{Array, ArrayError};
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let seen = Runtime::builder().locales(2).threads(1).whole_below(0).simulate(|rt| {
    ///     let line = Domain::from(1..=5);
    ///     let a: Array<i64, 1> = Array::from_fn(rt, &line, Block::over(&line, Targets::all(2)?)?, |[i]| 10 * i)?;
    ///     a.read_local(|parts| parts.iter().map(|(part, view)| (*part, view.to_vec())).collect::<Vec<_>>())
    /// })?;
    /// let seen = seen.into_iter().collect::<Result<Vec<_>, ArrayError>>()?;
    /// assert_eq!(seen, [[(Domain::from(1..=3), vec![10, 20, 30])], [(Domain::from(4..=5), vec![40, 50])]]);
    /// # Ok::<(), ArrayError>(())
    /// ```
    pub fn read_local<T>(
        &self,
        f: impl FnOnce(Vec<(Domain<N, I>, Tile<'_, R, Dim<N>, L>)>) -> T,
    ) -> Result<T, ArrayError> {
        let Some(tiles) = &self.tiles else { return Ok(f(Vec::new())) };
        let parts = self
            .store
            .partition_by(tiles)?
            .read_local(|parts| f(parts.into_iter().map(|(rect, view)| (self.indices(&rect), view)).collect()));
        Ok(parts?)
    }

    /// Waits until no task uses the elements of this locale, and gives them to a closure to read and write, in the form of
    /// [`read_local`](Self::read_local).
    ///
    /// # Errors
    ///
    /// The errors of [`to_vec`](Self::to_vec).
    pub fn update_local<T>(
        &self,
        f: impl FnOnce(Vec<(Domain<N, I>, TileMut<'_, R, Dim<N>, L>)>) -> T,
    ) -> Result<T, ArrayError> {
        let Some(tiles) = &self.tiles else { return Ok(f(Vec::new())) };
        let parts = self
            .store
            .partition_by(tiles)?
            .update_local(|parts| f(parts.into_iter().map(|(rect, view)| (self.indices(&rect), view)).collect()));
        Ok(parts?)
    }
}

/// The positions of a domain in at least so many pieces of about equal size, or in fewer pieces of at least `least` positions.
fn pieces<const N: usize, I: Index>(
    domain: &Domain<N, I>,
    count: usize,
    least: usize,
) -> Result<Vec<Domain<N, u64>>, DomainError> {
    let most = domain.len().div_ceil(count).max(1);
    let mut pieces: Vec<_> = domain.chunks(1, 1).collect();
    loop {
        // A cut is along one dimension. Pieces that are still too large are cut along another one.
        let parts = |piece: &Domain<N, u64>| {
            let parts = piece.chunks(piece.len().div_ceil(most), least);
            parts.map(|part| piece.undensify(&part)).collect::<Vec<_>>()
        };
        let cut = pieces.iter().flat_map(parts).collect::<Result<Vec<_>, _>>()?;
        if cut.len() == pieces.len() {
            return Ok(cut);
        }
        pieces = cut;
    }
}
