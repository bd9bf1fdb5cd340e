//! Arrays that change: other domains, other distributions, other elements.

use layout::SoA;
use layout_array::{Array, ArrayError};
use layout_domain::{Domain, Index};
use layout_store::{Dim, StoreRank, Traffic};

use super::spaces::{Side, Space, domain_of, product};
use super::spreads::{Spread, value, wide};
use super::{Case, Topic, everywhere, tiles_of};

/// A domain grows at some ends and shrinks at others, or gets another stride: what is in both stays.
struct Resize;

impl Topic for Resize {
    const NAME: &'static str = "resize";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        // One index less at the start, and, where the index type has them, two more there; at the end the other way round; every
        // other index, downward; and none at all.
        let moved = |by: i64, more: i64| {
            space.sides.map(|(first, step, count)| (first + by * step, step, (count + more).max(0)))
        };
        let every_other =
            space.sides.map(|(first, step, count)| (first + (count - 1) * step, -2 * step, (count + 1) / 2));
        let changes = [moved(1, -1), moved(-2, 1), moved(1, 1), moved(0, 0), every_other, moved(0, -space.sides[0].2)];
        let fits = |sides: &[Side; N]| {
            let ends = sides.iter().flat_map(|(first, step, count)| [*first, first + (count - 1) * step]);
            ends.into_iter().all(|at| I::narrow(at.into()).is_some())
        };
        for (at, spread) in space.spreads.iter().enumerate() {
            // Half of the changes, and the others on the next number of locales.
            let some = |(number, sides): &(usize, [Side; N])| (number + at + rt.locales() / 2) % 2 == 0 && fits(sides);
            for (number, sides) in changes.into_iter().enumerate().filter(some) {
                let name = format!("{}, change {number} to {sides:?}", spread.name);
                let domain: Domain<N, I> = domain_of(sides);
                let mut array: Array<i64, N, SoA, I> = spread.of(rt, &space.domain)?;
                let before = array.clone();
                let has_owners = product(sides).into_iter().all(|at| array.owner(Space::narrow(at)).is_some());
                if !has_owners {
                    // Indices beyond those that have an owner.
                    case.check(&name, array.resize(&domain).is_err(), || "it was resized".to_owned());
                    case.equal(&name, "the domain", array.domain(), &space.domain);
                    continue;
                }
                let ((), sent) = case.sent(|| array.resize(&domain))?;
                case.equal(&name, "sent", sent, Traffic::default());
                case.equal(&name, "the domain", array.domain().iter().map(wide).collect::<Vec<_>>(), product(sides));
                let common = domain.intersect(&space.domain);
                let kept = array.slice(&common)?;
                let expected = |domain: &Domain<N, I>| domain.iter().map(wide).map(value).collect::<Vec<_>>();
                case.equal(&name, "elements in both", kept.to_vec()?, expected(&common));
                let own = domain.iter().all(|at| array.owner(at) == before.owner(at));
                case.check(&name, own, || "owners have changed".to_owned());
                case.equal(&name, "elements of a clone", before.to_vec()?, expected(&space.domain));
                // Elements that were added have none, until somebody writes them.
                if common.len() < domain.len() {
                    case.check(&name, array.to_vec().is_err(), || "there are elements that nobody wrote".to_owned());
                }
                array.fill_from_fn(|at| value(wide(at)) + 1)?;
                let all: Vec<i64> = product(sides).into_iter().map(|at| value(at) + 1).collect();
                case.equal(&name, "all elements", array.to_vec()?, all);
            }
        }
        Ok(())
    }
}

#[test]
fn resizing_keeps_what_is_in_both() {
    everywhere::<Resize>();
}

/// Another distribution, and back: the same elements, each of which moves once.
struct Redistribute;

impl Topic for Redistribute {
    const NAME: &'static str = "redistribute";
    const TILES: usize = 1;

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let expected: Vec<i64> = space.indices.iter().copied().map(value).collect();
        let change = |array: &mut Array<i64, N, SoA, I>, (from, to): (&Spread<N, I>, &Spread<N, I>)| {
            let name = format!("{} to {}", from.name, to.name);
            let tiles = tiles_of(from, array);
            let ((), sent) = case.sent(|| array.redistribute(to.map.clone()))?;
            // Halos are not kept: the distribution is one of blocks.
            let moves = tiles.into_iter().zip(tiles_of(to, array)).map(<[_; 2]>::from);
            case.sends(&name, "", sent, 8, moves);
            case.equal(&name, "elements", array.to_vec()?, &expected[..]);
            let owners: Vec<_> = space.domain.iter().map(|at| array.owner(at)).collect();
            case.equal(
                &name,
                "owners",
                owners,
                space.indices.iter().map(|at| Some((to.owner)(*at))).collect::<Vec<_>>(),
            );
            let local = array.read_local(|parts| parts.iter().map(|(part, _)| part.len()).sum::<usize>())?;
            let own = space.indices.iter().filter(|at| (to.owner)(**at) == rt.locale()).count();
            case.equal(&name, "local elements", local, own);
            Ok::<_, ArrayError>(())
        };
        for (from, to) in case.pairs(space.spreads.len(), space.spreads.len()) {
            let (from, to) = (&space.spreads[from], &space.spreads[to]);
            let mut array: Array<i64, N, SoA, I> = from.of(rt, &space.domain)?;
            change(&mut array, (from, to))?;
            change(&mut array, (to, from))?;
        }
        Ok(())
    }
}

#[test]
fn redistribution_there_and_back_is_the_identity() {
    everywhere::<Redistribute>();
}
