//! Loops over arrays that overlap, and over arrays that lie elsewhere.

use layout_array::{Array, ArrayError, HaloArray};
use layout_domain::{Block, Cyclic, Domain, Stencil, Targets};
use layout_store::StoreError;

use crate::{LOCALES, builder, on};

/// Every pair of arrays of a loop that show the same elements, one of which is written, is refused; on any number of locales alike, and
/// before anything is written or sent.
#[test]
fn arrays_of_a_loop_that_overlap_are_refused_on_any_number_of_locales() {
    for locales in LOCALES {
        let wrong = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(0..=11);
            let blocks = Block::over(&line, Targets::all(locales)?)?;
            let cyclic = || Ok::<_, ArrayError>(Cyclic::new([0], Targets::all(locales)?));
            let a: Array<i64, 1> = Array::filled(rt, &line, blocks.clone(), 1)?;
            let b: Array<i64, 1> = Array::from_fn(rt, &line, cyclic()?, |[i]| i)?;
            let halo: HaloArray<i64, 1> = HaloArray::filled(rt, &line, Stencil::new(blocks, [1]), 1)?;
            let apart: Array<i64, 1> = Array::filled(rt, &Domain::from(1..=6), cyclic()?, 1)?;
            let half = |array: &Array<i64, 1>, start: i64| array.slice(&Domain::from(start..start + 6));
            let (low, middle, high) = (half(&b, 0)?, half(&b, 3)?, half(&b, 6)?);
            rt.fence()?;
            let before = rt.traffic();
            let mut wrong = Vec::new();
            let mut case = |what: &str, written: usize, other: usize, result: Result<_, ArrayError>| match result {
                Err(ArrayError::Store(StoreError::Aliased { task, written: one, other: two, .. }))
                    if (one, two) == (written, other) && task == "both" => {}
                result => wrong.push(format!("{what}: {result:?}")),
            };
            let loops = || a.read().named("both");
            case("two updates", 2, 1, loops().zip(b.update()).zip(b.update()).for_each(|_, _| ()).map(drop));
            case("two writes", 2, 1, loops().zip(b.write()).zip(b.write()).for_each(|_, _| ()).map(drop));
            case("a read before", 2, 1, loops().zip(b.read()).zip(b.update()).for_each(|_, _| ()).map(drop));
            case("a read behind", 1, 2, loops().zip(b.update()).zip(b.read()).for_each(|_, _| ()).map(drop));
            case("a table", 1, 2, loops().zip(b.write()).broadcast(&b).for_each(|_, _| ()).map(drop));
            let parts = apart.read().named("both").zip(low.update());
            case("parts", 2, 1, parts.zip(middle.update()).for_each(|_, _| ()).map(drop));
            let parts = apart.read().named("both").zip(high.read());
            case("a part that is read", 2, 1, parts.zip(middle.update()).for_each(|_, _| ()).map(drop));
            case("the leader", 1, 0, low.read().named("both").zip(middle.write()).for_each(|_, _| ()).map(drop));
            case(
                "the leader, written",
                0,
                1,
                low.write().named("both").zip(middle.read()).for_each(|_, _| ()).map(drop),
            );
            let around = apart.read().named("both").zip(half(&halo, 6)?.write());
            // The halo around the part of another leader.
            case("a halo", 1, 2, around.broadcast(halo.expanded()).for_each(|_, _| ()).map(drop));
            let inner = halo.update().named("both");
            case("a halo of the leader", 0, 1, inner.zip(halo.read_halo()).for_each(|_, _| ()).map(drop));
            rt.fence()?;
            if rt.traffic() != before || b.to_vec()? != (0..12).collect::<Vec<_>>() {
                wrong.push("elements were sent or changed".to_owned());
            }
            // Parts that have no element in common may be written together.
            let parts = apart.read().zip(low.update()).zip(high.update());
            parts.for_each(|_, (one, mut low, mut high)| {
                low.for_each_indexed_mut(|at, mut low| low += one.get(at));
                high.update(|value| -value)
            })?;
            let expected = (0..12).map(|i| if i < 6 { i + 1 } else { -i }).collect::<Vec<_>>();
            if b.to_vec()? != expected {
                wrong.push(format!("{:?}", b.to_vec()?));
            }
            Ok(wrong)
        });
        for wrong in wrong {
            assert!(wrong.is_empty(), "{locales} locales: {wrong:#?}");
        }
    }
}

/// A loop does nothing before it is launched: it sees the elements that were written until then.
#[test]
fn a_loop_sees_elements_that_were_written_after_it_was_built() {
    for locales in LOCALES {
        let seen = on(builder(locales), locales, |rt, locales| {
            let line = Domain::from(0..=7);
            let a: Array<i64, 1> = Array::filled(rt, &line, Block::over(&line, Targets::all(locales)?)?, 1)?;
            let cyclic = || Ok::<_, ArrayError>(Cyclic::new([0], Targets::all(locales)?));
            let b: Array<i64, 1> = Array::filled(rt, &line, cyclic()?, 10)?;
            let c: Array<i64, 1> = Array::filled(rt, &line, cyclic()?, 100)?;
            rt.fence()?;
            let before = rt.traffic();
            let built = a.read().zip(b.update()).zip(c.read());
            let dropped = a.read().zip(b.update());
            rt.fence()?;
            assert_eq!(rt.traffic(), before);
            drop(dropped);
            [&a, &b, &c].into_iter().try_for_each(|array| array.fill(2))?;
            built.for_each(|_, (a, mut b, c)| b.for_each_indexed_mut(|at, mut b| b += a.get(at) * c.get(at)))?;
            b.to_vec()
        });
        assert_eq!(seen, vec![[6; 8]; locales], "{locales} locales");
    }
}

/// A part with steps has no halo around it: the loop is refused, and not run on the box between the ends of the part.
#[test]
fn a_halo_around_parts_with_steps_is_refused() {
    for locales in LOCALES {
        let told = on(builder(locales), locales, |rt, locales| {
            let grid = Domain::new([0..=5, 0..=11]);
            let columns = || Targets::grid([1, locales], (0..locales).collect::<Vec<_>>());
            let blocks = |widths| Ok::<_, ArrayError>(Stencil::new(Block::over(&grid, columns()?)?, widths));
            let halo = |blocks| HaloArray::<i64, 2>::from_fn(rt, &grid, blocks, |[i, j]| 10 * i + j);
            let (both, rows) = (halo(blocks([1, 1])?)?, halo(blocks([1, 0])?)?);
            let faces = halo(blocks([1, 1])?.without_corners())?;
            let out: Array<i64, 2> = Array::filled(rt, &grid, Cyclic::new([0, 0], columns()?), 0)?;
            let refused = out.write().zip(both.read_halo()).for_each(|_, _| ());
            let too = out.write().zip(faces.read_halo()).for_each(|_, _| ());
            assert_eq!(too.is_err(), refused.is_err());
            // Along the rows, which have a halo, the parts have no steps.
            out.write().zip(rows.read_halo()).for_each(|_, (mut out, around)| {
                out.for_each_indexed_mut(|[i, j], mut out| out.set(around.get([i, j]) + around.get([i + 2, j])));
            })?;
            let expected: Vec<i64> = grid.iter().map(|[i, j]| 20 * i + 2 * j).collect();
            let wrong = (out.to_vec()? != expected).then(|| format!("{:?}", out.to_vec()));
            let is_told = match refused {
                Err(ArrayError::HaloSteps { dim: 1 }) => locales > 1,
                Ok(_) => locales == 1,
                Err(_) => false,
            };
            Ok((is_told, wrong))
        });
        assert_eq!(told, vec![(true, None); locales], "{locales} locales");
    }
}
