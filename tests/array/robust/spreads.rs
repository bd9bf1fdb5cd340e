//! Distributions, each with the owner of an index by its definition, worked out without the library.

use core::ops::Deref;
use std::sync::Arc;

use layout::{Record, RecordLayout};
use layout_array::{Array, ArrayError, HaloArray};
use layout_domain::{
    AnyAxis, Block, BlockCyclic, Cyclic, Dimensional, Domain, DomainMap, Hashed, Index, PerLocale, Stencil,
    StridedRange, Targets,
};
use layout_store::{Dim, Runtime, StoreRank};

use super::spaces::Side;

/// A distribution.
pub(super) struct Spread<const N: usize, I: Index> {
    pub(super) name: &'static str,
    pub(super) map: Arc<dyn DomainMap<N, I> + Send + Sync>,
    pub(super) owner: Owner<N>,
    /// If arrays have a halo.
    pub(super) stencil: Option<Stencil<N, I>>,
}

/// The owner of an index.
pub(super) type Owner<const N: usize> = Arc<dyn Fn([i64; N]) -> usize + Send + Sync>;

impl<const N: usize, I: Index> Spread<N, I> {
    /// An array that nobody has written.
    pub(super) fn new<R, L>(&self, rt: &Runtime, domain: &Domain<N, I>) -> Result<Array<R, N, L, I>, ArrayError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        Dim<N>: StoreRank,
    {
        match &self.stencil {
            Some(stencil) => Ok(HaloArray::new(rt, domain, stencil.clone())?.deref().clone()),
            None => Array::new(rt, domain, self.map.clone()),
        }
    }

    /// An array with the value of each index.
    pub(super) fn of<L>(&self, rt: &Runtime, domain: &Domain<N, I>) -> Result<Array<i64, N, L, I>, ArrayError>
    where
        L: RecordLayout<i64> + Default,
        Dim<N>: StoreRank,
    {
        let array = self.new(rt, domain)?;
        array.fill_from_fn(|index| value(wide(index)))?;
        Ok(array)
    }
}

/// A number that tells an index.
pub(super) fn value<const N: usize>(index: [i64; N]) -> i64 {
    index.into_iter().fold(7, |value: i64, at| value.wrapping_mul(1009).wrapping_add(at))
}

pub(super) fn wide<const N: usize, I: Index>(index: [I; N]) -> [i64; N] {
    index.map(|at| i64::try_from(at.wide()).expect("a small index"))
}

/// The grid of so many locales, as the golden programs of Chapel have it.
fn grid<const N: usize>(locales: usize) -> [usize; N] {
    let sides = match (locales, N) {
        (4, 2..) => [2, 2],
        (6, 2..) => [3, 2],
        _ => [locales, 1],
    };
    core::array::from_fn(|dim| sides.get(dim).copied().unwrap_or(1))
}

/// Which part of a dimension has an index.
#[derive(Clone, Copy)]
enum Part {
    /// Blocks from the first number to the second one.
    Block(i64, i64),
    /// In turn, from this index on.
    Cyclic(i64),
    /// In turn, so many indices each, from this one on.
    BlockCyclic(i64, i64),
}

impl Part {
    fn of(self, index: i64, parts: usize) -> usize {
        let count = i64::try_from(parts).expect("a small number");
        let part = match self {
            // What lies outside the box belongs to the first and the last part.
            Self::Block(low, _) if index < low => 0,
            Self::Block(_, high) if index > high => count - 1,
            Self::Block(low, high) => {
                // Part p begins at p len / count.
                let begins = |part: &i64| (index - low) * count >= part * (high - low + 1);
                (0..count).rev().find(begins).expect("part 0 begins at 0")
            }
            Self::Cyclic(start) => (index - start).rem_euclid(count),
            Self::BlockCyclic(start, block) => (index - start).div_euclid(block).rem_euclid(count),
        };
        usize::try_from(part).expect("a part")
    }

    fn axis<I: Index>(self) -> AnyAxis<I> {
        let at = |index: i64| I::narrow(index.into()).expect("an index of its type");
        match self {
            Self::Block(low, high) => AnyAxis::block(at(low)..=at(high)).expect("a box"),
            Self::Cyclic(start) => AnyAxis::cyclic(at(start)),
            Self::BlockCyclic(start, block) => AnyAxis::block_cyclic(at(start), block.unsigned_abs()).expect("a block"),
        }
    }
}

/// The owners of a distribution of each dimension over the same dimension of a grid of these locales.
fn owners<const N: usize>(parts: [Part; N], locales: Vec<usize>) -> Owner<N> {
    let grid = grid::<N>(locales.len());
    Arc::new(move |index| {
        let place = (0..N).fold(0, |place, dim| place * grid[dim] + parts[dim].of(index[dim], grid[dim]));
        locales[place]
    })
}

/// Keys by a sum of them: indices without any pattern of boxes.
#[derive(Debug)]
struct ByKey<const N: usize>(Hashed<[i64; N]>);

fn key_sum<const N: usize>(key: &[i64; N], locales: usize) -> usize {
    let sum: i64 = key.iter().zip([5, 3, 11, 7]).map(|(at, by)| at * by).sum();
    usize::try_from((sum / 2).rem_euclid(i64::try_from(locales).expect("small"))).expect("a locale")
}

impl<const N: usize, I: Index> DomainMap<N, I> for ByKey<N> {
    fn locales(&self) -> &[usize] {
        self.0.locales()
    }

    fn owner(&self, index: [I; N], _: usize) -> Option<usize> {
        self.0.owner(&wide(index)).ok()
    }

    fn local(&self, locale: usize, domain: &Domain<N, I>) -> Vec<Domain<N, I>> {
        let own = domain.iter().filter(|index| self.owner(*index, locale) == Some(locale));
        own.map(|index| Domain::new(index.map(|at| StridedRange::from(at..=at)))).collect()
    }
}

/// All distributions of boxes over so many locales, for indices within these sides and around.
pub(super) fn all<const N: usize, I: Index>(sides: [Side; N], locales: usize) -> Vec<Spread<N, I>> {
    let at = |index: [i64; N]| index.map(|at| I::narrow(at.into()).expect("an index of its type"));
    let ends = sides.map(|(first, step, count)| {
        let last = first + (count - 1).max(0) * step;
        (first.min(last), first.max(last))
    });
    let lows = ends.map(|(low, _)| low);
    let highs = ends.map(|(_, high)| high);
    let in_order: Vec<usize> = (0..locales).collect();
    let backward: Vec<usize> = (0..locales).rev().collect();
    // Not on the first locale, if there are others.
    let some: Vec<usize> = if locales > 1 { (1..locales).rev().collect() } else { vec![0] };
    let targets = |locales: &[usize]| Targets::<N>::of(locales).expect("locales");
    let bounds = |ends: [(i64, i64); N]| {
        Domain::new(ends.map(|(low, high)| {
            let [low, high] = [low, high].map(|at| I::narrow(at.into()).expect("an index of its type"));
            StridedRange::from(low..=high)
        }))
    };
    // The box is smaller than the domain: what lies outside goes to the first and the last blocks.
    let middle = ends.map(|(low, high)| (low + (high - low) / 4, high - (high - low) / 3));
    let block = |ends: [(i64, i64); N]| ends.map(|(low, high)| Part::Block(low, high));
    let over = |ends, locales: &[usize]| Block::over(&bounds(ends), targets(locales)).expect("a box");
    let stencil = Stencil::new(over(ends, &in_order), [1; N]);
    let dimensional: [Part; N] = core::array::from_fn(|dim| match dim % 3 {
        0 => Part::BlockCyclic(highs[dim], 2),
        1 => Part::Block(lows[dim], highs[dim]),
        _ => Part::Cyclic(lows[dim]),
    });
    let spread = |name, map: Arc<dyn DomainMap<N, I> + Send + Sync>, owner| Spread { name, map, owner, stencil: None };
    let mut all = vec![
        spread("Block", Arc::new(over(ends, &in_order)), owners(block(ends), in_order.clone())),
        spread(
            "Block of a smaller box, backward",
            Arc::new(over(middle, &backward)),
            owners(block(middle), backward.clone()),
        ),
        spread(
            "Cyclic",
            Arc::new(Cyclic::new(at(lows), targets(&in_order))),
            owners(lows.map(Part::Cyclic), in_order.clone()),
        ),
        spread(
            "Cyclic, not on all locales",
            Arc::new(Cyclic::new(at(highs), targets(&some))),
            owners(highs.map(Part::Cyclic), some),
        ),
        spread(
            "BlockCyclic",
            Arc::new(BlockCyclic::new(at(highs), [2; N], targets(&in_order)).expect("a block")),
            owners(highs.map(|high| Part::BlockCyclic(high, 2)), in_order.clone()),
        ),
        spread(
            "Dimensional",
            Arc::new(Dimensional::of(dimensional.map(Part::axis), targets(&backward))),
            owners(dimensional, backward),
        ),
        spread(
            "Hashed",
            Arc::new(ByKey(Hashed::by(Targets::all(locales).expect("locales"), key_sum::<N> as fn(&_, _) -> _))),
            Arc::new(move |index| key_sum(&index, locales)),
        ),
    ];
    // An array with a halo has elements on both sides of its domain, where the index type ends before.
    let has_halo = sides.iter().zip(ends).all(|((_, step, _), (low, high))| {
        [low - step.abs(), high + step.abs()].into_iter().all(|at| I::narrow(at.into()).is_some())
    });
    if has_halo {
        let owner = owners(block(ends), in_order);
        all.push(Spread { name: "Stencil", map: Arc::new(stencil.clone()), owner, stencil: Some(stencil) });
    }
    all
}

/// One index on each locale, the last one first.
pub(super) fn per_locale(locales: usize) -> Spread<1, i64> {
    let backward: Vec<usize> = (0..locales).rev().collect();
    let map = PerLocale::new(Targets::of(backward.clone()).expect("locales"));
    let owner = move |[at]: [i64; 1]| backward[usize::try_from(at).expect("a locale")];
    Spread { name: "PerLocale", map: Arc::new(map), owner: Arc::new(owner), stencil: None }
}
