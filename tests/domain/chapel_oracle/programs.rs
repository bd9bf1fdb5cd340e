//! Programs in words: each is a test of its own here, by its name, as far as it is about indices.
#![expect(clippy::reversed_empty_ranges, reason = "Chapel writes an empty range as 1..0")]

use layout_domain::{Block, Domain, DomainError, DomainMap, DomainView, Pick, Replicated, Targets};
use serde_json::Value;

use crate::form::{numbers, same};
use crate::{Outcome, Rule};

pub(crate) fn check(record: &Value) -> Outcome {
    match record["id"].as_str().unwrap_or_default() {
        "rankchange-OOB-is-empty" => rank_change_out_of_bounds(),
        "default-layout-idxToLocale-is-here" => owner_is_here(),
        "block-empty-bbox" => empty_bounding_box(),
        "composite-alias-chain" => chain_of_views(&record["composite_final"]),
        "stencil-write-reads-true-elements" | "stencil-ghost-read-no-comm" => Ok(Some(Rule::NeedsElements)),
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

/// What has no distribution is where the program is.
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
    same("the elements", &elements, &numbers(expected)?)?;
    Ok(None)
}

fn write<const V: usize, const B: usize>(elements: &mut [i64], base: &Domain<B>, view: &DomainView<V, B>, number: i64) {
    for index in *view.domain() {
        let order = view.base(index).and_then(|at| base.order(at)).expect("an index of the base");
        elements[order] = number;
    }
}
