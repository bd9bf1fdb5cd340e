//! Counts of uses for each leaf.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::{Noted, Observer, Use};
use crate::leaf_table::LeafTable;
use crate::record::Record;
use crate::tree::{LeafName, Node};

/// An observer that counts how often each leaf of a view is read and written; see [`View::trace`](crate::View::trace).
///
/// Counts are atomic, so parallel loops are counted correctly.
#[derive(Debug)]
pub struct Trace {
    tree: &'static Node,
    leaves: &'static LeafTable,
    counts: Box<[Count]>,
}

/// The counts of one leaf.
#[derive(Debug, Default)]
struct Count {
    reads: AtomicUsize,
    writes: AtomicUsize,
}

impl Trace {
    /// Makes an observer for views of `R`, with all counts zero.
    #[must_use]
    pub fn new<R: Record>() -> Self {
        let leaves = LeafTable::of::<R>();
        Self { tree: R::TREE, leaves, counts: (0..leaves.count()).map(|_| Count::default()).collect() }
    }

    /// The counts so far.
    #[must_use]
    pub fn uses(&self) -> Uses {
        let leaf = |(leaf, count): (usize, &Count)| LeafUses {
            leaf: self.tree.leaf_name(leaf),
            type_name: self.leaves.leaf(leaf).type_name(),
            size: self.leaves.leaf(leaf).size(),
            reads: count.reads.load(Ordering::Relaxed),
            writes: count.writes.load(Ordering::Relaxed),
        };
        Uses(self.counts.iter().enumerate().map(leaf).collect())
    }

    /// Sets all counts to zero.
    pub fn reset(&mut self) {
        self.counts.fill_with(Count::default);
    }
}

impl Observer for Trace {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn note(&self, noted: Noted<'_>) {
        let count = &self.counts[noted.leaf];
        let counter = match noted.used {
            Use::Read => &count.reads,
            Use::Write => &count.writes,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// The numbers of uses of all leaves of a view; displayed as a table.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let mut view = alloc::<[f32; 2], SoA, _>(10)?.trace();
/// view.for_each_mut(|mut p| p.at_mut(0).set(1.0));
/// let uses = view.observer().uses();
/// assert_eq!((uses.leaves()[0].writes, uses.leaves()[1].writes), (10, 0));
/// assert_eq!(uses.to_string().lines().next(), Some("leaf  type  bytes  reads  writes"));
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Uses(Vec<LeafUses>);

/// The counts of one leaf.
#[derive(Clone, Copy, Debug)]
pub struct LeafUses {
    /// The leaf.
    pub leaf: LeafName,
    /// The name of the leaf's type.
    pub type_name: &'static str,
    /// The leaf's size in bytes.
    pub size: usize,
    /// The number of reads.
    pub reads: usize,
    /// The number of writes.
    pub writes: usize,
}

impl Uses {
    /// The leaves, in declaration order.
    #[must_use]
    pub fn leaves(&self) -> &[LeafUses] {
        &self.0
    }

    /// The total size in bytes of all values that were read and written.
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
