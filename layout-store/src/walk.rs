//! Indices one after another.

use layout_core::IndexArray;

/// Calls `f` for every index below the extents, row by row.
pub(crate) fn row_major<A: IndexArray>(extents: A, mut f: impl FnMut(A)) {
    if extents.product() == Some(0) {
        return;
    }
    let mut index = A::ZERO;
    loop {
        f(index);
        let mut dim = A::RANK;
        loop {
            if dim == 0 {
                return;
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
