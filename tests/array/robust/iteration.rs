//! Iteration: serial, in parallel, and of arrays together whose distributions and indices differ.

use std::sync::{Arc, Mutex};

use layout::{AoS, RecordLayout, SoA};
use layout_array::{Array, ArrayError};
use layout_domain::{Domain, Index, check_map};
use layout_store::{Dim, StoreRank, Sum, TaskBodyError, Traffic};

use super::spaces::Space;
use super::spreads::{Spread, value, wide};
use super::{Case, Topic, everywhere, tiles_of};

/// Domains list their indices row by row, and ownership is as it is defined.
struct Serial;

impl Topic for Serial {
    const NAME: &'static str = "serial iteration";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let (domain, indices) = (&space.domain, &space.indices);
        let found: Vec<_> = domain.iter().map(wide).collect();
        case.equal("no distribution", "indices", &found, indices);
        let there = indices.iter().enumerate().all(|(order, index)| {
            let index = Space::narrow(*index);
            domain.order(index) == Some(order) && domain.at(order) == Some(index) && domain.contains(index)
        });
        case.check("no distribution", there, || "orders of indices".to_owned());
        let values: Vec<i64> = (0..).step_by(3).take(indices.len()).collect();
        for spread in &space.spreads {
            let name = spread.name;
            check_map(&*spread.map, domain)?;
            let ((array, written), sent) = case.sent(|| {
                let array: Array<i64, N, SoA, I> = spread.of(rt, domain)?;
                // From one list, each locale takes what it owns.
                let written: Array<i64, N, SoA, I> = Array::from_values(rt, domain, spread.map.clone(), &values)?;
                Ok((array, written))
            })?;
            case.equal(name, "sent to create and to fill", sent, Traffic::default());
            case.equal(name, "elements", array.to_vec()?, indices.iter().copied().map(value).collect::<Vec<_>>());
            case.equal(name, "elements of a list", written.to_vec()?, &values[..]);
            let last = rt.locales() - 1;
            let all = written.gather(last)?;
            let expected: Vec<_> = indices.iter().copied().zip(values.iter().copied()).collect();
            let expected = (rt.locale() == last).then_some(expected);
            let all = all.map(|all| all.into_iter().map(|(index, value)| (wide(index), value)).collect());
            case.equal(name, "elements on the last locale", all, expected);
            let owners = domain.iter().map(|index| array.owner(index)).collect::<Vec<_>>();
            case.equal(name, "owners", owners, indices.iter().map(|at| Some((spread.owner)(*at))).collect::<Vec<_>>());
            for locale in 0..=rt.locales() {
                let parts = array.local(locale);
                let mut local: Vec<_> = parts.iter().flat_map(Domain::iter).map(wide).collect();
                let mut own: Vec<_> = indices.iter().copied().filter(|at| (spread.owner)(*at) == locale).collect();
                local.sort_unstable();
                own.sort_unstable();
                case.equal(name, format_args!("indices of locale {locale}"), local, own);
            }
        }
        Ok(())
    }
}

#[test]
fn domains_and_arrays_are_read_row_by_row() {
    everywhere::<Serial>();
}

/// The body of a loop runs where its elements lie, once for each.
struct Parallel;

impl Topic for Parallel {
    const NAME: &'static str = "parallel loops";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        let here = rt.locale();
        for spread in &space.spreads {
            let name = spread.name;
            let array: Array<i64, N, SoA, I> = spread.of(rt, &space.domain)?;
            let ran: Arc<Mutex<Vec<[i64; N]>>> = Arc::default();
            let seen = ran.clone();
            let ((), sent) = case.sent(|| {
                array.update().for_each(move |chunk, (mut part,)| {
                    let indices: Vec<_> = chunk.domain().iter().map(wide).collect();
                    // The view has the elements of these indices, in their order.
                    let right = part.to_vec() == indices.iter().copied().map(value).collect::<Vec<_>>();
                    seen.lock().expect("no panic").extend(indices);
                    part.update(|value| value + 1);
                    if right {
                        Ok(())
                    } else {
                        Err(TaskBodyError::new(format!("other elements in {}", chunk.domain())))
                    }
                })?;
                Ok(())
            })?;
            case.equal(name, "sent by a local loop", sent, Traffic::default());
            let mut ran = ran.lock().expect("no panic").clone();
            ran.sort_unstable();
            let mut own: Vec<_> = space.indices.iter().copied().filter(|at| (spread.owner)(*at) == here).collect();
            own.sort_unstable();
            case.equal(name, "indices that a loop ran for here", ran, own);
            let expected: Vec<i64> = space.indices.iter().map(|at| value(*at) + 1).collect();
            case.equal(name, "elements", array.to_vec()?, &expected[..]);

            // Values of chunks come in the order of chunks, and are the same on all locales.
            let chunks = array.read().map(|chunk, (part,)| {
                let indices: Vec<[i64; N]> = chunk.domain().iter().map(wide).collect();
                Ok((indices, part.to_vec()))
            });
            let chunks = chunks?.get()?;
            let (mut places, mut values): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
            for (indices, elements) in chunks {
                places.extend(indices);
                values.extend(elements);
            }
            let of_places: Vec<i64> = places.iter().map(|at| value(*at) + 1).collect();
            case.equal(name, "elements of chunks", values, of_places);
            places.sort_unstable();
            let mut all = space.indices.clone();
            all.sort_unstable();
            case.equal(name, "indices of chunks", places, all);
            let sum = array.read().reduce(Sum, |_, (part,)| Ok(part.values().sum::<i64>()))?.get();
            match space.indices.len() {
                0 => {}
                _ => case.equal(name, "the sum", sum?, expected.iter().sum::<i64>()),
            }
        }
        Ok(())
    }
}

#[test]
fn loops_run_where_elements_lie() {
    everywhere::<Parallel>();
}

/// Loops over two and three arrays are those over lists, whoever leads and whatever is written.
struct Zipped;

impl Topic for Zipped {
    const NAME: &'static str = "zippered loops";
    const TILES: usize = 1;

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let other = case.space.other(case.rt.locales());
        let (leads, follows) = (&case.space.spreads, &other.spreads);
        let mut pairs = case.pairs(leads.len(), follows.len());
        pairs.try_for_each(|(lead, follow)| zip(case, &leads[lead], (&follows[follow], &other)))
    }
}

type Values<const N: usize, L, I> = Array<i64, N, L, I>;

/// All ways to zip a pair.
fn zip<const N: usize, I: Index>(
    case: &Case<'_, N, I>,
    lead: &Spread<N, I>,
    (follow, other): (&Spread<N, i64>, &Space<N, i64>),
) -> Result<(), ArrayError>
where
    Dim<N>: StoreRank,
{
    let Case { rt, space, .. } = case;
    let name = format!("{} led by {}", follow.name, lead.name);
    let owners = || {
        let pairs = space.indices.iter().zip(&other.indices);
        pairs.map(|(at, other)| ((lead.owner)(*at), (follow.owner)(*other)))
    };
    let a: Values<N, SoA, I> = lead.of(rt, &space.domain)?;
    let b: Values<N, AoS, i64> = follow.of(rt, &other.domain)?;
    let tiles = (tiles_of(lead, &a), tiles_of(follow, &b));
    let pairs = || tiles.0.iter().copied().zip(tiles.1.iter().copied());
    let mut one: Vec<i64> = space.indices.iter().copied().map(value).collect();
    let mut two: Vec<i64> = other.indices.iter().copied().map(value).collect();

    // What the leader lacks of the follower is brought, and nothing else.
    let ((), sent) = case.sent(|| {
        let zipped = a.update().zip(b.read());
        zipped.for_each(|_, (mut a, b)| a.for_each_indexed_mut(|at, mut a| a.set(2 * a.get() + b.get(at))))?;
        Ok(())
    })?;
    one.iter_mut().zip(&two).for_each(|(one, two)| *one = 2 * *one + two);
    case.sends(&name, "to read a follower", sent, 8, pairs().map(|(lead, follow)| [follow, lead]));
    case.equal(&name, "the leader's elements", a.to_vec()?, &one[..]);

    // What a follower is to write goes back to where it lies.
    let ((), sent) = case.sent(|| {
        a.read().zip(b.write()).for_each(|_, (a, mut b)| b.for_each_indexed_mut(|at, mut b| b.set(a.get(at) - 1)))?;
        Ok(())
    })?;
    two.copy_from_slice(&one);
    two.iter_mut().for_each(|two| *two -= 1);
    case.sends(&name, "to write a follower", sent, 8, pairs().map(|(lead, follow)| [lead, follow]));
    case.equal(&name, "the elements of a follower that is written", b.to_vec()?, &two[..]);

    a.update().zip(b.update()).for_each(|_, (mut a, mut b)| {
        b.for_each_indexed_mut(|at, mut b| b.set(3 * b.get() + a.get(at)));
        a.update(|a| a + 1)
    })?;
    for (one, two) in one.iter_mut().zip(&mut two) {
        (*one, *two) = (*one + 1, 3 * *two + *one);
    }
    case.equal(&name, "elements that both update", (a.to_vec()?, b.to_vec()?), (one.clone(), two.clone()));
    // Elements lie with their owners still, whoever led.
    let ((local, other_local), sent) = case.sent(|| Ok((local_values(&a)?, local_values(&b)?)))?;
    case.equal(&name, "sent to see what is local", sent, Traffic::default());
    let own = |owner: usize| owner == rt.locale();
    let of = |values: &[i64], owns: Vec<bool>| {
        let mut own: Vec<i64> = values.iter().zip(owns).filter(|(_, owns)| *owns).map(|(value, _)| *value).collect();
        own.sort_unstable();
        own
    };
    case.equal(&name, "the leader's local elements", local, of(&one, owners().map(|(lead, _)| own(lead)).collect()));
    case.equal(&name, "local elements of a follower", other_local, of(&two, owners().map(|(_, at)| own(at)).collect()));
    Ok(())
}

/// The elements of this locale, sorted.
fn local_values<const N: usize, L: RecordLayout<i64> + Default, I: Index>(
    array: &Values<N, L, I>,
) -> Result<Vec<i64>, ArrayError>
where
    Dim<N>: StoreRank,
{
    let mut all = array.read_local(|parts| parts.iter().flat_map(|(_, view)| view.to_vec()).collect::<Vec<_>>())?;
    all.sort_unstable();
    Ok(all)
}

#[test]
fn loops_over_several_arrays_are_serial_ones() {
    everywhere::<Zipped>();
}
