//! Transforms, orderings, pairs of views, tilings.

use core::sync::atomic::{AtomicUsize, Ordering};

use layout::{Mapping, StridedLinearization};
use layout_store::{DimOrdering, OrderPolicy, Point, Rect, Runtime, read};
use serde_json::Value;

use crate::chain::{chain, counting, dims, numbers, point, same};
use crate::class::same_class;
use crate::{Outcome, Rule};

fn points(value: &Value) -> Vec<Point> {
    value.as_array().expect("a list").iter().map(point).collect()
}

fn is_defect(record: &Value) -> bool {
    !record["known_legate_bug"].is_null()
}

/// The extents, and elements row by row.
fn contents(store: &crate::chain::Numbers) -> Result<Vec<i64>, String> {
    store.to_vec().map_err(|error| error.to_string())
}

pub(crate) fn transform(record: &Value, rt: &Runtime) -> Outcome {
    let root = counting(rt, point(&record["root_shape"]));
    let mut rules = Vec::new();
    let error = &record["error"];
    let (view, shapes) = match (chain(&root, &record["chain"]), error.is_null()) {
        (Ok(chained), true) => chained,
        (Ok((view, _)), false) => return Err(format!("{view:?}, and an error was expected: {error}")),
        (Err((_, given, _)), true) => return Err(format!("an unexpected error: {given}")),
        (Err((step, given, before)), false) => {
            same("the step that is refused", Some(step as u64), error["op_index"].as_u64())?;
            same("extents before it", before, points(&record["shapes_before"]))?;
            same_class(&given, error)?;
            return Ok(rules);
        }
    };
    let result = &record["result"];
    same("extents of the steps", shapes, points(&result["shapes"]))?;
    same("volume", Some(view.volume()), result["volume"].as_i64())?;
    same("whether it is transformed", Some(view.is_transformed()), result["transformed"].as_bool())?;
    let model = if result["model_data"] == "same" { &result["data"] } else { &result["model_data"] };
    same("elements", contents(&view)?, numbers(model))?;
    same("whether it overlaps the root", Some(view.overlaps(&root)), result["overlaps_root"].as_bool())?;
    if is_defect(record) {
        rules.push(Rule::KnownDefect);
    }
    if Some(view.equal_storage(&root)) != result["equal_storage_with_root"].as_bool() {
        let covered = view.to_vec().map(|mut values| {
            values.sort_unstable();
            values.dedup();
            values.len() as i64
        });
        let covers = covered.is_ok_and(|covered| covered == root.volume());
        same("whether it covers the elements of the root", view.equal_storage(&root), covers)?;
        rules.push(Rule::ElementsCovered);
    }
    if let Some(expected) = result.get("root_after_fill_view_minus1").filter(|filled| !filled.is_null()) {
        view.fill(-1).map_err(|error| error.to_string())?;
        same("the root after a fill of the view", contents(&root)?, numbers(expected))?;
    }
    Ok(rules)
}

pub(crate) fn dimorder(record: &Value, rt: &Runtime) -> Outcome {
    let extents = point(&record["root_shape"]);
    let (view, _) = chain(&counting(rt, extents), &record["chain"]).map_err(|(_, error, _)| error.to_string())?;
    same("extents", view.extents(), point(&record["view_shape"]))?;
    let ordering = DimOrdering::Custom(dims(&record["ordering"]["dims"]));
    let inverted = ordering.inverted(view.transform()).map_err(|error| error.to_string())?;
    same("the order of the root", inverted, dims(&record["inverted_root_ordering"]))?;
    // The strides that were seen are those of an instance as large as what the view shows, whatever order the root is in.
    let expected = numbers(&record["predicted_view_strides"]);
    let rank = view.rank();
    let task = rt.task("strides").args((read(&view).ordered(ordering, OrderPolicy::Exact),)).single();
    let seen = task.map(move |_, (view,)| {
        let (extents, linearization) = (view.extents(), view.mapping().linearization());
        Ok((strides_of(&linearization, extents)[6 - rank..].to_vec(), view.to_vec()))
    });
    let (strides, elements) = seen.and_then(|seen| seen.get()).map_err(|error| error.to_string())?.swap_remove(0);
    same("strides", strides, expected)?;
    same("elements", elements, contents(&view)?)?;
    STRIDES.fetch_add(1, Ordering::Relaxed);
    Ok(Vec::new())
}

/// The number of records whose strides were compared, on each locale of each run.
pub(crate) static STRIDES: AtomicUsize = AtomicUsize::new(0);

fn strides_of<L: StridedLinearization<[usize; 6]>>(linearization: &L, extents: [usize; 6]) -> [i64; 6] {
    std::array::from_fn(|dim| linearization.stride(extents, dim) as i64)
}

pub(crate) fn pair(record: &Value, rt: &Runtime) -> Outcome {
    let root = counting(rt, point(&record["root_shape"]));
    let [a, b] = ["chain_a", "chain_b"].map(|name| chain(&root, &record[name]));
    let ((a, _), (b, _)) = (a.map_err(|(_, e, _)| e.to_string())?, b.map_err(|(_, e, _)| e.to_string())?);
    same("whether they overlap", Some(a.overlaps(&b)), record["overlaps"].as_bool())?;
    same("the other way round", Some(b.overlaps(&a)), record["overlaps_rev"].as_bool())?;
    same("whether equality is symmetric", a.equal_storage(&b), b.equal_storage(&a))?;
    if Some(a.equal_storage(&b)) != record["equal_storage"].as_bool() {
        same("whether they cover the same", Some(a.equal_storage(&b)), record["same_elements"].as_bool())?;
        return Ok(vec![Rule::ElementsCovered]);
    }
    Ok(Vec::new())
}

pub(crate) fn tiling(record: &Value, rt: &Runtime) -> Outcome {
    let root = counting(rt, point(&record["root_shape"]));
    let (store, _) = chain(&root, &record["chain"]).map_err(|(_, error, _)| error.to_string())?;
    same("extents", store.extents(), point(&record["store_shape"]))?;
    let tile = point(&record["tile_shape"]);
    let partition = match &record["color_shape_arg"] {
        Value::Null => store.partition_by_tiling(tile),
        colors => store.partition_by_tiling_with(tile, point(colors)),
    };
    let error = &record["error"];
    let partition = match (partition, error.is_null()) {
        (Ok(partition), true) => partition,
        (Ok(_), false) => return Err(format!("a partition, and an error was expected: {error}")),
        (Err(given), true) => return Err(format!("an unexpected error: {given}")),
        (Err(given), false) => return same_class(&given, error).map(|()| Vec::new()),
    };
    same("the color shape", partition.color_shape(), point(&record["color_shape"]))?;
    let mut rules = Vec::new();
    for child in record["children"].as_array().expect("children") {
        let color = point(&child["color"]);
        // Where Legate is wrong, the model says what is right; a color without a model is none.
        let defect = child["agrees"].as_bool() == Some(false);
        let found = partition.child(color);
        if child["model_shape"].is_null() {
            if found.is_ok() {
                return Err(format!("a tile of color {color}, and an error was expected"));
            }
            continue;
        }
        let found = found.map_err(|error| error.to_string())?;
        same("extents of a tile", found.extents(), point(&child["model_shape"]))?;
        same("elements of a tile", contents(&found)?, numbers(&child["model_data"]))?;
        if defect {
            rules.push(Rule::KnownDefect);
            continue;
        }
        let empty = found.volume() == 0;
        if !empty {
            same("whether a tile overlaps its store", found.overlaps(&store), true)?;
            if child["overlaps_parent"] == false {
                let (slice, tile) = (store.transform().footprint(), found.transform().footprint());
                let twice = |at: Point| at.zip_with(&slice.lo(), |at, offset| at + offset);
                let moved = Rect::new(twice(tile.lo()), twice(tile.hi()));
                same("whether the tile overlaps once it is moved twice", moved.overlaps(&slice), false)?;
                rules.push(Rule::ElementsCovered);
            }
            same("whether a tile is transformed", Some(found.is_transformed()), child["transformed"].as_bool())?;
        }
        if Some(found.equal_storage(&store)) != child["equal_storage_parent"].as_bool() {
            same("whether a tile is all", found.equal_storage(&store), found.extents() == store.extents())?;
            rules.push(Rule::ElementsCovered);
        }
    }
    if is_defect(record) && rules.is_empty() {
        rules.push(Rule::KnownDefect);
    }
    rules.sort_unstable();
    rules.dedup();
    Ok(rules)
}
