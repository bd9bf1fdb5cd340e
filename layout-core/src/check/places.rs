//! The places of all leaves of all elements of a mapping, as numbers.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::Name;
use super::values::{LeafBytes, Memory, Random};
use crate::error::List;
use crate::extents::Extents;
use crate::leaf_table::LeafTable;
use crate::mapping::{BitRange, LeafPlace, Mapping, Place, Position, RecordLayout, Sharing, computes};
use crate::record::Record;
use crate::tree::Node;
use crate::view::indices;

pub(super) struct Places {
    pub(super) name: Name,
    tree: &'static Node,
    table: &'static LeafTable,
    align: usize,
    aligned: bool,
    unique: bool,
    joined: bool,
    pub(super) sizes: Vec<usize>,
    /// The offset of each blob in one piece of memory.
    pub(super) starts: Vec<usize>,
    pub(super) region_size: usize,
    most: Option<usize>,
    extents: Vec<usize>,
    /// All leaves of the first element, then those of the second, and so on.
    leaves: Vec<Leaf>,
    /// The bits of all leaves, each with the number of the leaf in `leaves`.
    bits: Vec<(BitRange, usize)>,
    /// For each byte of each blob, the bits that belong to leaves.
    pub(super) taken: Vec<Vec<u8>>,
    pub(super) taken_in_region: Vec<u8>,
}

struct Leaf {
    element: usize,
    leaf: usize,
    /// The ranges of bits of this leaf, as a range of indices into `bits`.
    bits: Range<usize>,
    /// For a physical leaf, its place, and the offset computed from the constants of the layout.
    place: Option<(Place, usize)>,
}

impl Places {
    /// Collects and checks the places of a mapping.
    pub(super) fn of<M: Mapping>(mapping: &M) -> Self {
        let (layout, frame, slots) = (mapping.layout(), mapping.frame(), mapping.span());
        let table = LeafTable::of::<M::Record>();
        let (extents, mut leaves, mut bits) = (mapping.extents().array(), Vec::new(), Vec::new());
        for (element, index) in indices(extents).enumerate() {
            for leaf in 0..table.count() {
                let first = bits.len();
                mapping.bits_of(index, leaf, &mut |range| bits.push((range, leaves.len())));
                let place = (!computes::<M::Record, M::Layout>(leaf)).then(|| {
                    let LeafPlace { start, stride, block, group, .. } = LeafPlace::of(M::Layout::PLACES, leaf);
                    let position = mapping.checked_position(index, leaf);
                    let (number, lane) = (position.block(), position.lane());
                    let lanes = if group == 1 { lane } else { number % group * M::Layout::RUN + lane };
                    let offset = M::Layout::base(frame, leaf) + start + number / group * block + lanes * stride;
                    (mapping.place_of(index, leaf), offset)
                });
                leaves.push(Leaf { element, leaf, bits: first..bits.len(), place });
            }
        }
        let [each, beside] = M::Layout::MOST;
        let mut places = Self {
            name: Name::of::<M::Record, M::Layout>(),
            tree: M::Record::TREE,
            table,
            align: M::Layout::ALIGN,
            aligned: M::Layout::ALIGNED,
            unique: mapping.is_unique(),
            joined: <M::Layout as RecordLayout<M::Record>>::Sharing::JOINED,
            sizes: (0..M::Layout::BLOBS).map(|blob| layout.blob_size(slots, blob)).collect(),
            starts: (0..M::Layout::BLOBS).map(|blob| M::Layout::blob_start(frame, blob)).collect(),
            region_size: layout.region_size(slots),
            most: each.checked_mul(slots).and_then(|bytes| bytes.checked_add(beside)),
            extents: extents.as_ref().to_vec(),
            leaves,
            bits,
            taken: Vec::new(),
            taken_in_region: Vec::new(),
        };
        places.check();
        places
    }

    /// Panics with the broken promise of a leaf.
    fn broken(&self, leaf: &Leaf, what: impl fmt::Display) -> ! {
        panic!("{}: {} {what}", self.name, self.shown(leaf))
    }

    fn shown(&self, leaf: &Leaf) -> String {
        let mut index = self.extents.clone();
        let mut number = leaf.element;
        for extent in index.iter_mut().rev() {
            (*extent, number) = (number % *extent, number / *extent);
        }
        format!("leaf `{}` of element {}", self.tree.leaf_name(leaf.leaf), List::of(&index))
    }

    fn check(&mut self) {
        if self.most.is_none_or(|most| self.region_size > most) {
            panic!(
                "{}: {} elements take {} bytes, and `MOST` allows fewer",
                self.name,
                self.extents.iter().product::<usize>(),
                self.region_size
            );
        }
        for leaf in &self.leaves {
            self.check_leaf(leaf);
        }
        for (blob, (size, start)) in self.sizes.iter().zip(&self.starts).enumerate() {
            if *size > 0 && start + size > self.region_size {
                panic!(
                    "{}: blob {blob} ends at byte {} of {} for all blobs",
                    self.name,
                    start + size,
                    self.region_size
                );
            }
        }
        self.taken = self.sizes.iter().map(|size| vec![0; *size]).collect();
        self.taken_in_region = vec![0; self.region_size];
        self.check_overlap();
    }

    fn check_leaf(&self, leaf: &Leaf) {
        let (size, align) = (self.table.leaf(leaf.leaf).size(), self.table.leaf(leaf.leaf).align());
        let bits = &self.bits[leaf.bits.clone()];
        for (range, _) in bits {
            match self.sizes.get(range.blob) {
                Some(size) if range.bytes().end <= *size || range.bits == 0 => {}
                Some(size) => {
                    self.broken(leaf, format_args!("ends after blob {}, which has {size} bytes: {range:?}", range.blob))
                }
                None => self.broken(leaf, format_args!("lies in blob {} of {}", range.blob, self.sizes.len())),
            }
        }
        let Some((Place { blob, offset }, formula)) = leaf.place else { return };
        if offset != formula {
            self.broken(leaf, format_args!("lies at {offset}, and at {formula} by the constants of the layout"));
        }
        let whole = BitRange { blob, start: 8 * offset, bits: 8 * size };
        if bits.len() != 1 || bits[0].0 != whole {
            self.broken(leaf, format_args!("has {size} bytes at {offset}, and other bits: {bits:?}"));
        }
        let in_region = self.starts[blob] + offset;
        if self.aligned && size > 0 && !(offset.is_multiple_of(align) && in_region.is_multiple_of(align)) {
            self.broken(
                leaf,
                format_args!("lies at {offset}, and in one piece at {in_region}: no multiples of {align}"),
            );
        }
        if self.aligned && size > 0 && align > self.align {
            self.broken(leaf, format_args!("is aligned to {align}, and `ALIGN` is {}", self.align));
        }
    }

    /// Panics if two leaves share a bit, and records the bits of all leaves.
    fn check_overlap(&mut self) {
        let mut all = core::mem::take(&mut self.bits);
        all.retain(|(range, _)| range.bits > 0);
        // If the mapping is not unique, elements may overlap, so each element is checked alone.
        let element = |number: usize| if self.unique { 0 } else { self.leaves[number].element };
        all.sort_unstable_by_key(|(range, number)| (element(*number), range.blob, range.start, *number));
        for pair in all.windows(2) {
            let [(a, first), (b, second)] = [pair[0], pair[1]];
            let shared =
                a.start + a.bits > b.start || !self.joined && first != second && a.bytes().end > b.bytes().start;
            if element(first) == element(second) && a.blob == b.blob && shared {
                let (leaf, other) = (&self.leaves[first.max(second)], &self.leaves[first.min(second)]);
                let BitRange { blob, start, .. } = b;
                self.broken(
                    leaf,
                    format_args!("lies where {} does: byte {} of blob {blob}", self.shown(other), start / 8),
                );
            }
        }
        for (BitRange { blob, start, bits }, _) in all {
            if start % 8 == 0 && bits % 8 == 0 {
                self.taken[blob][start / 8..(start + bits) / 8].fill(0xff);
            } else {
                (start..start + bits).for_each(|bit| self.taken[blob][bit / 8] |= 1 << (bit % 8));
            }
        }
        for (blob, (taken, start)) in self.taken.iter().zip(&self.starts).enumerate() {
            let in_region = self.taken_in_region.iter_mut().skip(*start);
            for (byte, (in_region, taken)) in in_region.zip(taken).enumerate().filter(|(_, (_, taken))| **taken != 0) {
                assert!(
                    *in_region == 0,
                    "{}: byte {byte} of blob {blob} is another blob's in one piece of memory",
                    self.name
                );
                *in_region = *taken;
            }
        }
    }

    /// Memory of `len` bytes, aligned as this layout needs.
    pub(super) fn memory(&self, len: usize, random: &mut Random) -> Memory {
        Memory::new(len, if self.aligned { self.align } else { 1 }, random)
    }

    /// Asserts that an element is read with the expected bytes.
    pub(super) fn assert_read(&self, element: usize, expected: &LeafBytes, found: &LeafBytes) {
        if let Some(leaf) = (0..expected.len()).find(|leaf| found[*leaf] != expected[*leaf]) {
            let (found, expected) = (&found[leaf], &expected[leaf]);
            let leaf = Leaf { element, leaf, bits: 0..0, place: None };
            self.broken(&leaf, format_args!("is read as the bytes {found:?}, and should be {expected:?}"));
        }
    }

    /// Asserts that all bits outside leaves are unchanged, and that physical leaves lie at their places.
    pub(super) fn assert_stored(&self, memory: &Memory, before: &Memory, blob: Option<usize>, records: &[LeafBytes]) {
        let taken = blob.map_or(&self.taken_in_region, |blob| &self.taken[blob]);
        if let Some(byte) = memory.changed(before, taken) {
            let memory = blob.map_or("of the memory for all blobs".into(), |blob| format!("of blob {blob}"));
            panic!("{}: bits of byte {byte} {memory} were changed, which no leaf has", self.name);
        }
        for leaf in &self.leaves {
            let Some((place, _)) = leaf.place else { continue };
            let start = match blob {
                Some(blob) if blob != place.blob => continue,
                Some(_) => place.offset,
                None => self.starts[place.blob] + place.offset,
            };
            let value = &records[leaf.element][leaf.leaf];
            let stored = &memory.bytes()[start..start + value.len()];
            if stored != &value[..] {
                self.broken(leaf, format_args!("is stored as {stored:?}, and its value is {value:?}"));
            }
        }
    }
}
