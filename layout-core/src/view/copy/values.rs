//! The values of one leaf of all elements, one after another: what a file of columns has.
//!
//! The leaf is known by its number, so the code is compiled once for all leaves of a view. The bytes are those that a copy to such
//! columns writes; a copy needs room for all leaves.

use super::each::{Grid, Spaced, each};
use super::places::Side;
use crate::blob::{Address, Blobs};
use crate::extents::{Extents, IndexArray};
use crate::leaf_table::LeafTable;
use crate::linearization::Linearization;
use crate::mapping::{Mapping, computes};
use crate::view::elements::Elements;
use crate::view::{ArrayOf, View};

/// Writes the values of leaf number `leaf` of all elements to bytes, the last dimension fastest, or the first one if `first_fastest`.
/// Returns `false`, and writes nothing, if the leaf is computed or its uses are observed.
///
/// # Panics
///
/// Panics if the record has no such leaf, or if these are not as many bytes as the values have.
#[doc(hidden)]
#[must_use]
pub fn copy_values<M: Mapping, B: Blobs>(
    view: &View<M, B>,
    leaf: usize,
    first_fastest: bool,
    bytes: &mut [u8],
) -> bool {
    let table = LeafTable::of::<M::Record>();
    let size = table.leaf(leaf).size();
    if computes::<M::Record, M::Layout>(leaf) || const { <B::Address as Address>::NOTES } {
        return false;
    }
    let (mapping, extents) = (&view.mapping, view.mapping.extents().array());
    let needed = view.len().checked_mul(size);
    assert!(needed == Some(bytes.len()), "{} bytes for {} values of {size} bytes", bytes.len(), view.len());
    if bytes.is_empty() {
        return true;
    }
    let side = Side::<M, _> { address: view.blobs.address(), frame: mapping.frame(), slots: mapping.span() };
    // SAFETY: the record has that leaf, which is physical; there are elements, so there is a position; the view is borrowed.
    let line = unsafe { side.line(leaf) };
    let linearization = mapping.linearization();
    let is_strided = const { Elements::<M>::STRIDED };
    let rank = ArrayOf::<M>::RANK;
    let by_speed = |at: usize| if first_fastest { at } else { rank - 1 - at };
    let (mut index, mut to) = (ArrayOf::<M>::ZERO, bytes.as_mut_ptr());
    loop {
        // A row along the fastest dimension, or, where positions have no strides, an element.
        let row = if rank > 0 && is_strided { extents.as_ref()[by_speed(0)] } else { 1 };
        let step = if row > 1 { linearization.stride(extents, by_speed(0)) } else { 0 };
        let (mut flat, mut left) = (linearization.position(extents, index), row);
        while left > 0 {
            let count = line.reach(flat, step).min(left);
            // SAFETY: these are values of the leaf at positions of elements of the view, in one run, which are initialized; there is
            // room for as many bytes, since the loops visit each element once. The view is borrowed, and the bytes mutably.
            unsafe {
                each(size, Spaced { first: to, stride: size.cast_signed() }, line.spaced(flat, step), Grid::row(count))
            };
            to = to.wrapping_add(count * size);
            flat = flat.wrapping_add_signed(step.wrapping_mul(count.cast_signed()));
            left -= count;
        }
        let rest = usize::from(rank > 0 && is_strided);
        let next = (rest..rank).map(by_speed).find(|&dimension| {
            let at = &mut index.as_mut()[dimension];
            *at = if *at + 1 < extents.as_ref()[dimension] { *at + 1 } else { 0 };
            *at > 0
        });
        if next.is_none() {
            return true;
        }
    }
}
