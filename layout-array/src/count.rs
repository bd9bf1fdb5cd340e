//! Histograms: counts of elements by a key.

use layout_core::{Record, RecordLayout};
use layout_domain::Index;
use layout_store::{Constraint, Dim, Rule, StoreRank, Sum, TaskBodyError, read};

use crate::{Array, ArrayError};

impl<L: RecordLayout<u64> + Default, I: Index> Array<u64, 1, L, I> {
    /// Sets each element to the number of elements of `values` for which `bin` gives the index of this element; returns at once.
    ///
    /// Each task of a locale counts its own part, in memory for as many counts as this array has. It sends each owner of counts one
    /// message, and the owner adds the counts up.
    ///
    /// # Errors
    ///
    /// Returns an error if elements of `values` are unwritten. If `bin` gives an index that the array does not have, the task fails, and
    /// calls that wait for the counts return its error.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::Array;
    /// use layout::domain::{Block, Cyclic, Domain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let values = Domain::new([1..=10, 1..=10]);
    /// let map = Block::over(&values, Targets::all(1)?)?;
    /// let values: Array<i64, 2> = Array::from_fn(&rt, &values, map, |[i, j]| i * j % 3)?;
    /// let counts: Array<u64, 1> = Array::new(&rt, &Domain::from(0..=3), Cyclic::new([0], Targets::all(1)?))?;
    /// counts.bincount_from(&values, |value| value)?;
    /// assert_eq!(counts.to_vec()?, [51, 25, 24, 0]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn bincount_from<S, const N: usize, K, J>(
        &self,
        values: &Array<S, N, K, J>,
        bin: impl Fn(S) -> I + Send + Sync + 'static,
    ) -> Result<(), ArrayError>
    where
        S: Record,
        K: RecordLayout<S> + Default,
        J: Index,
        Dim<N>: StoreRank,
    {
        let operands = [self.operand(("bincount_from", 0), values)?];
        self.as_a_whole(operands, |to| {
            to.fill(0)?;
            let Some(tiling) = values.tiles.clone() else { return Ok(()) };
            let bins = *to.domain();
            let cut = Constraint::Cut { argument: 0, tiling };
            let all = Constraint::Broadcast { argument: 1, axes: None };
            self.runtime()
                .task("bincount_from")
                .args((read(&values.store), to.reduced(Sum)))
                .constrain(|_| [cut, all].map(Rule::from))
                .launch(move |_, (values, mut counts)| {
                    let mut outside = None;
                    values.for_each(|slots| {
                        let at = bin(S::load(&slots));
                        match bins.order([at]) {
                            Some(place) => counts.reduce(place, 1),
                            None => outside = Some(at),
                        }
                    });
                    let message = |at| TaskBodyError::new(format!("a value has bin {at}, which is not in {bins}"));
                    outside.map_or(Ok(()), |at| Err(message(at)))
                })?;
            Ok(())
        })
    }
}
