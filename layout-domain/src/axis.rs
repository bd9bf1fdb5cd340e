//! Distributions of one dimension.
//!
//! ```text
//! block          0 before lo, parts - 1 after hi, else (i - lo) parts / (hi - lo + 1), rounded down
//! cyclic         (i - start) mod parts
//! block-cyclic   (i - start) / block, rounded down, mod parts
//! replicated     the part that asks
//! ```

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::marker::PhantomData;

use crate::range::{quotient, remainder};
use crate::{DomainError, Index, StridedRange};

/// A distribution of one dimension: it gives each index to one of several parts. [`PerDimension`](crate::PerDimension) combines one `Axis`
/// for each dimension.
///
/// # Examples
///
/// The indices from 0 to `end` as the rows of a lower triangular matrix: parts have different numbers of rows, and about equal numbers of
/// matrix elements:
///
/// ```
/// use layout::domain::{Axis, Domain, PerDimension, StridedRange, Targets, check_map};
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Triangle(i64);
///
/// impl Triangle {
///     fn cut(&self, part: usize, parts: usize) -> i64 {
///         (self.0 as f64 * (part as f64 / parts as f64).sqrt()).ceil() as i64
///     }
/// }
///
/// impl Axis<i64> for Triangle {
///     fn owner(&self, index: i64, parts: usize, _: usize) -> usize {
///         (1..parts).find(|part| index < self.cut(*part, parts)).unwrap_or(parts) - 1
///     }
///
///     fn local(&self, part: usize, parts: usize, range: &StridedRange) -> Vec<StridedRange> {
///         let low = if part == 0 { i64::MIN } else { self.cut(part, parts) };
///         let high = if part == parts - 1 { i64::MAX } else { self.cut(part + 1, parts) - 1 };
///         let own = range.intersect(&(low..=high).into());
///         if own.is_empty() { vec![] } else { vec![own] }
///     }
/// }
///
/// let rows = PerDimension::of([Triangle(100)], Targets::all(4)?);
/// check_map(&rows, &Domain::new([-5..=110]))?;
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
pub trait Axis<I: Index>: Debug + Clone + PartialEq {
    /// The part that owns an index. `here` is the part that asks; it matters only if every part has [copies](Self::copies).
    fn owner(&self, index: I, parts: usize, here: usize) -> usize;

    /// The indices of a range that a part owns: disjoint, nonempty ranges, in the order and with the alignment of the range.
    fn local(&self, part: usize, parts: usize, range: &StridedRange<I>) -> Vec<StridedRange<I>>;

    /// The same distribution in a normal form for this number of parts, in which equal distributions compare equal.
    #[must_use]
    fn normalized(self, parts: usize) -> Self {
        let _ = parts;
        self
    }

    /// Returns `true` if it is known that each index is owned by exactly one part, whatever their number is; `false` if it is not known. See
    /// [`DomainMap::is_partition`](crate::DomainMap::is_partition).
    fn is_partition(&self) -> bool {
        false
    }

    /// Returns `true` if every part has every index.
    fn copies(&self) -> bool {
        false
    }
}

/// Contiguous blocks of a box, as equal as possible. Indices below the box belong to the first block, indices above it to the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockAxis<I: Index = i64> {
    low: I,
    high: I,
}

/// A cyclic distribution: one index to each part, in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CyclicAxis<I: Index = i64> {
    /// The first index of part 0. [`Axis::normalized`] reduces it modulo the number of parts.
    start: i128,
    index: PhantomData<I>,
}

/// A block-cyclic distribution: one block of consecutive indices to each part, in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockCyclicAxis<I: Index = i64> {
    start: I,
    block: u64,
}

/// A distribution that gives every index to all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReplicatedAxis;

/// Any of the distributions of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnyAxis<I: Index = i64> {
    /// Contiguous blocks of a box.
    Block(BlockAxis<I>),
    /// One index to each part, in turn.
    Cyclic(CyclicAxis<I>),
    /// One block of consecutive indices to each part, in turn.
    BlockCyclic(BlockCyclicAxis<I>),
    /// Every index to all parts.
    Replicated,
}

impl<I: Index> BlockAxis<I> {
    /// The blocks of a box from the lowest to the highest bound of a range; the stride is ignored.
    ///
    /// # Errors
    ///
    /// [`DomainError::EmptyBox`] if there is no index between the bounds; the error names dimension `dim`.
    pub(crate) fn new(bounds: &StridedRange<I>, dim: usize) -> Result<Self, DomainError> {
        let (low, high) = bounds.bounds();
        if low > high {
            return Err(DomainError::EmptyBox { bounds: bounds.to_string(), dim });
        }
        Ok(Self { low, high })
    }

    /// The first index of a part.
    fn cut(&self, part: usize, parts: usize) -> i128 {
        let len = self.high.wide() - self.low.wide() + 1;
        let [part, parts] = [part, parts].map(Index::wide);
        self.low.wide() + quotient(len * part + parts - 1, parts)
    }
}

impl<I: Index> Axis<I> for BlockAxis<I> {
    fn owner(&self, index: I, parts: usize, _: usize) -> usize {
        if index < self.low {
            return 0;
        }
        if index > self.high {
            return parts - 1;
        }
        let (len, from_low) = (self.high.wide() - self.low.wide() + 1, index.wide() - self.low.wide());
        usize::try_from(quotient(from_low * parts.wide(), len)).unwrap_or(0)
    }

    fn local(&self, part: usize, parts: usize, range: &StridedRange<I>) -> Vec<StridedRange<I>> {
        let (low, high) = range.bounds();
        let low = if part == 0 { low.wide() } else { self.cut(part, parts).max(low.wide()) };
        let high = if part + 1 == parts { high.wide() } else { (self.cut(part + 1, parts) - 1).min(high.wide()) };
        some(range, low, high).into_iter().collect()
    }

    fn is_partition(&self) -> bool {
        true
    }
}

impl<I: Index> CyclicAxis<I> {
    /// A cyclic distribution in which part 0 has index `start`.
    pub fn new(start: I) -> Self {
        Self { start: start.wide(), index: PhantomData }
    }
}

impl<I: Index> Axis<I> for CyclicAxis<I> {
    fn owner(&self, index: I, parts: usize, _: usize) -> usize {
        usize::try_from(remainder(index.wide() - self.start, parts.wide())).unwrap_or(0)
    }

    fn local(&self, part: usize, parts: usize, range: &StridedRange<I>) -> Vec<StridedRange<I>> {
        let own = range.every(parts.wide(), self.start + part.wide());
        if own.is_empty() { vec![] } else { vec![own] }
    }

    fn normalized(self, parts: usize) -> Self {
        Self { start: self.start.rem_euclid(parts.wide()), ..self }
    }

    fn is_partition(&self) -> bool {
        true
    }
}

impl<I: Index> BlockCyclicAxis<I> {
    /// A block-cyclic distribution in which part 0 has the `block` indices from `start` on.
    ///
    /// # Errors
    ///
    /// [`DomainError::BlockSize`] if `block` is 0; the error names dimension `dim`.
    pub(crate) fn new(start: I, block: u64, dim: usize) -> Result<Self, DomainError> {
        if block == 0 { Err(DomainError::BlockSize { dim }) } else { Ok(Self { start, block }) }
    }

    /// The number of the block of an index; blocks before `start` have negative numbers.
    fn block_of(&self, index: i128) -> i128 {
        (index - self.start.wide()).div_euclid(i128::from(self.block))
    }
}

impl<I: Index> Axis<I> for BlockCyclicAxis<I> {
    fn owner(&self, index: I, parts: usize, _: usize) -> usize {
        usize::try_from(remainder(self.block_of(index.wide()), parts.wide())).unwrap_or(0)
    }

    fn local(&self, part: usize, parts: usize, range: &StridedRange<I>) -> Vec<StridedRange<I>> {
        let (Some(low), Some(high)) = (range.low(), range.high()) else { return vec![] };
        let (part, parts, block) = (part.wide(), parts.wide(), i128::from(self.block));
        let [first, last] = [low, high].map(|end| self.block_of(end.wide()));
        let first = first + remainder(part - first, parts);
        let own = |turn: i128| {
            let start = self.start.wide() + (first + turn * parts) * block;
            some(range, start.max(low.wide()), (start + block - 1).min(high.wide()))
        };
        let turns = if first > last { 0 } else { quotient(last - first, parts) + 1 };
        if range.count() < turns {
            // Each member is in a block of its own, and most blocks have no member.
            let turn_of = |member: I| {
                let before = self.block_of(member.wide()) - first;
                (before >= 0 && remainder(before, parts) == 0).then(|| quotient(before, parts))
            };
            return range.iter().filter_map(turn_of).filter_map(own).collect();
        }
        // The blocks of a descending range are in descending order, too.
        let down = range.stride() < 0;
        (0..turns).filter_map(|turn| own(if down { turns - 1 - turn } else { turn })).collect()
    }

    fn is_partition(&self) -> bool {
        true
    }
}

impl<I: Index> Axis<I> for ReplicatedAxis {
    fn owner(&self, _: I, _: usize, here: usize) -> usize {
        here
    }

    fn local(&self, _: usize, _: usize, range: &StridedRange<I>) -> Vec<StridedRange<I>> {
        if range.is_empty() { vec![] } else { vec![*range] }
    }

    fn copies(&self) -> bool {
        true
    }
}

impl<I: Index> AnyAxis<I> {
    /// Blocks of a box.
    ///
    /// # Errors
    ///
    /// [`DomainError::EmptyBox`] if there is no index between the bounds.
    pub fn block(bounds: impl Into<StridedRange<I>>) -> Result<Self, DomainError> {
        BlockAxis::new(&bounds.into(), 0).map(Self::Block)
    }

    /// One index to each part, in turn.
    pub fn cyclic(start: I) -> Self {
        Self::Cyclic(CyclicAxis::new(start))
    }

    /// One block to each part, in turn.
    ///
    /// # Errors
    ///
    /// [`DomainError::BlockSize`] if a block has 0 indices.
    pub fn block_cyclic(start: I, block: u64) -> Result<Self, DomainError> {
        BlockCyclicAxis::new(start, block, 0).map(Self::BlockCyclic)
    }
}

impl<I: Index> Axis<I> for AnyAxis<I> {
    fn owner(&self, index: I, parts: usize, here: usize) -> usize {
        match self {
            Self::Block(axis) => axis.owner(index, parts, here),
            Self::Cyclic(axis) => axis.owner(index, parts, here),
            Self::BlockCyclic(axis) => axis.owner(index, parts, here),
            Self::Replicated => ReplicatedAxis.owner(index, parts, here),
        }
    }

    fn local(&self, part: usize, parts: usize, range: &StridedRange<I>) -> Vec<StridedRange<I>> {
        match self {
            Self::Block(axis) => axis.local(part, parts, range),
            Self::Cyclic(axis) => axis.local(part, parts, range),
            Self::BlockCyclic(axis) => axis.local(part, parts, range),
            Self::Replicated => ReplicatedAxis.local(part, parts, range),
        }
    }

    fn normalized(self, parts: usize) -> Self {
        match self {
            Self::Cyclic(axis) => Self::Cyclic(axis.normalized(parts)),
            other => other,
        }
    }

    fn is_partition(&self) -> bool {
        !matches!(self, Self::Replicated)
    }

    fn copies(&self) -> bool {
        matches!(self, Self::Replicated)
    }
}

/// The members of a range between two bounds. The bounds are in the index type, unless `low` is above `high`.
fn some<I: Index>(range: &StridedRange<I>, low: i128, high: i128) -> Option<StridedRange<I>> {
    if low > high {
        return None;
    }
    range.with_bounds(low, high).ok().filter(|own| !own.is_empty())
}
