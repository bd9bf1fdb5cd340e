//! Programs in words: each is a test of its own here, by its name.
#![expect(clippy::reversed_empty_ranges, reason = "Chapel writes an empty range as 1..0")]

use layout_array::{Array, ArrayError, HaloArray};
use layout_domain::{Block, Cyclic, Domain, DomainError, DomainMap, DomainView, Pick, Replicated, Stencil, Targets};
use layout_store::Runtime;
use serde_json::Value;

use crate::Outcome;
use crate::form::{numbers, same};

pub(crate) fn check(record: &Value) -> Outcome {
    match record["id"].as_str().unwrap_or_default() {
        "rankchange-OOB-is-empty" => rank_change_out_of_bounds(),
        "default-layout-idxToLocale-is-here" => owner_is_here(),
        "block-empty-bbox" => empty_bounding_box(),
        "composite-alias-chain" => chain_of_views(&record["composite_final"]),
        "stencil-write-reads-true-elements" => write_without_update(&record["expect"]),
        "stencil-ghost-read-no-comm" => halo_without_messages(),
        other => Err(format!("an unknown program `{other}`")),
    }
}

fn rank_change_out_of_bounds() -> Outcome {
    let cube = Domain::new([1..=5, 1..=5, 1..=5]);
    let all = || Pick::Range((1..=5).into());
    let planes = [[all(), all(), Pick::Index(0)], [all(), Pick::Index(0), all()], [Pick::Index(0), all(), all()]];
    for picks in planes {
        let plane = cube.pick::<2>(picks).map_err(|error| error.to_string())?;
        same("the plane", &plane, &Domain::new([1..=0, 1..=0]))?;
        let view = DomainView::of(&cube).pick::<2>(picks).map_err(|error| error.to_string())?;
        same("the view", view.domain(), &plane)?;
        same("what it shows", &view.base([1, 1]), &None)?;
    }
    let line = cube.pick::<1>([all(), Pick::Index(0), Pick::Index(0)]).map_err(|error| error.to_string())?;
    same("the line", &line, &Domain::new([1..=0]))?;
    Ok(None)
}

/// Variables without a distribution lie where the program runs.
fn owner_is_here() -> Outcome {
    for here in 0..4 {
        let everywhere = Replicated::new(Targets::all(4).map_err(|error| error.to_string())?);
        same("the owner", &everywhere.owner([1], here), &Some(here))?;
    }
    Ok(None)
}

fn empty_bounding_box() -> Outcome {
    let targets = Targets::all(4).map_err(|error| error.to_string())?;
    match Block::over(&Domain::new([1..=0]), targets) {
        Err(DomainError::EmptyBox { dim: 0, .. }) => Ok(None),
        other => Err(format!("{other:?}")),
    }
}

/// Nine views of a cube, each of the one before; the number of a view is written through it.
fn chain_of_views(expected: &Value) -> Outcome {
    let text = |error: DomainError| error.to_string();
    let cube = Domain::new([0..5, 0..5, 0..5]).translate([1; 3]).map_err(text)?;
    let mut elements = vec![0; cube.len()];
    let one = DomainView::of(&cube);
    write(&mut elements, &cube, &one, 1);
    let two = one.slice(&one.domain().expand([-1; 3]).map_err(text)?);
    write(&mut elements, &cube, &two, 2);
    let three = two.reindex(&Domain::new([1..=3, 4..=6, 7..=9])).map_err(text)?;
    write(&mut elements, &cube, &three, 3);
    let four = three.pick::<2>([Pick::Index(2), Pick::All, Pick::All]).map_err(text)?;
    write(&mut elements, &cube, &four, 4);
    let five = four;
    write(&mut elements, &cube, &five, 5);
    let six = five.slice(&Domain::new([5..=6, 8..=9]));
    write(&mut elements, &cube, &six, 6);
    let seven = six.reindex(&Domain::new([10..=11, 1..=2])).map_err(text)?;
    write(&mut elements, &cube, &seven, 7);
    let eight = seven.pick::<1>([Pick::All, Pick::Index(2)]).map_err(text)?;
    write(&mut elements, &cube, &eight, 8);
    let nine = eight.pick::<0>([Pick::Index(10)]).map_err(text)?;
    write(&mut elements, &cube, &nine, 9);
    let expected = numbers(expected)?;
    same("the elements", &elements, &expected)?;
    for elements in locales(chain_of_arrays)? {
        same("the elements of arrays", &elements, &expected)?;
    }
    Ok(None)
}

/// The same over arrays, of which each shows elements of the one before.
fn chain_of_arrays(rt: &Runtime) -> Result<Vec<i64>, ArrayError> {
    let cube = Domain::new([1..=5, 1..=5, 1..=5]);
    let one: Array<i64, 3> = Array::filled(rt, &cube, Cyclic::new([0; 3], Targets::grid([2, 1, 2], [0, 1, 2, 3])?), 0)?;
    one.fill(1)?;
    let two = one.slice(&cube.expand([-1; 3])?)?;
    two.fill(2)?;
    let three = two.reindex(&Domain::new([1..=3, 4..=6, 7..=9]))?;
    three.fill(3)?;
    let four = three.pick::<2>([Pick::Index(2), Pick::All, Pick::All])?;
    four.fill(4)?;
    let five = four.clone();
    five.fill(5)?;
    let six = five.slice(&Domain::new([5..=6, 8..=9]))?;
    six.fill(6)?;
    let seven = six.reindex(&Domain::new([10..=11, 1..=2]))?;
    seven.fill(7)?;
    let eight = seven.pick::<1>([Pick::All, Pick::Index(2)])?;
    eight.fill(8)?;
    eight.put([10], 9)?;
    one.to_vec()
}

/// The result of a program on each of four locales.
fn locales<T: Send + 'static>(program: fn(&Runtime) -> Result<T, ArrayError>) -> Result<Vec<T>, String> {
    let told = Runtime::builder().locales(4).threads(1).min_chunk(1).whole_below(0).simulate(program);
    let told = told.map_err(|error| error.to_string())?;
    told.into_iter().map(|result| result.map_err(|error| error.to_string())).collect()
}

/// Nobody brings the halo up to date, and one locale prints what was written.
fn write_without_update(expected: &Value) -> Outcome {
    let program = |rt: &Runtime| {
        let grid = Domain::new([1..=10, 1..=10]);
        let stencil = Stencil::new(Block::over(&grid, Targets::grid([2, 2], [0, 1, 2, 3])?)?, [1, 1]);
        let a: HaloArray<i64, 2> = HaloArray::new(rt, &grid, stencil)?;
        for (index, value) in grid.iter().zip(1..) {
            a.put(index, value)?;
        }
        let mut text = Vec::new();
        a.write_text(0, &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    };
    let texts = locales(program)?;
    let printed = texts[0].split_whitespace().map(|word| word.parse::<i64>().map_err(|error| error.to_string()));
    same("what is printed", &printed.collect::<Result<Vec<_>, _>>()?, &numbers(expected)?)?;
    same("lines", &texts[0].lines().count(), &10)?;
    Ok(None)
}

/// After the halo was brought, each locale reads all around its part, and nothing is sent.
fn halo_without_messages() -> Outcome {
    let program = |rt: &Runtime| {
        let grid = Domain::new([1..=100, 1..=100]);
        let stencil = Stencil::new(Block::over(&grid, Targets::grid([2, 2], [0, 1, 2, 3])?)?, [2, 2]).periodic();
        let a: HaloArray<i64, 2> = HaloArray::from_fn(rt, &grid, stencil.clone(), |[i, j]| 100 * i + j)?;
        let count: HaloArray<i64, 2> = HaloArray::new(rt, &grid, stencil)?;
        a.update_halo()?;
        rt.fence()?;
        let before = rt.traffic();
        count.write().zip(a.read_halo()).for_each(|chunk, (mut count, a)| {
            count.fill(0);
            let [low, high] = [chunk.domain().low(), chunk.domain().high()].map(Option::unwrap_or_default);
            for (row, i) in (low[0] - 2..=high[0] + 2).enumerate() {
                for (column, j) in (low[1] - 2..=high[1] + 2).enumerate() {
                    let around = |at: i64| (at - 1).rem_euclid(100) + 1;
                    assert_eq!(a.get([row, column]), 100 * around(i) + around(j), "at {:?}", [i, j]);
                }
            }
        })?;
        // Tells of values that are stale.
        rt.fence()?;
        let after = rt.traffic();
        Ok((after.bytes - before.bytes, after.messages - before.messages))
    };
    for sent in locales(program)? {
        same("bytes and messages", &sent, &(0, 0))?;
    }
    Ok(None)
}

fn write<const V: usize, const B: usize>(elements: &mut [i64], base: &Domain<B>, view: &DomainView<V, B>, number: i64) {
    for index in *view.domain() {
        let order = view.base(index).and_then(|at| base.order(at)).expect("an index of the base");
        elements[order] = number;
    }
}
