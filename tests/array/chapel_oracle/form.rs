//! The form of ranges, domains and numbers in records.

use layout_domain::{Domain, StridedRange};
use serde_json::Value;

/// A number, by the name of its field.
pub(crate) fn number(value: &Value, field: &str) -> Result<i64, String> {
    value[field].as_i64().ok_or_else(|| format!("no number `{field}`"))
}

pub(crate) fn count(value: &Value, field: &str) -> Result<usize, String> {
    usize::try_from(number(value, field)?).map_err(|error| format!("`{field}`: {error}"))
}

/// A list, by the name of its field.
pub(crate) fn list<'v>(value: &'v Value, field: &str) -> Result<&'v [Value], String> {
    value[field].as_array().map(Vec::as_slice).ok_or_else(|| format!("no list `{field}`"))
}

/// The numbers of a list.
pub(crate) fn numbers(value: &Value) -> Result<Vec<i64>, String> {
    let list = value.as_array().ok_or_else(|| format!("{value} is no list"))?;
    list.iter().map(|value| value.as_i64().ok_or_else(|| format!("{value} is no number"))).collect()
}

/// The numbers of a list which count something.
pub(crate) fn counts(value: &Value) -> Result<Vec<usize>, String> {
    let count = |number: i64| usize::try_from(number).map_err(|error| format!("{number}: {error}"));
    numbers(value)?.into_iter().map(count).collect()
}

/// An array of a rank that is known.
pub(crate) fn of_rank<const R: usize, T>(values: Vec<T>) -> Result<[T; R], String> {
    let len = values.len();
    values.try_into().map_err(|_| format!("{len} values for {R} dimensions"))
}

/// A range: `{lo, hi, stride, align, count}`, of which the last two may be missing.
pub(crate) fn range(value: &Value) -> Result<StridedRange, String> {
    let (lo, hi) = (number(value, "lo")?, number(value, "hi")?);
    let stride = value.get("stride").map_or(Ok(1), |_| number(value, "stride"))?;
    let mut range = StridedRange::from(lo..=hi).by(stride.into()).map_err(|error| error.to_string())?;
    if let Some(align) = value.get("align").and_then(Value::as_i64) {
        range = range.align(align);
    }
    match value.get("count").and_then(Value::as_u64) {
        Some(count) if count != range.len() as u64 => Err(format!("{range} has {} indices, not {count}", range.len())),
        _ => Ok(range),
    }
}

/// A list of ranges, one a dimension.
pub(crate) fn ranges(value: &Value) -> Result<Vec<StridedRange>, String> {
    value.as_array().ok_or_else(|| format!("{value} is no domain"))?.iter().map(range).collect()
}

pub(crate) fn domain<const R: usize>(value: &Value) -> Result<Domain<R>, String> {
    Ok(Domain::new(of_rank::<R, _>(ranges(value)?)?))
}

/// A range as a pair of its bounds.
pub(crate) fn pair(value: &Value) -> Result<StridedRange, String> {
    let [lo, hi] = of_rank::<2, _>(numbers(value)?)?;
    Ok((lo..=hi).into())
}

/// A list of pairs, one a dimension.
pub(crate) fn pairs<const R: usize>(value: &Value) -> Result<Domain<R>, String> {
    let list = value.as_array().ok_or_else(|| format!("{value} is no list of pairs"))?;
    Ok(Domain::new(of_rank::<R, _>(list.iter().map(pair).collect::<Result<_, _>>()?)?))
}

/// An error, if the two differ.
pub(crate) fn same<T: PartialEq + core::fmt::Debug>(what: &str, ours: &T, theirs: &T) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: {ours:?}, and the record says {theirs:?}")) }
}

/// Calls a function that is generic over the rank with the one that is known now only.
macro_rules! with_rank {
    ($rank:expr, $call:ident($($argument:expr),*)) => {
        match $rank {
            1 => $call::<1>($($argument),*),
            2 => $call::<2>($($argument),*),
            3 => $call::<3>($($argument),*),
            4 => $call::<4>($($argument),*),
            5 => $call::<5>($($argument),*),
            6 => $call::<6>($($argument),*),
            rank => Err(format!("a record of {rank} dimensions")),
        }
    };
}
pub(crate) use with_rank;
