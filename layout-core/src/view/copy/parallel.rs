//! Copies by several threads.

use super::pairs::{Pairs, Same};
use super::plan::{ACROSS, TILE};
use super::rows::{ByRows, Part, Start, Threads};
use crate::blob::{Blobs, BlobsMut};
use crate::error::ZipError;
use crate::extents::{Extents, IndexArray};
use crate::mapping::{Mapping, Sharing};
use crate::view::parallel::{par_each, pieces};
use crate::view::rows::Rows;
use crate::view::zip::try_zip;
use crate::view::{ArrayOf, SharingOf, View};

/// The number of bytes that a thread copies at a time: enough to make the setup of a copy negligible.
const BYTES: usize = 256 << 10;

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
        let bytes = |start: &Start<B::Address, C::Address>| {
            share(start.bytes.div_ceil(BYTES), |k| {
                // SAFETY: each thread copies bytes of its own.
                unsafe { start.copy(k * BYTES, BYTES) };
            });
        };
        let all = if const { B::HAS_FREE_GAPS && C::HAS_FREE_GAPS } { Start::of_all(&zip) } else { None };
        if let Some(all) = all {
            bytes(&all);
            return Ok(());
        }
        // SAFETY: each leaf is copied to itself.
        if let Some(copy) = unsafe { ByRows::<Same, M, B::Address, N, C::Address>::of(&zip) } {
            bytes(&copy.start());
            // SAFETY: the parts of the rows do not overlap.
            unsafe { copy.parts(&Several { size: size_of::<M::Record>() }) };
        } else {
            par_each(zip, |(mut to, from)| {
                // SAFETY: each leaf is copied to itself.
                unsafe { <Same as Pairs<M::Record, N::Record>>::copy(&mut to, &from) };
            });
        }
        Ok(())
    }
}

/// Several threads; an element has `size` bytes.
struct Several {
    size: usize,
}

impl<A: IndexArray> Threads<A> for Several {
    fn divide(&self, part: Part<A>, copy: impl Fn(Part<A>) + Sync) {
        parts(part, self.size, &copy);
    }
}

/// Calls `f` from several threads, each time with some of the rows, or with some elements of one row and of some rows beside it. An element
/// has `size` bytes.
fn parts<A: IndexArray>((rows, elements, beside): Part<A>, size: usize, f: &(dyn Fn(Part<A>) + Sync)) {
    if elements.is_empty() {
        return;
    }
    // A multiple of 64 elements, so that cuts are at the ends of cache lines for values of all sizes.
    let most = (BYTES / size.max(1)).max(1).next_multiple_of(64);
    let len = if beside.len() > 1 { TILE } else { most };
    let rows_of_part = (most / elements.len().min(len)).next_multiple_of(ACROSS);
    let (cuts, piles) = (elements.len().div_ceil(len), beside.len().div_ceil(rows_of_part));
    let together = (most / (elements.len() * beside.len())).max(1);
    share(rows.left.div_ceil(together) * cuts * piles, |part| {
        let (first, cut, pile) = (part / (cuts * piles) * together, part / piles % cuts, part % piles);
        let (start, row) = (elements.start + cut * len, beside.start + pile * rows_of_part);
        let rows = rows.some(first, together.min(rows.left - first));
        f((rows, start..elements.end.min(start + len), row..beside.end.min(row + rows_of_part)));
    });
}

/// Calls `f` with each number below `count`, from several threads if that takes long enough.
fn share(count: usize, f: impl Fn(usize) + Sync) {
    pieces(Rows::new([count], [0], false), 1, &|rows, first| (first..first + rows.len).for_each(&f));
}
