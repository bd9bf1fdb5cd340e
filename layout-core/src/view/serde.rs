//! Serialization of views by `serde`: the extents and all elements, whatever the layout.

use alloc::vec::Vec;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

use super::refused::check_refused_records;
use super::rows::indices;
use super::{Owned, View};
use crate::blob::Blobs;
use crate::error::List;
use crate::extents::{Extents, IndexArray};
use crate::linearization::Linearization;
use crate::mapping::{Mapped, Mapping, RecordLayout};
use crate::record::Record;

/// Serializes as a struct `View` with two lists: `extents`, and `elements` in row-major order. A view in any layout can
/// be read back in any other.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let grid = alloc_from_fn::<u8, SoA, _>([2, 3], |[i, j]| (10 * i + j) as u8)?;
/// assert_eq!(serde_json::to_string(&grid).unwrap(), r#"{"extents":[2,3],"elements":[0,1,2,10,11,12]}"#);
/// # Ok::<(), ViewError>(())
/// ```
impl<M: Mapping<Record: Serialize>, B: Blobs> Serialize for View<M, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut view = serializer.serialize_struct("View", 2)?;
        view.serialize_field("extents", self.extents().as_ref())?;
        view.serialize_field("elements", &Elements(self))?;
        view.end()
    }
}

/// The elements of a view, in row-major order.
struct Elements<'v, M: Mapping, B>(&'v View<M, B>);

impl<M: Mapping<Record: Serialize>, B: Blobs> Serialize for Elements<'_, M, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view) = self;
        let mut elements = serializer.serialize_seq(Some(view.len()))?;
        indices(view.extents()).try_for_each(|index| elements.serialize_element(&view.record(index)))?;
        elements.end()
    }
}

/// The deserialized parts, before they are checked to form a view.
#[derive(serde::Deserialize)]
#[serde(rename = "View", deny_unknown_fields)]
struct Parts<R> {
    extents: Vec<usize>,
    elements: Vec<R>,
}

/// Returns an error if the extents have another rank or differ from static extents, if the number of elements differs from theirs, or if
/// the layout refuses a value, as bit-packed layouts do unless they wrap or saturate.
/// Memory for the view is allocated after the elements were read, so a false number of elements in the input costs nothing.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// type Grid = Owned<Mapped<u8, DynExtents<2>, AoSoA<4>, ColMajor>>;
///
/// let grid: Grid = serde_json::from_str(r#"{"extents":[2,3],"elements":[0,1,2,10,11,12]}"#).unwrap();
/// assert_eq!(grid.get([1, 2]), 12);
/// let error = serde_json::from_str::<Grid>(r#"{"extents":[2,3],"elements":[0,1,2]}"#).unwrap_err();
/// assert_eq!(error.to_string(), "3 elements were given for a view with extents [2, 3], which has 6");
/// ```
impl<'de, R, E, L, Lin> Deserialize<'de> for Owned<Mapped<R, E, L, Lin>>
where
    R: Record + Deserialize<'de>,
    E: Extents,
    L: RecordLayout<R> + Default,
    Lin: Linearization<E::Array> + Default,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Parts { extents, elements } = Parts::<R>::deserialize(deserializer)?;
        let mut array = E::Array::ZERO;
        if extents.len() != E::RANK {
            let (given, rank) = (extents.len(), E::RANK);
            return Err(D::Error::custom(format_args!("{given} extents were given for a view of rank {rank}")));
        }
        array.as_mut().copy_from_slice(&extents);
        let extents = E::from_array(array).map_err(D::Error::custom)?;
        let mapping = Mapped::new(extents).map_err(D::Error::custom)?;
        let needed = array.product().unwrap_or(usize::MAX);
        if elements.len() != needed {
            let (given, extents) = (elements.len(), List::of(array.as_ref()));
            return Err(D::Error::custom(format_args!(
                "{given} elements were given for a view with extents {extents}, which has {needed}"
            )));
        }
        check_refused_records(mapping, indices(array).zip(elements.iter().copied())).map_err(D::Error::custom)?;
        View::from_fn(mapping, |index| elements[array.row_major(index)]).map_err(D::Error::custom)
    }
}
