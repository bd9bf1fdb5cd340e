//! Arrays with a halo: what a loop sees around its part, what is sent, and what a locale has memory for.

use std::collections::BTreeSet;

use layout_array::{Array, ArrayError, HaloArray};
use layout_domain::{Block, Domain, DomainError, Stencil, Targets};
use layout_store::{Runtime, StoreError};
use support::locales::on_locales;

use crate::{LOCALES, builder, on};

/// Domains of the golden programs of Chapel, and one with strides that goes down.
fn domains() -> Vec<Domain<2>> {
    let strided = Domain::new([0..=40, 1..=33]).by([3, -2]).expect("a stride");
    let boxes = [Domain::new([1..=10, 1..=10]), Domain::new([0..=9, 0..=9]), Domain::new([-3..=11, -3..=11])];
    boxes.into_iter().chain([Domain::new([-20..=-10, -20..=-10]), strided]).collect()
}

fn stencil(domain: &Domain<2>, widths: [usize; 2], periodic: bool, locales: usize) -> Stencil<2> {
    let blocks = Block::over(domain, Targets::all(locales).expect("locales")).expect("a box");
    let stencil = Stencil::new(blocks, widths);
    if periodic { stencil.periodic() } else { stencil }
}

/// A number that tells an index.
fn value([i, j]: [i64; 2]) -> i64 {
    1000 * i + j
}

/// Every part is seen with the elements around it; outside the domain with those at the other end, or with what was written there.
#[test]
fn loops_see_each_part_with_its_halo() {
    for (number, locales) in (0..domains().len()).flat_map(|number| LOCALES.map(|locales| (number, locales))) {
        for (widths, periodic) in [([1, 1], true), ([2, 1], true), ([0, 2], true), ([2, 2], false), ([0, 0], false)] {
            let given = (number, locales, widths, periodic);
            let seen = on_locales(builder(locales), given, |rt, (number, locales, widths, periodic)| {
                let domain = domains()[number];
                let stencil = stencil(&domain, widths, periodic, locales);
                let array: HaloArray<i64, 2> = HaloArray::from_fn(rt, &domain, stencil, value).expect("an array");
                let out: Array<i64, 2> = Array::filled(rt, &domain, array.map().clone(), 0).expect("an array");
                array.update_halo().expect("an update");
                rt.fence().expect("a fence");
                let sent = rt.traffic();
                // Each part says, of each of its elements, the sum of the box around it.
                let sums = out.write().zip(array.read_halo()).map(move |chunk, (mut out, array)| {
                    let [rows, columns] = out.extents();
                    assert_eq!(array.extents(), [rows + 2 * widths[0], columns + 2 * widths[1]]);
                    let mut wrong = Vec::new();
                    let mut seen = Vec::new();
                    for i in 0..rows {
                        for j in 0..columns {
                            out.set([i, j], array.get([i + widths[0], j + widths[1]]));
                            let index = chunk.domain().at(i * columns + j).expect("an index");
                            if out.get([i, j]) != value(index) {
                                wrong.push(index.to_vec());
                            }
                        }
                    }
                    for i in 0..rows + 2 * widths[0] {
                        seen.extend((0..columns + 2 * widths[1]).map(|j| array.get([i, j])));
                    }
                    let first = chunk.domain().first().expect("no empty parts");
                    Ok((wrong, (first.to_vec(), rows as u64, columns as u64), seen))
                });
                let sums = sums.expect("a loop").get().expect("values");
                rt.fence().expect("a fence");
                // The loop itself sent values alone, and no elements: those are counted as bytes of elements.
                let memory = rt.memory().of(array.store()).expect("a store of it");
                let own: usize = array.local(rt.locale()).iter().map(Domain::len).sum();
                let halo = array.stencil().with_halo(rt.locale(), &domain).expect("a halo");
                let all = array.to_vec().expect("elements");
                let bytes = memory.home + memory.margin + memory.cache;
                (sums, sent.bytes, bytes, own, halo.map_or(0, |halo| halo.len()), all)
            });
            let domain = domains()[number];
            for (locale, (parts, _, bytes, own, halo, all)) in seen.expect("programs").into_iter().enumerate() {
                let what = format!("{domain} with {widths:?}, periodic: {periodic}, locale {locale} of {locales}");
                assert!(all.into_iter().eq(domain.iter().map(value)), "{what}");
                if locales > 1 && own > 0 {
                    // What an update brought from the other end lies there until it is written again.
                    let halo = if periodic { 2 * halo - own } else { halo };
                    assert!(
                        bytes <= 8 * halo + 256,
                        "{what}: {bytes} bytes for {halo} elements, {own} of them its own"
                    );
                }
                for (wrong, (first, rows, columns), seen) in parts {
                    assert_eq!(wrong, Vec::<Vec<i64>>::new(), "{what}");
                    let start: Vec<i64> = (0..2)
                        .map(|dim| {
                            let order = domain.dims()[dim].order(first[dim]).expect("an index");
                            i64::try_from(order).expect("small") - i64::try_from(widths[dim]).expect("small")
                        })
                        .collect();
                    let sides = [rows + 2 * widths[0] as u64, columns + 2 * widths[1] as u64];
                    let mut seen = seen.into_iter();
                    for i in 0..sides[0] {
                        for j in 0..sides[1] {
                            let mut at = [
                                start[0] + i64::try_from(i).expect("small"),
                                start[1] + i64::try_from(j).expect("small"),
                            ];
                            let mut index = [0; 2];
                            for dim in 0..2 {
                                let len = i64::try_from(domain.dims()[dim].len()).expect("small");
                                if periodic {
                                    at[dim] = at[dim].rem_euclid(len);
                                }
                                let stride = i64::try_from(domain.dims()[dim].stride()).expect("small");
                                index[dim] = domain.dims()[dim].first().expect("an index") + at[dim] * stride;
                            }
                            assert_eq!(seen.next(), Some(value(index)), "{what}: {index:?} around {first:?}");
                        }
                    }
                }
            }
        }
    }
}

/// An update is one message from each neighbor at most, of what the halo shows; loops then send nothing, and after a write the next loop
/// brings the same again.
#[test]
fn updates_send_the_halo_once() {
    let seen = on_locales(builder(4), (), |rt, ()| {
        let domain = Domain::new([0..=15, 0..=15]);
        let stencil = stencil(&domain, [2, 2], false, 4);
        let array: HaloArray<i64, 2> = HaloArray::from_fn(rt, &domain, stencil, value).expect("an array");
        let out: Array<i64, 2> = Array::filled(rt, &domain, array.map().clone(), 0).expect("an array");
        rt.fence().expect("a fence");
        let mut counts = Vec::new();
        let mut before = rt.traffic();
        let mut count = |rt: &Runtime| {
            rt.fence().expect("a fence");
            let now = rt.traffic();
            counts.push((now.messages - before.messages, now.bytes - before.bytes));
            before = now;
        };
        array.update_halo().expect("an update");
        count(rt);
        for _ in 0..2 {
            let step = out.write().zip(array.read_halo());
            step.for_each(|_, (mut out, array)| out.update(|_| array.get([0, 0]))).expect("a loop");
            count(rt);
        }
        array.fill(1).expect("a fill");
        count(rt);
        array.update_halo().expect("an update");
        count(rt);
        counts
    });
    for counts in seen.expect("programs") {
        // Two sides of 8 by 2 elements and a corner of 2 by 2; at first what lies outside beside the border goes along with the sides.
        let all = 2 * (8 * 2) + 2 * 2;
        assert_eq!(counts, [(3, 8 * (all + 2 * (2 * 2))), (0, 0), (0, 0), (0, 0), (3, 8 * all)]);
    }
}

/// In a periodic array, the elements around a part are sent once, corners too: the rims of the neighbors, and those at the other
/// ends.
#[test]
fn updates_around_the_ends_send_what_is_there_once() {
    for locales in LOCALES {
        let seen = on(builder(locales), locales, |rt, locales| {
            let domain = Domain::new([0..=11, 0..=11]);
            let array: HaloArray<i64, 2> =
                HaloArray::from_fn(rt, &domain, stencil(&domain, [2, 1], true, locales), value)?;
            array.update_halo()?;
            let mut counts = Vec::new();
            array.fill_from_fn(value)?;
            for update in [true, false] {
                rt.fence()?;
                let before = rt.traffic();
                match update {
                    true => array.update_halo()?,
                    false => {
                        array.read().zip(array.read_halo()).for_each(|_, (array, halo)| {
                            assert_eq!(halo.extents()[0], array.extents()[0] + 4);
                        })?;
                    }
                }
                rt.fence()?;
                let after = rt.traffic();
                counts.push((after.messages - before.messages, after.bytes - before.bytes));
            }
            let stencil = array.stencil();
            let updates = stencil.updates(rt.locale(), &domain)?;
            let others = updates.iter().filter(|update| update.locale != rt.locale());
            let sides = others.clone().filter(|update| update.direction.iter().filter(|side| **side != 0).count() == 1);
            let sides: usize = sides.map(|update| update.source.len()).sum();
            let all: usize = others.clone().map(|update| update.source.len()).sum();
            let neighbors: BTreeSet<usize> = others.map(|update| update.locale).collect();
            Ok((counts, (sides, all), neighbors.len()))
        });
        let bytes: u64 = seen.iter().map(|(counts, ..)| counts[0].1).sum();
        let sides: usize = seen.iter().map(|(_, (sides, _), _)| 8 * sides).sum();
        let all: usize = seen.iter().map(|(_, (_, all), _)| 8 * all).sum();
        // A corner is not sent where a side has brought it.
        assert!((sides as u64..=all as u64).contains(&bytes), "{locales} locales: {bytes} of {sides} to {all}");
        assert!(bytes == all as u64 || locales == 2 || locales == 3, "{locales} locales: {bytes} of {all}");
        for (counts, _, neighbors) in &seen {
            // What goes around the ends is copied before what the neighbors show: one message more along each dimension, at most.
            assert!(counts[0].0 <= *neighbors as u64 + 2, "{locales} locales: {counts:?}, {neighbors} neighbors");
            assert_eq!(counts[1], (0, 0), "{locales} locales: a loop after the update");
        }
    }
}

/// Steps of a star of radius two on a plane or a torus: without corners, results are those of a list, and each step sends what the
/// faces of the halo show, and no more.
#[test]
fn stars_send_the_faces_and_no_corners() {
    const SIDES: [i64; 2] = [12, 16];
    const STEPS: usize = 3;
    fn step(old: &[i64], periodic: bool) -> Vec<i64> {
        let [rows, columns] = SIDES;
        let number = |[i, j]: [i64; 2]| usize::try_from(i * columns + j).expect("small");
        let at = |[i, j]: [i64; 2]| match periodic {
            true => old[number([i.rem_euclid(rows), j.rem_euclid(columns)])],
            false if (0..rows).contains(&i) && (0..columns).contains(&j) => old[number([i, j])],
            false => 7,
        };
        let sum = |[i, j]: [i64; 2]| -> i64 {
            (-2..=2).map(|by| (by + 3) * at([i + by, j]) + (by - 5) * at([i, j + by])).sum::<i64>() % 1009
        };
        (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j])).map(sum).collect()
    }
    for (locales, periodic) in LOCALES.into_iter().flat_map(|locales| [(locales, false), (locales, true)]) {
        let seen = on(builder(locales), (locales, periodic), |rt, (locales, periodic)| {
            let domain = Domain::new(SIDES.map(|side| 0..side));
            let star = stencil(&domain, [2, 2], periodic, locales).without_corners();
            let mut now: HaloArray<i64, 2> = HaloArray::filled(rt, &domain, star.clone(), 7)?;
            let mut next: HaloArray<i64, 2> = HaloArray::filled(rt, &domain, star.clone(), 7)?;
            now.fill_from_fn(value)?;
            let mut sent = Vec::new();
            for _ in 0..STEPS {
                rt.fence()?;
                let before = rt.traffic();
                if periodic {
                    now.update_halo()?;
                }
                next.write().zip(now.read_halo()).for_each(|_, (mut next, now)| {
                    let [rows, columns] = next.extents();
                    for i in 0..rows {
                        for j in 0..columns {
                            let terms = (0..5).map(|by| {
                                let weight = by as i64;
                                (weight + 1) * now.get([i + by, j + 2]) + (weight - 7) * now.get([i + 2, j + by])
                            });
                            next.set([i, j], terms.sum::<i64>() % 1009);
                        }
                    }
                })?;
                now.swap(&mut next)?;
                rt.fence()?;
                let after = rt.traffic();
                sent.push((after.messages - before.messages, after.bytes - before.bytes));
            }
            let updates = star.updates(rt.locale(), &domain)?;
            let others: Vec<_> = updates.iter().filter(|update| update.locale != rt.locale()).collect();
            let faces: usize = others.iter().map(|update| update.source.len()).sum();
            Ok((now.to_vec()?, sent, (others.len() as u64, 8 * faces as u64)))
        });
        let domain = Domain::new(SIDES.map(|side| 0..side));
        let first: Vec<i64> = domain.iter().map(value).collect();
        let expected = (0..STEPS).fold(first, |old, _| step(&old, periodic));
        for (found, ..) in &seen {
            assert_eq!(*found, expected, "{locales} locales, periodic: {periodic}");
        }
        for number in 0..STEPS {
            let sum = |of: fn(&(u64, u64)) -> u64| {
                let sent: u64 = seen.iter().map(|(_, sent, _)| of(&sent[number])).sum();
                (sent, seen.iter().map(|(.., expected)| of(expected)).sum::<u64>())
            };
            let [messages, bytes] = [sum(|counts| counts.0), sum(|counts| counts.1)];
            let what = format!("{locales} locales, periodic: {periodic}, step {number}");
            assert_eq!(bytes.0, bytes.1, "{what}: bytes");
            // Two faces of a block may come from one neighbor, around a short torus.
            assert!(messages.0 <= messages.1, "{what}: {messages:?} messages");
        }
    }
}

#[test]
fn a_halo_wider_than_a_neighbor_is_refused() {
    let rt = Runtime::new().expect("a runtime");
    let line = Domain::from(1..=10);
    let stencil = |width| {
        let targets = Targets::of([0]).expect("a locale");
        Stencil::new(Block::over(&line, targets).expect("a box"), [width]).periodic()
    };
    let array = |width| HaloArray::<i64, 1>::filled(&rt, &line, stencil(width), 0);
    assert!(array(10).is_ok());
    let error = array(11).expect_err("a halo that is too wide");
    assert!(matches!(error, ArrayError::Domain(DomainError::Halo { .. })), "{error}");
    let four = Stencil::new(Block::over(&line, Targets::all(4).expect("locales")).expect("a box"), [3]);
    let error = HaloArray::<i64, 1>::filled(&rt, &line, four, 0).expect_err("a halo that is too wide");
    assert!(matches!(error, ArrayError::Domain(DomainError::Halo { .. })), "{error}");
}

#[test]
fn arrays_with_a_halo_follow() {
    let rt = Runtime::new().expect("a runtime");
    let line = Domain::from(1..=10);
    let stencil = |width| Stencil::new(Block::over(&line, Targets::all(1).expect("locales")).expect("a box"), [width]);
    let mut array: HaloArray<i64, 1> = HaloArray::filled(&rt, &line, stencil(1), 0).expect("an array");
    let error = array.read_halo().for_each(|_, _| ()).expect_err("no leader");
    assert!(matches!(error, ArrayError::HaloLeads), "{error}");
    let mut wider = HaloArray::filled(&rt, &line, stencil(2), 1).expect("an array");
    let error = array.swap(&mut wider).expect_err("other widths");
    assert!(matches!(error, ArrayError::Unlike { .. }), "{error}");
    assert_eq!(array.to_vec().expect("elements"), [0; 10]);
    let mut like = HaloArray::filled(&rt, &line, stencil(1), 1).expect("an array");
    array.swap(&mut like).expect("alike");
    assert_eq!((array.to_vec().expect("elements"), like.to_vec().expect("elements")), (vec![1; 10], vec![0; 10]));
}

/// Reads without an update are right, too: elements that others wrote are never out of date.
#[test]
fn elements_of_neighbors_are_never_out_of_date() {
    fn steps(rt: &Runtime) -> Result<Vec<i64>, ArrayError> {
        let line = Domain::from(0..=8);
        let stencil = Stencil::new(Block::over(&line, Targets::all(3)?)?, [1]);
        let mut now: HaloArray<i64, 1> = HaloArray::from_fn(rt, &line, stencil.clone(), |[i]| i)?;
        let mut next: HaloArray<i64, 1> = HaloArray::filled(rt, &line, stencil, 0)?;
        for _ in 0..5 {
            next.write().zip(now.read_halo()).for_each(|_, (mut next, now)| {
                for i in 0..next.len() {
                    next.set(i, now.get(i) + now.get(i + 1) + now.get(i + 2));
                }
            })?;
            now.swap(&mut next)?;
        }
        now.to_vec()
    }
    let seen = on_locales(builder(3), (), |rt, ()| steps(rt).map_err(|error| error.to_string()));
    let mut line: Vec<i64> = (-1..10).collect();
    let mut other = vec![0; 11];
    for _ in 0..5 {
        for i in 1..10 {
            other[i] = line[i - 1] + line[i] + line[i + 1];
        }
        core::mem::swap(&mut line, &mut other);
    }
    for all in seen.expect("programs") {
        assert_eq!(all.expect("elements"), line[1..10]);
    }
}

/// A star reads no corners, so they may be unwritten; the faces may not.
#[test]
fn stars_read_no_corners_that_nobody_wrote() {
    const SIDE: i64 = 8;
    for (locales, periodic) in LOCALES.into_iter().flat_map(|locales| [(locales, false), (locales, true)]) {
        let seen = on(builder(locales), (locales, periodic), |rt, (locales, periodic)| {
            let domain = Domain::new([0..SIDE, 0..SIDE]);
            let all = stencil(&domain, [1, 1], periodic, locales);
            let star = all.clone().without_corners();
            let old: HaloArray<i64, 2> = HaloArray::new(rt, &domain, star)?;
            let new: Array<i64, 2> = Array::filled(rt, &domain, old.map().clone(), 0)?;
            old.fill_from_fn(value)?;
            let step = || {
                new.write().zip(old.read_halo()).for_each(|_, (mut new, old)| {
                    let [rows, columns] = new.extents();
                    for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                        let [up, down] = [old.get([i, j + 1]), old.get([i + 2, j + 1])];
                        new.set([i, j], up + down + old.get([i + 1, j]) + old.get([i + 1, j + 2]));
                    }
                })
            };
            let is_unwritten = |done| matches!(done, Err(ArrayError::Store(StoreError::Uninitialized { .. })));
            assert!(is_unwritten(step().map(drop)));
            if periodic {
                old.update_halo()?;
            } else {
                let line = 0..SIDE;
                for side in [-1, SIDE] {
                    assert!(is_unwritten(step().map(drop)));
                    old.expanded().slice(&Domain::new([side..side + 1, line.clone()]))?.fill(7)?;
                    assert!(is_unwritten(step().map(drop)));
                    old.expanded().slice(&Domain::new([line.clone(), side..side + 1]))?.fill(7)?;
                }
                let with_corners: HaloArray<i64, 2> = HaloArray::new(rt, &domain, all)?;
                with_corners.fill(1)?;
                assert!(is_unwritten(with_corners.update_halo()));
            }
            step()?;
            new.to_vec()
        });
        let at = |at: [i64; 2]| match periodic {
            true => value(at.map(|at| at.rem_euclid(SIDE))),
            false if at.iter().all(|at| (0..SIDE).contains(at)) => value(at),
            false => 7,
        };
        let sum = |[i, j]: [i64; 2]| at([i - 1, j]) + at([i + 1, j]) + at([i, j - 1]) + at([i, j + 1]);
        let expected: Vec<i64> = Domain::new([0..SIDE, 0..SIDE]).iter().map(sum).collect();
        assert!(seen.iter().all(|seen| *seen == expected), "{locales} locales, periodic: {periodic}");
    }
}
