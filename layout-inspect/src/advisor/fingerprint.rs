//! Fingerprints: they tell whether two views hold the same values, bit for bit.

use core::cell::Cell;
use core::marker::PhantomData;

use layout_core::{Access, AccessMut, Blobs, Leaf, Mapping, Path, Record, Root, Scalar, ValueError, View, leaf_bytes};

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
        let mut into = M::Record::bind::<_, Root<M::Record>>(Hashes { hashes: &hashes, record: PhantomData });
        // In the order of indices: views in other linearizations are walked in other orders.
        view.to_vec().into_iter().for_each(|record| record.store(&mut into));
        Self { leaves: hashes.iter().map(Cell::get).collect(), result }
    }

    /// The first difference.
    pub(super) fn difference(&self, other: &Self) -> Option<Difference> {
        let leaf = self.leaves.iter().zip(&other.leaves).position(|(a, b)| a != b).map(Difference::Leaf);
        leaf.or((self.result != other.result).then_some(Difference::Result))
    }
}

/// An access that hashes the values written to it.
struct Hashes<'h, R> {
    hashes: &'h [Cell<u64>],
    record: PhantomData<R>,
}

impl<R> Hashes<'_, R> {
    fn add(self, leaf: usize, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let hash = (self.hashes[leaf].get() ^ u64::from_ne_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            // The high bits of the product depend on the whole word, and become low bits in the next step.
            self.hashes[leaf].set((hash ^ hash >> 32).wrapping_add(1));
        }
    }
}

impl<R> Clone for Hashes<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Hashes<'_, R> {}

impl<R: Record> Access for Hashes<'_, R> {
    type Record = R;
    type Value<T: Leaf> = T;

    fn read<P: Path<Root = R, Type: Leaf>>(self) -> P::Type {
        unreachable!("storing a record reads nothing")
    }

    unsafe fn read_further<P: Path<Root = R, Type: Leaf>>(self, _: usize) -> P::Type {
        unreachable!("storing a record reads nothing")
    }
}

impl<R: Record> AccessMut for Hashes<'_, R> {
    fn write<P: Path<Root = R, Type: Leaf>>(self, value: P::Type) {
        self.add(P::LEAF, leaf_bytes(&value));
    }

    unsafe fn write_further<P: Path<Root = R, Type: Leaf>>(self, leaves: usize, value: P::Type) {
        self.add(P::LEAF + leaves, leaf_bytes(&value));
    }

    fn check<P: Path<Root = R, Type: Leaf>>(self, _: usize, _: P::Type) -> Result<(), ValueError> {
        Ok(())
    }
}

impl<R: Record> Scalar for Hashes<'_, R> {
    fn value<T: Leaf>(value: T) -> T {
        value
    }

    fn wrap<T: Leaf>(value: T) -> T {
        value
    }
}
