//! Exchanges: what clones and views of the arrays show afterwards does not depend on the number of locales.

use layout_array::Array;
use layout_domain::{Block, Cyclic, Domain, Targets};

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
