//! Blobs whose uses are counted, leaf by leaf.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::{Address, Blobs, BlobsMut, Use};
use crate::leaf_table::LeafTable;
use crate::mapping::{Element, RecordLayout};
use crate::record::Record;
use crate::tree::LeafName;

/// Blobs whose uses are counted, leaf by leaf; made by [`View::trace`](crate::View::trace).
///
/// Counts are atomic: parallel loops are counted right.
#[derive(Debug)]
pub struct Traced<B> {
    pub(crate) blobs: B,
    counts: Box<[Count]>,
}

/// How often a leaf was used.
#[derive(Debug, Default)]
struct Count {
    reads: AtomicUsize,
    writes: AtomicUsize,
}

/// The address of [`Traced`] blobs.
#[derive(Clone, Copy, Debug)]
pub struct TracedAddress<A> {
    address: A,
    /// The count of leaf 0, of the record or of the part of it that is seen.
    counts: *const Count,
}

// SAFETY: an address is numbers until it is used; counts are atomic.
unsafe impl<A: Address> Send for TracedAddress<A> {}
// SAFETY: as above.
unsafe impl<A: Address> Sync for TracedAddress<A> {}

impl<B: Blobs> Traced<B> {
    /// The blobs of a view of `R`, unused so far.
    pub(crate) fn new<R: Record>(blobs: B) -> Self {
        let counts = (0..R::TREE.leaves()).map(|_| Count::default()).collect();
        Self { blobs, counts }
    }

    fn counts(&self) -> *const Count {
        self.counts.as_ptr()
    }

    /// The counts of the leaves of `R`.
    pub(crate) fn uses<R: Record>(&self) -> Uses {
        let table = LeafTable::of::<R>();
        let leaf = |(leaf, count): (usize, &Count)| LeafUses {
            leaf: R::TREE.leaf_name(leaf),
            type_name: table.leaf(leaf).type_name(),
            size: table.leaf(leaf).size(),
            reads: count.reads.load(Ordering::Relaxed),
            writes: count.writes.load(Ordering::Relaxed),
        };
        Uses(self.counts.iter().enumerate().map(leaf).collect())
    }

    /// Counts from zero again.
    pub(crate) fn reset(&mut self) {
        for count in &mut self.counts {
            *count = Count::default();
        }
    }
}

// SAFETY: the address is that of the blobs inside; the counts lie in an allocation of their own, which lives and stays as
// long as `self`.
unsafe impl<B: Blobs> Blobs for Traced<B> {
    type Address = TracedAddress<B::Address>;
    const MUTABLE: bool = B::MUTABLE;

    #[inline(always)]
    fn address(&self) -> Self::Address {
        TracedAddress { address: self.blobs.address(), counts: self.counts() }
    }
}

// SAFETY: as for `Blobs`; the blobs inside are borrowed mutably.
unsafe impl<B: BlobsMut> BlobsMut for Traced<B> {
    #[inline(always)]
    fn address_mut(&mut self) -> Self::Address {
        TracedAddress { address: self.blobs.address_mut(), counts: self.counts() }
    }
}

// SAFETY: places are those of the address inside.
unsafe impl<A: Address> Address for TracedAddress<A> {
    const NOTES: bool = true;
    super::address::of_the_address_inside!();

    #[inline(always)]
    fn part(self, leaf: usize) -> Self {
        Self { address: self.address.part(leaf), counts: self.counts.wrapping_add(leaf) }
    }

    #[inline(always)]
    unsafe fn note<R: Record, L: RecordLayout<R>>(self, used: Use, element: Element<R, L, Self>, leaf: usize) {
        let count = self.counts.wrapping_add(leaf);
        // SAFETY: the record of the traced view, or the part of it that is seen, has that leaf; the counts are borrowed
        // with the blobs.
        let count = unsafe { &*count };
        let counter = match used {
            Use::Read => &count.reads,
            Use::Write => &count.writes,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let inner = Element::new(self.address, element.frame, element.position);
        // SAFETY: the conditions are the caller's.
        unsafe { self.address.note::<R, L>(used, inner, leaf) };
    }
}

/// How often each leaf of a view was used; shown as a table.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let mut view = alloc::<[f32; 2], SoA, _>(10)?.trace();
/// view.for_each_mut(|mut p| p.at_mut(0).set(1.0));
/// let uses = view.uses();
/// assert_eq!((uses.leaves()[0].writes, uses.leaves()[1].writes), (10, 0));
/// assert_eq!(uses.to_string().lines().next(), Some("leaf  type  bytes  reads  writes"));
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Uses(Vec<LeafUses>);

/// How often a leaf was used.
#[derive(Clone, Copy, Debug)]
pub struct LeafUses {
    /// The leaf.
    pub leaf: LeafName,
    /// The name of its type.
    pub type_name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// How often its value was read.
    pub reads: usize,
    /// How often its value was written.
    pub writes: usize,
}

impl Uses {
    /// The leaves, in declaration order.
    #[must_use]
    pub fn leaves(&self) -> &[LeafUses] {
        &self.0
    }

    /// The bytes of all values that were read and written.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|leaf| leaf.size * (leaf.reads + leaf.writes)).sum()
    }
}

impl fmt::Display for Uses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use alloc::string::ToString;
        let mut rows = alloc::vec![["leaf", "type", "bytes", "reads", "writes"].map(ToString::to_string)];
        rows.extend(self.0.iter().map(|leaf| {
            let name = leaf.leaf.to_string();
            [name, leaf.type_name.to_string(), leaf.size.to_string(), leaf.reads.to_string(), leaf.writes.to_string()]
        }));
        let widths: [usize; 5] =
            core::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
        for (i, [leaf, type_name, bytes, reads, writes]) in rows.iter().enumerate() {
            let [a, b, c, d, e] = widths;
            let line = if i == 0 { "" } else { "\n" };
            write!(f, "{line}{leaf:a$}  {type_name:b$}  {bytes:>c$}  {reads:>d$}  {writes:>e$}")?;
        }
        Ok(())
    }
}
