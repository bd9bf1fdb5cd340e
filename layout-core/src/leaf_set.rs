//! Sets of leaves, as constants.

use core::fmt;

use crate::path::{Path, assert_exists};
use crate::record::Record;
use crate::tree::MAX_LEAVES;

/// A set of leaves of a record, by their numbers.
///
/// # Examples
///
/// ```
/// use layout::record::LeafSet;
///
/// const SET: LeafSet = LeafSet::EMPTY.with(2, 3);
/// assert!(SET.contains(4) && !SET.contains(5));
/// assert_eq!(SET.count(), 3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LeafSet([u64; MAX_LEAVES / 64]);

impl LeafSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; MAX_LEAVES / 64]);

    /// All leaves of the record `R`.
    #[must_use]
    pub const fn all<R: Record>() -> Self {
        Self::EMPTY.with(0, R::TREE.leaves())
    }

    /// The leaves at and below the place `P`.
    #[must_use]
    pub const fn of<P: Path>() -> Self {
        assert_exists::<P>();
        Self::EMPTY.with(P::LEAF, <P::Type as Record>::TREE.leaves())
    }

    /// This set with the `count` leaves from number `first` on added.
    ///
    /// # Panics
    ///
    /// Panics if a number is not below 4096.
    #[must_use]
    pub const fn with(mut self, first: usize, count: usize) -> Self {
        let mut leaf = first;
        while leaf < first + count {
            self.0[leaf / 64] |= 1 << (leaf % 64);
            leaf += 1;
        }
        self
    }

    /// The leaves in this set or in `other`.
    #[must_use]
    pub const fn or(mut self, other: &Self) -> Self {
        let mut i = 0;
        while i < self.0.len() {
            self.0[i] |= other.0[i];
            i += 1;
        }
        self
    }

    /// The subset of the `count` leaves from number `first` on, renumbered so that leaf `first` becomes leaf 0.
    #[must_use]
    pub const fn part(&self, first: usize, count: usize) -> Self {
        let mut part = Self::EMPTY;
        let mut leaf = 0;
        // Most layouts compute no leaf.
        while leaf < count && !self.is_empty() {
            if self.contains(first + leaf) {
                part = part.with(leaf, 1);
            }
            leaf += 1;
        }
        part
    }

    /// Returns `true` if leaf number `leaf` is in the set.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub const fn contains(&self, leaf: usize) -> bool {
        leaf < MAX_LEAVES && self.0[leaf / 64] >> (leaf % 64) & 1 == 1
    }

    /// The 64 leaves from number `64 * i` on, as bits.
    pub(crate) const fn word(&self, i: usize) -> u64 {
        self.0[i]
    }

    /// Returns `true` if the set has no leaf.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The number of leaves in the set.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.below(MAX_LEAVES)
    }

    /// The number of leaves in the set whose numbers are below `leaf`.
    #[must_use]
    pub const fn below(&self, leaf: usize) -> usize {
        let (mut count, mut i) = (0, 0);
        while i < leaf / 64 {
            count += self.0[i].count_ones() as usize;
            i += 1;
        }
        if !leaf.is_multiple_of(64) {
            count += (self.0[i] & ((1 << (leaf % 64)) - 1)).count_ones() as usize;
        }
        count
    }
}

impl fmt::Debug for LeafSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries((0..MAX_LEAVES).filter(|leaf| self.contains(*leaf))).finish()
    }
}
