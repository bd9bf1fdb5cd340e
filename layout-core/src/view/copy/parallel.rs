//! Copies by several threads.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::pairs::{Pairs, Same};
use super::rows::{ByRows, CopyPart, Part};
use crate::blob::{Blobs, BlobsMut};
use crate::error::ZipError;
use crate::extents::{Extents, IndexArray};
use crate::mapping::{Mapping, Sharing};
use crate::view::opened::{Bind, Walk};
use crate::view::walk;
use crate::view::zip::try_zip;
use crate::view::{ArrayOf, SharingOf, View};

/// The number of elements, or of bytes, that a thread copies at a time: enough to make the setup of a copy negligible.
const ELEMENTS: usize = 16 << 10;
const BYTES: usize = 1 << 20;

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Copies all elements of `source`, whose layout and order may differ, by several threads.
    ///
    /// # Errors
    ///
    /// Returns an error if the extents differ; nothing is written then.
    ///
    /// # Complexity
    ///
    /// That of [`copy_from`](Self::copy_from), divided by the number of threads as far as the memory keeps up with
    /// them. Views whose elements share bytes, such as bit-packed ones, are written by one thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let aos = alloc_from_fn::<[u32; 2], AoS, _>(100_000, |[i]| [i as u32, 7])?;
    /// let mut soa = alloc::<[u32; 2], SoA, _>(100_000)?;
    /// assert!(soa.par_copy_from(&aos).is_ok());
    /// assert_eq!(soa, aos);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_copy_from<N, C>(&mut self, source: &View<N, C>) -> Result<(), ZipError>
    where
        N: Mapping<Record = M::Record, Extents: Extents<Array = ArrayOf<M>>>,
        C: Blobs,
    {
        if const { <SharingOf<M> as Sharing>::JOINED } {
            // Elements share bytes, so no two threads may write at once.
            return self.copy_from(source);
        }
        let zip = try_zip((self, source))?;
        let free = const { B::HAS_FREE_GAPS && C::HAS_FREE_GAPS };
        // SAFETY: each leaf is copied to itself.
        if let Some(copy) = unsafe { ByRows::<Same, M, B::Address, N, C::Address>::of(&zip, free) } {
            (0..copy.head_bytes.div_ceil(BYTES)).into_par_iter().for_each(|k| {
                // SAFETY: each thread copies bytes of its own.
                unsafe { copy.bytes(k * BYTES, BYTES) };
            });
            // SAFETY: the parts of the rows do not overlap.
            unsafe { copy.parts(|part, copy_part| parts(part, copy_part)) };
        } else {
            let (walk, rows) = (zip.walk, zip.rows);
            parts((rows, 0..rows.len, 1), &|mut rows, elements| {
                while let Some((index, _)) = rows.next() {
                    walk::walk_row::<1, 0, _>(&walk, walk.row(index), elements.start, elements.len(), |_, position| {
                        // SAFETY: no element is in two parts, and the target's mapping is unique.
                        let (mut to, from) = unsafe { walk.bind(position) };
                        // SAFETY: each leaf is copied to itself.
                        unsafe { <Same as Pairs<M::Record, N::Record>>::copy(&mut to, &from) };
                    });
                }
            });
        }
        Ok(())
    }
}

/// Calls `f` from several threads, each time with some of the rows, or with some elements of one row.
fn parts<A: IndexArray>((rows, elements, together): Part<A>, f: CopyPart<'_, A>) {
    if elements.is_empty() {
        return;
    }
    // A multiple of 64 elements, so that cuts are at the ends of cache lines for values of all sizes.
    let most = (ELEMENTS / together).max(1).next_multiple_of(64);
    let cuts = elements.len().div_ceil(most);
    let together = most.div_ceil(elements.len());
    (0..rows.left.div_ceil(together) * cuts).into_par_iter().for_each(|part| {
        let (first, cut) = (part / cuts * together, part % cuts);
        let start = elements.start + cut * most;
        f(rows.some(first, together.min(rows.left - first)), start..elements.end.min(start + most));
    });
}
