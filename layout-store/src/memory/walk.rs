//! Walks over indices.

use core::convert::Infallible;

use layout_core::{IndexArray, Record, RecordLayout};

use super::TileMut;
use crate::geometry::StoreRank;

/// Calls `f` for each index below these extents, the last dimension fastest, until `f` fails.
pub(crate) fn try_row_major<A: IndexArray, E>(extents: A, mut f: impl FnMut(A) -> Result<(), E>) -> Result<(), E> {
    if extents.product() == Some(0) {
        return Ok(());
    }
    let mut index = A::ZERO;
    loop {
        f(index)?;
        let mut dim = A::RANK;
        loop {
            if dim == 0 {
                return Ok(());
            }
            dim -= 1;
            index.as_mut()[dim] += 1;
            if index.as_ref()[dim] < extents.as_ref()[dim] {
                break;
            }
            index.as_mut()[dim] = 0;
        }
    }
}

/// Calls `f` for each index below these extents, the last dimension fastest.
pub(crate) fn row_major<A: IndexArray>(extents: A, mut f: impl FnMut(A)) {
    let Ok(()) = try_row_major(extents, |index| -> Result<(), Infallible> {
        f(index);
        Ok(())
    });
}

/// Sets the elements of a view to these records, row by row, until the records end.
pub(crate) fn set_row_major<R, D, L>(view: &mut TileMut<'_, R, D, L>, records: impl IntoIterator<Item = R>)
where
    R: Record,
    D: StoreRank,
    L: RecordLayout<R>,
{
    let mut records = records.into_iter();
    row_major(view.extents(), |index| {
        if let Some(record) = records.next() {
            view.set(index, record);
        }
    });
}
