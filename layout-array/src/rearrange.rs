//! Elements at other positions: transpose, shift, rotate.

use core::array;
use std::sync::Arc;

use layout_core::{Record, RecordLayout, check_records};
use layout_domain::{Domain, DomainMap, Index, StridedRange};
use layout_store::{Dim, StoreRank};

use crate::positions::{self, SharedMap};
use crate::{Array, ArrayError};

/// A distribution of indices whose entries are permuted.
#[derive(Debug)]
struct TransposedMap<const N: usize, I: Index> {
    map: SharedMap<N, I>,
    /// Entry `dim` of an index is entry `axes[dim]` of an index of `map`.
    axes: [usize; N],
}

impl<const N: usize, I: Index> TransposedMap<N, I> {
    fn below<T: Copy>(&self, entries: [T; N]) -> [T; N] {
        let mut below = entries;
        self.axes.iter().zip(entries).for_each(|(axis, entry)| below[*axis] = entry);
        below
    }
}

impl<const N: usize, I: Index> DomainMap<N, I> for TransposedMap<N, I> {
    fn locales(&self) -> &[usize] {
        self.map.locales()
    }

    fn owner(&self, index: [I; N], here: usize) -> Option<usize> {
        self.map.owner(self.below(index), here)
    }

    fn local(&self, locale: usize, domain: &Domain<N, I>) -> Vec<Domain<N, I>> {
        let parts = self.map.local(locale, &Domain::new(self.below(*domain.dims())));
        parts.into_iter().map(|part| transposed(&part, self.axes)).collect()
    }

    fn is_partition(&self, domain: &Domain<N, I>) -> bool {
        self.map.is_partition(&Domain::new(self.below(*domain.dims())))
    }

    fn copies(&self) -> bool {
        self.map.copies()
    }
}

/// The domain whose dimension `dim` is dimension `axes[dim]` of another one.
fn transposed<const N: usize, I: Index>(domain: &Domain<N, I>, axes: [usize; N]) -> Domain<N, I> {
    Domain::new(axes.map(|axis| domain.dims()[axis]))
}

/// Positions along a dimension: their start in the array that is written, their start in the array that is read, and their number.
type Piece = (usize, usize, usize);

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> Array<R, N, L, I>
where
    Dim<N>: StoreRank,
{
    /// Permutes the dimensions: dimension `dim` of the result is dimension `axes[dim]` of this array. The result is a view; nothing is
    /// copied or sent, and each element stays on its locale. To transpose between distributions, [`assign`](Self::assign) the result to an
    /// array with another distribution.
    ///
    /// # Errors
    ///
    /// Returns an error if `axes` does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::{Array, ArrayError};
    /// use layout::domain::{Block, Cyclic, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let seen = Runtime::builder().locales(2).threads(1).whole_below(0).simulate(|rt| {
    ///     let (wide, high) = (Domain::new([1..=2, 1..=3]), Domain::new([1..=3, 1..=2]));
    ///     let a: Array<i64, 2> = Array::from_fn(rt, &wide, Block::over(&wide, Targets::all(2)?)?, |[i, j]| 10 * i + j)?;
    ///     let b: Array<i64, 2> = Array::new(rt, &high, Cyclic::new([1, 1], Targets::all(2)?))?;
    ///     b.assign(&a.transpose([1, 0])?)?;
    ///     assert_eq!(b.owner([2, 1]), a.transpose([1, 0])?.owner([1, 2]));
    ///     b.to_vec()
    /// })?;
    /// assert_eq!(seen.into_iter().collect::<Result<Vec<_>, ArrayError>>()?, [[11, 21, 12, 22, 13, 23]; 2]);
    /// # Ok::<(), ArrayError>(())
    /// ```
    pub fn transpose(&self, axes: [usize; N]) -> Result<Self, ArrayError> {
        let store = self.store.clone().into_dyn().transpose(axes.to_vec())?.into_rank()?;
        let domain = transposed(&self.domain, axes);
        let map: SharedMap<N, I> = Arc::new(TransposedMap { map: self.map.clone(), axes });
        let tiles = positions::tiles(&self.runtime(), &domain, &map)?;
        Ok(Self { domain, map, store, tiles, part: self.part })
    }

    /// Sets each element to the element of another array `by` positions before it, and the elements that have no such element to `fill`;
    /// returns at once. Negative numbers shift towards the first position.
    ///
    /// Only elements that change their locale are sent, in messages as [`Array::assign`] sends them.
    ///
    /// # Errors
    ///
    /// Returns an error if shapes differ, the arrays have elements in common, or elements of `other` are unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let line = Domain::from(1..=5);
    /// let map = Block::over(&line, Targets::all(1)?)?;
    /// let a: Array<i64, 1> = Array::from_fn(&rt, &line, map.clone(), |[i]| i)?;
    /// let b: Array<i64, 1> = Array::new(&rt, &line, map)?;
    /// b.shift_from(&a, [2], 0)?;
    /// assert_eq!(b.to_vec()?, [0, 0, 1, 2, 3]);
    /// b.rotate_from(&a, [-1])?;
    /// assert_eq!(b.to_vec()?, [2, 3, 4, 5, 1]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn shift_from<K, J>(&self, other: &Array<R, N, K, J>, by: [i64; N], fill: R) -> Result<(), ArrayError>
    where
        K: RecordLayout<R> + Default,
        J: Index,
    {
        let shape = self.domain.shape();
        let kept: [Piece; N] = array::from_fn(|dim| {
            let moved = usize::try_from(by[dim].unsigned_abs()).unwrap_or(usize::MAX).min(shape[dim]);
            let (to, from) = if by[dim] > 0 { (moved, 0) } else { (0, moved) };
            (to, from, shape[dim] - moved)
        });
        self.domain.same_shape(&other.domain)?;
        self.operand(("assign", 1), other)?;
        check_records::<R, L>(&[fill])?;
        // The first launch alone reads.
        self.as_a_whole([], |all| {
            all.pieces_from(other, &kept.map(|piece| vec![piece]))?;
            // The rest: along each dimension, beside the elements that are kept of the dimensions before it.
            for dim in 0..N {
                let (to, _, count) = kept[dim];
                let blank = if to > 0 { (0, to) } else { (count, shape[dim] - count) };
                let along = |other: usize| match other.cmp(&dim) {
                    core::cmp::Ordering::Less => (kept[other].0, kept[other].2),
                    core::cmp::Ordering::Equal => blank,
                    core::cmp::Ordering::Greater => (0, shape[other]),
                };
                let blank = all.at_positions(array::from_fn(along))?;
                if !blank.domain.is_empty() {
                    blank.fill(fill)?;
                }
            }
            Ok(())
        })
    }

    /// Shifts as [`shift_from`](Self::shift_from) does, and moves the elements that leave at one end to the other end.
    ///
    /// # Errors
    ///
    /// The errors of [`shift_from`](Self::shift_from).
    pub fn rotate_from<K, J>(&self, other: &Array<R, N, K, J>, by: [i64; N]) -> Result<(), ArrayError>
    where
        K: RecordLayout<R> + Default,
        J: Index,
    {
        let shape = self.domain.shape();
        let pieces = array::from_fn(|dim| {
            let len = i128::from(by[dim]).rem_euclid(i128::try_from(shape[dim].max(1)).unwrap_or(1));
            let moved = usize::try_from(len).unwrap_or(0);
            vec![(moved, 0, shape[dim] - moved), (0, shape[dim] - moved, moved)]
        });
        self.domain.same_shape(&other.domain)?;
        let operands = [self.operand(("assign", 1), other)?];
        self.as_a_whole(operands, |all| all.pieces_from(other, &pieces))
    }

    /// Assigns boxes of another array, one for each combination of pieces of the dimensions.
    fn pieces_from<K, J>(&self, other: &Array<R, N, K, J>, pieces: &[Vec<Piece>; N]) -> Result<(), ArrayError>
    where
        K: RecordLayout<R> + Default,
        J: Index,
    {
        let choices = Domain::new(pieces.each_ref().map(|pieces| 0..pieces.len() as u64));
        for choice in choices {
            let piece = |dim: usize| pieces[dim][usize::try_from(choice[dim]).unwrap_or(0)];
            let to = self.at_positions(array::from_fn(|dim| (piece(dim).0, piece(dim).2)))?;
            let from = other.at_positions(array::from_fn(|dim| (piece(dim).1, piece(dim).2)))?;
            to.assign(&from)?;
        }
        Ok(())
    }

    /// The elements at positions along each dimension, given as a start and a number.
    fn at_positions(&self, positions: [(usize, usize); N]) -> Result<Self, ArrayError> {
        let range = |(start, count): (usize, usize)| {
            let [start, count] = [start, count].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
            StridedRange::from(start..start + count)
        };
        self.slice(&positions::indices_of(&self.domain, &Domain::new(positions.map(range)))?)
    }
}
