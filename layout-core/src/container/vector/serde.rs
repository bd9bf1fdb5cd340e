//! Serialization of vectors by `serde`, as lists like those of `Vec`.

use alloc::vec::Vec;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::RecordVec;
use crate::extents::{DynExtents, Extents};
use crate::mapping::{Mapped, RecordLayout};
use crate::record::Record;
use crate::view::check_refused_records;

/// Serializes as a list of the records, like a `Vec` of them.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let vec = RecordVec::<[u8; 2], SoA>::from(&[[1, 2], [3, 4]]);
/// let text = serde_json::to_string(&vec).unwrap();
/// assert_eq!(text, "[[1,2],[3,4]]");
/// assert_eq!(serde_json::from_str::<RecordVec<[u8; 2], AoS>>(&text).unwrap(), vec);
/// ```
impl<R: Record + Serialize, L: RecordLayout<R>> Serialize for RecordVec<R, L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.values())
    }
}

/// Returns an error if the layout cannot store the record, or refuses a value, as bit-packed layouts do unless they wrap or saturate.
impl<'de, R: Record + Deserialize<'de>, L: RecordLayout<R> + Default> Deserialize<'de> for RecordVec<R, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let none = DynExtents::<1>::from_array([0]).map_err(D::Error::custom)?;
        let mapping = Mapped::<R, _, L>::new(none).map_err(D::Error::custom)?;
        // A `Vec` grows with the input that is read, and not by the length that the input claims.
        let records: Vec<R> = Vec::deserialize(deserializer)?;
        let indexed = records.iter().enumerate().map(|(index, record)| ([index], *record));
        check_refused_records(mapping, indexed).map_err(D::Error::custom)?;
        let mut vec = Self::new();
        vec.more_room(records.len(), records.first().copied()).map_err(D::Error::custom)?;
        vec.extend_from_slice(&records);
        Ok(vec)
    }
}
