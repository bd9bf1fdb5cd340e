//! Spaces of indices: a domain, and the same indices listed by loops over numbers.

use layout_domain::{Domain, Index, StridedRange};

use super::spreads::{self, Spread};

/// The indices of one dimension, in order: a first one, how far it is to the next, and how many there are.
pub(super) type Side = (i64, i64, i64);

/// A set of indices, and the distributions that it is given.
pub(super) struct Space<const N: usize, I: Index> {
    pub(super) name: &'static str,
    pub(super) domain: Domain<N, I>,
    pub(super) sides: [Side; N],
    /// All indices, row by row.
    pub(super) indices: Vec<[i64; N]>,
    pub(super) spreads: Vec<Spread<N, I>>,
}

impl<const N: usize, I: Index> Space<N, I> {
    /// A domain whose sides these are, and all distributions over so many locales.
    pub(super) fn new(name: &'static str, domain: Domain<N, I>, sides: [Side; N], locales: usize) -> Self {
        Self { name, domain, sides, indices: product(sides), spreads: spreads::all(sides, locales) }
    }

    /// Other indices, as many along each dimension, with strides, upward and downward.
    pub(super) fn other(&self, locales: usize) -> Space<N, i64> {
        let mut sides = self.sides;
        for (dim, (first, step, count)) in sides.iter_mut().enumerate() {
            (*first, *step) = if dim % 2 == 0 { (100, 3) } else { (7 + 2 * *count, -2) };
        }
        Space::new("other indices", domain_of(sides), sides, locales)
    }

    /// The indices in the library's type.
    pub(super) fn narrow(index: [i64; N]) -> [I; N] {
        index.map(|at| I::narrow(at.into()).expect("an index of its type"))
    }
}

/// All combinations of members of the sides, the last one fastest.
pub(super) fn product<const N: usize>(sides: [Side; N]) -> Vec<[i64; N]> {
    let mut all = vec![[0; N]];
    for (dim, (first, step, count)) in sides.into_iter().enumerate() {
        let along = |index: [i64; N]| {
            (0..count).map(move |order| {
                let mut index = index;
                index[dim] = first + order * step;
                index
            })
        };
        all = all.into_iter().flat_map(along).collect();
    }
    all
}

/// The domain of sides.
pub(super) fn domain_of<const N: usize, I: Index>(sides: [Side; N]) -> Domain<N, I> {
    Domain::new(sides.map(|(first, step, count)| {
        let last = first + (count - 1) * step;
        let (first, last) = if count == 0 { (first, first - 1) } else { (first.min(last), first.max(last)) };
        let [low, high] = [first, last].map(|at| I::narrow(at.into()).expect("an index of its type"));
        StridedRange::from(low..=high).by(step.into()).expect("a stride")
    }))
}
