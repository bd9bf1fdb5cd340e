//! Fingerprints: they tell whether two views hold the same values, bit for bit.

use core::cell::Cell;

use layout_core::{Blobs, Leaf, LeafVisitor, Mapping, Record, View, leaf_bytes, visit_leaves};

/// A hash of all values of each leaf.
#[derive(Debug, PartialEq)]
pub(super) struct Fingerprint {
    leaves: Vec<u64>,
    result: u64,
}

/// The place where two views differ.
pub(super) enum Difference {
    Leaf(usize),
    Result,
}

impl Fingerprint {
    pub(super) fn of<M: Mapping, B: Blobs>(view: &View<M, B>, result: u64) -> Self {
        let hashes: Vec<_> = (0..M::Record::TREE.leaves()).map(|_| Cell::new(0)).collect();
        let visitor = Hashes { hashes: &hashes };
        // In the order of indices: views in other linearizations are walked in other orders.
        view.to_vec().into_iter().for_each(|record| visit_leaves(record, &visitor));
        Self { leaves: hashes.iter().map(Cell::get).collect(), result }
    }

    /// The first difference.
    pub(super) fn difference(&self, other: &Self) -> Option<Difference> {
        let leaf = self.leaves.iter().zip(&other.leaves).position(|(a, b)| a != b).map(Difference::Leaf);
        leaf.or((self.result != other.result).then_some(Difference::Result))
    }
}

/// A hash of each leaf, to which values are added.
struct Hashes<'h> {
    hashes: &'h [Cell<u64>],
}

impl LeafVisitor for Hashes<'_> {
    fn leaf<T: Leaf>(&self, leaf: usize, value: T) {
        for chunk in leaf_bytes(&value).chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let hash = (self.hashes[leaf].get() ^ u64::from_ne_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            // The high bits of the product depend on the whole word, and become low bits in the next step.
            self.hashes[leaf].set((hash ^ hash >> 32).wrapping_add(1));
        }
    }
}
