//! Target locales, and the grid of them.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use crate::DomainError;
use crate::map::place;

/// The locales to which a distribution gives indices, in a grid with as many dimensions as the distribution.
///
/// A target is only a number: no process with that number has to run.
///
/// # Examples
///
/// ```
/// use layout::domain::Targets;
///
/// let targets = Targets::<2>::all(6)?;
/// assert_eq!(*targets.shape(), [3, 2]);
/// assert_eq!((targets.at([1, 0]), targets.position(5)), (2, Some([2, 1])));
/// assert_eq!(targets.neighbor(0, [1, 1]), Some(3));
/// let two = Targets::grid([1, 2], [4, 1])?; // locale 4, and locale 1 right of it
/// assert_eq!(two.neighbor(4, [0, 1]), Some(1));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Targets<const R: usize> {
    shape: [usize; R],
    /// Row by row.
    locales: Box<[usize]>,
}

impl<const R: usize> Targets<R> {
    /// The locales from 0 to `count - 1`, in the grid that Chapel makes: each prime factor of `count`, in ascending order, multiplies the
    /// side that is shortest so far; then the sides are sorted, the longest first.
    ///
    /// # Errors
    ///
    /// [`DomainError::NoLocale`] if `count` is 0.
    pub fn all(count: usize) -> Result<Self, DomainError> {
        Self::of((0..count).collect::<Vec<_>>())
    }

    /// The given locales, row by row, in the grid of [`all`](Self::all).
    ///
    /// # Errors
    ///
    /// Returns an error if no locale is given, or a locale is given twice.
    pub fn of(locales: impl Into<Box<[usize]>>) -> Result<Self, DomainError> {
        let locales = locales.into();
        Self::grid(factors(locales.len()), locales)
    }

    /// The given locales, row by row, in a grid of this shape.
    ///
    /// # Errors
    ///
    /// Returns an error if no locale is given, a locale is given twice, or the grid has another number of places.
    pub fn grid(shape: [usize; R], locales: impl Into<Box<[usize]>>) -> Result<Self, DomainError> {
        let locales = locales.into();
        let places = shape.iter().fold(1_usize, |places, side| places.saturating_mul(*side));
        if locales.is_empty() {
            return Err(DomainError::NoLocale);
        }
        if places != locales.len() {
            return Err(DomainError::Grid { shape: shape.into(), places, given: locales.len() });
        }
        let mut sorted = locales.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(DomainError::Duplicate { locale: pair[0] }),
            None => Ok(Self { shape, locales }),
        }
    }

    /// The number of places along each dimension.
    #[must_use]
    pub fn shape(&self) -> &[usize; R] {
        &self.shape
    }

    /// The locales, row by row.
    #[must_use]
    pub fn locales(&self) -> &[usize] {
        &self.locales
    }

    /// The locale at a place.
    ///
    /// # Panics
    ///
    /// Panics if the grid has no such place.
    #[must_use]
    pub fn at(&self, place: [usize; R]) -> usize {
        let inside = place.iter().zip(self.shape).all(|(at, side)| *at < side);
        assert!(inside, "place {place:?} of a grid of {:?} locales", self.shape);
        self.locales[place.iter().zip(self.shape).fold(0, |number, (at, side)| number * side + at)]
    }

    /// The place of a locale, if it is a target. The time is constant if the targets are the locales from 0 on in order; otherwise it is
    /// that of a linear search.
    #[must_use]
    pub fn position(&self, locale: usize) -> Option<[usize; R]> {
        let in_order = self.locales.get(locale) == Some(&locale);
        let number = if in_order { locale } else { self.locales.iter().position(|one| *one == locale)? };
        Some(place(number, &self.shape))
    }

    /// The locale this number of places further along each dimension; `None` beyond the end of the grid.
    #[must_use]
    pub fn neighbor(&self, locale: usize, steps: [isize; R]) -> Option<usize> {
        let place = self.position(locale)?;
        let mut to = [0; R];
        for dim in 0..R {
            to[dim] = place[dim].checked_add_signed(steps[dim]).filter(|at| *at < self.shape[dim])?;
        }
        Some(self.at(to))
    }
}

/// The shape of the grid for this number of locales.
fn factors<const R: usize>(count: usize) -> [usize; R] {
    let mut shape = [1; R];
    for factor in primes(count) {
        if let Some(side) = shape.iter_mut().min_by_key(|side| **side) {
            *side *= factor;
        }
    }
    shape.sort_unstable_by(|a, b| b.cmp(a));
    shape
}

/// The prime factors of a number, in ascending order.
fn primes(mut number: usize) -> Vec<usize> {
    let (mut factors, mut factor) = (vec![], 2);
    while factor * factor <= number {
        while number.is_multiple_of(factor) {
            factors.push(factor);
            number /= factor;
        }
        factor += 1;
    }
    if number > 1 {
        factors.push(number);
    }
    factors
}
