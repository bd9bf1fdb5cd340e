//! The positions of elements from a list.

use layout::Linearization;
use layout::error::ExtentsError;
use layout::index::IndexArray;

use crate::indices::indices;

/// A linearization of our own, without constant strides: the position of each index is read from a list. It stands for
/// every linearization of every rank, index by index in row-major order, so that a test is compiled for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// The position of each index, in row-major order of the indices.
    pub positions: &'static [usize],
    /// The number of positions, also those that no index has.
    pub span: usize,
}

impl Listed {
    /// The list of a linearization that was fitted to these extents.
    ///
    /// # Panics
    ///
    /// Panics if the number of positions overflows.
    pub fn of<A: IndexArray>(linearization: &impl Linearization<A>, extents: A) -> Self {
        let positions = indices(extents).into_iter().map(|index| linearization.position(extents, index)).collect();
        Self { positions: Vec::leak(positions), span: linearization.span(extents).unwrap() }
    }
}

// SAFETY: the positions are those of a linearization whose span this is, and are below it and different,
// as the test `linearizations_keep_their_promises` finds.
unsafe impl Linearization<[usize; 1]> for Listed {
    const INNER: Option<usize> = None;
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = false;

    fn fit(self, extents: [usize; 1]) -> Result<Self, ExtentsError> {
        assert_eq!(extents, [self.positions.len()]);
        Ok(self)
    }

    fn span(&self, _: [usize; 1]) -> Option<usize> {
        Some(self.span)
    }

    fn position(&self, _: [usize; 1], [index]: [usize; 1]) -> usize {
        // A walk over no elements asks for the first.
        self.positions.get(index).copied().unwrap_or(0)
    }

    fn stride(&self, _: [usize; 1], _: usize) -> isize {
        0
    }

    fn nest(&self, _: [usize; 1]) -> [usize; 1] {
        [0]
    }

    fn is_unique(&self, _: [usize; 1]) -> bool {
        true
    }
}
