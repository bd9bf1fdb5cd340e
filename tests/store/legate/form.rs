//! Forms of records: what is known of each kind, so that nothing that a record says is passed over.

use serde_json::Value;

/// The fields that records of all kinds may have.
const ALL: &[&str] = &["id", "kind", "section", "note", "num_procs", "error", "known_legate_bug", "mismatch"];

/// The further fields that records of each kind may have.
const KINDS: [(&str, &[&str]); 13] = [
    ("transform", &["root_shape", "chain", "shapes_before", "result"]),
    (
        "dimorder",
        &[
            "root_shape",
            "chain",
            "view_shape",
            "ordering",
            "inverted_root_ordering",
            "predicted_view_strides",
            "observed",
            "verified",
        ],
    ),
    (
        "pair",
        &[
            "root_shape",
            "chain_a",
            "chain_b",
            "overlaps",
            "overlaps_rev",
            "equal_storage",
            "equal_storage_rev",
            "same_elements",
            "share_elements",
        ],
    ),
    ("tiling", &["root_shape", "chain", "store_shape", "tile_shape", "color_shape_arg", "color_shape", "children"]),
    ("constraint", &["constraint", "stores", "spec", "launch_domain", "points", "single_task"]),
    ("unbound", &["program", "input_shape", "unbound_before", "unbound_after", "extents", "contents"]),
    ("reduction", &["program", "op", "input_shape", "target_shape", "init", "result"]),
    ("key_partition", &["program", "shape", "tile", "next_auto_task", "is_key_partition"]),
    ("gather", &["source_shape", "target_shape", "target_init", "source_indirect", "redop", "target"]),
    ("scatter", &["target_shape", "target_init", "target_indirect", "source", "redop", "target"]),
    (
        "scatter_gather",
        &["target_shape", "target_init", "target_indirect", "source_shape", "source_indirect", "redop", "target"],
    ),
    ("copy", &["source_shape", "target"]),
    ("copy_reduce", &["source", "target_init", "redop", "target"]),
];

/// The fields that a step of a chain of transforms may have.
const STEPS: [(&str, &[&str]); 6] = [
    ("promote", &["op", "dim", "size"]),
    ("broadcast", &["op", "dim", "size"]),
    ("project", &["op", "dim", "index"]),
    ("slice", &["op", "dim", "start", "stop"]),
    ("transpose", &["op", "axes"]),
    ("delinearize", &["op", "dim", "sizes"]),
];

/// Refuses a record that says what nobody looks at.
pub(crate) fn check(record: &Value) -> Result<(), String> {
    let kind = record["kind"].as_str().ok_or("a record without a kind")?;
    let (_, known) = KINDS
        .iter()
        .find(|(name, _)| *name == kind)
        .ok_or_else(|| format!("records of kind `{kind}` are not known"))?;
    only(record, &[ALL, known])?;
    for chain in ["chain", "chain_a", "chain_b"] {
        let steps = record.get(chain).map_or(&[][..], |chain| chain.as_array().map_or(&[][..], Vec::as_slice));
        for step in steps {
            let op = step["op"].as_str().unwrap_or("");
            let (_, known) = STEPS.iter().find(|(name, _)| *name == op).ok_or_else(|| format!("a step `{step}`"))?;
            only(step, &[known])?;
        }
    }
    Ok(())
}

fn only(value: &Value, known: &[&[&str]]) -> Result<(), String> {
    let entries = value.as_object().ok_or("no list of names and values")?;
    match entries.keys().find(|name| !known.iter().any(|known| known.contains(&name.as_str()))) {
        None => Ok(()),
        Some(name) => Err(format!("`{name}` is not known")),
    }
}
