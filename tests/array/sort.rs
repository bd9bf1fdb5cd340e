//! Sorting, against that of the standard library.

use layout::{AoS, Record};
use layout_array::{Array, ArrayError};
use layout_domain::{Block, Domain, Targets};
use layout_store::Runtime;

use crate::maps::{MAPS, builder, map};
use crate::{LOCALES, on};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Person {
    age: i64,
    height: f32,
    index: i64,
}

/// Few ages, so that many are equal; the index tells in which order equal ones were.
fn person([index]: [i64; 1], ages: i64) -> Person {
    let mixed = (index.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64.cast_signed()) >> 33).rem_euclid(1 << 20);
    Person { age: mixed % ages, height: mixed as f32, index }
}

fn sorted(rt: &Runtime, number: usize) -> Result<(), ArrayError> {
    let down = Domain::from(-20..=100).by([-3])?;
    for domain in [Domain::from(1..=97), Domain::from(3..=3), Domain::from(0..=2), down, Domain::from(1..1)] {
        for ages in [1, 9] {
            let what = format!("{domain} of {ages} ages on {} locales, map {number}", rt.locales());
            let a: Array<Person, 1, AoS> =
                Array::from_fn(rt, &domain, map(number, rt.locales())?, move |at| person(at, ages))?;
            let mut expected = a.to_vec()?;
            let report = a.sort_by_key(|person| person.age)?;
            expected.sort_by_key(|person| person.age);
            assert_eq!(a.to_vec()?, expected, "{what}");
            assert_eq!(report.shares.iter().sum::<u64>(), domain.len() as u64, "{what}");
            assert!(report.splitters.is_sorted_by_key(|person| person.age), "{what}");
            assert_eq!(report.splitters.len(), report.shares.len().saturating_sub(1), "{what}");
            a.sort_by(|one, other| other.height.total_cmp(&one.height))?;
            expected.sort_by(|one, other| other.height.total_cmp(&one.height));
            assert_eq!(a.to_vec()?, expected, "{what}");
        }
    }
    Ok(())
}

#[test]
fn records_are_sorted_and_stay_in_order() {
    for locales in LOCALES {
        for number in [locales % MAPS, (locales + 2) % MAPS] {
            on(builder(locales), number, sorted);
        }
    }
}

/// No tile merges more than twice its share, and a share for each sample, also where elements are equal or sorted before.
#[test]
fn shares_are_bounded() {
    fn shares(rt: &Runtime, kind: i64) -> Result<Vec<u64>, ArrayError> {
        let line = Domain::from(0..=4095);
        let a: Array<i64, 1> =
            Array::from_fn(rt, &line, Block::over(&line, Targets::all(4)?)?, move |[i]| match kind {
                0 => 7,
                1 => i,
                2 => -i,
                _ => i * i % 1009,
            })?;
        let report = a.sort_by_key(|value| *value)?;
        assert!(a.to_vec()?.is_sorted());
        Ok(report.shares)
    }
    for kind in 0..4 {
        let all = on(builder(4), kind, shares);
        // Eight tiles, and as many samples each.
        assert!(all.iter().all(|shares| shares.len() == 8 && shares == &all[0]), "{all:?}");
        assert!(all[0].iter().all(|share| *share <= 2 * 4096 / 8), "{kind}: {all:?}");
    }
}

/// Sorted elements are not sent, but for those at the ends of tiles.
#[test]
fn what_is_sorted_moves_little() {
    fn sent(rt: &Runtime, (): ()) -> Result<u64, ArrayError> {
        let line = Domain::from(0..=4095);
        let a: Array<i64, 1> = Array::from_fn(rt, &line, Block::over(&line, Targets::all(4)?)?, |[i]| i)?;
        rt.fence()?;
        let before = rt.traffic().bytes;
        a.sort_by_key(|value| *value)?;
        rt.fence()?;
        Ok(rt.traffic().bytes - before)
    }
    let all = on(builder(4), (), sent);
    assert!(all.iter().sum::<u64>() < 2 * 8 * 4096 / 4, "{all:?}");
}
