//! Separate blobs whose number is known at run time.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::{Blobs, Bytes, NewBlobs, TableAddress, check_blob_at};
use crate::error::ViewError;
use crate::leaf_table::LeafTable;
use crate::mapping::{RecordLayout, is_physical, leaf_place};
use crate::record::Record;

/// Separate blobs, as many as a layout of any record has, each in a `B`: `&[u8]`, `Arc<[u8]>`, `Vec<u8>`.
///
/// [`View::from_blob_list`](crate::View::from_blob_list) makes them. They are read-only.
pub struct SeparateList<B> {
    /// The address of each blob.
    table: Vec<*mut u8>,
    blobs: Vec<B>,
}

impl<B: Bytes> SeparateList<B> {
    pub(crate) fn new(blobs: Vec<B>) -> Self {
        Self { table: blobs.iter().map(|blob| blob.as_ptr().cast_mut()).collect(), blobs }
    }

    /// Returns the blobs themselves.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mapping = Mapped::<[u8; 2], _, SoA>::new(extents!(dyn 3))?;
    /// let view = View::from_blob_list(mapping, vec![vec![1, 2, 3], vec![4, 5, 6]])?;
    /// assert_eq!(view.into_blobs().into_inner(), [[1, 2, 3], [4, 5, 6]]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn into_inner(self) -> Vec<B> {
        self.blobs
    }
}

impl<B> fmt::Debug for SeparateList<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SeparateList of {} blobs", self.blobs.len())
    }
}

// SAFETY: the table has addresses of the blobs, which may be sent.
unsafe impl<B: Send> Send for SeparateList<B> {}
// SAFETY: as above; a shared borrow only reads the blobs.
unsafe impl<B: Sync> Sync for SeparateList<B> {}

// SAFETY: the values that are the blobs lie in a `Vec` that neither changes nor is lent mutably, so they are not moved, and `Bytes`
// promises that their addresses stay; the table lies on the heap and is borrowed with `self`.
unsafe impl<B: Bytes> Blobs for SeparateList<B> {
    type Address = TableAddress;
    const MUTABLE: bool = false;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn address(&self) -> TableAddress {
        TableAddress(self.table.as_ptr())
    }
}

/// The alignment that each blob needs: that of the leaves which lie in it.
///
/// In a blob aligned to [`RecordLayout::ALIGN`] every leaf is aligned, so the offset of a leaf is a multiple of its alignment; hence
/// a blob aligned for its own leaves will do. If a layout computes leaves, blobs need the alignment of the whole.
fn aligns<R: Record, L: RecordLayout<R>>() -> Vec<usize> {
    if !is_physical::<R, L>() {
        return vec![L::ALIGN; L::BLOBS];
    }
    let (leaves, mut aligns) = (LeafTable::of::<R>(), vec![1; L::BLOBS]);
    for leaf in (0..leaves.count()).filter(|leaf| leaves.leaf(*leaf).size() > 0) {
        let align = &mut aligns[leaf_place::<R, L>(leaf).blob];
        *align = (*align).max(leaves.leaf(leaf).align());
    }
    aligns
}

// SAFETY: number, sizes and addresses are those of the blobs, which are neither moved nor changed; the alignment is that which the
// promise about places of leaves asks for, as the comment of `aligns` argues.
unsafe impl<B: Bytes> NewBlobs for SeparateList<B> {
    fn check<R: Record, L: RecordLayout<R>>(&self, layout: L, slots: usize) -> Result<(), ViewError> {
        if self.blobs.len() != L::BLOBS {
            return Err(ViewError::BlobCount { given: self.blobs.len(), needed: L::BLOBS });
        }
        let aligns = if L::ALIGNED { aligns::<R, L>() } else { vec![1; L::BLOBS] };
        for (blob, (bytes, align)) in self.blobs.iter().zip(aligns).enumerate() {
            check_blob_at(blob, self.table[blob], align, bytes.len(), layout.blob_size(slots, blob))?;
        }
        Ok(())
    }
}
