//! Single elements, those of a locale, exchanged arrays, and reductions.

use layout::SoA;
use layout_array::{Array, ArrayError};
use layout_domain::{Domain, Index};
use layout_store::{Dim, Min, StoreRank, Sum, Traffic};

use super::spaces::Space;
use super::spreads::{value, wide};
use super::{Case, Topic, everywhere};

/// `get`, `put` and `at_owner`, of the first, the last and some other element.
struct Single;

impl Topic for Single {
    const NAME: &'static str = "single elements";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let mut expected: Vec<i64> = space.indices.iter().copied().map(value).collect();
        let last = expected.len().saturating_sub(1);
        for spread in &space.spreads {
            let array: Array<i64, N, SoA, I> = spread.of(rt, &space.domain)?;
            expected = space.indices.iter().copied().map(value).collect();
            for number in if expected.is_empty() { vec![] } else { vec![0, last, last / 3] } {
                let at = Space::narrow(space.indices[number]);
                let name = format!("{} at {at:?}", spread.name);
                case.equal(&name, "what is got", array.get(at)?, expected[number]);
                let ((), sent) = case.sent(|| {
                    array.put(at, 5)?;
                    array.at_owner(at, |value| value - 12)
                })?;
                case.equal(&name, "sent to put and to change", sent, Traffic::default());
                expected[number] = -7;
                case.equal(&name, "what is got of what was put", array.get(at)?, -7);
            }
            case.equal(spread.name, "elements", array.to_vec()?, &expected[..]);
        }
        drop(expected);
        Ok(())
    }
}

#[test]
fn single_elements_are_reached_where_they_lie() {
    everywhere::<Single>();
}

/// The elements of this locale are seen and changed without any message.
struct Local;

impl Topic for Local {
    const NAME: &'static str = "local elements";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let own = |spread: &super::Spread<N, I>| {
            let mut own: Vec<_> =
                space.indices.iter().filter(|at| (spread.owner)(**at) == rt.locale()).copied().collect();
            own.sort_unstable();
            own
        };
        for spread in &space.spreads {
            let array: Array<i64, N, SoA, I> = spread.of(rt, &space.domain)?;
            let ((seen, right), sent) = case.sent(|| {
                let (seen, right) = array.read_local(|parts| {
                    let of = |domain: &Domain<N, I>| domain.iter().map(wide).collect::<Vec<_>>();
                    let right = parts
                        .iter()
                        .all(|(part, view)| view.to_vec() == of(part).into_iter().map(value).collect::<Vec<_>>());
                    let mut seen: Vec<_> = parts.iter().flat_map(|(part, _)| of(part)).collect();
                    seen.sort_unstable();
                    (seen, right)
                })?;
                array.update_local(|parts| parts.into_iter().for_each(|(_, mut view)| view.update(|value| -value)))?;
                Ok((seen, right))
            })?;
            case.equal(spread.name, "indices that are seen", seen, own(spread));
            case.check(spread.name, right, || "other elements are seen".to_owned());
            case.equal(spread.name, "sent", sent, Traffic::default());
            let expected: Vec<i64> = space.indices.iter().map(|at| -value(*at)).collect();
            case.equal(spread.name, "elements", array.to_vec()?, expected);
            // Only this locale changes them, and all others see it: a loop finds them where they were.
            array.update_local(|parts| parts.into_iter().for_each(|(_, mut view)| view.fill(1)))?;
            let ((), sent) =
                case.sent(|| Ok(drop(array.update().for_each(|_, (mut part,)| part.update(|one| one + 1))?)))?;
            case.equal(spread.name, "sent by a loop after it", sent, Traffic::default());
            case.equal(spread.name, "elements after a loop", array.to_vec()?, vec![2; space.indices.len()]);
        }
        Ok(())
    }
}

#[test]
fn local_elements_need_no_message() {
    everywhere::<Local>();
}

/// Arrays that lie alike exchange their memory, and others their elements.
struct Swap;

impl Topic for Swap {
    const NAME: &'static str = "swap";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let values = |sign: i64| space.indices.iter().map(|at| sign * value(*at)).collect::<Vec<_>>();
        for (one, other) in case.pairs(space.spreads.len(), space.spreads.len()).step_by(3) {
            let (one, other) = (&space.spreads[one], &space.spreads[other]);
            let name = format!("{} and {}", one.name, other.name);
            let mut a: Array<i64, N, SoA, I> = one.of(rt, &space.domain)?;
            let mut b: Array<i64, N, SoA, I> = other.new(rt, &space.domain)?;
            b.fill_from_fn(|at| -value(wide(at)))?;
            let ((), sent) = case.sent(|| a.swap(&mut b))?;
            let moved = |at: &&[i64; N]| (one.owner)(**at) != (other.owner)(**at);
            let here = |at: &[i64; N]| {
                [(one.owner)(*at), (other.owner)(*at)].into_iter().filter(|owner| *owner == rt.locale()).count()
            };
            let expected = 8 * space.indices.iter().filter(moved).map(here).sum::<usize>() as u64;
            case.equal(&name, "bytes sent", sent.bytes, expected);
            case.equal(&name, "elements", (a.to_vec()?, b.to_vec()?), (values(-1), values(1)));
            let owners = space.domain.iter().zip(&space.indices).all(|(at, index)| {
                a.owner(at) == Some((one.owner)(*index)) && b.owner(at) == Some((other.owner)(*index))
            });
            case.check(&name, owners, || "owners were exchanged".to_owned());
            a.fill(3)?;
            case.equal(&name, "elements, of which the others were written", b.to_vec()?, values(1));
        }
        Ok(())
    }
}

#[test]
fn arrays_exchange_their_elements() {
    everywhere::<Swap>();
}

/// Reductions are those of lists, in the order of chunks where the operation asks for an order.
struct Reductions;

impl Topic for Reductions {
    const NAME: &'static str = "reductions";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        if space.indices.is_empty() {
            return Ok(());
        }
        let values = || space.indices.iter().map(|at| value(*at));
        for spread in &space.spreads {
            let array: Array<i64, N, SoA, I> = spread.of(rt, &space.domain)?;
            let sum = array.read().reduce(Sum, |_, (part,)| Ok(part.values().sum::<i64>()))?.get()?;
            case.equal(spread.name, "the sum", sum, values().sum::<i64>());
            let least = array.read().reduce(Min, |_, (part,)| Ok(part.values().min().unwrap_or(i64::MAX)))?.get()?;
            case.equal(spread.name, "the least element", Some(least), values().min());
            // Of part of it, and of two arrays together.
            let odd = space.domain.by([-2; N])?;
            let odds = || odd.iter().map(wide).map(value);
            let part = array.slice(&odd)?.read().reduce(Sum, |_, (part,)| Ok(part.values().sum::<i64>()))?.get()?;
            case.equal(spread.name, "the sum of every other element", part, odds().sum::<i64>());
            let twice = array.slice(&odd)?.read().zip(array.slice(&odd)?.read());
            let dot = twice.reduce(Sum, |_, (a, b)| {
                Ok(a.values().zip(b.values()).fold(0, |sum: i64, (a, b)| sum.wrapping_add(a.wrapping_mul(b))))
            });
            let expected = odds().fold(0, |sum: i64, at| sum.wrapping_add(at.wrapping_mul(at)));
            case.equal(spread.name, "the scalar product", dot?.get()?, expected);
        }
        Ok(())
    }
}

#[test]
fn reductions_are_those_of_lists() {
    everywhere::<Reductions>();
}
