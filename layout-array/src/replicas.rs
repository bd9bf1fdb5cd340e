//! Replicas: arrays with a copy of its own on each locale.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};
use layout_domain::{Cyclic, Domain, DomainError, DomainMap, Index, Replicated, StridedRange, Targets};
use layout_mappings::SoA;
use layout_store::{
    Constraint, Dim, OwnMap, Point, Rect, Returned, Rule, Runtime, StoreRank, Tile, TileMap, TileMut, read, write,
};

use crate::positions;
use crate::{Array, ArrayError};

/// An array with a replica on each of some locales: for tables that a locale changes alone, accumulators, and the like. Nothing keeps the
/// replicas equal.
///
/// Data that all locales only read needs no replicas: [`Loop::broadcast`](crate::Loop::broadcast) keeps copies of an [`Array`] up to date.
///
/// # Examples
///
/// Each locale counts its own elements, and the counts are then added:
///
/// ```
/// use layout::array::{Array, ArrayError, Replicas};
/// use layout::domain::{Block, Domain, Replicated, Targets};
/// use layout::store::Runtime;
///
/// let counts = Runtime::builder().locales(2).threads(1).whole_below(0).simulate(|rt| {
///     let bins = Domain::from(0..=2);
///     let counts: Replicas<u64, 1> = Replicas::filled(rt, &bins, Replicated::new(Targets::all(2)?), 0)?;
///     counts.update(|locale, part, mut bins| {
///         assert_eq!(part, &Domain::from(0..=2));
///         bins.set(1, if locale == 0 { 5 } else { 7 });
///     })?;
///     let sum: Array<u64, 1> = Array::filled(rt, &bins, Block::over(&bins, Targets::all(2)?)?, 0)?;
///     for locale in 0..2 {
///         let replica = counts.replica(locale).expect("a target");
///         sum.update().zip(replica.read()).for_each(|_, (mut sum, one)| {
///             for i in 0..sum.len() {
///                 sum.set(i, sum.get(i) + one.get(i));
///             }
///         })?;
///     }
///     sum.to_vec()
/// })?;
/// assert_eq!(counts.into_iter().collect::<Result<Vec<_>, ArrayError>>()?, [[0, 12, 0], [0, 12, 0]]);
/// # Ok::<(), ArrayError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replicas<R, const N: usize, L = SoA, I: Index = i64>
where
    Dim<N>: StoreRank,
{
    domain: Domain<N, I>,
    /// The whole replica of each target, in the order of targets.
    replicas: Vec<(usize, Array<R, N, L, I>)>,
    /// All replicas in one array, one after another along the first dimension.
    stacked: Array<R, N, L>,
    /// A map from a tile of the stacked array to its positions in the replica.
    within: TileMap,
}

/// The distribution of positions in replicas that lie one after another.
#[derive(Debug)]
struct Stacked {
    locales: Vec<usize>,
    /// The number of indices of each replica along the first dimension.
    rows: i64,
}

impl<const N: usize> DomainMap<N> for Stacked {
    fn locales(&self) -> &[usize] {
        &self.locales
    }

    fn owner(&self, position: [i64; N], _: usize) -> Option<usize> {
        let number = position.first()?.checked_div_euclid(self.rows)?;
        self.locales.get(usize::try_from(number).ok()?).copied()
    }

    fn local(&self, locale: usize, domain: &Domain<N>) -> Vec<Domain<N>> {
        let number = self.locales.iter().position(|target| *target == locale).and_then(|at| i64::try_from(at).ok());
        let own = number.map(|number| {
            let rows = StridedRange::from(number * self.rows..(number + 1) * self.rows);
            let mut dims = *domain.dims();
            dims[0] = rows;
            domain.intersect(&Domain::new(dims))
        });
        own.into_iter().filter(|own| !own.is_empty()).collect()
    }
}

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> Replicas<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Creates replicas. Their elements are unwritten.
    ///
    /// Replicas of a domain without dimensions do not compile: use `Domain::from(0..=0)`.
    ///
    /// ```compile_fail,E0080
    /// use layout::array::Replicas;
    /// use layout::domain::{Domain, Replicated, Targets};
    /// use layout::store::Runtime;
    ///
    /// let one = Replicated::new(Targets::all(1).unwrap());
    /// let _ = Replicas::<f64, 0>::new(&Runtime::new().unwrap(), &Domain::new([0..1; 0]), one);
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Array::new`], and [`ArrayError::SharedBytes`] on several locales if [elements share
    /// bytes](layout_store::Store::shares_bytes). Returns an error, too, if all replicas together have more indices along the first dimension
    /// than an `i64` counts.
    pub fn new(rt: &Runtime, domain: &Domain<N, I>, map: Replicated) -> Result<Self, ArrayError> {
        const {
            assert!(
                N > 0,
                "replicas lie one after another along the first dimension: use `Domain::from(0..=0)` for a single element"
            );
        }
        let locales = DomainMap::<N, I>::locales(&map).to_vec();
        let extents = positions::extents(domain);
        let rows = extents[0];
        let Some(all) = i64::try_from(locales.len()).ok().and_then(|count| rows.checked_mul(count)) else {
            let index = i128::from(rows).saturating_mul(i128::try_from(locales.len()).unwrap_or(i128::MAX)) - 1;
            let (what, of) = ("the last row of all replicas", domain.to_string());
            return Err(DomainError::Overflow { what, of, index, index_type: "i64" }.into());
        };
        let mut dims = core::array::from_fn(|dim| StridedRange::from(0..extents[dim]));
        dims[0] = StridedRange::from(0..all);
        let stacked = Array::over(rt, &Domain::new(dims), Arc::new(Stacked { locales: locales.clone(), rows }))?;
        ArrayError::check_apart_bytes(&stacked.store, "replicas")?;
        let replica = |(locale, low): (usize, i64)| {
            let map: positions::SharedMap<N, I> =
                Arc::new(Cyclic::new([I::default(); N], Targets::grid([1; N], [locale])?));
            let store = if domain.is_empty() {
                rt.create_from(extents, &[])?.into_rank()?
            } else {
                stacked.store.clone().into_dyn().slice(0, low, low + rows)?.into_rank()?
            };
            let tiles = positions::tiles(rt, domain, &map)?;
            Ok((locale, Array { domain: *domain, map, store, tiles, part: true }))
        };
        let replicas: Result<_, ArrayError> = locales.into_iter().zip((0..).map(|k| k * rows)).map(replica).collect();
        let within = TileMap::Own(OwnMap::new(move |tile: &Rect| {
            let (lo, hi) = (tile.lo(), tile.hi());
            let before = lo[0].checked_div_euclid(rows).unwrap_or(0) * rows;
            let moved = |corner: Point| corner.with(0, corner[0] - before);
            Rect::new(moved(lo), moved(hi))
        }));
        Ok(Self { domain: *domain, replicas: replicas?, stacked, within })
    }

    /// Creates replicas with one value at each index.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn filled(rt: &Runtime, domain: &Domain<N, I>, map: Replicated, value: R) -> Result<Self, ArrayError> {
        let replicas = Self::new(rt, domain, map)?;
        replicas.fill(value)?;
        Ok(replicas)
    }

    /// The indices of each replica.
    #[must_use]
    pub fn domain(&self) -> &Domain<N, I> {
        &self.domain
    }

    /// The locales with a replica.
    pub fn locales(&self) -> impl ExactSizeIterator<Item = usize> {
        self.replicas.iter().map(|(locale, _)| *locale)
    }

    /// The replica of a locale, as an array whose elements all lie on that locale; `None` if the locale has no replica. Every locale may
    /// ask for any replica, and reads and writes it like other arrays.
    #[must_use]
    pub fn replica(&self, locale: usize) -> Option<&Array<R, N, L, I>> {
        self.replicas.iter().find(|(target, _)| *target == locale).map(|(_, replica)| replica)
    }

    /// Sets all elements of all replicas to a value; returns at once.
    ///
    /// # Errors
    ///
    /// The errors of [`Array::fill`].
    pub fn fill(&self, value: R) -> Result<(), ArrayError> {
        self.stacked.fill(value)
    }

    /// Copies an array of the same shape to each replica; returns at once. Each locale with a replica receives the elements that it lacks.
    ///
    /// # Errors
    ///
    /// The errors of [`Array::assign`].
    pub fn assign<K: RecordLayout<R> + Default, J: Index>(&self, other: &Array<R, N, K, J>) -> Result<(), ArrayError> {
        self.domain.same_shape(&other.domain)?;
        let Some(tiling) = self.stacked.tiles.clone() else { return Ok(()) };
        // One launch for all replicas: it is done as a whole, or refused as a whole.
        let follow = Constraint::Follow { source: 0, follower: 1, map: self.within.clone() };
        let rules = [Constraint::Cut { argument: 0, tiling }, follow].map(Rule::from);
        let rt = self.stacked.runtime();
        let task = rt.task("assign").args((write(&self.stacked.store), read(&other.store))).constrain(|_| rules);
        task.launch(|_, (mut to, from)| Ok(to.copy_from(&from)?))?;
        Ok(())
    }

    /// Launches a loop in which each locale changes its replica, and returns at once. The task body gets the locale, the indices of a part
    /// of the replica, and a view of their elements, whose indices start at zero. Nothing is sent.
    ///
    /// # Errors
    ///
    /// Returns an error if elements are unwritten.
    pub fn update<F, T>(&self, body: F) -> Result<(), ArrayError>
    where
        F: for<'a> Fn(usize, &Domain<N, I>, TileMut<'a, R, Dim<N>, L>) -> T + Send + Sync + 'static,
        T: Returned,
    {
        let parts = self.parts();
        self.stacked.update().named("update replicas").for_each(move |chunk, (view,)| {
            let (locale, part) = parts(chunk.domain());
            body(locale, &part, view)
        })?;
        Ok(())
    }

    /// Waits for the replica of this locale, and shows its elements to a closure, in parts, as [`Array::read_local`] does.
    ///
    /// # Errors
    ///
    /// The errors of [`Array::to_vec`].
    pub fn read_local<T>(
        &self,
        f: impl FnOnce(Vec<(Domain<N, I>, Tile<'_, R, Dim<N>, L>)>) -> T,
    ) -> Result<T, ArrayError> {
        let parts = self.parts();
        self.stacked.read_local(|own| f(own.into_iter().map(|(at, view)| (parts(&at).1, view)).collect()))
    }

    /// Waits until no task uses the replica of this locale, and gives its elements to a closure to read and write, in parts.
    ///
    /// # Errors
    ///
    /// The errors of [`Array::to_vec`].
    pub fn update_local<T>(
        &self,
        f: impl FnOnce(Vec<(Domain<N, I>, TileMut<'_, R, Dim<N>, L>)>) -> T,
    ) -> Result<T, ArrayError> {
        let parts = self.parts();
        self.stacked.update_local(|own| f(own.into_iter().map(|(at, view)| (parts(&at).1, view)).collect()))
    }

    /// Maps a box of positions in the stacked array to the locale of its replica and to the indices of the replica.
    fn parts(&self) -> impl Fn(&Domain<N>) -> (usize, Domain<N, I>) + Send + Sync + use<R, N, L, I> {
        let (domain, locales): (_, Vec<usize>) = (self.domain, self.locales().collect());
        move |stacked| {
            let rows = i64::try_from(domain.dims()[0].len()).unwrap_or(i64::MAX);
            let low = stacked.low().map_or(0, |low| low[0]);
            let number = low.checked_div_euclid(rows).unwrap_or(0);
            let mut back = [0; N];
            back[0] = number.saturating_mul(-rows);
            let part = stacked.translate(back).and_then(|positions| positions::indices_of(&domain, &positions));
            let locale = usize::try_from(number).ok().and_then(|number| locales.get(number));
            // No chunk reaches beyond a replica, since each is one part of the distribution.
            let (Ok(part), Some(locale)) = (part, locale) else { unreachable!("{stacked} of replicas of {domain}") };
            (*locale, part)
        }
    }
}
