//! Arrays: a domain, a distribution of its indices, and a store of the elements.

use core::fmt;
use std::sync::Arc;

use layout_core::{Codec, Record, RecordLayout, check_records};
use layout_domain::{Domain, DomainMap, DomainView, Index, Pick};
use layout_mappings::SoA;
use layout_store::{Dim, DynRank, Point, Rect, Runtime, Store, StoreRank, Tiling};

use crate::ArrayError;
use crate::positions::{self, SharedMap, ShownMap};

/// An array of records `R` over a domain of `N` dimensions. A distribution says on which locale each element lies.
///
/// An `Array` is a handle, as a [`Store`] is: clones, slices and other views show the same elements. An element never leaves its owner,
/// whichever loop wrote it last.
///
/// Elements that [share bytes](Store::shares_bytes), as in bit-packed layouts, are an exception: the first locale has all of them and runs
/// each loop that writes some, as one chunk with all indices of the loop. It then has the elements of all arrays that the loop writes. Other
/// locales receive the elements that they read.
///
/// | To | Methods |
/// |---|---|
/// | create | [`new`](Self::new), [`filled`](Self::filled), [`from_fn`](Self::from_fn), [`from_values`](Self::from_values) |
/// | ask | [`domain`](Self::domain), [`map`](Self::map), [`owner`](Self::owner), [`local`](Self::local) |
/// | see it otherwise | [`slice`](Self::slice), [`reindex`](Self::reindex), [`pick`](Self::pick) |
/// | reach one element | [`get`](Self::get), [`put`](Self::put), [`at_owner`](Self::at_owner) |
/// | loop | [`read`](Self::read), [`write`](Self::write), [`update`](Self::update), and [`Loop`](crate::Loop) |
/// | assign | [`fill`](Self::fill), [`assign`](Self::assign), [`swap`](Self::swap) |
/// | compute all elements | [`map_from`](Self::map_from), [`zip_map_from`](Self::zip_map_from), [`scan_from`](Self::scan_from), `bincount_from` |
/// | compute one value | [`reduce`](Self::reduce), [`sum`](Self::sum), [`dot`](Self::dot) |
/// | move all elements | [`transpose`](Self::transpose), [`shift_from`](Self::shift_from), [`rotate_from`](Self::rotate_from), `sort_by`, `sort_by_key` |
/// | multiply | `matmul_from`, `matvec_from` |
/// | change | [`resize`](Self::resize), [`redistribute`](Self::redistribute) |
/// | wait for elements | [`to_vec`](Self::to_vec), [`read_local`](Self::read_local), [`update_local`](Self::update_local) |
///
/// With several locales, all of them make each of these calls, as [`Builder::simulate`](layout_store::Builder::simulate) says. Questions
/// about domains and owners are arithmetic: a locale can ask them alone.
///
/// # Examples
///
/// ```
/// use layout::array::{Array, ArrayError};
/// use layout::domain::{Block, Cyclic, Domain, Targets};
/// use layout::store::Runtime;
///
/// let sums = Runtime::builder().locales(2).threads(1).simulate(|rt| {
///     let grid = Domain::new([1..=4, 1..=6]);
///     let blocks = Block::over(&grid, Targets::all(2)?)?;
///     let a: Array<f64, 2> = Array::from_fn(rt, &grid, blocks, |[i, j]| (10 * i + j) as f64)?;
///     let b: Array<f64, 2> = Array::new(rt, &grid, Cyclic::new([1, 1], Targets::all(2)?))?;
///     b.write().zip(a.read()).for_each(|_, (mut b, a)| Ok(b.copy_from(&a)?))?;
///     let row = b.slice(&Domain::new([2..=2, 1..=6]))?;
///     assert_eq!(row.to_vec()?, [21.0, 22.0, 23.0, 24.0, 25.0, 26.0]);
///     b.get([4, 6])
/// })?;
/// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, ArrayError>>()?, [46.0, 46.0]);
/// # Ok::<(), ArrayError>(())
/// ```
pub struct Array<R, const N: usize, L = SoA, I: Index = i64>
where
    Dim<N>: StoreRank,
{
    pub(crate) domain: Domain<N, I>,
    pub(crate) map: SharedMap<N, I>,
    /// The elements by position: the position of an element along a dimension is the number of indices of the domain before it.
    pub(crate) store: Store<R, Dim<N>, L>,
    /// The positions of all locales, cut for their threads; `None` without elements.
    pub(crate) tiles: Option<Arc<Tiling>>,
    /// `true` if the elements belong to another array, too, whatever part of it they are.
    pub(crate) part: bool,
}

impl<R, const N: usize, L, I: Index> Clone for Array<R, N, L, I>
where
    Dim<N>: StoreRank,
    Store<R, Dim<N>, L>: Clone,
{
    fn clone(&self) -> Self {
        let Self { domain, map, store, tiles, part } = self;
        Self { domain: *domain, map: map.clone(), store: store.clone(), tiles: tiles.clone(), part: *part }
    }
}

impl<R, const N: usize, L, I: Index> fmt::Debug for Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Array").field("domain", &self.domain).field("map", &self.map).finish_non_exhaustive()
    }
}

impl<R, const N: usize, L, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// The indices.
    #[must_use]
    pub fn domain(&self) -> &Domain<N, I> {
        &self.domain
    }

    /// The distribution. A clone of it distributes another array in the same way.
    #[must_use]
    pub fn map(&self) -> &Arc<dyn DomainMap<N, I> + Send + Sync> {
        &self.map
    }

    /// The locale on which the element at an index lies, or would lie if the domain had it. `None` if the distribution
    /// has no owner for it: that of a view by [`reindex`](Self::reindex) or [`pick`](Self::pick) has none for indices that the view lacks.
    #[must_use]
    pub fn owner(&self, index: [I; N]) -> Option<usize> {
        self.map.owner(index, 0)
    }

    /// The indices whose elements lie on a locale.
    #[must_use]
    pub fn local(&self, locale: usize) -> Vec<Domain<N, I>> {
        self.map.local(locale, &self.domain)
    }

    /// The store of the elements, by position: the index of an element along a dimension is the number of indices of the domain before it.
    /// A task that writes through the store, and not through the array, may move elements to other locales.
    #[must_use]
    pub fn store(&self) -> &Store<R, Dim<N>, L> {
        &self.store
    }

    /// The runtime.
    pub(crate) fn runtime(&self) -> Runtime {
        self.store.runtime()
    }

    /// The position of an index.
    pub(crate) fn position(&self, index: [I; N]) -> Result<Point, ArrayError> {
        positions::position_of(&self.domain, index).ok_or_else(|| ArrayError::Index {
            index: index.map(Index::wide).to_vec(),
            domain: self.domain.to_string(),
        })
    }

    /// The indices at the positions in a box.
    pub(crate) fn indices(&self, rect: &Rect) -> Domain<N, I> {
        positions::indices_in(&self.domain, rect)
    }
}

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Creates an array over a domain. Its elements are unwritten.
    ///
    /// # Errors
    ///
    /// Returns an error if
    ///
    /// * the distribution names a locale that does not exist, keeps copies (see [`Replicas`](crate::Replicas)), or gives an index to two
    ///   locales or to none;
    /// * there are too many elements; or
    /// * zero is not a valid value of a leaf.
    pub fn new(
        rt: &Runtime,
        domain: &Domain<N, I>,
        map: impl DomainMap<N, I> + Send + Sync + 'static,
    ) -> Result<Self, ArrayError> {
        Self::over(rt, domain, Arc::new(map))
    }

    pub(crate) fn over(rt: &Runtime, domain: &Domain<N, I>, map: SharedMap<N, I>) -> Result<Self, ArrayError> {
        let tiles = positions::tiles(rt, domain, &map)?;
        let store: Store<R, DynRank, L> = match &tiles {
            Some(_) => rt.create(positions::extents(domain))?,
            None => rt.create_from(positions::extents(domain), &[])?,
        };
        Ok(Self { domain: *domain, map, store: store.into_rank()?, tiles, part: false })
    }

    /// Creates an array with the same value at each index.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn filled(
        rt: &Runtime,
        domain: &Domain<N, I>,
        map: impl DomainMap<N, I> + Send + Sync + 'static,
        value: R,
    ) -> Result<Self, ArrayError> {
        let array = Self::new(rt, domain, map)?;
        array.fill(value)?;
        Ok(array)
    }

    /// Creates an array; `f` computes the element from its index. Each locale calls `f` for the indices that it owns, on any of its
    /// threads.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn from_fn(
        rt: &Runtime,
        domain: &Domain<N, I>,
        map: impl DomainMap<N, I> + Send + Sync + 'static,
        f: impl Fn([I; N]) -> R + Send + Sync + 'static,
    ) -> Result<Self, ArrayError> {
        let array = Self::new(rt, domain, map)?;
        array.fill_from_fn(f)?;
        Ok(array)
    }

    /// Creates an array from its elements, in the order of the domain. Each locale takes the elements that it owns.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new). Returns an error, too, if the number of values differs from the number of indices.
    pub fn from_values(
        rt: &Runtime,
        domain: &Domain<N, I>,
        map: impl DomainMap<N, I> + Send + Sync + 'static,
        values: &[R],
    ) -> Result<Self, ArrayError> {
        let needed = domain.len();
        if values.len() != needed {
            return Err(ArrayError::Values { given: values.len(), needed, domain: domain.to_string() });
        }
        check_records::<R, L>(values)?;
        let array = Self::new(rt, domain, map)?;
        array.put_all(values)?;
        Ok(array)
    }

    /// Creates an array over another domain, with the same distribution. Its elements are unwritten.
    pub(crate) fn like<S: Record>(&self, domain: &Domain<N, I>) -> Result<Array<S, N, L, I>, ArrayError>
    where
        L: RecordLayout<S>,
    {
        Array::over(&self.runtime(), domain, self.map.clone())
    }

    /// `true` if the layout stores each value as it is given. A layout that does not is given final values only.
    pub(crate) const KEEPS_VALUES: bool = <L::Codec as Codec<R, L>>::KEEPS_BITS;

    /// Calls `f` with an array of equal tiles in [`SoA`], which stores every value and whose tiles are written apart, as
    /// [`aside`](Self::aside) does.
    pub(crate) fn by_soa(
        &self,
        f: impl FnOnce(&Array<R, N, SoA, I>) -> Result<(), ArrayError>,
    ) -> Result<(), ArrayError> {
        self.aside(f)
    }

    /// Calls `f` with another array of equal tiles, whose elements are then assigned to this one. That sends nothing, unless elements of this
    /// array share bytes.
    pub(crate) fn aside<K: RecordLayout<R> + Default>(
        &self,
        f: impl FnOnce(&Array<R, N, K, I>) -> Result<(), ArrayError>,
    ) -> Result<(), ArrayError> {
        let aside = Array::over(&self.runtime(), &self.domain, self.map.clone())?;
        f(&aside)?;
        self.assign(&aside)
    }

    /// The elements at the indices that are also in `by`, in the order of `by`. The view keeps elements and indices.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Cyclic, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let map = Cyclic::new([0], Targets::all(1)?);
    /// let line: Array<i64, 1> = Array::from_fn(&rt, &Domain::from(1..=9), map, |[i]| i)?;
    /// let down = line.slice(&Domain::from(0..=20).by([-3])?)?;
    /// assert_eq!(down.to_vec()?, [8, 5, 2]);
    /// down.fill(0)?;
    /// assert_eq!(line.to_vec()?, [1, 0, 3, 4, 0, 6, 7, 0, 9]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ArrayError::Store`] if the runtime refuses the view.
    pub fn slice(&self, by: &Domain<N, I>) -> Result<Self, ArrayError> {
        self.shown(DomainView::of(&self.domain).slice(by), |_| self.map.clone())
    }

    /// Shows the same elements, in order, under the indices of another domain.
    ///
    /// # Errors
    ///
    /// Returns an error if `domain` has another number of indices along a dimension.
    pub fn reindex(&self, domain: &Domain<N, I>) -> Result<Self, ArrayError> {
        let shown = self.shown(DomainView::of(&self.domain).reindex(domain)?, |view| self.shown_map(view))?;
        Ok(Self { part: self.part, ..shown })
    }

    /// Picks one index of some dimensions and a range of others. Dimensions with one picked index are dropped. The view is empty if the
    /// array does not have an index that is picked.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Domain, Pick, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let grid = Domain::new([1..=3, 1..=4]);
    /// let a: Array<i64, 2> = Array::from_fn(&rt, &grid, Block::over(&grid, Targets::all(1)?)?, |[i, j]| 10 * i + j)?;
    /// let column = a.pick::<1>([Pick::All, Pick::Index(3)])?;
    /// assert_eq!(column.to_vec()?, [13, 23, 33]);
    /// assert_eq!(a.pick::<1>([Pick::Index(9), Pick::All])?.to_vec()?, []);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the number of dimensions that are left is not `Q`, or if no dimension is left and the array does not have the
    /// element.
    pub fn pick<const Q: usize>(&self, picks: [Pick<I>; N]) -> Result<Array<R, Q, L, I>, ArrayError>
    where
        Dim<Q>: StoreRank,
    {
        self.shown(DomainView::of(&self.domain).pick(picks)?, |view| self.shown_map(view))
    }

    fn shown_map<const Q: usize>(&self, view: DomainView<Q, N, I>) -> SharedMap<Q, I> {
        Arc::new(ShownMap { view, map: self.map.clone() })
    }

    /// Makes an array, a part of this one, of the elements that a view of the domain shows.
    fn shown<const Q: usize>(
        &self,
        view: DomainView<Q, N, I>,
        map: impl FnOnce(DomainView<Q, N, I>) -> SharedMap<Q, I>,
    ) -> Result<Array<R, Q, L, I>, ArrayError>
    where
        Dim<Q>: StoreRank,
    {
        let domain = *view.domain();
        let rt = self.runtime();
        let store = if domain.is_empty() {
            rt.create_from(positions::extents(&domain), &[])?
        } else {
            // Positions along each dimension: from where to where, and in which order.
            let positions = positions::positions_of(&self.domain, &view.shown())?;
            let mut store = self.store.clone().into_dyn();
            for (dim, range) in positions.dims().iter().enumerate() {
                if let (Some(low), Some(high)) = (range.low(), range.high()) {
                    store = store.slice(dim, low, high + 1)?.step(dim, i64::try_from(range.stride()).unwrap_or(1))?;
                }
            }
            for dim in (0..N).rev().filter(|dim| view.picked(*dim).is_some()) {
                store = store.project(dim, 0)?;
            }
            store
        };
        let map = map(view);
        let tiles = positions::tiles(&rt, &domain, &map)?;
        Ok(Array { domain, map, store: store.into_rank()?, tiles, part: true })
    }
}
