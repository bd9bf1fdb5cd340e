//! Views of views of views, by chance, against lists of indices.

use layout::SoA;
use layout_array::{Array, ArrayError};
use layout_domain::{Domain, Pick, StridedRange};
use layout_store::{Dim, Runtime, StoreRank};
use support::locales::on_locales;
use support::random::Random;

use super::builder;
use super::spaces::{Side, domain_of, product};
use super::spreads::{self, value};
use crate::LOCALES;

/// The indices that a view shows along a dimension, in order, each with its index in the array.
type Along = Vec<(i64, i64)>;

/// A view, and what it shows along each of its dimensions; of each dimension of the array, which dimension of the view it is, or the
/// index that was picked.
struct View<const N: usize, const B: usize>
where
    Dim<N>: StoreRank,
{
    array: Array<i64, N, SoA>,
    along: [Along; N],
    base: [Result<usize, i64>; B],
}

/// A range that has some numbers around 0 to 20, and these, in its order.
fn range(random: &mut Random) -> (StridedRange, Vec<i64>) {
    let number = |random: &mut Random, end: usize| i64::try_from(random.below(end)).expect("small");
    let low = number(random, 12) - 6;
    let high = low + 5 + number(random, 14);
    let by = [1, 1, 2, 3, -1, -2][random.below(6)];
    // From the low end upward, or from the high end downward.
    let (first, last) = if by > 0 { (low, high) } else { (high, low) };
    let count = (last - first) / by + 1;
    (StridedRange::from(low..=high).by(by.into()).expect("a stride"), (0..count).map(|at| first + at * by).collect())
}

/// The indices of a dimension that are among some numbers, in the order of these numbers.
fn among(along: &Along, numbers: &[i64]) -> Along {
    numbers.iter().filter_map(|number| along.iter().find(|(at, _)| at == number).copied()).collect()
}

impl<const N: usize, const B: usize> View<N, B>
where
    Dim<N>: StoreRank,
{
    fn sliced(self, random: &mut Random) -> Result<Self, ArrayError> {
        let ranges: [_; N] = core::array::from_fn(|_| range(random));
        let array = self.array.slice(&Domain::new(ranges.each_ref().map(|(range, _)| *range)))?;
        let along = core::array::from_fn(|dim| among(&self.along[dim], &ranges[dim].1));
        Ok(Self { array, along, base: self.base })
    }

    fn reindexed(self, random: &mut Random) -> Result<Self, ArrayError> {
        let mut along = self.along;
        let sides: [Side; N] = core::array::from_fn(|dim| {
            let first = i64::try_from(random.below(9)).expect("small") - 4;
            (first, [1, 2, -1][random.below(3)], i64::try_from(along[dim].len()).expect("small"))
        });
        for (along, (first, step, _)) in along.iter_mut().zip(sides) {
            along.iter_mut().zip(0..).for_each(|((at, _), order)| *at = first + order * step);
        }
        Ok(Self { array: self.array.reindex(&domain_of(sides))?, along, base: self.base })
    }

    /// One dimension less: an index of one that is there, and ranges of others.
    fn picked<const Q: usize>(self, random: &mut Random) -> Result<View<Q, B>, ArrayError>
    where
        Dim<Q>: StoreRank,
    {
        let out = random.below(N);
        let (at, base_at) = self.along[out][random.below(self.along[out].len())];
        let kept: Vec<usize> = (0..N).filter(|dim| *dim != out).collect();
        let mut picks = [Pick::All; N];
        picks[out] = Pick::Index(at);
        let mut along = kept.iter().map(|dim| self.along[*dim].clone()).collect::<Vec<_>>();
        for (dim, along) in kept.iter().zip(&mut along) {
            if random.below(3) == 0 {
                let (range, numbers) = range(random);
                picks[*dim] = Pick::Range(range);
                *along = among(along, &numbers);
            }
        }
        let along = along.try_into().expect("one dimension less");
        let base = self.base.map(|base| match base {
            Ok(dim) if dim == out => Err(base_at),
            Ok(dim) if dim > out => Ok(dim - 1),
            other => other,
        });
        Ok(View { array: self.array.pick(picks)?, along, base })
    }

    fn is_empty(&self) -> bool {
        self.along.iter().any(Vec::is_empty)
    }

    /// The indices of the array that it shows, in its order, and its own.
    fn shown(&self) -> Vec<([i64; B], [i64; N])> {
        let places = product(self.along.each_ref().map(|along| (0, 1, i64::try_from(along.len()).expect("small"))));
        let shown = places.into_iter().map(|places| {
            let along: [(i64, i64); N] =
                core::array::from_fn(|dim| self.along[dim][usize::try_from(places[dim]).expect("a place")]);
            (self.base.map(|base| base.map_or_else(|at| at, |dim| along[dim].1)), along.map(|(at, _)| at))
        });
        shown.collect()
    }

    /// Checks what it shows of an array with these elements, and changes them through it.
    fn check(
        &self,
        rt: &Runtime,
        (owner, whole): (&spreads::Owner<B>, &Array<i64, B, SoA>),
    ) -> Result<Option<String>, ArrayError>
    where
        Dim<B>: StoreRank,
    {
        let shown = self.shown();
        let indices: Vec<_> = self.array.domain().iter().collect();
        let elements = self.array.to_vec()?;
        let owners: Vec<_> = indices.iter().map(|at| self.array.owner(*at)).collect();
        let local: Vec<usize> =
            (0..rt.locales()).map(|locale| self.array.local(locale).iter().map(Domain::len).sum()).collect();
        self.array.update().for_each(|chunk, (mut part,)| {
            let dims = *chunk.domain().dims();
            part.for_each_indexed_mut(|at, mut slot| {
                let at = at.as_ref();
                let index: [i64; N] = core::array::from_fn(|dim| dims[dim].at(at[dim]).expect("an index"));
                slot.set(slot.get() + 1 + index.iter().sum::<i64>());
            });
        })?;
        let after = whole.to_vec()?;
        let mut expected: Vec<i64> = whole.domain().iter().map(value).collect();
        for (base, at) in &shown {
            let order = whole.domain().order(*base).expect("an index of the array");
            expected[order] += 1 + at.iter().sum::<i64>();
        }
        whole.fill_from_fn(value)?;
        let count = |locale: usize| shown.iter().filter(|(base, _)| owner(*base) == locale).count();
        let what = if indices != shown.iter().map(|(_, at)| *at).collect::<Vec<_>>() {
            format!("indices {indices:?}, and not {shown:?}")
        } else if elements != shown.iter().map(|(base, _)| value(*base)).collect::<Vec<_>>() {
            format!("elements {elements:?}, and not those of {shown:?}")
        } else if owners != shown.iter().map(|(base, _)| Some(owner(*base))).collect::<Vec<_>>() {
            format!("owners {owners:?}, and not those of {shown:?}")
        } else if local != (0..rt.locales()).map(count).collect::<Vec<_>>() {
            format!("so many local elements: {local:?}")
        } else if after != expected {
            format!("after a change the array has {after:?}, and not {expected:?}")
        } else {
            return Ok(None);
        };
        Ok(Some(format!("{}: {what}", self.array.domain())))
    }
}

/// Some steps of slices and other indices.
fn steps<const N: usize, const B: usize>(mut view: View<N, B>, random: &mut Random) -> Result<View<N, B>, ArrayError>
where
    Dim<N>: StoreRank,
{
    for _ in 0..random.below(3) {
        view = if random.below(2) == 0 { view.sliced(random)? } else { view.reindexed(random)? };
        if view.is_empty() {
            break;
        }
    }
    Ok(view)
}

/// Chains of views of a cube, down to one dimension; what is wrong with them, first.
fn chains(rt: &Runtime, seed: u64) -> Result<Vec<String>, ArrayError> {
    let sides = [(-2, 1, 6), (9, -2, 5), (0, 3, 5)];
    let domain: Domain<3> = domain_of(sides);
    let along = sides.map(|(first, step, count)| (0..count).map(|at| [first + at * step; 2].into()).collect::<Along>());
    let mut wrong = Vec::new();
    for (number, spread) in spreads::all::<3, i64>(sides, rt.locales()).into_iter().enumerate() {
        let whole: Array<i64, 3, SoA> = spread.of(rt, &domain)?;
        // All locales draw the same numbers.
        let mut random = Random(seed + 1000 * number as u64);
        for chain in 0..4 {
            let mut note = |view: Option<String>| {
                let what = format!("{}, seed {seed}, chain {chain} on {} locales", spread.name, rt.locales());
                wrong.extend(view.map(|view| format!("{what}: {view}")));
            };
            let given = (&spread.owner, &whole);
            let cube = View { array: whole.clone(), along: along.clone(), base: [Ok(0), Ok(1), Ok(2)] };
            let cube = steps(cube, &mut random)?;
            note(cube.check(rt, given)?);
            if cube.is_empty() {
                continue;
            }
            let plane = steps(cube.picked::<2>(&mut random)?, &mut random)?;
            note(plane.check(rt, given)?);
            if plane.is_empty() {
                continue;
            }
            let line = steps(plane.picked::<1>(&mut random)?, &mut random)?;
            note(line.check(rt, given)?);
        }
    }
    Ok(wrong)
}

#[test]
fn chains_of_views_are_lists_of_indices() {
    for locales in LOCALES {
        let seed = u64::try_from(locales).expect("small");
        let wrong = on_locales(builder(locales, 2), seed, |rt, seed| {
            chains(rt, seed).unwrap_or_else(|error| vec![format!("seed {seed}: {error}")])
        });
        let wrong: Vec<String> = wrong.expect("programs").into_iter().flatten().collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
