//! Classes of errors: Legate's, by their texts, and those of the stores.

use layout_store::{PartitionError, StoreError, TransformError};
use serde_json::Value;

use crate::chain::same;

/// The mistake of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// There is no such dimension.
    Dimension,
    /// A list of dimensions that is no order of them.
    Axes,
    /// Something has too many dimensions, or too few.
    Rank,
    Slice,
    Index,
    Broadcast,
    Delinearize,
    NonInvertible,
    Align,
    Tile,
    Colors,
}

/// The beginnings of Legate's texts; of several that fit, the first counts.
const TEXTS: [(&str, Class); 20] = [
    ("Non-invertible transformation", Class::NonInvertible),
    ("Dimension Mismatch: expected", Class::Axes),
    ("Duplicate axes found", Class::Axes),
    ("Invalid axis", Class::Axes),
    ("Dimension of size", Class::Delinearize),
    ("Invalid broadcast on dimension", Class::Broadcast),
    ("Invalid promotion on dimension", Class::Dimension),
    ("Invalid projection on dimension", Class::Dimension),
    ("Invalid slicing of dimension", Class::Dimension),
    ("Invalid delinearization on dimension", Class::Dimension),
    ("Invalid broadcasting dimension", Class::Dimension),
    ("Out-of-bounds slicing", Class::Slice),
    ("Projection index", Class::Index),
    ("Color shape must have", Class::Colors),
    ("Incompatible color shape", Class::Rank),
    ("Incompatible tile shape", Class::Rank),
    ("Tile shape must have", Class::Tile),
    ("Alignment requires", Class::Align),
    ("Bloating constraint requires", Class::Rank),
    ("Scaling constraint requires", Class::Rank),
];

fn of_legate(text: &str) -> Option<Class> {
    // Two faults begin alike.
    if text.starts_with("Invalid broadcast on dimension") && !text.contains("expected size") {
        return Some(Class::Dimension);
    }
    TEXTS.iter().find(|(start, _)| text.starts_with(start)).map(|(_, class)| *class)
}

fn of_store(error: &StoreError) -> Option<Class> {
    Some(match error {
        StoreError::Transform(error) => match error {
            TransformError::Dimension { .. } => Class::Dimension,
            TransformError::Axes { .. } => Class::Axes,
            TransformError::Rank { .. } => Class::Rank,
            TransformError::Slice { .. } => Class::Slice,
            TransformError::Index { .. } => Class::Index,
            TransformError::Broadcast { .. } => Class::Broadcast,
            TransformError::Delinearize { .. } => Class::Delinearize,
            TransformError::NonInvertible { .. } => Class::NonInvertible,
            _ => return None,
        },
        StoreError::Partition(error) => match error {
            PartitionError::Axis { .. } => Class::Dimension,
            PartitionError::Rank { .. } => Class::Rank,
            PartitionError::Align { .. } => Class::Align,
            PartitionError::Tile { .. } => Class::Tile,
            PartitionError::Colors { .. } => Class::Colors,
            _ => return None,
        },
        _ => return None,
    })
}

/// Compares the class of an error with the class of Legate's error.
pub(crate) fn same_class(given: &StoreError, expected: &Value) -> Result<(), String> {
    let text = expected["message"].as_str().unwrap_or("");
    let class = of_legate(text).ok_or_else(|| format!("an error of no known class was expected: {expected}"))?;
    same(&format!("class of `{given}`"), of_store(given), Some(class))
}
