//! Points: up to six coordinates, without a heap.

use core::any::type_name;
use core::fmt;
use core::ops::{Deref, DerefMut};

use layout_core::{Portable, PortableError};

/// The largest number of dimensions of a store and of its views.
pub const MAX_RANK: usize = 6;

/// Up to six coordinates: an index, extents, a color, or offsets.
///
/// # Examples
///
/// ```
/// use layout::store::Point;
///
/// let point = Point::from([3, 4]);
/// assert_eq!((point.len(), point[1], point.to_string()), (2, 4, "[3, 4]".to_owned()));
/// assert_eq!(Point::from([2, 3]).product(), Some(6));
/// ```
#[derive(Clone, Copy)]
pub struct Point {
    values: [i64; MAX_RANK],
    len: u8,
}

impl Point {
    /// The point without coordinates.
    pub const EMPTY: Self = Self { values: [0; MAX_RANK], len: 0 };

    /// A point of `rank` coordinates, all equal to `value`.
    ///
    /// # Panics
    ///
    /// Panics if `rank` exceeds [`MAX_RANK`].
    #[must_use]
    pub fn splat(rank: usize, value: i64) -> Self {
        assert!(rank <= MAX_RANK, "at most six coordinates");
        #[expect(clippy::cast_possible_truncation, reason = "at most six")]
        let len = rank as u8;
        // Values beyond the coordinates are never read.
        Self { values: [value; MAX_RANK], len }
    }

    /// The point of one step along dimension `dim`.
    pub(crate) fn unit(rank: usize, dim: usize) -> Self {
        Self::splat(rank, 0).with(dim, 1)
    }

    /// A point of these coordinates; `None` if there are more than [`MAX_RANK`].
    #[must_use]
    pub fn of(values: &[i64]) -> Option<Self> {
        (values.len() <= MAX_RANK).then(|| values.iter().copied().collect())
    }

    /// The point with `value` inserted before coordinate `dim`, which may be the number of coordinates.
    ///
    /// # Panics
    ///
    /// Panics if there are [`MAX_RANK`] coordinates, or `dim` is larger.
    #[must_use]
    pub fn inserted(&self, dim: usize, value: i64) -> Self {
        assert!(dim <= self.len(), "dimension {dim} of {self}");
        self[..dim].iter().copied().chain([value]).chain(self[dim..].iter().copied()).collect()
    }

    /// The point without coordinate `dim`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such coordinate.
    #[must_use]
    pub fn removed(&self, dim: usize) -> Self {
        assert!(dim < self.len(), "dimension {dim} of {self}");
        self[..dim].iter().chain(&self[dim + 1..]).copied().collect()
    }

    /// The point with coordinate `dim` set to `value`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such coordinate.
    #[must_use]
    pub fn with(mut self, dim: usize, value: i64) -> Self {
        self[dim] = value;
        self
    }

    /// The number of coordinates. Unlike the length of the slice, the compiler knows that it is at most [`MAX_RANK`].
    #[inline]
    pub(super) fn rank(&self) -> usize {
        usize::from(self.len).min(MAX_RANK)
    }

    /// The coordinates, and other numbers after them. Below [`rank`](Self::rank), an index needs no check.
    #[inline]
    pub(super) fn padded(&self) -> &[i64; MAX_RANK] {
        &self.values
    }

    /// The product of the coordinates; 1 without coordinates; `None` if an `i64` cannot hold it.
    #[must_use]
    pub fn product(&self) -> Option<i64> {
        if self.contains(&0) {
            return Some(0);
        }
        self.iter().try_fold(1_i64, |product, value| product.checked_mul(*value))
    }

    /// Combines two points coordinate by coordinate.
    ///
    /// # Panics
    ///
    /// Panics if they have different numbers of coordinates.
    #[must_use]
    #[inline]
    pub fn zip_with(&self, other: &Self, f: impl Fn(i64, i64) -> i64) -> Self {
        assert_eq!(self.len, other.len, "{self} and {other}");
        let mut point = *self;
        for k in 0..self.rank() {
            point.values[k] = f(self.values[k], other.values[k]);
        }
        point
    }
}

impl<const N: usize> From<[i64; N]> for Point {
    fn from(values: [i64; N]) -> Self {
        const { assert!(N <= MAX_RANK, "at most six coordinates") };
        let mut point = Self::splat(N, 0);
        point.values[..N].copy_from_slice(&values);
        point
    }
}

impl FromIterator<i64> for Point {
    /// # Panics
    ///
    /// Panics if there are more than [`MAX_RANK`] coordinates.
    fn from_iter<T: IntoIterator<Item = i64>>(values: T) -> Self {
        let mut point = Self::EMPTY;
        for value in values {
            assert!(usize::from(point.len) < MAX_RANK, "at most six coordinates");
            point.values[usize::from(point.len)] = value;
            point.len += 1;
        }
        point
    }
}

impl Portable for Point {
    fn write(&self, to: &mut impl Extend<u8>) {
        self.len.write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let len = usize::from(u8::read(from)?);
        if len > MAX_RANK {
            return Err(PortableError::Invalid(type_name::<Self>()));
        }
        (0..len).map(|_| i64::read(from)).collect()
    }
}

impl Deref for Point {
    type Target = [i64];

    #[inline]
    fn deref(&self) -> &[i64] {
        &self.values[..self.rank()]
    }
}

impl DerefMut for Point {
    #[inline]
    fn deref_mut(&mut self) -> &mut [i64] {
        let rank = self.rank();
        &mut self.values[..rank]
    }
}

impl PartialEq for Point {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Point {}

impl PartialOrd for Point {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The order is lexicographic: the first coordinate counts most.
impl Ord for Point {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl core::hash::Hash for Point {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
