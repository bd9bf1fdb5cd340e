//! Chunks: parts of the indices of a locale, for its threads.

use core::array;

use crate::{Domain, Index, StridedRange};

impl<const R: usize, I: Index> Domain<R, I> {
    /// The positions of this domain's indices, cut into at most `tasks` parts of at least `least` indices each, or into one part if
    /// there are fewer. The cuts are along the first dimension that gives as many parts as the number of indices allows, or else along the
    /// one that gives most. Parts are in order, as equal as possible, and nonempty.
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
        // A dimension of all numbers has one index more than a `u64` counts.
        let shape = self.dims().map(|dim| dim.count().unsigned_abs().min(1 << 64));
        let volume = |but: Option<usize>| {
            let others = (0..R).filter(|dim| Some(*dim) != but);
            others.fold(1_u128, |all, dim| all.saturating_mul(shape[dim]))
        };
        let (tasks, least) = (tasks as u128, least.max(1) as u128);
        let wanted = tasks.min(volume(None) / least).max(1);
        // A part has whole rows: of a dimension whose rows are a little shorter than `least`, two of them.
        let most = |dim: usize| wanted.min(shape[dim] / least.div_ceil(volume(Some(dim)).max(1)));
        // Of several dimensions that give most parts, the first one.
        let along = (0..R).find(|dim| most(*dim) >= wanted).or((0..R).rev().max_by_key(|dim| most(*dim)));
        let parts = along.map_or(1, |dim| most(dim).max(1));
        let parts = if self.is_empty() { 0 } else { usize::try_from(parts).unwrap_or(usize::MAX) };
        (0..parts).map(move |part| {
            let cut = |part: usize, len: u128| (len * part as u128).div_ceil(parts as u128);
            let range = |dim: usize| {
                let (low, end) = match shape[dim] {
                    len if along == Some(dim) => (cut(part, len), cut(part + 1, len)),
                    len => (0, len),
                };
                // No part is empty.
                let [low, last] = [low, end - 1].map(|at| u64::try_from(at).unwrap_or(u64::MAX));
                StridedRange::from(low..=last)
            };
            Domain::new(array::from_fn::<_, R, _>(range))
        })
    }
}
