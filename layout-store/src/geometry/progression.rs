//! Progressions: the indices along one dimension, with a step.
//!
//! ```text
//! common   a + s i = b + t j: an index where g = gcd(s, t) divides b - a, and from there every s t / g of them
//! rest     what is left when `common` goes: either one progression for each other residue, from end to end, or one for each
//!          gap, whichever are fewer; and one before it and one after it
//! ```
//!
//! Distances are `u64`, which holds the distance of any two `i64`; products are `i128`.

/// The indices `first`, `first + step` and so on, up to `last`, which is one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progression {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// Positive; 1 for a single index, so that equal sets are equal values.
    pub(crate) step: i64,
}

impl Progression {
    /// Every `step`-th index from `first` up to `end`, which need not be one of them; `None` if `end` is before `first`.
    pub(crate) fn up_to(first: i64, end: i64, step: i64) -> Option<Self> {
        if end < first {
            return None;
        }
        let last = end - (distance(first, end) % step.cast_unsigned()).cast_signed();
        Some(Self { first, last, step: if first == last { 1 } else { step } })
    }

    /// The number of indices; the largest `i64` if there are more.
    pub(crate) fn count(&self) -> i64 {
        let steps = distance(self.first, self.last) / self.step.cast_unsigned();
        i64::try_from(steps).unwrap_or(i64::MAX).saturating_add(1)
    }

    pub(super) fn contains(&self, index: i64) -> bool {
        self.first <= index
            && index <= self.last
            && distance(self.first, index).is_multiple_of(self.step.cast_unsigned())
    }

    /// The indices in both progressions; `None` if there are none.
    pub(super) fn common(&self, other: &Self) -> Option<Self> {
        let (first, end) = (self.first.max(other.first), self.last.min(other.last));
        if end < first {
            return None;
        }
        if self.step == other.step || self.step == 1 || other.step == 1 {
            let (sparse, dense) = if self.step > 1 { (self, other) } else { (other, self) };
            let step = sparse.step.cast_unsigned();
            let over = distance(sparse.first, first) % step;
            let to_next = if over == 0 { 0 } else { step - over };
            if distance(first, end) < to_next {
                return None;
            }
            let first = first + to_next.cast_signed();
            let other =
                if dense.step == 1 || dense.contains(first) { Self::up_to(first, end, sparse.step) } else { None };
            return other;
        }
        let (s, t) = (i128::from(self.step), i128::from(other.step));
        let (gcd, inverse) = gcd_and_inverse(s, t);
        let apart = i128::from(other.first) - i128::from(self.first);
        if apart % gcd != 0 {
            return None;
        }
        // Both factors are below t / gcd, which is below 2^63.
        let (cycle, steps) = (s * (t / gcd), (apart / gcd).rem_euclid(t / gcd) * inverse % (t / gcd));
        let meeting = i128::from(self.first) + s * steps;
        let first = i128::from(first) + (meeting - i128::from(first)).rem_euclid(cycle);
        if first > i128::from(end) {
            return None;
        }
        // A cycle that overflows is longer than the range.
        Self::up_to(i64::try_from(first).ok()?, end, i64::try_from(cycle).unwrap_or(i64::MAX))
    }

    /// The progression with the fewest indices that has all indices of both.
    pub(super) fn around(&self, other: &Self) -> Self {
        let step_of = |one: &Self| if one.first == one.last { 0 } else { one.step.cast_unsigned() };
        let apart = distance(self.first.min(other.first), self.first.max(other.first));
        let step = gcd(gcd(step_of(self), step_of(other)), apart);
        let (first, last) = (self.first.min(other.first), self.last.max(other.last));
        Self { first, last, step: if first == last { 1 } else { i64::try_from(step).unwrap_or(1) } }
    }

    /// The number of progressions that [`rest`](Self::rest) returns.
    pub(super) fn count_rest(&self, common: &Self) -> u64 {
        let (between, step) = self.between(common);
        let (before, after) = (distance(self.first, common.first), distance(common.last, self.last));
        between.count() + u64::from(before >= step) + u64::from(after >= step)
    }

    /// The indices that are not in `common`, which is a part of this progression, as disjoint progressions.
    pub(super) fn rest(self, common: Self) -> impl Iterator<Item = Self> {
        let (between, step) = self.between(&common);
        // A step is positive and fits an `i64`, and so do indices of this progression.
        let (by, own) = (step.cast_signed(), self.step.cast_unsigned());
        let before = (distance(self.first, common.first) >= step).then(|| {
            let first = self.first + (distance(self.first, common.first) % step).cast_signed();
            Self::up_to(first, common.first - by, by)
        });
        let after = (distance(common.last, self.last) >= step).then(|| Self::up_to(common.last + by, self.last, by));
        let start = distance(self.first, common.first) / own;
        let part = move |number: u64| match between {
            Between::Residues(residues) => {
                let first = (start % (residues + 1) + number + 1) % (residues + 1) * own;
                Self::up_to(self.first + first.cast_signed(), self.last, common.step)
            }
            Between::Gaps(_) => {
                let before = common.first + number.cast_signed() * common.step;
                Self::up_to(before + self.step, before + (common.step - self.step), self.step)
            }
        };
        before.into_iter().chain((0..between.count()).map(part)).chain(after).flatten()
    }

    /// The rest between the indices of `common`, and the step of the rest before and after them.
    fn between(&self, common: &Self) -> (Between, u64) {
        if common.first == common.last || common.step == self.step {
            return (Between::Gaps(0), self.step.cast_unsigned());
        }
        let (step, residues) = (common.step.cast_unsigned(), (common.step / self.step - 1).cast_unsigned());
        let gaps = distance(common.first, common.last) / step;
        if residues <= gaps {
            (Between::Residues(residues), step)
        } else {
            (Between::Gaps(gaps), self.step.cast_unsigned())
        }
    }
}

/// The grouping of the indices between those of a progression with a larger step.
#[derive(Clone, Copy)]
enum Between {
    /// One progression from end to end for each residue other than that of the larger step.
    Residues(u64),
    /// One progression for each gap.
    Gaps(u64),
}

impl Between {
    fn count(self) -> u64 {
        match self {
            Self::Residues(count) | Self::Gaps(count) => count,
        }
    }
}

/// The distance from one index to another one, which is not before it.
fn distance(from: i64, to: i64) -> u64 {
    to.wrapping_sub(from).cast_unsigned()
}

pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The greatest common divisor of two positive numbers, and the inverse of `a / gcd` modulo `b / gcd`.
fn gcd_and_inverse(a: i128, b: i128) -> (i128, i128) {
    // a * x is r, and a * y is s, both modulo b.
    let ((mut r, mut x), (mut s, mut y)) = ((a, 1), (b, 0));
    while s != 0 {
        let quotient = r / s;
        ((r, x), (s, y)) = ((s, y), (r - quotient * s, x - quotient * y));
    }
    (r, x.rem_euclid(b / r))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Progression {
        fn indices(&self) -> Vec<i64> {
            let count = usize::try_from(self.count()).unwrap();
            core::iter::successors(Some(self.first), |at| at.checked_add(self.step)).take(count).collect()
        }
    }

    /// All progressions of the indices 0 to `most`.
    fn all(most: i64) -> Vec<Progression> {
        let mut all = Vec::new();
        for first in 0..=most {
            for step in 1..=(most - first).max(1) {
                let ends = (first..=most).step_by(usize::try_from(step).unwrap());
                all.extend(ends.filter_map(|end| Progression::up_to(first, end, step)));
            }
        }
        all.dedup();
        all
    }

    /// Checks the functions of two progressions against the sets of their indices.
    fn check(a: &Progression, b: &Progression) {
        let (these, those) = (a.indices(), b.indices());
        let both: Vec<i64> = these.iter().copied().filter(|at| those.contains(at)).collect();
        let common = a.common(b);
        assert_eq!(common.map_or(Vec::new(), |common| common.indices()), both, "{a:?} and {b:?}");
        assert_eq!(common, b.common(a));
        let around = a.around(b);
        // All indices are the first one plus a multiple of a step; the largest such step gives the fewest indices.
        let (first, last) = (a.first.min(b.first), a.last.max(b.last));
        let step = these.iter().chain(&those).fold(0, |step, at| gcd(step, distance(first, *at)));
        let step = i64::try_from(step).unwrap_or(1).max(1);
        assert_eq!(around, Progression { first, last, step }, "around {a:?} and {b:?}");
        let Some(common) = common else { return };
        let parts: Vec<Progression> = a.rest(common).collect();
        assert_eq!(parts.len() as u64, a.count_rest(&common));
        let mut rest: Vec<i64> = parts.iter().flat_map(Progression::indices).collect();
        rest.sort_unstable();
        let expected: Vec<i64> = these.into_iter().filter(|at| !both.contains(at)).collect();
        assert_eq!(rest, expected, "{a:?} without {common:?}");
    }

    #[test]
    fn all_pairs_of_few_indices_are_sets() {
        let all = all(11);
        for a in &all {
            assert!((-1..13).all(|at| a.contains(at) == a.indices().contains(&at)), "{a:?}");
            for b in &all {
                check(a, b);
            }
        }
    }

    /// Progressions of few indices with any steps, most of them near the largest or the smallest index.
    fn some() -> impl Strategy<Value = Progression> {
        let step = prop_oneof![1..50_i64, 1 << 30..1_i64 << 32, 1 << 55..1_i64 << 56];
        (step, 0..40_i64, 0..100_i64, 0..3_u8).prop_map(|(step, steps, shift, place)| {
            let (first, end) = match place {
                0 => (shift, shift + step * steps),
                1 => (i64::MAX - shift - step * steps, i64::MAX - shift),
                _ => (i64::MIN + shift, i64::MIN + shift + step * steps),
            };
            Progression::up_to(first, end, step).unwrap()
        })
    }

    proptest! {
        #[test]
        fn progressions_of_large_indices_are_sets(a in some(), b in some()) {
            check(&a, &b);
        }
    }

    #[test]
    fn steps_that_have_no_small_common_multiple_meet_once() {
        let (most, a_step, b_step) = (i64::MAX, (1_i64 << 31) - 1, (1_i64 << 32) + 15);
        let a = Progression::up_to(5, most, a_step).unwrap();
        let b = Progression::up_to(7, most, b_step).unwrap();
        let common = a.common(&b).unwrap();
        assert!(a.contains(common.first) && b.contains(common.first) && b.contains(common.last));
        assert_eq!(common.step, if common.first == common.last { 1 } else { a_step * b_step });
        assert_eq!(Progression::up_to(i64::MIN, i64::MAX, 1).unwrap().count(), i64::MAX);
        // A thousandth of the indices leaves as many progressions as there are gaps, or residues.
        let every = |step| Progression::up_to(0, 1_000_000, step).unwrap();
        assert_eq!(every(1).count_rest(&every(100_000)), 10);
        assert_eq!(every(1).count_rest(&every(10)), 9);
    }
}
