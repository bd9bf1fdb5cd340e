//! Random values of any record, leaf by leaf, and memory to write them to.

use alloc::vec::Vec;

use super::Name;
use crate::blob::Address;
use crate::leaf::{Leaf, leaf_bytes};
use crate::leaf_table::LeafTable;
use crate::mapping::{Mapping, computes};
use crate::path::{Path, Root};
use crate::portable::{read_record, write_record};
use crate::record::{Access, AccessMut, Record, Scalar, scalar};
use crate::tree::LeafNode;
use crate::view::At;

/// The bytes of each leaf of a record.
pub(super) type LeafBytes = Vec<Vec<u8>>;

/// Pseudo-random numbers, the same in each run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is not zero.
    pub(super) fn below(&mut self, end: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
        {
            self.next() as usize % end
        }
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        #[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
        (0..len).map(|_| self.next() as u8).collect()
    }

    /// The bytes of a random value of a leaf: random bytes, or, for types with few values, one random byte.
    fn leaf(&mut self, leaf: LeafNode) -> Vec<u8> {
        for _ in 0..1 << 16 {
            let mut bytes = self.bytes(leaf.size());
            let few = self.below(4);
            if few > 0 && !bytes.is_empty() {
                // 0 and 1 are more frequent than other bytes, for `bool`.
                let byte = if few == 1 { self.below(2) } else { self.below(256) };
                let lowest = if cfg!(target_endian = "little") { 0 } else { bytes.len() - 1 };
                bytes.fill(0);
                bytes[lowest] = u8::try_from(byte).expect("below 256");
            }
            if leaf.accepts(&bytes) {
                return bytes;
            }
        }
        panic!("no value of `{}` was found at random: give some by `Check::values`", leaf.type_name())
    }

    /// A record of random leaves.
    pub(super) fn record<R: Record>(&mut self) -> R {
        let table = LeafTable::of::<R>();
        let bytes: Vec<u8> = (0..table.count()).flat_map(|leaf| self.leaf(table.leaf(leaf))).collect();
        read_record(&mut &bytes[..]).unwrap_or_else(|error| unreachable!("each leaf has a value: {error}"))
    }
}

/// The bytes of each leaf of a record.
pub(super) fn bytes_of<R: Record>(record: R) -> LeafBytes {
    let (table, mut bytes) = (LeafTable::of::<R>(), Vec::new());
    write_record(&record, &mut bytes);
    (0..table.count()).map(|leaf| bytes[table.packed_size(leaf)..table.packed_size(leaf + 1)].to_vec()).collect()
}

/// An access that writes one leaf, and ignores writes to all other leaves.
#[derive(Clone, Copy)]
pub(super) struct OneLeaf<A> {
    access: A,
    leaf: usize,
}

impl<A> OneLeaf<A> {
    pub(super) fn new(access: A, leaf: usize) -> Self {
        Self { access, leaf }
    }
}

impl<A: Access> Access for OneLeaf<A> {
    type Record = A::Record;
    type Value<T: Leaf> = A::Value<T>;

    unsafe fn read_further<P: Path<Root = A::Record, Type: Leaf>>(self, leaves: usize) -> A::Value<P::Type> {
        // SAFETY: the condition is the caller's.
        unsafe { self.access.read_further::<P>(leaves) }
    }
}

impl<A: AccessMut> AccessMut for OneLeaf<A> {
    unsafe fn write_further<P: Path<Root = A::Record, Type: Leaf>>(self, leaves: usize, value: A::Value<P::Type>) {
        if P::LEAF + leaves == self.leaf {
            // SAFETY: the condition is the caller's.
            unsafe { self.access.write_further::<P>(leaves, value) };
        }
    }
}

impl<A: Scalar> Scalar for OneLeaf<A> {
    fn value<T: Leaf>(value: A::Value<T>) -> T {
        A::value(value)
    }

    fn wrap<T: Leaf>(value: T) -> A::Value<T> {
        A::wrap(value)
    }
}

/// An access that compares lanes of four elements with the single elements.
pub(super) struct Lanes4<'v, M: Mapping, A> {
    /// The access to the first element.
    access: At<&'v mut (), M, A>,
    index: usize,
    name: Name,
}

copied!([M: Mapping, A: Copy] Lanes4<'_, M, A>);

impl<'v, M: Mapping, A: Address> Lanes4<'v, M, A> {
    /// Compares lanes of the four elements from `index` on; `access` is the access to the first of them.
    ///
    /// # Safety
    ///
    /// They lie in one run, and the first at a multiple of four in it if runs end. Nothing else reaches them.
    pub(super) unsafe fn check(access: At<&'v mut (), M, A>, index: usize, name: Name) {
        M::Record::load::<_, Root<_>>(&M::Record::bind(Lanes4 { access, index, name }));
    }
}

impl<M: Mapping, A: Address> Access for Lanes4<'_, M, A> {
    type Record = M::Record;
    type Value<T: Leaf> = T;

    fn read<P: Path<Root = M::Record, Type: Leaf>>(self) -> P::Type {
        let (element, leaf) = (self.access.element, P::LEAF);
        if !computes::<M::Record, M::Layout>(leaf) {
            return self.access.read::<P>();
        }
        // SAFETY (of the blocks below): the elements are as `check` wants them, and the leaf is of this type.

        // SAFETY: as said above.
        let single = || core::array::from_fn::<P::Type, 4, _>(|lane| unsafe { element.within(lane).read(leaf) });
        // SAFETY: as said above.
        let lanes = || unsafe { element.read_lanes::<P::Type, 4>(leaf) };
        let assert_equal = |what, found: [P::Type; 4], expected: [P::Type; 4]| {
            for lane in 0..4 {
                if leaf_bytes(&found[lane]) != leaf_bytes(&expected[lane]) {
                    let (name, index) = (self.name, self.index + lane);
                    panic!("{name}: leaf `{}` of element [{index}] {what}", M::Record::TREE.leaf_name(leaf));
                }
            }
        };
        let before = single();
        assert_equal("is read as another value in lanes", lanes(), before);
        let mut turned = before;
        turned.reverse();
        // SAFETY: as said above.
        unsafe { element.write_lanes(leaf, turned) };
        // A leaf that the layout does not store keeps its value.
        if leaf_bytes(&single()[0]) != leaf_bytes(&before[0]) {
            assert_equal("has another value than was written in lanes", single(), turned);
        }
        // SAFETY: as said above.
        unsafe { element.write_lanes(leaf, before) };
        assert_equal("has another value than was written in lanes", single(), before);
        before[0]
    }

    unsafe fn read_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize) -> P::Type {
        // SAFETY: the condition is the caller's.
        unsafe { self.access.read_further::<P>(leaves) }
    }
}

scalar!([M: Mapping, A: Address] Lanes4<'_, M, A>);

/// Watched bytes: random bytes before, after and between the bytes of leaves.
#[derive(Clone)]
pub(super) struct Memory {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

/// The number of watched bytes before and after.
const GUARD: usize = 64;

impl Memory {
    /// `len` bytes at a multiple of `align` that is not a multiple of `2 * align`.
    pub(super) fn new(len: usize, align: usize, random: &mut Random) -> Self {
        let bytes = random.bytes(len + 2 * GUARD + 2 * align);
        let from = (bytes.as_ptr().addr() + GUARD) % (2 * align);
        let start = GUARD + (3 * align - from) % (2 * align);
        Self { bytes, start, len }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..][..self.len]
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }

    /// Copies the bits of a blob that belong to leaves to `start`.
    pub(super) fn fill(&mut self, start: usize, blob: &[u8], taken: &[u8]) {
        for (byte, (from, taken)) in blob.iter().zip(taken).enumerate().filter(|(_, (_, taken))| **taken != 0) {
            let to = &mut self.bytes[self.start + start + byte];
            *to = *to & !taken | from & taken;
        }
    }

    /// The first byte with a changed bit that belongs to no leaf, counted from the start.
    pub(super) fn changed(&self, before: &Self, taken: &[u8]) -> Option<isize> {
        let taken = |byte: usize| byte.checked_sub(self.start).and_then(|byte| taken.get(byte)).unwrap_or(&0);
        let changed = |byte: &usize| (self.bytes[*byte] ^ before.bytes[*byte]) & !taken(*byte) != 0;
        let byte = (0..self.bytes.len()).find(changed)?;
        Some(byte.cast_signed() - self.start.cast_signed())
    }
}
