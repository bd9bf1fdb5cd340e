//! Ranges with a stride and an alignment.
//!
//! ```text
//! members      low <= i <= high and i = alignment (mod |stride|)
//! order        ascending if the stride is positive, descending if it is negative
//! ```
//!
//! Bounds are kept as they were given and need not be members: so an expanded range can have members beyond its former last one.

use alloc::format;
use alloc::string::ToString;
use core::any::type_name;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops;

use crate::{DomainError, Index};

/// Every `stride`-th index between two bounds, including the bounds.
///
/// The order of a range is descending if its stride is negative. Two ranges are equal if they have the same members in the same order,
/// whatever their bounds are.
///
/// # Examples
///
/// ```
/// use layout::domain::StridedRange;
///
/// let odd = StridedRange::from(1..=20).by(2)?;
/// assert_eq!((odd.first(), odd.last(), odd.len()), (Some(1), Some(19), 10));
/// assert_eq!(odd.order(5), Some(2));
///
/// let down = StridedRange::from(1..=20).by(-5)?; // starts at the high end
/// assert!(down.iter().eq([20, 15, 10, 5]));
///
/// let aligned = StridedRange::from(0..=9).by(2)?.align(1); // the odd ones
/// assert!(aligned.iter().eq([1, 3, 5, 7, 9]));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Copy)]
pub struct StridedRange<I: Index = i64> {
    low: I,
    high: I,
    /// Not zero; the absolute value is at most `MOST`.
    stride: i128,
    /// At least 0 and less than the absolute stride.
    alignment: i128,
}

/// The largest absolute stride: no two indices of any [`Index`] type are farther apart, and -2^63 and 2^64 - 1 are nearly as far.
const MOST: i128 = 1 << 65;

impl<I: Index> StridedRange<I> {
    /// The empty range from 1 to 0, or, of a type without these, from its largest index to its smallest one.
    pub(crate) fn none() -> Self {
        let (low, high) = I::narrow(1).zip(I::narrow(0)).unwrap_or((I::MAX, I::MIN));
        Self { low, high, stride: 1, alignment: 0 }
    }

    /// A range between bounds that contains the indices a multiple of the stride away from `member`.
    fn of(low: I, high: I, stride: i128, member: i128) -> Self {
        Self { low, high, stride, alignment: remainder(member, stride.abs()) }
    }

    /// Every `by`-th member from the first one on, or, if `by` is negative, from the last one down.
    ///
    /// # Errors
    ///
    /// [`DomainError::Stride`] if `by` is 0.
    pub fn by(self, by: i128) -> Result<Self, DomainError> {
        if by == 0 {
            return Err(DomainError::Stride { range: self.to_string() });
        }
        // A stride beyond `MOST` has one member, as `MOST` has.
        let stride = self.stride.saturating_mul(by).clamp(-MOST, MOST);
        let from = if by > 0 { self.first_wide() } else { self.last_wide() };
        Ok(Self::of(self.low, self.high, stride, from.unwrap_or(self.alignment)))
    }

    /// The range with the same bounds and stride, whose members differ from `member` by multiples of the stride. `member` need not be
    /// between the bounds.
    #[must_use]
    pub fn align(self, member: I) -> Self {
        Self::of(self.low, self.high, self.stride, member.wide())
    }

    /// The bounds as they were given. They need not be members; in an empty range the first may be above the second.
    #[must_use]
    pub fn bounds(&self) -> (I, I) {
        (self.low, self.high)
    }

    /// The distance from one member to the next: negative in a descending range.
    #[must_use]
    pub fn stride(&self) -> i128 {
        self.stride
    }

    /// The remainder of each member modulo the absolute stride.
    #[must_use]
    pub fn alignment(&self) -> i128 {
        self.alignment
    }

    fn low_wide(&self) -> Option<i128> {
        let low = self.low.wide();
        let low = low + remainder(self.alignment - low, self.stride.abs());
        (low <= self.high.wide()).then_some(low)
    }

    fn high_wide(&self) -> Option<i128> {
        let high = self.high.wide();
        let high = high - remainder(high - self.alignment, self.stride.abs());
        (high >= self.low.wide()).then_some(high)
    }

    pub(crate) fn first_wide(&self) -> Option<i128> {
        if self.stride > 0 { self.low_wide() } else { self.high_wide() }
    }

    fn last_wide(&self) -> Option<i128> {
        if self.stride > 0 { self.high_wide() } else { self.low_wide() }
    }

    /// The lowest member; `None` for an empty range.
    #[must_use]
    pub fn low(&self) -> Option<I> {
        self.low_wide().and_then(I::narrow)
    }

    /// The highest member; `None` for an empty range.
    #[must_use]
    pub fn high(&self) -> Option<I> {
        self.high_wide().and_then(I::narrow)
    }

    /// The first member in order; `None` for an empty range. It is the highest one if the stride is negative.
    #[must_use]
    pub fn first(&self) -> Option<I> {
        self.first_wide().and_then(I::narrow)
    }

    /// The last member in order; `None` for an empty range. It is the lowest one if the stride is negative.
    #[must_use]
    pub fn last(&self) -> Option<I> {
        self.last_wide().and_then(I::narrow)
    }

    /// The number of members, less than 2^65.
    pub(crate) fn count(&self) -> i128 {
        match (self.low_wide(), self.high_wide()) {
            (Some(low), Some(high)) => quotient(high - low, self.stride.abs()) + 1,
            _ => 0,
        }
    }

    /// The number of members; the largest `usize` if there are more.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.count()).unwrap_or(usize::MAX)
    }

    /// Returns `true` if the range has no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low_wide().is_none()
    }

    /// Returns `true` if an index is a member.
    #[must_use]
    pub fn contains(&self, index: I) -> bool {
        self.low <= index && index <= self.high && remainder(index.wide() - self.alignment, self.stride.abs()) == 0
    }

    /// The number of members before an index, in order.
    ///
    /// `None` if the index is not a member, or if a `usize` cannot hold the number.
    #[must_use]
    pub fn order(&self, index: I) -> Option<usize> {
        let first = self.first_wide().filter(|_| self.contains(index))?;
        usize::try_from(quotient(index.wide() - first, self.stride)).ok()
    }

    /// The member with this number of members before it; the inverse of [`order`](Self::order).
    #[must_use]
    pub fn at(&self, order: usize) -> Option<I> {
        let order = order.wide();
        let first = self.first_wide().filter(|_| order < self.count())?;
        I::narrow(first + order * self.stride)
    }

    /// The members of both ranges, in the order of this range. The stride of the result is the least common multiple of both strides.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::StridedRange;
    ///
    /// let (even, third) = (StridedRange::from(0..=20).by(2)?, StridedRange::from(0..=20).by(-3)?);
    /// assert!(even.intersect(&third).iter().eq([2, 8, 14, 20]));
    /// assert!(third.intersect(&even).iter().eq([20, 14, 8, 2]));
    /// # Ok::<(), layout::domain::DomainError>(())
    /// ```
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        Self { low, high, ..*self }.every(other.stride.abs(), other.alignment)
    }

    /// The members that differ from `member` by multiples of `by`, which is positive, in the order of this range.
    pub(crate) fn every(&self, by: i128, member: i128) -> Self {
        if by == 1 {
            return if self.is_empty() { Self::none() } else { *self };
        }
        let (low, high) = (self.low.wide(), self.high.wide());
        let (s, t) = (self.stride.abs(), by);
        let divisor = gcd(s, t);
        // The lowest index of each of the two residue classes that is not below the bound.
        let [a, b] = [(self.alignment, s), (member, t)].map(|(member, by)| low + remainder(member - low, by));
        if low > high || remainder(b - a, divisor) != 0 {
            return Self::none();
        }
        // The lowest index in both: a + s k, where k is the least with s k = b - a (mod t).
        let modulus = quotient(t, divisor);
        let steps =
            multiply(remainder(quotient(b - a, divisor), modulus), inverse(quotient(s, divisor), modulus), modulus);
        let lowest = s.checked_mul(steps).and_then(|beyond| a.checked_add(beyond)).filter(|lowest| *lowest <= high);
        let Some(lowest) = lowest else { return Self::none() };
        let stride = s.checked_mul(modulus).unwrap_or(MOST).min(MOST);
        Self::of(self.low, self.high, stride * self.stride.signum(), lowest)
    }

    /// Moves both bounds outward by `by` indices, whatever the stride is; inward if `by` is negative. Enough steps inward leave it empty.
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if a bound leaves the index type.
    pub fn expand(&self, by: i64) -> Result<Self, DomainError> {
        self.with_bounds(self.low.wide() - i128::from(by), self.high.wide() + i128::from(by))
    }

    /// The members among the last `by` indices between the bounds, whatever the stride is; among the first `-by` indices if `by` is
    /// negative. All members if `by` is 0.
    ///
    /// # Errors
    ///
    /// [`DomainError::Interior`] if there are fewer indices between the bounds.
    pub fn interior(&self, by: i64) -> Result<Self, DomainError> {
        let (low, high, by) = (self.low.wide(), self.high.wide(), i128::from(by));
        let extent = (high - low + 1).max(0);
        match by {
            _ if by.abs() > extent => Err(DomainError::Interior { range: self.to_string(), asked: by.abs(), extent }),
            0 => Ok(*self),
            1.. => self.with_bounds(high - by + 1, high),
            _ => self.with_bounds(low, low - by - 1),
        }
    }

    /// The indices of the residue class of this range among the `by` indices after the high bound; among the `-by` indices before the low
    /// bound if `by` is negative. This range if `by` is 0.
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if a bound leaves the index type.
    pub fn exterior(&self, by: i64) -> Result<Self, DomainError> {
        let (low, high, by) = (self.low.wide(), self.high.wide(), i128::from(by));
        match by {
            0 => Ok(*self),
            1.. => self.with_bounds(high + 1, high + by),
            _ => self.with_bounds(low + by, low - 1),
        }
    }

    /// Moves all members and both bounds by `by` indices.
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if a bound leaves the index type.
    pub fn translate(&self, by: i64) -> Result<Self, DomainError> {
        self.moved(by.into())
    }

    pub(crate) fn moved(&self, by: i128) -> Result<Self, DomainError> {
        let moved = self.with_bounds(self.low.wide().saturating_add(by), self.high.wide().saturating_add(by))?;
        Ok(Self::of(moved.low, moved.high, self.stride, self.alignment + by))
    }

    /// Moves both bounds outward by `steps` members.
    pub(crate) fn expand_by_members(&self, steps: usize) -> Result<Self, DomainError> {
        let (Some(low), Some(high)) = (self.low_wide(), self.high_wide()) else { return Ok(*self) };
        let by = i128::try_from(steps).unwrap_or(MOST).min(MOST).saturating_mul(self.stride.abs());
        self.with_bounds(low.saturating_sub(by), high.saturating_add(by))
    }

    /// The range with other bounds and the same stride and alignment.
    pub(crate) fn with_bounds(&self, low: i128, high: i128) -> Result<Self, DomainError> {
        let bound = |what, index| {
            let overflow = || DomainError::Overflow { what, of: self.to_string(), index, index_type: type_name::<I>() };
            I::narrow(index).ok_or_else(overflow)
        };
        Ok(Self { low: bound("the low bound", low)?, high: bound("the high bound", high)?, ..*self })
    }

    /// The positions of a part's members among the members of this range, in the order of the part.
    ///
    /// # Errors
    ///
    /// [`DomainError::NotAPart`] if a member of the part is not a member of this range.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::StridedRange;
    ///
    /// let (whole, part) = (StridedRange::from(1..=21).by(2)?, StridedRange::from(3..=11).by(4)?);
    /// let dense = whole.densify(&part)?;
    /// assert!(dense.iter().eq([1, 3, 5]));
    /// assert_eq!(whole.undensify(&dense)?, part);
    /// # Ok::<(), layout::domain::DomainError>(())
    /// ```
    pub fn densify(&self, part: &Self) -> Result<StridedRange<u64>, DomainError> {
        let (Some(first), Some(last)) = (part.first(), part.last()) else { return Ok(StridedRange::none()) };
        let not_a_part = || DomainError::NotAPart { part: part.to_string(), whole: self.to_string() };
        if self.stride == 1 {
            // The lowest index is the first one, and every index is a member.
            let position = |index: I| u64::try_from(index.wide() - self.low.wide()).ok().filter(|_| index <= self.high);
            let (Some(first), Some(last)) = (position(first), position(last)) else { return Err(not_a_part()) };
            let stride = if first == last { 1 } else { part.stride };
            return Ok(StridedRange::of(first.min(last), first.max(last), stride, first.wide()));
        }
        let position = |index: I| {
            let from = self.first_wide().filter(|_| self.contains(index))?;
            u64::try_from(quotient(index.wide() - from, self.stride)).ok()
        };
        let (Some(first), Some(last)) = (position(first), position(last)) else { return Err(not_a_part()) };
        let stride = match (first == last, remainder(part.stride, self.stride.abs())) {
            (true, _) => 1,
            (false, 0) => quotient(part.stride, self.stride),
            _ => return Err(not_a_part()),
        };
        Ok(StridedRange::of(first.min(last), first.max(last), stride, first.wide()))
    }

    /// The members at these positions, in the order of the positions.
    ///
    /// # Errors
    ///
    /// [`DomainError::NotAPart`] if this range has no member at one of the positions.
    pub fn undensify(&self, dense: &StridedRange<u64>) -> Result<Self, DomainError> {
        let (Some(first), Some(last)) = (dense.first_wide(), dense.last_wide()) else { return Ok(Self::none()) };
        let member = |position: i128| {
            let from = self.first_wide().filter(|_| position < self.count())?;
            I::narrow(from + position * self.stride)
        };
        let (Some(first), Some(last)) = (member(first), member(last)) else {
            return Err(DomainError::NotAPart { part: dense.to_string(), whole: format!("positions in {self}") });
        };
        let stride = (dense.stride * self.stride.signum()).saturating_mul(self.stride.abs()).clamp(-MOST, MOST);
        Ok(Self::of(first.min(last), first.max(last), stride, first.wide()))
    }

    /// The same members, in the same order, as indices of another type.
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if that type does not have the first or the last member.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::StridedRange;
    ///
    /// let down = StridedRange::from(1_i64..=9).by(-4)?;
    /// assert!(down.with_type::<u8>()?.iter().eq([9, 5, 1]));
    /// assert!(StridedRange::from(-1_i64..=9).with_type::<u8>().is_err());
    /// # Ok::<(), layout::domain::DomainError>(())
    /// ```
    pub fn with_type<J: Index>(&self) -> Result<StridedRange<J>, DomainError> {
        let (Some(low), Some(high)) = (self.low_wide(), self.high_wide()) else { return Ok(StridedRange::none()) };
        let narrow = |what, index| {
            J::narrow(index).ok_or_else(|| DomainError::Overflow {
                what,
                of: self.to_string(),
                index,
                index_type: type_name::<J>(),
            })
        };
        Ok(StridedRange::of(narrow("the lowest member", low)?, narrow("the highest member", high)?, self.stride, low))
    }

    /// All members, in order.
    #[must_use]
    pub fn iter(&self) -> Indices<I> {
        Indices { next: self.first_wide().unwrap_or(0), stride: self.stride, left: self.count(), index: PhantomData }
    }
}

/// `a.rem_euclid(by)` for a positive `by`. It is computed in 64 bits if both numbers fit, as most do: a division in 128 bits takes five
/// times as long.
#[inline]
pub(crate) fn remainder(a: i128, by: i128) -> i128 {
    if by == 1 {
        return 0;
    }
    match (i64::try_from(a), i64::try_from(by)) {
        (Ok(a), Ok(by)) => i128::from(a.rem_euclid(by)),
        _ => a.rem_euclid(by),
    }
}

/// `a / by`, in 64 bits if both numbers fit, as in [`remainder`].
#[inline]
pub(crate) fn quotient(a: i128, by: i128) -> i128 {
    if by == 1 {
        return a;
    }
    match (i64::try_from(a), i64::try_from(by)) {
        // The only quotient that overflows 64 bits is that of the smallest number by -1.
        (Ok(a), Ok(by)) => a.checked_div(by).map_or(-i128::from(a), i128::from),
        _ => a / by,
    }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, remainder(a, b));
    }
    a
}

/// The inverse of `a` modulo `modulus`; the two are coprime and at most `MOST`.
fn inverse(a: i128, modulus: i128) -> i128 {
    let ((mut r, mut x), (mut s, mut y)) = ((a, 1), (modulus, 0));
    while s != 0 {
        let quotient = quotient(r, s);
        ((r, x), (s, y)) = ((s, y), (r - quotient * s, x - quotient * y));
    }
    remainder(x, modulus)
}

/// The product of two numbers modulo `modulus`. The numbers are nonnegative and below `modulus`, which is at most `MOST`.
fn multiply(mut a: i128, mut b: i128, modulus: i128) -> i128 {
    if let Some(product) = a.checked_mul(b) {
        return remainder(product, modulus);
    }
    let mut product = 0;
    while b > 0 {
        if b % 2 == 1 {
            product = remainder(product + a, modulus);
        }
        (a, b) = (remainder(2 * a, modulus), b / 2);
    }
    product
}

/// The indices from the first bound to the second one, including both; none if the range is an iterator that has come to its end.
impl<I: Index> From<ops::RangeInclusive<I>> for StridedRange<I> {
    fn from(range: ops::RangeInclusive<I>) -> Self {
        let (low, high) = (*range.start(), *range.end());
        // The bounds do not show that an iterator has come to its end.
        if low <= high && range.is_empty() { Self::none() } else { Self::of(low, high, 1, 0) }
    }
}

/// The indices from the first bound up to, but not including, the second one.
///
/// The type has no bound before its smallest index. So a range that ends there is empty: its high bound is the smallest index, and its low
/// bound is its start, or the next index if the range starts there, too.
impl<I: Index> From<ops::Range<I>> for StridedRange<I> {
    fn from(range: ops::Range<I>) -> Self {
        match I::narrow(range.end.wide() - 1) {
            Some(high) => Self::of(range.start, high, 1, 0),
            None if range.start > range.end => Self::of(range.start, range.end, 1, 0),
            None => I::narrow(range.end.wide() + 1).map_or_else(Self::none, |low| Self::of(low, range.end, 1, 0)),
        }
    }
}

impl<I: Index> PartialEq for StridedRange<I> {
    fn eq(&self, other: &Self) -> bool {
        let (count, first) = (self.count(), self.first_wide());
        count == other.count() && first == other.first_wide() && (count < 2 || self.stride == other.stride)
    }
}

impl<I: Index> Eq for StridedRange<I> {}

impl<I: Index> Hash for StridedRange<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let count = self.count();
        (count, self.first_wide(), if count < 2 { 1 } else { self.stride }).hash(state);
    }
}

/// Writes the bounds; the stride if it is not 1; and the alignment if the first bound is not a member.
impl<I: Index> fmt::Display for StridedRange<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.low, self.high)?;
        if self.stride != 1 {
            write!(f, " by {}", self.stride)?;
        }
        let start = if self.stride > 0 { self.low } else { self.high };
        match (start.wide() - self.alignment).rem_euclid(self.stride.abs()) {
            0 => Ok(()),
            _ => write!(f, " align {}", self.alignment),
        }
    }
}

impl<I: Index> fmt::Debug for StridedRange<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The members of a range, in order.
#[derive(Clone, Debug)]
pub struct Indices<I: Index> {
    next: i128,
    stride: i128,
    left: i128,
    index: PhantomData<I>,
}

impl<I: Index> Iterator for Indices<I> {
    type Item = I;

    #[inline]
    fn next(&mut self) -> Option<I> {
        if self.left == 0 {
            return None;
        }
        let next = I::narrow(self.next);
        self.left -= 1;
        self.next += self.stride;
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl<I: Index> DoubleEndedIterator for Indices<I> {
    #[inline]
    fn next_back(&mut self) -> Option<I> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        I::narrow(self.next + self.left * self.stride)
    }
}

impl<I: Index> FusedIterator for Indices<I> {}

impl<I: Index> IntoIterator for StridedRange<I> {
    type Item = I;
    type IntoIter = Indices<I>;

    fn into_iter(self) -> Indices<I> {
        self.iter()
    }
}
