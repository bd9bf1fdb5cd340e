//! Copies, gathers and scatters.

use layout::{Record, SoA};
use layout_store::{DynRank, IndexOf, Point, Runtime, Store, StoreError};
use serde_json::Value;

use crate::Outcome;
use crate::chain::{Numbers, counting, flat, numbers, point, same};

/// Runs a block with the reduction of this name.
macro_rules! with_op {
    ($name:expr, |$op:ident| $run:expr) => {
        match $name {
            "ADD" => {
                let $op = layout_store::Sum;
                $run
            }
            "MUL" => {
                let $op = layout_store::Product;
                $run
            }
            "MAX" => {
                let $op = layout_store::Max;
                $run
            }
            "MIN" => {
                let $op = layout_store::Min;
                $run
            }
            "OR" => {
                let $op = layout_store::Or;
                $run
            }
            "AND" => {
                let $op = layout_store::And;
                $run
            }
            "XOR" => {
                let $op = layout_store::Xor;
                $run
            }
            other => return Err(format!("a reduction `{other}`")),
        }
    };
}
pub(crate) use with_op;

/// Runs a block with the indices in a list as a store of `[i64; N]` of these extents.
macro_rules! with_indices {
    ($rt:expr, $value:expr, $extents:expr, |$store:ident| $run:expr) => {{
        let rows: Vec<Vec<i64>> = $value.as_array().expect("a list").iter().map(numbers).collect();
        match rows.first().map_or(1, Vec::len) {
            1 => {
                let $store = indices::<1>($rt, &rows, $extents)?;
                $run
            }
            2 => {
                let $store = indices::<2>($rt, &rows, $extents)?;
                $run
            }
            3 => {
                let $store = indices::<3>($rt, &rows, $extents)?;
                $run
            }
            4 => {
                let $store = indices::<4>($rt, &rows, $extents)?;
                $run
            }
            other => return Err(format!("indices of {other} dimensions")),
        }
    }};
}

fn indices<const N: usize>(
    rt: &Runtime,
    rows: &[Vec<i64>],
    extents: Point,
) -> Result<Store<[i64; N], DynRank, SoA>, String>
where
    [i64; N]: Record + IndexOf<DynRank>,
{
    let rows: Vec<[i64; N]> = rows.iter().map(|row| row[..].try_into().expect("indices of one rank")).collect();
    rt.create_from(extents, &rows).map_err(text)
}

#[allow(clippy::needless_pass_by_value, reason = "passed to `map_err`")]
fn text(error: StoreError) -> String {
    error.to_string()
}

/// A store of these extents, or of as many elements as a list has.
fn filled(rt: &Runtime, extents: Point, init: &Value) -> Result<Numbers, String> {
    let store: Numbers = rt.create(extents).map_err(text)?;
    match init {
        Value::Array(_) => rt.create_from(extents, &flat(init)).map_err(text),
        init => store.fill(init.as_i64().unwrap_or(0)).map(|()| store).map_err(text),
    }
}

fn line(rt: &Runtime, value: &Value) -> Result<Numbers, String> {
    let values = flat(value);
    rt.create_from(Point::from([values.len() as i64]), &values).map_err(text)
}

fn length(value: &Value) -> Point {
    [value.as_array().expect("a list").len() as i64].into()
}

fn contents(store: &Numbers, record: &Value) -> Outcome {
    same("elements", store.to_vec().map_err(text)?, flat(&record["target"]))?;
    Ok(Vec::new())
}

pub(crate) fn gather(record: &Value, rt: &Runtime) -> Outcome {
    let source = counting(rt, point(&record["source_shape"]));
    let extents = point(&record["target_shape"]);
    let target = filled(rt, extents, &record["target_init"])?;
    with_indices!(rt, record["source_indirect"], extents, |indices| {
        match record["redop"].as_str() {
            None => target.gather_from(&source, &indices).map_err(text)?,
            Some(name) => with_op!(name, |op| target.gather_reduce_from(&source, &indices, op).map_err(text)?),
        }
    });
    contents(&target, record)
}

pub(crate) fn scatter(record: &Value, rt: &Runtime) -> Outcome {
    let target = filled(rt, point(&record["target_shape"]), &record["target_init"])?;
    let source = line(rt, &record["source"])?;
    with_indices!(rt, record["target_indirect"], length(&record["target_indirect"]), |indices| {
        match record["redop"].as_str() {
            None => target.scatter_from(&indices, &source).map_err(text)?,
            Some(name) => with_op!(name, |op| target.scatter_reduce_from(&indices, &source, op).map_err(text)?),
        }
    });
    contents(&target, record)
}

pub(crate) fn scatter_gather(record: &Value, rt: &Runtime) -> Outcome {
    let target = filled(rt, point(&record["target_shape"]), &record["target_init"])?;
    let source = counting(rt, point(&record["source_shape"]));
    let extents = length(&record["target_indirect"]);
    with_indices!(rt, record["target_indirect"], extents, |to| {
        with_indices!(rt, record["source_indirect"], extents, |from| {
            match record["redop"].as_str() {
                None => target.scatter_gather_from(&to, &source, &from).map_err(text)?,
                Some(name) => {
                    with_op!(name, |op| target.scatter_gather_reduce_from(&to, &source, &from, op).map_err(text)?)
                }
            }
        })
    });
    contents(&target, record)
}

pub(crate) fn copy(record: &Value, rt: &Runtime) -> Outcome {
    let source = counting(rt, point(&record["source_shape"]));
    let target: Numbers = rt.create(source.extents()).map_err(text)?;
    target.copy_from(&source).map_err(text)?;
    contents(&target, record)
}

pub(crate) fn copy_reduce(record: &Value, rt: &Runtime) -> Outcome {
    let mut extents = Point::EMPTY;
    let mut level = &record["source"];
    while let Some(entries) = level.as_array() {
        extents = extents.inserted(extents.len(), entries.len() as i64);
        level = &entries[0];
    }
    let target = filled(rt, extents, &record["target_init"])?;
    let source = filled(rt, extents, &record["source"])?;
    with_op!(record["redop"].as_str().unwrap_or(""), |op| target.copy_reduce_from(&source, op).map_err(text)?);
    contents(&target, record)
}
