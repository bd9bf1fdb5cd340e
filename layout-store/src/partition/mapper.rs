//! Mappers: they place the points of a launch on locales.

use core::fmt;
use std::sync::Arc;

use super::Placement;
use crate::geometry::{Point, Rect};

/// A mapper places the points of a launch on locales. A locale keeps the tiles that its points write.
///
/// [`mapped`](crate::TaskBuilder::mapped) gives a mapper to a launch. The partition of a store that the launch writes remembers the locales
/// of the points: later launches that are cut into the same tiles run where the tiles are. Results do not depend on mappers; the bytes that
/// locales send do.
///
/// # Examples
///
/// ```
/// use layout::store::{Mapper, Runtime, Store, StoreError, read, write};
///
/// let builder = Runtime::builder().locales(2).threads(1).pieces(4).min_chunk(1);
/// let found = builder.simulate(|rt| {
///     let (where_ran, copy): (Store<usize, _>, Store<usize, _>) = (rt.create(8)?, rt.create(8)?);
///     let locale = rt.locale();
///     let task = rt.task("where").args((write(&where_ran),)).mapped(&Mapper::round_robin());
///     task.launch(move |_, (mut tile,)| tile.fill(locale))?;
///     // The copy is made where the tiles are: nothing is sent.
///     let task = rt.task("copy").args((read(&where_ran), write(&copy))).align_all();
///     let launched = task.launch(|_, (from, mut to)| Ok(to.copy_from(&from)?))?;
///     assert_eq!(launched.exchanged(), 0);
///     copy.to_vec()
/// })?;
/// for found in found {
///     assert_eq!(found?, [0, 0, 1, 1, 0, 0, 1, 1]);
/// }
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Clone, Default)]
pub struct Mapper(Kind);

#[derive(Clone, Default)]
enum Kind {
    #[default]
    Neighbors,
    RoundRobin,
    Own(Arc<LocaleOf>),
}

/// A function of a point, the domain of the launch and the number of locales; it returns a locale.
type LocaleOf = dyn Fn(&Point, &Rect, usize) -> usize + Send + Sync;

/// A point that a mapper puts on a locale that does not exist.
pub(crate) struct NoLocale {
    pub(crate) point: Point,
    pub(crate) locale: usize,
}

impl Mapper {
    /// Places neighbors together, which is the default: the domain is cut into a block for each locale, with borders as short as possible.
    /// If blocks would give a locale more points than an equal share, points are placed by their numbers instead, the first ones on locale
    /// 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Mapper, Runtime, StoreError};
    ///
    /// let ran = Runtime::builder().locales(4).threads(1).simulate(|rt| {
    ///     let locale = rt.locale();
    ///     let task = rt.task("where").over([4, 4])?.mapped(&Mapper::neighbors());
    ///     task.map(move |_, ()| Ok(locale))?.get()
    /// })?;
    /// for ran in ran {
    ///     assert_eq!(ran?, [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]);
    /// }
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn neighbors() -> Self {
        Self(Kind::Neighbors)
    }

    /// Deals points to locales in turn, row by row. This is even if the work of points grows with their numbers, at the cost of more
    /// borders between locales.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Mapper, Runtime, StoreError};
    ///
    /// let ran = Runtime::builder().locales(2).threads(1).simulate(|rt| {
    ///     let locale = rt.locale();
    ///     let task = rt.task("where").over([5])?.mapped(&Mapper::round_robin());
    ///     task.map(move |_, ()| Ok(locale))?.get()
    /// })?;
    /// for ran in ran {
    ///     assert_eq!(ran?, [0, 1, 0, 1, 0]);
    /// }
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn round_robin() -> Self {
        Self(Kind::RoundRobin)
    }

    /// Places points by a function of a point, the domain of the launch and the number of locales; it returns a locale.
    ///
    /// The function must return the same locale on every locale: functions that differ cause
    /// [`StoreError::Diverged`](crate::StoreError::Diverged), and a locale that does not exist causes
    /// [`StoreError::MapperLocale`](crate::StoreError::MapperLocale). The function is called for each point of a launch, but not again for
    /// a launch of the same shape with the same mapper or a clone of it: make a mapper once, before a loop.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Mapper, Runtime, Store, StoreError, write};
    ///
    /// let last = Mapper::new(|_, _, locales| locales - 1);
    /// let beyond = Mapper::new(|_, _, locales| locales);
    /// let ran = Runtime::builder().locales(3).threads(1).pieces(3).min_chunk(1).simulate(|rt| {
    ///     let store: Store<usize, _> = rt.create(6)?;
    ///     let launch = |mapper, locale| {
    ///         rt.task("where").args((write(&store),)).mapped(mapper).launch(move |_, (mut tile,)| tile.fill(locale))
    ///     };
    ///     let error = launch(&beyond, 0).unwrap_err().to_string();
    ///     assert_eq!(error, "the mapper of task `where` puts point [0] on locale 3, and there are 3, numbered from 0");
    ///     launch(&last, rt.locale())?;
    ///     store.to_vec()
    /// })?;
    /// for found in ran {
    ///     assert_eq!(found?, [2; 6]);
    /// }
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn new(locale: impl Fn(&Point, &Rect, usize) -> usize + Send + Sync + 'static) -> Self {
        Self(Kind::Own(Arc::new(locale)))
    }

    /// Returns `true` if both are of one kind, with the same function.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Neighbors, Kind::Neighbors) | (Kind::RoundRobin, Kind::RoundRobin) => true,
            (Kind::Own(one), Kind::Own(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// The locales of the points of a domain.
    pub(crate) fn place(&self, domain: &Rect, locales: usize) -> Result<Placement, NoLocale> {
        match &self.0 {
            Kind::Neighbors => Ok(Placement::neighbors(domain, locales)),
            Kind::RoundRobin => Ok(Placement::round_robin(domain, locales)),
            Kind::Own(own) => {
                let ask = |point: Point| match own(&point, domain, locales) {
                    locale if locale < locales => Ok(locale),
                    locale => Err(NoLocale { point, locale }),
                };
                Ok(Placement::listed(&domain.points().map(ask).collect::<Result<Vec<_>, _>>()?, locales))
            }
        }
    }
}

impl fmt::Debug for Mapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Kind::Neighbors => "Mapper::neighbors()",
            Kind::RoundRobin => "Mapper::round_robin()",
            Kind::Own(_) => "Mapper::new(..)",
        })
    }
}
