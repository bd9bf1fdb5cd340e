//! Sparse domains: some of the indices of a domain.
//!
//! ```text
//! SparseDomain        the indices, sorted (coordinates, COO)
//! CompressedRows      the start of each row, and the columns (CSR)
//! ```

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::{Domain, DomainError, DomainMap, Index};

/// Some of the indices of a domain, its *parent*, in the order of the parent.
///
/// The memory and the time of a walk grow with the number of indices; the time to find an index grows with the logarithm of that number.
/// Indices are added and removed many at a time.
///
/// # Examples
///
/// ```
/// use layout::domain::{Block, Domain, SparseDomain, Targets};
///
/// let matrix = Domain::new([0..=999, 0..=999]);
/// let mut filled = SparseDomain::new(&matrix);
/// assert_eq!(filled.insert([[7, 3], [2, 900], [7, 1], [7, 3]])?, 3); // one of them twice
/// assert!(filled.iter().eq([[2, 900], [7, 1], [7, 3]]));
/// assert_eq!((filled.order([7, 1]), filled.order([7, 2])), (Some(1), None));
///
/// let blocks = Block::over(&matrix, Targets::all(4)?)?;
/// assert!(filled.local(&blocks, 1).iter().eq([[2, 900]]));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SparseDomain<const R: usize, I: Index = i64> {
    parent: Domain<R, I>,
    /// In the order of the parent; each index once.
    indices: Vec<[I; R]>,
}

impl<const R: usize, I: Index> SparseDomain<R, I> {
    /// Creates a sparse domain without indices.
    #[must_use]
    pub fn new(parent: &Domain<R, I>) -> Self {
        Self { parent: *parent, indices: Vec::new() }
    }

    /// The parent.
    #[must_use]
    pub fn parent(&self) -> &Domain<R, I> {
        &self.parent
    }

    /// The number of indices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns `true` if there are no indices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The order of two indices in the parent.
    fn compare(parent: &Domain<R, I>, a: &[I; R], b: &[I; R]) -> Ordering {
        let sides = parent.dims().iter().zip(a.iter().zip(b));
        let side = sides.map(|(dim, (a, b))| if dim.stride() > 0 { a.cmp(b) } else { b.cmp(a) });
        side.fold(Ordering::Equal, Ordering::then)
    }

    /// The place of an index, or the place at which it would be inserted.
    fn find(&self, index: &[I; R]) -> Result<usize, usize> {
        self.indices.binary_search_by(|other| Self::compare(&self.parent, other, index))
    }

    /// Adds indices and returns the number of new ones. The time grows with the number of present indices and of given indices, which are
    /// sorted.
    ///
    /// # Errors
    ///
    /// [`DomainError::NotInParent`] if the parent does not have one of the indices; then no index is added.
    pub fn insert(&mut self, indices: impl IntoIterator<Item = [I; R]>) -> Result<usize, DomainError> {
        let mut new: Vec<[I; R]> = indices.into_iter().collect();
        if let Some(stray) = new.iter().find(|index| !self.parent.contains(**index)) {
            let index = stray.map(Index::wide).to_vec();
            return Err(DomainError::NotInParent { index, domain: self.parent.to_string() });
        }
        let (before, parent) = (self.len(), self.parent);
        new.sort_unstable_by(|a, b| Self::compare(&parent, a, b));
        // The stable sort finds the two sorted runs and merges them.
        self.indices.append(&mut new);
        self.indices.sort_by(|a, b| Self::compare(&parent, a, b));
        self.indices.dedup();
        Ok(self.len() - before)
    }

    /// Removes indices and returns the number of removed ones.
    pub fn remove(&mut self, indices: impl IntoIterator<Item = [I; R]>) -> usize {
        let mut gone = vec![false; self.len()];
        for index in indices {
            if let Ok(at) = self.find(&index) {
                gone[at] = true;
            }
        }
        let before = self.len();
        let mut gone = gone.into_iter();
        self.indices.retain(|_| !gone.next().unwrap_or(false));
        before - self.len()
    }

    /// Returns `true` if the sparse domain has an index.
    #[must_use]
    pub fn contains(&self, index: [I; R]) -> bool {
        self.find(&index).is_ok()
    }

    /// The number of indices before an index, in order; `None` if the sparse domain does not have the index.
    #[must_use]
    pub fn order(&self, index: [I; R]) -> Option<usize> {
        self.find(&index).ok()
    }

    /// The index with this number of indices before it.
    #[must_use]
    pub fn at(&self, order: usize) -> Option<[I; R]> {
        self.indices.get(order).copied()
    }

    /// All indices, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = [I; R]> + ExactSizeIterator + '_ {
        self.indices.iter().copied()
    }

    /// All indices, in order, as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[[I; R]] {
        &self.indices
    }

    /// The indices that are also in `domain`. The result keeps the parent, so the order and the owners of indices do not change.
    #[must_use]
    pub fn intersect(&self, domain: &Domain<R, I>) -> Self {
        let indices = self.iter().filter(|index| domain.contains(*index)).collect();
        Self { parent: self.parent, indices }
    }

    /// The indices that lie on a locale if the parent is distributed by `map`.
    #[must_use]
    pub fn local(&self, map: &dyn DomainMap<R, I>, locale: usize) -> Self {
        // The parts may be many more than the indices. Only a map with copies gives an index to several locales.
        let parts = if map.copies() { map.local(locale, &self.parent) } else { Vec::new() };
        let own = |index: &[I; R]| match map.copies() {
            true => parts.iter().any(|part| part.contains(*index)),
            false => map.owner(*index, locale) == Some(locale),
        };
        Self { parent: self.parent, indices: self.iter().filter(own).collect() }
    }
}

/// The indices of a sparse domain of two dimensions, row by row: the start of each row of the parent, and the columns.
///
/// # Examples
///
/// ```
/// use layout::domain::{CompressedRows, Domain, SparseDomain};
///
/// let mut filled = SparseDomain::new(&Domain::new([1..=4, 1..=9]));
/// filled.insert([[4, 2], [1, 5], [1, 3]])?;
/// let rows = CompressedRows::of(&filled);
/// assert_eq!((rows.starts(), rows.columns()), (&[0, 2, 2, 2, 3][..], &[3, 5, 2][..]));
/// assert_eq!((rows.row(1), rows.row(2)), (Some(&[3, 5][..]), Some(&[][..])));
/// assert_eq!((rows.order([4, 2]), rows.to_sparse()), (Some(2), filled));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompressedRows<I: Index = i64> {
    parent: Domain<2, I>,
    /// One start for each row, and last the number of indices.
    starts: Vec<usize>,
    columns: Vec<I>,
}

impl<I: Index> CompressedRows<I> {
    /// Compresses the rows of a sparse domain. The time and the memory also grow with the number of rows of the parent.
    #[must_use]
    pub fn of(sparse: &SparseDomain<2, I>) -> Self {
        let mut starts = vec![0; sparse.parent.dims()[0].len() + 1];
        for [row, _] in sparse.iter() {
            if let Some(order) = sparse.parent.dims()[0].order(row) {
                starts[order + 1] += 1;
            }
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        Self { parent: sparse.parent, starts, columns: sparse.iter().map(|[_, column]| column).collect() }
    }

    /// The start of the columns of each row of the parent, and last the number of indices.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns, row by row.
    #[must_use]
    pub fn columns(&self) -> &[I] {
        &self.columns
    }

    /// The columns of a row; `None` if the parent does not have the row.
    #[must_use]
    pub fn row(&self, row: I) -> Option<&[I]> {
        let order = self.parent.dims()[0].order(row)?;
        self.columns.get(self.starts[order]..self.starts[order + 1])
    }

    /// The number of indices before an index, in order; `None` if there is no such index.
    #[must_use]
    pub fn order(&self, [row, column]: [I; 2]) -> Option<usize> {
        let start = self.starts[self.parent.dims()[0].order(row)?];
        let up = self.parent.dims()[1].stride() > 0;
        let found = self.row(row)?.binary_search_by(|other| if up { other.cmp(&column) } else { column.cmp(other) });
        Some(start + found.ok()?)
    }

    /// The indices as a sparse domain.
    #[must_use]
    pub fn to_sparse(&self) -> SparseDomain<2, I> {
        let rows = self.parent.dims()[0].iter().zip(self.starts.windows(2));
        let indices =
            rows.flat_map(|(row, ends)| self.columns[ends[0]..ends[1]].iter().map(move |column| [row, *column]));
        SparseDomain { parent: self.parent, indices: indices.collect() }
    }
}
