//! Orders of indices, dense positions, grids of locales, and chunks.

use layout_domain::{Domain, StridedRange, Targets};
use serde_json::Value;

use crate::Outcome;
use crate::form::{count, counts, domain, list, number, numbers, of_rank, range, same, with_rank};

/// `{domain, orderToIndex | indexOrder: {order, index}}`; an order of -1 is that of an index that the domain does not have.
pub(crate) fn order(record: &Value) -> Outcome {
    with_rank!(list(record, "domain")?.len(), order_of(record))
}

fn order_of<const R: usize>(record: &Value) -> Outcome {
    let domain = domain::<R>(&record["domain"])?;
    for (name, is_at) in [("orderToIndex", true), ("indexOrder", false)] {
        let Some(given) = record.get(name) else { continue };
        let (order, index) = (number(given, "order")?, of_rank::<R, _>(numbers(&given["index"])?)?);
        let expected = usize::try_from(order).ok();
        if is_at {
            same("the index", &expected.and_then(|order| domain.at(order)), &Some(index))?;
        }
        same("the order", &domain.order(index), &expected)?;
    }
    Ok(None)
}

/// `{sub, whole, dense: {lo, hi, stride, sequence} | {empty} | {error}}`.
pub(crate) fn densify(record: &Value) -> Outcome {
    let (part, whole) = (range(&record["sub"])?, range(&record["whole"])?);
    let (dense, given) = (whole.densify(&part), &record["dense"]);
    if given.get("error").is_some() {
        return if dense.is_err() { Ok(None) } else { Err(format!("{dense:?}, and the record says an error")) };
    }
    let dense = dense.map_err(|error| error.to_string())?;
    if given["empty"].as_bool() == Some(true) {
        same("is empty", &dense.is_empty(), &true)?;
    } else {
        let bounds = [number(given, "lo")?, number(given, "hi")?, number(given, "stride")?];
        let ours = [dense.low().map(i128::from), dense.high().map(i128::from), Some(dense.stride())];
        same("bounds and stride", &ours, &bounds.map(|number| Some(number.into())))?;
        let sequence: Vec<i64> = dense.iter().map(|at| i64::try_from(at).unwrap_or(-1)).collect();
        same("positions", &sequence, &numbers(&given["sequence"])?)?;
    }
    let back = whole.undensify(&dense).map_err(|error| error.to_string())?;
    same("the indices of the positions", &back, &part)?;
    Ok(None)
}

/// `{rank, numLocales, grid}`.
pub(crate) fn grid(record: &Value) -> Outcome {
    with_rank!(count(record, "rank")?, grid_of(record))
}

fn grid_of<const R: usize>(record: &Value) -> Outcome {
    let targets = Targets::<R>::all(count(record, "numLocales")?).map_err(|error| error.to_string())?;
    same("the grid", targets.shape(), &of_rank::<R, _>(counts(&record["grid"])?)?)?;
    Ok(None)
}

/// `{shape, maxTasks, minGranularity, numChunks, parDim, chunks: [[lo, hi]..]}`.
pub(crate) fn chunks(record: &Value) -> Outcome {
    with_rank!(list(record, "shape")?.len(), chunks_of(record))
}

fn chunks_of<const R: usize>(record: &Value) -> Outcome {
    let shape = of_rank::<R, _>(numbers(&record["shape"])?)?;
    // Chunks are dense, whatever the domain's first indices and strides are.
    let plain = Domain::new(shape.map(|len| 0..len));
    let odd = Domain::new(shape.map(|len| 5..5 + 3 * len)).by([3; R]).map_err(|error| error.to_string())?;
    for domain in [plain, odd] {
        let chunks: Vec<_> = domain.chunks(count(record, "maxTasks")?, count(record, "minGranularity")?).collect();
        same("the number of chunks", &chunks.len(), &count(record, "numChunks")?)?;
        let along = count(record, "parDim")?;
        let given: Vec<Vec<i64>> = list(record, "chunks")?.iter().map(numbers).collect::<Result<_, _>>()?;
        for (chunk, given) in chunks.iter().zip(given) {
            for (dim, len) in shape.iter().enumerate() {
                let [lo, hi] = if dim == along { of_rank::<2, _>(given.clone())? } else { [0, len - 1] };
                let [lo, hi] = [lo, hi].map(|at| u64::try_from(at).unwrap_or(u64::MAX));
                same("a chunk", &chunk.dims()[dim], &StridedRange::from(lo..=hi))?;
            }
        }
    }
    Ok(None)
}
