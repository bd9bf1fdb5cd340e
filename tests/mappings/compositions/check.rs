//! The check of a composition, over positions of every kind.

use layout::author::Check;
use layout::index::IndexArray;
use layout::{ColMajor, Dim, Linearization, Mapped, RecordLayout, RowMajor, Strided, extents};

use support::hit::Hit;
use support::listed::Listed;

/// Compositions that were checked.
pub(crate) struct Tally {
    pub(crate) compositions: usize,
    lists: Vec<Listed>,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self { compositions: 0, lists: lists() }
    }

    /// Checks the layout `L`, of `N` blobs, which gives `stored(value)` back for a value.
    pub(crate) fn check<L: RecordLayout<Hit> + Default, const N: usize>(&mut self, stored: fn(Hit) -> Hit) {
        self.compositions += 1;
        let check = Check::new().values(|random| Hit::sample(usize::try_from(random % 250).unwrap())).stored(stored);
        for list in &self.lists {
            let mapping =
                Mapped::<Hit, _, L, _>::with(extents!(dyn list.positions.len()), L::default(), *list).unwrap();
            check.mapping(mapping);
            check.blobs::<_, N>(mapping);
        }
    }
}

/// No element, one, as many as no block has; rows, columns, strides with gaps, and backwards.
fn lists() -> Vec<Listed> {
    fn list<A: IndexArray>(linearization: impl Linearization<A>, extents: A) -> Listed {
        Listed::of(&linearization.fit(extents).unwrap(), extents)
    }
    vec![
        list(RowMajor, [0]),
        list(RowMajor, [1]),
        list(RowMajor, [13]),
        list(RowMajor, [3, 4]),
        list(ColMajor, [3, 4]),
        list(Strided::<Dim<2>>::new(3, [9, 2]), [2, 4]),
        list(Strided::<Dim<1>>::new(20, [-2]), [9]),
    ]
}
