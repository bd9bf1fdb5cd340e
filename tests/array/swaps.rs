//! Exchanges: what clones and views of the arrays show afterwards does not depend on the number of locales.

use layout_array::{Array, ArrayError, HaloArray, Replicas};
use layout_domain::{Block, Cyclic, Domain, Pick, Replicated, Stencil, Targets};

use crate::{LOCALES, builder, on};

#[test]
fn exchanges_do_not_depend_on_the_number_of_locales() {
    for locales in LOCALES {
        for alike in [true, false] {
            let seen = on(builder(locales), (locales, alike), |rt, (locales, alike)| {
                let line = Domain::from(0..=7);
                let blocks = || Block::over(&line, Targets::all(locales)?);
                let mut a: Array<i64, 1> = Array::from_fn(rt, &line, blocks()?, |[i]| i)?;
                let mut b: Array<i64, 1> = if alike {
                    Array::from_fn(rt, &line, blocks()?, |[i]| -i)?
                } else {
                    Array::from_fn(rt, &line, Cyclic::new([0], Targets::all(locales)?), |[i]| -i)?
                };
                let part = Domain::from(2..=4);
                // The arrays that the parts belong to show the exchanged elements.
                a.slice(&part)?.swap(&mut b.slice(&part)?)?;
                let mut seen = vec![a.to_vec()?, b.to_vec()?];
                a.slice(&line.by([-1])?)?.swap(&mut b)?;
                seen.extend([a.to_vec()?, b.to_vec()?]);
                // Of whole arrays, earlier handles show what they showed.
                let (clone, view) = (a.clone(), b.slice(&part)?);
                a.swap(&mut b)?;
                seen.extend([a.to_vec()?, b.to_vec()?, clone.to_vec()?, view.to_vec()?]);
                Ok(seen)
            });
            let [one, other] = [[0, 1, -2, -3, -4, 5, 6, 7], [0, -1, 2, 3, 4, -5, -6, -7]];
            let turned = |mut list: [i64; 8]| {
                list.reverse();
                list.to_vec()
            };
            let (a, b) = (turned(other), turned(one));
            let view = b[2..=4].to_vec();
            let expected = [one.to_vec(), other.to_vec(), a.clone(), b.clone(), b.clone(), a.clone(), a, view];
            for seen in seen {
                assert_eq!(seen, expected, "{locales} locales, alike: {alike}");
            }
        }
    }
}

/// Slices, replicas and the inside of a halo array are parts, whatever they show: also all elements of their store.
#[test]
fn parts_that_show_all_elements_are_parts() {
    for locales in LOCALES {
        let seen = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(0..=7);
            let full = |value| {
                let array: Array<i64, 1> = Array::filled(rt, &line, Cyclic::new([0], Targets::all(locales)?), value)?;
                Ok::<_, ArrayError>(array)
            };
            let all = [(full(1)?, full(2)?), (full(3)?, full(4)?), (full(5)?, full(6)?)];
            all[0].0.slice(&line)?.swap(&mut all[0].1.slice(&line)?)?;
            all[1].0.pick([Pick::All])?.swap(&mut all[1].1.clone())?;
            let moved = Domain::from(1..=8);
            all[2].0.slice(&line)?.reindex(&moved)?.swap(&mut all[2].1.reindex(&moved)?)?;
            let mut seen: Vec<_> = all.iter().flat_map(|(one, other)| [one.to_vec(), other.to_vec()]).collect();
            let map = Replicated::new(Targets::all(locales)?);
            let replicas: Replicas<i64, 1> = Replicas::filled(rt, &line, map, 7)?;
            let mut other: Array<i64, 1> = Array::filled(rt, &line, Cyclic::new([0], Targets::of([0])?), 8)?;
            let replica = || replicas.replica(0).expect("a replica");
            replica().clone().swap(&mut other)?;
            seen.extend([replica().to_vec(), other.to_vec()]);
            for width in 0..2 {
                let stencil = Stencil::new(Block::over(&line, Targets::all(locales)?)?, [width]);
                let halo: HaloArray<i64, 1> = HaloArray::filled(rt, &line, stencil, 9)?;
                let mut other: Array<i64, 1> = Array::filled(rt, &line, halo.map().clone(), 10)?;
                (*halo).clone().swap(&mut other)?;
                seen.extend([halo.to_vec(), other.to_vec()]);
            }
            seen.into_iter().collect::<Result<Vec<_>, _>>()
        });
        for seen in seen {
            let firsts: Vec<_> = seen.iter().map(|list| list[0]).collect();
            assert_eq!(firsts, [2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 10, 9], "{locales} locales");
        }
    }
}
