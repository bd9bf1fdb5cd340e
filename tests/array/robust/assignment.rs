//! Assignment of whole arrays and of views, between all pairs of distributions: what changes its locale is sent, once.

use layout::{AoS, SoA};
use layout_array::{Array, ArrayError};
use layout_domain::{Domain, Index};
use layout_store::{Dim, StoreRank, Traffic};

use super::spreads::value;
use super::{Case, Topic, everywhere, tiles_of};

/// Whole arrays, in other layouts and under other indices.
struct Assignment;

impl Topic for Assignment {
    const NAME: &'static str = "assignment";
    const TILES: usize = 1;

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let other = space.other(rt.locales());
        for (to, from) in case.pairs(space.spreads.len(), other.spreads.len()) {
            let (to, from) = (&space.spreads[to], &other.spreads[from]);
            let name = format!("{} from {}", to.name, from.name);
            let target: Array<i64, N, SoA, I> = to.new(rt, &space.domain)?;
            let source: Array<i64, N, AoS> = from.of(rt, &other.domain)?;
            let ((), sent) = case.sent(|| target.assign(&source))?;
            let tiles = tiles_of(from, &source).into_iter().zip(tiles_of(to, &target));
            case.sends(&name, "to assign", sent, 8, tiles.map(<[_; 2]>::from));
            let expected: Vec<i64> = other.indices.iter().copied().map(value).collect();
            case.equal(&name, "elements", target.to_vec()?, &expected[..]);

            // What lies alike stays where it is.
            let alike: Array<i64, N, AoS, I> = to.new(rt, &space.domain)?;
            let ((), sent) = case.sent(|| alike.assign(&target))?;
            case.equal(&name, "sent to assign to an array that lies alike", sent, Traffic::default());
            case.equal(&name, "elements of one that lies alike", alike.to_vec()?, expected);
        }
        Ok(())
    }
}

#[test]
fn assignment_sends_what_changes_its_locale() {
    everywhere::<Assignment>();
}

/// Parts of arrays, to parts of others: every second index, and the last ones first.
struct Parts;

impl Topic for Parts {
    const NAME: &'static str = "assignment of parts";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let other = space.other(rt.locales());
        let numbers = |domain: &Domain<N, I>| domain.iter().filter_map(|at| space.domain.order(at)).collect::<Vec<_>>();
        let (even, back) = (space.domain.by([2; N])?, other.domain.by([-2; N])?);
        for (to, from) in case.pairs(space.spreads.len(), other.spreads.len()).step_by(3) {
            let (to, from) = (&space.spreads[to], &other.spreads[from]);
            let name = format!("{} from {}", to.name, from.name);
            let target: Array<i64, N, SoA, I> = to.of(rt, &space.domain)?;
            let source: Array<i64, N> = from.of(rt, &other.domain)?;
            let ((), sent) = case.sent(|| target.slice(&even)?.assign(&source.slice(&back)?))?;
            let mut expected: Vec<i64> = space.indices.iter().copied().map(value).collect();
            let mut bytes = 0;
            let sources = back.iter().filter_map(|at| other.domain.order(at));
            for (number, from_number) in numbers(&even).into_iter().zip(sources) {
                let (at, from_at) = (space.indices[number], other.indices[from_number]);
                expected[number] = value(from_at);
                bytes += if (from.owner)(from_at) == rt.locale() && (to.owner)(at) != rt.locale() { 8 } else { 0 };
            }
            case.equal(&name, "bytes sent", sent.bytes, bytes);
            case.equal(&name, "elements", target.to_vec()?, expected);
        }
        Ok(())
    }
}

#[test]
fn parts_are_assigned_to_parts() {
    everywhere::<Parts>();
}
