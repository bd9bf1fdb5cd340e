//! The memory of locales for arrays, and the messages for a halo.

use std::collections::BTreeSet;

use layout::AoS;
use layout_array::{Array, ArrayError, HaloArray};
use layout_domain::{Block, BlockCyclic, Cyclic, Domain, DomainMap, Index, Stencil, StridedRange, Targets};
use layout_store::{Dim, Runtime, StoreRank};
use support::locales::on_locales;

use super::spaces::{Side, domain_of, product};
use super::spreads::{self, value};
use super::{Case, Topic, builder, everywhere};
use crate::LOCALES;

/// A locale has memory for its elements and no others, however they are loops over, zipped, and seen.
struct Memory;

impl Topic for Memory {
    const NAME: &'static str = "memory";

    fn check<const N: usize, const Q: usize, I: Index>(case: &Case<'_, N, I>) -> Result<(), ArrayError>
    where
        Dim<N>: StoreRank,
        Dim<Q>: StoreRank,
    {
        let Case { rt, space, .. } = case;
        for spread in space.spreads.iter().filter(|spread| spread.stencil.is_none()) {
            // Records of 12 bytes, one after another: whatever is dense has no byte more.
            let array: Array<[i32; 3], N, AoS, I> = spread.unwritten(rt, &space.domain)?;
            let beside: Array<[i32; 3], N, AoS, I> = spread.unwritten(rt, &space.domain)?;
            array.fill([1, 2, 3])?;
            beside.write().zip(array.read()).for_each(|_, (mut beside, array)| Ok(beside.copy_from(&array)?))?;
            array.update().for_each(|_, (mut part,)| part.update(|[a, b, c]| [b, c, a]))?;
            array.slice(&space.domain.by([-2; N])?)?.fill([4, 5, 6])?;
            array.read_local(|parts| drop(parts))?;
            rt.fence()?;
            let own = space.indices.iter().filter(|at| (spread.owner)(**at) == rt.locale()).count();
            for (what, array) in [("the array", &array), ("another one", &beside)] {
                let memory = rt.memory().of(array.store());
                // With one locale, memory is for all.
                let found = memory.map(|memory| (memory.home, memory.margin, memory.cache));
                case.equal(
                    spread.name,
                    format_args!("bytes of {what}: home, margin, cache"),
                    found,
                    Some((12 * own, 0, 0)),
                );
            }
        }
        Ok(())
    }
}

#[test]
fn a_locale_has_memory_for_its_own_elements() {
    everywhere::<Memory>();
}

/// Redistribution takes memory for the elements of before and of then, for one chunk, and for a window of messages, and not for a
/// fifth of what each locale has.
#[test]
fn redistribution_takes_memory_for_both_and_a_chunk() {
    const WINDOW: usize = 1 << 20;
    const LOCALES: usize = 3;
    const ELEMENTS: usize = 3 << 18;
    const CHUNK: usize = 8 * ELEMENTS / 16;
    fn map(number: usize) -> Box<dyn DomainMap<1> + Send + Sync> {
        let (line, targets) = (line(), Targets::all(LOCALES).expect("locales"));
        match number {
            0 => Box::new(Block::over(&line, targets).expect("a box")),
            1 => Box::new(BlockCyclic::new([5], [1 << 14], targets).expect("a block")),
            _ => Box::new(Cyclic::new([0], targets)),
        }
    }
    fn line() -> Domain<1> {
        Domain::from(0..i64::try_from(ELEMENTS).expect("small"))
    }
    let most = |number: usize| {
        let own = |locale: usize| map(number).local(locale, &line()).iter().map(Domain::len).sum::<usize>();
        (0..LOCALES).map(own).max().expect("locales")
    };
    for (from, to) in [(0, 1), (1, 0), (0, 2)] {
        let limit = 8 * (most(from) + most(to)) + CHUNK;
        let told = on_locales(builder(LOCALES, 1).memory_limit(limit), (from, to), |rt, (from, to)| {
            let mut array: Array<i64, 1> =
                Array::from_fn(rt, &line(), map(from), |[at]| at).map_err(|error| error.to_string())?;
            array.redistribute(map(to)).map_err(|error| error.to_string())?;
            rt.fence().map_err(|error| error.to_string())?;
            let memory = rt.memory();
            let right = array.read_local(|parts| {
                let right = |part: &Domain<1>, values: Vec<i64>| part.iter().map(|[at]| at).eq(values);
                parts.iter().all(|(part, view)| right(part, view.to_vec()))
            });
            Ok::<_, String>((right.map_err(|error| error.to_string())?, memory.messages + memory.buffers))
        });
        for told in told.expect("programs") {
            let (right, messages) = told.unwrap_or_else(|error| panic!("{from} to {to} with {limit} bytes: {error}"));
            assert!(right && messages <= WINDOW, "{from} to {to} with {limit} bytes: {messages} bytes of messages");
        }
    }
}

/// A chunk is a sixteenth of an array whose dimensions are all short, too.
#[test]
fn redistribution_takes_memory_for_a_chunk_of_short_dimensions() {
    type Wide = [i64; 8];
    const LOCALES: usize = 2;
    fn space() -> Domain<6> {
        Domain::new([StridedRange::from(0..8); 6])
    }
    let limit = size_of::<Wide>() * (space().len() + space().len() / 16);
    let told = on_locales(builder(LOCALES, 1).memory_limit(limit), (), |rt, ()| {
        let along = |dim: usize| {
            let mut shape = [1; 6];
            shape[dim] = LOCALES;
            Targets::grid(shape, [0, 1]).expect("locales")
        };
        let mut array: Array<Wide, 6, AoS> =
            Array::from_fn(rt, &space(), Cyclic::new([0; 6], along(5)), |[i, j, .., k]| [100 * i + 10 * j + k; 8])
                .map_err(|error| error.to_string())?;
        let blocks = Block::over(&space(), along(0)).expect("a box");
        array.redistribute(blocks).map_err(|error| error.to_string())?;
        let right = array.read_local(|parts| {
            let right = |part: &Domain<6>, values: Vec<Wide>| {
                part.iter().zip(values).all(|([i, j, .., k], value)| value[0] == 100 * i + 10 * j + k)
            };
            parts.iter().all(|(part, view)| right(part, view.to_vec()))
        });
        right.map_err(|error| error.to_string())
    });
    let told: Vec<Result<bool, String>> = told.expect("programs");
    assert!(told.iter().all(|right| *right == Ok(true)), "{told:?}");
}

/// The messages for a halo, by owners alone: each locale sends one message to each locale that shows elements of its own. In a periodic array,
/// where the same locale may be a neighbor on several sides, the messages are at most one for each side, and corner.
#[test]
fn an_update_of_a_halo_is_a_message_to_each_neighbor() {
    for locales in LOCALES {
        let told = on_locales(builder(locales, 1), (), |rt, ()| {
            let mut wrong = Vec::new();
            for periodic in [false, true] {
                update::<1>(rt, [(-4, 1, 13)], [2], periodic, &mut wrong)?;
                update::<2>(rt, [(3, 1, 9), (40, -3, 8)], [1, 2], periodic, &mut wrong)?;
                update::<2>(rt, [(0, 2, 6), (0, 1, 6)], [0, 1], periodic, &mut wrong)?;
                update::<3>(rt, [(1, 1, 6), (1, 1, 4), (1, 1, 3)], [1, 1, 1], periodic, &mut wrong)?;
            }
            Ok(wrong)
        });
        let told = told.expect("programs").into_iter().map(|told: Result<_, String>| told);
        let wrong: Vec<String> = told.flat_map(|told| told.unwrap_or_else(|error| vec![error])).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

fn update<const N: usize>(
    rt: &Runtime,
    sides: [Side; N],
    widths: [usize; N],
    periodic: bool,
    wrong: &mut Vec<String>,
) -> Result<(), String>
where
    Dim<N>: StoreRank,
{
    let (here, locales) = (rt.locale(), rt.locales());
    let domain: Domain<N> = domain_of(sides);
    let spread = &spreads::all::<N, i64>(sides, locales)[0];
    let blocks = Block::over(&domain, Targets::all(locales).expect("locales")).expect("a box");
    let stencil = Stencil::new(blocks, widths);
    let stencil = if periodic { stencil.periodic() } else { stencil };
    let told = |error: ArrayError| error.to_string();
    let array: HaloArray<i64, N> = HaloArray::from_fn(rt, &domain, stencil, value).map_err(told)?;

    // By position: 0 is the first index of the domain, and those below it are outside.
    let widths = widths.map(|width| i64::try_from(width).expect("small"));
    let counts = sides.map(|(_, _, count)| count);
    let index = |at: [i64; N]| core::array::from_fn(|dim| sides[dim].0 + at[dim] * sides[dim].1);
    let owner = |at: [i64; N]| (spread.owner)(index(at));
    let inside = |at: &[i64; N]| at.iter().zip(counts).all(|(at, count)| (0..count).contains(at));
    let all = product(core::array::from_fn(|dim| (-widths[dim], 1, counts[dim] + 2 * widths[dim])));
    // Elements that go from one locale to another.
    let mut within: Vec<(usize, usize, bool)> = Vec::new();
    for to in 0..locales {
        let own: Vec<_> = all.iter().copied().filter(|at| inside(at) && owner(*at) == to).collect();
        let around = |at: &[i64; N]| {
            own.iter().any(|own| (0..N).all(|dim| (own[dim] - at[dim]).abs() <= widths[dim])) && owner(*at) != to
        };
        within.extend(all.iter().copied().filter(around).map(|at| (owner(at), to, inside(&at))));
    }
    let turns = all.iter().filter(|at| periodic && !inside(at)).map(|at| {
        let end: [i64; N] = core::array::from_fn(|dim| at[dim].rem_euclid(counts[dim]));
        let direction: [i64; N] = core::array::from_fn(|dim| at[dim].div_euclid(counts[dim]).signum());
        (owner(end), owner(*at), direction)
    });
    let turns: Vec<_> = turns.filter(|(from, to, _)| *from == here && from != to).collect();
    let neighbors = |is: &dyn Fn(bool) -> bool| {
        let to: BTreeSet<usize> =
            within.iter().filter(|(from, _, inside)| *from == here && is(*inside)).map(|(_, to, _)| *to).collect();
        to.len() as u64
    };
    // In how many directions those who need elements of this locale look.
    let looks = (0..locales).filter(|to| *to != here).map(|to| {
        let own: Vec<_> = all.iter().copied().filter(|at| inside(at) && owner(*at) == to).collect();
        let direction = |at: &[i64; N]| -> Option<[i64; N]> {
            let near = own.iter().any(|own| (0..N).all(|dim| (own[dim] - at[dim]).abs() <= widths[dim]));
            let side = |dim: usize| {
                let along = own.iter().map(|own| own[dim]);
                let (low, high) = (along.clone().min().unwrap_or(0), along.max().unwrap_or(0));
                i64::from(at[dim] > high) - i64::from(at[dim] < low)
            };
            let end: [i64; N] = core::array::from_fn(|dim| at[dim].rem_euclid(counts[dim]));
            (near && owner(end) == here).then(|| core::array::from_fn(side))
        };
        all.iter().filter_map(direction).collect::<BTreeSet<_>>().len() as u64
    });
    let looks: u64 = looks.sum();
    let bytes = |is: &dyn Fn(bool) -> bool| {
        8 * within.iter().filter(|(from, _, inside)| *from == here && is(*inside)).count() as u64
    };

    let count = |what: &str, is: &dyn Fn(bool) -> bool, wrong: &mut Vec<String>| {
        rt.fence().map_err(|error| error.to_string())?;
        let before = rt.traffic();
        array.update_halo().map_err(told)?;
        rt.fence().map_err(|error| error.to_string())?;
        let after = rt.traffic();
        let sent = (after.messages - before.messages, after.bytes - before.bytes);
        let right = if periodic {
            // What is copied to where the array ends may be what the halo of the same locale shows, and is sent once.
            let expected = (looks, bytes(is) + 8 * turns.len() as u64);
            (sent.0 <= expected.0 && sent.1 <= expected.1, expected)
        } else {
            (sent == (neighbors(is), bytes(is)), (neighbors(is), bytes(is)))
        };
        if !right.0 {
            let periodic = if periodic { ", periodic" } else { "" };
            let what = format!("{what} of {domain} with {widths:?}{periodic}, locale {here} of {locales}");
            wrong.push(format!("{what}: {sent:?} messages and bytes, of {:?}", right.1));
        }
        Ok::<_, String>(())
    };
    count("the first update", &|_| true, wrong)?;
    array.fill(1).map_err(told)?;
    // What is outside was not written since, but where the other end is copied there.
    count("the next update", &|inside| inside || periodic, wrong)
}
