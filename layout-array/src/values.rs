//! Lists of values from outside, before a layout stores them.

use layout_core::{
    DynExtents, Extents, Mapped, Record, RecordLayout, Records, View, ViewError, check_records, refuses,
};
use layout_mappings::{Aligned, AoS, Native};
use layout_store::Runtime;

use crate::{ArrayError, agree};

/// A list of values as a view.
type Values<'v, R> = View<Mapped<R, DynExtents<1>, AoS<Aligned, Native>>, Records<'v, R>>;

/// As [`check_records`], of values of which each locale has its own: all locales return the first error. The values are not looked at if the
/// layout refuses nothing.
pub(crate) fn check_on_all<R: Record, L: RecordLayout<R> + Default>(
    rt: &Runtime,
    values: impl Iterator<Item = R>,
) -> Result<(), ArrayError> {
    if const { refuses::<Mapped<R, DynExtents<1>, L>>() } {
        let values: Vec<R> = values.collect();
        return agree::outcome(rt, check_records::<R, L>(&values).map_err(ArrayError::from));
    }
    Ok(())
}

/// A view of the values.
pub(crate) fn view_of<R: Record>(values: &[R]) -> Result<Values<'_, R>, ViewError> {
    View::from_records(Mapped::new(DynExtents::<1>::from_array([values.len()])?)?, values)
}
