//! Chunks: parts of the indices of a locale, for its threads.

use core::array;

use crate::{Domain, Index, StridedRange};

impl<const R: usize, I: Index> Domain<R, I> {
    /// The positions of this domain's indices, cut into at most `tasks` parts of at least `least` indices each. The cuts are along the
    /// first dimension that is long enough, or else along the longest one. Parts are in order, as equal as possible, and nonempty.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::Domain;
    ///
    /// let odd = Domain::new([1..=20]).by([2])?;
    /// let parts: Vec<_> = odd.chunks(4, 1).map(|part| odd.undensify(&part)).collect::<Result<_, _>>()?;
    /// assert!(parts[0].iter().eq([[1], [3], [5]]));
    /// assert_eq!(parts.len(), 4);
    /// assert_eq!(odd.chunks(4, 5).count(), 2);
    /// # Ok::<(), layout::domain::DomainError>(())
    /// ```
    pub fn chunks(&self, tasks: usize, least: usize) -> impl ExactSizeIterator<Item = Domain<R, u64>> + use<R, I> {
        let shape = self.shape();
        let tasks = tasks.min(self.len() / least.max(1)).max(1);
        // Of several longest dimensions, the first one.
        let longest = (0..R).rev().max_by_key(|dim| shape[*dim]);
        let along = (0..R).find(|dim| shape[*dim] >= tasks).or(longest);
        let parts = if self.is_empty() { 0 } else { along.map_or(1, |dim| tasks.min(shape[dim])) };
        (0..parts).map(move |part| {
            let cut = |part: usize, len: usize| (len as u128 * part as u128).div_ceil(parts as u128);
            let range = |dim: usize| {
                let (low, end) = match shape[dim] {
                    len if along == Some(dim) => (cut(part, len), cut(part + 1, len)),
                    len => (0, len as u128),
                };
                let [low, end] = [low, end].map(|at| u64::try_from(at).unwrap_or(u64::MAX));
                StridedRange::from(low..end)
            };
            Domain::new(array::from_fn::<_, R, _>(range))
        })
    }
}
