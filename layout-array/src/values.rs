//! Lists of values from outside, before a layout stores them.

use layout_core::{
    DynExtents, Extents, Mapped, Mapping, Record, RecordLayout, Records, View, ViewError, check_refused,
};
use layout_mappings::{Aligned, AoS, Native};

/// A list of values as a view.
type Values<'v, R> = View<Mapped<R, DynExtents<1>, AoS<Aligned, Native>>, Records<'v, R>>;

/// Returns an error for the first value that the layout refuses.
pub(crate) fn check<R: Record, L: RecordLayout<R> + Default>(values: &[R]) -> Result<(), ViewError> {
    let values = view_of(values)?;
    check_refused(Mapped::<R, _, L>::new(values.mapping().extents())?, &values)
}

/// A view of the values.
pub(crate) fn view_of<R: Record>(values: &[R]) -> Result<Values<'_, R>, ViewError> {
    View::from_records(Mapped::new(DynExtents::<1>::from_array([values.len()])?)?, values)
}
