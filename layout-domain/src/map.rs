//! The trait of distributions, and a check of its implementations.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::array;
use core::fmt::Debug;

use crate::{Domain, DomainError, Index, StridedRange};

/// A distribution: it names the locale that owns an index, and the part of a domain that a locale owns.
///
/// Ownership does not depend on a domain: a domain may grow, shrink, or be a slice of another one, and each of its indices stays on its
/// locale. All answers are arithmetic, without communication, for any index and any locale.
///
/// # Examples
///
/// The diagonals of a matrix, in turn:
///
/// ```
/// use layout::domain::{Domain, DomainMap, check_map};
///
/// #[derive(Debug, PartialEq)]
/// struct Diagonals(Vec<usize>);
///
/// impl DomainMap<2> for Diagonals {
///     fn locales(&self) -> &[usize] {
///         &self.0
///     }
///
///     fn owner(&self, [i, j]: [i64; 2], _: usize) -> Option<usize> {
///         Some(self.0[(j - i).rem_euclid(self.0.len() as i64) as usize])
///     }
///
///     fn local(&self, locale: usize, domain: &Domain<2>) -> Vec<Domain<2>> {
///         let own = |at: &[i64; 2]| self.owner(*at, locale) == Some(locale);
///         domain.iter().filter(own).map(|[i, j]| Domain::new([i..=i, j..=j])).collect()
///     }
/// }
///
/// check_map(&Diagonals(vec![0, 1, 2]), &Domain::new([1..=5, 1..=5]))?;
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
pub trait DomainMap<const R: usize, I: Index = i64>: Debug {
    /// The locales that own indices, each once.
    fn locales(&self) -> &[usize];

    /// The locale that has an index for the locale `here`, whether or not a domain has the index. `here` matters only in distributions that
    /// keep [copies](Self::copies).
    ///
    /// `None` if no locale has the index for `here`.
    fn owner(&self, index: [I; R], here: usize) -> Option<usize>;

    /// The part of a domain that lies on a locale: disjoint, nonempty domains; none if the locale is not a target.
    fn local(&self, locale: usize, domain: &Domain<R, I>) -> Vec<Domain<R, I>>;

    /// The parts of a domain on all locales, dimension by dimension, for a distribution of such a form. They equal [`local`](Self::local)
    /// of each locale, but take only the time of each dimension alone. `None` if the distribution has no such form, or does not implement
    /// this.
    fn grid(&self, domain: &Domain<R, I>) -> Option<PartGrid<StridedRange<I>, R>> {
        let _ = domain;
        None
    }

    /// Returns `true` if it is known, without a look at parts, that each index of a domain lies on exactly one locale. A sparse array over
    /// the domain then needs no list of parts, of which there may be many more than elements. `false` if it is not known.
    fn is_partition(&self, domain: &Domain<R, I>) -> bool {
        let _ = domain;
        false
    }

    /// Returns `true` if an index may lie on several locales.
    fn copies(&self) -> bool {
        false
    }
}

/// The parts of a domain on a grid of locales: each locale has all combinations of the ranges of its place along each dimension.
///
/// # Examples
///
/// ```
/// use layout::domain::{BlockCyclic, Domain, DomainMap, StridedRange, Targets};
///
/// let square = Domain::new([0..8, 0..8]);
/// let grid = BlockCyclic::new([0, 0], [2, 4], Targets::all(4)?)?.grid(&square).expect("blocks lie in a grid");
/// let [above, below] = [0..2, 4..6].map(StridedRange::from);
/// assert_eq!(grid.along(0).next(), Some(&[above, below][..]));
/// let right = StridedRange::from(4..8);
/// assert!(grid.parts(1).eq([[&above, &right], [&below, &right]]));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartGrid<T, const R: usize> {
    along: [Along<T>; R],
}

/// The ranges of the places along a dimension, one place after another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Along<T> {
    ranges: Vec<T>,
    /// The end of the ranges of each place.
    ends: Vec<usize>,
}

impl<T> Along<T> {
    fn at(&self, place: usize) -> &[T] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ranges[start..self.ends[place]]
    }
}

impl<T, const R: usize> PartGrid<T, R> {
    /// Creates a grid from the ranges of each place along each dimension. The ranges are disjoint and nonempty. The locales of
    /// [`DomainMap::locales`] have the places row by row.
    #[must_use]
    pub fn new<P: IntoIterator<Item = Vec<T>>>(along: [P; R]) -> Self {
        let along = along.map(|places| {
            let (mut ranges, mut ends) = (Vec::new(), Vec::new());
            for place in places {
                ranges.extend(place);
                ends.push(ranges.len());
            }
            Along { ranges, ends }
        });
        Self { along }
    }

    /// The number of places along each dimension.
    #[must_use]
    pub fn shape(&self) -> [usize; R] {
        self.along.each_ref().map(|along| along.ends.len())
    }

    /// The number of places; the largest `usize` if there are more.
    #[must_use]
    pub fn places(&self) -> usize {
        self.shape().iter().fold(1, |places: usize, along| places.saturating_mul(*along))
    }

    /// The ranges of each place along a dimension.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    pub fn along(&self, dim: usize) -> impl Iterator<Item = &[T]> {
        let along = &self.along[dim];
        (0..along.ends.len()).map(|place| along.at(place))
    }

    /// The parts of a locale, row by row, as ranges along each dimension; `number` is the locale's place in the list.
    ///
    /// # Panics
    ///
    /// Panics if the grid has no such place.
    pub fn parts(&self, number: usize) -> impl ExactSizeIterator<Item = [&T; R]> {
        let shape = self.shape();
        assert!(number < self.places(), "place number {number} of a grid of {shape:?} places");
        let places = place(number, &shape);
        let own: [&[T]; R] = array::from_fn(|dim| self.along[dim].at(places[dim]));
        let counts = own.map(<[T]>::len);
        (0..counts.iter().product()).map(move |part| {
            let numbers = place(part, &counts);
            array::from_fn(|dim| &own[dim][numbers[dim]])
        })
    }

    /// Applies `f` to each range of each dimension; `None` if `f` returns `None` for a range.
    pub fn map<U>(&self, mut f: impl FnMut(usize, &T) -> Option<U>) -> Option<PartGrid<U, R>> {
        let mut all = true;
        let along = array::from_fn(|dim| {
            let Along { ranges, ends } = &self.along[dim];
            let mut mapped = Vec::with_capacity(ranges.len());
            mapped.extend(ranges.iter().map_while(|range| f(dim, range)));
            all &= mapped.len() == ranges.len();
            Along { ranges: mapped, ends: ends.clone() }
        });
        all.then_some(PartGrid { along })
    }
}

/// The place with a number in a grid of this shape, row by row.
pub(crate) fn place<const R: usize>(number: usize, shape: &[usize; R]) -> [usize; R] {
    let (mut place, mut rest) = ([0; R], number);
    for dim in (0..R).rev() {
        place[dim] = rest % shape[dim];
        rest /= shape[dim];
    }
    place
}

/// Implements the trait for references, boxes and shared pointers.
macro_rules! by_reference {
    ($($pointer:ty),*) => {$(
        impl<const R: usize, I: Index, M: DomainMap<R, I> + ?Sized> DomainMap<R, I> for $pointer {
            fn locales(&self) -> &[usize] {
                (**self).locales()
            }

            fn owner(&self, index: [I; R], here: usize) -> Option<usize> {
                (**self).owner(index, here)
            }

            fn local(&self, locale: usize, domain: &Domain<R, I>) -> Vec<Domain<R, I>> {
                (**self).local(locale, domain)
            }

            fn grid(&self, domain: &Domain<R, I>) -> Option<PartGrid<StridedRange<I>, R>> {
                (**self).grid(domain)
            }

            fn is_partition(&self, domain: &Domain<R, I>) -> bool {
                (**self).is_partition(domain)
            }

            fn copies(&self) -> bool {
                (**self).copies()
            }
        }
    )*};
}

by_reference!(&M, Box<M>, Arc<M>);

/// Checks a distribution for all indices of a domain: each index lies in the local part of exactly one locale, which is its owner. In
/// distributions that keep copies, the owner for each locale has the index. A grid of parts equals the local parts; its places
/// beyond the locales are not compared.
///
/// The time and the memory grow with the number of indices.
///
/// # Errors
///
/// [`DomainError::OwnedTwice`], [`DomainError::OwnedByNobody`], [`DomainError::OtherOwner`] or [`DomainError::Outside`], with the first
/// wrong index; [`DomainError::OtherGrid`].
///
/// # Examples
///
/// ```
/// use layout::domain::{BlockCyclic, Domain, Targets, check_map};
///
/// let map = BlockCyclic::new([1, 0], [2, 3], Targets::all(6)?)?;
/// check_map(&map, &Domain::new([-5..=9, 3..=20]).by([1, -2])?)?;
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
pub fn check_map<const R: usize, I: Index>(
    map: &dyn DomainMap<R, I>,
    domain: &Domain<R, I>,
) -> Result<(), DomainError> {
    let wide = |index: [I; R]| index.map(Index::wide).to_vec();
    let mut holders: BTreeMap<[I; R], Vec<usize>> = BTreeMap::new();
    let grid = map.grid(domain);
    for (number, &locale) in map.locales().iter().enumerate() {
        let parts = map.local(locale, domain);
        if let Some(grid) = &grid {
            check_grid(grid, (number, locale), &parts)?;
        }
        for part in parts {
            if !domain.covers(&part) {
                let (part, domain) = (part.to_string(), domain.to_string());
                return Err(DomainError::Outside { locale, part, domain });
            }
            for index in part {
                let holders = holders.entry(index).or_default();
                if let Some(first) = holders.iter().find(|holder| !map.copies() || **holder == locale) {
                    return Err(DomainError::OwnedTwice { index: wide(index), first: *first, second: locale });
                }
                holders.push(locale);
            }
        }
    }
    for index in *domain {
        let Some(holders) = holders.get(&index) else { return Err(DomainError::OwnedByNobody { index: wide(index) }) };
        for &here in map.locales() {
            let owner = map.owner(index, here);
            if !owner.is_some_and(|owner| holders.contains(&owner)) {
                return Err(DomainError::OtherOwner { index: wide(index), owner, local: holders[0] });
            }
        }
    }
    Ok(())
}

/// Checks that the parts of a grid for the locale with this number are its local parts.
fn check_grid<const R: usize, I: Index>(
    grid: &PartGrid<StridedRange<I>, R>,
    (number, locale): (usize, usize),
    local: &[Domain<R, I>],
) -> Result<(), DomainError> {
    let mut parts: Vec<Domain<R, I>> = Vec::new();
    if number < grid.places() {
        parts.extend(grid.parts(number).map(|ranges| Domain::new(ranges.map(|range| *range))));
    }
    let shown = |parts: &[Domain<R, I>]| match parts {
        [] => "nothing".to_string(),
        parts => parts.iter().map(Domain::to_string).collect::<Vec<_>>().join(", "),
    };
    let agree = parts == local;
    if agree { Ok(()) } else { Err(DomainError::OtherGrid { locale, grid: shown(&parts), local: shown(local) }) }
}
