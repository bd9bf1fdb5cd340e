//! Values of records, and chains of transforms.

use layout::SoA;
use layout_store::{DynRank, Point, Runtime, Store, StoreError};
use serde_json::Value;

/// A store of numbers of any rank.
pub(crate) type Numbers = Store<i64, DynRank, SoA>;

pub(crate) fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().expect("a list").iter().map(|number| number.as_i64().expect("a number")).collect()
}

pub(crate) fn point(value: &Value) -> Point {
    numbers(value).into_iter().collect()
}

/// Numbers in lists of lists, row by row.
pub(crate) fn flat(value: &Value) -> Vec<i64> {
    match value.as_array() {
        Some(entries) => entries.iter().flat_map(flat).collect(),
        None => vec![value.as_i64().expect("a number")],
    }
}

/// A dimension; one below zero is one that no store has.
pub(crate) fn dim(value: &Value) -> usize {
    value.as_i64().expect("a number").try_into().unwrap_or(usize::MAX)
}

pub(crate) fn dims(value: &Value) -> Vec<usize> {
    value.as_array().expect("a list").iter().map(dim).collect()
}

/// A store with 0, 1, 2 and so on, row by row.
pub(crate) fn counting(rt: &Runtime, extents: Point) -> Numbers {
    let number = |at: Point| at.iter().zip(&*extents).fold(0, |number, (at, extent)| number * extent + at);
    rt.create_from_fn(extents, number).expect("a small store")
}

pub(crate) fn step(store: &Numbers, op: &Value) -> Result<Numbers, StoreError> {
    let number = |name: &str| op[name].as_i64().expect("a number");
    match op["op"].as_str().expect("an operation") {
        "promote" => store.promote(dim(&op["dim"]), number("size")),
        "broadcast" => store.broadcast(dim(&op["dim"]), number("size")),
        "project" => store.project(dim(&op["dim"]), number("index")),
        "slice" => store.slice(dim(&op["dim"]), op["start"].as_i64(), op["stop"].as_i64()),
        "transpose" => store.transpose(dims(&op["axes"])),
        "delinearize" => store.delinearize(dim(&op["dim"]), numbers(&op["sizes"])),
        other => panic!("a transform `{other}`"),
    }
}

/// The view at the end of a chain and the extents after each step; or the number of the step that was refused, why, and
/// the extents before.
pub(crate) type Chained = Result<(Numbers, Vec<Point>), (usize, StoreError, Vec<Point>)>;

pub(crate) fn chain(root: &Numbers, ops: &Value) -> Chained {
    let (mut store, mut shapes) = (root.clone(), Vec::new());
    for (number, op) in ops.as_array().expect("a chain").iter().enumerate() {
        match step(&store, op) {
            Ok(next) => store = next,
            Err(error) => return Err((number, error, shapes)),
        }
        shapes.push(store.extents());
    }
    Ok((store, shapes))
}

/// Says what differs.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, given: T, expected: T) -> Result<(), String> {
    if given == expected { Ok(()) } else { Err(format!("{what}: {given:?}, and {expected:?} was expected")) }
}
