//! Scans, against serial loops.

use layout::{AoS, Record};
use layout_array::{Array, ArrayError, Scan};
use layout_domain::{Block, Domain, DomainError, Targets};
use layout_store::{Max, Reduction, Runtime, Sum};

use crate::maps::{MAPS, builder, map};
use crate::{LOCALES, on};

/// A function from numbers to numbers, `x -> factor x + summand`: composing functions is associative, and not commutative.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Line {
    factor: i64,
    summand: i64,
}

#[derive(Clone, Copy)]
struct Then;

impl Reduction<Line> for Then {
    fn identity(&self) -> Line {
        Line { factor: 1, summand: 0 }
    }

    fn combine(&self, a: Line, b: Line) -> Line {
        let factor = a.factor.wrapping_mul(b.factor);
        Line { factor, summand: a.summand.wrapping_mul(b.factor).wrapping_add(b.summand) }
    }
}

fn line<const N: usize>(at: [i64; N]) -> Line {
    let number = at.iter().fold(5, |number: i64, at| number * 13 + at);
    Line { factor: number % 7 - 2, summand: number % 23 }
}

/// A scan element by element.
fn serial<const N: usize>(domain: &Domain<N>, axis: Option<usize>, exclusive: bool) -> Vec<Line> {
    let mut lines = std::collections::HashMap::new();
    let mut all = Vec::new();
    for index in *domain {
        let mut key = index;
        match axis {
            Some(axis) => key[axis] = 0,
            None => key = [0; N],
        }
        let so_far = lines.entry(key).or_insert_with(|| Then.identity());
        let after = Then.combine(*so_far, line(index));
        all.push(if exclusive { *so_far } else { after });
        *so_far = after;
    }
    all
}

fn scanned<const N: usize>(rt: &Runtime, (one, other): (usize, usize), domains: &[Domain<N>]) -> Result<(), ArrayError>
where
    layout_store::Dim<N>: layout_store::StoreRank,
{
    for domain in domains {
        let from: Array<Line, N, AoS> = Array::from_fn(rt, domain, map(one, rt.locales())?, line)?;
        let to: Array<Line, N> = Array::new(rt, &domain.translate([3; N])?, map(other, rt.locales())?)?;
        for axis in (0..N).map(Some).chain([None]) {
            for exclusive in [false, true] {
                let scan = if exclusive { Scan::exclusive(Then) } else { Scan::inclusive(Then) };
                to.scan_from(&from, axis.map_or(scan, |axis| scan.along(axis)))?;
                let what = format!("{domain} along {axis:?} on {} locales, maps {one} and {other}", rt.locales());
                assert_eq!(to.to_vec()?, serial(domain, axis, exclusive), "{what}, exclusive: {exclusive}");
            }
        }
    }
    Ok(())
}

fn all_ranks(rt: &Runtime, maps: (usize, usize)) -> Result<(), ArrayError> {
    let down = Domain::from(-9..=11).by([-3])?;
    scanned(rt, maps, &[Domain::from(1..=13), Domain::from(7..=7), down, Domain::from(2..2)])?;
    let strided = Domain::new([0..=13, -5..=9]).by([3, -2])?;
    scanned(rt, maps, &[Domain::new([1..=4, 1..=7]), Domain::new([1..=1, -4..=12]), strided])?;
    scanned(rt, maps, &[Domain::new([0..=2, 1..=3, 5..=8])])
}

#[test]
fn scans_are_those_of_a_loop() {
    for locales in LOCALES {
        for one in 0..MAPS {
            on(builder(locales), ((one + locales) % MAPS, one), all_ranks);
        }
    }
}

/// Blocks of a line are scanned where they are: a locale sends its total to those behind it, and no element.
#[test]
fn blocks_send_totals_alone() {
    fn program(rt: &Runtime, (): ()) -> Result<(u64, i64), ArrayError> {
        let line = Domain::from(0..=999);
        let blocks = Block::over(&line, Targets::all(4)?)?;
        let a: Array<i64, 1> = Array::from_fn(rt, &line, blocks.clone(), |[i]| i)?;
        let b: Array<i64, 1> = Array::new(rt, &line, blocks)?;
        rt.fence()?;
        let before = rt.traffic().bytes;
        b.scan_from(&a, Scan::inclusive(Sum))?;
        rt.fence()?;
        Ok((rt.traffic().bytes - before, b.get([999])?))
    }
    let sent = on(builder(4), (), program);
    // Each locale has two tiles.
    assert_eq!(sent, [(3 * 16, 499_500), (2 * 16, 499_500), (16, 499_500), (0, 499_500)]);
}

#[test]
fn what_does_not_fit_is_refused() -> Result<(), ArrayError> {
    let rt = Runtime::new()?;
    let (line, short) = (Domain::from(1..=9), Domain::from(1..=8));
    let a: Array<i64, 1> = Array::filled(&rt, &line, map(0, 1)?, 1)?;
    let b: Array<i64, 1> = Array::filled(&rt, &short, map(0, 1)?, 2)?;
    let refused = a.scan_from(&b, Scan::inclusive(Max));
    assert!(matches!(refused, Err(ArrayError::Domain(DomainError::Lengths { .. }))), "{refused:?}");
    let refused = a.scan_from(&a.clone(), Scan::inclusive(Max));
    assert!(matches!(refused, Err(ArrayError::Overlap { .. })), "{refused:?}");
    let c: Array<i64, 1> = Array::filled(&rt, &line, map(0, 1)?, 3)?;
    let refused = a.scan_from(&c, Scan::inclusive(Max).along(1));
    assert!(matches!(refused, Err(ArrayError::Axis { axis: 1, rank: 1 })), "{refused:?}");
    assert_eq!(a.to_vec()?, [1; 9]);
    Ok(())
}
