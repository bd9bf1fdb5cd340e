//! Slices, changes of rank, and other names of indices, as Chapel writes them: `A[2..7, 3..6 by 2].reindex({0..5, 0..1})[.., 1]`.

use layout_domain::{Domain, DomainMap, DomainView, Pick, StridedRange};
use serde_json::Value;

use crate::Outcome;
use crate::form::{count, domain, list, numbers, of_rank, range, same, with_rank};

/// `{dist, params, grid, base, op, view_domain, elements: [{view, down, locale}..]}`.
pub(crate) fn check(record: &Value) -> Outcome {
    with_rank!(list(record, "base")?.len(), check_of(record))
}

fn check_of<const B: usize>(record: &Value) -> Outcome {
    let (map, base) = (super::maps::map::<B>(record)?, domain::<B>(&record["base"])?);
    let op = record["op"].as_str().ok_or("no operation")?.trim();
    let op = op.strip_prefix('A').ok_or_else(|| format!("an unknown operation `{op}`"))?;
    apply(&DomainView::of(&base), op, record, &*map)
}

/// Does what is left of the operation; at its end, compares the view.
fn apply<const V: usize, const B: usize>(
    view: &DomainView<V, B>,
    op: &str,
    record: &Value,
    map: &dyn DomainMap<B>,
) -> Outcome {
    let unknown = || format!("an unknown operation `{op}`");
    let text = |error: layout_domain::DomainError| error.to_string();
    if op.is_empty() {
        return compare(view, record, map);
    }
    if let Some(rest) = op.strip_prefix(".reindex({") {
        let (domain, rest) = rest.split_once("})").ok_or_else(unknown)?;
        let dims =
            domain.split(',').map(|dim| written_range(dim).ok_or_else(unknown)).collect::<Result<Vec<_>, _>>()?;
        let view = view.reindex(&Domain::new(of_rank::<V, _>(dims)?)).map_err(text)?;
        return apply(&view, rest, record, map);
    }
    let (picks, rest) = op.strip_prefix('[').and_then(|rest| rest.split_once(']')).ok_or_else(unknown)?;
    let pick = |text: &str| {
        let text = text.trim();
        let index = text.parse().ok().map(Pick::Index);
        let all = (text == "..").then_some(Pick::All);
        all.or(index).or_else(|| written_range(text).map(Pick::Range)).ok_or_else(unknown)
    };
    let picks = of_rank::<V, _>(picks.split(',').map(pick).collect::<Result<Vec<_>, _>>()?)?;
    match picks.iter().filter(|pick| !matches!(pick, Pick::Index(_))).count() {
        0 => apply(&view.pick::<0>(picks).map_err(text)?, rest, record, map),
        1 => apply(&view.pick::<1>(picks).map_err(text)?, rest, record, map),
        2 => apply(&view.pick::<2>(picks).map_err(text)?, rest, record, map),
        3 => apply(&view.pick::<3>(picks).map_err(text)?, rest, record, map),
        4 => apply(&view.pick::<4>(picks).map_err(text)?, rest, record, map),
        5 => apply(&view.pick::<5>(picks).map_err(text)?, rest, record, map),
        _ => apply(&view.pick::<6>(picks).map_err(text)?, rest, record, map),
    }
}

/// `lo..hi`, `lo..hi by stride`, `lo..hi by stride align index`.
pub(crate) fn written_range(text: &str) -> Option<StridedRange> {
    let (bounds, rest) = text.split_once(" by ").map_or((text, None), |(bounds, rest)| (bounds, Some(rest)));
    let (low, high) = bounds.trim().split_once("..")?;
    let range = StridedRange::from(low.trim().parse::<i64>().ok()?..=high.trim().parse().ok()?);
    let Some(rest) = rest else { return Some(range) };
    let (stride, align) = rest.split_once(" align ").map_or((rest, None), |(stride, align)| (stride, Some(align)));
    let range = range.by(stride.trim().parse().ok()?).ok()?;
    match align {
        Some(index) => Some(range.align(index.trim().parse().ok()?)),
        None => Some(range),
    }
}

fn compare<const V: usize, const B: usize>(view: &DomainView<V, B>, record: &Value, map: &dyn DomainMap<B>) -> Outcome {
    let given = list(record, "view_domain")?.iter().map(range).collect::<Result<Vec<_>, _>>()?;
    same("the dimensions", &view.domain().dims().to_vec(), &given)?;
    let elements = list(record, "elements")?;
    same("the number of elements", &view.domain().len(), &elements.len())?;
    for (index, given) in view.domain().iter().zip(elements) {
        same("an index of the view", &index, &of_rank(numbers(&given["view"])?)?)?;
        let down: [i64; B] = of_rank(numbers(&given["down"])?)?;
        same("an index of the base", &view.base(index), &Some(down))?;
        same("the index of an index of the base", &view.index(down), &Some(index))?;
        same("the owner", &map.owner(down, 0), &Some(count(given, "locale")?))?;
        let shown = view.shown();
        same("whether the base shows it", &shown.contains(down), &true)?;
    }
    Ok(None)
}
