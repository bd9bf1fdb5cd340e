//! Serialization of lists of records by `serde`: the offsets and all values.

use alloc::vec::Vec;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::Jagged;
use crate::container::vector::RecordVec;
use crate::extents::IndexType;
use crate::mapping::RecordLayout;
use crate::record::Record;

/// Serializes as a struct `Jagged` with two lists, `offsets` and `values`.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
/// let text = serde_json::to_string(&jagged).unwrap();
/// assert_eq!(text, r#"{"offsets":[0,2,2,3],"values":[1,2,3]}"#);
/// assert_eq!(serde_json::from_str::<Jagged<u8, AoS>>(&text).unwrap(), jagged);
/// ```
impl<E, L, O> Serialize for Jagged<E, L, O>
where
    E: Record + Serialize,
    L: RecordLayout<E>,
    O: IndexType + Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut jagged = serializer.serialize_struct("Jagged", 2)?;
        jagged.serialize_field("offsets", &self.offsets)?;
        jagged.serialize_field("values", &self.values)?;
        jagged.end()
    }
}

/// The deserialized parts, before they are checked to form lists.
#[derive(serde::Deserialize)]
#[serde(
    rename = "Jagged",
    deny_unknown_fields,
    bound = "E: Deserialize<'de>, L: RecordLayout<E> + Default, O: Deserialize<'de>"
)]
struct Parts<E: Record, L: RecordLayout<E>, O> {
    offsets: Vec<O>,
    values: RecordVec<E, L>,
}

/// Returns an error in the cases of [`Jagged::from_parts`] and of the deserialization of a [`RecordVec`].
impl<'de, E, L, O> Deserialize<'de> for Jagged<E, L, O>
where
    E: Record + Deserialize<'de>,
    L: RecordLayout<E> + Default,
    O: IndexType + Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Parts { offsets, values } = Parts::deserialize(deserializer)?;
        Self::from_parts(offsets, values).map_err(D::Error::custom)
    }
}
